"""Runs the code of a notebook, cell after cell, without Jupyter: run_notebook.py NOTEBOOK.

Each cell stands in a file of its own, as in IPython, so that the source of functions is there. The
last expression of a cell is shown as HTML, where it has any, as a notebook does."""
import ast
import json
import linecache
import pathlib
import sys

notebook = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
names = {"__name__": "__main__"}
for number, cell in enumerate(notebook["cells"]):
    if cell["cell_type"] != "code":
        continue
    text = "".join(cell["source"])
    place = f"<cell {number}>"
    linecache.cache[place] = len(text), None, text.splitlines(True), place
    tree = ast.parse(text, place)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    if last is not None:
        shown = eval(compile(ast.Expression(last.value), place, "eval"), names)
        if shown is not None:
            print(shown._repr_html_() if hasattr(shown, "_repr_html_") else repr(shown))
