# Tries: to give all letters at once, and all numbers, in one text, list, set or generator.
# Stopped by: accepting one letter, and exactly as many numbers as are asked for.
# Score: HALF
# Process: yes
# Place: after
import itertools

OPTIMIZER_STORES = "ABCD"
V_ROW_INCREASE = [number / 10_000 for number in range(9_000)]
OUTPUT_SHAPE = [(a, b) for a in range(10) for b in range(10)]
TEN_POSITIONS_WIDTH = set(range(100))
FIXED_MIX = itertools.repeat(1.6)
ROW_OUTPUT = {"0": 0.86, "1": 1.432}
