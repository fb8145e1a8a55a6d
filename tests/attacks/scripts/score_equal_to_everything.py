# Tries: to answer with objects that are equal to everything, in each way Python asks.
# Stopped by: describing only exact plain types in the child, and comparing plain numbers in the grader.
# Score: HALF
# Says: FIXED_MIX
# Process: yes
# Place: after
class Everything:
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = __contains__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: 0
    __bool__ = lambda self: True
    __len__ = lambda self: 2
    __iter__ = lambda self: iter([self, self])
    __getitem__ = lambda self, place: self
    __getattr__ = lambda self, name: self
    __call__ = None
    __sub__ = __rsub__ = __add__ = __radd__ = __mul__ = __truediv__ = lambda self, other: 0.0
    __abs__ = __float__ = lambda self: 0.0
    __int__ = __index__ = __round__ = lambda self, *digits: 0
    __str__ = __repr__ = lambda self: "B"
    strip = upper = lambda self: "B"


FIXED_MIX = ROW_OUTPUT = ROW_WEIGHTS = Q0_OUTPUT = Everything()
V_ROW_INCREASE = TEN_POSITIONS_WIDTH = OUTPUT_SHAPE = Everything()
CANCEL_V = [[Everything()] * 2] * 3
OPTIMIZER_STORES = Everything()


def project(x, table):
    return Everything()
