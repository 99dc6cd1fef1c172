#include "lesson/glossary.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "kernel/toml_reader.h"

namespace tilescope::lesson {
namespace {

/// A form of a term in texts.
struct Found {
  size_t begin = 0, end = 0;
  const Term* term = nullptr;
};

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

/// Whether a word of letters ends there; Chinese has no spaces between words.
bool is_whole(std::string_view text, size_t begin, size_t end) {
  const bool joined_before = begin > 0 && is_word_character(text[begin - 1]) && is_word_character(text[begin]);
  const bool joined_behind = end < text.size() && is_word_character(text[end]) && is_word_character(text[end - 1]);
  return !joined_before && !joined_behind;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Also matches with a capital first letter.
std::optional<size_t> find_form(std::string_view text, const std::string& form, size_t from) {
  const std::string_view rest = std::string_view(form).substr(1);
  for (size_t at = text.find(rest, from + 1); at != std::string_view::npos; at = text.find(rest, at + 1))
    if (lower(text[at - 1]) == lower(form[0]) && is_whole(text, at - 1, at + rest.size())) return at - 1;
  return std::nullopt;
}

/// The first term in the text that is not `seen`; the longest of several that begin there.
std::optional<Found> find_term(std::string_view text, const Glossary& glossary, const std::set<std::string>& seen) {
  std::optional<Found> first;
  for (const Term& term : glossary.terms)
    for (const std::string& form : term.forms) {
      const std::optional<size_t> at = find_form(text, form, 0);
      if (!at) continue;
      const Found found{*at, *at + form.size(), &term};
      const bool earlier = !first || found.begin < first->begin;
      if (earlier || (found.begin == first->begin && found.end > first->end)) first = found;
    }
  if (first && seen.contains(first->term->name)) {
    // Its place is taken: overlapping text is no other term either.
    std::optional<Found> next = find_term(text.substr(first->end), glossary, seen);
    if (next) next = Found{next->begin + first->end, next->end + first->end, next->term};
    return next;
  }
  return first;
}

/// The span split up, with its terms as separate spans.
void add_pieces(const Span& span, const Glossary& glossary, std::set<std::string>& seen, Spans& pieces) {
  std::string_view rest = span.text;
  const auto add = [&](std::string_view text) -> Span& {
    pieces.push_back(span);
    pieces.back().text.assign(text);
    return pieces.back();
  };
  while (const std::optional<Found> found = find_term(rest, glossary, seen)) {
    if (found->begin > 0) add(rest.substr(0, found->begin));
    Span& term = add(rest.substr(found->begin, found->end - found->begin));
    term.kind = SpanKind::Term;
    term.target = found->term->name;
    seen.insert(found->term->name);
    rest.remove_prefix(found->end);
  }
  if (!rest.empty()) add(rest);
}

Term read_term(kernel::TomlReader& reader, const toml::table& table) {
  reader.refuse_other_keys(table, "[[term]]", {"name", "forms", "text"});
  Term term{reader.text(table, "name"), {reader.text(table, "name")}, reader.text(table, "text")};
  if (const toml::array* forms = table["forms"].as_array())
    for (const toml::node& form : *forms) term.forms.push_back(form.value_or(std::string()));
  std::erase(term.forms, "");
  if (term.name.empty() || term.text.empty()) reader.report(table, "[[term]] needs name and text.");
  return term;
}

}  // namespace

const Term* Glossary::find(std::string_view name) const {
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const Term& term) { return term.name == name; });
  return found == terms.end() ? nullptr : &*found;
}

Glossary load_glossary(const std::filesystem::path& file, Diagnostics& problems) {
  Glossary glossary;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return glossary;
  const Result<std::string> text = read_file(file);
  if (!text) {
    problems.insert(problems.end(), text.errors().begin(), text.errors().end());
    return glossary;
  }
  kernel::TomlReader reader(*text, file.string());
  if (reader.problems().empty())
    for (const toml::table* table : reader.tables(reader.root(), "term"))
      glossary.terms.push_back(read_term(reader, *table));
  problems.insert(problems.end(), reader.problems().begin(), reader.problems().end());
  return glossary;
}

void mark_terms(Text& text, const Glossary& glossary) {
  std::set<std::string> seen;
  for_each_block(text, [&](Block& block) {
    Spans pieces;
    for (const Span& span : block.spans)
      if (span.kind == SpanKind::Plain && !span.bold && block.kind != BlockKind::Heading)
        add_pieces(span, glossary, seen, pieces);
      else
        pieces.push_back(span);
    block.spans = std::move(pieces);
  });
}

}  // namespace tilescope::lesson
