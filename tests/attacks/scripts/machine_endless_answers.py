# Tries: to have the grader read for ever: generators, iterators and sequences without an end, as answers and returned.
# Stopped by: a value is described in the worker, by its exact type; of what is no list, only its type is told.
# Score: HALF
# Process: yes
import itertools


class Endless(list):
    def __iter__(self):
        return itertools.repeat(0.0)

    def __len__(self):
        return 2**62

    def __getitem__(self, place):
        return 0.0


class Numbered:
    def __getitem__(self, place):
        return 0.0

    def __len__(self):
        return 2**62


def attend_one(query, k, v):
    return (number for number in itertools.count())


TEN_POSITIONS_WIDTH = itertools.count()
ROW_WEIGHTS = Endless()
V_ROW_INCREASE = Numbered()
Q0_OUTPUT = iter(lambda: 0.0, 1.0)
