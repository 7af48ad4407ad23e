"""A committed page is what the command on its first line prints.

Usage: page_test.py PATH_OF_STALLCAST PAGE [--update], in the root of the checkout. The first line of PAGE is
<!-- stallcast ARGUMENTS -->, and a picture that they name (--picture FILE) is what it draws; from the line <!-- by hand --> on, the page is written by people and not compared.
"""

import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BY_HAND = "<!-- by hand -->\n"


def main():
    stallcast, page = sys.argv[1], pathlib.Path(sys.argv[2])
    first, rest = page.read_text(encoding="utf-8").split("\n", 1)
    command = re.fullmatch(r"<!-- stallcast (.+) -->", first)
    if command is None:
        sys.exit(f"{page}:1: does not name the command that made it")
    with tempfile.TemporaryDirectory() as folder:
        compare(stallcast, page, first, rest, shlex.split(command[1]), pathlib.Path(folder) / "new.svg")


def compare(stallcast, page, first, rest, arguments, drawn):
    picture = None
    if "--picture" in arguments:
        at = arguments.index("--picture") + 1
        picture, arguments[at] = pathlib.Path(arguments[at]), str(drawn)
    generated, marker, by_hand = rest.partition(BY_HAND)
    done = subprocess.run([stallcast, *arguments, "--quiet"], capture_output=True,
                          text=True, timeout=280 * float(os.environ.get("STALLCAST_TEST_PATIENCE", "1")), check=False)
    if done.returncode != 0:
        sys.exit(f"{first}: exit {done.returncode}\n{done.stderr}")
    if picture and "--update" in sys.argv[3:]:
        picture.write_bytes(drawn.read_bytes())
    if picture and picture.read_bytes() != drawn.read_bytes():
        sys.exit(f"{picture} is not what the command of {page} draws; to accept: {shlex.join(sys.argv)} --update")
    fresh = done.stdout + "\n" if marker else done.stdout
    if fresh == generated:
        return
    if "--update" in sys.argv[3:]:
        page.write_text(first + "\n" + fresh + marker + by_hand, encoding="utf-8")
        return
    sys.stdout.writelines(difflib.unified_diff(generated.splitlines(True), fresh.splitlines(True),
                                               str(page), "printed now"))
    sys.exit(f"{page} is not what its command prints; to accept: {shlex.join(sys.argv)} --update")


main()
