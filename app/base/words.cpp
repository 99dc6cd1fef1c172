#include "base/words.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <regex>

#include <toml++/toml.h>

#include "base/file.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLargestFile = size_t{4} << 20;

std::atomic<const Language*> current_language = nullptr;
std::atomic<uint64_t> version = 0;

/// Keeps every language that was ever current: its texts may still be on screen.
void keep(std::shared_ptr<const Language> words) {
  static std::mutex mutex;
  static std::vector<std::shared_ptr<const Language>> kept;
  const std::lock_guard lock(mutex);
  if (std::find(kept.begin(), kept.end(), words) == kept.end()) kept.push_back(std::move(words));
}

/// The text in that language, or its forms; null if it has none.
const std::vector<std::string>* find(const Language* words, std::string_view english) {
  if (!words) return nullptr;
  const auto found = words->translations.find(english);
  return found == words->translations.end() ? nullptr : &found->second;
}

/// Of a pattern without its "!".
bool fits(std::string_view digits, std::string_view pattern) {
  return pattern.starts_with('*') ? digits.ends_with(pattern.substr(1)) : digits == pattern;
}

/// Whether a form is for that number: see Language::plural.
bool takes(std::string_view form, std::string_view digits) {
  bool taken = false;
  for (size_t at = 0; at < form.size();) {
    const std::string_view pattern = form.substr(at, form.find(' ', at) - at);
    at += pattern.size() + 1;
    if (pattern.starts_with('!') && fits(digits, pattern.substr(1))) return false;
    taken |= fits(digits, pattern);
  }
  return taken;
}

/// The number of the form that `count` takes.
size_t form_of(const std::vector<std::string>& plural, uint64_t count) {
  const std::string digits = std::to_string(count);
  size_t form = 0;
  while (form + 1 < plural.size() && !takes(plural[form], digits)) ++form;
  return form;
}

/// The fields of a format string as "number:format" in the order of their numbers; "?" if fmt would refuse it.
std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> fields;
  bool counts = false, numbers = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char here = text[at];
    if (here != '{' && here != '}') continue;
    if (at + 1 < text.size() && text[at + 1] == here) {
      ++at;
      continue;
    }
    const size_t end = text.find('}', at);
    if (here == '}' || end == std::string_view::npos) return {"?"};
    const std::string_view field = text.substr(at + 1, end - at - 1), number = field.substr(0, field.find(':'));
    (number.empty() ? counts : numbers) = true;
    const std::string own = number.empty() ? std::to_string(fields.size()) : std::string(number);
    fields.push_back(own + std::string(field.substr(number.size())));
    at = end;
  }
  if (counts && numbers) return {"?"};
  std::sort(fields.begin(), fields.end());
  return fields;
}

Location place_of(const fs::path& file, const toml::source_region& region) {
  return {file.string(), static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

/// A text, or the texts of an array; empty if it is neither.
std::vector<std::string> texts_of(const toml::node& node) {
  if (const auto text = node.value<std::string>()) return {*text};
  std::vector<std::string> texts;
  if (const toml::array* all = node.as_array())
    for (const toml::node& each : *all) {
      const auto text = each.value<std::string>();
      if (!text) return {};
      texts.push_back(*text);
    }
  return texts;
}

void take_entry(const fs::path& file, std::string_view english, const toml::node& node, Language& words,
                Diagnostics& problems) {
  const auto refuse = [&](std::string problem) {
    problems.push_back(error_at(place_of(file, node.source()), std::move(problem)));
  };
  const std::vector<std::string> texts = texts_of(node);
  if (texts.empty()) return refuse(fmt::format("\"{}\" is not followed by a text in quotes.", english));
  if (node.is_array() && texts.size() != words.plural.size())
    return refuse(fmt::format("\"{}\" needs as many texts as `plural` has forms: {}.", english, words.plural.size()));
  for (const std::string& text : texts)
    if (fields_of(text) != fields_of(english))
      return refuse(fmt::format("The text for \"{}\" needs the same {{}} as the English one, each once.", english));
  words.translations.emplace(std::string(english), texts);
}

void take_plural(const fs::path& file, const toml::node& node, Language& words, Diagnostics& problems) {
  static const std::regex form(R"(!?\*?\d*( !?\*?\d*)*)");
  const std::vector<std::string> forms = texts_of(node);
  const auto is_form = [&](const std::string& text) { return std::regex_match(text, form); };
  if (!forms.empty() && std::all_of(forms.begin(), forms.end(), is_form))
    words.plural = forms;
  else
    problems.push_back(error_at(place_of(file, node.source()),
                                "`plural` needs the numbers of each form, as [\"1\", \"*2 *3 !*12 !*13\", \"*\"]."));
}

void take_table(const fs::path& file, const toml::table& table, Language& words, Diagnostics& problems) {
  words.name = table["name"].value_or(words.language);
  if (const toml::node* plural = table.get("plural")) take_plural(file, *plural, words, problems);
  if (const toml::table* entries = table["words"].as_table())
    for (const auto& [english, node] : *entries) take_entry(file, english.str(), node, words, problems);
}

}  // namespace

Language read_words(const fs::path& file, Diagnostics& problems) {
  Language words;
  words.language = words.name = file.stem().string();
  const Result<std::string> text = read_file(file, kLargestFile);
  if (!text) {
    problems.insert(problems.end(), text.errors().begin(), text.errors().end());
    return words;
  }
  try {
    take_table(file, toml::parse(*text, file.string()), words, problems);
  } catch (const toml::parse_error& problem) {
    problems.push_back(
        error_at(place_of(file, problem.source()), fmt::format("This is not valid TOML: {}.", problem.description())));
  }
  return words;
}

std::vector<std::shared_ptr<const Language>> read_languages(const fs::path& folder, Diagnostics& problems) {
  std::vector<std::shared_ptr<const Language>> languages;
  std::error_code problem;
  fs::directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
    if (entry->path().extension() == ".toml")
      languages.push_back(std::make_shared<const Language>(read_words(entry->path(), problems)));
  if (problem) problems.push_back(error(fmt::format("{}: cannot be listed: {}.", folder.string(), problem.message())));
  std::sort(languages.begin(), languages.end(), [](const auto& a, const auto& b) {
    return std::pair(a->language != "en", a->name) < std::pair(b->language != "en", b->name);
  });
  return languages;
}

void set_language(std::shared_ptr<const Language> words) {
  current_language = words.get();
  ++version;
  if (words) keep(std::move(words));
}

uint64_t words_version() { return version; }

const char* tr(const char* english) {
  const std::vector<std::string>* said = find(current_language, english);
  return said ? said->front().c_str() : english;
}

std::string tr(std::string_view english) {
  const std::vector<std::string>* said = find(current_language, english);
  return said ? said->front() : std::string(english);
}

std::string grouped(uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (size_t place = digits.size(); place > 3;) digits.insert(place -= 3, 1, ' ');
  return digits;
}

std::string plural(uint64_t count, const char* one, const char* many) {
  const Language* words = current_language;
  const std::vector<std::string>* forms = find(words, one);
  const char* text = count == 1 ? one : many;
  if (forms) text = (*forms)[std::min(form_of(words->plural, count), forms->size() - 1)].c_str();
  return fmt::format(fmt::runtime(text), grouped(count));
}

}  // namespace tilescope
