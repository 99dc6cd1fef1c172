#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilescope::protocol {

/// RFC 4648, section 4, with padding.
std::string to_base64(std::string_view bytes);
/// The inverse; nothing when `text` is not what to_base64() writes.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tilescope::protocol
