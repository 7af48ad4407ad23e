"""lint.py CHECK [--root DIR] [--programs DIR] [--clang-format PROGRAM]: prints what it finds.

Exits 0 when there is nothing, 1 with findings, 2 for an unknown check.
"""

import argparse
import os
import sys

import include_lint
import program_lint
import text_lint
import unity_lint
import vocabulary_lint
from tracked import tracked_files

CHECKS = {
    "includes": lambda a, names: include_lint.check(a.root, names),
    "length": lambda a, names: text_lint.file_length(a.root, names),
    "tests": lambda a, names: text_lint.run_tests(a.root, names),
    "machine_paths": lambda a, names: text_lint.machine_paths(a.root, names),
    "unfinished": lambda a, names: text_lint.unfinished(a.root, names),
    "unity": lambda a, names: unity_lint.check(a.root, names),
    "vocabulary": lambda a, names: vocabulary_lint.check(a.root, names),
    "links": lambda a, names: text_lint.links(a.root, names),
    "format": lambda a, names: program_lint.formatting(a.root, names, a.clang_format),
    "simgrid": lambda a, names: program_lint.simgrid_programs(a.programs),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--root", default=os.getcwd())
    parser.add_argument("--programs", default="build/release/bin")
    parser.add_argument("--clang-format", default="clang-format-14")
    args = parser.parse_args()
    names = tracked_files(args.root)
    if not names:
        print(f"{args.root}: no files to check")
        return 1
    findings = CHECKS[args.check](args, names)
    for finding in findings:
        print(finding)
    print(f"{args.check}: {len(names)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
