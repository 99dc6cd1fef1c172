#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace tilescope::lesson {

/// The kind of a run of characters, besides bold and italic.
enum class SpanKind {
  Plain,
  Code,     ///< `threadIdx.x`
  Array,    ///< `As`: a code span that is the name of an array of the scene's kernel; drawn in the array's colour.
  Anchor,   ///< `[load A]`: the line of the scene's kernel with this name; `target` is the name without brackets.
  Formula,  ///< $M \cdot N$: `text` is readable text, `target` is the LaTeX.
  Link,     ///< [text](target)
  Term,     ///< A word of the glossary; `target` is the term's name.
  Value,    ///< {{ expression as format }}: `target` is the expression, `format` the format; `text` is empty. Of a {{
            ///< that is not closed on its line, `target` is empty.
};

/// Characters of one kind within a paragraph.
struct Span {
  SpanKind kind = SpanKind::Plain;
  bool bold = false, italic = false;
  std::string text;
  std::string target;
  std::string format;  ///< Of a Value; see format_value().
  Location at;         ///< Of a Value or an Anchor.
};
using Spans = std::vector<Span>;

/// A line of a kernel that the text shows, by its name.
struct KernelLine {
  std::string kernel;  ///< The name of a kernel of the catalogue or of the lesson's folder.
  std::string anchor;
  int number = 0;    ///< From 1.
  std::string text;  ///< Without the comment that names it.
};

enum class BlockKind {
  Paragraph,    ///< `spans`
  Heading,      ///< `spans`, `level` from 3
  List,         ///< `children`: Items
  Item,         ///< `children`: Paragraphs and Lists
  Quote,        ///< `children`
  Code,         ///< `code`, `language`
  KernelLines,  ///< `lines`
  Table,        ///< `children`: Rows, the first the head
  Row,          ///< `children`: Cells
  Cell,         ///< `spans`
};

/// A block of text that a window or a terminal can lay out.
struct Block {
  BlockKind kind = BlockKind::Paragraph;
  int level = 0;
  bool ordered = false;  ///< Of a List.
  std::string language;
  std::string code;
  Spans spans;
  std::vector<KernelLine> lines;
  std::vector<Block> children;
  Location at;
};
using Text = std::vector<Block>;

/// Reads Markdown (CommonMark with tables and $formulas$). HTML is text. Never fails; names of anchors and
/// expressions are not looked up here. `start` is where the text begins in its file.
Text parse_text(std::string_view markdown, const Location& start);

/// Calls `visit` for all spans, or for all blocks, in the order of the text.
void for_each_span(Text& text, const std::function<void(Span&)>& visit);
void for_each_block(Text& text, const std::function<void(Block&)>& visit);
/// The characters of the spans, without their style.
std::string plain_text(const Spans& spans);

/// LaTeX in characters: "2 \cdot M^{2}" is "2 · M²", "\frac{a}{b}" is "a/b" (in parentheses where needed).
std::string readable_formula(std::string_view latex);

}  // namespace tilescope::lesson
