#!/bin/sh
# A sweep ends with STATUS and its text is FILE's: points, refusals, failures, comparisons with cost(), operations.
# Usage: sweep.sh STATUS FILE COMMAND…; with --write in place of STATUS, FILE is written.
status=$1 file=$2
shift 2
said=$(mktemp) || exit 1
trap 'rm -f "$said" "$said.now"' EXIT
"$@" > "$said"
got=$?
# What it took is no part of it.
sed -E 's/ +[0-9]+\.[0-9]{3}$//; s/, [0-9.]+ s of.*//; s/ seconds$//; s/ +$//' "$said" > "$said.now"
if [ "$status" = --write ]; then cp "$said.now" "$file"; exit; fi
diff "$file" "$said.now" && [ "$got" -eq "$status" ] && exit 0
echo "status $got; if this is meant: $0 --write $file $*"
exit 1
