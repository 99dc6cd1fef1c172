#include "ui/overlays.h"

#include <algorithm>
#include <span>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "base/words.h"
#include "ui/font_book.h"
#include "ui/scoped.h"
#include "ui/shortcut_list.h"

namespace tilescope::ui {
namespace {

constexpr double kNoticeSeconds = 6;

constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;

// The next window's place: `x` and `y` are parts of the display.
void place_next(const Context& context, float x, float y) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float margin = 16 * context.scale;
  ImGui::SetNextWindowPos({margin + (display.x - 2 * margin) * x, margin + (display.y - 2 * margin) * y},
                          ImGuiCond_Always, {x, y});
}

/// A column of that width.
void show_shortcuts(const Context& context, std::span<const Shortcut> shortcuts, float width) {
  const Group group;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  for (const Shortcut& shortcut : shortcuts) {
    ImGui::TextDisabled("%s", tr(std::string_view(shortcut.keys)).c_str());
    ImGui::SameLine(145 * context.scale);
    ImGui::TextUnformatted(tr(std::string_view(shortcut.meaning)).c_str());
  }
  ImGui::PopTextWrapPos();
}

}  // namespace

void Overlays::ask(Asked what, std::string suggestion) {
  asked_ = what;
  if (what == Asked::Path)
    file_.start(std::move(suggestion));
  else
    line_ = std::move(suggestion);
  asks_ = asks_newly_ = true;
}

bool Overlays::close() {
  const bool any = help_ || asks_ || !notice_.empty();
  if (asks_)
    asks_ = false;
  else if (help_)
    help_ = false;
  else
    notice_.clear();
  return any;
}

void Overlays::put(std::string sentence, bool stays) {
  notice_ = std::move(sentence);
  stays_ = stays;
  kernel_.clear();
  said_at_ = -1;
}

bool Overlays::let_pass(double now, const std::string& kernel) {
  if (notice_.empty()) return false;
  if (said_at_ < 0) said_at_ = now;
  const bool is_over = stays_ ? !kernel_.empty() && kernel_ != kernel : now - said_at_ >= kNoticeSeconds;
  if (!is_over) return false;
  notice_.clear();
  return true;
}

std::optional<std::pair<Asked, std::string>> Overlays::show(const Context& context, bool filmed) {
  const PushedStyle rounding(ImGuiStyleVar_WindowRounding, 6 * context.scale);
  const PushedStyle border(ImGuiStyleVar_WindowBorderSize, 1);
  const PushedColour ground(ImGuiCol_WindowBg, ImGui::GetColorU32(ImGuiCol_PopupBg));
  if (!notice_.empty() && !filmed) show_notice(context);
  if (help_) show_help(context);
  if (!asks_ || !show_field(context)) return std::nullopt;
  asks_ = false;
  return std::pair(asked_, asked_ == Asked::Path ? file_.path() : line_);
}

void Overlays::show_notice(const Context& context) {
  if (context.pictures) context.pictures->fonts->need(notice_);
  place_next(context, 0.5f, 1);
  const float most = std::min(ImGui::GetIO().DisplaySize.x - 64 * context.scale, 900 * context.scale);
  const float room = ImGui::CalcTextSize(notice_.c_str()).x;
  const Window window("##notice", kFlags);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::min(most, room + 1));
  ImGui::TextUnformatted(notice_.c_str());
  ImGui::PopTextWrapPos();
  context.note_place("notice");
  if (ImGui::IsWindowHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) notice_.clear();
}

void Overlays::show_help(const Context& context) {
  place_next(context, 0.5f, 0.4f);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, display.y - 32 * context.scale});
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(8 * context.scale, 3 * context.scale));
  const Window window("##help", kFlags & ~ImGuiWindowFlags_NoScrollbar);
  {
    const PushedFont title(context.fonts.bold);
    ImGui::TextUnformatted(tr("Keys"));
  }
  // In two columns, or it would be higher than a projector's picture.
  const std::vector<Shortcut>& all = shortcuts();
  const size_t half = (all.size() + 1) / 2;
  const float gap = 24 * context.scale, width = std::min(580 * context.scale, (display.x - 4 * gap) / 2);
  show_shortcuts(context, std::span(all).first(half), width);
  ImGui::SameLine(0, gap);
  show_shortcuts(context, std::span(all).subspan(half), width);
}

/// Whether the line was entered.
bool Overlays::show_field(const Context& context) {
  place_next(context, 0.5f, 0.3f);
  const Window window("##open", kFlags & ~ImGuiWindowFlags_NoFocusOnAppearing);
  if (asked_ == Asked::Path) {
    ImGui::TextUnformatted(tr("Open a saved state, a tour or a .cu file:"));
    return file_.show(context);
  }
  ImGui::TextUnformatted(tr("Add to the tour, with a line about what is on show:"));
  ImGui::SetNextItemWidth(520 * context.scale);
  if (asks_newly_) ImGui::SetKeyboardFocusHere();
  asks_newly_ = false;
  const bool entered = ImGui::InputText("##text", &line_, ImGuiInputTextFlags_EnterReturnsTrue);
  context.note_widget("tour text");
  ImGui::SameLine();
  const bool pressed = ImGui::Button((std::string(tr("Add")) + "###add").c_str());
  context.note_widget("add stop");
  return entered || pressed;
}

}  // namespace tilescope::ui
