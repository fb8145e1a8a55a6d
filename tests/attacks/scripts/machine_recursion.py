# Tries: to overflow the C stack, by recursion through C functions without Python's limit.
# Stopped by: only its own child dies of it; a fresh one goes on without that cell.
# Score: HALF
# Says: ended the whole program
# Process: yes
import sys

sys.setrecursionlimit(10**9)
recurse = lambda itself: list(map(itself, [itself]))  # noqa: E731
recurse(recurse)
