"""The files the lints look at: what git tracks, or, in an unpacked archive, everything but builds."""

import os
import subprocess


def tracked_files(root):
    """Paths below `root`, with forward slashes, sorted. Only files that exist."""
    try:
        out = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"],
            check=True, capture_output=True).stdout.decode()
        names = [n for n in out.split("\0") if n]
    except (OSError, subprocess.CalledProcessError):
        names = []
    if not names:
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if f not in ("build", ".git", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(n for n in names if os.path.isfile(os.path.join(root, n)))


def read_text(root, name):
    """The text of a tracked file, or None when it is not text."""
    with open(os.path.join(root, name), "rb") as file:
        data = file.read()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def is_cpp(name):
    return name.endswith((".cpp", ".hpp"))
