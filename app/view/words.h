#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Numbers and names as the window writes them.
namespace tilescope::view {

/// "1 234 567"
std::string grouped(uint64_t number);
/// "1 line", "3 lines"
std::string plural(uint64_t count, std::string_view what);
/// "8 KiB"; what is no whole number of its unit with one digit: "8.5 KiB".
std::string bytes_text(uint64_t bytes);
/// How many lanes a mask has: "16 lanes".
std::string lanes_counted(uint32_t mask);
/// Lanes of a mask: "lane 3", "lanes 0 to 15", "lanes 0, 4, 8 and 12"; of more than four stretches "12 lanes".
std::string lanes_text(uint32_t mask);

}  // namespace tilescope::view
