#include "ui/rich_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "draw/palette.h"
#include "ui/scoped.h"
#include "view/code_lines.h"

namespace tilescope::ui {
namespace {
using lesson::Block;
using lesson::BlockKind;
using lesson::Span;
using lesson::SpanKind;
using view::Ink;
using Lines = std::function<int(const std::string&)>;

Ink ink_of(const Span& span) {
  switch (span.kind) {
    case SpanKind::Array: return view::array_ink(span.text);
    case SpanKind::Anchor: return Ink::Accent;
    case SpanKind::Value: return Ink::Strong;
    case SpanKind::Code:
    case SpanKind::Formula: return Ink::Strong;
    default: return span.bold ? Ink::Strong : Ink::Text;
  }
}

ImFont* font_of(const Context& context, const Span& span) {
  if (span.kind == SpanKind::Code || span.kind == SpanKind::Anchor) return context.fonts.mono;
  if (span.kind == SpanKind::Array || span.kind == SpanKind::Value || span.bold) return context.fonts.bold;
  return context.fonts.text;
}

/// Puts words side by side and begins a new line where one does not fit.
class Flow {
 public:
  explicit Flow(const Context& context)
      : context_(context), left_(ImGui::GetCursorScreenPos().x), right_(left_ + ImGui::GetContentRegionAvail().x),
        at_(ImGui::GetCursorScreenPos()), line_(ImGui::GetTextLineHeight() * 1.35f), start_(at_) {}
  ~Flow() {
    ImGui::SetCursorScreenPos(start_);
    ImGui::Dummy({right_ - left_, at_.y + line_ - start_.y});
  }
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  void add(const Span& span, const Lines& lines) {
    const PushedFont font(font_of(context_, span));
    const std::string& text = span.text;
    for (size_t begin = 0; begin < text.size();) {
      const bool space = text[begin] == ' ' || text[begin] == '\n';
      if (space) {
        at_.x += at_.x > left_ ? ImGui::CalcTextSize(" ").x : 0;
        ++begin;
        continue;
      }
      const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
      word(text.substr(begin, end - begin), span, lines);
      begin = end;
    }
  }

 private:
  void word(const std::string& text, const Span& span, const Lines& lines) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    if (at_.x + size.x > right_ && at_.x > left_) at_ = {left_, at_.y + line_};
    const draw::Palette& palette = *context_.palette;
    const float lift = (ImGui::GetTextLineHeight() - size.y) / 2;
    ImGui::GetWindowDrawList()->AddText({at_.x, at_.y + lift}, palette({ink_of(span)}), text.c_str());
    if (span.kind == SpanKind::Anchor) link(size, lines(span.target));
    if (span.italic) underline(size, Ink::Faint);
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

  void underline(ImVec2 size, Ink ink) {
    const float y = at_.y + size.y + context_.scale;
    ImGui::GetWindowDrawList()->AddLine({at_.x, y}, {at_.x + size.x, y}, (*context_.palette)({ink, 0.5f}), context_.scale);
  }

  const Context& context_;
  float left_, right_;
  ImVec2 at_;
  float line_;
  ImVec2 start_;
};

void gap(const Context& context, float pixels) { ImGui::Dummy({0, pixels * context.scale}); }

/// Text in the mono font on a raised ground.
void show_code(const Context& context, const std::string& code) {
  const PushedFont mono(context.fonts.mono);
  const float pad = 8 * context.scale, width = ImGui::GetContentRegionAvail().x;
  const ImVec2 size = ImGui::CalcTextSize(code.c_str()), at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + size.y + 2 * pad};
  list.AddRectFilled(at, end, (*context.palette)({Ink::Raised}), 4 * context.scale);
  list.PushClipRect(at, end, true);
  list.AddText({at.x + pad, at.y + pad}, (*context.palette)({Ink::Text}), code.c_str());
  list.PopClipRect();
  ImGui::Dummy({width, size.y + 2 * pad});
}

std::string numbered(const std::vector<lesson::KernelLine>& lines) {
  std::string text;
  for (const lesson::KernelLine& line : lines)
    text.append(text.empty() ? "" : "\n").append(fmt::format("{:>3}  {}", line.number, line.text));
  return text;
}

void show_block(const Context& context, const Block& block, const Lines& lines);

void show_list(const Context& context, const Block& list, const Lines& lines) {
  int number = 0;
  for (const Block& item : list.children) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string mark = list.ordered ? fmt::format("{}.", ++number) : "•";
    ImGui::GetWindowDrawList()->AddText(at, (*context.palette)({Ink::Faint}), mark.c_str());
    ImGui::Indent(20 * context.scale);
    for (const Block& child : item.children) show_block(context, child, lines);
    ImGui::Unindent(20 * context.scale);
  }
}

void show_table(const Context& context, const Block& table, const Lines& lines) {
  if (table.children.empty() || table.children[0].children.empty()) return;
  const auto columns = static_cast<int>(table.children[0].children.size());
  const PushedId id(table.at.line);
  if (!ImGui::BeginTable("table", columns, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) return;
  for (const Block& row : table.children) {
    ImGui::TableNextRow();
    for (const Block& cell : row.children) {
      ImGui::TableNextColumn();
      show_spans(context, cell.spans, lines);
    }
  }
  ImGui::EndTable();
}

void show_quote(const Context& context, const Block& quote, const Lines& lines) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImGui::Indent(14 * context.scale);
  for (const Block& child : quote.children) show_block(context, child, lines);
  ImGui::Unindent(14 * context.scale);
  const float bottom = ImGui::GetCursorScreenPos().y - 6 * context.scale;
  ImGui::GetWindowDrawList()->AddRectFilled(from, {from.x + 3 * context.scale, bottom}, (*context.palette)({Ink::Line}));
}

void show_block(const Context& context, const Block& block, const Lines& lines) {
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
    case BlockKind::Code: show_code(context, block.code); break;
    case BlockKind::KernelLines: show_code(context, numbered(block.lines)); break;
    case BlockKind::Table: show_table(context, block, lines); break;
    case BlockKind::Item:
    case BlockKind::Row:
      for (const Block& child : block.children) show_block(context, child, lines);
      return;
  }
  gap(context, 7);
}

}  // namespace

void show_spans(const Context& context, const lesson::Spans& spans, const Lines& lines) {
  Flow flow(context);
  for (const Span& span : spans) flow.add(span, lines);
}

void show_text(const Context& context, const lesson::Text& text, const Lines& lines) {
  for (const Block& block : text) show_block(context, block, lines);
}

}  // namespace tilescope::ui
