#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class Validator;
}

namespace tilescope::cli {

/// A whole number in decimal digits, no less than `least` and no more than `most`.
CLI::Validator whole_number(uint64_t least = 0, uint64_t most = UINT64_MAX);
/// A number from `least` to `most`; neither infinite nor NaN.
CLI::Validator number_between(double least, double most);

/// A kernel's name, of a template with its arguments: "tile", "mine::tile<16, float>".
CLI::Validator kernel_name();

/// The arguments with each value that follows --set under a --set of its own, so that what comes after the values is
/// no value: `--set BM=64 BN=64 9` becomes `--set BM=64 --set BN=64 9`.
std::vector<std::string> with_settings_apart(const std::vector<std::string>& arguments);

/// A sentence about the first empty argument, as from a shell variable without a value; empty if there is none.
std::string empty_argument(const std::vector<std::string>& arguments);

}  // namespace tilescope::cli
