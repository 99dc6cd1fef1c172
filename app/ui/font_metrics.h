#pragma once

#include <filesystem>

namespace tilescope::ui {

/// Ascent and descent by em of a TrueType or OpenType font, of a collection its face `face`: what the tables head and
/// hhea say. 1 when the file cannot be read or says nothing.
float height_by_em(const std::filesystem::path& file, int face);

}  // namespace tilescope::ui
