#!/bin/sh
# Draws a sequence in shards on this machine, several at a time, and encodes it when every frame is there.
#
#   FRAMES=240 SHARDS=8 JOBS=4 sh shards.sh out/knight knight.glb --count 200
#
# Frames go to out/knight/0001.png and so on, the video to out/knight.webm.
set -eu
out=$1
shift
frames=${FRAMES:-48}
shards=${SHARDS:-4}
folder=$(dirname "$0")

# xargs ends with an error when some shard has failed in all of its attempts
seq "$shards" | xargs -P "${JOBS:-2}" -I '{}' \
  sh "$folder/shard.sh" "{}/$shards" "$@" --frames "$frames" --out "$out.png"

${MANIPLE:-npx maniple} encode "$out/%04d.png" --frames "$frames" --out "$out.webm"
# what shards that died have left half written
rm -f "$out"/*.part
