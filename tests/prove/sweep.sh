#!/bin/sh
# The catalogue's sweep, and that its table is as before: points, refusals, comparisons with cost(), operations.
# Usage: sweep.sh COLLSCOPE-PROVE FILE [--write]
said=$(mktemp) || exit 1
trap 'rm -f "$said" "$said.now"' EXIT
"$1" --sweep --ranks 1..17,24,32,48,64 > "$said" || { cat "$said"; exit 1; }
# What it took is no part of it.
sed -E 's/ +[0-9]+\.[0-9]{3}$//; s/, [0-9.]+ s of.*//; s/ seconds$//; s/ +$//' "$said" > "$said.now"
if [ "$3" = --write ]; then cp "$said.now" "$2"; exit; fi
diff "$2" "$said.now" || { echo "if this is meant: $0 $1 $2 --write"; exit 1; }
