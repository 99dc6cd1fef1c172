#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// SHA-256 (FIPS 180-4) as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);
/// Its first 16 digits, by which figures are known to be of a kernel's text.
std::string digest_of(std::string_view text);

}  // namespace tilescope
