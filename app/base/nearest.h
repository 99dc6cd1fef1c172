#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// The candidate with the fewest edits (insert, delete, replace, swap neighbours) from `name`, ignoring case;
/// empty if even that one differs in more than a third of its letters (of two letters in more than one).
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tilescope
