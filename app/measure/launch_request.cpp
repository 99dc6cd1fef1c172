#include "measure/launch_request.h"

#include <algorithm>

#include "arch/arch.h"

namespace tilescope::measure {
namespace {

protocol::ArrayArgument array_argument(const kernel::ArrayShape& array) {
  return {
      array.name,  array.element, array.role != kernel::Role::Output, array.role != kernel::Role::Input, array.bytes,
      array.shape, array.logical};
}

}  // namespace

Result<protocol::MeasureRequest> launch_request(const run::Prepared& prepared, int device,
                                                const protocol::MeasureOptions& options) {
  if (prepared.build->compiled.cubin.empty())
    return error(Message(
        "There is no machine code to measure: without NVRTC kernels come as prebuilt PTX. Install the CUDA Toolkit "
        "12.4 or newer, or set TILESCOPE_NVRTC."));
  const kernel::Configuration& configuration = prepared.configuration;
  for (const kernel::ArgumentValue& argument : configuration.arguments)
    if (argument.tensor)
      return error(Message("{} is a tensor map, which tilescope-agent does not make: this kernel can be run and traced, "
                           "and not measured.",
                           argument.name));
  protocol::MeasureRequest request;
  request.device = device;
  request.cubin.assign(prepared.build->compiled.cubin.begin(), prepared.build->compiled.cubin.end());
  request.entry = prepared.program().function().name;
  request.grid = configuration.grid;
  request.block = configuration.block;
  request.dynamic_shared_bytes = configuration.dynamic_shared_bytes;
  std::vector<int> index(configuration.arrays.size(), -1);  // Shared arrays are no arguments.
  for (size_t i = 0; i < configuration.arrays.size(); ++i) {
    if (configuration.arrays[i].space != Space::Global) continue;
    index[i] = static_cast<int>(request.arrays.size());
    request.arrays.push_back(array_argument(configuration.arrays[i]));
  }
  for (const kernel::ArgumentValue& argument : configuration.arguments)
    request.arguments.push_back({argument.array < 0 ? -1 : index[static_cast<size_t>(argument.array)], argument.element,
                                 argument.integer, argument.real});
  request.m = configuration.size.m;
  request.n = configuration.size.n;
  request.k = configuration.size.k;
  request.alpha = configuration.alpha;
  request.beta = configuration.beta;
  request.options = options;
  return request;
}

double roofline_seconds(const protocol::DeviceFacts& device, const kernel::Size& size, bool hot, double clock_hz) {
  const arch::Limits* limits = arch::find_limits(device.capability);
  const double clock = std::max(device.clock_hz, clock_hz);
  if (!limits || clock <= 0) return 0;
  const auto m = static_cast<double>(size.m), n = static_cast<double>(size.n), k = static_cast<double>(size.k);
  const double compute = m * n * k / (device.sms * double(limits->fma_lanes_per_sm) * clock);
  const double bytes = 4 * (m * k + k * n);
  const double memory = hot || device.dram_bytes_per_s <= 0 ? 0 : bytes / device.dram_bytes_per_s;
  return std::max(compute, memory);
}

}  // namespace tilescope::measure
