#!/bin/bash
# Plays the heaviest scene as fast as it goes at each scale of the stage and prints frames a second and the processor
# time of one: frames.sh TILESCOPE COUNT_FRAMES_LIBRARY [SECONDS]
# Run by hand, on a display of its own (xvfb-run -s "-screen 0 1600x900x24" tests/window/frames.sh ...).
set -uo pipefail
program=$1 library=$2 seconds=${3:-8}
folder=$(mktemp -d)
trap 'kill $window 2>/dev/null; rm -rf "$folder"' EXIT
export XDG_STATE_HOME=$folder/state TILESCOPE_FRAMES=$folder/frames
map=$folder/widgets
LD_PRELOAD=$library "$program" window --width 1600 --height 900 --widget-map "$map" --kernel 9 --size M=256,N=256,K=1024 &
window=$!
for _ in $(seq 100); do [ -s "$map" ] && break; sleep 0.1; done
sleep 5
click() { # NAME PART OF TEN
  local x y width height
  read -r x y width height <<<"$(sed -n -E "s/^$1 ([0-9-]+) ([0-9-]+) ([0-9-]+) ([0-9-]+)\$/\1 \2 \3 \4/p" "$map" | head -n1)"
  xdotool mousemove $((x + width * $2 / 10)) $((y + height / 2)) click 1
  sleep 1
}
ticks() { awk '{ print $14 + $15 }' /proc/$window/stat; }
click speed 9  # The slider ends before its right edge.
for scale in grid block warp thread; do
  click "scale $scale" 5
  xdotool mousemove 800 20 key Home key space
  sleep 2
  : >"$TILESCOPE_FRAMES"
  before=$(ticks)
  sleep "$seconds"
  awk -v scale=$scale -v ticks=$(($(ticks) - before)) -v seconds="$seconds" \
    '{ sum += $1 } END { rate = sum / NR; printf "%s: %.0f frames a second, %.1f ms of processor time each\n", scale, rate, 10 * ticks / seconds / rate }' "$TILESCOPE_FRAMES"
  xdotool key space
done
