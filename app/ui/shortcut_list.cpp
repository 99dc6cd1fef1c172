#include "ui/shortcut_list.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include <fmt/format.h>

#include "base/process.h"
#include "base/words.h"

namespace tilescope::ui {
namespace {

constexpr Shortcut kShortcuts[] = {
    {"\u2190  \u2192", tr_later("Step back, step forward"), "step back|step forward"},
    {"Shift \u2190 \u2192", tr_later("By phase: load, sync, compute, store"), "step by phase"},
    {"Ctrl \u2190 \u2192", tr_later("By k-tile"), "step by k-tile"},
    {"C", tr_later("The SM clock by clock, and back; the arrows then step by clock")},
    {"Home  End", tr_later("First and last instruction"), "step to start|step to end"},
    {tr_later("Space"), tr_later("Play, pause"), "play"},
    {"\u2191  \u2193", tr_later("Warp before, warp after, at the same time")},
    {",  .", tr_later("Lane before, lane after")},
    {"G  B  W  T", tr_later("Grid, block, warp, thread"), "scale grid|scale block|scale warp|scale thread"},
    {"N", tr_later("The next finding"), "verdict|plot Findings"},
    {"S", tr_later("To the sliders: Left and Right move one, Tab goes to the next, Esc leaves them")},
    {"1 \u2013 9",
     tr_later("Kernels, from 10 on two digits; where a lesson asks, its number is typed, or the letter of a choice"),
     "stages"},
    {"PgUp  PgDn", tr_later("A presenter's clicker: the answer, then the next page; the next stop of a tour")},
    {"Enter", tr_later("Check the answer; in a presentation or a tour, back to the place that it is about")},
    {"Ctrl D", tr_later("Add what is on show to a tour, a file that PgDn turns")},
    {"D  O", tr_later("Pen and spotlight; Esc puts them away")},
    {"F5", tr_later("Measure all stages on the GPU"), "Measure all stages", true},
    {"F6", tr_later("Large plots in place of the stage, and back"), "Plots|large"},
    {"F2  F3  F4  F7  F8", tr_later("Stage, strip, program, timeline or plots in the whole window, and back")},
    {"F11", tr_later("Present: whole screen, large type"), "Present"},
    {"A", tr_later("In a presentation: cover the answer again"), "Cover the answer"},
    {"P  S  L", tr_later("In a presentation: program, sliders, timeline beside the stage")},
    {"Tab  Shift Tab",
     tr_later("The next control, and the one before; Enter or Space presses it, arrows move a slider")},
    {"Esc", tr_later("Close a menu; unpin; leave a panel that fills the window, the presentation, or the form")},
    {"Ctrl K", tr_later("Find anything: kernels, lessons, plots, settings, words")},
    {"Ctrl E", tr_later("From the lesson to all panels, and back"), "lesson|explore"},
    {"Ctrl Enter  Ctrl F", tr_later("In the editor: run the text, find"), "Run|find in text", true},
    {"Ctrl Z  Ctrl Shift Z", tr_later("Undo, redo: kernels, parameters, sizes, what-ifs, texts")},
    {"Ctrl + \u2212 0", tr_later("Zoom in, out, reset")},
    {"Ctrl S", tr_later("Save what is on screen")},
    {"Ctrl O", tr_later("Open a kernel, or what was saved"), "open my program", true},
    {"Ctrl Shift L", tr_later("Copy a link to what is on show")},
    {"Ctrl Shift X", tr_later("Copy what is on show as a command line"), "", true},
    {"Ctrl L", tr_later("The launch form of a file without a description"), "", true},
    {"Ctrl Shift P", tr_later("Screenshot")},
    {"Ctrl Shift F", tr_later("From here on each step is a picture of a film, and its end: GIF, and MP4 by ffmpeg"), "",
     true},
    {"F1  ?", tr_later("This help"), "keys"},
};

std::vector<std::string_view> split(std::string_view text, std::string_view between) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, between)) parts.emplace_back(part.begin(), part.end());
  return parts;
}

}  // namespace

std::optional<KeyPress> single_press(const Shortcut& shortcut) {
  std::vector<std::string_view> words = split(shortcut.keys, " ");
  KeyPress press{words.back()};
  words.pop_back();
  for (const std::string_view word : words)
    if (word == "Ctrl")
      press.ctrl = true;
    else if (word == "Shift")
      press.shift = true;
    else
      return std::nullopt;
  return press;
}

const std::vector<Shortcut>& shortcuts() {
  static const std::vector<Shortcut> here = [] {
    std::vector<Shortcut> all(std::begin(kShortcuts), std::end(kShortcuts));
    if (!starts_programs()) std::erase_if(all, [](const Shortcut& shortcut) { return shortcut.needs_programs; });
    return all;
  }();
  return here;
}

std::string with_key(const char* control) {
  const std::string key = key_of(control);
  return key.empty() ? tr(control) : fmt::format("{}  {}", tr(control), key);
}

std::string key_of(std::string_view control) {
  for (const Shortcut& shortcut : shortcuts()) {
    const std::vector<std::string_view> controls = split(shortcut.controls, "|");
    const auto found = std::ranges::find(controls, control);
    if (found == controls.end()) continue;
    const std::vector<std::string_view> keys = split(shortcut.keys, "  ");
    const bool one_each = keys.size() == controls.size();
    return tr(one_each ? keys[static_cast<size_t>(found - controls.begin())] : std::string_view(shortcut.keys));
  }
  return "";
}

}  // namespace tilescope::ui
