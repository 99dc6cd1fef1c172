#pragma once

#include <string>

#include "cli/text.h"
#include "lesson/text.h"

namespace tilescope::cli {

/// Lesson text for a terminal, 96 columns wide, every line behind `indent` spaces; a blank line after each block.
std::string lesson_text(const lesson::Text& text, const Style& style, size_t indent = 0);
/// Spans in one line.
std::string span_text(const lesson::Spans& spans, const Style& style);

}  // namespace tilescope::cli
