#include "ui/top_bar.h"

#include <array>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "draw/palette.h"
#include "kernel/configuration.h"
#include "ui/lesson_panel.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using session::Progress;
using session::Workspace;
using view::Ink;

std::string number_and_title(const kernel::Kernel& kernel) {
  const std::string title = tr(std::string_view(kernel.description.title));
  return kernel.number > 0 ? fmt::format("{}  {}", kernel.number, title) : title;
}

/// The stage's name, as much as fits before `right`; a click opens the list of all.
void show_stages(const Context& context, float right) {
  const Workspace& workspace = *context.workspace;
  const draw::Palette& palette = *context.palette;
  bool clicked = false;
  {
    const PushedFont bold(context.fonts.bold);
    // A state may name a kernel that does not exist.
    const std::string known = number_and_title(workspace.current().kernel());
    const float arrow = 10 * context.scale, gap = 10 * context.scale;
    const std::string title =
        shortened(context, known.empty() ? tr("Choose a kernel") : known, right - ImGui::GetCursorPosX() - gap - arrow);
    const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(title.c_str());
    const ImVec2 whole{size.x + gap + arrow, size.y + 8 * context.scale};
    clicked = ImGui::InvisibleButton("stages", whole);
    context.note_widget("stages");
    const float y = at.y + 4 * context.scale;
    ImGui::GetWindowDrawList()->AddText({at.x, y}, palette({Ink::Strong}), title.c_str());
    draw_arrow_down(context, {at.x + size.x + gap + arrow / 2, y + size.y / 2},
                    ImGui::IsItemHovered() ? Ink::Strong : Ink::Faint);
  }
  const Popup popup("all stages", clicked, context.scale);
  if (!popup) return;
  for (const kernel::Kernel& kernel : workspace.catalogue().kernels) {
    const bool now = kernel.name == workspace.current().inputs().kernel;
    if (ImGui::MenuItem(number_and_title(kernel).c_str(), nullptr, now))
      context.send(session::ChooseKernel{kernel.name});
    context.note_widget("stage " + kernel.name);
  }
}

std::string size_text(const kernel::Size& size) {
  return size.m == size.n && size.n == size.k ? fmt::format("{}³", size.m)
                                              : fmt::format("{} × {} × {}", size.m, size.n, size.k);
}

void show_size_popup(const Context& context, bool clicked, ParametersState& sizes) {
  const PushedColour fields(ImGuiCol_FrameBg, (*context.palette)({Ink::Window}));
  const Popup popup("size and block", clicked, context.scale);
  if (popup) show_sizes_and_block(context, context.workspace->chosen(), sizes);
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
  }
  return {};
}

/// Chooses the compiler from now on.
void show_compilers(const Context& context, bool clicked) {
  using compile::Choice;
  const Popup popup("compilers", clicked, context.scale);
  if (!popup) return;
  const session::Compilers* found = context.workspace->compilers();
  if (!found) {
    context.send(session::FindCompilers{});
    ImGui::TextUnformatted(tr("looking for compilers"));
    return;
  }
  for (const Choice choice : {Choice::Automatic, Choice::Nvrtc, Choice::Prebuilt, Choice::Clang}) {
    const std::string name = compiler_name(choice, *found);
    if (name.empty()) continue;
    if (ImGui::MenuItem(name.c_str(), nullptr, choice == context.workspace->state().compiler))
      context.send(session::SetCompiler{choice});
    context.note_widget(fmt::format("compiler {}", to_string(choice)));
  }
}

/// The run of the figures on screen, as much as fits before `right`; with `sizes`, a click opens the size and block of
/// that run.
void show_origin(const Context& context, ParametersState* sizes, float right) {
  const session::Experiment& experiment = context.workspace->current();
  const auto& traced = experiment.scene();
  constexpr const char *kCounted = tr_later("counted"), *kCompiled = tr_later("compiled by");
  const auto fits = [&](const std::string& kind, const std::string& text, bool opens) {
    return ImGui::GetCursorPosX() + badge_width(context, kind, text, opens) < right;
  };
  const compile::Choice chosen = context.workspace->state().compiler;
  // The first run may have failed because the chosen compiler is missing.
  if (!traced && chosen == compile::Choice::Automatic) return;
  ImGui::SameLine(0, 18 * context.scale);
  if (!traced)
    return show_compilers(context, show_badge(context, kCompiled, std::string(to_string(chosen)), Ink::Faint, true));
  const std::string block = position_text(position_in(traced->report.grid, traced->block));
  const std::string size = size_text(traced->report.size);
  const std::string arch = kernel::compiled_arch(traced->request().kernel.description, traced->report.arch);
  std::string run = tr_format("{} · {} · block {}", arch, size, block);
  if (!fits(kCounted, run, sizes != nullptr)) run = size;
  const bool badge = fits(kCounted, run, sizes != nullptr);
  if (!sizes && !badge) return;
  const bool clicked =
      badge ? show_badge(context, kCounted, run, Ink::Good, sizes != nullptr) : show_chip(context, kSizes);
  if (sizes) show_size_popup(context, clicked, *sizes);
  ImGui::SameLine(0, 10 * context.scale);
  const std::string compiler = tr(std::string_view(traced->report.compiled_by));
  if (fits(kCompiled, compiler, true))
    show_compilers(context, show_badge(context, kCompiled, compiler, Ink::Faint, true));
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

constexpr const char *kLeft = tr_later("Left"), *kRight = tr_later("Right");
constexpr const char* kPlots = tr_later("Plots  F6");

float experiments_width(const Context& context) {
  if (context.workspace->experiments() < 2) return 0;
  return chip_size(context, kLeft).x + chip_size(context, kRight).x + 24 * context.scale;
}

/// The two compared experiments; the right column belongs to the one that is on.
void show_experiments(const Context& context) {
  if (context.workspace->experiments() < 2) return;
  for (const int index : {0, 1}) {
    ImGui::SameLine(0, index == 0 ? 18 * context.scale : 6 * context.scale);
    if (show_chip(context, index == 0 ? kLeft : kRight, context.workspace->chosen() == index))
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

constexpr float kRoomForLanguage = 760;

float language_width(const Context& context) {
  const Language* words = language_now(context);
  const bool room = ImGui::GetWindowWidth() > kRoomForLanguage * context.scale;
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

/// In English.
std::array<const char*, 3> switch_words(const session::State& state) {
  return {tr_later("Compare"), state.theme == session::Theme::Light ? tr_later("Dark") : tr_later("Light"),
          tr_later("Present  F11")};
}

/// Where the switches begin.
float switches_left(const Context& context, const bool* large_plots) {
  float width = language_width(context) + (large_plots ? chip_size(context, kPlots).x + 8 * context.scale : 0);
  for (const char* word : switch_words(context.workspace->state()))
    width += chip_size(context, word).x + 8 * context.scale;
  return ImGui::GetWindowWidth() - width - 12 * context.scale;
}

void show_switches(const Context& context, bool* large_plots) {
  const session::State& state = context.workspace->state();
  const bool comparing = context.workspace->experiments() == 2, light = state.theme == session::Theme::Light;
  const auto words = switch_words(state);
  ImGui::SameLine();
  ImGui::SetCursorPos({switches_left(context, large_plots), ImGui::GetCursorStartPos().y});
  show_language(context);
  if (large_plots && show_chip(context, kPlots, *large_plots)) *large_plots = !*large_plots;
  if (large_plots) ImGui::SameLine(0, 8 * context.scale);
  if (show_chip(context, words[0], comparing)) context.send(session::SetCompare{!comparing});
  ImGui::SameLine(0, 8 * context.scale);
  if (show_chip(context, words[1]))
    context.send(session::SetTheme{light ? session::Theme::Dark : session::Theme::Light});
  ImGui::SameLine(0, 8 * context.scale);
  if (show_chip(context, words[2], state.present)) context.send(session::SetPresent{!state.present});
}

/// The shown step of a lesson, and the way to the next.
void show_lesson(const Context& context, float right) {
  ImGui::SameLine(0, 24 * context.scale);
  ImGui::SetCursorPosY(ImGui::GetCursorStartPos().y);
  show_lesson_line(context, right - ImGui::GetCursorPosX() - 18 * context.scale);
}

/// The edge of the screen counts as well.
bool is_mouse_in_bar() {
  const float y = ImGui::GetMousePos().y;
  return ImGui::IsMousePosValid() && y >= 0 && y < ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
}

}  // namespace

void show_top_bar(const Context& context, const TopBarSwitches& switches) {
  const bool present = context.workspace->state().present;
  const float right = switches_left(context, switches.large_plots) - experiments_width(context);
  const float sizes = switches.sizes ? chip_size(context, kSizes).x + 28 * context.scale : 0;
  show_stages(context, right - sizes);
  if (!present) show_origin(context, switches.sizes, right);
  show_experiments(context);
  show_progress(context);
  if (present) show_lesson(context, right);
  // A presentation shows only its subject until the mouse comes near.
  if (!present || is_mouse_in_bar()) show_switches(context, switches.large_plots);
}

}  // namespace tilescope::ui
