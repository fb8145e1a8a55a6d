# Tries: to hang or break the grader with numbers that take minutes to write down, and text of megabytes.
# Stopped by: numbers travel as floats, and text is cut.
# Score: HALF
# Process: yes
import decimal
import fractions

TEN_POSITIONS_WIDTH = 1 << 50_000_000
ROW_WEIGHTS = [10**400, -(10**400), "9" * 5_000_000]
V_ROW_INCREASE = decimal.Decimal("1e999999999999999999")
Q0_OUTPUT = [fractions.Fraction(1, 10**5_000), f"{1:>50000000}"]
