#include "agent/workload.h"

#include <bit>
#include <random>

#include <fmt/format.h>

namespace tilescope::agent {
namespace {
using protocol::ArrayArgument;
using protocol::Failure;

bool is_matrix(const ArrayArgument& array) {
  const bool is_type = array.element == Element::F32 || array.element == Element::F16 || array.element == Element::BF16;
  return is_type && array.shape.size() == 2 && array.logical.size() == 2 && array.shape[1] > 0 &&
         array.bytes == array.shape[0] * array.shape[1] * size_of(array.element);
}

// A new one each time unless the request names it; below 2^63, for JSON readers.
uint64_t choose_seed(uint64_t wanted) { return wanted != 0 ? wanted : std::random_device{}(); }

// Four bytes of an array whose elements all hold `value`.
uint32_t repeated(double value, Element element) {
  switch (element) {
    case Element::F32: return std::bit_cast<uint32_t>(static_cast<float>(value));
    case Element::I32:
    case Element::U32: return static_cast<uint32_t>(static_cast<int64_t>(value));
    default: break;
  }
  if (value != 0) stop(Failure::BadRequest, "Only arrays of 32 bits can start at a number other than 0.");
  return 0;
}

}  // namespace

Workload::Workload(Gpu& gpu, const protocol::MeasureRequest& request)
    : gpu_(gpu), request_(request), seed_(choose_seed(request.options.seed)) {
  place_arrays();
  kernel_.emplace(gpu_, request_.kernel, data_);
}

void Workload::place_arrays() {
  for (size_t i = 0; i < request_.arrays.size(); ++i) {
    const ArrayArgument& each = request_.arrays[i];
    data_.push_back(gpu_.buffer("array " + each.name, whole_words(each.bytes)));
    start(i);
  }
}

// An array before the first launch.
void Workload::start(size_t index) { start(index, data_[index]); }

void Workload::start(size_t index, CUdeviceptr data) {
  const ArrayArgument& each = request_.arrays[index];
  const uint64_t bytes = whole_words(each.bytes);
  if (each.initial)
    gpu_.set(data, repeated(*each.initial, each.element), bytes);
  else if (each.is_input)
    fill(data, each);
  else
    gpu_.poison(data, bytes);
}

void Workload::fill(CUdeviceptr data, const ArrayArgument& array) {
  ArrayArgument matrix = array;  // A vector is a row.
  if (matrix.shape.size() == 1) {
    matrix.shape.insert(matrix.shape.begin(), 1);
    matrix.logical.insert(matrix.logical.begin(), 1);
  }
  if (!is_matrix(matrix))
    stop(Failure::BadRequest,
         fmt::format(
             "{} is an input that is neither a matrix nor a vector of f32, f16 or bf16; such kernels can be traced "
             "but not measured.",
             array.name));
  gpu_.fill(data, matrix, seed_);
}

void Workload::reset_outputs() {
  for (size_t i = 0; i < request_.arrays.size(); ++i)
    if (request_.arrays[i].is_output) start(i);
}

}  // namespace tilescope::agent
