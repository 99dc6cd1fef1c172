#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lesson/glossary.h"
#include "lesson/lesson.h"

namespace tilescope::lesson {

/// The lessons of a folder.
struct Course {
  std::vector<Lesson> lessons;  ///< By number.
  Glossary glossary;            ///< Its terms are marked in the lessons' texts.
  Diagnostics problems;         ///< Everything malformed, with line and column; the rest is still read.
};

/// Reads FOLDER/NN-slug/lesson.md, or lesson.LANGUAGE.md if there is one. `kernels` are those that scenes may name;
/// a scene may also name a .cu file of its lesson's folder. The terms are FOLDER/glossary.toml's, or
/// glossary.LANGUAGE.toml's. The seed determines the order of choices.
Course load_course(const std::filesystem::path& folder, const kernel::Catalogue& kernels,
                   std::string_view language = "en", uint64_t seed = 0);

/// Reads one lesson's text, as from `file`; appends errors to `problems`.
Lesson parse_lesson(std::string_view text, const std::filesystem::path& file, const kernel::Catalogue& kernels,
                    Diagnostics& problems);

/// "3", "03", "shared-tiles" or "03-shared-tiles"; the error names the nearest, and all lessons.
Result<const Lesson*> find_lesson(const Course& course, std::string_view wanted);

}  // namespace tilescope::lesson
