#include "ui/code.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "base/process.h"
#include "base/words.h"
#include "ui/editor.h"
#include "ui/launch_form.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"
#include "ui/window_words.h"
#include "view/code/code_names.h"
#include "wording/finding.h"

namespace tilescope::ui {
namespace {
using session::Target;
using view::CodeSide;
using view::Ink;

constexpr float kSourceShare = 0.54f;  ///< Of the height, if the PTX is below the source.
constexpr float kLow = 255;            ///< Height below which only the program text is shown.
constexpr float kSideBySide = 700;     ///< Width from which two texts are side by side ...
constexpr float kAllThree = 1100;      ///< ... and the machine code too.
constexpr float kGutter = 46;
constexpr float kTextGap = 9;       ///< Between two texts.
constexpr float kLeastBeside = 18;  ///< Characters of program text beside its figures.

/// One of the texts, and everything needed to draw its lines.
struct Side {
  enum class Text { Source, Ptx, Machine };
  Text which = Text::Source;
  const CodeSide* code = nullptr;
  int current = 0;
  const std::vector<int>* lit = nullptr;      ///< Ascending.
  const std::vector<int>* related = nullptr;  ///< Of the cursor's line in another text; may be null.
  const view::Listing* listing = nullptr;
  const run::TracedBlock* traced = nullptr;
  bool is_source() const { return which == Text::Source; }
  bool is_machine() const { return which == Text::Machine; }
  const char* name() const { return is_source() ? "line" : is_machine() ? "SASS line" : "PTX line"; }
  /// What a line stands for, and the name in it; a line of machine code for its line of PTX.
  Target target(int line, std::string name) const {
    const int index = is_machine() ? listing->ptx_of_machine(line) : line;
    if (index == 0) return {};
    return {is_source() ? Target::Kind::SourceLine : Target::Kind::PtxLine, Space::None, std::move(name),
            static_cast<uint64_t>(index), 0};
  }
};

bool holds(const std::vector<int>* lines, int line) {
  return lines && std::binary_search(lines->begin(), lines->end(), line);
}

/// ImGui rounds the width of a text up to whole pixels.
float character_width() {
  static const std::string many(64, '0');
  return ImGui::CalcTextSize(many.c_str()).x / static_cast<float>(many.size());
}

/// A lesson shows sectors and wavefronts once it shows the strip, which explains them.
bool has_figures(const Context& context) { return context.is_on_show("strip"); }

float line_height(const Context& context) { return ImGui::GetTextLineHeight() + 4 * context.scale; }

/// Draws the lines of one side.
class Lines {
 public:
  Lines(const Context& context, const Side& side)
      : context_(context),
        side_(side),
        list_(*ImGui::GetWindowDrawList()),
        left_(ImGui::GetWindowPos().x),
        right_(left_ + ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize),
        height_(line_height(context)),
        character_(character_width()) {}

  float height() const { return height_; }

  /// How many characters fit beside the line numbers, and also beside the widest figures.
  view::CodeColumns columns() const {
    const float room = right_ - left_ - kGutter * context_.scale;
    const auto fitting = [&](float width) { return std::max(0, static_cast<int>(width / character_)); };
    return {fitting(room), fitting(shows_figures() ? room - figures_width() : room)};
  }

  void show(const view::CodeRow& row) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const PushedId id(row.line), part(static_cast<int>(row.begin));
    const bool clicked = ImGui::InvisibleButton("line", {std::max(1.0f, right_ - left_), height_});
    if (context_.widgets && row.first) note_line(row.line, at);
    react(row, clicked);
    draw(row, at);
  }

 private:
  const std::string& text(int line) const { return side_.code->text.lines[static_cast<size_t>(line) - 1]; }
  float gutter() const { return left_ + kGutter * context_.scale; }

  /// Not if they would leave no room for the text.
  bool shows_figures() const {
    return (side_.is_machine() || has_figures(context_)) &&
           right_ - left_ - kGutter * context_.scale - figures_width() >= kLeastBeside * character_;
  }

  float figures_width() const {
    size_t longest = 0;
    for (const view::LineFacts& facts : side_.code->facts) longest = std::max(longest, facts.figure.size());
    return static_cast<float>(longest) * character_ + units_width() + 28 * context_.scale;
  }
  /// What a figure is of; of machine code it stands alone.
  static const char* unit_of(view::Measure measure) {
    return measure == view::Measure::Sectors ? tr("sect.") : tr("wavef.");
  }
  float units_width() const {
    if (side_.is_machine()) return 0;
    return std::max(ImGui::CalcTextSize(unit_of(view::Measure::Sectors)).x,
                    ImGui::CalcTextSize(unit_of(view::Measure::Wavefronts)).x);
  }

  void note_line(int line, ImVec2 at) const {
    context_.widgets->push_back({fmt::format("{} {}", side_.name(), line), {left_, at.y, right_ - left_, height_}});
  }

  void react(const view::CodeRow& row, bool clicked) const {
    if (!context_.hover_next || !ImGui::IsItemHovered()) return;
    const int line = row.line;
    *context_.hover_next = side_.target(line, name_under_mouse(row));
    show_findings_of(line);
    if (side_.is_machine()) show_control_of(line);
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

  void show_control_of(int line) const {
    const Tooltip tooltip;
    for (const std::string& words : view::control_words(side_.listing->instructions[static_cast<size_t>(line) - 1]))
      show_text(context_, words, Ink::Text);
  }

  bool is_flagged(int line) const {
    return !context_.hidden.has(session::Fact::Findings) && !side_.code->of(line).findings.empty();
  }

  void show_findings_of(int line) const {
    if (!is_flagged(line)) return;
    const Tooltip tooltip;
    ImGui::PushTextWrapPos(420 * context_.scale);
    for (const uint32_t i : side_.code->of(line).findings) {
      const analysis::Finding& finding = side_.listing->findings[i];
      show_text(context_, fmt::format("{}: {}", to_string(finding.checker), wording::sentence(finding)), Ink::Bad);
    }
    ImGui::PopTextWrapPos();
  }

  void draw(const view::CodeRow& row, ImVec2 at) const {
    draw_ground(row.line, at.y);
    const float y = at.y + 2 * context_.scale;
    draw_tokens(row, y);
    if (!row.first) return;
    draw_gutter(row.line, y);
    if (shows_figures()) draw_figure(side_.code->of(row.line), y);
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
    const std::string number =
        side_.is_machine() ? fmt::format("{:x}", side_.listing->instructions[static_cast<size_t>(line) - 1].offset)
                           : fmt::format("{}", line);
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

  /// "// [load A]", which may say what a question for a line asks.
  static bool is_tag(const std::string& line, const view::Token& token) {
    return std::string_view(line).substr(token.begin).starts_with("// [");
  }

  /// Of a byte of the row's line.
  float x_of(const view::CodeRow& row, uint32_t byte) const {
    const std::string& all = text(row.line);
    const int column = view::column_of(all, byte) - view::column_of(all, row.begin) + row.column;
    return gutter() + static_cast<float>(column) * character_;
  }

  /// A name that has an explanation; else empty.
  std::string name_under_mouse(const view::CodeRow& row) const {
    if (side_.is_machine()) return {};
    const float mouse = ImGui::GetMousePos().x;
    for (const view::Token& token : side_.code->text.tokens[static_cast<size_t>(row.line) - 1]) {
      if (token.begin < row.begin || token.end > row.end || mouse < x_of(row, token.begin) ||
          mouse >= x_of(row, token.end))
        continue;
      std::string name = text(row.line).substr(token.begin, token.end - token.begin);
      return is_explained_name(name) ? name : std::string();
    }
    return {};
  }

  bool is_explained_name(const std::string& name) const {
    const run::TracedBlock& traced = *side_.traced;
    return !(side_.is_source() ? view::cuda_name_words(name, traced) : view::ptx_name_words(name, traced.function()))
                .empty();
  }

  void draw_tokens(const view::CodeRow& row, float y) const {
    const std::string& all = text(row.line);
    for (const view::Token& token : side_.code->text.tokens[static_cast<size_t>(row.line) - 1]) {
      const uint32_t begin = std::max(token.begin, row.begin), end = std::min(token.end, row.end);
      if (begin >= end || (context_.picks_line && is_tag(all, token))) continue;
      list_.AddText({x_of(row, begin), y}, ink(context_, token.ink), all.data() + begin, all.data() + end);
    }
  }

  /// "▲ 8.0 wavef.": worse than ideal by its mark and its ink. "?" while a question is about it.
  void draw_figure(const view::LineFacts& facts, float y) const {
    if (facts.figure.empty()) return;
    if (side_.is_machine()) {
      const float x = right_ - 8 * context_.scale - static_cast<float>(facts.figure.size()) * character_;
      return list_.AddText({x, y}, ink(context_, Ink::Faint), facts.figure.c_str());
    }
    const bool covered = context_.hidden.figures(), worse = facts.worse && !covered;
    const std::string figure = covered ? "?" : facts.figure;
    const float unit_x = right_ - 8 * context_.scale - units_width();
    const float x = unit_x - 4 * context_.scale - ImGui::CalcTextSize(figure.c_str()).x;
    const ImU32 colour = ink(context_, worse ? Ink::Warning : Ink::Text);
    list_.AddText({unit_x, y}, ink(context_, Ink::Faint), unit_of(facts.measure));
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

/// Whether the text was hidden, as during a presentation, or has a new layout: its scroll position means nothing
/// then.
bool is_back(CodeScroll& scroll, float room, float line_height) {
  const CodeScroll before = scroll;
  scroll.frame = ImGui::GetFrameCount();
  scroll.room = room;
  scroll.line_height = line_height;
  return before.frame + 1 != scroll.frame || before.room != room || before.line_height != line_height;
}

/// If the cursor's line has moved out of view, the text glides until the line is in its upper third. `anew`: the layout
/// of the text has changed since the last frame.
void follow(const Context& context, const Side& side, const std::vector<view::CodeRow>& rows, CodeScroll& scroll,
            float line_height, bool anew) {
  const auto [first, last] = std::equal_range(rows.begin(), rows.end(), view::CodeRow{side.current},
                                              [](const auto& a, const auto& b) { return a.line < b.line; });
  const float top = static_cast<float>(first - rows.begin()) * line_height, now = ImGui::GetScrollY();
  const float room = ImGui::GetWindowHeight(), height = static_cast<float>(last - first) * line_height;
  const bool outside = top < now || top + std::max(line_height, height) > now + room;
  // In the upper third, or higher if its last row would not be visible.
  const float least = std::max(0.0f, std::ceil((top - room / 3) / line_height) * line_height);
  const bool moved = anew || side.current != scroll.followed;
  if (side.current > 0 && moved && outside) scroll.goal = std::max(least, std::min(top, top + height - room));
  scroll.followed = side.current;
  if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0) scroll.goal = -1;
  if (scroll.goal < 0) return;
  if (context.moving) *context.moving = true;
  // A window does not know yet how far it scrolls in its first frame, and in that of another text or size of type.
  const bool is_new = std::exchange(scroll.lines, rows.size()) != rows.size();
  if (ImGui::IsWindowAppearing() || is_new || anew) return;
  const float left = std::min(scroll.goal, ImGui::GetScrollMaxY()) - now;
  // ImGui scrolls by whole pixels.
  const bool still = context.workspace->state().still;
  const float step = std::max(1.0f, std::fabs(left) * (still ? 1 : ImGui::GetIO().DeltaTime * 14));
  if (std::fabs(left) <= step) scroll.goal = -1;
  ImGui::SetScrollY(now + std::clamp(left, -step, step));
}

void show_side(const Context& context, const char* id, const Side& side, const ListingKey& listing, CodeScroll& scroll,
               ImVec2 size) {
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const PushedFont mono(context.fonts.mono);
  const Child child(id, size);
  Lines lines(context, side);
  const CodeRowsKey key{listing, lines.columns()};
  bool anew = is_back(scroll, size.y, lines.height());
  const auto& rows = scroll.rows.get(key, [&] {
    anew = true;
    return view::code_rows(*side.code, key.columns);
  });
  follow(context, side, rows, scroll, lines.height(), anew);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()), lines.height());
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) lines.show(rows[static_cast<size_t>(row)]);
  clipper.End();
}

ListingKey listing_key(const Context& context, int experiment) {
  const session::Experiment& of = context.workspace->experiment(experiment);
  return {of.traced(), of.counted(), of.checked(), context.workspace->state().in_lesson()};
}

/// The listing of an experiment that has a traced block.
const view::Listing& listing_now(const Context& context, int experiment, CodeState& kept) {
  const session::Experiment& of = context.workspace->experiment(experiment);
  const ListingKey key = listing_key(context, experiment);
  return kept.listing.get(key, [&] {
    view::Listing listing = view::make_listing(*of.traced(), of.counted().get(), of.checked().get());
    if (key.in_lesson) view::fold_head(listing);
    for (const std::string& line : listing.cuda.text.lines) need_characters(context, line);
    return listing;
  });
}

/// The source by that name, and what there is to choose from. Side by side source and PTX are always there.
std::vector<Tab> code_tabs(const view::Listing& listing, const std::string& source, float width, bool fits_two) {
  std::vector<Tab> tabs{Tab(source)};
  if (width < kSideBySide) tabs.emplace_back("PTX");
  if (width < kSideBySide && fits_two) tabs.emplace_back(tr_later("Both"));
  if (width < kAllThree && !listing.instructions.empty()) tabs.emplace_back("SASS");
  return tabs;
}

/// Edit at the right: it opens at the cursor's line.
void show_header(const Context& context, int experiment, const view::Listing& listing, CodeState& kept,
                 const std::vector<Tab>& tabs, bool side_by_side) {
  {
    const PushedFont bold(context.fonts.bold);
    const bool is_machine = kept.tab == CodeState::kMachine, has_both = kept.fits_two;
    // Where only one has room, Both is the source.
    const int one = is_machine ? 2 : kept.tab == CodeState::kPtx ? 1 : 0;
    const int marked = side_by_side ? (is_machine ? 1 : -1) : has_both ? kept.tab : one;
    const int clicked = show_tabs(context, "code", tabs, marked);
    if (clicked >= 0 && !side_by_side) kept.tab = clicked == 2 && !has_both ? CodeState::kMachine : clicked;
    if (clicked == 1 && side_by_side) kept.tab = is_machine ? CodeState::kBoth : CodeState::kMachine;
  }
  if (!starts_programs()) return;
  const std::vector<Tab> edit{Tab(tr_later("Edit"))};
  const float gap = 14 * context.scale, right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + gap + tabs_width(context, edit) <= right) ImGui::SameLine(0, gap);
  if (show_tabs(context, "code", edit, -1) == 0)
    open_editor(context, experiment, kept.editor, view::lit_code(listing, focus_of(context, experiment)).line);
}

constexpr const char *kSectors = tr_later("sectors,"), *kWavefronts = tr_later("wavefronts / request");

std::string count_units() { return fmt::format("{} {}", tr(kSectors), tr(kWavefronts)); }

/// "counted: all 16 blocks", without their number while a question is about it.
std::string counted_text(const Context& context, const view::Listing& listing) {
  return context.hidden.has(session::Fact::Resources) ? tr("counted") : tr_format("counted: {}", listing.counted);
}

/// Whether all of the source's name fits in the header's line.
bool has_room_for(const Context& context, std::vector<Tab> tabs) {
  const PushedFont bold(context.fonts.bold);
  tabs.emplace_back(tr_later("Edit"));
  return tabs_width(context, tabs) <= ImGui::GetContentRegionAvail().x;
}

/// Which blocks the figures are of, at the right end of the header's line if there is room.
void show_heading_beside(const Context& context, const view::Listing& listing) {
  ImGui::SameLine(0, 14 * context.scale);
  const float room = ImGui::GetContentRegionAvail().x - text_width(context, counted_text(context, listing));
  if (room < 0) return ImGui::NewLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  show_text(context, counted_text(context, listing), Ink::Faint);
  explain_word(context, "counted");
}

/// The meaning of the figures, at the right end of a line.
void show_count_units(const Context& context) {
  const float room = ImGui::GetContentRegionAvail().x - text_width(context, count_units());
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  show_text(context, fmt::format("{} ", tr(kSectors)), Ink::Faint);
  explain_word(context, "sect., sectors / request");
  ImGui::SameLine(0, 0);
  show_text(context, tr(kWavefronts), Ink::Faint);
  explain_word(context, "wavef., wavefronts / request");
}

/// The meaning of the figures at the right, and the blocks counted.
void show_heading(const Context& context, const view::Listing& listing) {
  const float all = ImGui::GetContentRegionAvail().x, units = text_width(context, count_units());
  show_text(context, counted_text(context, listing), Ink::Faint);
  explain_word(context, "counted");
  if (!has_figures(context) || all < units + text_width(context, counted_text(context, listing)) + 12 * context.scale)
    return;
  ImGui::SameLine(0, 0);
  show_count_units(context);
}

void show_stale_band(const Context& context, int experiment, CodeState& kept) {
  const session::Experiment& of = context.workspace->experiment(experiment);
  if (of.progress() != session::Progress::Failed) return;
  show_text(context, tr("Shown: the last version that worked"), Ink::Warning);
  context.note_place("stale");
  // An open form says what has no line.
  if (!of.legality() || (has_open_form(*context.workspace) && !lists_problems(of))) return;
  if (const int line = show_problems(context, experiment)) open_editor(context, experiment, kept.editor, line);
}

/// A hairline in the middle of the gap before `at`.
void draw_divider(const Context& context, ImVec2 at, bool upright, float gap, ImVec2 room) {
  const ImVec2 from{upright ? at.x - gap / 2 : at.x, upright ? at.y : at.y - gap / 2};
  const ImVec2 to{upright ? from.x : from.x + room.x, upright ? from.y + room.y : from.y};
  ImGui::GetWindowDrawList()->AddLine(from, to, ink(context, Ink::Line), context.scale);
}

float code_line_height(const Context& context) {
  const PushedFont mono(context.fonts.mono);
  return line_height(context);
}

/// The height of as many whole lines as fit; at least one.
float whole_lines(const Context& context, float height) {
  const float line = code_line_height(context);
  return std::max(1.0f, std::floor(height / line)) * line;
}

constexpr float kSourceLines = 12, kLeastLinesBelow = 3;  ///< Of the two texts, one over the other.

/// The source's part of a height of whole lines, in whole lines.
float share_of(const Context& context, float height) {
  const float line = code_line_height(context);
  return std::max(kSourceLines, std::round(height * kSourceShare / line)) * line;
}

/// The line of machine code at the clock's cursor; 0 where the clocks are not on show.
int line_at_clock(const Context& context, int experiment) {
  const session::Workspace& workspace = *context.workspace;
  const auto& run = workspace.clock(experiment).run();
  if (!workspace.state().clock || experiment != 0 || !run) return 0;
  const session::ClockPlace& place = workspace.clock_place();
  const clock::Recording& recording = run->recording;
  if (place.slot >= recording.slots.size() || recording.slots[place.slot].empty()) return 0;
  const auto& stretch = recording.slots[place.slot][recording.stretch_at(place.slot, place.clock)];
  return stretch.state == clock::Recording::kAbsent ? 0 : stretch.pc + 1;
}

/// A text and where it has been scrolled to.
struct ShownText {
  const char* id;
  Side side;
  CodeScroll& scroll;
};

/// One over the other, the first a little higher, or side by side.
void place_texts(const Context& context, const ListingKey& key, std::vector<ShownText>& texts, bool side_by_side) {
  // As wide as an ImGui window can draw: half its padding stays free.
  const float edge = ImGui::GetStyle().WindowPadding.x / 2, gap = kTextGap * context.scale;
  ImGui::SetCursorPosX(edge);
  ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room{ImGui::GetWindowWidth() - 2 * edge, ImGui::GetContentRegionAvail().y};
  const ImVec2 end{at.x + room.x, at.y + room.y};
  const auto count = static_cast<float>(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool last = i + 1 == texts.size();
    ImVec2 size{end.x - at.x, whole_lines(context, end.y - at.y)};
    if (!last && side_by_side) size.x = (room.x - (count - 1) * gap) / count;
    if (!last && !side_by_side) size.y = share_of(context, whole_lines(context, room.y - gap));
    if (i > 0) draw_divider(context, at, side_by_side, gap, room);
    ImGui::SetCursorScreenPos(at);
    show_side(context, texts[i].id, texts[i].side, key, texts[i].scroll, size);
    side_by_side ? at.x += size.x + gap : at.y += size.y + gap;
  }
}

void show_texts(const Context& context, int experiment, const view::Listing& listing, CodeState& kept, float width) {
  view::LitCode lit = view::lit_code(listing, focus_of(context, experiment));
  if (const int line = line_at_clock(context, experiment)) lit.machine_line = line;
  const auto line = static_cast<size_t>(lit.line);
  const bool has_line = line > 0 && line < listing.ptx_of_line.size();
  const std::vector<int>* related = has_line ? &listing.ptx_of_line[line] : nullptr;
  const std::vector<int> machine_related = has_line ? view::machine_lines_of(listing, *related) : std::vector<int>();
  const run::TracedBlock* traced = context.workspace->experiment(experiment).traced().get();
  const ShownText source{
      "source", {Side::Text::Source, &listing.cuda, lit.line, &lit.lines, nullptr, &listing, traced}, kept.source};
  const ShownText ptx{
      "ptx", {Side::Text::Ptx, &listing.ptx, lit.ptx_line, &lit.ptx_lines, related, &listing, traced}, kept.ptx};
  const ShownText machine{
      "machine",
      {Side::Text::Machine, &listing.machine, lit.machine_line, &lit.machine_lines, &machine_related, &listing, traced},
      kept.machine};
  const bool wide = width >= kSideBySide, has_machine = !listing.instructions.empty();
  // Where there is no room for two, the source comes first.
  const float least = (kSourceLines + kLeastLinesBelow) * code_line_height(context) + kTextGap * context.scale;
  const bool two = kept.fits_two = wide || ImGui::GetContentRegionAvail().y >= least;
  std::vector<ShownText> texts;
  if (wide || kept.tab != CodeState::kPtx) texts.push_back(source);
  if (has_machine && kept.tab == CodeState::kMachine && width < kAllThree) {
    if (!two) texts.clear();
    texts.push_back(machine);
  } else if (wide || kept.tab == CodeState::kPtx || (kept.tab != CodeState::kSource && two)) {
    texts.push_back(ptx);
  }
  if (has_machine && width >= kAllThree) texts.push_back(machine);
  place_texts(context, listing_key(context, experiment), texts, wide);
}

}  // namespace

void show_code(const Context& context, int experiment, CodeState& kept) {
  if (kept.editor.open) return show_editor(context, experiment, kept.editor);
  const auto& traced = context.workspace->experiment(experiment).traced();
  if (!traced) {
    show_newer_file(context, experiment, kept.editor);
    if (!lists_problems(context.workspace->experiment(experiment)))
      return show_wrapped(context, tr("There is no trace yet."), Ink::Faint);
    if (const int line = show_problems(context, experiment)) open_editor(context, experiment, kept.editor, line);
    return;
  }
  const view::Listing& listing = listing_now(context, experiment, kept);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float heading = text_width(context, counted_text(context, listing) + count_units()) + 12 * context.scale;
  const bool low = room.y < kLow * context.scale || (heading > room.x && room.y < 2 * kLow * context.scale);
  const float width = room.x / context.scale;
  std::vector<Tab> tabs = code_tabs(listing, listing.file, width, kept.fits_two);
  if (low && !has_room_for(context, tabs)) tabs.front() = Tab("CUDA");
  show_header(context, experiment, listing, kept, tabs, width >= kSideBySide);
  // In a low panel a line of text is worth more than the heading.
  if (low) {
    show_heading_beside(context, listing);
    const float rest = ImGui::GetContentRegionAvail().y - line_height(context);
    const bool has_room =
        rest >= kSourceLines * code_line_height(context) && room.x >= text_width(context, count_units());
    if (has_figures(context) && has_room) show_count_units(context);
  } else {
    show_heading(context, listing);
  }
  show_newer_file(context, experiment, kept.editor);
  show_stale_band(context, experiment, kept);
  show_texts(context, experiment, listing, kept, width);
}

}  // namespace tilescope::ui
