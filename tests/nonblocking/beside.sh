#!/bin/sh
# beside.sh DRIVER LAUNCHER…: the driver's calls beside computation, advanced by calls and by a thread, end with the right data.
set -eu
driver=$1
shift
plan=$(mktemp)
trap 'rm -f "$plan"' EXIT
n=0
for metric in 'overlap[wait,thread]' 'overlap[poll,thread]' 'nonblocking[thread]' 'overlap[poll,calls]'; do
  for key in allreduce/ring allreduce/builtin 'bcast/chain[s=4096]'; do
    n=$((n + 1))
    echo "id=$n algorithm=$key count=10000 check=1 repetitions=5 metric=$metric"
  done
done > "$plan"
ended=$("$@" "$driver" --plan "$plan" | grep -c '"status":"ok","checked":true,"wrong":0')
[ "$ended" -eq $n ] || { echo "FAILED: only $ended of $n ended well" >&2; exit 1; }
