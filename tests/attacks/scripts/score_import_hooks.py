# Tries: to have the next submission import a torch, math and numpy of its own, by finders in sys.meta_path and
#   sys.path_hooks and in the import caches.
# Stopped by: a child of its own for each submission, forked from a slot that runs no student code.
# Score: HALF
# Process: yes
# Place: after
import importlib.abc
import importlib.machinery
import sys
import types


class Forger(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.sqrt = lambda number: 1.0
        module.softmax = lambda *arguments, **options: None
        return module

    def exec_module(self, module):
        pass


forger = Forger()
sys.meta_path.insert(0, forger)
sys.path_hooks.insert(0, lambda path: forger)
sys.path_importer_cache.clear()
importlib.invalidate_caches()
for name in ("math", "torch.testing", "random"):
    sys.modules.pop(name, None)
