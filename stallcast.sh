#!/usr/bin/env bash
# One door for a fresh clone: installs what a command needs, builds, runs. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

interactive=no
[ -t 0 ] && interactive=yes
exec </dev/null # nothing below may wait for an answer

# What a command needs from Debian 12. The reasons are in docs/adr/0007-dependencies.md.
build_packages=(g++ cmake ninja-build ccache pkg-config nlohmann-json3-dev libcli11-dev libboost-dev
  libeigen3-dev libyaml-cpp-dev libssl-dev libsimgrid-dev liburing-dev libsqlite3-dev zlib1g-dev
  libcpp-httplib-dev)
test_packages=(catch2 curl libxml2-utils python3 python3-jsonschema python3-yaml clang-format-14 clang-tidy-14 binutils git
  chromium)
# The explorer and its tests; everything else builds without (docs/adr/0021-desktop-explorer.md).
desktop_packages=(qt6-base-dev qt6-charts-dev qt6-svg-dev libqt6opengl6-dev libgl-dev libopengl-dev
  fonts-dejavu-core xvfb xauth)

usage() {
  cat <<'USAGE'
usage: ./stallcast.sh COMMAND

  demo    build, size a file system, predict an MLPerf Storage run and say what
          limits it, and compare predictions with published measurements
  test    build everything and run all tests and lints; with --slurm, also a sweep through Slurm
          on this machine (root, and installs slurm-wlm and munge)
  build   build build/release/bin/stallcast and its simulator, stallcast-sim
  package build Debian packages of the command line, the explorer, the library for C++ and the Python
          package into build/package, with a list of what is linked (SPDX) and the SHA256SUMS that CI
          jobs hold a release to; the same commit gives the same bytes
  bench   build, measure speed, memory and exactness, and compare with what was aimed at
          (docs/performance.md); arguments go to bench/bench.py, try --help
  help    show this text

Missing packages are installed with apt-get on Debian 12, as root or through sudo; nothing is
downloaded from anywhere else.
USAGE
}

say() { printf '==> %s\n' "$*"; }
die() {
  printf 'stallcast.sh: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
  exit 2
}

# ensure_packages NAME...: installs the packages that are not there yet; touches nothing, not even
# the network, when all are.
ensure_packages() {
  local os=unknown version=unknown
  if [ -r /etc/os-release ]; then
    os=$(. /etc/os-release && printf '%s' "${ID:-unknown}")
    version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-unknown}")
  fi
  if [ "$os" != debian ] || ! command -v dpkg-query >/dev/null; then
    die "this is $os $version, and only Debian 12 is installed on automatically" \
      "install these manually: $*" \
      "then: cmake --preset release && cmake --build --preset release"
  fi
  [ "$version" = 12 ] || say "this is Debian $version; only Debian 12 is tested"

  local name missing=()
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true)" = installed ] ||
      missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "packages are missing, and installing them needs root or sudo" \
        "as root: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo -n)
    [ "$interactive" = no ] || as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  "${apt[@]}" update || die "apt-get update failed" "is there a network, and may this user use sudo?"
  "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
    die "apt-get install failed for: ${missing[*]}"
}

# configure_and_build TESTS [TARGET...]: the release preset with or without the tests; all, or these targets.
configure_and_build() {
  say "building build/release (the first build takes a few minutes)"
  local log
  log=$(cmake --preset release -DSTALLCAST_TESTS="$1" 2>&1) || {
    printf '%s\n' "$log" >&2
    die "cmake could not configure the build"
  }
  shift
  cmake --build --preset release ${1:+--target "$@"}
}

build() {
  ensure_packages "${build_packages[@]}"
  configure_and_build OFF
  say "built build/release/bin/stallcast and build/release/bin/stallcast-sim"
}

demo() {
  ensure_packages "${build_packages[@]}"
  configure_and_build OFF stallcast stallcast-sim # the explorer can wait
  local tour
  for tour in "plan examples/exercise-512-h100-async.json" \
    "run examples/unet3d-h100-ddn.json" \
    "validate calibration/cases/mlperf-storage-v1-lustre.json --quiet"; do
    say "stallcast $tour"
    # shellcheck disable=SC2086 # the words of a tour are arguments
    build/release/bin/stallcast $tour
  done
}

# Ends with "N passed, N failed", counted from CTest's own report of this run.
run_tests() {
  case "${1:-}" in
    '') ensure_packages "${build_packages[@]}" "${test_packages[@]}" "${desktop_packages[@]}" ;;
    --slurm)
      ensure_packages "${build_packages[@]}" "${test_packages[@]}" "${desktop_packages[@]}" slurm-wlm munge
      ;;
    *) die "test takes --slurm or nothing, not \"$1\"" ;;
  esac
  configure_and_build ON
  local report=build/release/ctest.xml status=0
  rm -f "$report"
  say "running the tests"
  # Some wait more than they compute: four at a time on two cores.
  ctest --preset release -j4 --no-tests=error --output-junit "$PWD/$report" || status=$?
  [ -s "$report" ] || die "ctest wrote no report (exit status $status)"

  # A test that never ran because its program is missing is a failure; one that said itself that it
  # cannot run here (skipped) or was switched off is neither.
  local passed not_counted total failed
  passed=$(grep -c '<testcase .*status="run"' "$report" || true)
  not_counted=$(grep -c -e '<skipped message="SKIP_' -e '<testcase .*status="disabled"' "$report" || true)
  total=$(grep -c '<testcase ' "$report" || true)
  failed=$((total - passed - not_counted))
  [ "$not_counted" -eq 0 ] || say "$not_counted skipped"
  [ "$passed" -gt 0 ] && [ "$failed" -eq 0 ] || status=1
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$status" -eq 0 ] || exit 1
}

# The date of the commit is the date of everything in the packages.
package() {
  ensure_packages "${build_packages[@]}" qt6-base-dev qt6-charts-dev qt6-svg-dev libqt6opengl6-dev libgl-dev \
    libopengl-dev dpkg-dev file fakeroot python3
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
  export SOURCE_DATE_EPOCH
  export CCACHE_BASEDIR= # with one, ccache compiles by relative paths, which are in the programs (file names of messages)
  umask 022
  say "building build/package"
  cmake --preset package >/dev/null || die "cmake could not configure the build"
  cmake --build --preset package
  say "packing"
  rm -f build/package/*.deb
  (cd build/package && fakeroot cpack -G DEB >/dev/null) || die "cpack failed: see build/package/_CPack_Packages"
  python3 packaging/spdx.py build/package >build/package/stallcast.spdx.json
  say "packages:"
  (cd build/package && sha256sum -- *.deb stallcast.spdx.json | tee SHA256SUMS)
}

bench() {
  ensure_packages "${build_packages[@]}" python3
  configure_and_build OFF
  cmake --build --preset release --target bench
  python3 -B bench/bench.py "$@"
}

case "${1:-help}" in
  demo) demo ;;
  test) shift && run_tests "$@" ;;
  build) build ;;
  package) package ;;
  bench) shift && bench "$@" ;;
  help | -h | --help) usage ;;
  *)
    printf 'stallcast.sh: there is no command "%s"\n\n' "$1" >&2
    usage >&2
    exit 2
    ;;
esac
