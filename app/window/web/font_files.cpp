#include "window/font_files.h"

#include "base/file.h"

namespace tilescope::window {

// Those that ship with the page: web/pack.py.
ui::FontFiles find_fonts() {
  const std::filesystem::path folder = data_folder() / "fonts";
  ui::FontFiles files;
  files.text = {folder / "text.otf", 0};
  files.bold = {folder / "bold.otf", 0};
  files.mono = {folder / "mono.ttf", 0};
  files.symbols = {folder / "symbols.ttf", 0};
  files.chinese = {folder / "chinese.otf", 0};
  return files;
}

}  // namespace tilescope::window
