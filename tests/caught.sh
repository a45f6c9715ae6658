#!/bin/sh
# A wrong program must end with this status and say this.
# usage: caught.sh STATUS TEXT COMMAND…
set -u
status=$1 text=$2
shift 2
said=$("$@" 2>&1)
got=$?
if [ "$got" -ne "$status" ] || ! printf '%s\n' "$said" | grep -q -e "$text"; then
  printf '%s\n' "$said" | tail -n 40
  echo "not caught: exit status $got instead of $status, or nothing about '$text'"
  exit 1
fi
printf '%s\n' "$said" | grep -m 1 -e "$text"
