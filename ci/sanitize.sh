#!/usr/bin/env bash
# Runs every test, those of processes and of the desktop included, with the address and undefined behaviour
# sanitizers: before a release. docs/reliability.md has what was run.
#
#   ci/sanitize.sh [CTEST ARGUMENTS]     for example -L unit
#
# The build is that of the fuzzers (preset fuzz: clang 14), whose objects it shares. Left out are:
#   lint           reads sources, runs nothing of ours
#   compile_fail   runs the compiler alone
#   slurm, slow    are not part of the suite that every change passes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=${JOBS:-$(nproc)}
cmake --preset fuzz
cmake --build build/fuzz -j "$jobs"

# Programs that end with _exit, and libraries of others that keep what they allocate until the end (Qt, fontconfig, the
# OpenGL drivers), leave nothing for a leak check to judge; one that grows is found by tests of its memory. A program
# under the sanitizer that starts a child with another allocator, as python3 does, must not be told to preload it.
export ASAN_OPTIONS="detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=0:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
# Sanitized programs take several times as long: each test gets ten times its time, and so does each program that a test
# waits for. Limits of address space (ulimit -v) are not for them.
export STALLCAST_TEST_PATIENCE=10
find build/fuzz -name CTestTestfile.cmake -exec sed -i -E 's/TIMEOUT "([0-9]+)"/TIMEOUT "\10"/' {} +
ctest --test-dir build/fuzz --output-on-failure -j "$jobs" --timeout 3000 -LE 'lint|slurm|slow' -E compile_fail "$@"
