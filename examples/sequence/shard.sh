#!/bin/sh
# Draws one shard of a sequence, and again where it dies: frames that are there stay.
#
#   sh shard.sh 2/8 knight.glb --count 200 --frames 240 --out out/knight.png
#
# MANIPLE is the command (npx maniple), ATTEMPTS how often a shard may run (3).
set -u
shard=$1
shift
attempt=1
while :; do
  ${MANIPLE:-npx maniple} render "$@" --shard "$shard" --resume
  code=$?
  # 2 is wrong usage: the next attempt would end the same way
  if [ "$code" -eq 0 ] || [ "$code" -eq 2 ] || [ "$attempt" -ge "${ATTEMPTS:-3}" ]; then exit "$code"; fi
  attempt=$((attempt + 1))
  echo "shard $shard ended with $code; attempt $attempt" >&2
done
