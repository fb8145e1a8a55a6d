# Tries: to change the cells and outputs that follow, by IPython's events, AST and input transformers, magics and a
#   handler of exceptions.
# Stopped by: reading only what names hold; a hook of one child is gone with it.
# Score: HALF
# Process: yes
# Place: before
# Form: notebook
import ast
import builtins

shell = get_ipython()


class Right(ast.NodeTransformer):
    def visit_Compare(self, node):
        return ast.Constant(True)


for add in (
    lambda: shell.ast_transformers.append(Right()),
    lambda: shell.input_transformers_cleanup.append(lambda lines: ["pass\n"]),
    lambda: shell.input_transformers_post.append(lambda lines: ["pass\n"]),
    lambda: shell.events.register("post_run_cell", lambda *result: print("20.0")),
    lambda: shell.set_custom_exc((BaseException,), lambda *arguments: None),
    lambda: shell.register_magic_function(lambda line: 100.0, magic_name="check"),
    lambda: shell.push({"project": lambda x, table: 100.0}),
    lambda: shell.display_formatter.formatters["text/plain"].for_type(float, lambda *arguments: "20.0"),
):
    try:
        add()
    except Exception:
        pass
builtins.get_ipython = lambda: shell
