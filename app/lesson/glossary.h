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
  std::vector<std::string> forms;  ///< How it stands in texts, its name included: "warp", "warps".
  std::string text;                ///< What it is, in a sentence.
};

struct Glossary {
  std::vector<Term> terms;
  const Term* find(std::string_view name) const;  ///< Null when there is none.
};

/// Reads a file of terms; one that is not there has none. What is malformed is reported with its place.
Glossary load_glossary(const std::filesystem::path& file, Diagnostics& problems);

/// Makes a span of the kind Term of each term's first occurrence in the text. What stands in bold explains itself.
void mark_terms(Text& text, const Glossary& glossary);

}  // namespace tilescope::lesson
