#!/bin/sh
# The driver must say when its output is lost, and fail. Usage: full_disk.sh DRIVER LAUNCHER… (one rank)
driver=$1
shift
[ -w /dev/full ] || exit 77
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
printf '%s\n' 'id=1 algorithm=bcast/mst ranks=1 count=1' 'id=2 algorithm=bcast/mst ranks=1 count=2' > "$dir/plan"

# fails NAME COMMAND…: status 1, and a reason.
fails() {
  name=$1
  shift
  "$@" > /dev/full 2> "$dir/said"
  got=$?
  [ $got -eq 1 ] && grep -q 'No space left\|could not be written' "$dir/said" && return
  echo "FAILED: $name: status $got; it said:"
  cat "$dir/said"
  failed=1
}
fails "--out" "$@" "$driver" --plan "$dir/plan" --out /dev/full
# Where there is room, a file has what standard output has, and a folder that is not there is said.
"$@" "$driver" --plan "$dir/plan" --out "$dir/made" > "$dir/shown" 2> "$dir/said"
got=$?
[ $got -eq 0 ] && grep -q '"id":"1"' "$dir/made" && grep -q '"id":"2"' "$dir/made" && [ ! -s "$dir/shown" ] && [ ! -s "$dir/said" ] ||
  { echo "FAILED: --out FILE: status $got; it said:"; cat "$dir/said"; failed=1; }
"$@" "$driver" --plan "$dir/plan" --out "$dir/nowhere/made" > /dev/null 2> "$dir/said"
[ $? -ne 0 ] && grep -q 'nowhere/made: No such file' "$dir/said" || { echo "FAILED: --out in no folder"; cat "$dir/said"; failed=1; }
# mpirun stands between a rank and its standard output, so there the driver is asked alone; smpirun does not.
case $1 in *smpirun) ;; *) set -- ;; esac
fails "--list" "$@" "$driver" --list --json
fails "--plan" "$@" "$driver" --plan "$dir/plan"
[ $failed -eq 0 ] && echo "output that is lost is noticed"
exit $failed
