#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "ptx/module.h"

namespace tilescope::ptx {

/// An error about an instruction, at its CUDA line where the PTX names one, else at its line of the PTX.
Diagnostic problem_with(const Module& module, const Instruction& at, std::string message);

/// Moves a diagnostic about PTX to a place in one of the module's files, where it is known. The PTX stays as its source
/// line.
void place_in_source(Diagnostic& diagnostic, const SourceLine& place, const std::vector<std::string>& files);

/// The place that the reader knows: of code from another file, where it was inlined or called.
const SourceLine& place_of(const Instruction& instruction);

}  // namespace tilescope::ptx
