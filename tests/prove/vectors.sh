#!/bin/sh
# Vectors beyond 2^31 elements and 2^32 bytes: every algorithm, on few ranks, with counts that no int holds. The messages'
# bytes must add up to more than 32 bits, too. Usage: vectors.sh COLLSCOPE-PROVE "RANKS…" "IN-PLACE…"
prove=$1
ranks=$2
in_places=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# 2^31+5 floats are 8 GiB and 20 bytes; 2^33 bytes, and 3 more, are beyond 2^32 elements.
"$prove" --list --json > "$dir/list" || exit 1
keys=$(grep -o '"key":"[a-z_]*/[a-z_0-9]*"' "$dir/list" | cut -d'"' -f4 | grep -v -e '^barrier/' -e '^decision/')
for key in $keys; do
  for p in $ranks; do
    for in_place in $in_places; do
      echo "algorithm=$key ranks=$p count=2147483653 type=float root=$((p - 1)) in_place=$in_place"
      case $key in
        reduce*/* | allreduce/* | scan/* | exscan/*) echo "algorithm=$key ranks=$p count=2147483653 type=affine root=0 in_place=$in_place" ;;
        *) echo "algorithm=$key ranks=$p count=8589934595 type=byte root=0 in_place=$in_place" ;;
      esac
    done
  done
done > "$dir/plan"
"$prove" --plan "$dir/plan" > "$dir/said" || { echo "FAILED:"; grep '"verdict":"failed"' "$dir/said" | head -5; failed=1; }
[ "$(wc -l < "$dir/said")" -eq "$(wc -l < "$dir/plan")" ] || { echo "FAILED: not every point was answered"; failed=1; }
for key in $keys; do
  grep -F "\"algorithm\":\"$key" "$dir/said" | grep -q '"verdict":"proven"' || { echo "FAILED: $key: no point was proven"; failed=1; }
done

# bytes KEY BYTES: what four ranks send in all, by arithmetic: 3n, 3n, 4·3·n, 4n with n = 4·(2^31+5).
bytes() {
  said=$(echo "algorithm=$1 ranks=4 count=2147483653 type=float" | "$prove" --plan -)
  echo "$said" | grep -q "\"bytes\":$2," || { echo "FAILED: $1: wanted $2 bytes; it said: $said"; failed=1; }
}
bytes bcast/binomial 25769803836
bytes reduce/linear 25769803836
bytes allgather/bucket 103079215344
bytes rotation/shift 34359738448
[ $failed -eq 0 ] && echo "$(grep -c '"verdict":"proven"' "$dir/said") long vectors are proven"
exit $failed
