#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilescope::protocol {

/// RFC 4648, section 4, with padding.
std::string to_base64(std::string_view bytes);
/// The inverse; nullopt if `text` is not valid base64 of to_base64().
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tilescope::protocol
