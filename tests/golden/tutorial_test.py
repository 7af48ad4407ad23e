"""A tutorial shows what its commands print.

Usage: tutorial_test.py PATH_OF_STALLCAST EXAMPLES TUTORIAL [--update]

Blocks ```console of TUTORIAL are run in order, in a temporary copy of the folder EXAMPLES, with stallcast in the PATH.
Lines that begin with "$ " are commands, with "> " they go on; the lines below are what they print, on both streams. A
line "..." stands for any number of lines. A command that fails is followed by `$ echo $?`, which shows its exit code.
Every line is held to 80 columns, but those of `stallcast check`, one for each assertion. --update puts the new output
in place of what is wrong, left out where lines like those left out before are found: look at what it made, and shorten
by hand what it could not.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WIDTH = 80
# Commits that a tutorial makes are the same every time.
AUTHOR = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
          for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2026-11-01T00:00:00Z"))}


def commands(block):
    """The commands of a block, each with the lines that it shows."""
    out = []
    for line in block.splitlines():
        if line.startswith("$ "):
            out.append(([line], []))
        elif line.startswith("> ") and out and not out[-1][1]:
            out[-1][0].append(line)
        elif out:
            out[-1][1].append(line)
        else:
            sys.exit(f"a block begins with what is not a command: {line}")
    return out


def matches(shown, printed):
    """Whether `printed` is what is shown, where "..." is any number of lines."""
    parts, at = [[]], 0
    for line in shown:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    for i, part in enumerate(parts):
        if i == len(parts) - 1 and i > 0:
            return printed[max(at, len(printed) - len(part)):] == part
        found = [p for p in ([0] if i == 0 else range(at, len(printed) - len(part) + 1))
                 if printed[p:p + len(part)] == part]
        if not found:
            return False
        at = found[0] + len(part)
    return at == len(printed)


def alike(shown, printed):
    """How much two lines say the same, whatever their numbers, 0 to 1."""
    return difflib.SequenceMatcher(None, *(re.sub(r"[\d.]+", "#", line).strip() for line in (shown, printed))).ratio()


def shortened(shown, printed):
    """`printed` with "..." where `shown` has it: each part between two of them lies where its ends fit best."""
    parts = [[]]
    for line in shown:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    out, at = [], 0
    for number, part in enumerate(parts):
        out += ["..."] if number else []
        if not part:
            continue
        first, last = at, len(printed)
        if number:
            first = max(range(at, len(printed)), default=at,
                        key=lambda i, line=part[0]: alike(line, printed[i]) - 0.0005 * i)
        if number < len(parts) - 1:
            near = range(first, min(len(printed), first + len(part) + 6))
            last = 1 + max(near, default=first - 1, key=lambda i, line=part[-1], expected=first + len(part) - 1:
                           alike(line, printed[i]) - 0.02 * abs(i - expected))
        out += printed[first:last]
        at = last
    return out if matches(out, printed) else printed


def run_block(block, folder, environment, last, faults):
    """The block with what is printed now where that is not what is shown, and the last exit code."""
    out = []
    for typed, shown in commands(block):
        command = "\n".join(line[2:] for line in typed)
        if last and command != "echo $?":
            faults.append(f"exit {last} is not shown before: {command}")
        done = subprocess.run(["bash", "-c", f"(exit {last})\n{command}"], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=120 * float(os.environ.get("STALLCAST_TEST_PATIENCE", "1")))
        last, printed = done.returncode, done.stdout.splitlines()
        faults += [f"over {WIDTH} columns: {line}" for line in typed + shown
                   if len(line) > WIDTH and (line in typed or "stallcast check" not in command)]
        if not matches(shown, printed):
            faults.append(f"{command}\nprints now:\n" + "\n".join(printed))
            shown = shortened(shown, printed)
        out += typed + shown
    return "".join(f"{line}\n" for line in out), last


def main():
    stallcast, examples, page = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as base:
        folder = pathlib.Path(base) / "tour"
        shutil.copytree(examples, folder)
        environment = {"PATH": f"{stallcast.parent}:{os.environ['PATH']}", "HOME": base, "LC_ALL": "C.UTF-8", **AUTHOR}
        faults, fresh, end, last = [], "", 0, 0
        for match in BLOCK.finditer(text):
            block, last = run_block(match[1], folder, environment, last, faults)
            fresh += text[end:match.start()] + f"```console\n{block}```"
            end = match.end()
    if end == 0:
        faults.append("there is no command in it")
    if last:
        faults.append(f"exit {last} of the last command is not shown")
    if "--update" in sys.argv[4:]:
        page.write_text(fresh + text[end:], encoding="utf-8")
    elif faults:
        sys.exit(f"{page.name}:\n" + "\n\n".join(faults))


main()
