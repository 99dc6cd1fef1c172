// Any bytes as a state file: refused in sentences, or read; then written and read back to the same text. Never a crash
// or a hang.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sentences.h"
#include "session/state_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilescope;
  const auto state = session::state_from(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!state) {
    demand_sentences(state.errors());
    return 0;
  }
  const std::string written = session::to_text(*state);
  const auto again = session::state_from(written);
  if (!again || session::to_text(*again) != written) __builtin_trap();
  return 0;
}
