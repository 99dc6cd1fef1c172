// Any bytes as a description: refused with sentences or read, and then configured or refused likewise; never a crash or
// a hang.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernel/configuration.h"
#include "kernel/description.h"
#include "sentences.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilescope::kernel;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto description = parse_description(text, "fuzz.toml");
  if (!description) {
    tilescope::demand_sentences(description.errors());
    return 0;
  }
  for (const Size& matrix : {Size{256, 256, 256}, Size{7, 13, 1}, Size{2147483647, 2147483647, 2147483647}}) {
    const auto configuration = configure(*description, {}, matrix);
    if (!configuration) tilescope::demand_sentences(configuration.errors());
  }
  return 0;
}
