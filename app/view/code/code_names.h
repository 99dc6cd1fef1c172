#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/focus.h"

/// What the names in a kernel's texts are: a sentence each; empty for a name that says nothing more.
namespace tilescope::view {

/// Of PTX: an opcode with its modifiers, "ld.global.f32", or a register, "%f13", "%tid.x".
std::vector<std::string> ptx_name_words(std::string_view name, const ptx::Function& function);

/// Of CUDA C++: a parameter with its value, or a macro that the text defines.
std::vector<std::string> cuda_name_words(std::string_view name, const run::TracedBlock& traced);

}  // namespace tilescope::view
