#include "ui/tooltip.h"

#include <imgui.h>

#include "base/words.h"
#include "ui/scoped.h"
#include "ui/text.h"
#include "ui/window_words.h"
#include "view/code/code_names.h"
#include "wording/finding.h"

namespace tilescope::ui {
namespace {

constexpr double kDelaySeconds = 0.25;
constexpr float kWidest = 420;

void ask_for_frame(const Context& context) {
  if (context.moving) *context.moving = true;
}

/// What a kind of finding is; empty for another name.
std::string finding_words(const std::string& name) {
  for (size_t i = 0; i < analysis::kFindingKinds; ++i)
    if (const auto kind = static_cast<analysis::FindingKind>(i); to_string(kind) == name)
      return wording::meaning_of(kind);
  return {};
}

/// As the window or the course explains it; else a name of the PTX on screen.
view::TooltipText meaning_of(const Context& context, const std::string& name) {
  if (const WindowWord* word = find_window_word(name))
    return {tr(std::string_view(word->name)), view::Ink::Strong, {tr(std::string_view(word->meaning))}};
  if (const std::string words = finding_words(name); !words.empty())
    return {tr(std::string_view(name)), view::Ink::Strong, {words}};
  if (const lesson::Term* term = context.lessons ? context.lessons->course().glossary.find(name) : nullptr)
    return {term->name, view::Ink::Strong, {term->text}};
  const auto& traced = context.workspace->current().traced();
  std::vector<std::string> words = traced ? view::ptx_name_words(name, traced->function()) : std::vector<std::string>();
  return words.empty() ? view::TooltipText{} : view::TooltipText{name, view::Ink::Strong, std::move(words)};
}

/// The text, and another frame if more of it is coming.
view::TooltipText text_of(const Context& context, const session::Target& target, int experiment,
                          view::ElementUses& uses) {
  if (target.kind == session::Target::Kind::Word) return meaning_of(context, target.array);
  const view::Focus focus = focus_of(context, experiment);
  if (!focus.traced) return {};
  view::TooltipText text = view::tooltip(target, focus, uses);
  if (target.kind == session::Target::Kind::Element && !uses.complete()) ask_for_frame(context);
  return text;
}

}  // namespace

void place_tooltip(float y, float pivot) {
  const float x = ImGui::GetMousePos().x;
  const bool at_right = x > ImGui::GetIO().DisplaySize.x / 2;
  ImGui::SetNextWindowPos({x, y}, ImGuiCond_Always, {at_right ? 1.0f : 0.0f, pivot});
}

void show_tooltip_text(const Context& context, const view::TooltipText& text) {
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2(12 * context.scale, 9 * context.scale));
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(8 * context.scale, 3 * context.scale));
  const Tooltip tooltip;
  need_characters(context, text.title);
  show_text(context, text.title, text.ink, context.fonts.bold);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + kWidest * context.scale);
  for (const std::string& line : text.lines) {
    need_characters(context, line);
    const PushedFont font(context.fonts.text);
    show_text(context, with_breaks(line, kWidest * context.scale), view::Ink::Text);
  }
  ImGui::PopTextWrapPos();
}

void show_tooltip(const Context& context, TooltipState& kept, int experiment) {
  const double now = ImGui::GetTime();
  if (context.hover != kept.target || experiment != kept.experiment) {
    kept.target = context.hover;
    kept.experiment = experiment;
    kept.since = now;
  }
  if (!kept.target || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  if (now - kept.since < kDelaySeconds) return ask_for_frame(context);
  const view::TooltipText text = text_of(context, kept.target, experiment, kept.uses);
  if (!text) return;
  // Below a slider are the rules that its values break.
  if (kept.target.kind == session::Target::Kind::Parameter)
    place_tooltip(ImGui::GetMousePos().y - 14 * context.scale, 1);
  show_tooltip_text(context, text);
}

}  // namespace tilescope::ui
