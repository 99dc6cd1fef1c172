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

constexpr double kOwnLimit = 60;  // Seconds for anything but the request's kernel.

// How far C and what it is compared with may be apart, in units of |A||B|: gamma_n of each, as run/verify.h has it, and
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

// The driver sets memory by words of four bytes.
uint64_t whole_words(uint64_t bytes) { return std::max<uint64_t>((bytes + 3) / 4 * 4, 4); }

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

// A new one each time unless the request names it; below 2^63, for JSON readers.
uint64_t choose_seed(uint64_t wanted) { return wanted != 0 ? wanted : std::random_device{}(); }

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
    stop(Failure::BadRequest,
         fmt::format("The kernel has no array {}: only C = A * B can be compared with cuBLAS.", name));
  return *found;
}

CUdeviceptr Workload::data_of(const char* name) const {
  return data_[static_cast<size_t>(&array(name) - request_.arrays.data())];
}

void Workload::check_shapes() const {
  const Element input = input_of(request_.precision), output = array("C").element;
  const bool is_stored = output == Element::F32 || (output == input && request_.beta == 0);
  if (!holds(array("A"), input, request_.m, request_.k) || !holds(array("B"), input, request_.k, request_.n) ||
      !holds(array("C"), output, request_.m, request_.n) || !is_stored)
    stop(Failure::BadRequest,
         fmt::format("A, B and C must be M x K, K x N and M x N of {} to be compared with cuBLAS{}.", to_string(input),
                     input == Element::F32 ? "" : ", or C of f32"));
  for (const ArrayArgument& other : request_.arrays)
    if (other.is_input && !other.initial && !is_matrix(other, other.element == input ? input : Element::F32))
      stop(Failure::BadRequest,
           fmt::format("{} is an input that is not a matrix of {}; such kernels can be traced but not measured.",
                       other.name, to_string(input)));
}

void Workload::place_arrays() {
  for (size_t i = 0; i < request_.arrays.size(); ++i) {
    const ArrayArgument& each = request_.arrays[i];
    data_.push_back(gpu_.buffer("array " + each.name, whole_words(each.bytes)));
    start(i);
  }
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

// An array before the first launch.
void Workload::start(size_t index) {
  const ArrayArgument& each = request_.arrays[index];
  const uint64_t bytes = whole_words(each.bytes);
  if (each.initial)
    gpu_.set(data_[index], repeated(*each.initial, each.element), bytes);
  else if (each.is_input)
    gpu_.fill(data_[index], each, seed_);
  else
    gpu_.poison(data_[index], bytes);
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
  for (const protocol::Argument& argument : request_.arguments) {
    if (argument.array < 0) {
      values_.push_back(scalar_bytes(argument));
      continue;
    }
    const CUdeviceptr data = data_[static_cast<size_t>(argument.array)];
    values_.push_back(argument.tensor ? bytes_of(gpu_.encode(*argument.tensor, data)) : bytes_of(data));
  }
  for (std::vector<std::byte>& bytes : values_) arguments_.push_back(bytes.data());
}

void Workload::compute_expected() {
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
    gpu_.fill(expected_.c, dense, seed_);
    gpu_.magnitude(magnitude_, expected_.c, dense.bytes, Element::F32);
  }
  run_gemm_ex(gpu_, absolute);
  run_gemm_ex(gpu_, expected_);
  gpu_.wait(kOwnLimit);
}

void Workload::reset_c() { start(static_cast<size_t>(&array("C") - request_.arrays.data())); }

void Workload::launch() const {
  const Dim3 &grid = request_.grid, &block = request_.block;
  const Driver& driver = gpu_.driver();
  const CUresult result =
      request_.cooperative ? driver.launch_cooperative(function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                       request_.dynamic_shared_bytes, gpu_.stream(), arguments_.data())
                           : driver.launch(function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                           request_.dynamic_shared_bytes, gpu_.stream(), arguments_.data(), nullptr);
  gpu_.check(result, "Launching the kernel");
}

double Workload::verify() const {
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

}  // namespace tilescope::agent
