#!/bin/sh
# Nothing that the prover's programs have taken is left when they end; a leak ends them with a status of its own.
# Usage: no_leaks.sh FOLDER_OF_PROGRAMS CORPUS
set -u
programs=$1 corpus=$2 failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export ASAN_OPTIONS=detect_leaks=1:exitcode=99
# Shared segments, sources that nobody knows, more messages than tables have room for at first, a failure, and a refusal.
cat > "$dir/plan" <<'END'
id=1 algorithm=alltoall/pairwise ranks=40 count=3
id=2 algorithm=allgather/leaders[aggregate=shm] ranks=6 count=5 type=affine
id=3 algorithm=gather/linear ranks=5 count=7 root=3
id=4 algorithm=bcast/mst ranks=6 count=1000
id=5 algorithm=allreduce/recursive_doubling ranks=6 count=9
END

# ends STATUS PROGRAM OPTION…
ends() {
  wanted=$1 program=$2
  shift 2
  "$programs/$program" "$@" > "$dir/out" 2> "$dir/said" < "$dir/calls"
  got=$?
  [ $got -eq "$wanted" ] && return
  echo "FAILED: $program $*: status $got; it said:"
  head -n 30 "$dir/said"
  failed=1
}
printf '%s\n' '0 bcast/linear 40 10 0 1 0' '1 decision/ompi_4_1:alltoall 16 10 0 1 0 8' '2 scatter/binomial 9 7 9 1 0' > "$dir/calls"
grep -v ' ranks=40 ' "$dir/plan" > "$dir/few"
for program in "--list --json" "--rules" "--plan $dir/plan --costs" "--messages --plan $dir/plan" \
  "--model $corpus/machine/right.machine --trace --plan $dir/few" "--model $corpus/machine/right_one_port.machine --holdings --plan $dir/few" \
  "--model $corpus/machine/right_inside.machine --plan $dir/few" "--decide collective=bcast ranks=8 count=9"; do
  ends 0 collscope-prove $program
done
ends 0 collscope-recorded
ends 2 collscope-prove --model "$corpus/machine/traffic_nan.machine" --plan "$dir/few"
ends 2 collscope-prove --plan "$corpus/plan/root_beyond.plan"
[ $failed -eq 0 ] && echo "nothing is left"
exit $failed
