// The browser's program. The part of the page's address behind '#' says what is on show: lesson/link.h.

#include <cstdlib>
#include <string>

#include "base/turns.h"
#include "base/web/page.h"
#include "window/window.h"

namespace {
/// What the page gave, which it has allocated.
std::string taken(char* text) {
  std::string result = text;
  std::free(text);
  return result;
}

void start() {
  using namespace tilescope;
  window::Options options;
  options.link = taken(page_fragment());
  // A test asks where the widgets are: tests/web/play.
  if (taken(page_address()).ends_with("?widgets")) options.widget_map = "/tmp/widgets";
  options.compiler = compile::Choice::Prebuilt;
  if (window::run_window(options) != 0) page_fail();
}

}  // namespace

int main() {
  setenv("TILESCOPE_DATA", "/data", 1);
  setenv("HOME", "/home", 1);
  tilescope::run_between_turns(start);
}
