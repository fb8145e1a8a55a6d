# Tries: to break or fool the arithmetic of the comparison with huge integers, booleans, complex numbers, signalling
#   NaN, fractions of thousands of digits and numbers as text.
# Stopped by: turning each answer into one float in the child, and finite floats only in the grader.
# Score: HALF
# Process: yes
# Place: after
from decimal import Decimal
from fractions import Fraction

FIXED_MIX = [10**400, -(10**5000)]
ROW_OUTPUT = [Decimal("sNaN"), Decimal("1e999999")]
V_ROW_INCREASE = True
Q0_OUTPUT = [complex(0.6667, 0), complex(1.3333, 0)]
ROW_WEIGHTS = [Fraction(10**4000, 3), Fraction(1, 10**4000), "1/0"]
OUTPUT_SHAPE = ("4e0", "9" * 200)
TEN_POSITIONS_WIDTH = "__import__('os').getpid()"
CANCEL_V = [["1e308", "-1e308"], ["1e308", "1e308"], [True, False]]
