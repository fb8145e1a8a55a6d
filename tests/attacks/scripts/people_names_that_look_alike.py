# Tries: to have two functions for one question, by letters that look alike or that Python takes for the same.
# Stopped by: the name that Python knows counts, whatever it looks like; what only looks alike is another name.
# Score: HALF
# Process: yes
# %%
def аttend_one(query, k, v):
    return query


# %%
ＴＥＮ_POSITIONS_WIDTH = 3
V_ROW_INCREАSE = 0.5
globals()["attend_one\u200b"] = globals()["attend_one\x1b[31m"] = globals()[" attend_one"] = аttend_one
globals()["<script>alert(1)</script>"] = globals()["__proto__"] = globals()["score"] = 100
