#include "ui/code.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using session::Target;
using view::CodeSide;
using view::Ink;

constexpr float kSourceShare = 0.54f;  // Of the height, where the PTX stands below the source.
constexpr float kSideBySide = 700;  ///< Width from which both texts stand beside each other.
constexpr float kGutter = 46, kFigures = 60;
constexpr int kTab = 2;  ///< NVRTC sets a tab before and after every opcode.

/// One of the two texts, and all that its lines need to be drawn.
struct Side {
  const CodeSide* code = nullptr;
  Target::Kind kind = Target::Kind::SourceLine;
  int current = 0;
  const std::vector<int>* lit = nullptr;      ///< Ascending.
  const std::vector<int>* related = nullptr;  ///< Of the cursor's line in the other text; may be null.
  const std::vector<analysis::Finding>* findings = nullptr;
  bool is_source() const { return kind == Target::Kind::SourceLine; }
};

bool holds(const std::vector<int>* lines, int line) {
  return lines && std::binary_search(lines->begin(), lines->end(), line);
}

/// Columns that the first bytes of a line take, tabs filled up.
int column_of(const std::string& line, size_t bytes) {
  int column = 0;
  for (size_t i = 0; i < std::min(bytes, line.size()); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (c == '\t')
      column += kTab - column % kTab;
    else if ((c & 0xC0) != 0x80)
      ++column;
  }
  return column;
}

int longest_line(const view::CodeText& text) {
  int longest = 0;
  for (const std::string& line : text.lines) longest = std::max(longest, column_of(line, line.size()));
  return longest;
}

/// ImGui rounds the width of a text up to whole pixels.
float character_width() {
  static const std::string many(64, '0');
  return ImGui::CalcTextSize(many.c_str()).x / static_cast<float>(many.size());
}

/// Draws the lines of one side.
class Lines {
 public:
  Lines(const Context& context, const Side& side)
      : context_(context),
        side_(side),
        list_(*ImGui::GetWindowDrawList()),
        left_(ImGui::GetWindowPos().x),
        right_(left_ + ImGui::GetWindowWidth() - (ImGui::GetScrollMaxY() > 0 ? ImGui::GetStyle().ScrollbarSize : 0)),
        height_(ImGui::GetTextLineHeight() + 4 * context.scale),
        character_(character_width()) {}

  float height() const { return height_; }

  void show(int line) {
    const float code_width = (kGutter + kFigures) * context_.scale +
                             static_cast<float>(column_of(text(line), text(line).size()) + 1) * character_;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const PushedId id(line);
    const bool clicked = ImGui::InvisibleButton("line", {std::max(code_width, right_ - left_), height_});
    if (context_.widgets) note_line(line, at);
    react(line, clicked);
    draw(line, at);
  }

 private:
  const std::string& text(int line) const { return side_.code->text.lines[static_cast<size_t>(line) - 1]; }
  float gutter() const { return left_ + kGutter * context_.scale; }

  void note_line(int line, ImVec2 at) const {
    context_.widgets->push_back(
        {fmt::format("{} {}", side_.is_source() ? "line" : "PTX line", line), {left_, at.y, right_ - left_, height_}});
  }

  void react(int line, bool clicked) const {
    if (!ImGui::IsItemHovered()) return;
    if (context_.hover_next) *context_.hover_next = {side_.kind, Space::None, "", static_cast<uint64_t>(line), 0};
    show_findings_of(line);
    if (!clicked || !side_.is_source()) return;
    if (ImGui::GetMousePos().x < gutter() - 6 * context_.scale)
      context_.send(session::ToggleBreakpoint{line});
    else
      choose(line);
  }

  void choose(int line) const {
    context_.send(session::GoToLine{line});
    if (context_.picks_line)
      context_.send(session::Pin{{Target::Kind::SourceLine, Space::None, "", static_cast<uint64_t>(line), 0}});
  }

  bool is_flagged(int line) const { return !context_.cover.findings && !side_.code->of(line).findings.empty(); }

  void show_findings_of(int line) const {
    if (!is_flagged(line)) return;
    const Tooltip tooltip;
    ImGui::PushTextWrapPos(420 * context_.scale);
    for (const uint32_t i : side_.code->of(line).findings) {
      const analysis::Finding& finding = (*side_.findings)[i];
      show_text(context_, fmt::format("{}: {}", to_string(finding.checker), finding.message), Ink::Bad);
    }
    ImGui::PopTextWrapPos();
  }

  void draw(int line, ImVec2 at) const {
    draw_ground(line, at.y);
    const float y = at.y + 2 * context_.scale;
    draw_gutter(line, y);
    const float figures = right_ - kFigures * context_.scale;
    list_.PushClipRect({gutter(), at.y}, {side_.code->of(line).figure.empty() ? right_ : figures, at.y + height_},
                       true);
    draw_tokens(line, {at.x + kGutter * context_.scale, y});
    list_.PopClipRect();
    draw_figure(side_.code->of(line), y);
  }

  void draw_ground(int line, float y) const {
    const bool current = line == side_.current;
    const auto fill = [&](Ink which, float strength) {
      list_.AddRectFilled({left_, y}, {right_, y + height_}, ink(context_, which, strength));
    };
    if (current)
      fill(Ink::Accent, 0.17f);
    else if (holds(side_.related, line))
      fill(Ink::Accent, 0.07f);
    if (holds(side_.lit, line)) fill(Ink::Hover, 0.10f);
    if (current) list_.AddRectFilled({left_, y}, {left_ + 3 * context_.scale, y + height_}, ink(context_, Ink::Accent));
  }

  void draw_gutter(int line, float y) const {
    const float size = 8 * context_.scale, top = y + (ImGui::GetTextLineHeight() - size) / 2;
    const float x = left_ + 6 * context_.scale;
    if (is_flagged(line))
      draw_flag({x, top}, size);
    else if (side_.is_source() && context_.workspace->state().breakpoints.contains(line))
      list_.AddCircleFilled({x + size / 2, top + size / 2}, size / 2, ink(context_, Ink::Bad));
    const std::string number = fmt::format("{}", line);
    const float width = ImGui::CalcTextSize(number.c_str()).x;
    list_.AddText({gutter() - 10 * context_.scale - width, y},
                  ink(context_, line == side_.current ? Ink::Strong : Ink::Faint), number.c_str());
  }

  void draw_flag(ImVec2 at, float size) const {
    const ImU32 colour = ink(context_, Ink::Bad);
    list_.AddLine({at.x, at.y - size / 4}, {at.x, at.y + size * 1.25f}, colour, 1.5f * context_.scale);
    list_.AddTriangleFilled({at.x, at.y - size / 4}, {at.x + size, at.y + size / 4}, {at.x, at.y + size * 0.75f},
                            colour);
  }

  void draw_tokens(int line, ImVec2 at) const {
    const std::string& all = text(line);
    for (const view::Token& token : side_.code->text.tokens[static_cast<size_t>(line) - 1]) {
      const float x = at.x + static_cast<float>(column_of(all, token.begin)) * character_;
      if (x > right_) return;
      list_.AddText({x, at.y}, ink(context_, token.ink), all.data() + token.begin, all.data() + token.end);
    }
  }

  /// "▲ 8.0 w": worse than ideal by its mark and its ink. "?" while a question asks for it.
  void draw_figure(const view::LineFacts& facts, float y) const {
    if (facts.figure.empty()) return;
    const bool covered = context_.cover.counts, worse = facts.worse && !covered;
    const std::string figure = covered ? "?" : facts.figure;
    const char* unit = facts.measure == view::Measure::Sectors ? "s" : "w";
    const float unit_x = right_ - 8 * context_.scale - character_;
    const float x = unit_x - 4 * context_.scale - ImGui::CalcTextSize(figure.c_str()).x;
    const ImU32 colour = ink(context_, worse ? Ink::Warning : Ink::Text);
    list_.AddText({unit_x, y}, ink(context_, Ink::Faint), unit);
    list_.AddText({x, y}, colour, figure.c_str());
    const float size = 6 * context_.scale;
    if (worse)
      draw_warning(list_, {x - size - 4 * context_.scale, y + (ImGui::GetTextLineHeight() - size) / 2}, size, colour);
  }

  const Context& context_;
  const Side& side_;
  ImDrawList& list_;
  float left_, right_;
  float height_, character_;
};

/// Whether the text was away, as during a presentation, or is laid out anew: where it is scrolled to means nothing then.
bool is_back(CodeScroll& scroll, float room, float line_height) {
  const CodeScroll before = scroll;
  scroll.frame = ImGui::GetFrameCount();
  scroll.room = room;
  scroll.line_height = line_height;
  return before.frame + 1 != scroll.frame || before.room != room || before.line_height != line_height;
}

/// Where the cursor's line leaves what is seen, the text glides until the line is in its upper third.
void follow(const Context& context, const Side& side, CodeScroll& scroll, float line_height) {
  const std::vector<int>& shown = side.code->shown;
  const auto row = std::lower_bound(shown.begin(), shown.end(), side.current) - shown.begin();
  const float top = static_cast<float>(row) * line_height, now = ImGui::GetScrollY();
  const float room = ImGui::GetWindowHeight();
  const bool outside = top < now || top + line_height > now + room - ImGui::GetStyle().ScrollbarSize;
  const bool moved = is_back(scroll, room, line_height) || side.current != scroll.followed;
  if (side.current > 0 && moved && outside) scroll.goal = std::max(0.0f, top - room / 3);
  scroll.followed = side.current;
  if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0) scroll.goal = -1;
  if (scroll.goal < 0) return;
  if (context.moving) *context.moving = true;
  // In its first frame a window does not know yet how far it scrolls.
  if (ImGui::IsWindowAppearing()) return;
  const float left = std::min(scroll.goal, ImGui::GetScrollMaxY()) - now;
  // ImGui scrolls by whole pixels.
  const float step = std::max(1.0f, std::fabs(left) * ImGui::GetIO().DeltaTime * 14);
  if (std::fabs(left) <= step) scroll.goal = -1;
  ImGui::SetScrollY(now + std::clamp(left, -step, step));
}

void show_side(const Context& context, const char* id, const Side& side, CodeScroll& scroll, ImVec2 size) {
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const PushedFont mono(context.fonts.mono);
  const Child child(id, size, false, ImGuiWindowFlags_HorizontalScrollbar);
  Lines lines(context, side);
  follow(context, side, scroll, lines.height());
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(side.code->shown.size()), lines.height());
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      lines.show(side.code->shown[static_cast<size_t>(row)]);
  clipper.End();
  const float widest = static_cast<float>(longest_line(side.code->text)) * character_width();
  ImGui::Dummy({(kGutter + kFigures) * context.scale + widest, 0});
}

void refresh(const Context& context, int experiment, CodeKept& kept) {
  const session::Experiment& of = context.workspace->experiment(experiment);
  if (kept.scene == of.scene() && kept.counted == of.counted() && kept.checked == of.checked()) return;
  kept.scene = of.scene();
  kept.counted = of.counted();
  kept.checked = of.checked();
  kept.listing = kept.scene ? view::make_listing(*kept.scene, kept.counted.get(), kept.checked.get()) : view::Listing{};
  for (const std::string& line : kept.listing.cuda.text.lines) need_characters(context, line);
}

/// The file, PTX, both; Edit at the right.
void show_header(const Context& context, int experiment, CodeKept& kept, bool wide) {
  {
    const PushedFont bold(context.fonts.bold);
    const std::vector<std::string> words =
        wide ? std::vector<std::string>{kept.listing.file} : std::vector<std::string>{kept.listing.file, "PTX", "Both"};
    const int clicked = show_tabs(context, "code", words, wide ? -1 : kept.tab);
    if (clicked >= 0) kept.tab = clicked;
  }
  ImGui::SameLine(0, 14 * context.scale);
  if (show_tabs(context, "code", {"Edit"}, -1) == 0) open_editor(context, experiment, kept.editor);
}

/// What the figures at the right are, and over what they were counted.
void show_heading(const Context& context, const view::Listing& listing) {
  const std::string what = "s sectors, w wavefronts / request";
  show_text(context, "counted: " + listing.counted, Ink::Faint);
  const float room = ImGui::GetContentRegionAvail().x - text_width(context, what);
  if (room < text_width(context, "counted: " + listing.counted) + 12 * context.scale) return;
  ImGui::SameLine(ImGui::GetCursorPosX() + room);
  show_text(context, what, Ink::Faint);
}

void show_stale_band(const Context& context, int experiment, CodeKept& kept) {
  const session::Experiment& of = context.workspace->experiment(experiment);
  if (of.progress() != session::Progress::Failed) return;
  show_text(context, "Shown: the last version that worked", Ink::Warning);
  context.note_widget("stale");
  if (!of.legality()) return;
  if (const int line = show_problems(context, experiment)) open_editor(context, experiment, kept.editor, line);
}

/// A hairline in the middle of the gap before `at`.
void draw_divider(const Context& context, ImVec2 at, bool upright, float gap, ImVec2 room) {
  const ImVec2 from{upright ? at.x - gap / 2 : at.x, upright ? at.y : at.y - gap / 2};
  const ImVec2 to{upright ? from.x : from.x + room.x, upright ? from.y + room.y : from.y};
  ImGui::GetWindowDrawList()->AddLine(from, to, ink(context, Ink::Line), context.scale);
}

void show_texts(const Context& context, int experiment, CodeKept& kept, bool wide) {
  view::LitCode lit = view::lit_code(kept.listing, focus_of(context, experiment));
  const auto line = static_cast<size_t>(lit.line);
  const std::vector<int>* related =
      line > 0 && line < kept.listing.ptx_of_line.size() ? &kept.listing.ptx_of_line[line] : nullptr;
  const Side source{&kept.listing.cuda,    Target::Kind::SourceLine, lit.line, &lit.lines, nullptr,
                    &kept.listing.findings};
  const Side ptx{&kept.listing.ptx, Target::Kind::PtxLine, lit.ptx_line, &lit.ptx_lines,
                 related,           &kept.listing.findings};
  // As wide as ImGui lets a window draw: half its padding stays free.
  const float edge = ImGui::GetStyle().WindowPadding.x / 2;
  ImGui::SetCursorPosX(edge);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room{ImGui::GetWindowWidth() - 2 * edge, ImGui::GetContentRegionAvail().y};
  const float gap = 9 * context.scale;
  const bool both = wide || kept.tab == 2;
  const ImVec2 first =
      wide ? ImVec2((room.x - gap) / 2, room.y) : ImVec2(room.x, both ? (room.y - gap) * kSourceShare : room.y);
  if (both || kept.tab == 0) show_side(context, "source", source, kept.source, first);
  if (!both && kept.tab == 0) return;
  const ImVec2 second = !both ? at : wide ? ImVec2(at.x + first.x + gap, at.y) : ImVec2(at.x, at.y + first.y + gap);
  if (both) draw_divider(context, {second.x, second.y}, wide, gap, room);
  ImGui::SetCursorScreenPos(second);
  show_side(context, "ptx", ptx, kept.ptx, {at.x + room.x - second.x, at.y + room.y - second.y});
}

}  // namespace

void show_code(const Context& context, int experiment, CodeKept& kept) {
  refresh(context, experiment, kept);
  if (kept.editor.open) return show_editor(context, experiment, kept.editor);
  if (!kept.scene || !kept.scene->timeline) {
    show_wrapped(context, "There is no trace yet.", Ink::Faint);
    if (const int line = show_problems(context, experiment)) open_editor(context, experiment, kept.editor, line);
    return;
  }
  const bool wide = ImGui::GetContentRegionAvail().x >= kSideBySide * context.scale;
  show_header(context, experiment, kept, wide);
  show_heading(context, kept.listing);
  show_stale_band(context, experiment, kept);
  show_texts(context, experiment, kept, wide);
}

}  // namespace tilescope::ui
