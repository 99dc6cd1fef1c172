#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope::program {

/// The names in the CUDA source of the parameters of its __global__ function `kernel`, in order; empty if the text has
/// no such function. PTX does not keep these names.
std::vector<std::string> parameter_names(std::string_view source, std::string_view kernel);

}  // namespace tilescope::program
