#include "measure/launch_request.h"

#include <algorithm>

#include "arch/arch.h"
#include "run/verify_launch.h"

namespace tilescope::measure {
namespace {

protocol::ArrayArgument array_argument(const kernel::ArrayShape& array) {
  return {array.name,
          array.element,
          array.role != kernel::Role::Output,
          array.role != kernel::Role::Input,
          array.bytes,
          array.shape,
          array.logical,
          array.initial};
}

/// `index`: of the arrays of the configuration among those of the request.
protocol::Argument argument_of(const kernel::ArgumentValue& argument, const std::vector<int>& index) {
  const int array = argument.tensor ? argument.tensor->array : argument.array;
  protocol::Argument result{array < 0 ? -1 : index[static_cast<size_t>(array)], argument.element, argument.integer,
                            argument.real};
  if (argument.tensor) result.tensor = argument.tensor->map;
  return result;
}

/// FMAs of an SM per clock; 0: unknown.
double fmas_per_clock(const arch::Limits& limits, Precision precision) {
  switch (precision) {
    case Precision::Fp32: return limits.fma_lanes_per_sm;
    case Precision::Tf32: return 0.5 * limits.tensor_fmas_per_sm;
    case Precision::Fp16:
    case Precision::Bf16: return limits.tensor_fmas_per_sm;
  }
  return 0;
}

/// `index`: as argument_of().
protocol::KernelLaunch kernel_launch(const run::Prepared& prepared, const std::vector<int>& index) {
  const kernel::Configuration& configuration = prepared.configuration;
  protocol::KernelLaunch launch;
  launch.cubin.assign(prepared.build->compiled.cubin.begin(), prepared.build->compiled.cubin.end());
  launch.entry = prepared.program().function().name;
  launch.grid = configuration.grid;
  launch.block = configuration.block;
  launch.dynamic_shared_bytes = configuration.dynamic_shared_bytes;
  launch.cooperative = prepared.is_cooperative();
  for (const kernel::ArgumentValue& argument : configuration.arguments)
    launch.arguments.push_back(argument_of(argument, index));
  return launch;
}

Diagnostic no_machine_code() {
  return error(Message(
      "There is no machine code to measure: NVRTC and nvcc make it, and it ships for sm_90 alone. Install the CUDA "
      "Toolkit 12.4 or newer, or set TILESCOPE_NVRTC."));
}

/// Where each array of the configuration is among its arrays in global memory, which are those of the request.
std::vector<int> indices_of(const kernel::Configuration& configuration) {
  std::vector<int> index;
  int count = 0;
  for (const kernel::ArrayShape& array : configuration.arrays)
    index.push_back(array.space == Space::Global ? count++ : -1);
  return index;
}

}  // namespace

Result<protocol::MeasureRequest> launch_request(const run::Prepared& prepared, int device,
                                                const protocol::MeasureOptions& options) {
  if (prepared.build->compiled.cubin.empty()) return no_machine_code();
  const kernel::Configuration& configuration = prepared.configuration;
  protocol::MeasureRequest request;
  request.device = device;
  request.kernel = kernel_launch(prepared, indices_of(configuration));
  for (const kernel::ArrayShape& array : configuration.arrays)
    if (array.space == Space::Global) request.arrays.push_back(array_argument(array));
  if (!run::is_matrix_product(configuration)) {
    if (!prepared.reference)
      return error(
          Message("{} is no matrix product and has no reference kernel to check its result by: name one in its "
                  "description, under \"reference\".",
                  prepared.request.kernel.name));
    if (prepared.reference->build->compiled.cubin.empty()) return no_machine_code();
    request.reference = kernel_launch(*prepared.reference, indices_of(prepared.reference->configuration));
  }
  request.m = configuration.size.m;
  request.n = configuration.size.n;
  request.k = configuration.size.k;
  request.alpha = configuration.alpha;
  request.beta = configuration.beta;
  request.precision = kernel::precision_of(prepared.request.kernel);
  request.options = options;
  return request;
}

double roofline_seconds(const protocol::DeviceFacts& device, const kernel::Size& size, Precision precision, bool hot,
                        double clock_hz) {
  const arch::Limits* limits = arch::find_limits(device.capability);
  const double clock = std::max(device.clock_hz, clock_hz);
  const double per_clock = limits ? fmas_per_clock(*limits, precision) : 0;
  if (per_clock <= 0 || clock <= 0) return 0;
  const auto m = static_cast<double>(size.m), n = static_cast<double>(size.n), k = static_cast<double>(size.k);
  const double compute = m * n * k / (device.sms * per_clock * clock);
  const double element = precision == Precision::Fp32 || precision == Precision::Tf32 ? 4 : 2;
  const double bytes = element * (m * k + k * n);
  const double memory = hot || device.dram_bytes_per_s <= 0 ? 0 : bytes / device.dram_bytes_per_s;
  return std::max(compute, memory);
}

}  // namespace tilescope::measure
