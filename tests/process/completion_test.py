"""Completions and manual pages say what --help says, for every verb.

Usage: completion_test.py PATH_OF_STALLCAST [unittest options]."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

import program


def verbs():
    text = program.Run("--help").out
    return re.findall(r"^  ([a-z]+) {2,}\S", text.split("Options of most verbs")[0], re.M)


def options(verb):
    """Of its help: {"--output", ...}."""
    return set(re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", program.Run(verb, "--help").out, re.M))


class Completed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.files = {}
        for shell in ("bash", "zsh", "fish"):
            cls.files[shell] = os.path.join(cls.folder.name, shell)
            run = program.Run("completion", shell)
            assert run.code == 0, run.err
            with open(cls.files[shell], "w", encoding="utf-8") as file:
                file.write(run.out)

    def bash(self, *words):
        """What bash offers for the last of these words."""
        script = ('source "$1"; shift; COMP_WORDS=(stallcast "$@"); COMP_CWORD=$#; _stallcast; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", self.files["bash"], *words], capture_output=True,
                              text=True, check=True, cwd=self.folder.name)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_verbs(self):
        self.assertEqual(self.bash(""), {*verbs(), "--help", "--version"})
        self.assertEqual(self.bash("exp"), {"explain"})

    def test_options_are_those_of_the_help(self):
        self.assertGreater(len(verbs()), 20)
        for verb in verbs():
            said = self.bash(verb, "--")
            self.assertEqual({o for o in said if o.startswith("--")}, options(verb), verb)

    def test_words_that_options_and_arguments_take(self):
        self.assertEqual(self.bash("run", "x.json", "--format", ""),
                         {"text", "json", "csv", "markdown", "html", "slide"})
        self.assertEqual(self.bash("grow", "--format", "m"), {"markdown"})
        self.assertIn("kineto", self.bash("import", ""))
        # "o" is the value of an option, so that the next word is the first argument.
        self.assertEqual(self.bash("probe", "-o", "o", "met"), {"metadata"})
        self.assertIn("llm-async-ckpt", self.bash("init", "llm"))
        self.assertEqual(self.bash("man", "sw"), {"sweep"})

    def test_files_elsewhere(self):
        with open(os.path.join(self.folder.name, "mine.json"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.bash("run", "mi"), {"mine.json"})
        self.assertEqual(self.bash("run", "mine.json", "--output", "mi"), {"mine.json"})

    def test_other_shells_can_read_theirs(self):
        for shell in ("zsh", "fish"):
            with open(self.files[shell], encoding="utf-8") as file:
                text = file.read()
            for verb in verbs():
                self.assertRegex(text, rf"\b{verb}\b")
                for option in options(verb):
                    self.assertIn(option if shell == "zsh" else "-l " + option[2:], text)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", self.files[shell]], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_unknown_shell_is_an_error_with_a_hint(self):
        run = program.Run("completion", "bsh")
        self.assertEqual(run.code, 2)
        self.assertIn("bash", run.err)


class Manual(unittest.TestCase):
    def page(self, *verb):
        run = program.Run("man", *verb)
        self.assertEqual(run.code, 0, run.err)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-rLL=78n"], input=run.out, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.stderr, "", verb)
        return run.out.replace("\\-", "-")

    def test_every_verb_has_a_page_with_its_options(self):
        whole = self.page()
        for verb in verbs():
            self.assertIn(f"stallcast-{verb}", whole)
            page = self.page(verb)
            self.assertEqual(set(re.findall(r"\\fB(--[a-z-]+)\\fR", page)), options(verb), verb)
            self.assertIn(".SH EXIT STATUS", page)

    def test_a_help_that_begins_with_a_value_keeps_it_as_it_is_typed(self):
        page = self.page("sweep")
        self.assertIn("\nproduct (default), zip, latin:N or sobol:N.\n", page)
        self.assertIn("\nWrite the report to FILE", page)

    def test_lines_of_text_are_no_commands_of_roff(self):
        for verb in verbs():
            for line in self.page(verb).splitlines():
                if line.startswith((".", "'")):
                    self.assertRegex(line, r"^\.(TH|SH|SS|TP|nf|fi)\b", verb)

    def test_an_unknown_verb_is_an_error_with_a_hint(self):
        run = program.Run("man", "rnu")
        self.assertEqual(run.code, 2)
        self.assertIn("run", run.err)


class Version(unittest.TestCase):
    def test_it_names_the_commit(self):
        self.assertRegex(program.Run("--version").out, r"^stallcast \d+\.\d+\.\d+(-rc\d+)?( \([0-9a-f]{12}\+?\))?\n$")


if __name__ == "__main__":
    program.main()
