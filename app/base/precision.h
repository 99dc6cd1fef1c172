#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilescope {

/// In which precision the products of a matrix product are computed, the slower ones first; sums are FP32 in all.
enum class Precision : uint8_t { Fp32, Tf32, Fp16, Bf16 };
/// "fp32", "tf32", "fp16", "bf16"
std::string_view to_string(Precision precision);
/// As a name stands in a sentence: "FP32".
std::string_view name_of(Precision precision);
/// The inverse of to_string(); nothing when `text` is none of them.
std::optional<Precision> parse_precision(std::string_view text);

}  // namespace tilescope
