#include "ui/rich_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "base/line_break.h"
#include "base/text.h"
#include "draw/palette.h"
#include "ui/scoped.h"
#include "ui/text.h"
#include "view/code/code_rows.h"

namespace tilescope::ui {
namespace {
using lesson::Block;
using lesson::BlockKind;
using lesson::Span;
using lesson::SpanKind;
using view::Ink;

/// There are no slanted letters, and Chinese has none; underlines look like links.
bool is_bold(const Span& span) { return span.bold || span.italic; }

/// As on the stage.
Ink ink_of_array(const Context& context, const std::string& name) {
  if (const auto& traced = context.workspace->experiment(0).traced())
    for (const run::TracedArray& array : traced->accesses.arrays())
      if (array.allocation.name == name) return view::array_ink(array);
  return view::array_ink(name);
}

Ink ink_of(const Context& context, const Span& span) {
  switch (span.kind) {
    case SpanKind::Array: return ink_of_array(context, span.text);
    case SpanKind::Anchor: return Ink::Accent;
    case SpanKind::Value: return Ink::Strong;
    case SpanKind::Code:
    case SpanKind::Formula: return Ink::Strong;
    default: return is_bold(span) ? Ink::Strong : Ink::Text;
  }
}

ImFont* font_of(const Context& context, const Span& span) {
  if (span.kind == SpanKind::Code || span.kind == SpanKind::Anchor) return context.fonts.mono;
  if (span.kind == SpanKind::Array || span.kind == SpanKind::Value || is_bold(span)) return context.fonts.bold;
  return context.fonts.text;
}

constexpr float kCardWidth = 300;

/// A part of a word of one kind.
struct Piece {
  const Span* span = nullptr;
  std::string_view text;
  float width = 0;
};

/// A unit that no line may break, whatever its parts: a comma stays with the code before it.
struct Word {
  float space = 0;  ///< Before it.
  float width = 0;
  std::vector<Piece> pieces;
};

float width_of(std::string_view text) { return ImGui::CalcTextSize(text.data(), text.data() + text.size()).x; }

bool is_space(char32_t character) { return character == ' ' || character == '\n'; }

/// Cuts spans into words.
class WordCutter {
 public:
  void add(const Span& span) {
    const std::string_view text = span.text;
    for (size_t begin = 0, end; begin < text.size(); begin = end) {
      end = begin;
      const char32_t first = next_character(text, end);
      if (is_space(first)) {
        space_ = width_of(" ");
        before_ = 0;
      } else {
        end = add_piece(span, begin, first);
      }
    }
  }
  std::vector<Word> take() { return std::move(words_); }

 private:
  /// The piece that begins with `first` at `begin`; returns where it ends.
  size_t add_piece(const Span& span, size_t begin, char32_t first) {
    const std::string_view text = span.text;
    if (before_ == 0 || may_break_between(before_, first)) words_.push_back({words_.empty() ? 0 : space_, 0, {}});
    space_ = 0;
    size_t end = begin;
    before_ = first;
    next_character(text, end);
    for (size_t next = end; next < text.size(); end = next) {
      const char32_t after = next_character(text, next);
      if (is_space(after) || may_break_between(before_, after)) break;
      before_ = after;
    }
    const std::string_view part = text.substr(begin, end - begin);
    words_.back().pieces.push_back({&span, part, width_of(part)});
    words_.back().width += words_.back().pieces.back().width;
    return end;
  }

  std::vector<Word> words_;
  char32_t before_ = 0;  ///< The character before; 0 at the start and behind a space.
  float space_ = 0;      ///< Before the next word.
};

std::vector<Word> words_of(const Context& context, const lesson::Spans& spans) {
  WordCutter cutter;
  for (const Span& span : spans) {
    const PushedFont font(font_of(context, span));
    cutter.add(span);
  }
  return cutter.take();
}

void show_card(const Context& context, const lesson::Term& term) {
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2{12 * context.scale, 9 * context.scale});
  const Tooltip tooltip;
  show_text(context, term.name, Ink::Strong, context.fonts.bold);
  ImGui::PushTextWrapPos(kCardWidth * context.scale);
  const PushedColour colour(ImGuiCol_Text, ink(context, Ink::Text));
  ImGui::TextUnformatted(with_breaks(term.text, kCardWidth * context.scale).c_str());
  ImGui::PopTextWrapPos();
  if (context.widgets)
    context.widgets->push_back(
        {"card " + term.name,
         {ImGui::GetWindowPos().x, ImGui::GetWindowPos().y, ImGui::GetWindowWidth(), ImGui::GetWindowHeight()}});
}

/// Puts words side by side and begins a new line where one does not fit.
class Flow {
 public:
  Flow(const Context& context, const AnchorLines& lines, float width)
      : context_(context),
        lines_(lines),
        at_(ImGui::GetCursorScreenPos()),
        left_(at_.x),
        right_(left_ + width),
        text_(ImGui::GetTextLineHeight()),
        line_(text_ * 1.35f) {}

  /// Reserves the room of the words.
  void show(const std::vector<Word>& words) {
    const ImVec2 start = at_;
    for (const Word& word : words) {
      if (at_.x > left_) at_.x += word.space;
      if (at_.x + word.width > right_) begin_line();
      for (const Piece& piece : word.pieces) {
        if (at_.x + piece.width > right_) begin_line();
        draw(piece);
      }
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({right_ - left_, at_.y + line_ - start.y});
  }

 private:
  void begin_line() {
    if (at_.x > left_) at_ = {left_, at_.y + line_};
  }

  void draw(const Piece& piece) {
    const PushedFont font(font_of(context_, *piece.span));
    const ImVec2 size{piece.width, ImGui::GetTextLineHeight()};
    const auto put = [&](float right) {
      ImGui::GetWindowDrawList()->AddText({at_.x + right, at_.y + (text_ - size.y) / 2},
                                          (*context_.palette)({ink_of(context_, *piece.span)}), piece.text.data(),
                                          piece.text.data() + piece.text.size());
    };
    put(0);
    // There is one weight of the Chinese letters: twice, a little apart, is bold.
    if (is_bold(*piece.span) && has_cjk(piece.text)) put(0.6f * context_.scale);
    if (piece.span->kind == SpanKind::Term) explain(size, piece.span->target);
    if (piece.span->kind == SpanKind::Anchor) link(size, lines_(piece.span->target));
    at_.x += size.x;
  }

  void link(ImVec2 size, int line) {
    if (line == 0) return;
    underline(size, Ink::Accent);
    if (!ImGui::IsMouseHoveringRect(at_, {at_.x + size.x, at_.y + size.y}) || !ImGui::IsWindowHovered()) return;
    if (context_.hover_next)
      *context_.hover_next = {session::Target::Kind::SourceLine, Space::None, "", static_cast<uint64_t>(line), 0};
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) context_.send(session::GoToLine{line});
  }

  /// Dots under a term of the glossary; its card where the mouse rests on it.
  void explain(ImVec2 size, const std::string& name) {
    const float y = at_.y + size.y + context_.scale, dot = 1.5f * context_.scale;
    for (float x = at_.x; x + dot <= at_.x + size.x; x += 3 * dot)
      ImGui::GetWindowDrawList()->AddLine({x, y}, {x + dot, y}, ink(context_, Ink::Faint), context_.scale);
    if (context_.widgets) context_.widgets->push_back({"term " + name, {at_.x, at_.y, size.x, size.y}});
    if (!ImGui::IsMouseHoveringRect(at_, {at_.x + size.x, at_.y + size.y}) || !ImGui::IsWindowHovered()) return;
    const lesson::Term* const term = context_.lessons ? context_.lessons->course().glossary.find(name) : nullptr;
    if (term) show_card(context_, *term);
  }

  void underline(ImVec2 size, Ink ink) {
    const float y = at_.y + size.y + context_.scale;
    ImGui::GetWindowDrawList()->AddLine({at_.x, y}, {at_.x + size.x, y}, (*context_.palette)({ink, 0.5f}),
                                        context_.scale);
  }

  const Context& context_;
  const AnchorLines& lines_;
  ImVec2 at_;
  float left_, right_;
  float text_, line_;
};

void gap(const Context& context, float pixels) { ImGui::Dummy({0, pixels * context.scale}); }

/// A line of code and its prefix.
struct CodeLine {
  std::string number, text;
};

/// As rows of at most that many columns, with the numbers in a separate column.
std::vector<CodeLine> rows_of(const std::vector<CodeLine>& lines, size_t columns) {
  size_t widest = 0;
  for (const CodeLine& line : lines) widest = std::max(widest, line.number.size());
  const size_t numbers = widest == 0 ? 0 : widest + 2;
  std::vector<CodeLine> rows;
  for (const CodeLine& line : lines) {
    const std::vector<std::string> parts =
        view::wrapped_code(line.text, static_cast<int>(columns) - static_cast<int>(numbers));
    for (size_t i = 0; i < parts.size(); ++i)
      rows.push_back({i == 0 ? fmt::format("{:>{}}", line.number, widest) : "", std::string(numbers, ' ') + parts[i]});
  }
  return rows;
}

/// Lines in the mono font on a raised ground.
void show_code(const Context& context, const std::vector<CodeLine>& lines) {
  const PushedFont mono(context.fonts.mono);
  const float pad = 8 * context.scale, width = ImGui::GetContentRegionAvail().x;
  const float character = width_of("0000000000000000") / 16, height = ImGui::GetTextLineHeight() * 1.15f;
  const std::vector<CodeLine> rows = rows_of(lines, static_cast<size_t>((width - 2 * pad) / character));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size{width, height * static_cast<float>(rows.size()) + 2 * pad};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, (*context.palette)({Ink::Raised}), 4 * context.scale);
  ImVec2 row_at{at.x + pad, at.y + pad};
  for (const CodeLine& row : rows) {
    list.AddText(row_at, (*context.palette)({Ink::Faint}), row.number.c_str());
    list.AddText(row_at, (*context.palette)({Ink::Text}), row.text.c_str());
    row_at.y += height;
  }
  ImGui::Dummy(size);
}

std::vector<CodeLine> code_lines(const std::string& code) {
  std::vector<CodeLine> lines;
  for (std::string& line : lines_of(code)) lines.push_back({"", std::move(line)});
  return lines;
}

/// With their numbers, without the indentation that all of them have.
std::vector<CodeLine> code_lines(const std::vector<lesson::KernelLine>& kernel_lines) {
  size_t common = std::string::npos;
  for (const lesson::KernelLine& line : kernel_lines) common = std::min(common, line.text.find_first_not_of(' '));
  std::vector<CodeLine> lines;
  for (const lesson::KernelLine& line : kernel_lines)
    lines.push_back({fmt::format("{}", line.number), line.text.substr(std::min(common, line.text.size()))});
  return lines;
}

void show_block(const Context& context, const Block& block, const AnchorLines& lines);

bool is_one_paragraph(const Block& item) {
  return item.children.size() == 1 && item.children.front().kind == BlockKind::Paragraph;
}

// Items of one paragraph each are closer together than paragraphs.
void show_list(const Context& context, const Block& list, const AnchorLines& lines) {
  const bool tight = std::all_of(list.children.begin(), list.children.end(), is_one_paragraph);
  int number = 0;
  for (const Block& item : list.children) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string mark = list.ordered ? fmt::format("{}.", ++number) : "•";
    ImGui::GetWindowDrawList()->AddText(at, (*context.palette)({Ink::Faint}), mark.c_str());
    ImGui::Indent(20 * context.scale);
    if (tight)
      show_spans(context, item.children.front().spans, lines);
    else
      show_block(context, item, lines);
    ImGui::Unindent(20 * context.scale);
  }
  if (tight) gap(context, 7);
}

/// How wide a column must be for its widest word, and how wide it wants to be.
struct ColumnNeed {
  float least = 0, whole = 0;
};

std::vector<ColumnNeed> needs_of(const Context& context, const Block& table) {
  std::vector<ColumnNeed> needs(table.children[0].children.size());
  for (const Block& row : table.children)
    for (size_t i = 0; i < std::min(row.children.size(), needs.size()); ++i) {
      float whole = 0;
      for (const Word& word : words_of(context, row.children[i].spans)) {
        needs[i].least = std::max(needs[i].least, word.width);
        whole += word.space + word.width;
      }
      needs[i].whole = std::max(needs[i].whole, whole);
    }
  return needs;
}

/// Each column gets its minimum; the rest goes to those that want more, or else equally to all.
std::vector<float> column_widths(const std::vector<ColumnNeed>& needs, float room) {
  float least = 0, whole = 0;
  for (const ColumnNeed& need : needs) {
    least += need.least;
    whole += need.whole;
  }
  std::vector<float> widths;
  for (const ColumnNeed& need : needs) {
    if (whole <= room)
      widths.push_back(need.whole + (room - whole) / static_cast<float>(needs.size()));
    else if (least >= room)
      widths.push_back(need.least * room / least);
    else
      widths.push_back(need.least + (need.whole - need.least) * (room - least) / (whole - least));
  }
  return widths;
}

void show_row(const Context& context, const Block& row, const std::vector<float>& widths, float gap,
              const AnchorLines& lines) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  float x = at.x, bottom = at.y;
  for (size_t i = 0; i < std::min(row.children.size(), widths.size()); ++i) {
    ImGui::SetCursorScreenPos({x, at.y});
    Flow(context, lines, widths[i]).show(words_of(context, row.children[i].spans));
    bottom = std::max(bottom, ImGui::GetItemRectMax().y);
    x += widths[i] + gap;
  }
  ImGui::SetCursorScreenPos({at.x, bottom});
}

void show_table(const Context& context, const Block& table, const AnchorLines& lines) {
  if (table.children.empty() || table.children[0].children.empty()) return;
  const float gap = 14 * context.scale, rule = 4 * context.scale, width = ImGui::GetContentRegionAvail().x;
  const size_t columns = table.children[0].children.size();
  const std::vector<float> widths =
      column_widths(needs_of(context, table), width - gap * static_cast<float>(columns - 1));
  for (const Block& row : table.children) {
    show_row(context, row, widths, gap, lines);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (&row != &table.children.back())
      ImGui::GetWindowDrawList()->AddLine({at.x, at.y + rule / 2}, {at.x + width, at.y + rule / 2},
                                          (*context.palette)({Ink::Line}), context.scale);
    ImGui::SetCursorScreenPos({at.x, at.y + rule});
  }
  ImGui::Dummy({width, 0});
}

void show_quote(const Context& context, const Block& quote, const AnchorLines& lines) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImGui::Indent(14 * context.scale);
  for (const Block& child : quote.children) show_block(context, child, lines);
  ImGui::Unindent(14 * context.scale);
  const float bottom = ImGui::GetCursorScreenPos().y - 6 * context.scale;
  ImGui::GetWindowDrawList()->AddRectFilled(from, {from.x + 3 * context.scale, bottom},
                                            (*context.palette)({Ink::Line}));
}

void show_block(const Context& context, const Block& block, const AnchorLines& lines) {
  switch (block.kind) {
    case BlockKind::Paragraph:
    case BlockKind::Cell: show_spans(context, block.spans, lines); break;
    case BlockKind::Heading: {
      const PushedFont bold(context.fonts.bold);
      show_spans(context, block.spans, lines);
      break;
    }
    case BlockKind::List: return show_list(context, block, lines);
    case BlockKind::Quote: return show_quote(context, block, lines);
    case BlockKind::Code: show_code(context, code_lines(block.code)); break;
    case BlockKind::KernelLines: show_code(context, code_lines(block.lines)); break;
    case BlockKind::Table: show_table(context, block, lines); break;
    case BlockKind::Item:
    case BlockKind::Row:
      for (const Block& child : block.children) show_block(context, child, lines);
      return;
  }
  gap(context, 7);
}

}  // namespace

void show_spans(const Context& context, const lesson::Spans& spans, const AnchorLines& lines) {
  for (const Span& span : spans) need_characters(context, span.text);
  Flow(context, lines, ImGui::GetContentRegionAvail().x).show(words_of(context, spans));
}

void show_text(const Context& context, const lesson::Text& text, const AnchorLines& lines) {
  for (const Block& block : text) show_block(context, block, lines);
}

}  // namespace tilescope::ui
