#include "wording/memory.h"

#include <array>

#include "base/words.h"

namespace tilescope::wording {

std::string memory_name(Space space) {
  constexpr std::array names{tr_later("memory"),        tr_later("global memory"), tr_later("shared memory"),
                             tr_later("local memory"),  tr_later("const memory"),  tr_later("param memory"),
                             tr_later("generic memory")};
  return tr(names[static_cast<size_t>(space)]);
}

std::string address_name(Space space, uint64_t address) {
  return tr_format("{} at 0x{:x}", memory_name(space), address);
}

}  // namespace tilescope::wording
