// Any bytes as a .cu file: its device part is as long as it and has its lines, and what is read of its kernels and
// launches gives a description or a sentence; never a crash or a hang.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "source/device_part.h"
#include "source/host_expression.h"
#include "source/program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilescope::source;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const DevicePart part = device_part(text, {}, "k");
  const auto lines = [](const std::string& of) { return std::count(of.begin(), of.end(), '\n'); };
  if (part.text.size() != text.size() || lines(part.text) != lines(text)) std::abort();
  if (device_part(part.text, {}, "k").text.size() != text.size()) std::abort();
  const Program program = read_program(text, {});
  for (const Launch& launch : program.launches) {
    Names names;
    names.program = &program;
    names.launch = &launch;
    translate(launch.grid, names);
    translate(launch.block, names);
    constant_value(launch.shared, names);
  }
  return 0;
}
