#include "cli/lesson_sheet.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "base/process.h"
#include "base/text.h"

namespace tilescope::cli {
namespace {
namespace fs = std::filesystem;
using lesson::Block;
using lesson::BlockKind;
using lesson::SpanKind;

constexpr const char* kStyle =
    "body{font:11pt/1.45 Inter,'Noto Sans CJK SC',sans-serif;max-width:46em;margin:2em auto}"
    "h2{font-size:13pt;margin-top:2em;break-after:avoid}img{width:100%;border:1px solid #ccc;break-inside:avoid}"
    "pre,code{font-family:'JetBrains "
    "Mono',monospace;font-size:9.5pt}pre{background:#f4f4f4;padding:.6em;white-space:pre-wrap}"
    ":lang(zh) em{font-style:normal;font-weight:600}"
    "table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2em .7em;text-align:left}"
    "@page{margin:16mm}";

std::string html_of(const lesson::Spans& spans) {
  std::string html;
  for (const lesson::Span& span : spans) {
    const bool is_code = span.kind == SpanKind::Code || span.kind == SpanKind::Array || span.kind == SpanKind::Anchor;
    std::string inside = markup_escaped(span.text);
    if (is_code) inside = fmt::format("<code>{}</code>", inside);
    if (span.kind == SpanKind::Link) inside = fmt::format("<a href=\"{}\">{}</a>", markup_escaped(span.target), inside);
    if (span.kind == SpanKind::Formula) inside = fmt::format("<i>{}</i>", inside);
    if (span.italic) inside = fmt::format("<em>{}</em>", inside);
    if (span.bold) inside = fmt::format("<strong>{}</strong>", inside);
    html += inside;
  }
  return html;
}

std::string html_of(const Block& block);

std::string html_of(const std::vector<Block>& blocks) {
  std::string html;
  for (const Block& block : blocks) html += html_of(block);
  return html;
}

std::string table_html(const Block& table) {
  std::string html = "<table>";
  for (size_t row = 0; row < table.children.size(); ++row) {
    html += "<tr>";
    const char* const tag = row == 0 ? "th" : "td";
    for (const Block& cell : table.children[row].children)
      html.append(fmt::format("<{0}>{1}</{0}>", tag, html_of(cell.spans)));
    html += "</tr>";
  }
  return html + "</table>\n";
}

std::string html_of(const Block& block) {
  switch (block.kind) {
    case BlockKind::Heading: return fmt::format("<h{0}>{1}</h{0}>\n", block.level, html_of(block.spans));
    case BlockKind::List: return fmt::format("<{0}>{1}</{0}>\n", block.ordered ? "ol" : "ul", html_of(block.children));
    case BlockKind::Item: return fmt::format("<li>{}</li>", html_of(block.children));
    case BlockKind::Quote: return fmt::format("<blockquote>{}</blockquote>\n", html_of(block.children));
    case BlockKind::Code: return fmt::format("<pre>{}</pre>\n", markup_escaped(block.code));
    case BlockKind::Table: return table_html(block);
    default: return fmt::format("<p>{}</p>\n", html_of(block.spans));
  }
}

/// The line's parts if it is ![what](file): the line of an image.
bool read_image(const std::string& line, std::string& what, std::string& file) {
  const size_t middle = line.find("](");
  if (!line.starts_with("![") || middle == line.npos || !line.ends_with(')')) return false;
  what = line.substr(2, middle - 2);
  file = line.substr(middle + 2, line.size() - middle - 3);
  return true;
}

std::string browser() {
  const char* const path = std::getenv("PATH");
  for (const char* const name : {"chromium", "chromium-browser", "google-chrome"}) {
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
      if (const std::string program = folder + "/" + name; ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

}  // namespace

std::string sheet_html(const std::string& markdown, const std::string& title, const std::string& language) {
  std::string body, text, what, file;
  const auto add_text = [&] {
    body += html_of(lesson::parse_text(text, {}));
    text.clear();
  };
  for (const std::string& line : lines_of(markdown)) {
    if (!read_image(line, what, file)) {
      text += line + '\n';
      continue;
    }
    add_text();
    body.append(fmt::format("<img src=\"{}\" alt=\"{}\">\n", markup_escaped(file), markup_escaped(what)));
  }
  add_text();
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title><style>{}</style></head>\n"
      "<body>\n{}</body></html>\n",
      language, markup_escaped(title), kStyle, body);
}

bool print_sheet(const fs::path& folder) {
  const std::string program = browser();
  const fs::path absolute = fs::absolute(folder), pdf = absolute / "sheet.pdf";
  if (program.empty()) return false;
  std::vector<std::string> arguments{"--headless", "--no-pdf-header-footer", "--print-to-pdf=" + pdf.string(),
                                     "file://" + (absolute / "sheet.html").string()};
  if (::geteuid() == 0) arguments.insert(arguments.begin(), "--no-sandbox");  // A browser refuses root else.
  Result<ChildProcess> child = ChildProcess::start(program, arguments, {});
  if (!child) return false;
  constexpr std::chrono::minutes kMost{2};
  const tilescope::Exit exit = child->wait({std::chrono::steady_clock::now() + kMost});
  std::error_code ignored;
  return exit.code == 0 && exit.signal == 0 && fs::exists(pdf, ignored);
}

}  // namespace tilescope::cli
