// The browser's program. The part of the page's address behind '#' says what is on show: lesson/link.h.

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "base/web/page.h"
#include "lesson/link.h"
#include "window/window.h"

namespace {

std::string fragment() {
  char* text = page_fragment();
  const std::string result = text;
  std::free(text);
  return result;
}

}  // namespace

int main() {
  using namespace tilescope;
  setenv("TILESCOPE_DATA", "/data", 1);
  setenv("HOME", "/home", 1);
  window::Options options;
  options.link = fragment();
  options.compiler = compile::Choice::Prebuilt;
  return window::run_window(options);
}
