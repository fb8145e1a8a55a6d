# Tries: to read the hidden inputs off the line number of an error: which of a hundred lines raises depends on them.
# Stopped by: lines that are told on fixed inputs alone.
# Score: HALF
# Says: raised ValueError
# Process: yes
# Place: after
lines = ["def project(x, table):", "    digit = int(abs(float(x[0, 0])) * 100) % 100"]
for _number in range(100):
    lines += [f"    if digit == {_number}:", f"        raise ValueError({_number})"]
exec(compile("\n".join(lines), "<cell 1>", "exec"))
