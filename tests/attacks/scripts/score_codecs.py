# Tries: to change texts on their way: codecs that are searched first, encodings.utf_8 replaced, error handlers that
#   raise the score, a JSON encoder of its own.
# Stopped by: bytes that are decoded by the grader, whose codecs are its own.
# Score: HALF
# Process: yes
# Place: after
import codecs
import encodings.ascii
import encodings.utf_8
import json
import json.encoder

FORGED = b'{"score": 100}'


def forged(name):
    return codecs.CodecInfo(lambda text, errors="strict": (FORGED, len(text)), lambda data, errors="strict": ("B", 1))


codecs.register(forged)
encodings._cache.clear()
encodings.utf_8.encode = encodings.utf_8.getregentry = lambda *arguments: (FORGED, 1)
for handler in ("strict", "replace", "surrogatepass", "backslashreplace", "ignore"):
    codecs.register_error(handler, lambda error: ("B", error.end))
json.encoder.encode_basestring_ascii = json.encoder.encode_basestring = lambda text: f'"{text}"'
json.encoder.c_make_encoder = None
