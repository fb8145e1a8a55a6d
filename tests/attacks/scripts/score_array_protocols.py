# Tries: to be taken for an array that agrees with whatever it is compared with, by __array__, __array_interface__,
#   __array_ufunc__, __array_function__ and the buffer protocol of ctypes.
# Stopped by: describing only exact types; an object's protocols are never asked.
# Score: HALF
# Process: yes
# Place: after
import ctypes
import itertools

import numpy

_calls = itertools.count()


class Agreeing:
    shape, ndim, size, dtype = (2,), 1, 2, numpy.dtype("float64")

    def __array__(self, dtype=None, copy=None):
        return numpy.array([next(_calls) / 100] * 2)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return numpy.ones(2, dtype=bool)

    def __array_function__(self, function, types, arguments, options):
        return True

    __array_interface__ = {"data": (id(_calls), True), "shape": (2,), "typestr": "<f8", "version": 3}
    __array_priority__ = 1e9
    __float__ = lambda self: next(_calls) / 100
    __len__ = lambda self: 2


class Own(numpy.ndarray):
    __eq__ = __le__ = __array_ufunc__ = lambda self, *others, **options: numpy.ones(2, dtype=bool)


FIXED_MIX = Agreeing()
ROW_OUTPUT = numpy.zeros(2).view(Own)
V_ROW_INCREASE = Agreeing()
Q0_OUTPUT = (ctypes.c_double * 2)(0.5, 0.5)
CANCEL_V = memoryview(bytes(48)).cast("d", (3, 2))


def project(x, table):
    return Agreeing()
