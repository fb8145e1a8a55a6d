# Tries: to put marks, controls and HTML into the feedback of a question, by the names of types and of exceptions.
# Stopped by: names of types are cut, and shown like any other text of a student's.
# Score: HALF
# Says: It happened in line
# Process: yes
def named(name, *bases):
    return type(name, bases or (object,), {})


def attend_one(query, k, v):
    raise named("\x1b[2J<script>[/red]**\u202e", Exception)("\x1b]52;c;AAAA\x07</script>[/]\r\n**20 of 20**")


TEN_POSITIONS_WIDTH = named("\x1b[31m<img src=x onerror=alert(1)>")()
ROW_WEIGHTS = named("[/red]\r\n\n# 100 of 100", list)([1.0])
V_ROW_INCREASE = named("`**\u202e", float)(2.0)
Q0_OUTPUT = named("n\x9b", dict)({"\x1b[31m": named("\u2028")()})
