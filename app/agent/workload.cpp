#include "agent/workload.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>

namespace tilescope::agent {
namespace {
using protocol::ArrayArgument;
using protocol::Failure;

constexpr double kOwnLimit = 60;  // Seconds for what is not the request's kernel.

// gamma_n = n u / (1 - n u), u = 2^-24, as session/verify.h has it; n = k + 4. The magnitudes come from a product in
// FP32 themselves, hence the second factor.
double error_factor(uint64_t k) {
  const double nu = (static_cast<double>(k) + 4) * 0x1p-24;
  const double gamma = nu / (1 - nu);
  return gamma * (1 + gamma);
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::vector<std::byte> scalar_bytes(const protocol::Argument& argument) {
  switch (argument.element) {
    case Element::F32: return bytes_of(static_cast<float>(argument.real));
    case Element::F64: return bytes_of(argument.real);
    default: break;
  }
  std::vector<std::byte> bytes = bytes_of(argument.integer);
  bytes.resize(size_of(argument.element));
  return bytes;
}

// Another one each time unless the request names it; below 2^63, as JSON readers can take it.
uint64_t choose_seed(uint64_t wanted) {
  return wanted != 0 ? wanted : std::random_device{}();
}

bool holds(const ArrayArgument& array, int64_t rows, int64_t columns) {
  return array.element == Element::F32 && array.shape.size() == 2 && array.logical.size() == 2 &&
         array.logical[0] == static_cast<uint64_t>(rows) && array.logical[1] == static_cast<uint64_t>(columns) &&
         array.shape[0] >= array.logical[0] && array.shape[1] >= array.logical[1] &&
         array.shape[1] <= INT32_MAX && array.shape[0] <= INT32_MAX &&
         array.bytes == array.shape[0] * array.shape[1] * sizeof(float);
}

}  // namespace

Workload::Workload(Gpu& gpu, const protocol::MeasureRequest& request)
    : gpu_(gpu), request_(request), seed_(choose_seed(request.options.seed)) {
  check_shapes();
  place_arrays();
  load();
  pack_arguments();
}

Workload::~Workload() {
  if (module_ && !gpu_.is_lost()) gpu_.driver().module_unload(module_);
}

const ArrayArgument& Workload::array(const char* name) const {
  const auto found = std::find_if(request_.arrays.begin(), request_.arrays.end(),
                                  [&](const ArrayArgument& candidate) { return candidate.name == name; });
  if (found == request_.arrays.end())
    stop(Failure::BadRequest, fmt::format("The kernel has no array {}: only C = A * B can be compared with cuBLAS.", name));
  return *found;
}

CUdeviceptr Workload::data_of(const char* name) const {
  return data_[static_cast<size_t>(&array(name) - request_.arrays.data())];
}

void Workload::check_shapes() const {
  if (!holds(array("A"), request_.m, request_.k) || !holds(array("B"), request_.k, request_.n) ||
      !holds(array("C"), request_.m, request_.n))
    stop(Failure::BadRequest, "A, B and C must be M x K, K x N and M x N of f32 to be compared with cuBLAS.");
  for (const ArrayArgument& other : request_.arrays)
    if (other.element != Element::F32 || other.shape.size() != 2 || other.logical.size() != 2)
      stop(Failure::BadRequest, fmt::format("{} is no matrix of f32; such kernels can be traced but not measured.", other.name));
}

void Workload::place_arrays() {
  for (const ArrayArgument& each : request_.arrays) {
    data_.push_back(gpu_.buffer("array " + each.name, std::max<uint64_t>(each.bytes, 4)));
    if (each.is_input)
      gpu_.fill(data_.back(), each, seed_);
    else
      gpu_.poison(data_.back(), each.bytes);
  }
  const auto m = static_cast<uint64_t>(request_.m), n = static_cast<uint64_t>(request_.n);
  gemm_ = {m, n, static_cast<uint64_t>(request_.k), array("A").shape[1], array("B").shape[1],
           static_cast<float>(request_.alpha), static_cast<float>(request_.beta), data_of("A"), data_of("B"),
           gpu_.buffer("expected", m * n * sizeof(float))};
  magnitude_ = gpu_.buffer("magnitude", m * n * sizeof(float));
}

void Workload::load() {
  const Driver& driver = gpu_.driver();
  gpu_.check(driver.module_load(&module_, request_.cubin.c_str()), "Loading the kernel");
  gpu_.check(driver.module_function(&function_, module_, request_.entry.c_str()), "Finding the kernel in its cubin");
  if (request_.dynamic_shared_bytes > 0)
    gpu_.check(driver.function_set(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   static_cast<int>(request_.dynamic_shared_bytes)),
               "Asking for dynamic shared memory");
}

void Workload::pack_arguments() {
  for (const protocol::Argument& argument : request_.arguments)
    scalars_.push_back(argument.array < 0 ? scalar_bytes(argument)
                                          : bytes_of(data_[static_cast<size_t>(argument.array)]));
  for (std::vector<std::byte>& bytes : scalars_) arguments_.push_back(bytes.data());
}

void Workload::compute_expected() {
  const uint64_t c_elements = gemm_.m * gemm_.n;
  Gemm absolute = gemm_;
  absolute.alpha = std::fabs(gemm_.alpha);
  absolute.beta = std::fabs(gemm_.beta);
  absolute.c = magnitude_;
  absolute.a = gpu_.buffer("|A|", array("A").bytes);
  absolute.b = gpu_.buffer("|B|", array("B").bytes);
  gpu_.magnitude(absolute.a, gemm_.a, array("A").bytes / sizeof(float));
  gpu_.magnitude(absolute.b, gemm_.b, array("B").bytes / sizeof(float));
  if (accumulates()) {
    ArrayArgument dense = array("C");
    dense.shape = dense.logical;
    dense.bytes = c_elements * sizeof(float);
    gpu_.fill(gemm_.c, dense, seed_);
    gpu_.magnitude(magnitude_, gemm_.c, c_elements);
  }
  run_gemm_ex(gpu_, absolute);
  run_gemm_ex(gpu_, gemm_);
  gpu_.wait(kOwnLimit);
}

void Workload::reset_c() {
  const ArrayArgument& c = array("C");
  if (c.is_input)
    gpu_.fill(data_of("C"), c, seed_);
  else
    gpu_.poison(data_of("C"), c.bytes);
}

void Workload::launch() const {
  const Dim3 &grid = request_.grid, &block = request_.block;
  gpu_.check(gpu_.driver().launch(function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                  request_.dynamic_shared_bytes, gpu_.stream(), arguments_.data(), nullptr),
             "Launching the kernel");
}

double Workload::verify() const {
  const DeviceComparison found = gpu_.compare(data_of("C"), array("C").shape[1], gemm_.c, magnitude_, gemm_.m, gemm_.n,
                                              error_factor(gemm_.k));
  if (found.wrong == 0) return std::bit_cast<float>(found.worst_ratio_bits);
  stop(Failure::Wrong,
       fmt::format("The kernel's C is wrong: {} of {} elements differ from cuBLAS's by more than rounding explains, the "
                   "first at row {}, column {}. It gets no speed.",
                   found.wrong, gemm_.m * gemm_.n, found.first_wrong / gemm_.n, found.first_wrong % gemm_.n));
}

}  // namespace tilescope::agent
