#include "source/removed_names.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "source/outline.h"

namespace tilescope::source {
namespace {

/// Those of `instead` at whose first place in the text, the index of a token, `is_it` holds.
template <class IsIt>
std::vector<RemovedName> removed(const std::string& text, const std::map<std::string_view, std::string>& instead,
                                 IsIt is_it) {
  std::vector<RemovedName> found;
  Outline outline;
  outline.text = text;
  outline.tokens = tokenize(outline.text);
  for (size_t i = 0; i < outline.tokens.size(); ++i) {
    const auto known = instead.find(outline.token(i));
    if (known == instead.end() || !is_it(outline, i)) continue;
    const auto is_named = [&](const RemovedName& each) { return each.name == known->first; };
    if (std::none_of(found.begin(), found.end(), is_named))
      found.push_back({std::string(known->first), known->second, outline.line_of(i)});
  }
  return found;
}

std::string attribute(std::string_view name) {
  return "cudaDeviceGetAttribute(&value, cudaDevAttr" + std::string(name) + ", device)";
}

}  // namespace

Message RemovedName::sentence() const { return Message("CUDA has no {} any more; write {}.", name, instead); }

std::vector<RemovedName> removed_functions(const std::string& text) {
  std::map<std::string_view, std::string> instead;
  for (const std::string_view name : {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all"})
    instead.emplace(name, std::string(name) + "_sync(0xffffffff, ...)");
  return removed(text, instead, [](const Outline& outline, size_t i) { return outline.token(i + 1) == "("; });
}

// CUDA 13.0's release notes, "Removed fields of cudaDeviceProp".
std::vector<RemovedName> removed_members(const std::string& text) {
  const std::map<std::string_view, std::string> instead{
      {"clockRate", attribute("ClockRate")},
      {"memoryClockRate", attribute("MemoryClockRate")},
      {"deviceOverlap", "asyncEngineCount > 0"},
      {"kernelExecTimeoutEnabled", attribute("KernelExecTimeout")},
      {"computeMode", attribute("ComputeMode")},
      {"singleToDoublePrecisionPerfRatio", attribute("SingleToDoublePrecisionPerfRatio")},
      {"cooperativeMultiDeviceLaunch", attribute("CooperativeMultiDeviceLaunch")}};
  return removed(text, instead, [](const Outline& outline, size_t i) {
    return i > 0 && (outline.token(i - 1) == "." || outline.token(i - 1) == "->");
  });
}

}  // namespace tilescope::source
