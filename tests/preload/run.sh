#!/bin/sh
# run.sh PRELOAD PROGRAM ARGUMENT… -- LAUNCHER…: runs the program with the library ("": it is linked with it) and what COLLSCOPE_…
# in the environment says, then looks into the report. Fails where the program does, where a collective that was chosen never ran by its
# algorithm, where one of $RAN did not run, or one of $NOT_RUN did. With $PASSED_ON, instead, where none of these was passed on.
set -eu
preload=$1
shift
program=
while [ "$1" != -- ]; do
  program="$program $1"
  shift
done
shift
report=$(mktemp)
trap 'rm -f "$report"' EXIT
# shellcheck disable=SC2086
if [ -n "$preload" ]; then
  "$@" env LD_PRELOAD="$preload" COLLSCOPE_REPORT="$report" $program
else
  COLLSCOPE_REPORT="$report" "$@" $program
fi
for key in ${PASSED_ON-}; do
  grep -q "\"passed_on\":\"$key" "$report" || { echo "run.sh: $key was not passed on" >&2; exit 1; }
done
[ -z "${PASSED_ON-}" ] || exit 0
for choice in $(env | sed -n 's/^COLLSCOPE_\([A-Z_]*\)=.*/\1/p'); do
  collective=$(echo "$choice" | tr '[:upper:]' '[:lower:]')
  case "$collective" in
    strict | profile | report | rules | progress | owner | cache | platform) ;;   # of the library; of the command that runs tests
    *)
      grep -q "\"collective\":\"${PREFIX-}${collective}v\\?${SUFFIX-}\",.*\"algorithm\":\"$collective/" "$report" ||
        { echo "run.sh: no $collective ran by an algorithm" >&2; exit 1; } ;;
  esac
done
for key in ${RAN-}; do
  grep -q "\"algorithm\":\"$key" "$report" || { echo "run.sh: $key did not run" >&2; exit 1; }
done
for key in ${NOT_RUN-}; do
  ! grep -q "\"algorithm\":\"$key" "$report" || { echo "run.sh: $key ran" >&2; exit 1; }
done
