#!/usr/bin/env bash
# Gets stallcast for a CI job: the Debian package of a release, held to the checksums of that release. Where there is
# no such release, or none for this machine, it is built.
#
#   STALLCAST_VERSION    the release, "1.0.0" or "v1.0.0"; empty: what is installed, else a build
#   STALLCAST_RELEASES   URL below which each release has a folder, "v1.0.0", with packages and SHA256SUMS
#   STALLCAST_PREFIX     a folder to unpack into, which needs no root, in place of an installation; may be empty
#   STALLCAST_SOURCE     a checkout to build from; empty: do not build
#
# Ends with 0 once `stallcast` can be called; adds its folder to $GITHUB_PATH where there is one.
set -euo pipefail

say() { printf 'stallcast: %s\n' "$*" >&2; }
die() { say "$@"; exit 2; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }
apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 "$@" >&2; }
on_path() { [ -z "${GITHUB_PATH:-}" ] || printf '%s\n' "$1" >>"$GITHUB_PATH"; }
fetch() { curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"; }

version=${STALLCAST_VERSION:-}
version=${version#v}
number='^[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?$'
[ -z "$version" ] || [[ $version =~ $number ]] || die "\"$version\" is not a version such as 1.0.0"

has_it() {
  command -v stallcast >/dev/null &&
    { [ -z "$version" ] || [ "$(stallcast --version | sed -n 's/^stallcast \([^ ,]*\).*/\1/p')" = "$version" ]; }
}

# Says why where there is no such release, which is no fault; a package that is not what its release says is one.
install_release() {
  if [ -z "$version" ] || [ -z "${STALLCAST_RELEASES:-}" ]; then say "no release is named"; return 1; fi
  command -v dpkg >/dev/null || { say "packages are for Debian"; return 1; }
  command -v curl >/dev/null || { apt update && apt install --no-install-recommends ca-certificates curl; } ||
    die "curl cannot be installed"
  local from package expected
  from=${STALLCAST_RELEASES%/}/v$version
  package=stallcast_${version}_$(dpkg --print-architecture).deb
  fetch "$from/SHA256SUMS" "$work/SHA256SUMS" || { say "no release at $from"; return 1; }
  expected=$(awk -v name="$package" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] || { say "release $version has no $package"; return 1; }
  fetch "$from/$package" "$work/$package" || die "$from/$package cannot be fetched"
  printf '%s  %s\n' "$expected" "$work/$package" | sha256sum --check --status - ||
    die "$package is not what the SHA256SUMS of release $version say"
  if [ -n "${STALLCAST_PREFIX:-}" ]; then
    mkdir -p "$STALLCAST_PREFIX"
    dpkg-deb --extract "$work/$package" "$STALLCAST_PREFIX" || die "$package cannot be unpacked"
    on_path "$STALLCAST_PREFIX/usr/bin"
  else
    chmod 755 "$work" # apt reads as a user of its own
    { apt update && apt install --no-install-recommends "$work/$package"; } || die "$package cannot be installed"
  fi
  say "release $version, from $from"
}

if has_it; then exit 0; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if install_release; then exit 0; fi
[ -n "${STALLCAST_SOURCE:-}" ] || die "there is nothing to install, and nothing to build from"
say "building $STALLCAST_SOURCE"
"$STALLCAST_SOURCE/stallcast.sh" build >&2
on_path "$STALLCAST_SOURCE/build/release/bin"
