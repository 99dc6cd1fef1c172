#include "window/output_files.h"

#include "base/web/page.h"

namespace tilescope::window {

std::filesystem::path new_file(const std::string& name, const char* extension) {
  return "tilescope-" + name + "." + extension;
}

void hand_over(const std::filesystem::path& file) { page_download(file.c_str()); }

}  // namespace tilescope::window
