#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lesson/text.h"
#include "ui/context.h"

namespace tilescope::ui {

/// The CUDA line of the shown kernel with this name; 0 if there is none.
using AnchorLines = std::function<int(const std::string&)>;

/// Lays out a lesson's text in ImGui's current window, wrapped at its right edge: paragraphs, lists, code, lines of the
/// kernel, tables. Arrays have their colours; a click on the name of a kernel's line goes there.
void show_text(const Context& context, const lesson::Text& text, const AnchorLines& lines);
void show_spans(const Context& context, const lesson::Spans& spans, const AnchorLines& lines);

}  // namespace tilescope::ui
