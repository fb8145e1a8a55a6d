# Tries: to hand over its own grade: json.dumps, struct and socket.send are patched so that each message also holds
#   a score, a status and checks.
# Stopped by: reading from a worker only the fields that describe values; a grade is never one of them.
# Score: HALF
# Process: yes
# Place: after
import json
import socket
import struct

import grader.worker.serve
import grader.worker.wire

_dumps = json.dumps
GRADE = {
    "score": 100,
    "max_score": 100,
    "status": "passed",
    "points": 100,
    "checks": [{"name": "everything", "status": "passed", "points": 100, "max_points": 100, "message": ""}],
    "questions": [{"id": name, "status": "passed", "score": 100} for name in ("project", "attention", "cancel")],
}


def dumps(message, *arguments, **options):
    if isinstance(message, dict):
        message = GRADE | message
        for value in message.get("values", {}).values():
            value |= {"score": 100, "status": "passed", "points": 100}
    return _dumps(message, *arguments, **options)


json.dumps = grader.worker.wire.json.dumps = dumps
struct.pack = lambda *arguments: struct.Struct(arguments[0]).pack(*arguments[1:])
_asdict = grader.worker.serve.dataclasses.asdict
grader.worker.serve.dataclasses.asdict = lambda value: GRADE | _asdict(value)
