#!/bin/sh
# Makes the pages of MLPerf Storage again: docs/validation/mlperf.md, mlperf-facts.md and mlperf-v3.md. Takes half an hour.
# Usage: bench/mlperf_pages.sh [PATH_OF_STALLCAST], in the root of the checkout.
set -eu
stallcast=${1:-build/release/bin/stallcast}
page() {
  target=$1
  shift
  printf '<!-- stallcast %s -->\n' "$*" > "$target.new"
  "$stallcast" "$@" --quiet >> "$target.new"
  mv "$target.new" "$target"
}
page docs/validation/mlperf-v3.md validate --from mlperf-v3-rows calibration/cases/mlperf-storage-v3.csv --draws 32 --picture docs/validation/images/mlperf-v3.svg --format markdown
page docs/validation/mlperf.md validate --from mlperf-csv calibration/cases/mlperf-storage-v1.csv --draws 16 --picture docs/validation/images/mlperf-v1.svg --format markdown
page docs/validation/mlperf-facts.md validate --from mlperf-csv calibration/cases/mlperf-storage-v1.csv --sheets-only --draws 16 --picture docs/validation/images/mlperf-facts.svg --format markdown
