#include "ui/text_measure.h"

#include <limits>

#include <imgui.h>

namespace tilescope::ui {

float width_of(const Face& face, const std::string& text) {
  ImFont* font = face.font ? face.font : ImGui::GetFont();
  const char* begin = text.data();
  return font->CalcTextSizeA(face.height, std::numeric_limits<float>::max(), 0, begin, begin + text.size()).x;
}

float FontMeasure::width(const std::string& text, view::Font font, float size) const {
  return width_of(fonts_->at(font, size * scale_), text) / scale_;
}

}  // namespace tilescope::ui
