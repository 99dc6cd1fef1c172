#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilescope::source {

/// What a text itself says of a name that a -D option would replace.
struct OwnConstant {
  int line = 0;
  bool is_macro = false;  ///< #define TILE 32, without an #ifndef TILE before it.
  std::string value;  ///< "32" of `constexpr int TILE = 32;`; empty if it is no number, as of `template <int TILE>`.
};
/// The first declaration or definition of the name; nullopt if there is none.
std::optional<OwnConstant> own_constant(std::string_view text, std::string_view name);

}  // namespace tilescope::source
