#!/bin/sh
# Under SMPI all ranks share one process: a writable variable of an algorithm would be shared by all of them.
# usage: no_writable_symbols.sh LIBRARY [SYMBOL]: all but this one, which they are to share
set -eu
found=$(objdump -t "$1" | awk -v shared="${2-}" '/file format/ { file = $1 } $3 !~ /^\*/ && / (\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && !/\.data\.rel\.ro/ && / O | \*COM\*/ && $NF != shared { print file $NF }')
if [ -n "$found" ]; then
  printf 'writable symbols, which all simulated ranks would share:\n%s\n' "$found" >&2
  exit 1
fi
count=$(objdump -t "$1" | grep -c ' F ')
[ "$count" -gt 20 ] || { echo "only $count functions in $1: is this the library?" >&2; exit 1; }
echo "no writable symbols beside $count functions"
