#include "lesson/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <md4c.h>

#include "base/text.h"

namespace tilescope::lesson {
namespace {

// A value is replaced by one of these in the Markdown, so that * or _ of its expression is not taken for emphasis.
constexpr std::string_view kOpen = "\xEE\x80\x80", kClose = "\xEE\x80\x81";  // U+E000, U+E001: for private use

constexpr size_t kDeepestText = 40;

struct Placeholder {
  std::string written;             // with its braces
  std::string expression, format;  // empty where the braces are not closed on their line
  Location at;
};

/// Markdown with its {{ values }} taken out.
class Prepared {
 public:
  Prepared(std::string_view markdown, const Location& start) : at_(start) {
    at_.column = std::max(at_.column, 1);
    for (size_t i = 0; i < markdown.size();) i += take(markdown.substr(i));
  }

  const std::string& text() const { return text_; }
  const Placeholder* find(std::string_view number) const {
    const auto index = static_cast<size_t>(std::strtoul(std::string(number).c_str(), nullptr, 10));
    return index < placeholders_.size() ? &placeholders_[index] : nullptr;
  }
  /// The text with the values as written.
  std::string restored(std::string text) const {
    for (size_t open; (open = text.find(kOpen)) != std::string::npos;) {
      const size_t close = std::min(text.find(kClose, open), text.size());
      const Placeholder* value = find(std::string_view(text).substr(open + kOpen.size(), close - open - kOpen.size()));
      text.replace(open, close + kClose.size() - open, value ? value->written : "");
    }
    return text;
  }

 private:
  size_t take(std::string_view rest) {
    if (rest.starts_with("{{")) {
      const size_t end = rest.find("}}");
      return end < rest.find('\n') ? take_value(rest.substr(0, end + 2)) : add({"{{", {}, {}, at_});
    }
    if (rest.starts_with(kOpen) || rest.starts_with(kClose)) return kOpen.size();
    text_ += rest[0];
    at_.column = rest[0] == '\n' ? 1 : at_.column + 1;
    at_.line += rest[0] == '\n';
    return 1;
  }

  size_t take_value(std::string_view written) {
    const std::string_view inside = written.substr(2, written.size() - 4);
    const size_t as = inside.rfind(" as ");
    const std::string_view expression = trimmed(inside.substr(0, as));
    Location where = at_;
    where.column += static_cast<int>(inside.find(expression)) + 2;
    const std::string_view format = as == std::string_view::npos ? std::string_view{} : trimmed(inside.substr(as + 4));
    return add({std::string(written), std::string(expression), std::string(format), where});
  }

  size_t add(Placeholder value) {
    text_ += fmt::format("{}{}{}", kOpen, placeholders_.size(), kClose);
    placeholders_.push_back(std::move(value));
    at_.column += static_cast<int>(placeholders_.back().written.size());
    return placeholders_.back().written.size();
  }

  Location at_;
  std::string text_;
  std::vector<Placeholder> placeholders_;
};

/// Takes md4c's callbacks and makes blocks of them.
class Builder {
 public:
  Builder(const Prepared& prepared, const Location& start) : prepared_(prepared), start_(start) {
    stack_.emplace_back();
  }

  Text text() { return std::move(stack_.front().children); }

  void enter(MD_BLOCKTYPE type, void* detail) {
    if (is_left_out(type)) return;
    if (stack_.size() > kDeepestText) return void(++too_deep_);
    Block block;
    block.at = here();
    block.kind = kind_of(type);
    block.ordered = type == MD_BLOCK_OL;
    if (type == MD_BLOCK_H) block.level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
    if (type == MD_BLOCK_CODE) {
      const MD_ATTRIBUTE& language = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang;
      if (language.text) block.language = std::string(language.text, language.size);
    }
    stack_.push_back(std::move(block));
  }

  void leave(MD_BLOCKTYPE type) {
    if (is_left_out(type)) return;
    if (too_deep_ > 0) return void(--too_deep_);
    flush();
    Block block = std::move(stack_.back());
    stack_.pop_back();
    if (block.kind == BlockKind::Code && block.language == "lines") block = kernel_lines(block);
    stack_.back().children.push_back(std::move(block));
  }

  void enter_span(MD_SPANTYPE type, void* detail) {
    flush();
    if (type == MD_SPAN_STRONG) style_.bold = true;
    if (type == MD_SPAN_EM) style_.italic = true;
    if (type == MD_SPAN_CODE) style_.kind = SpanKind::Code;
    if (type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY) style_.kind = SpanKind::Formula;
    if (type != MD_SPAN_A) return;
    const MD_ATTRIBUTE& target = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
    style_.kind = SpanKind::Link;
    style_.target = std::string(target.text, target.size);
  }

  void leave_span(MD_SPANTYPE type) {
    flush();
    if (type == MD_SPAN_STRONG) style_.bold = false;
    if (type == MD_SPAN_EM) style_.italic = false;
    if (type == MD_SPAN_STRONG || type == MD_SPAN_EM) return;
    style_.kind = SpanKind::Plain;
    style_.target.clear();
  }

  void text(MD_TEXTTYPE type, std::string_view text) {
    note_place(text);
    if (stack_.back().kind == BlockKind::Code) {
      stack_.back().code += prepared_.restored(std::string(text));
      return;
    }
    if (type == MD_TEXT_SOFTBR)
      pending_ += ' ';
    else if (type == MD_TEXT_BR)
      pending_ += '\n';
    else if (type == MD_TEXT_ENTITY)
      pending_ += entity(text);
    else
      pending_ += text;
  }

 private:
  static bool is_left_out(MD_BLOCKTYPE type) {
    return type == MD_BLOCK_DOC || type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY || type == MD_BLOCK_HR;
  }

  static BlockKind kind_of(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE: return BlockKind::Quote;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL: return BlockKind::List;
      case MD_BLOCK_LI: return BlockKind::Item;
      case MD_BLOCK_H: return BlockKind::Heading;
      case MD_BLOCK_CODE: return BlockKind::Code;
      case MD_BLOCK_TABLE: return BlockKind::Table;
      case MD_BLOCK_TR: return BlockKind::Row;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: return BlockKind::Cell;
      default: return BlockKind::Paragraph;
    }
  }

  static std::string entity(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kKnown{
        {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&nbsp;", "\xC2\xA0"}}};
    for (const auto& [name, character] : kKnown)
      if (text == name) return std::string(character);
    return std::string(text);
  }

  /// md4c passes pieces of its input; their position gives their line.
  void note_place(std::string_view text) {
    const char* begin = prepared_.text().data();
    if (std::less<>{}(text.data(), begin) || !std::less<>{}(text.data(), begin + prepared_.text().size())) return;
    line_ += static_cast<int>(std::count(begin + counted_, std::max(text.data(), begin + counted_), '\n'));
    counted_ = std::max(counted_, static_cast<size_t>(text.data() - begin));
  }
  Location here() const { return {start_.file, start_.line + line_, 0}; }

  /// A tight list has text in its items without a paragraph.
  Spans& spans() {
    Block& top = stack_.back();
    if (top.kind != BlockKind::Item && top.kind != BlockKind::Quote) return top.spans;
    if (top.children.empty() || top.children.back().kind != BlockKind::Paragraph) top.children.emplace_back();
    return top.children.back().spans;
  }

  void flush() {
    if (pending_.empty()) return;
    std::string text;
    text.swap(pending_);
    if (style_.kind == SpanKind::Plain) return add_with_values(text);
    Span span = style_;
    span.at = here();
    span.text = prepared_.restored(std::move(text));
    if (span.kind == SpanKind::Formula) {
      span.target = span.text;
      span.text = readable_formula(span.target);
    }
    if (span.kind == SpanKind::Code && span.text.size() > 2 && span.text.front() == '[' && span.text.back() == ']') {
      span.kind = SpanKind::Anchor;
      span.target = span.text.substr(1, span.text.size() - 2);
    }
    spans().push_back(std::move(span));
  }

  void add_plain(std::string_view text) {
    if (text.empty()) return;
    Span span = style_;
    span.text = text;
    spans().push_back(std::move(span));
  }

  void add_with_values(std::string_view text) {
    for (size_t open; (open = text.find(kOpen)) != std::string_view::npos;) {
      add_plain(text.substr(0, open));
      const size_t close = std::min(text.find(kClose, open), text.size());
      if (const Placeholder* value = prepared_.find(text.substr(open + kOpen.size(), close - open - kOpen.size())))
        spans().push_back(
            {SpanKind::Value, style_.bold, style_.italic, {}, value->expression, value->format, value->at});
      text.remove_prefix(std::min(close + kClose.size(), text.size()));
    }
    add_plain(text);
  }

  static Block kernel_lines(const Block& code) {
    Block block;
    block.kind = BlockKind::KernelLines;
    block.at = code.at;
    for (const std::string& written : lines_of(code.code)) {
      const std::string_view line = trimmed(written);
      const size_t colon = line.find(": ");
      KernelLine entry;
      if (colon != std::string_view::npos) entry.kernel = std::string(line.substr(0, colon));
      entry.anchor = std::string(colon == std::string_view::npos ? line : trimmed(line.substr(colon + 2)));
      if (!entry.anchor.empty()) block.lines.push_back(std::move(entry));
    }
    return block;
  }

  const Prepared& prepared_;
  Location start_;
  int line_ = 0;
  size_t counted_ = 0;
  std::vector<Block> stack_;
  size_t too_deep_ = 0;  // entered blocks that have no own Block
  Span style_;
  std::string pending_;
};

Builder& builder(void* user) { return *static_cast<Builder*>(user); }

void run_md4c(const std::string& text, Builder& target) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_LATEXMATHSPANS | MD_FLAG_NOHTMLBLOCKS | MD_FLAG_NOHTMLSPANS |
                 MD_FLAG_NOINDENTEDCODEBLOCKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) { return builder(user).enter(type, detail), 0; };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) { return builder(user).leave(type), 0; };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    return builder(user).enter_span(type, detail), 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) { return builder(user).leave_span(type), 0; };
  parser.text = [](MD_TEXTTYPE type, const char* piece, MD_SIZE size, void* user) {
    return builder(user).text(type, std::string_view(piece, size)), 0;
  };
  md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &target);
}

/// LaTeX to characters, one command after another.
class FormulaReader {
 public:
  explicit FormulaReader(std::string_view latex) : rest_(latex) {}

  std::string all() {
    std::string text;
    while (!rest_.empty() && rest_[0] != '}') text += one();
    return text;
  }

 private:
  /// The contents of braces, or the next single item.
  std::string argument() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
    if (rest_.empty()) return {};
    if (rest_[0] != '{') return one();
    rest_.remove_prefix(1);
    if (depth_ > kDeepestText) return {};
    ++depth_;
    std::string inside = all();
    --depth_;
    if (!rest_.empty()) rest_.remove_prefix(1);
    return inside;
  }

  std::string one() {
    const char c = rest_[0];
    if (c == '{') return argument();
    if (c == '\\') return command();
    rest_.remove_prefix(1);
    if (c == '^') return superscript(argument());
    if (c == '_') return subscript(argument());
    return std::string(1, c);
  }

  static std::string superscript(const std::string& text) {
    static constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return fmt::format("^({})", text);
    std::string result;
    for (const char c : text) result += kDigits[static_cast<size_t>(c - '0')];
    return result;
  }

  static std::string subscript(const std::string& text) {
    static constexpr std::string_view kCharacters = "0123456789aehijklmnoprstuvx+-";
    static constexpr std::array<const char*, kCharacters.size()> kLowered{
        "₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉", "ₐ", "ₑ", "ₕ", "ᵢ", "ⱼ",
        "ₖ", "ₗ", "ₘ", "ₙ", "ₒ", "ₚ", "ᵣ", "ₛ", "ₜ", "ᵤ", "ᵥ", "ₓ", "₊", "₋"};
    if (text.find_first_not_of(kCharacters) != std::string::npos)
      return text.size() == 1 ? fmt::format("_{}", text) : fmt::format("_({})", text);
    std::string result;
    for (const char c : text) result += kLowered[kCharacters.find(c)];
    return result;
  }

  std::string command() {
    size_t end = 1;
    while (end < rest_.size() && std::isalpha(static_cast<unsigned char>(rest_[end]))) ++end;
    const std::string name(rest_.substr(1, std::max<size_t>(end, 2) - 1));
    rest_.remove_prefix(std::min(std::max<size_t>(end, 2), rest_.size()));
    if (name == "frac") {
      const std::string above = argument(), below = argument();
      return fmt::format("{}/{}", bracketed(above), bracketed(below));
    }
    if (name == "text" || name == "mathrm") return argument();
    if (name == "sqrt") return fmt::format("sqrt({})", argument());
    return symbol(name);
  }

  static std::string bracketed(const std::string& text) {
    return text.find_first_of(" +-/") == std::string::npos ? text : fmt::format("({})", text);
  }

  static std::string symbol(const std::string& name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kSymbols{{{"cdot", "·"},
                                                                                             {"times", "×"},
                                                                                             {"le", "≤"},
                                                                                             {"ge", "≥"},
                                                                                             {"approx", "≈"},
                                                                                             {"lceil", "⌈"},
                                                                                             {"rceil", "⌉"},
                                                                                             {"lfloor", "⌊"},
                                                                                             {"rfloor", "⌋"},
                                                                                             {"quad", "  "},
                                                                                             {",", " "},
                                                                                             {";", " "},
                                                                                             {"ne", "≠"},
                                                                                             {"ldots", "..."},
                                                                                             {"alpha", "α"},
                                                                                             {"beta", "β"}}};
    for (const auto& [known, character] : kSymbols)
      if (name == known) return std::string(character);
    return name;
  }

  std::string_view rest_;
  size_t depth_ = 0;
};

}  // namespace

Text parse_text(std::string_view markdown, const Location& start) {
  const Prepared prepared(markdown, start);
  Builder target(prepared, start);
  run_md4c(prepared.text(), target);
  return target.text();
}

std::string readable_formula(std::string_view latex) {
  std::string text = FormulaReader(latex).all();
  for (size_t two; (two = text.find("  ")) != std::string::npos;) text.erase(two, 1);
  return text;
}

void for_each_block(Text& text, const std::function<void(Block&)>& visit) {
  for (Block& block : text) {
    visit(block);
    for_each_block(block.children, visit);
  }
}

void for_each_span(Text& text, const std::function<void(Span&)>& visit) {
  for_each_block(text, [&](Block& block) {
    for (Span& span : block.spans) visit(span);
  });
}

std::string plain_text(const Spans& spans) {
  std::string text;
  for (const Span& span : spans) text += span.text;
  return text;
}

}  // namespace tilescope::lesson
