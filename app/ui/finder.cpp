#include "ui/finder.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "arch/arch.h"
#include "base/words.h"
#include "draw/palette.h"
#include "ui/explain.h"
#include "ui/lesson_panel.h"
#include "ui/own_kernels.h"
#include "ui/scoped.h"
#include "ui/shortcut_list.h"
#include "ui/text.h"
#include "ui/window_words.h"

namespace tilescope::ui {
namespace {
using view::Ink;

constexpr float kWidth = 620, kKindWidth = 90, kNameWidth = kWidth - kKindWidth - 28;
constexpr int kMostShown = 12;

struct Entry {
  std::string kind, name;
  std::string text;               ///< Shown below the list where the entry is chosen; may be empty.
  std::vector<Command> commands;  ///< Of a word there are none.
  std::function<void()> act = {};
  std::string also = {};  ///< Words by which it is found, too.
};

void add_kernels(const Context& context, std::vector<Entry>& entries) {
  const bool in_lesson = context.workspace->state().in_lesson();
  for (const kernel::Kernel& kernel : context.workspace->catalogue().kernels) {
    Entry entry{
        tr("kernel"), fmt::format("{}  {}", kernel.number, tr(std::string_view(kernel.description.title))), "", {}};
    entry.also = kernel.description.summary;
    if (in_lesson) entry.commands.emplace_back(session::SetExploring{true});
    entry.commands.emplace_back(session::ChooseKernel{kernel.name});
    entries.push_back(std::move(entry));
  }
}

/// Opened files, and the examples.
void add_own_kernels(const Context& context, std::vector<Entry>& entries) {
  if (!starts_programs()) return;
  for (const std::string& name : context.workspace->opened()) {
    const kernel::Kernel& kernel = *context.workspace->find(name);
    entries.push_back({tr("kernel"),
                       opened_title(*context.workspace, kernel),
                       kernel.file.string(),
                       {session::Command(session::SetExploring{true}), session::Command(session::ChooseKernel{name})}});
  }
  for (const std::filesystem::path& file : example_files())
    entries.push_back({tr("example"),
                       file.filename().string(),
                       file.string(),
                       {session::Command(session::SetExploring{true}), FileCommand{OpenFile{file}}}});
}

/// The words in bold, which are those that the text introduces.
void add_bold(const lesson::Text& text, std::string& words) {
  for (const lesson::Block& block : text) {
    for (const lesson::Span& span : block.spans)
      if (span.bold) words += ' ' + span.text;
    add_bold(block.children, words);
  }
}

void add_lessons(const Context& context, std::vector<Entry>& entries) {
  if (!context.lessons) return;
  const std::vector<lesson::Lesson>& lessons = context.lessons->course().lessons;
  for (size_t i = 0; i < lessons.size(); ++i) {
    entries.push_back({tr("lesson"), fmt::format("{}  {}", i + 1, lessons[i].title), lessons[i].summary,
                       commands_to(*context.lessons, lessons[i], 0)});
    for (size_t step = 0; step < lessons[i].steps.size(); ++step) {
      std::string also = lessons[i].title;
      add_bold(lessons[i].steps[step].text, also);
      add_bold(lessons[i].steps[step].after, also);
      entries.push_back({tr("lesson"),
                         fmt::format("{}.{}  {}", i + 1, step + 1, lessons[i].steps[step].title),
                         lessons[i].title,
                         commands_to(*context.lessons, lessons[i], step),
                         {},
                         std::move(also)});
    }
  }
}

void add_plots(PlotsState& plots, std::vector<Entry>& entries) {
  for (const auto& named : plot_tabs())
    entries.push_back({tr("plot"), tr(std::string_view(named.second)), "", {}, [&plots, tab = named.first] {
                         plots.tab = tab, plots.asked_for = true;
                       }});
}

void add_settings(const Context& context, std::vector<Entry>& entries) {
  const session::State& state = context.workspace->state();
  const auto add = [&](const std::string& name, session::Command command) {
    entries.push_back({tr("setting"), name, "", {Command(std::move(command))}});
  };
  // Of a control that has a word of its own.
  const auto add_control = [&](const std::string& word, const std::string& does, session::Command command) {
    add(fmt::format("{}: {}", word, does), std::move(command));
  };
  add(tr("Light colours"), session::SetTheme{session::Theme::Light});
  add(tr("Dark colours"), session::SetTheme{session::Theme::Dark});
  add(state.still ? tr("Pictures move to their new place") : tr("No animation: pictures change at once"),
      session::SetStill{!state.still});
  add_control(tr("grid"), tr("The whole grid of blocks"), session::SetScale{session::Scale::Grid});
  add_control(tr("block"), tr("One block, coloured by warp"), session::SetScale{session::Scale::Block});
  add_control(tr("warp"), tr("One warp, coloured by lane"), session::SetScale{session::Scale::Warp});
  add_control(tr("thread"), tr("One thread: its operands and its sums"), session::SetScale{session::Scale::Thread});
  add_control(tr("Compare"), tr("A second kernel or other settings beside this one, stepped together"),
              session::SetCompare{context.workspace->experiments() < 2});
  add_control(tr("Present"), tr("The whole screen, in large type"), session::SetPresent{!state.present});
  if (state.present && context.lessons) entries.push_back({tr("setting"), tr(kCoverAnswer), "", {CoverAnswer{}}});
  add_control(tr("Explore"), tr(kExploreDoes), session::SetExploring{true});
  if (!context.workspace->no_clock())
    add_control(tr("clocks"), tr("The SM clock by clock, and back; the arrows then step by clock"),
                session::ShowClock{!state.clock});
  if (context.languages)
    for (const auto& words : *context.languages) {
      need_characters(context, words->name);
      add(words->name, session::SetLanguage{words->language});
    }
  if (context.measuring)
    for (const arch::Device& device : context.measuring->devices())
      add(fmt::format("{}  sm_{}", device.name, device.capability),
          session::SetArch{fmt::format("sm_{}", device.capability), device.name});
}

void add_words(const Context& context, std::vector<Entry>& entries) {
  for (const auto& [name, meaning] : window_words())
    entries.push_back({tr("word"), tr(std::string_view(name)), tr(std::string_view(meaning)), {}});
  if (!context.lessons) return;
  for (const lesson::Term& term : context.lessons->course().glossary.terms)
    entries.push_back({tr("word"), term.name, term.text, {}});
}

/// What a key does: a single one is pressed, several are to be read.
void add_keys(FinderState& kept, std::vector<Entry>& entries) {
  for (const Shortcut& shortcut : shortcuts()) {
    Entry entry{tr("key"),
                fmt::format("{}  {}", tr(std::string_view(shortcut.keys)), tr(std::string_view(shortcut.meaning))),
                "",
                {}};
    if (const std::optional<KeyPress> press = single_press(shortcut))
      entry.act = [&kept, press] { kept.press = press; };
    entries.push_back(std::move(entry));
  }
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Those in which every typed word occurs; first those whose name, or kind and name, begins with what is typed.
std::vector<Entry> found(const Context& context, FinderState& kept, PlotsState& plots) {
  std::vector<Entry> entries;
  add_kernels(context, entries);
  add_own_kernels(context, entries);
  add_plots(plots, entries);
  add_settings(context, entries);
  add_words(context, entries);
  add_keys(kept, entries);
  add_lessons(context, entries);
  const std::string wanted = lower(kept.typed);
  std::erase_if(entries, [&](const Entry& entry) {
    const std::string all = lower(fmt::format("{} {} {}", entry.kind, entry.name, entry.also));
    std::istringstream words(wanted);
    for (std::string word; words >> word;)
      if (all.find(word) == all.npos) return true;
    return false;
  });
  std::ranges::stable_partition(entries, [&](const Entry& entry) {
    return lower(entry.name).starts_with(wanted) || lower(entry.kind + " " + entry.name).starts_with(wanted);
  });
  return entries;
}

int move_choice(ImGuiInputTextCallbackData* data) {
  static_cast<FinderState*>(data->UserData)->moved = data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
  return 0;
}

/// As many as fit, with the chosen one among them; true if one is clicked, which is the chosen one then.
bool show_entries(const Context& context, const std::vector<Entry>& entries, FinderState& kept) {
  const int count = static_cast<int>(entries.size());
  const int first = std::clamp(kept.chosen - kMostShown / 2, 0, std::max(0, count - kMostShown));
  for (int i = first; i < std::min(count, first + kMostShown); ++i) {
    const Entry& entry = entries[static_cast<size_t>(i)];
    const PushedId id(i);
    const float left = ImGui::GetCursorPosX();
    const bool clicked = ImGui::Selectable("##entry", i == kept.chosen);
    context.note_widget("found " + entry.name);
    ImGui::SameLine(left);
    show_text(context, entry.kind, Ink::Faint);
    ImGui::SameLine(left + kKindWidth * context.scale);
    show_text(context, shortened(context, entry.name, kNameWidth * context.scale), Ink::Text);
    if (!clicked) continue;
    kept.chosen = i;
    return true;
  }
  return false;
}

}  // namespace

void switch_finder(FinderState& kept) {
  const bool open = !kept.open;
  kept = {};
  kept.open = kept.newly = open;
}

bool close_finder(FinderState& kept) { return std::exchange(kept.open, false); }

void show_finder(const Context& context, FinderState& kept, PlotsState& plots) {
  if (!kept.open) return;
  const PushedStyle rounding(ImGuiStyleVar_WindowRounding, 6 * context.scale);
  const PushedStyle border(ImGuiStyleVar_WindowBorderSize, 1);
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2(14 * context.scale, 12 * context.scale));
  const PushedColour ground(ImGuiCol_WindowBg, ImGui::GetColorU32(ImGuiCol_PopupBg));
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y * 0.15f}, ImGuiCond_Always, {0.5f, 0});
  ImGui::SetNextWindowSize({std::min(kWidth * context.scale, display.x - 32 * context.scale), 0});
  const Window window("##finder", ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove);
  show_text(context, tr("Kernels, lessons, plots, settings, words"), Ink::Faint);
  ImGui::SetNextItemWidth(-1);
  if (kept.newly) ImGui::SetKeyboardFocusHere();
  const std::string before = kept.typed;
  kept.moved = 0;
  const bool entered =
      ImGui::InputText("##find", &kept.typed,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory, move_choice, &kept);
  context.note_widget("find");
  const bool lost = !std::exchange(kept.newly, false) && ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                    !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows);
  const std::vector<Entry> entries = found(context, kept, plots);
  if (before != kept.typed) kept.chosen = 0;
  kept.chosen = std::clamp(kept.chosen + kept.moved, 0, std::max(0, static_cast<int>(entries.size()) - 1));
  const bool clicked = show_entries(context, entries, kept);
  if (entries.empty()) show_text(context, tr("Nothing of that name"), Ink::Faint);
  kept.newly = entered && entries.empty();
  if (lost) kept.open = false;
  if (entries.empty()) return;
  const Entry& chosen = entries[static_cast<size_t>(kept.chosen)];
  // A name that has no room in its row is below, too.
  const bool is_long = text_width(context, chosen.name) > kNameWidth * context.scale;
  const std::string below = (is_long ? chosen.name + '\n' : "") + chosen.text;
  if (!below.empty()) {
    ImGui::Separator();
    show_wrapped(context, with_breaks(below, (kWidth - 40) * context.scale), Ink::Text);
    context.note_place("meaning " + chosen.name);
  }
  if (!entered && !clicked) return;
  if (entered && chosen.commands.empty() && !chosen.act) kept.newly = true;  // A word stays to be read.
  if (chosen.commands.empty() && !chosen.act) return;
  kept.open = false;
  for (const Command& command : chosen.commands) context.send(command);
  if (chosen.act) chosen.act();
}

}  // namespace tilescope::ui
