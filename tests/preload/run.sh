#!/bin/sh
# run.sh PRELOAD PROGRAM ARGUMENT… -- LAUNCHER…: runs the program with the library ("": it is linked with it) and what COLLSCOPE_…
# in the environment says, then looks into the report. Fails where the program does, where a collective that was chosen never ran by its
# algorithm, where one of $RAN did not run, or one of $NOT_RUN did. With $PASSED_ON, instead, where none of these was passed on.
# 77: leaks are looked for where nobody may look at processes.
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
said=$(mktemp)
trap 'rm -f "$report" "$said"' EXIT
got=0
# shellcheck disable=SC2086
if [ -n "$preload" ]; then
  "$@" env LD_PRELOAD="$preload" COLLSCOPE_REPORT="$report" $program > "$said" 2>&1 || got=$?
else
  COLLSCOPE_REPORT="$report" "$@" $program > "$said" 2>&1 || got=$?
fi
! grep -q 'LeakSanitizer has encountered a fatal error' "$said" || exit 77
cat "$said"
[ $got -eq 0 ] || exit $got
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
