#include "window/widget_map.h"

#include <iterator>

#include <fmt/format.h>

#include "base/file.h"

namespace tilescope::window {

void WidgetMap::write(const std::vector<ui::WidgetPlace>& widgets) {
  if (file_.empty()) return;
  std::string text;
  for (const ui::WidgetPlace& widget : widgets)
    fmt::format_to(std::back_inserter(text), "{} {:.0f} {:.0f} {:.0f} {:.0f}\n", widget.name, widget.box.x,
                   widget.box.y, widget.box.width, widget.box.height);
  if (text == written_) return;
  // A test that waits for the file sees all of it or nothing; an unwritable place shows as a missing file.
  if (write_file(file_, text)) written_ = std::move(text);
}

}  // namespace tilescope::window
