#!/bin/bash
# The real window under Xvfb, driven by X events at the places of its widgets: window.sh TILESCOPE FOLDER LOST_CONTEXT_LIBRARY
# The exit status is 77 where Xvfb or xdotool is missing.
set -uo pipefail
program=$1 folder=$2 lost_context=$3
for tool in Xvfb xdotool; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
rm -rf "$folder" && mkdir -p "$folder/state" "$folder/work" && cd "$folder/work" || exit 1
export XDG_STATE_HOME=$folder/state XDG_CONFIG_HOME=$folder/config HOME=$folder LIBGL_ALWAYS_SOFTWARE=1
unset WAYLAND_DISPLAY
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait' EXIT
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# until SECONDS COMMAND...: waits for the command to succeed.
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.05
  done
}

start_display() { # ARGUMENTS... : sets DISPLAY
  local -i number=0
  exec {pipe}<> <(:)
  Xvfb -displayfd "$pipe" -screen 0 1920x1080x24 -nolisten tcp "$@" >"$folder/xvfb.log" 2>&1 &
  pids+=($!)
  read -r -t 10 number <&"$pipe" || return 1
  exec {pipe}>&-
  export DISPLAY=:$number
}
export LC_ALL=C.UTF-8

map=$folder/widgets
place_of() { sed -n -E "s/^$1 ([0-9-]+) ([0-9-]+) ([0-9-]+) ([0-9-]+)\$/\1 \2 \3 \4/p" "$map" 2>/dev/null | head -n1; }
is_shown() { [ -n "$(place_of "$1")" ]; }
is_gone() { ! is_shown "$1"; }
click() { # WIDGET [BUTTON]
  local x y width height
  until_true 10 is_shown "$1" || { fail "there is no widget $1"; return; }
  read -r x y width height <<<"$(place_of "$1")"
  xdotool mousemove $((x + width / 2)) $((y + height / 2)) click "${2:-1}"
}
open_window() { # ARGUMENTS... : sets window
  rm -f "$map"
  "$program" window --widget-map "$map" "$@" 2>"$folder/stderr" &
  window=$!
  pids+=($window)
  until_true 20 test -s "$map" || fail "the window does not open: $(cat "$folder/stderr")"
}
# While a lesson needs a number, a digit begins the answer; Escape gives the keys back.
choose_kernel() { xdotool key --delay 200 "$1" Escape "$1"; }
close_window() { # closes it as a session manager does
  kill -TERM $window && wait $window
  local status=$?
  [ $status -eq 0 ] || fail "the window ended with status $status: $(cat "$folder/stderr")"
}
state_has() { grep -qF "$1" "$folder/state/tilescope/state.json" 2>/dev/null; }
has_file() { compgen -G "$1" >/dev/null; }
# An empty ground compresses to less.
is_picture() { [ -f "$1" ] && [ "$(stat -c %s "$1")" -gt 20000 ]; }

start_display +extension GLX || { echo "skipped: Xvfb does not start"; exit 77; }

# A door's number leads through it, and answers nothing behind it.
open_window
is_shown "door course" || fail "the first start shows no doors"
sleep 4  # Until what is behind the doors is there, too.
xdotool keydown 1
until_true 10 is_shown "choice b" || fail "1 does not lead to the course"
sleep 1.5  # Long enough that it repeats.
xdotool keyup 1
is_gone "choice a tried" || fail "the key of the door answers the lesson's question, too"
xdotool key a
until_true 10 is_shown "choice a tried" || fail "a key answers no question after a door"
close_window
rm -r "$XDG_STATE_HOME"/*

# A click on a widget has its effect, what was on screen comes back, keys do what the help says.
open_window
xdotool key Right Return
until_true 10 is_shown "scale block" || fail "Enter goes through no door"
click "scale block"
click "Light"
until_true 10 is_shown "Dark" || fail "the theme does not change"
close_window
state_has '"scale": "block"' || fail "the click on the scale was not kept"
state_has '"theme": "light"' || fail "the theme was not kept"

open_window
is_shown "Dark" || fail "the theme of the last time is not shown"
xdotool key question
xdotool key ctrl+plus
choose_kernel 3
xdotool key ctrl+shift+p
until_true 10 has_file "$folder/work/tilescope-03_*.png" || fail "Ctrl Shift P saves no screenshot"
close_window
state_has '"ui_scale": 1.1' || fail "Ctrl + does not scale"
state_has '"kernel": "03' || fail "the key 3 does not choose kernel 3"

# Another language is kept.
open_window
click language
click "language zh"
until_true 10 is_gone "language zh"
close_window
state_has '"language": "zh"' || fail "the language was not kept"
open_window --lang en
close_window
state_has '"language": "en"' || fail "--lang does not choose the language"

# A presentation asks the class, PgDn answers and turns the page; its switches come with the mouse.
open_window --lesson 9 --step 2
xdotool mousemove 400 400
xdotool key F11
until_true 10 is_shown "Show the answer" || fail "a presentation does not ask the lesson's question"
until_true 10 is_gone Compare || fail "a presentation shows its switches without the mouse"
xdotool key Next
until_true 10 is_shown "answer to class" || fail "PgDn shows no answer"
xdotool mousemove 400 10
until_true 10 is_shown Compare || fail "a presentation's switches do not come with the mouse"
xdotool key Next
until_true 10 is_shown "step bank-conflicts 3" || fail "PgDn does not turn the page"
xdotool key Escape
until_true 10 is_shown "page bank-conflicts 3" || fail "Escape does not end the presentation"
close_window
exports() { "$program" lesson export --json | grep -q '"step": 2'; }
! exports || fail "what a class was shown is exported as the reader's answer"
open_window --lesson 9 --step 2
until_true 10 is_shown "Show the answer"
click "Show the answer"
until_true 10 is_gone "Show the answer" || fail "the page's answer is not shown"
close_window
exports || fail "what was answered in the window is not exported"

# The lesson and all panels are one window: Ctrl E goes there and back. A menu takes arrows and Enter, Escape closes it.
open_window --kernel 9
until_true 10 is_shown "size M" || fail "a kernel does not show all panels"
xdotool key ctrl+e
until_true 10 is_shown "next step" || fail "Ctrl E leads to no lesson"
xdotool key ctrl+e
until_true 10 is_shown "size M" || fail "Ctrl E does not lead back to all panels"
xdotool key ctrl+k
xdotool type --delay 1 "2.2"
until_true 10 is_shown "found 2.2  Which threads form a warp" || fail "Ctrl K finds no lesson"
until_true 10 is_gone "found 1.2  What you are looking at" || fail "what is typed right after Ctrl K is lost"
xdotool key Escape
until_true 10 is_gone find || fail "Escape does not close what Ctrl K opens"
click stages
until_true 10 is_shown "stage 01_naive_rows" || fail "the menu of kernels does not open"
xdotool key Escape
until_true 10 is_gone "stage 01_naive_rows" || fail "Escape does not close a menu"
click stages
until_true 10 is_shown "stage 01_naive_rows" || fail "the menu of kernels does not open again"
xdotool key --delay 100 Down Down Return
until_true 10 is_gone "stage 01_naive_rows" || fail "Enter chooses nothing in a menu"
xdotool key --delay 300 ctrl+z ctrl+z # The choice, and the lesson's run.
close_window
state_has '"kernel": "09' || fail "Ctrl Z does not bring the kernel back, or a session with a kernel is not kept"

# A picture as files, through its menu.
open_window --kernel 9
for kind in SVG PNG; do
  until_true 10 is_gone "save as $kind"
  click stage 3
  click "save as $kind"
  until_true 10 has_file "$folder/work/tilescope-09_*-stage.${kind,,}" || fail "there is no $kind of the stage"
done
close_window

# One that was killed is not shown again.
open_window
kill -KILL $window
wait $window 2>/dev/null
open_window
grep -q "^notice " "$map" || until_true 5 is_shown notice || fail "nothing is said after a crash"
ls "$folder/state/tilescope/state-before-the-end.json" >/dev/null || fail "the state before the crash was not put aside"
close_window

# A chord released within one frame reaches the editor: the typed text is run and kept.
open_window
until_true 10 grep -q "^page " "$map" # Its scene would close the editor if it came later.
sleep 3
choose_kernel 2
sleep 1
click "code Edit"
click editor
xdotool type --delay 50 "// mine"
xdotool key ctrl+s
until_true 10 state_has "// mine" || fail "Ctrl S in the editor runs nothing"
xdotool type --delay 50 "//yours"
xdotool key ctrl+Return
until_true 10 state_has "//yours" || fail "Ctrl Enter in the editor runs nothing"
click stages # Without the keyboard's focus, digits are no shortcuts while the editor is open.
xdotool key --delay 200 Escape 5
sleep 1
is_shown editor || fail "a digit has closed the editor"
click "Close"
choose_kernel 3
choose_kernel 2
until_true 10 state_has '"kernel": "02' || fail "kernel 2 was not chosen again"
grep -qF '// mine' "$folder/state/tilescope/state.json" || fail "an edited text was lost with another kernel"
close_window

# Damaged state is put aside and reported. A trace that would be too large: one click makes it smaller.
head -c 200 "$folder/state/tilescope/state.json" >"$folder/cut" && mv "$folder/cut" "$folder/state/tilescope/state.json"
open_window
until_true 5 is_shown notice || fail "nothing is said of a damaged state"
has_file "$folder/state/tilescope/state-unreadable.json" || fail "a damaged state was not put aside"
close_window
open_window --kernel 9 --size M=256,N=256,K=1000000
click "Use K = 8192"
until_true 5 is_gone "Use K = 8192" || fail "a click on the K that fits does nothing"
close_window

# Opens a state whose cursor is outside of the scene.
open_window --kernel 4 --size M=64,N=64,K=256
click "step to end"
xdotool key ctrl+s
until_true 5 has_file "$folder/work/tilescope-04_*.json" || fail "Ctrl S saves no state"
close_window
mv "$folder"/work/tilescope-04_*.json "$folder/late.json"
open_window --kernel 4 --size M=64,N=64,K=32
xdotool key ctrl+o
until_true 5 is_shown "state path" || fail "Ctrl O asks for no file"
xdotool key ctrl+a
xdotool type "$folder/late.json"
xdotool key Return
until_true 5 is_gone "state path" || fail "the state is not opened"
close_window

# A lost context: the window comes back as it was and says so.
export TILESCOPE_LOSE_CONTEXT=$folder/lose
LD_PRELOAD=$lost_context open_window
choose_kernel 9
click "scale thread"
touch "$TILESCOPE_LOSE_CONTEXT"
until_true 10 test ! -e "$TILESCOPE_LOSE_CONTEXT" || { xdotool key Right; until_true 5 test ! -e "$TILESCOPE_LOSE_CONTEXT"; } ||
  fail "nobody asks whether the context is lost"
until_true 10 is_shown notice || fail "nothing is said of the lost context"
click "scale warp"
until_true 10 state_has '"scale": "warp"' || fail "the window that came back takes no clicks"
close_window
state_has '"kernel": "09' || fail "the kernel was lost with the context"

# Sizes, with and without a display.
for display in "$DISPLAY" ""; do
  for arguments in "--width 1600 --height 900" "--width 1280 --height 720" "--scale 2" "--theme light --present"; do
    shot=$folder/shot.png
    rm -f "$shot"
    # shellcheck disable=SC2086
    DISPLAY=$display "$program" shot --kernel 4 $arguments -o "$shot" 2>"$folder/stderr"
    is_picture "$shot" || fail "shot $arguments on display '$display': $(cat "$folder/stderr")"
  done
done

# Errors: one line and no crash.
one_line() { # WORDS STATUS: what stderr said
  [ "$2" -eq 2 ] || fail "status $2 where 2 was expected"
  [ "$(wc -l <"$folder/stderr")" -eq 1 ] && grep -qF "$1" "$folder/stderr" || fail "stderr: $(cat "$folder/stderr")"
}
DISPLAY='' "$program" window 2>"$folder/stderr"
one_line "There is no display to open the window on" $?
DISPLAY=:987 "$program" window 2>"$folder/stderr"
one_line "There is no display to open the window on" $?
start_display -extension GLX || fail "Xvfb without GLX does not start"
"$program" window 2>"$folder/stderr"
one_line "The display offers no OpenGL 3.3" $?

[ $failures -eq 0 ] && echo "all fine in $SECONDS s"
exit $((failures > 0))
