#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/message.h"
#include "kernel/configuration.h"

namespace tilescope::kernel {

/// One argument of a kernel, as in the source and as in the description. All fields are as typed.
struct FormArgument {
  std::string parameter;  ///< Its name in the source.
  std::string name;       ///< Its name in the description: A for d_A.
  bool is_array = false;
  std::string element;   ///< "f32"
  std::string role;      ///< Of an array: "input", "output" or "inout".
  std::string shape;     ///< Of an array: its extents with commas, "M, N".
  std::string initial;   ///< Of an array: the initial value of its elements; empty: the role's values.
  std::string value;     ///< Of a scalar: an expression, or a number if it is real.
  bool guessed = false;  ///< Of an array: its shape is a guess.
  bool operator==(const FormArgument&) const = default;
};

/// The fields to fill in so that a kernel without a description can be launched.
struct LaunchForm {
  std::string title;
  std::string entry;  ///< The kernel, of a template with its arguments: "tile<16>".
  std::vector<FormArgument> arguments;
  std::string block, grid;   ///< x, y and z with commas: "32, 8".
  std::string shared_bytes;  ///< Dynamic shared memory; empty: none.
  std::optional<std::array<int64_t, 3>> size;
  bool square = false;         ///< M, N and K are one number.
  bool guessed = false;        ///< Block and grid are a guess.
  int line = 0;                ///< Of the launch in the file; 0: it has none.
  std::string reference = {};  ///< The kernel that computes the expected result, or empty.
  bool operator==(const LaunchForm&) const = default;
};

/// The form as a description. It is well-formed TOML whatever the fields hold; what is wrong in them parse_description
/// says.
std::string to_toml(const LaunchForm& form);

/// parse_description() of that; its arrays know whether their extents are a guess.
Result<Description> description_of(const LaunchForm& form, const std::string& file_name);

/// Which of the form's fields a problem is about, of the description to_toml(form) or of a launch that it describes: an
/// argument as its author calls it, "block", "grid", "shared bytes" or "M, N, K". Empty: none of them alone.
std::string field_of(const LaunchForm& form, const Diagnostic& problem);

/// A sentence about the launch: "16 blocks of 32 x 8 threads. Reads a (4096); writes c (4096)."
Message launch_sentence(const Configuration& configuration);

}  // namespace tilescope::kernel
