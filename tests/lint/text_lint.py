"""Checks on the text of tracked files: length, machine paths, unfinished marks, links, tests that nobody runs."""

import os
import re

from tracked import is_cpp, read_text

SOFT_LIMIT = 400
HARD_LIMIT = 600
# Top folders that exist on somebody's machine and nowhere else. The look-behind keeps JSON
# pointers and web addresses out.
MACHINE_FOLDERS = ("work", "farm", "home/[a-z]", "root", "Users")
MACHINE_PATH = re.compile(r"(?<![A-Za-z0-9_.~*)}-])/(?:" + "|".join(MACHINE_FOLDERS) + r")[/\w]")
# An issue number right behind the word makes it a reference instead of a loose end.
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b(?! ?\(?#\d+)")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)")


def file_length(root, names):
    """Over 400 lines needs a reason in long_files.txt, over 600 is never right."""
    reasons = {}
    list_name = "tests/lint/long_files.txt"
    for line in (read_text(root, list_name) or "").splitlines():
        if line.strip() and not line.startswith("#"):
            path, _, reason = line.partition(" ")
            reasons[path] = reason.strip()
    findings = []
    for name in names:
        if not (is_cpp(name) or name.endswith((".py", ".sh", ".cmake", "CMakeLists.txt"))):
            continue
        lines = (read_text(root, name) or "").count("\n")
        if lines > HARD_LIMIT:
            findings.append(f"{name}:{lines}: {lines} lines; over {HARD_LIMIT} must be split")
        elif lines > SOFT_LIMIT and not reasons.get(name):
            findings.append(f"{name}:{lines}: {lines} lines; over {SOFT_LIMIT} needs a reason in "
                            + list_name)
        elif lines <= SOFT_LIMIT and name in reasons:
            findings.append(f"{list_name}:1: {name} has {lines} lines and needs no entry")
    findings += [f"{list_name}:1: {path} does not exist" for path in reasons if path not in names]
    return findings


def run_tests(root, names):
    """Every file of tests is named by what builds and runs it, those in Python maybe by their first part."""
    builds = "\n".join(read_text(root, n) or "" for n in names if n.endswith(("CMakeLists.txt", ".cmake")))
    words = set(re.findall(r"[\w.]+", builds))

    def named(name):
        base = os.path.basename(name)
        return base in words or (base.endswith(".py") and base.removesuffix("_test.py") in words)

    return [f"{name}:1: no CMakeLists.txt names it, so nobody runs it" for name in names
            if re.match(r"(python/)?tests/.*_test\.(cpp|py)$", name) and not named(name)]


def machine_paths(root, names):
    return _grep(root, names, MACHINE_PATH, "names a path of one machine")


def unfinished(root, names):
    return _grep(root, names, UNFINISHED, "needs an issue number, or to be done")


def _grep(root, names, pattern, what):
    findings = []
    for name in names:
        for number, line in enumerate((read_text(root, name) or "").splitlines(), 1):
            found = pattern.search(line)
            if found:
                findings.append(f'{name}:{number}: "{found.group().strip()}" {what}')
    return findings


def links(root, names):
    """Every relative link of a Markdown page leads to a file or folder of the tree."""
    known = set(names)
    folders = {os.path.dirname(n) for n in names}
    for folder in list(folders):
        while folder:
            folder = os.path.dirname(folder)
            folders.add(folder)
    findings = []
    for name in names:
        if not name.endswith(".md"):
            continue
        fenced = False
        for number, line in enumerate((read_text(root, name) or "").splitlines(), 1):
            if FENCE.match(line):
                fenced = not fenced
            if fenced:
                continue
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z][a-z0-9+.-]*:", target) or target.startswith("#"):
                    continue
                path = target.split("#")[0]
                full = os.path.normpath(os.path.join(os.path.dirname(name), path))
                if full not in known and ("" if full == "." else full) not in folders:
                    findings.append(f'{name}:{number}: "{target}" leads nowhere')
    return findings
