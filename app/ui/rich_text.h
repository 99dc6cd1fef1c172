#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/text.h"
#include "ui/context.h"

namespace tilescope::ui {

/// Lays out a lesson's text in ImGui's current window, wrapped at its right edge: paragraphs, lists, code, lines of the
/// kernel, tables. Arrays stand in their colours; a click on the name of a kernel's line goes there.
/// `lines` gives the CUDA line of an anchor, 0 when there is none.
void show_text(const Context& context, const lesson::Text& text, const std::function<int(const std::string&)>& lines);
void show_spans(const Context& context, const lesson::Spans& spans, const std::function<int(const std::string&)>& lines);

/// A line of code as rows of at most that many columns (of some, where there is no room at all), broken at spaces where
/// it has any; what continues a line is indented further.
std::vector<std::string> wrap_code(std::string_view line, size_t columns);

}  // namespace tilescope::ui
