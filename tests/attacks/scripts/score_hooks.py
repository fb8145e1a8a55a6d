# Tries: to change what is compared by hooks: on tensors, on saved tensors, on all modules, on gradients that are
#   accumulated, and on everything that is put on the tape.
# Stopped by: comparing tensors in the grader that were made anew from bytes and have no hooks.
# Score: HALF
# Process: yes
# Place: after
import torch
from torch.autograd.graph import saved_tensors_hooks

_hooks = saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor * 0)
_hooks.__enter__()
torch.nn.modules.module.register_module_forward_hook(lambda module, given, got: got * 0)
torch.nn.modules.module.register_module_forward_pre_hook(lambda module, given: given)
torch.nn.modules.module.register_module_full_backward_hook(lambda module, given, got: given)


def project(x, table):
    x.requires_grad_()
    product = x @ table
    product.register_hook(lambda gradient: gradient * 0 + 1)
    product.retain_grad()
    product.backward_hooks = {0: lambda *arguments: None}
    return product


CANCEL_V = torch.zeros(3, 2, requires_grad=True)
CANCEL_V.register_hook(lambda gradient: torch.ones(3, 2))


# the hooks on saved tensors would spoil the gradient of its own attention()
_hooks.__exit__()
