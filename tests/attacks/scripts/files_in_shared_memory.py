# Tries: to leave shared memory, semaphores and torch's own shared tensors by name, for its next attempt to find.
# Stopped by: /dev/shm is private, and emptied after each submission.
# Score: HALF
# Process: no, they would stay in the machine's own /dev/shm.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import multiprocessing.shared_memory
import multiprocessing.synchronize

if [name for name in os.listdir("/dev/shm") if "attack" in name]:
    mix_rows = None  # it is there from before: a lower score is the proof
with contextlib.suppress(OSError, AttributeError):
    memory = multiprocessing.shared_memory.SharedMemory("attack-memory", create=True, size=2**20)
    memory.buf[:6] = b"answer"
with contextlib.suppress(OSError, ImportError):
    torch.ones(1_000).share_memory_()
with open("/dev/shm/sem.attack", "wb") as file:
    file.write(bytes(32))
os.mkdir("/dev/shm/attack-folder", 0)
