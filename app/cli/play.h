#pragma once

#include <string>

namespace tilescope::cli {

struct PlayOptions {
  std::string size = "256";
  std::string arch = "sm_90";
  bool json = false;
};

/// `tilescope play`, and tilescope without a command where there is no window: compiles and emulates the stages of the
/// catalogue one after another, prints what each does and how they compare.
int run_play(const PlayOptions& options);

}  // namespace tilescope::cli
