#include "source/removed_calls.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "source/outline.h"

namespace tilescope::source {

std::vector<RemovedCall> removed_calls(const std::string& text) {
  constexpr std::array<std::string_view, 7> kRemoved{"__shfl",   "__shfl_up", "__shfl_down", "__shfl_xor",
                                                     "__ballot", "__any",     "__all"};
  std::vector<RemovedCall> calls;
  Outline outline;
  outline.text = text;
  outline.tokens = tokenize(outline.text);
  for (size_t i = 0; i < outline.tokens.size(); ++i) {
    const std::string name(outline.token(i));
    const bool is_known =
        std::any_of(calls.begin(), calls.end(), [&](const RemovedCall& call) { return call.name == name; });
    if (holds(kRemoved, name) && outline.token(i + 1) == "(" && !is_known)
      calls.push_back({name, name + "_sync(0xffffffff, ...)", outline.line_of(i)});
  }
  return calls;
}

}  // namespace tilescope::source
