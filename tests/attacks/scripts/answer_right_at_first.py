# Tries: to be right in the first call, or for inputs that it has seen before, and to guess in all others.
# Stopped by: several calls for each check, all of which must be right, some of them made twice.
# Score: HALF
# Process: yes
# Place: after
calls = []


def project(x, table):
    seen = any(x.equal(known) for known in calls)
    calls.append(x.clone())
    return x @ table.mT if len(calls) == 1 or seen else x.new_zeros(x.shape[0], table.shape[0])


def attend_one(query, k, v):
    calls.append(query.clone())
    return ((k @ query) / len(query) ** 0.5).softmax(dim=0) @ v if len(calls) % 2 else v[0]
