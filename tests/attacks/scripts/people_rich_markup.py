# Tries: to break or colour the table by the marks of the library that prints it, closed where none is open.
# Stopped by: a student's words are printed as text and never read for marks.
# Score: HALF
# Says: [/red][/] | [/red]: [/]
# Process: yes
# %%
raise ValueError("[bold green]100 of 100[/bold green][/red][/][link=https://a.example]x[/link] \\[a] [@click=x]y[/]")
# %%
raise type("[red]Passed[/red]", (Exception,), {})("[/]")
