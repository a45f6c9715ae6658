#!/bin/sh
# Where there is no room for buffers, the simulation must say so, and go no further. Usage: no_room.sh DRIVER LAUNCHER… (one rank)
driver=$1
shift
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# says NAME TEXT COUNT OPTION…: the reason, no result and no second reason.
says() {
  name=$1 text=$2
  echo "id=1 algorithm=bcast/mst ranks=1 count=$3" > "$dir/plan"
  shift 3
  "$@" > "$dir/out" 2> "$dir/said"
  if grep -q "^collscope: $text" "$dir/said" && grep -q 'MPI_Abort was called' "$dir/said" && ! grep -q '"id"' "$dir/out" &&
    [ "$(grep -c '^collscope' "$dir/said")" -eq 1 ]; then return; fi
  echo "FAILED: $name: it said:"
  cat "$dir/out" "$dir/said"
  failed=1
}
# 32 TiB of addresses are reserved; nothing else here needs as many.
limited() { (ulimit -v 30000000; "$@"); }
says "addresses" "shared buffers: Cannot allocate memory" 1 limited "$@" "$driver" --plan "$dir/plan" --shared-buffers
says "shared buffers" "no room for a buffer of [0-9]* bytes: all ranks of a simulation share 32 TiB of addresses" 10000000000000 \
  "$@" "$driver" --plan "$dir/plan" --shared-buffers
[ $failed -eq 0 ] && echo "what has no room is refused"
exit $failed
