#pragma once

namespace tilescope::cli {

/// Runs the command of the arguments and returns the exit status: 0 fine, 1 a finding, 2 usage or bad input,
/// 130 interrupted. Data goes to stdout, messages to stderr.
int run(int argc, char** argv);

}  // namespace tilescope::cli
