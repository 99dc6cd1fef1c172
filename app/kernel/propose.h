#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/launch_form.h"
#include "source/program.h"

namespace tilescope::kernel {

/// A description for a kernel without one.
struct Proposal {
  LaunchForm form;               ///< Its to_toml() is the description.
  std::string unsaid;            ///< A parameter of the template whose value is a guess; empty: none.
  size_t file = 0;               ///< The kernel's file: 0 for the program's text, n for its n-th header.
  std::vector<Message> assumed;  ///< A sentence for each thing that the source leaves uncertain.
};

/// Proposes how to launch a kernel: its arguments by their names and types, block and grid from the program's own
/// launch, else by convention. `entry`: the kernel, of a template with its arguments, "tile<16>"; empty: the only one,
/// or the first that the program launches. Errors: there is no such kernel, or no value for a template's parameter.
Result<Proposal> propose(const source::Program& program, const std::string& title, const std::string& entry);

/// "tile is a template, and no launch says what its WIDTH is; ..."
Message template_value_missing(const std::string& kernel, const std::string& parameter);

}  // namespace tilescope::kernel
