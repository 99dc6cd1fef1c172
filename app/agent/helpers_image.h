#pragma once

namespace tilescope::agent {

/// The fat binary of helpers.cu: machine code for every architecture that the toolkit knows a major version of.
const void* helpers_image();

}  // namespace tilescope::agent
