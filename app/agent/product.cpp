#include "agent/product.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace tilescope::agent {
namespace {
using protocol::ArrayArgument;
using protocol::Failure;

// How far C and what it is compared with may be apart, in units of |A||B|: gamma_n of each, as in run/verify.h, and
// what TF32 leaves out of A and B. The magnitudes come from a product in FP32 themselves, hence the second factor.
double error_factor(uint64_t k, Precision precision) {
  const double nu = (static_cast<double>(k) + 4) * 0x1p-24;
  const double gamma = nu / (1 - nu);
  const double left_out = precision == Precision::Tf32 ? 0x1p-10 : 0;
  return (2 * gamma + left_out * (2 + left_out)) * (1 + gamma);
}

Element input_of(Precision precision) {
  return precision == Precision::Bf16 ? Element::BF16 : precision == Precision::Fp16 ? Element::F16 : Element::F32;
}

cudaDataType type_of(Element element) {
  return element == Element::BF16 ? CUDA_R_16BF : element == Element::F16 ? CUDA_R_16F : CUDA_R_32F;
}

bool is_matrix(const ArrayArgument& array, Element element) {
  return array.element == element && array.shape.size() == 2 && array.logical.size() == 2 &&
         array.shape[0] >= array.logical[0] && array.shape[1] >= array.logical[1] && array.shape[1] > 0 &&
         array.shape[1] <= INT32_MAX && array.shape[0] <= INT32_MAX &&
         array.bytes == array.shape[0] * array.shape[1] * size_of(element);
}

bool holds(const ArrayArgument& array, Element element, int64_t rows, int64_t columns) {
  return is_matrix(array, element) && array.logical[0] == static_cast<uint64_t>(rows) &&
         array.logical[1] == static_cast<uint64_t>(columns);
}

}  // namespace

Product::Product(Gpu& gpu, Workload& workload, std::function<const Reference&(const Gemm&)> reference_for)
    : gpu_(gpu), workload_(workload), request_(workload.request()), reference_for_(std::move(reference_for)) {
  check_shapes();
  const auto m = static_cast<uint64_t>(request_.m), n = static_cast<uint64_t>(request_.n);
  const cudaDataType input = type_of(input_of(request_.precision));
  expected_ = {m,
               n,
               static_cast<uint64_t>(request_.k),
               array("A").shape[1],
               array("B").shape[1],
               input,
               CUDA_R_32F,
               CUBLAS_COMPUTE_32F,
               static_cast<float>(request_.alpha),
               static_cast<float>(request_.beta),
               data_of("A"),
               data_of("B"),
               gpu_.buffer("expected", m * n * sizeof(float))};
  timed_ = expected_;
  timed_.output = type_of(array("C").element);
  if (request_.precision == Precision::Tf32) timed_.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  timed_.c = gpu_.buffer("timed", m * n * sizeof(float));
  magnitude_ = gpu_.buffer("magnitude", m * n * sizeof(float));
}

const ArrayArgument& Product::array(const char* name) const {
  const auto found = std::find_if(request_.arrays.begin(), request_.arrays.end(),
                                  [&](const ArrayArgument& candidate) { return candidate.name == name; });
  if (found == request_.arrays.end())
    stop(Failure::BadRequest,
         fmt::format("The kernel has no array {}: only C = A * B can be compared with cuBLAS.", name));
  return *found;
}

CUdeviceptr Product::data_of(const char* name) const {
  return workload_.data()[static_cast<size_t>(&array(name) - request_.arrays.data())];
}

void Product::check_shapes() const {
  const Element input = input_of(request_.precision), output = array("C").element;
  const bool is_stored = output == Element::F32 || (output == input && request_.beta == 0);
  if (!holds(array("A"), input, request_.m, request_.k) || !holds(array("B"), input, request_.k, request_.n) ||
      !holds(array("C"), output, request_.m, request_.n) || !is_stored)
    stop(Failure::BadRequest,
         fmt::format("A, B and C must be M x K, K x N and M x N of {} to be compared with cuBLAS{}.", to_string(input),
                     input == Element::F32 ? "" : ", or C of f32"));
}

void Product::compute_expected() {
  const ArrayArgument &a = array("A"), &b = array("B");
  Gemm absolute = expected_;
  absolute.alpha = std::fabs(expected_.alpha);
  absolute.beta = std::fabs(expected_.beta);
  absolute.c = magnitude_;
  absolute.a = gpu_.buffer("|A|", whole_words(a.bytes));
  absolute.b = gpu_.buffer("|B|", whole_words(b.bytes));
  gpu_.magnitude(absolute.a, expected_.a, a.bytes, a.element);
  gpu_.magnitude(absolute.b, expected_.b, b.bytes, b.element);
  if (request_.beta != 0) {
    ArrayArgument dense = array("C");
    dense.shape = dense.logical;
    dense.bytes = expected_.m * expected_.n * sizeof(float);
    workload_.fill(expected_.c, dense);
    gpu_.magnitude(magnitude_, expected_.c, dense.bytes, Element::F32);
  }
  run_gemm_ex(gpu_, absolute);
  run_gemm_ex(gpu_, expected_);
  gpu_.wait(kOwnLimit);
}

double Product::verify() const {
  const ArrayArgument& c = array("C");
  const DeviceComparison found =
      gpu_.compare(data_of("C"), c.element, c.shape[1], expected_.c, magnitude_, expected_.m, expected_.n,
                   error_factor(expected_.k, request_.precision), stored_roundoff(c.element));
  if (found.wrong == 0) return std::bit_cast<float>(found.worst_ratio_bits);
  stop(Failure::Wrong,
       fmt::format(
           "The kernel's C is wrong: {} of {} elements differ from cuBLAS's by more than rounding explains, the "
           "first at row {}, column {}. It gets no speed.",
           found.wrong, expected_.m * expected_.n, found.first_wrong / expected_.n, found.first_wrong % expected_.n));
}

std::string Product::choose() {
  reference_ = &reference_for_(timed_);
  return reference_->name();
}

}  // namespace tilescope::agent
