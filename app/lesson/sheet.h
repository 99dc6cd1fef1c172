#pragma once

#include <string>

#include "lesson/answer.h"

namespace tilescope::lesson {

/// Blocks as Markdown again, with values and kernel lines filled in.
std::string to_markdown(const Text& text);
std::string to_markdown(const Spans& spans);

/// A lab sheet to print: every step's text and question with room for an answer; with `answers` the right ones and
/// what is said after them, for the instructor. `seed` draws the random parameters. What cannot be evaluated is
/// reported and reads "?".
std::string lab_sheet(const Lesson& lesson, Runs& runs, uint64_t seed, bool answers, Diagnostics& problems);

}  // namespace tilescope::lesson
