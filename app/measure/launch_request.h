#pragma once

#include "protocol/messages.h"
#include "run/prepare.h"

namespace tilescope::measure {

/// The agent's request for a prepared kernel. Errors: there is no cubin, since without NVRTC kernels can be traced but
/// not measured; the kernel is no matrix product and has no reference.
Result<protocol::MeasureRequest> launch_request(const run::Prepared& prepared, int device,
                                                const protocol::MeasureOptions& options);

/// The least time that the product can take on the device: its FMAs at the highest clock, and with cold caches
/// also A and B from DRAM. 0 if the rates of the device's architecture are unknown.
double roofline_seconds(const protocol::DeviceFacts& device, const kernel::Size& size, Precision precision, bool hot,
                        double clock_hz);

}  // namespace tilescope::measure
