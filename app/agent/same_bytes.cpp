#include "agent/same_bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace tilescope::agent {
namespace {
using protocol::ArrayArgument;
using protocol::Failure;

constexpr double kMayBeOff = 0x1p-9;

}  // namespace

SameBytes::SameBytes(Gpu& gpu, Workload& workload) : gpu_(gpu), workload_(workload), request_(workload.request()) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < request_.arrays.size(); ++i) {
    const ArrayArgument& array = request_.arrays[i];
    bytes += array.bytes;
    if (!array.is_output) continue;
    if (array.element != Element::F32 || array.shape != array.logical)
      stop(Failure::BadRequest,
           fmt::format(
               "{} is not an array of f32 without padding: it cannot be compared on the GPU. Such kernels can be "
               "traced but not measured.",
               array.name));
    const uint64_t room = whole_words(array.bytes);
    outputs_.push_back({i, gpu_.buffer("expected " + array.name, room), gpu_.buffer("magnitude " + array.name, room)});
  }
  copied_ = bytes / 2;
  from_ = gpu_.buffer("copied from", whole_words(copied_));
  to_ = gpu_.buffer("copied to", whole_words(copied_));
  gpu_.set(from_, 0, whole_words(copied_));
}

void SameBytes::compute_expected() {
  std::vector<CUdeviceptr> data = workload_.data();
  for (const Output& output : outputs_) {
    data[output.index] = output.expected;
    workload_.start(output.index, output.expected);
  }
  const LoadedKernel reference(gpu_, *request_.reference, data);
  reference.launch();
  gpu_.wait(kOwnLimit);
  for (const Output& output : outputs_) {
    const uint64_t bytes = request_.arrays[output.index].bytes;
    std::vector<float> values(bytes / sizeof(float));
    gpu_.check(gpu_.driver().copy_out(values.data(), output.expected, bytes), "reading the reference's result");
    float largest = 0;
    for (const float value : values) {
      if (!std::isfinite(value))
        stop(Failure::Wrong,
             fmt::format("The reference kernel leaves elements of {} unwritten, infinite or NaN: there is "
                         "nothing to compare with.",
                         request_.arrays[output.index].name));
      largest = std::max(largest, std::fabs(value));
    }
    gpu_.set(output.magnitude, std::bit_cast<uint32_t>(largest), whole_words(bytes));
  }
}

double SameBytes::verify() const {
  double worst = 0;
  for (const Output& output : outputs_) {
    const ArrayArgument& array = request_.arrays[output.index];
    const uint64_t elements = array.bytes / size_of(array.element);
    const DeviceComparison found = gpu_.compare(workload_.data()[output.index], array.element, elements,
                                                output.expected, output.magnitude, 1, elements, kMayBeOff, 0);
    if (found.wrong > 0)
      stop(Failure::Wrong,
           fmt::format("{} is wrong: {} of {} elements differ from the reference's by more than a 512th of the "
                       "largest, the first is element {}. It gets no speed.",
                       array.name, found.wrong, elements, found.first_wrong));
    worst = std::max(worst, static_cast<double>(std::bit_cast<float>(found.worst_ratio_bits)));
  }
  return worst;
}

bool SameBytes::accumulates() const {
  return std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& output) {
    const ArrayArgument& array = request_.arrays[output.index];
    return array.is_input || array.initial;
  });
}

void SameBytes::run() const {
  gpu_.check(gpu_.driver().copy(to_, from_, copied_, gpu_.stream()), "copying the same bytes");
}

}  // namespace tilescope::agent
