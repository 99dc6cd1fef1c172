// Any bytes as a fat binary, as a cubin and as a program: refused with a sentence, or read. Never a crash or a hang.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "program/executable.h"
#include "program/fat_binary.h"
#include "program/parameter_names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilescope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<program::Image>> images = program::read_fat_binary(bytes);
  if (!images && (!has_errors(images.errors()) || to_string(images.errors()).empty())) __builtin_trap();
  if (images)
    for (const program::Image& image : *images) program::registers_of(image.bytes);
  program::registers_of(bytes);
  program::check_executable("fuzz", bytes);
  program::parameter_names(bytes, "f");
  return 0;
}
