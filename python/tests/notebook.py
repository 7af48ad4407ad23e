"""Runs notebooks, and compares what cells print with what is stored; --update stores it.

Usage: notebook.py [--update] NOTEBOOK..."""

import ast
import contextlib
import copy
import glob
import importlib.util
import io
import json
import os
import shutil
import sys
import tempfile

from support import ROOT


def has(module):
    return importlib.util.find_spec(module) is not None


def code_cells(notebook):
    """Those that can run here: a tag names a module that a cell needs."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"
            and all(has(tag) for tag in cell["metadata"].get("tags", ()))]


def text_of(cell):
    """What a cell printed and the value of its last line, as text."""
    out = ""
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            out += "".join(output["text"])
        elif output["output_type"] == "error":
            out += "\n".join(output["traceback"])
        elif "text/plain" in output["data"]:
            out += "".join(output["data"]["text/plain"]) + "\n"
    return out


def execute(notebook):
    """Runs the cells in order, in one namespace; the outputs are text."""
    names = {"__name__": "__main__"}
    for cell in code_cells(notebook):
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        printed = io.StringIO()
        value = None
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module(body, []), "<cell>", "exec"), names)  # pylint: disable=exec-used
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # pylint: disable=eval-used
        cell["outputs"] = []
        if printed.getvalue():
            cell["outputs"].append({"name": "stdout", "output_type": "stream",
                                    "text": printed.getvalue().splitlines(keepends=True)})
        if value is not None:
            cell["outputs"].append({"data": {"text/plain": repr(value).splitlines(keepends=True)},
                                    "execution_count": None, "metadata": {}, "output_type": "execute_result"})


def execute_in_kernel(notebook):
    """The same by Jupyter's kernel; magics and displays are as in a browser."""
    import nbclient
    import nbformat
    runnable = copy.deepcopy(notebook)
    kept = [id(cell) for cell in code_cells(runnable)]
    runnable["cells"] = [cell for cell in runnable["cells"] if id(cell) in kept]
    for cell in runnable["cells"]:
        cell["source"] = "".join(cell["source"])
    node = nbformat.from_dict(runnable)
    nbclient.NotebookClient(node, timeout=120, kernel_name="python3").execute()
    for cell, done in zip(code_cells(notebook), node.cells):
        cell["outputs"] = json.loads(json.dumps(done.outputs))


@contextlib.contextmanager
def examples():
    """A copy of the examples as the present folder."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for path in glob.glob(os.path.join(ROOT, "examples", "*.json")):
            shutil.copy(path, folder)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(args):
    update = "--update" in args
    for path in (os.path.abspath(a) for a in args if a != "--update"):
        notebook = read(path)
        stored = [text_of(cell) for cell in code_cells(notebook)]
        with examples():
            execute(notebook)
        now = [text_of(cell) for cell in code_cells(notebook)]
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
        elif stored != now:
            sys.exit(path + " is stale: run notebook.py --update")


if __name__ == "__main__":
    main(sys.argv[1:])
