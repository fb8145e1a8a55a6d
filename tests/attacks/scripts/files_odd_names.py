# Tries: to trip the clean-up by names: 255 bytes, line ends, bytes that are no text, options, links to themselves.
# Stopped by: names are passed on as the bytes they are, to functions and never to a shell.
# Score: HALF
# Process: yes
import contextlib
import os

NAMES = [b"attack" + b"x" * 249, b"attack\n\r\t\x1b[31m", b"attack\xff\xfe\x80"]
NAMES += [b"-rf attack", b"attack\\", b"attack ;*?$(x)"]
for folder in (b".", b".."):
    for name in NAMES:
        with contextlib.suppress(OSError):
            os.mkdir(folder + b"/" + name)
            os.symlink(name, folder + b"/" + name + b"/" + name)
        with contextlib.suppress(OSError):
            with open(folder + b"/" + name[:240] + b"-file", "wb") as file:
                file.write(b"left")
