#!/bin/bash
# Drives the window on a machine with a GPU, measuring live, and takes screenshots; see README.md in this folder.
#   window.sh KIT OUT    inside a virtual display. KIT: programs in bin, libraries in lib, fonts in fonts.
set -u
kit=$(realpath "$1") out=$(realpath -m "$2")
mkdir -p "$out"
export LD_LIBRARY_PATH="$kit/lib:${LD_LIBRARY_PATH:-}" PATH="$kit/bin:$PATH" TILESCOPE_DATA=$PWD
export XDG_CACHE_HOME=/tmp/window-cache XDG_STATE_HOME=/tmp/window-state XDG_DATA_HOME=/tmp/window-data
printf '<?xml version="1.0"?><fontconfig><dir>%s</dir><cachedir>/tmp/fontcache</cachedir></fontconfig>' "$kit/fonts" >/tmp/fonts.conf
export FONTCONFIG_FILE=/tmp/fonts.conf
map=/tmp/window.map pictures=/tmp/window-pictures
mkdir -p $pictures

middle_of() {  # NAME: of a widget that the window shows
  awk -v n="$1" 'substr($0, 1, length(n) + 1) == n " " {print int($(NF-3) + $(NF-1) / 2), int($(NF-2) + $NF / 2); exit}' $map
}
click() { xdotool mousemove $(middle_of "$1") click 1; sleep "$2"; }
drag_to() {  # NAME PART SECONDS: a slider's knob to a part of its way
  local x y w h
  read -r x y w h < <(awk -v n="$1" 'substr($0, 1, length(n) + 1) == n " " {print $(NF-3), $(NF-2), $(NF-1), $NF; exit}' $map)
  xdotool mousemove $((x + w * $2 / 100)) $((y + h / 2)) click 1
  sleep "$3"
}
photo() {  # NAME: the window's own screenshot, which it writes into the current folder
  xdotool key ctrl+shift+p
  sleep 1
  mv "$(ls -t "$pictures"/*.png | head -n 1)" "$out/$1.png"
  echo "$1 after $SECONDS s"
}

cd $pictures
tilescope window --kernel 9 --size M=256,N=256,K=64 --widget-map $map 2>"$out/window.log" &
window=$!
for _ in $(seq 100); do [ -s $map ] && break; sleep 0.1; done
sleep 8
photo 1-open
drag_to "parameter BK" 75 4
photo 2-bk-16
click "plot Parameter" 1
drag_to "parameter BK" 50 3
drag_to "parameter BK" 25 4
photo 3-over-bk
drag_to "parameter TM" 50 4
photo 4-tm-4
click "plot Ladder" 1
xdotool key F5
sleep 5
photo 5-measuring
sleep 40
photo 6-ladder
click "Present" 3
photo 7-present
kill $window
wait $window
echo "window: exit status $?"
