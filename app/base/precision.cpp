#include "base/precision.h"

#include <array>

namespace tilescope {
namespace {

// By Precision.
constexpr std::array<std::string_view, 4> kPrecisions{"fp32", "tf32", "fp16", "bf16"};
constexpr std::array<std::string_view, 4> kNames{"FP32", "TF32", "FP16", "BF16"};

}  // namespace

std::string_view to_string(Precision precision) { return kPrecisions[static_cast<size_t>(precision)]; }

std::string_view name_of(Precision precision) { return kNames[static_cast<size_t>(precision)]; }

std::optional<Precision> parse_precision(std::string_view text) {
  for (size_t i = 0; i < kPrecisions.size(); ++i)
    if (kPrecisions[i] == text) return static_cast<Precision>(i);
  return std::nullopt;
}

}  // namespace tilescope
