#!/bin/sh
# Nothing that the driver has taken is left when it ends; what libraries keep is none of ours (libraries.supp). A leak ends a rank with a
# status of its own. Usage: no_leaks.sh DRIVER LIBRARIES.SUPP LAUNCHER… (three ranks)
set -u
driver=$1 failed=0
export ASAN_OPTIONS=detect_leaks=1:exitcode=99:fast_unwind_on_malloc=0 LSAN_OPTIONS="suppressions=$2:print_suppressions=0"
shift 2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# Groups, shared segments, sources that nobody knows, a decision, fresh buffers, late ranks, data that is checked, a thread, and a refusal.
cat > "$dir/plan" <<'END'
id=1 algorithm=bcast/mst count=10 check=1 repetitions=3 group=1
id=2 algorithm=bcast/hierarchical count=10 check=1 repetitions=3 group=1
id=3 algorithm=allgather/leaders[aggregate=shm,per_node=1] count=5 check=1
id=4 algorithm=gather/linear count=7 root=2 metric=osu_avg repetitions=2
id=5 collective=bcast algorithm=decision/ompi_4_1 count=4 buffers=fresh metric=root
id=6 algorithm=allreduce/linear count=4 type=affine check=1 metric=osu_avg[barrier=barrier/tree]
id=7 algorithm=reduce/linear count=9 skew=linear:1e-6 metric=delay until_ci=0.5 budget_s=0.01
id=8 algorithm=allreduce/ring count=5 check=1 metric=overlap[wait,thread]
END

# runs COMMAND…: ends well, or by what it has to say.
runs() {
  "$@" > "$dir/out" 2> "$dir/said"
  got=$?
  [ $got -eq 0 ] && return
  echo "FAILED: $*: status $got; it said:"
  head -n 40 "$dir/said"
  failed=1
}
runs "$driver" --list --json
runs "$driver" --topology
runs "$@" "$driver" --plan "$dir/plan" --trace
printf '%s\n' 'flows flows=0>1,2>1 bytes=64 count=2' 'late_nonblocking flows=0>1 bytes=8' 'gamma bytes=65536 count=2' \
  'overhead flows=0>1 bytes=8 count=3' 'pingpong_fresh flows=0>2 bytes=64' > "$dir/messages"
runs "$@" "$driver" --p2p "$dir/messages"
[ $failed -eq 0 ] && echo "nothing is left"
exit $failed
