#!/usr/bin/env bash
# Installs the packages of build/package in a fresh Debian 12, uses them as a user would, removes them, and looks
# what is left. Needs root, mmdebstrap and Debian's packages; takes some minutes. Prints a line a step.
#
#   packaging/fresh_root_test.sh [FOLDER OF PACKAGES]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packages=$(realpath "${1:-build/package}")
work=$(mktemp -d)
root=$work/root
trap '! mountpoint -q "$root/proc" || umount "$root/proc"; rm -rf "$work"' EXIT
say() { printf '==> %s\n' "$*"; }
die() { printf 'fresh_root_test.sh: %s\n' "$1" >&2; exit 1; }
within() { chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
files() { within find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /run \) -prune -o -print | sort; }

# Debian as this machine gets it: its sources, proxies and keys.
sources=(/etc/apt/sources.list /etc/apt/sources.list.d/*)
apt=()
for conf in /etc/apt/apt.conf.d/*; do
  grep -qi 'acquire' "$conf" && apt+=("--aptopt=$conf")
done
say "a fresh Debian 12"
for file in "${sources[@]}"; do [ ! -s "$file" ] || present+=("$file"); done
mmdebstrap --quiet --variant=apt --include=ca-certificates "${apt[@]}" bookworm "$root" "${present[@]}"

mount -t proc proc "$root/proc"

say "install"
mkdir "$root/packages"
cp "$packages"/*.deb "$packages/SHA256SUMS" "$root/packages"
version=$(basename "$packages"/stallcast_*.deb | cut -d_ -f2)
ln -s . "$root/packages/v$version" # a folder of releases
cp ci/install.sh "$root/packages"
# Manual pages are left out of small images; here they are what is looked for.
rm -f "$root"/etc/dpkg/dpkg.cfg.d/*
within apt-get -q -y update >"$work/log" 2>&1 || { tail "$work/log" >&2; die "apt-get update failed"; }
within apt-get -q -y install --no-install-recommends man-db g++ cmake make python3 curl >"$work/log" 2>&1 ||
  { tail "$work/log" >&2; die "the tools of this test cannot be installed"; }
files >"$work/before"
within dpkg-query -W -f '${Package}\n' | sort >"$work/packages-before"
within env STALLCAST_VERSION="$version" STALLCAST_RELEASES=file:///packages bash /packages/install.sh >"$work/log" 2>&1 ||
  { tail "$work/log" >&2; die "a CI job cannot install the release"; }
within bash -c 'apt-get -q -y install --no-install-recommends /packages/*.deb' >"$work/log" 2>&1 ||
  { tail "$work/log" >&2; die "the packages cannot be installed"; }

say "use"
within stallcast --version
within bash -c 'cd /tmp && stallcast init llm-async-ckpt >mine.json && stallcast run mine.json --quiet --draws 8' |
  tee "$work/run" | head -3
grep -q 'GPU utilization' "$work/run" || die "stallcast run predicts nothing"
within bash -c 'cd /tmp && stallcast plan /usr/share/doc/stallcast/examples/exercise-512-h100-async.json --quiet' |
  head -1 | grep -q '51 OSTs' || die "stallcast plan answers otherwise"
within stallcast-explorer --help >"$work/help" 2>&1 || die "stallcast-explorer does not start"
within env QT_QPA_PLATFORM=offscreen bash -c \
  'echo "[]" >/tmp/steps.json && stallcast-explorer --script /tmp/steps.json --screenshots /tmp /tmp/mine.json' ||
  die "stallcast-explorer opens no window"
within man stallcast | grep -q 'EXIT STATUS' || die "there is no manual page"
within man stallcast-run | grep -q -- '--draws' || die "there is no manual page of a verb"
within bash -c 'source /usr/share/bash-completion/completions/stallcast
  COMP_WORDS=(stallcast pl) COMP_CWORD=1; _stallcast; test "${COMPREPLY[*]}" = plan' || die "bash completes nothing"
# Debian leaves an HTTP request to its tools: bash has one.
within bash -c 'stallcast serve --port 18080 2>/dev/null & server=$!
  for i in $(seq 50); do { exec 3<>/dev/tcp/127.0.0.1/18080; } 2>/dev/null && break; sleep 0.1; done
  printf "GET /healthz HTTP/1.0\r\n\r\n" >&3; head -1 <&3; kill $server' | grep -q 200 || die "the server does not answer"
within bash -c 'cd /tmp && python3 -c "
import importlib.metadata, stallcast
assert importlib.metadata.version(\"stallcast\") == stallcast.__version__
s = stallcast.load(\"mine.json\")
print(\"python:\", s.run(draws=0).utilization)"' || die "the Python package does not work"
within test -d /usr/lib/python3/dist-packages/stallcast/__pycache__ || die "the Python package was not compiled"
within stallcast schema | cmp - "$root"/usr/share/stallcast/schema/*/scenario.json || die "the schema is another one"
within stallcast --version -v | grep -q 'sandbox of simulations: seccomp' || die "simulations have no sandbox"

say "a program of twenty lines against the library"
mkdir "$root/tmp/program"
cp packaging/example/CMakeLists.txt packaging/example/main.cpp "$root/tmp/program"
within bash -c 'cd /tmp/program && cmake -S . -B build >/dev/null && cmake --build build >/dev/null &&
  build/ask /tmp/mine.json' || die "the program cannot be built or run"

# What runs keep in the home of their user is the user's.
say "remove"
within bash -c 'rm -rf /tmp/* ~/.cache ~/.qttest; apt-get -q -y purge --auto-remove \
  $(comm -13 /dev/stdin <(dpkg-query -W -f "\${Package}\n" | sort))' <"$work/packages-before" >"$work/log" 2>&1 ||
  { tail "$work/log" >&2; die "the packages cannot be removed"; }
files >"$work/after"
# What Debian's own tools keep of any installation.
left=$(comm -13 "$work/before" "$work/after" | grep -v -e ^/var/lib/dpkg -e ^/var/cache -e ^/var/log -e ^/var/lib/apt |
  grep -i stallcast || true)
[ -z "$left" ] || die "left behind: $left"
say "passed: nothing is left"
