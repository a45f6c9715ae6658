#!/bin/sh
# only_second_names.sh LIBRARY: what the library calls of MPI must be PMPI_…; by the other names it would call itself, or another tool.
set -eu
calls=$(nm -D --undefined-only "$1" | sed -n 's/.* \(MPIX\?_[A-Za-z_0-9]*\)$/\1/p')
[ -z "$calls" ] || { echo "calls by first names:" $calls "; add them to preload/names.h"; exit 1; }
others=$(nm -D --defined-only "$1" | awk '{print $3}' | grep -vE '^(MPIX?_|o?mpix?_|_)' || true)
[ -z "$others" ] || { echo "seen from outside:" $others; exit 1; }
