#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "lesson/text.h"

/// The terms of a course: lessons/glossary.toml, glossary.XX.toml in another language.
namespace tilescope::lesson {

struct Term {
  std::string name;                ///< "warp"
  std::vector<std::string> forms;  ///< Its forms in texts, including its name: "warp", "warps".
  std::string text;                ///< Its meaning, in a sentence.
};

struct Glossary {
  std::vector<Term> terms;
  const Term* find(std::string_view name) const;  ///< Null if there is none.
};

/// Reads a file of terms; a missing file has none. Malformed entries are reported with their place.
Glossary load_glossary(const std::filesystem::path& file, Diagnostics& problems);

/// Makes the first occurrence of each term in the text a span of kind Term. Bold text is skipped: it explains itself.
void mark_terms(Text& text, const Glossary& glossary);

}  // namespace tilescope::lesson
