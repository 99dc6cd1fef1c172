#pragma once

#include <optional>
#include <string_view>

namespace tilescope {

/// Takes a decimal number, such as "12", "-.5" or "1.5e-3", from the front of a text: the nearest double. Nullopt, and
/// the text as it was, where there is none, or one beyond a double's range. (Not every C++ library has
/// std::from_chars of doubles.)
std::optional<double> take_number(std::string_view& text);

/// The number that is the whole of a text; nullopt likewise.
std::optional<double> whole_number_of(std::string_view text);

}  // namespace tilescope
