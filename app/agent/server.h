#pragma once

namespace tilescope::agent {

/// Serves JSON-RPC 2.0 from `input` to `output` until the input ends, which ends the process at once. Returns the exit
/// status: 0 at the end of the input, 3 after a failure that poisoned the GPU's context, 2 after bytes that are not a
/// frame.
int serve(int input, int output);

}  // namespace tilescope::agent
