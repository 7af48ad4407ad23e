#!/bin/sh
# check.sh COMPILER INCLUDE SNIPPETS: the first statement of each line must compile, the second
# must not.
compiler=$1 include=$2 snippets=$3

compiles() {
  "$compiler" -std=c++20 -fsyntax-only -w -I "$include" -x c++ - 2>/dev/null <<EOF
#include "stallcast/units.hpp"
using namespace stallcast;
using namespace stallcast::literals;
void takes_rate(Rate);
void snippet() { $1; }
EOF
}

faults=0 rows=0
while IFS= read -r line; do
  case $line in '' | '#'*) continue ;; esac
  good=${line%%;;*} bad=${line##*;;}
  rows=$((rows + 1))
  compiles "$good" || { echo "must compile: $good"; faults=$((faults + 1)); }
  if compiles "$bad"; then echo "must not compile: $bad"; faults=$((faults + 1)); fi
done < "$snippets"
echo "$rows pairs, $faults faults"
[ "$faults" -eq 0 ] && [ "$rows" -gt 0 ]
