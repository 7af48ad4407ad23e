#!/usr/bin/env bash
# The hook of pre-commit: `stallcast lint` of the files it is given, by the stallcast on the PATH, else by the release
# that this checkout is of, unpacked once into the user's cache.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

if ! command -v stallcast >/dev/null; then
  version=${STALLCAST_VERSION:-$(git -C "$here" describe --tags --exact-match 2>/dev/null || true)}
  origin=$(git -C "$here" remote get-url origin 2>/dev/null || true)
  prefix=${XDG_CACHE_HOME:-$HOME/.cache}/stallcast/release-${version:-none}
  if [ ! -x "$prefix/usr/bin/stallcast" ]; then
    STALLCAST_VERSION=$version STALLCAST_PREFIX=$prefix STALLCAST_SOURCE='' \
      STALLCAST_RELEASES=${STALLCAST_RELEASES:-${origin%.git}/releases/download} "$here/install.sh"
  fi
  PATH=$PATH:$prefix/usr/bin
fi
exec stallcast lint --quiet "$@"
