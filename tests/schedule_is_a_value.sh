#!/bin/sh
# A process of MPI's may hold, record and play schedules: what it links for that reserves no addresses, catches no signals and, but for
# the recorder of one rank, jumps nowhere.
# usage: schedule_is_a_value.sh LIBRARY [jumps]
set -eu
functions=$(nm --defined-only "$1" | grep -c ' T ')
[ "$functions" -gt 10 ] || { echo "only $functions functions in $1: is this the library?" >&2; exit 1; }
jumps='|_?_?sigsetjmp|_?_?siglongjmp(_chk)?'
[ "${2:-}" != jumps ] || jumps=
found=$(nm --undefined-only "$1" | grep -wE "mmap|mmap64|sigaction|signal|setitimer$jumps" || true)
[ -z "$found" ] || { printf 'the recorder is linked, too:\n%s\n' "$found" >&2; exit 1; }
