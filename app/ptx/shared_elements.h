#pragma once

#include <map>

#include "base/memory.h"
#include "ptx/module.h"

namespace tilescope::ptx {

/// The element types of the shared variables that `function`, a flat function of `module`, accesses, inferred from its
/// instructions: f32 if every load, store and atomic of it is of f32 or as many bits. Variables with accesses of
/// different widths, or with none, are left out.
std::map<const Variable*, Element> shared_elements(const Module& module, const Function& function);

}  // namespace tilescope::ptx
