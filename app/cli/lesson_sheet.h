#pragma once

#include <filesystem>
#include <string>

#include "lesson/text.h"

/// A lab sheet as files to print.
namespace tilescope::cli {

/// The text as HTML, without a head; what is in an image's line of Markdown, ![what](file), is an image.
std::string sheet_html(const std::string& markdown, const std::string& title, const std::string& language);

/// Writes sheet.pdf beside FOLDER/sheet.html with the first browser of PATH that prints; false if there is none or it
/// fails.
bool print_sheet(const std::filesystem::path& folder);

}  // namespace tilescope::cli
