"""Notebooks show what their cells print today. Bring them up to date: notebook.py --update NOTEBOOK"""

import os
import unittest

import notebook
from support import ROOT, Case

TUTORIAL = os.path.join(ROOT, "docs", "tutorial", "size-a-lustre.ipynb")


class NotebookTest(Case):
    def shown(self, execute):
        stored, made = notebook.read(TUTORIAL), notebook.read(TUTORIAL)
        with notebook.examples():
            execute(made)
        for cell, now in zip(notebook.code_cells(stored), notebook.code_cells(made)):
            self.assertEqual(notebook.text_of(cell), notebook.text_of(now), "".join(cell["source"]))

    def test_the_tutorial_shows_what_its_cells_print(self):
        self.shown(notebook.execute)

    @unittest.skipUnless(notebook.has("nbclient") and notebook.has("ipykernel"), "Jupyter's kernel is not installed")
    def test_the_tutorial_runs_in_a_kernel_of_jupyter(self):
        path = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.path.join(ROOT, "python") + (os.pathsep + path if path else "")
        try:
            self.shown(notebook.execute_in_kernel)
        finally:
            del os.environ["PYTHONPATH"]
            if path is not None:
                os.environ["PYTHONPATH"] = path


if __name__ == "__main__":
    unittest.main()
