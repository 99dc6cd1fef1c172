#!/bin/bash
# The window's pictures, a quarter of their size, against those in tests/window/pictures:
#   pictures.sh [--update] TILESCOPE FOLDER PICTURE_DISTANCE
# --update remakes the references; look at them before you keep them. In a build folder BUILD:
#   cmake --build BUILD --target tilescope picture_distance update_pictures
# The exit status is 77 if the fonts of the references are missing.
set -uo pipefail
update=false
[ "${1:-}" = --update ] && update=true && shift
program=$1 folder=$2 distance=$3
references=$(cd "$(dirname "$0")" && pwd)/pictures
"$distance" fonts || { echo "skipped: there is no Inter or no JetBrains Mono"; exit 77; }
rm -rf "$folder" && mkdir -p "$folder" "$references" && cd "$folder" || exit 1

# The same everywhere: PTX that ships, no GPU, nothing kept from earlier.
export TILESCOPE_NVCC=/nonexistent TILESCOPE_NVRTC=/nonexistent TILESCOPE_CLANG=/nonexistent HOME=$folder XDG_CACHE_HOME=$folder/cache XDG_STATE_HOME=$folder/state \
  XDG_CONFIG_HOME=$folder/config XDG_DATA_HOME=$folder/data LIBGL_ALWAYS_SOFTWARE=1 DISPLAY=''
unset WAYLAND_DISPLAY

failures=0
picture() { # NAME ARGUMENTS...
  local name=$1
  shift
  if ! "$program" shot "$@" -o "$name.png"; then
    failures=$((failures + 1))
  elif $update; then
    "$distance" reduce "$name.png" "$references/$name.png" || failures=$((failures + 1))
  else
    "$distance" compare "$name.png" "$references/$name.png" "$folder/$name-marked.png" || failures=$((failures + 1))
  fi
}

picture grid --kernel 2 --size 128 --view grid
picture block-light --kernel 4 --size M=256,N=256,K=64 --view block --theme light --at 40
picture warp --kernel 9 --set BM=128 BN=128 BK=8 TM=8 TN=8 --size M=256,N=256,K=64 --view warp --warp 2 --line 54
picture thread --kernel 9 --set BM=128 BN=128 BK=8 TM=8 TN=8 --size M=256,N=256,K=64 --view thread --warp 1 --lane 5 --line 59
picture lesson --lesson coalescing --step 3
picture present --kernel 6 --size 128 --view block --present
# The program text alone: no picture asks for other sizes of text, so the first glyphs are the last.
cat > code.json <<'END'
{"tilescope_state": 1, "run": {"kernel": "04_shared_tile", "source": null, "settings": {},
 "size": {"m": 128, "n": 128, "k": 64}, "block": {"x": 0, "y": 0, "z": 0}}, "compared": null, "cursor": {}, "view": {},
 "breakpoints": [], "room": {"enlarged": "code", "presented": [], "lesson": 0, "right": 0, "plots": 0, "bottom": 0,
 "strip": 0, "code": 0}, "lesson": "", "lesson_step": 0, "edited": {}}
END
picture code --state code.json

[ $failures -eq 0 ] && echo "all fine in $SECONDS s"
exit $((failures > 0))
