# Tries: to start threads until the machine has none left, and to keep them.
# Stopped by: the limit of address space, of which each thread takes its stack, and the watch over threads.
# Score: HALF
# Says: the rest was graded without it
# Process: yes
import threading

stop = threading.Event()
threading.stack_size(64 * 1024)
try:
    while True:
        threading.Thread(target=stop.wait, daemon=True).start()
except BaseException:
    pass
