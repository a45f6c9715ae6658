#!/bin/sh
# What a host of a platform file says of itself must be numbers. Usage: bad_host.sh DRIVER LAUNCHER… (one rank, on core0)
driver=$1
shift
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
echo 'id=1 algorithm=allgather/bucket ranks=1 count=9' > "$dir/plan"
platform=
for word in "$@"; do
  [ "$platform" = next ] && platform=$word
  [ "$word" = -platform ] && platform=next
done

# says NAME VALUE MESSAGE LAUNCHER…: of a platform whose core0 has this value for this property; no value: it has none. No message: it is taken.
says() {
  name=$1 value=$2 message=$3
  shift 3
  if [ -n "$value" ]; then change="s/id=\"$name\" value=\"[^\"]*\"/id=\"$name\" value=\"$value\"/"; else change="s/<prop id=\"$name\" [^>]*>//"; fi
  sed "/\"core0\"/$change" "$platform" > "$dir/platform.xml"
  words=
  for word in "$@"; do
    [ "$word" = "$platform" ] && word=$dir/platform.xml
    words="$words $word"
  done
  $words "$driver" --plan "$dir/plan" > "$dir/out" 2> "$dir/said"
  if [ -z "$message" ]; then grep -q '"kind":"ok"' "$dir/out" && return
  elif [ "$(grep '^collscope' "$dir/said")" = "collscope: host core0 has $message" ] && ! grep -q '"kind":"ok"' "$dir/out"; then return; fi
  echo "FAILED: $name=$value: it said:"
  cat "$dir/out" "$dir/said"
  failed=1
}
place='in the platform file; each host needs node, socket and cache, whole numbers below 4194304'
speed='in the platform file; each host needs gamma and copy, seconds per byte from 0 to 1'
says node 4194303 '' "$@"
says node 4194304 "4194304 for the property \"node\" $place" "$@"
says socket x "x for the property \"socket\" $place" "$@"
says cache '' "nothing for the property \"cache\" $place" "$@"
says copy 1 '' "$@"
says gamma 0 '' "$@"
says gamma 1.01 "1.01 for the property \"gamma\" $speed" "$@"
says copy -1e-9 "-1e-9 for the property \"copy\" $speed" "$@"
says copy 1e-9s "1e-9s for the property \"copy\" $speed" "$@"
says copy '' "nothing for the property \"copy\" $speed" "$@"
[ $failed -eq 0 ] && echo "what a host says of itself is read"
exit $failed
