#!/usr/bin/env bash
# Runs `stallcast check` in a CI job: what action.yml and the templates of `stallcast ci init` call.
#
#   STALLCAST_SCENARIOS   patterns of scenario files, separated by blanks ("designs/**/*.json")
#   STALLCAST_BASELINE    a file, or git:REV; may be empty
#   STALLCAST_POLICY      a policy file; may be empty
#   STALLCAST_ARGS        more arguments, separated by blanks; may be empty
#   STALLCAST_REPORTS     folder for the reports (default: stallcast-reports)
#
# Ends with the exit code of the check, after all reports were written.
set -euo pipefail
shopt -s globstar nullglob

reports=${STALLCAST_REPORTS:-stallcast-reports}
# shellcheck disable=SC2206 # patterns are meant to be split and expanded
scenarios=(${STALLCAST_SCENARIOS:?no scenarios are named})
read -r -a more <<<"${STALLCAST_ARGS:-}"
if [ ${#scenarios[@]} -eq 0 ]; then
  echo "stallcast: no file matches $STALLCAST_SCENARIOS" >&2
  exit 2
fi
mkdir -p "$reports"

args=(--report text --report "junit:$reports/junit.xml" --report "sarif:$reports/stallcast.sarif"
  --report "markdown:$reports/comment.md" --report "gitlab:$reports/code-quality.json"
  --report "json:$reports/check.json" --report "html:$reports/check.html")
[ -z "${GITHUB_ACTIONS:-}" ] || args+=(--report github)
[ -z "${STALLCAST_BASELINE:-}" ] || args+=(--baseline "$STALLCAST_BASELINE")
[ -z "${STALLCAST_POLICY:-}" ] || args+=(--policy "$STALLCAST_POLICY")

code=0
"${STALLCAST:-stallcast}" check "${args[@]}" "${more[@]}" "${scenarios[@]}" || code=$?
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  { echo "exit-code=$code"; echo "reports=$reports"; } >>"$GITHUB_OUTPUT"
fi
exit "$code"
