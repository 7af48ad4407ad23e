#!/usr/bin/env bash
# Lines and branches that tests reach, by folder: builds with gcc --coverage, runs tests, prints a table in Markdown.
#
#   ci/coverage.sh [TEST...]     tests by pattern, as ctest -R takes them (default: unit, bounds, contract and golden tests,
#                                and the process tests of QUICK below)
#
#   COVERAGE_STEPS="build run table"   steps to be done (default: all)
#   COVERAGE_JOBS=N                    processes at a time (default: one a core)
#
# Left out of the count: branches that only an exception takes, those of assertions, and those the compiler knows nobody
# can take; the desktop, whose tests are those of ctest -L desktop. Needs gcovr (Debian: apt-get install gcovr).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/coverage
jobs=${COVERAGE_JOBS:-$(nproc)}
steps=${COVERAGE_STEPS:-build run table}
QUICK='^(cli|plan|explain|diff|check|compare|sweep|trace|draws|calibration|resolve|lint_verb|whole_run|exit_code|serve)_process_test$'

if [[ $steps == *build* ]]; then
  cmake --preset coverage >/dev/null
  cmake --build $folder -j "$jobs"
fi

if [[ $steps == *run* ]]; then
  find $folder -name '*.gcda' -delete
  # A failing test reaches less, but is no reason to see nothing.
  if [ $# -gt 0 ]; then
    for pattern in "$@"; do ctest --test-dir $folder -j "$jobs" -R "$pattern" --output-on-failure || true; done
  else
    ctest --test-dir $folder -j "$jobs" -L 'unit|bounds|contract|golden' --output-on-failure || true
    ctest --test-dir $folder -j "$jobs" -R "$QUICK" --output-on-failure || true
  fi
fi

if [[ $steps == *table* ]]; then
  gcovr --root . --object-directory $folder -j "$jobs" --exclude-throw-branches --exclude-unreachable-branches \
    --exclude-branches-by-pattern '^\s*assert\(.*' --gcov-ignore-parse-errors --filter '(engine|models|scenarios|calibration|ui|include)/' --exclude '.*/build/.*' \
    --json-summary $folder/summary.json --json $folder/coverage.json $folder >$folder/gcovr.log
  python3 - $folder/summary.json <<'PYTHON'
import collections, json, sys
of = collections.defaultdict(lambda: [0, 0, 0, 0])
for file in json.load(open(sys.argv[1], encoding="utf-8"))["files"]:
    parts = file["filename"].split("/")[:-1]
    for folder in {parts[0], "/".join(parts[:2])}:
        for i, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
            of[folder][i] += file[key]
print("| folder | lines | reached | branches | reached |\n|---|---|---|---|---|")
for folder, (lines, all_lines, branches, all_branches) in sorted(of.items()):
    print(f"| {folder} | {all_lines} | {100 * lines / max(1, all_lines):.1f} % | {all_branches} | "
          f"{100 * branches / max(1, all_branches):.1f} % |")
PYTHON
fi
