#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.h"

/// The interface's words in the reader's language. Sources hold them in English, inside tr(), tr_format() or plural();
/// assets/words/en.toml lists them all, and a file beside it translates them to another language. Missing
/// translations are shown in English.
namespace tilescope {

/// The words of one language.
struct Language {
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::string language;  ///< "zh": the file's name without its extension.
  std::string name;      ///< "中文": the language in itself, for a menu.
  /// The forms that a noun has after a number: for each form the numbers that take it; the last form takes the rest.
  /// "1" is that number, "*2" every number that ends in 2, "!*12" excludes those that end in 12. Polish:
  /// {"1", "*2 *3 *4 !*12 !*13 !*14", "*"}.
  std::vector<std::string> plural = {"1", "*"};
  /// English to this language. A text for plural() has one entry for each form, under the English singular.
  std::unordered_map<std::string, std::vector<std::string>, Hash, std::equal_to<>> translations;
};

/// Reads a file of words. An entry whose {} differ from the English ones, or that is neither a text nor one text for
/// each form, is left out and reported in `problems` with its place, as is an unreadable file; the rest can be used.
Language read_words(const std::filesystem::path& file, Diagnostics& problems);
/// The languages of a folder in the order of their names: English, then those with a file. `problems` as above.
std::vector<std::shared_ptr<const Language>> read_languages(const std::filesystem::path& folder, Diagnostics& problems);

/// From now on, in all threads, words are `words`; null: English. Texts returned earlier stay valid.
void set_language(std::shared_ptr<const Language> words);
/// Changes with each set_language(): texts that were made at another version may be in another language.
uint64_t words_version();

/// The text in the current language.
const char* tr(const char* english);
/// The same for a text that is not a literal: the name of an enumerator, a word of a table.
std::string tr(std::string_view english);
/// Marks a text in a table that is passed to tr() when it is shown.
constexpr const char* tr_later(const char* english) { return english; }

/// The text in the current language with its {} filled in.
template <class... Args>
std::string tr_format(fmt::format_string<Args...> english, Args&&... args) {
  // A literal is zero-terminated, although its view does not show it.
  return fmt::format(fmt::runtime(tr(fmt::string_view(english).data())), std::forward<Args>(args)...);
}

/// "1 234 567"
std::string grouped(uint64_t number);
/// A counted noun in the current language, in the form for that number, with the number in place of {}: "1 line",
/// "1 234 lines". A language has its forms under `one`.
std::string plural(uint64_t count, const char* one, const char* many);

}  // namespace tilescope
