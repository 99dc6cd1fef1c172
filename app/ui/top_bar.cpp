#include "ui/top_bar.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "arch/arch.h"
#include "base/process.h"
#include "base/words.h"
#include "draw/palette.h"
#include "kernel/configuration.h"
#include "ui/explain.h"
#include "ui/lesson_panel.h"
#include "ui/own_kernels.h"
#include "ui/scoped.h"
#include "ui/shortcut_list.h"
#include "ui/tabs.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using session::Progress;
using session::Workspace;
using view::Ink;

/// After the name of a kernel that the user has edited, or that is shown with a text that came with a tour or a state.
std::string edited_mark(const Workspace& workspace, const kernel::Kernel& kernel) {
  const bool shown = workspace.current().edited() && workspace.current().kernel().name == kernel.name;
  return shown || workspace.edit_of(kernel.name) ? fmt::format("  \u25cf {}", tr("edited")) : "";
}

std::string number_and_title(const kernel::Kernel& kernel) {
  const std::string title = tr(std::string_view(kernel.description.title));
  return kernel.number > 0 ? fmt::format("{}  {}", kernel.number, title) : title;
}

constexpr const char *kLesson = tr_later("Lesson"), *kExplore = tr_later("Explore");

bool has_lessons(const Context& context) { return context.lessons && !context.lessons->course().lessons.empty(); }

/// Of the switch between the course and all panels, with the gap after it.
float mode_width(const Context& context) {
  if (!has_lessons(context)) return 0;
  return chip_size(context, kLesson).x + chip_size(context, kExplore).x + 22 * context.scale;
}

void show_mode(const Context& context) {
  if (!has_lessons(context)) return;
  const bool in_lesson = context.workspace->state().in_lesson();
  const bool lesson = show_named_chip(context, "lesson", tr(kLesson), in_lesson);
  ImGui::SameLine(0, 4 * context.scale);
  const bool explore = show_named_chip(context, "explore", tr(kExplore), !in_lesson);
  ImGui::SameLine(0, 18 * context.scale);
  if ((lesson && !in_lesson) || (explore && in_lesson))
    for (Command& command : lesson_switch(*context.workspace, context.lessons)) context.send(std::move(command));
}

/// The stage's name, as much as fits before `right`; a click opens the list of all.
void show_stages(const Context& context, float right) {
  const Workspace& workspace = *context.workspace;
  const draw::Palette& palette = *context.palette;
  bool clicked = false;
  {
    const PushedFont bold(context.fonts.bold);
    // A state may name a kernel that does not exist.
    const kernel::Kernel& current = workspace.current().kernel();
    const std::string known = number_and_title(current) + edited_mark(workspace, current);
    const float arrow = 10 * context.scale, gap = 10 * context.scale;
    const std::string title =
        shortened(context, known.empty() ? tr("Choose a kernel") : known, right - ImGui::GetCursorPosX() - gap - arrow);
    const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(title.c_str());
    const ImVec2 whole{size.x + gap + arrow, size.y + 8 * context.scale};
    clicked = ImGui::InvisibleButton("stages", whole);
    context.note_widget("stages");
    explain(context, "stages");
    const float y = at.y + 4 * context.scale;
    ImGui::GetWindowDrawList()->AddText({at.x, y}, palette({Ink::Strong}), title.c_str());
    draw_arrow_down(context, {at.x + size.x + gap + arrow / 2, y + size.y / 2},
                    ImGui::IsItemHovered() ? Ink::Strong : Ink::Faint);
  }
  const Popup popup("all stages", clicked, context.scale);
  if (!popup) return;
  for (const kernel::Kernel& kernel : workspace.catalogue().kernels) {
    const bool now = kernel.name == workspace.current().inputs().kernel;
    if (ImGui::MenuItem((number_and_title(kernel) + edited_mark(workspace, kernel)).c_str(), nullptr, now))
      context.send(session::ChooseKernel{kernel.name});
    context.note_widget("stage " + kernel.name);
  }
  if (!starts_programs()) return;
  ImGui::Separator();
  for (const std::string& name : workspace.opened()) {
    const PushedId id(name.c_str());
    const kernel::Kernel& kernel = *workspace.find(name);
    if (ImGui::MenuItem((opened_title(workspace, kernel) + edited_mark(workspace, kernel)).c_str(), nullptr,
                        name == workspace.current().inputs().kernel))
      context.send(session::ChooseKernel{name});
    context.note_widget("opened " + name);
  }
  if (ImGui::BeginMenu(tr("Examples"))) {
    for (const std::filesystem::path& file : example_files()) {
      if (ImGui::MenuItem(file.filename().string().c_str())) context.send(FileCommand{OpenFile{file}});
      context.note_widget("example " + file.filename().string());
    }
    ImGui::EndMenu();
  }
  context.note_widget("Examples");
  if (ImGui::MenuItem(tr("Open my program"), key_of("open my program").c_str()))
    context.send(FileCommand{AskForFile{}});
  context.note_widget("open my program");
  explain(context, "open my program");
}

/// The devices that figures were recorded on.
std::set<std::string> recorded_devices(const Context& context) {
  std::set<std::string> names;
  for (const store::Measurement& figure : context.measuring->figures())
    if (figure.provenance == store::Provenance::Recorded) names.insert(figure.subject.device);
  std::set<std::string> devices;
  for (const std::string& name : names)
    if (const Result<arch::Device> device = arch::find_device(context.measuring->devices(), name))
      devices.insert(device->name);
  return devices;
}

/// The device that bounds and times are of.
std::optional<arch::Device> chosen_device(const session::State& state) {
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(state.arch));
  return limits ? arch::device_of(*limits, state.device) : std::nullopt;
}

/// Devices in the order of their architectures.
void show_devices(const Context& context) {
  if (!context.measuring) return;
  const std::optional<arch::Device> now = chosen_device(context.workspace->state());
  const std::set<std::string> recorded = recorded_devices(context);
  std::vector<arch::Device> devices(context.measuring->devices().begin(), context.measuring->devices().end());
  std::ranges::stable_sort(devices, {}, &arch::Device::capability);
  for (const arch::Device& device : devices) {
    const std::string arch = fmt::format("sm_{}", device.capability);
    const char* figures = recorded.contains(device.name) ? tr("recorded figures") : tr("bounds and predictions only");
    if (ImGui::MenuItem(fmt::format("{}   {}", arch, device.name).c_str(), figures, now && now->name == device.name))
      context.send(session::SetArch{arch, device.name});
    context.note_widget("device " + device.name);
  }
}

/// Architecture and device; with `sizes` the size and the block, too.
void show_run_menu(const Context& context, bool clicked, ParametersState* sizes) {
  const PushedColour fields(ImGuiCol_FrameBg, (*context.palette)({Ink::Window}));
  const Popup popup("size and block", clicked, context.scale);
  if (!popup) return;
  if (sizes) show_sizes_and_block(context, context.workspace->chosen(), *sizes);
  if (sizes) ImGui::Separator();
  show_devices(context);
}

constexpr const char* kSizes = tr_later("sizes");

float badge_width(const Context& context, const std::string& kind, const std::string& text, bool opens) {
  return chip_size(context, tr(std::string_view(kind)) + text).x + (opens ? 26 : 8) * context.scale;
}

/// The menu's name of a choice; empty if this machine does not have it.
std::string compiler_name(compile::Choice choice, const session::Compilers& found) {
  switch (choice) {
    case compile::Choice::Automatic: return tr("automatic");
    case compile::Choice::Nvrtc: return found.nvrtc;
    case compile::Choice::Prebuilt: return tr("prebuilt PTX");
    case compile::Choice::Clang: return found.clang;
    case compile::Choice::Nvcc: return found.nvcc;
  }
  return {};
}

/// Chooses the compiler from now on.
void show_compilers(const Context& context, bool clicked) {
  using compile::Choice;
  const Popup popup("compilers", clicked && starts_programs(), context.scale);
  if (!popup) return;
  const session::Compilers* found = context.workspace->compilers();
  if (!found) {
    context.send(session::FindCompilers{});
    ImGui::TextUnformatted(tr("looking for compilers"));
    return;
  }
  for (const Choice choice : {Choice::Automatic, Choice::Nvcc, Choice::Nvrtc, Choice::Prebuilt, Choice::Clang}) {
    const std::string name = compiler_name(choice, *found);
    if (name.empty()) continue;
    if (ImGui::MenuItem(name.c_str(), nullptr, choice == context.workspace->state().compiler))
      context.send(session::SetCompiler{choice});
    context.note_widget(fmt::format("compiler {}", to_string(choice)));
  }
}

/// The run of the figures on screen, as much as fits before `right`; a click opens the choice of its architecture, with
/// `sizes` of its size and block, too.
void show_origin(const Context& context, ParametersState* sizes, float right) {
  const session::Experiment& experiment = context.workspace->current();
  const auto& traced = experiment.traced();
  constexpr const char *kCounted = tr_later("counted"), *kCompiled = tr_later("compiled by");
  const auto fits = [&](const std::string& kind, const std::string& text, bool opens) {
    return ImGui::GetCursorPosX() + badge_width(context, kind, text, opens) < right;
  };
  const compile::Choice chosen = context.workspace->state().compiler;
  // The first run may have failed because the chosen compiler is missing.
  if (!traced && chosen == compile::Choice::Automatic) return;
  ImGui::SameLine(0, 18 * context.scale);
  if (!traced)
    return show_compilers(
        context, show_badge(context, kCompiled, std::string(to_string(chosen)), Ink::Faint, starts_programs()));
  const std::string block = position_text(position_in(traced->report.grid, traced->block));
  const std::string size = kernel::short_size_text(traced->report.extents, traced->report.size);
  std::string arch = kernel::compiled_arch(traced->request().kernel.description, traced->report.arch);
  if (const std::string& device = traced->request().device; !device.empty()) arch = fmt::format("{} {}", device, arch);
  std::string run =
      size.empty() ? tr_format("{} · block {}", arch, block) : tr_format("{} · {} · block {}", arch, size, block);
  if (!fits(kCounted, run, true)) run = size;
  const bool badge = fits(kCounted, run, true);
  if (!sizes && !badge) return;
  const bool clicked = badge ? show_badge(context, kCounted, run, Ink::Text, true) : show_chip(context, kSizes);
  show_run_menu(context, clicked, sizes);
  ImGui::SameLine(0, 10 * context.scale);
  const std::string compiler = tr(std::string_view(traced->report.compiled_by));
  if (fits(kCompiled, compiler, true))
    show_compilers(context, show_badge(context, kCompiled, compiler, Ink::Faint, starts_programs()));
}

constexpr float kMostVerdict = 320;

/// What the run is, in as much room as there is: "C is wrong · 2 races". A disc for right and a triangle for wrong.
std::string verdict_text(const Context& context, const view::FindingList& list) {
  const float part = context.workspace->state().present ? 0.3f : 0.22f;  // In a presentation no switches are beside it.
  return shortened(context, list.verdict, std::min(kMostVerdict * context.scale, ImGui::GetWindowWidth() * part));
}

/// The last run's, while a newer one is under way; not of one that has failed.
bool has_verdict(const Context& context, const TopBarSwitches& switches) {
  return switches.findings && context.workspace->current().progress() != Progress::Failed;
}

float verdict_width(const Context& context, const TopBarSwitches& switches) {
  if (!has_verdict(context, switches)) return 0;
  return chip_size(context, "").x + text_width(context, verdict_text(context, *switches.findings)) + 34 * context.scale;
}

/// A click opens the findings.
void show_verdict(const Context& context, const TopBarSwitches& switches) {
  if (!has_verdict(context, switches)) return;
  ImGui::SameLine(0, 18 * context.scale);
  const draw::Palette& palette = *context.palette;
  const view::FindingList& list = *switches.findings;
  const Progress progress = context.workspace->current().progress();
  const std::string words = verdict_text(context, list);
  const bool current = progress != Progress::Tracing;
  const Ink ink = !current                                      ? Ink::Faint
                  : list.wrong                                  ? Ink::Bad
                  : progress == Progress::Idle && list.verified ? Ink::Good
                                                                : Ink::Faint;
  const float mark = 10 * context.scale, gap = 6 * context.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos(), text = ImGui::CalcTextSize(words.c_str());
  const ImVec2 size{chip_size(context, "").x + mark + gap + text.x, chip_size(context, words).y};
  if (ImGui::InvisibleButton("verdict", size)) *switches.opens_findings = true;
  context.note_widget("verdict");
  explain(context, "verdict");
  ImDrawList& painter = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  if (list.wrong || ImGui::IsItemHovered())
    painter.AddRectFilled(at, end, palette({ink, ImGui::IsItemHovered() ? 0.3f : 0.18f}), size.y / 2);
  painter.AddRect(at, end, palette({ink}), size.y / 2, 0, context.scale);
  const ImVec2 corner{at.x + 12 * context.scale, at.y + (size.y - mark) / 2};
  if (list.wrong)
    draw_warning(painter, corner, mark, palette({ink}));
  else
    painter.AddCircleFilled({corner.x + mark / 2, corner.y + mark / 2}, mark * 0.4f, palette({ink}));
  painter.AddText({corner.x + mark + gap, at.y + 4 * context.scale}, palette({list.wrong ? Ink::Strong : Ink::Text}),
                  words.c_str());
}

const char* progress_text(Progress progress) {
  switch (progress) {
    case Progress::Idle: return "";
    case Progress::Tracing: return tr("running");
    case Progress::Counting: return tr("counting the whole grid");
    case Progress::Checking: return tr("checking");
    case Progress::Failed: return tr("not run");
  }
  return "";
}

void show_progress(const Context& context) {
  const Progress progress = context.workspace->current().progress();
  if (progress == Progress::Idle) return;
  ImGui::SameLine(0, 14 * context.scale);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + 4 * context.scale);
  const PushedColour colour(ImGuiCol_Text,
                            (*context.palette)({progress == Progress::Failed ? Ink::Warning : Ink::Faint}));
  ImGui::TextUnformatted(progress_text(progress));
}

float experiments_width(const Context& context) {
  if (context.workspace->experiments() < 2) return 0;
  return chip_size(context, side_word(0)).x + chip_size(context, side_word(1)).x + 24 * context.scale;
}

/// The two compared experiments; the right column belongs to the one that is on.
void show_experiments(const Context& context) {
  if (context.workspace->experiments() < 2) return;
  for (const int index : {0, 1}) {
    ImGui::SameLine(0, index == 0 ? 18 * context.scale : 6 * context.scale);
    if (show_chip(context, side_word(index), context.workspace->chosen() == index))
      context.send(session::ChooseExperiment{index});
  }
}

/// The window's language; null if there is no choice.
const Language* language_now(const Context& context) {
  if (!context.languages || context.languages->size() < 2) return nullptr;
  for (const auto& words : *context.languages)
    if (words->language == context.workspace->state().language) return words.get();
  return context.languages->front().get();
}

constexpr float kRoomForAll = 900;

float language_width(const Context& context) {
  const Language* words = language_now(context);
  const bool room = ImGui::GetWindowWidth() > kRoomForAll * context.scale;
  return words && room && !context.workspace->state().present ? chip_size(context, words->name).x + 8 * context.scale
                                                              : 0;
}

/// A click opens the list of all.
void show_language(const Context& context) {
  if (language_width(context) == 0) return;
  const bool clicked = show_chip(context, language_now(context)->name);
  context.note_widget("language");
  if (const Popup popup("languages", clicked, context.scale); popup)
    for (const auto& words : *context.languages) {
      need_characters(context, words->name);
      if (ImGui::MenuItem(words->name.c_str(), nullptr, words.get() == language_now(context)))
        context.send(session::SetLanguage{words->language});
      context.note_widget("language " + words->language);
    }
  ImGui::SameLine(0, 8 * context.scale);
}

constexpr float kRoomForKeys = 1000;

/// One of the buttons at the right end.
struct Switch {
  std::string name, words;
  bool on = false;
  std::function<void()> press;
};

/// In a narrow window without their keys, and only those that Ctrl K does not replace.
std::vector<Switch> switches_now(const Context& context, bool* large_plots) {
  const session::State& state = context.workspace->state();
  const bool comparing = context.workspace->experiments() == 2, light = state.theme == session::Theme::Light;
  const auto has_room = [&](float room) { return state.present || ImGui::GetWindowWidth() > room * context.scale; };
  std::vector<Switch> switches;
  const auto add = [&](const char* word, bool on, std::function<void()> press) {
    switches.push_back({word, has_room(kRoomForKeys) ? with_key(word) : tr(word), on, std::move(press)});
  };
  if (large_plots) add(tr_later("Plots"), *large_plots, [large_plots] { *large_plots = !*large_plots; });
  if (has_room(kRoomForAll)) {
    add(tr_later("Compare"), comparing, [&context, comparing] { context.send(session::SetCompare{!comparing}); });
    add(light ? tr_later("Dark") : tr_later("Light"), false,
        [&context, light] { context.send(session::SetTheme{light ? session::Theme::Dark : session::Theme::Light}); });
  }
  add(tr_later("Present"), state.present, [&context, on = !state.present] { context.send(session::SetPresent{on}); });
  switches.push_back({"keys", "?", false, [&context] { context.send(ShowKeys{}); }});
  return switches;
}

/// Where the switches begin.
float switches_left(const Context& context, bool* large_plots) {
  // In a presentation, where it comes and goes, it is with the other switches: nothing else moves then.
  float width = context.workspace->state().present ? mode_width(context) : 0;
  width += language_width(context);
  for (const Switch& each : switches_now(context, large_plots))
    width += chip_size(context, each.words).x + 8 * context.scale;
  return ImGui::GetWindowWidth() - width - 12 * context.scale;
}

void show_switches(const Context& context, bool* large_plots) {
  ImGui::SameLine();
  ImGui::SetCursorPos({switches_left(context, large_plots), ImGui::GetCursorStartPos().y});
  if (context.workspace->state().present) show_mode(context);
  show_language(context);
  for (const Switch& each : switches_now(context, large_plots)) {
    if (show_named_chip(context, each.name, each.words, each.on)) each.press();
    ImGui::SameLine(0, 8 * context.scale);
  }
}

/// The shown step of a lesson, and the way to the next.
void show_lesson(const Context& context, float right) {
  ImGui::SameLine(0, 24 * context.scale);
  ImGui::SetCursorPosY(ImGui::GetCursorStartPos().y);
  show_lesson_line(context, right - ImGui::GetCursorPosX() - 18 * context.scale);
}

constexpr float kPresentedTitle = 0.27f;  ///< Of the width: nothing beside it moves when the switches come.

/// The edge of the screen counts as well.
bool is_mouse_in_bar() {
  const float y = ImGui::GetMousePos().y;
  return ImGui::IsMousePosValid() && y >= 0 && y < ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
}

}  // namespace

void show_top_bar(const Context& context, const TopBarSwitches& switches) {
  const bool present = context.workspace->state().present;
  // A presentation shows only its subject until the mouse comes near.
  const bool has_switches = !present || is_mouse_in_bar();
  const float end = has_switches ? switches_left(context, switches.large_plots) : ImGui::GetWindowWidth();
  const float right = end - experiments_width(context);
  const float sizes = switches.sizes ? chip_size(context, kSizes).x + 28 * context.scale : 0;
  if (!present) show_mode(context);
  show_stages(context,
              present ? ImGui::GetWindowWidth() * kPresentedTitle : right - sizes - verdict_width(context, switches));
  show_verdict(context, switches);
  if (!present) show_origin(context, switches.sizes, right - 8 * context.scale);
  show_experiments(context);
  show_progress(context);
  if (present) show_lesson(context, right);
  if (has_switches) show_switches(context, switches.large_plots);
}

}  // namespace tilescope::ui
