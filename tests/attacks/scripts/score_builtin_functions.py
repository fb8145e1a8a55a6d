# Tries: to have every difference be 0 and every condition hold, by patching abs, all, any, sum, round, max and min in
#   builtins.
# Stopped by: comparing in the grader's own process; the builtins of a child are its own.
# Score: HALF
# Says: still reaches a line
# Process: yes
# Place: after
import builtins

_all = builtins.all
builtins.abs = lambda value: 0
builtins.all = lambda values: True
builtins.round = lambda value, digits=0: 0
builtins.hash = lambda value: 0
builtins.sorted = lambda values, **options: list(values)
builtins.divmod = lambda *values: (0, 0)
builtins.pow = lambda *values: 0
builtins.bool = lambda value=True: True
