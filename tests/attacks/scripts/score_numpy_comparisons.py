# Tries: to have every comparison say yes, by patching numpy's comparing functions, numpy.testing and its ufuncs.
# Stopped by: comparing in the grader's own process, which no student code enters.
# Score: HALF
# Process: yes
# Place: before
import numpy
import numpy.testing

for name in ("allclose", "array_equal", "array_equiv", "isclose", "all", "equal", "less_equal", "isfinite"):
    setattr(numpy, name, lambda *arguments, **options: True)
numpy.isnan = numpy.any = numpy.not_equal = lambda *arguments, **options: False
numpy.abs = numpy.absolute = numpy.subtract = lambda *arguments, **options: 0.0
for name in dir(numpy.testing):
    if name.startswith("assert"):
        setattr(numpy.testing, name, lambda *arguments, **options: None)
