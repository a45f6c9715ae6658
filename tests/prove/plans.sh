#!/bin/sh
# What collscope-prove says to good and bad plans: exit status and message. Usage: plans.sh COLLSCOPE-PROVE
prove=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# expect STATUS TEXT LINE [ARGUMENT…]: a plan of this one line must give the status and print the text, on either stream.
expect() {
  status=$1 text=$2
  printf '%s\n' "$3" > "$dir/plan"
  shift 3
  "$prove" "$@" --plan "$dir/plan" > "$dir/said" 2>&1
  got=$?
  if [ "$got" -ne "$status" ] || { [ -n "$text" ] && ! grep -qF -- "$text" "$dir/said"; }; then
    echo "FAILED: $(cat "$dir/plan"): status $got, wanted $status and \"$text\"; it said:"
    cat "$dir/said"
    failed=1
  fi
}

expect 0 '"verdict":"proven"' 'id=a algorithm=bcast/mst ranks=7 root=3 count=10'
expect 0 '"messages":6' 'algorithm=bcast/mst ranks=7 root=3 count=10'
expect 0 '"exact":true' 'algorithm=allgather/bucket ranks=7 count=10' --costs
expect 0 '{"src":0,"dst":1,"bytes":40,"round":6,"tag":0}' 'algorithm=allgather/bucket ranks=7 count=10' --messages
expect 0 '"status":"needs an operator that commutes","verdict":null' 'algorithm=allreduce/bucket ranks=4 count=4 type=affine'
expect 0 '' '# nothing but a comment'
expect 2 'plan:1: unknown algorithm "bcast/nothing"' 'algorithm=bcast/nothing ranks=4 count=1'
expect 2 'plan:1: unknown decision' 'algorithm=decision/nobody collective=bcast ranks=4 count=1'
expect 2 'plan:1: bcast/builtin is the MPI library'\''s own' 'algorithm=bcast/builtin ranks=4 count=1'
expect 2 'plan:1: give ranks=P' 'algorithm=bcast/mst count=1'
expect 2 'plan:1: bcast/mst: "x=1" is not one of its parameters' 'algorithm=bcast/mst[x=1] ranks=4 count=1'
expect 2 'unknown argument --sideways' '' --sideways

# says STATUS TEXT ARGUMENT…
says() {
  status=$1 text=$2
  shift 2
  "$prove" "$@" > "$dir/said" 2>&1 < /dev/null
  got=$?
  [ $got -eq "$status" ] && grep -qF -- "$text" "$dir/said" && return
  echo "FAILED: $*: status $got, wanted $status and \"$text\"; it said:"
  cat "$dir/said"
  failed=1
}
says 2 '--plan needs a value' --plan
says 0 'usage: collscope-prove' --help
says 2 'unknown collective ""' --decide
says 2 '--decide does not know "colour=red"' --decide colour=red
says 2 '--decide cannot read "ranks=x"' --decide collective=bcast ranks=x
for call in 'ranks=0 count=1' 'ranks=4 count=1 root=4' 'ranks=4 count=1 elem=0'; do
  says 2 '--decide needs ranks, 1 or more, elem=BYTES, and root below the ranks' --decide collective=bcast $call
done
says 0 '"ranks":4' --decide collective=bcast ranks=4 count=1 root=3
says 2 'more bytes than fit into 64 bits' --decide collective=bcast ranks=4194304 count=1125899906842624 elem=8
"$prove" --plan "$dir/absent" > "$dir/said" 2>&1
[ $? -eq 2 ] && grep -q 'absent: No such file' "$dir/said" || { echo "FAILED: a plan that is not there"; failed=1; }
# Sets of ranks are words of 64 bits, and a barrier's knowledge words of 32: as many, and one more.
for ranks in 32 33 63 64 65 129; do
  for key in allgather/bucket allreduce/recursive_doubling reduce/linear scan/linear barrier/dissemination barrier/linear; do
    echo "algorithm=$key ranks=$ranks count=$(case $key in barrier*) echo 0 ;; *) echo 2 ;; esac)"
  done
done > "$dir/plan"
"$prove" --plan "$dir/plan" > "$dir/said" 2>&1
[ "$(grep -c '"verdict":"proven"' "$dir/said")" -eq 36 ] || { echo "FAILED: sets of ranks"; grep -v proven "$dir/said"; failed=1; }
# At scale: knowledge, matching and data of thousands of ranks. A million messages, in a ring.
expect 0 '"verdict":"proven","kind":"ok","failure":null,"messages":1047552' 'algorithm=allgather/bucket ranks=1024 count=1000'
for key in bcast/binomial bcast/mst bcast/knomial reduce/binomial gather/binomial scatter/binomial allgather/recursive_doubling \
  allreduce/recursive_doubling reduce_scatter/recursive_halving barrier/dissemination barrier/tree scan/recursive_doubling; do
  expect 0 '"verdict":"proven"' "algorithm=$key ranks=4096 count=$(case $key in barrier*) echo 0 ;; *) echo 1000 ;; esac)"
done

# ranks LIST POINTS: a sweep over these numbers of ranks, of an algorithm with one point for each; or what it says instead.
ranks() {
  "$prove" --sweep --no-variants --algorithm barrier/dissemination --ranks "$1" > "$dir/said" 2>&1
  grep -qF -- "$2" "$dir/said" || { echo "FAILED: --ranks $1, wanted $2; it said:"; cat "$dir/said"; failed=1; }
}
ranks 1..17,24,32,48,64 ' 21 points: 21 proven'
ranks 7 ' 1 points: 1 proven'
ranks 3..4,9..11 ' 5 points: 5 proven'
for list in '' 0 4..2 4,3 9,5 1..3,3 1.. ..4 1,,2 1,2, x -1 1..5000; do ranks "$list" "--ranks $list: give numbers"; done

# Where ranks sit: on one node (the usual place of three ranks) it would be 8.
printf '0 0 0\n1 1 1\n1 1 1\n' > "$dir/places"
expect 0 '"reduced_bytes":12' 'algorithm=allreduce/hierarchical ranks=3 count=1' --places "$dir/places"
expect 2 'has fewer lines than line 1 of the plan has ranks' 'algorithm=bcast/mst ranks=4 count=1' --places "$dir/places"
expect 2 'absent: No such file' 'algorithm=bcast/mst ranks=4 count=1' --places "$dir/absent"
echo '1 1' >> "$dir/places"
expect 2 'places:4: write NODE SOCKET CACHE' 'algorithm=bcast/mst ranks=3 count=1' --places "$dir/places"

expect 2 '--ranks is for --sweep only' 'algorithm=bcast/mst ranks=3 count=1' --ranks 5
expect 2 '--plan is not for --sweep' 'algorithm=bcast/mst ranks=3 count=1' --sweep

# decide STATUS TEXT LINES [WORD…]: what the tables take for calls on standard input or for the one that the words say.
decide() {
  status=$1 text=$2 lines=$3
  shift 3
  printf "$lines" | "$prove" --decide collective=bcast decision=decision/ompi_4_1 "$@" > "$dir/said" 2>&1
  got=$?
  [ $got -eq "$status" ] && grep -qF -- "$text" "$dir/said" ||
    { echo "FAILED: --decide $* of \"$lines\": status $got, wanted $status and \"$text\"; it said:"; cat "$dir/said"; failed=1; }
}
decide 0 '"ranks":8,"count":100,"status":"ok"' '' ranks=8 count=100
decide 0 '"ranks":9,"count":5,"status":"ok"' '8 100\n9 5\n'
decide 2 'cannot read "count=1MiB"' '' ranks=8 count=1MiB
decide 2 'cannot read "count=-1"' '' ranks=8 count=-1
decide 2 'cannot read "in_place=2"' '' ranks=8 count=1 in_place=2
decide 2 'more bytes than fit into 64 bits' '' ranks=8 count=4611686018427387904
decide 2 'needs ranks' '8 100\n' count=100
decide 2 'cannot read the line "9 x"' '8 100\n9 x\n10 1\n'
decide 2 'cannot read the line "9 1 7"' '9 1 7\n'

# A file of no lines has no line 0.
: > "$dir/empty"
says 2 'empty:1: an empty file; the first line must be' --schedule "$dir/empty"

# A message that cannot come through ends the rounds in which it would.
printf '%s\n' 'ports fluid' 'class network 0 1e-6 1e-9' > "$dir/line"
printf '%s\n' 'collscope-schedule 1' 'call collective=bcast ranks=2 count=1' 'rank 0 scratch=4' 'send scratch+0 4 to 1' \
  'rank 1' 'recv out+0 4 from 0' > "$dir/unwritten"
says 2 'reads element 0 of scratch, which holds nothing' --model "$dir/line" --holdings --schedule "$dir/unwritten"

# full ARGUMENT…: with nowhere to write to, status 1 and a message; standard input is a plan of one line.
full() {
  echo 'algorithm=bcast/mst ranks=4 count=1' | "$prove" "$@" > /dev/full 2> "$dir/said"
  got=$?
  [ $got -eq 1 ] && grep -q 'No space left' "$dir/said" || { echo "FAILED: a full disk: $*: status $got"; failed=1; }
}
if [ -w /dev/full ]; then
  printf '%s\n' 'ports one_port' 'control 0' 'class network 0 1e-6 1e-9' 'bound 1e-6 1e-9 0' > "$dir/machine"
  for rank in 0 1 2 3; do echo "place $rank $rank $rank $rank"; done >> "$dir/machine"
  full --list --json
  full --plan -
  full --plan - --costs
  full --messages --plan -
  full --model "$dir/machine" --plan -
  full --model "$dir/machine" --trace --plan -
  full --sweep --algorithm bcast/mst --ranks 1..4
  full --decide collective=bcast ranks=4 count=10
  full --help
fi
[ $failed -eq 0 ] && echo "all plans answered as they should"
exit $failed
