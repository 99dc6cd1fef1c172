#include "cli/lesson_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace tilescope::cli {
namespace {
using lesson::Block;
using lesson::BlockKind;
using lesson::Span;
using lesson::SpanKind;

constexpr size_t kTextWidth = 96;

std::string plain_span(const Span& span) {
  if (span.kind == SpanKind::Link) return fmt::format("{} ({})", span.text, span.target);
  return span.text;
}

/// The text with `indent` spaces before every line, a blank line after it.
std::string placed(const std::string& text, size_t indent) {
  std::string result;
  for (const std::string& line : lines_of(text))
    result.append(line.empty() ? 0 : indent, ' ').append(line).append("\n");
  return result.append("\n");
}

std::string kernel_lines(const Block& block, const Style& style) {
  std::string text;
  for (const lesson::KernelLine& line : block.lines)
    text.append(fmt::format("{}  {}\n", style.dim(fmt::format("{:4}", line.number)), line.text));
  return text;
}

std::string table_text(const Block& block, const Style& style) {
  size_t columns = 0;
  for (const Block& row : block.children) columns = std::max(columns, row.children.size());
  Table table(std::vector<Align>(columns, Align::Left));
  for (size_t i = 0; i < block.children.size(); ++i) {
    std::vector<std::string> cells;
    for (const Block& cell : block.children[i].children) {
      const std::string text = span_text(cell.spans, style);
      cells.push_back(i == 0 ? style.bold(text) : text);
    }
    table.row(std::move(cells));
  }
  return table.text();
}

std::string list_text(const Block& list, const Style& style, size_t indent) {
  std::string text;
  int number = 1;
  for (const Block& item : list.children) {
    const std::string mark = list.ordered ? fmt::format("{}. ", number++) : std::string("- ");
    std::string inside = lesson_text(item.children, style, indent + mark.size());
    inside.replace(indent, mark.size(), mark);
    text.append(inside.substr(0, inside.find_last_not_of('\n') + 1)).append("\n");
  }
  return text.append("\n");
}

std::string block_text(const Block& block, const Style& style, size_t indent) {
  switch (block.kind) {
    case BlockKind::List: return list_text(block, style, indent);
    case BlockKind::Item:
    case BlockKind::Quote: return lesson_text(block.children, style, indent + 2);
    case BlockKind::Code: return placed(block.code, indent + 4);
    case BlockKind::KernelLines: return placed(kernel_lines(block, style), indent);
    case BlockKind::Table: return placed(table_text(block, style), indent);
    case BlockKind::Heading: return placed(style.bold(lesson::plain_text(block.spans)), indent);
    default: return placed(wrapped(span_text(block.spans, style), kTextWidth - indent), indent);
  }
}

}  // namespace

std::string span_text(const lesson::Spans& spans, const Style& style) {
  std::string text;
  for (const Span& span : spans) text += span.bold ? style.bold(plain_span(span)) : plain_span(span);
  return text;
}

std::string lesson_text(const lesson::Text& text, const Style& style, size_t indent) {
  std::string result;
  for (const Block& block : text) result += block_text(block, style, indent);
  return result;
}

}  // namespace tilescope::cli
