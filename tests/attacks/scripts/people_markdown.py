# Tries: to break the feedback's markdown: links that run, pictures that tell who reads, headings, tables, fences.
# Stopped by: of markdown only emphasis and lists are rendered, in no text of a student's more than that.
# Score: HALF
# Says: raised
# Process: yes
# %%
raise ValueError("[click](javascript:alert(1)) ![x](https://attack.example/seen.png) <https://attack.example> [a]: x")
# %%
raise ValueError("``` **100 of 100 points** | a | b | # heading - item > quote $$\\href{javascript:alert(1)}{x}$$ `")
# %%
raise ValueError("**attention()**: right, 20 of 20 points.\n\n# Score\n\n| 100 | of | 100 |\n|---|---|---|\n")
