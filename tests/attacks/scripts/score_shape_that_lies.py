# Tries: to have a tensor of another shape pass, by replacing Tensor.shape, size, dim, numel, dtype and stride.
# Stopped by: reading shape and dtype, in the grader, from the bytes that were sent.
# Score: HALF
# Process: yes
# Place: after
import torch

_shape, _size, _dim, _numel = torch.Tensor.shape, torch.Tensor.size, torch.Tensor.dim, torch.Tensor.numel
_stride, _dtype = torch.Tensor.stride, torch.Tensor.dtype


def lie(self):
    return self.__dict__.get("lie")


torch.Tensor.shape = property(lambda self: lie(self) or _shape.__get__(self))
torch.Tensor.size = lambda self, *place: lie(self) or _size(self, *place)
torch.Tensor.dim = lambda self: len(lie(self) or _shape.__get__(self))
torch.Tensor.numel = lambda self: 1 if lie(self) else _numel(self)
torch.Tensor.stride = lambda self, *place: (0, 0) if lie(self) else _stride(self, *place)
torch.Tensor.dtype = property(lambda self: torch.float64 if lie(self) else _dtype.__get__(self))


def lying(tensor, *shape):
    tensor.lie = torch.Size(shape)
    tensor.contiguous = tensor.clone = tensor.detach = lambda: tensor
    return tensor


def project(x, table):
    return lying((x[:1, :1] * 0).float(), x.shape[0], table.shape[0])


CANCEL_V = lying(torch.ones(1), 3, 2)
FIXED_MIX = lying(torch.ones(1), 2)
