#!/bin/sh
# A process of MPI's may hold and play schedules: what it links for that reserves no addresses, catches no signals and jumps nowhere.
# usage: schedule_is_a_value.sh LIBRARY
set -eu
functions=$(nm --defined-only "$1" | grep -c ' T ')
[ "$functions" -gt 10 ] || { echo "only $functions functions in $1: is this the library?" >&2; exit 1; }
found=$(nm --undefined-only "$1" | grep -wE 'mmap|mmap64|sigaction|signal|setitimer|_?_?sigsetjmp|_?_?siglongjmp(_chk)?' || true)
[ -z "$found" ] || { printf 'the recorder is linked, too:\n%s\n' "$found" >&2; exit 1; }
