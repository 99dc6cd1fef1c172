#!/bin/bash
# Uses the window for a long time, as a class does, and watches its memory:
#   soak.sh TILESCOPE FOLDER [MINUTES [WATCH_TURNS_LIBRARY]]
# Run by hand. Prints resident memory once a minute; the last line compares the end with the time after each action
# had been done twice. The exit status is 1 when it has grown by more than 5 %, or when the window is gone.
# With the library it also prints the turns of the window's loop that took long: those in which it did not answer.
# Scenes differ by tens of megabytes, so memory is always measured with the same one on show, the first, at rest.
set -uo pipefail
program=$1 folder=$2 minutes=${3:-30} library=${4:-}
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state XDG_CONFIG_HOME=$folder/config HOME=$folder LIBGL_ALWAYS_SOFTWARE=${LIBGL_ALWAYS_SOFTWARE-1}
unset WAYLAND_DISPLAY
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait' EXIT
exec {pipe}<> <(:)
Xvfb -displayfd "$pipe" -screen 0 1600x900x24 -nolisten tcp >xvfb.log 2>&1 &
pids+=($!)
read -r -t 10 number <&"$pipe" || { echo "Xvfb does not start"; exit 1; }
export DISPLAY=:$number
map=$folder/widgets
TILESCOPE_TURNS=$folder/turns LD_PRELOAD=$library nice "$program" window --widget-map "$map" 2>stderr &
window=$!
pids+=($window)
for _ in $(seq 100); do [ -s "$map" ] && break; sleep 0.1; done

is_open() { kill -0 $window 2>/dev/null; }
resident() { awk '/VmRSS/ { print $2 }' /proc/$window/status; }
# Without pages of libraries, which the system maps and drops as it likes: 20 MB of the software GL's come and go.
own() { awk '/RssAnon/ { print $2 }' /proc/$window/status; }
key() { xdotool key --clearmodifiers "$@"; sleep 0.15; }
# A place of the widget whose name matches, in parts of its width.
point_at() { # NAME [PART OF TEN]
  local x y width height
  read -r x y width height <<<"$(sed -n -E "s/^$1 ([0-9-]+) ([0-9-]+) ([0-9-]+) ([0-9-]+)\$/\1 \2 \3 \4/p" "$map" | shuf -n1)"
  [ -n "${height:-}" ] || return 1
  xdotool mousemove $((x + width * ${2:-5} / 10)) $((y + height / 2))
}
click() { point_at "$@" && xdotool click 1; sleep 0.15; }

all_actions() {
  local i kernel
  for kernel in 1 4 9 2 8; do
    key $kernel
    for i in grid block warp thread; do
      click "scale $i"
      for _ in 1 2 3; do key Right; key shift+Right; done
      point_at stage $((RANDOM % 10)); sleep 0.5
    done
    click "parameter [A-Z]+" $((RANDOM % 10))
    key space; sleep 2; key space
    key End; key Home
  done
  click "previous step"; click "next step"; click "next step"; click "answer"; key 1 2 Return
  key F11; key Next; key Next; key F11
  click "Compare"; key Right; key shift+Right; click "Compare"
  click "Light"; click "Dark"; key ctrl+plus; key ctrl+0; key F6; key F6; key question; key Escape
  click "language"; click "language zh"; sleep 2; click "language"; click "language en"; sleep 2; key ctrl+shift+p
}

newest_state() { find . -maxdepth 1 -name 'tilescope-*.json' -newer "$1" | head -n1; }
save_state() { # FILE
  local end=$((SECONDS + 10)) saved
  touch mark && sleep 0.1
  key Escape
  key ctrl+s
  until saved=$(newest_state mark) && [ -n "$saved" ]; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.1
  done
  mv "$saved" "$1"
}
load_state() { # FILE
  key Escape
  key ctrl+o
  sleep 0.5
  key ctrl+a
  xdotool type "$1"
  key Return
}
# Processor time of the window, in hundredths of a second; few in a second: nothing is being run or drawn.
ticks() { awk '{ print $14 + $15 }' /proc/$window/stat; }
rest() {
  local before end=$((SECONDS + 60))
  sleep 2
  while [ $SECONDS -lt $end ]; do
    before=$(ticks)
    sleep 2
    [ $(($(ticks) - before)) -gt 10 ] || return
  done
}
# Resident memory with the first scene on show; then what was on show is there again.
measure() {
  save_state here.json && load_state "$folder/first.json" && rest
  measured=$(resident) measured_own=$(own)
  load_state "$folder/here.json"
  sleep 1
}

rest
save_state first.json || { echo "the state cannot be saved"; exit 1; }
started=$SECONDS minute=0
all_actions
all_actions
measure
first=$measured
echo "after each action: $first KiB, $measured_own of its own, $((SECONDS - started)) s"
while [ $((SECONDS - started)) -lt $((minutes * 60)) ] && is_open; do
  all_actions
  if [ $(((SECONDS - started) / 60)) -gt $minute ]; then
    minute=$(((SECONDS - started) / 60))
    measure
    echo "minute $minute: $measured KiB, $measured_own of its own"
  fi
done
is_open || { echo "the window is gone: $(cat stderr)"; exit 1; }
measure
last=$measured
[ -s turns ] && echo "turns of more than 50 ms: $(wc -l <turns); the longest:" && sort -k3,3 -n -r turns | head -n5
echo "$first KiB after each action, $last KiB after $minutes min: $(((last - first) * 1000 / first)) per mille"
[ $((last * 100)) -le $((first * 105)) ]
