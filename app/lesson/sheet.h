#pragma once

#include <string>

#include "lesson/answer.h"

namespace tilescope::lesson {

/// Blocks as Markdown again, with values and kernel lines filled in.
std::string to_markdown(const Text& text);
std::string to_markdown(const Spans& spans);

/// A lab sheet to print: every step's text and question with room for an answer; with `answers` also the right ones and
/// the texts after them, for the instructor. `seed` draws the random parameters. Values that cannot be evaluated are
/// reported and read "?". `pictures`: with an image of each step that has a scene, under picture_name().
std::string lab_sheet(const Lesson& lesson, Runs& runs, uint64_t seed, bool answers, Diagnostics& problems,
                      bool pictures = false);
/// "step-03.png", of the third step.
std::string picture_name(size_t step);

}  // namespace tilescope::lesson
