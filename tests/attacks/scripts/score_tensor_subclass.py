# Tries: to return tensors of a subclass whose comparisons are always true, by __torch_function__, by
#   __torch_dispatch__ and by own methods.
# Stopped by: reading a tensor of a subclass not at all; what is compared was copied as bytes.
# Score: HALF
# Process: yes
# Place: after
import torch


class Agreeing(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        if function.__name__ in ("allclose", "equal", "isclose", "eq", "__eq__", "all", "le", "__le__"):
            return torch.ones((), dtype=torch.bool)
        return super().__torch_function__(function, types, arguments, options or {})

    detach = contiguous = clone = resolve_conj = resolve_neg = lambda self: self


class Dispatching(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    @classmethod
    def __torch_dispatch__(cls, function, types, arguments=(), options=None):
        return torch.ones((), dtype=torch.bool)


def project(x, table):
    product = torch.zeros(x.shape[0], table.shape[0], dtype=x.dtype)
    return product.as_subclass(Agreeing) if x.shape[0] % 2 else Dispatching(product)


FIXED_MIX = torch.zeros(2).as_subclass(Agreeing)
CANCEL_V = Dispatching(torch.ones(3, 2))
