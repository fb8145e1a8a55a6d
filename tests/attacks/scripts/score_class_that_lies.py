# Tries: to pass for a tensor or a number by a __class__ that lies, a metaclass that says so, a type
#   named Tensor, and one registered as a real number.
# Stopped by: asking for the type itself (type(value) is torch.Tensor), which no object can change.
# Score: HALF
# Process: yes
# Place: after
import numbers

import torch


class Meta(type):
    __instancecheck__ = __subclasscheck__ = __eq__ = lambda cls, other: True
    __hash__ = lambda cls: hash(torch.Tensor)
    __mro_entries__ = lambda cls, bases: (torch.Tensor,)
    __class__ = property(lambda cls: type)


class Tensor(metaclass=Meta):
    __class__ = property(lambda self: torch.Tensor)
    __module__, __qualname__ = "torch", "Tensor"
    is_nested, layout, dtype = False, torch.strided, torch.float64
    device, shape = torch.device("cpu"), torch.Size([2])
    numel = lambda self: 2
    detach = resolve_conj = resolve_neg = contiguous = clone = lambda self: self
    tolist = lambda self: [0.0, 0.0]


class Number(metaclass=Meta):
    __class__ = property(lambda self: float)
    __float__ = lambda self: 0.5


class Registered:
    __float__ = lambda self: 0.5


numbers.Real.register(Registered)
FIXED_MIX = ROW_OUTPUT = Q0_OUTPUT = Tensor()
V_ROW_INCREASE, TEN_POSITIONS_WIDTH = Number(), Registered()


def project(x, table):
    return Tensor()
