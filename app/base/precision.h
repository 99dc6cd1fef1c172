#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilescope {

/// The precision of the products of a matrix product, slower ones first; sums are always FP32.
enum class Precision : uint8_t { Fp32, Tf32, Fp16, Bf16 };
/// "fp32", "tf32", "fp16", "bf16"
std::string_view to_string(Precision precision);
/// As in a sentence: "FP32".
std::string_view name_of(Precision precision);
/// The inverse of to_string(); nullopt for other texts.
std::optional<Precision> parse_precision(std::string_view text);

}  // namespace tilescope
