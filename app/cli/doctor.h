#pragma once

namespace tilescope::cli {

/// `tilescope doctor`: what is on this machine and what is not, and what that means.
int run_doctor(bool json);

}  // namespace tilescope::cli
