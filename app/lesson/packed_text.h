#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope::lesson {

/// A text as letters and digits that an address can hold: compressed by zstd, then as base64url without padding
/// (RFC 4648, section 5).
std::string packed_text(std::string_view text);

/// Nothing where it is no packed text, or longer than `most` bytes.
std::optional<std::string> unpacked_text(std::string_view packed, size_t most);

}  // namespace tilescope::lesson
