#include "agent/gpu.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <thread>

#include <fmt/format.h>

#include "agent/helpers_image.h"
#include "base/input_values.h"

namespace tilescope::agent {
namespace {
using protocol::Failure;
using std::chrono::steady_clock;

constexpr unsigned kHelperThreads = 256;
constexpr uint64_t kMostHelperBlocks = 65536;
constexpr double kHelperLimit = 60;  // Seconds.
constexpr size_t kPrintfBytes = 64 << 10;  // A kernel's output goes to stderr, again with every sample.

int attribute(const Driver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  driver.device_attribute(&value, which, device);
  return value;
}

/// As in helpers.cu.
int type_code(Element element) { return element == Element::F16 ? 1 : element == Element::BF16 ? 2 : 0; }

CUtensorMapDataType tensor_type(const TensorMap& map) {
  switch (map.element) {
    case Element::U16:
    case Element::I16: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case Element::I32: return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case Element::U32: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case Element::I64: return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case Element::U64: return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case Element::F16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case Element::BF16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case Element::F32:
      return map.rounds_to_tf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case Element::F64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    default: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<uint8_t>(uuid.bytes[i]));
  }
  return text;
}

protocol::DeviceFacts device_facts(const Driver& driver, CUdevice device) {
  const auto read = [&](CUdevice_attribute which) { return attribute(driver, device, which); };
  protocol::DeviceFacts facts;
  char name[256] = {};
  CUuuid uuid{};
  size_t bytes = 0;
  driver.device_name(name, sizeof name - 1, device);
  driver.device_uuid(&uuid, device);
  driver.device_memory(&bytes, device);
  facts.name = name;
  facts.uuid = uuid_text(uuid);
  facts.capability = static_cast<uint32_t>(read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                                           read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  facts.sms = static_cast<uint32_t>(read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  facts.clock_hz = 1e3 * read(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  // Kilohertz, two transfers a clock, bits.
  facts.dram_bytes_per_s = 1e3 * read(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 2 *
                           read(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  facts.memory_bytes = bytes;
  facts.l2_bytes = static_cast<uint64_t>(read(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  return facts;
}

}  // namespace

void stop(Failure failure, std::string message) { throw Stopped{{failure, std::move(message)}}; }

bool is_final(Failure failure) { return failure == Failure::Fault || failure == Failure::Endless; }

std::vector<protocol::DeviceFacts> list_devices(const Driver& driver) {
  int count = 0;
  driver.device_count(&count);
  std::vector<protocol::DeviceFacts> devices;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    if (driver.device_get(&device, i) == CUDA_SUCCESS) devices.push_back(device_facts(driver, device));
  }
  return devices;
}

Gpu::Gpu(const Driver& driver, const Cublas& cublas, int index) : driver_(driver), cublas_(cublas), index_(index) {
  check(driver_.device_get(&device_, index), "choosing the GPU");
  check(driver_.context_retain(&context_, device_), "starting a context on the GPU");
  check(driver_.context_set(context_), "starting a context on the GPU");
  driver_.context_limit(CU_LIMIT_PRINTF_FIFO_SIZE, kPrintfBytes);
  highest_clock_hz_ = 1e3 * attribute(driver_, device_, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  create_stream();
  load_helpers();
  stamps_ = buffer("stamps", 2 * kMarks * sizeof(Stamp));
  comparison_ = buffer("comparison", sizeof(DeviceComparison));
  workspace_ = buffer("workspace", kWorkspaceBytes);
  flush_bytes_ = 2 * static_cast<uint64_t>(attribute(driver_, device_, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  flush_ = buffer("flush", std::max(flush_bytes_, uint64_t{4}));
  check(cublas_.create(&blas_), "starting cuBLAS");
  check(cublas_.set_stream(blas_, stream_), "starting cuBLAS");
  check(cublas_.set_workspace(blas_, reinterpret_cast<void*>(workspace_), kWorkspaceBytes), "starting cuBLAS");
  check(cublas_.lt_create(&blas_lt_), "starting cuBLASLt");
}

void Gpu::create_stream() {
  check(driver_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
  check(driver_.event_create(&done_, CU_EVENT_DISABLE_TIMING), "making an event");
  events_.resize(2 * kMarks);
  for (CUevent& event : events_) check(driver_.event_create(&event, CU_EVENT_DEFAULT), "making an event");
}

void Gpu::load_helpers() {
  check(driver_.module_load(&helpers_, helpers_image()), "loading the agent's own kernels");
  fill_ = helper("tilescope_fill");
  magnitude_ = helper("tilescope_magnitude");
  compare_ = helper("tilescope_compare");
  stamp_ = helper("tilescope_stamp");
  idle_ = helper("tilescope_idle");
}

CUfunction Gpu::helper(const char* name) {
  CUfunction function = nullptr;
  check(driver_.module_function(&function, helpers_, name), "loading the agent's own kernels");
  return function;
}

void Gpu::check(CUresult result, const char* what) const {
  if (result == CUDA_SUCCESS) return;
  stop(result == CUDA_ERROR_OUT_OF_MEMORY ? Failure::Memory : Failure::Launch,
       fmt::format("{} failed: {}.", what, driver_.explain(result)));
}

void Gpu::check(cublasStatus_t status, const char* what) const {
  if (status != CUBLAS_STATUS_SUCCESS)
    stop(Failure::Launch, fmt::format("{} failed: cuBLAS status {}.", what, static_cast<int>(status)));
}

CUdeviceptr Gpu::buffer(const std::string& name, uint64_t bytes) {
  Buffer& buffer = buffers_[name];
  if (buffer.bytes >= bytes && buffer.data) return buffer.data;
  if (buffer.data) driver_.release(buffer.data);
  buffer = {};
  const CUresult result = driver_.allocate(&buffer.data, bytes);
  if (result != CUDA_SUCCESS)
    stop(Failure::Memory, fmt::format("The GPU has no {} MiB for the arrays: {}. Choose a smaller size.", bytes >> 20,
                                      driver_.explain(result)));
  buffer.bytes = bytes;
  return buffer.data;
}

void Gpu::run_helper(CUfunction function, uint64_t elements, void** arguments) {
  const uint64_t blocks = std::clamp<uint64_t>((elements + kHelperThreads - 1) / kHelperThreads, 1, kMostHelperBlocks);
  check(driver_.launch(function, static_cast<unsigned>(blocks), 1, 1, kHelperThreads, 1, 1, 0, stream_, arguments,
                       nullptr),
        "running one of the agent's own kernels");
}

void Gpu::fill(CUdeviceptr data, const protocol::ArrayArgument& array, uint64_t seed) {
  uint64_t elements = array.bytes / size_of(array.element), stride = array.shape[1];
  uint64_t rows = array.logical[0], columns = array.logical[1], stream = inputs::stream_of(seed, array.name);
  int type = type_code(array.element);
  void* arguments[] = {&data, &type, &elements, &stride, &rows, &columns, &stream};
  run_helper(fill_, elements, arguments);
}

void Gpu::set(CUdeviceptr data, uint32_t word, uint64_t bytes) {
  check(driver_.set_words(data, word, bytes / 4, stream_), "filling an array");
}

void Gpu::magnitude(CUdeviceptr out, CUdeviceptr in, uint64_t bytes, Element element) {
  uint32_t mask = element == Element::F32 ? 0x7fffffff : 0x7fff7fff;  // Without the signs.
  uint64_t words = (bytes + 3) / 4;
  void* arguments[] = {&out, &in, &words, &mask};
  run_helper(magnitude_, words, arguments);
}

CUtensorMap Gpu::encode(const TensorMap& map, CUdeviceptr data) const {
  constexpr std::array<CUtensorMapSwizzle, 4> kSwizzles{CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                                        CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  if (attribute(driver_, device_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) < 9)
    stop(Failure::Launch, "This GPU has no tensor memory accelerator: tensor maps need compute capability 9.0.");
  if (!driver_.encode_tensor_map)
    stop(Failure::Launch,
         "The NVIDIA driver is too old for tensor maps: it has no cuTensorMapEncodeTiled, which came with CUDA 12.0. "
         "Install a newer one.");
  std::array<cuuint32_t, TensorMap::kMostDimensions> box{}, step{};
  std::copy(map.box.begin(), map.box.end(), box.begin());
  std::copy(map.step.begin(), map.step.end(), step.begin());
  CUtensorMap encoded{};
  check(driver_.encode_tensor_map(
            &encoded, tensor_type(map), map.dimensions, reinterpret_cast<void*>(data), map.extent.data(),
            map.stride.data() + 1, box.data(), step.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
            kSwizzles[static_cast<size_t>(map.swizzle)], CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
            map.fills_with_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "Making a tensor map");
  return encoded;
}

DeviceComparison Gpu::compare(CUdeviceptr c, Element element, uint64_t stride, CUdeviceptr reference,
                              CUdeviceptr magnitude, uint64_t m, uint64_t n, double factor, double stored) {
  DeviceComparison result;
  int type = type_code(element);
  auto of_magnitude = static_cast<float>(factor), of_reference = static_cast<float>(stored);
  check(driver_.set_words(comparison_, 0, sizeof result / 4, stream_), "comparing with cuBLAS");
  check(driver_.set_words(comparison_ + offsetof(DeviceComparison, first_wrong), ~0U, 2, stream_), "comparing with cuBLAS");
  void* arguments[] = {&c, &type, &stride, &reference, &magnitude, &m, &n, &of_magnitude, &of_reference, &comparison_};
  run_helper(compare_, m * n, arguments);
  wait(kHelperLimit);
  check(driver_.copy_out(&result, comparison_, sizeof result), "comparing with cuBLAS");
  return result;
}

void Gpu::flush_l2() { check(driver_.set_words(flush_, 0, flush_bytes_ / 4, stream_), "flushing the L2 cache"); }

void Gpu::idle(double seconds) {
  auto nanoseconds = static_cast<uint64_t>(1e9 * seconds);
  void* arguments[] = {&nanoseconds};
  check(driver_.launch(idle_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr), "waiting on the GPU");
}

void Gpu::stamp(size_t which) {
  CUdeviceptr at = stamps_ + which * sizeof(Stamp);
  void* arguments[] = {&at};
  check(driver_.launch(stamp_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr), "reading the clock");
}

void Gpu::mark_start(size_t which) {
  stamp(2 * which);
  check(driver_.event_record(events_[2 * which], stream_), "recording an event");
}

void Gpu::mark_end(size_t which) {
  check(driver_.event_record(events_[2 * which + 1], stream_), "recording an event");
  stamp(2 * which + 1);
}

void Gpu::lose(Failure failure, std::string message) {
  is_lost_ = true;
  stop(failure, std::move(message));
}

void Gpu::wait(double seconds) {
  check(driver_.event_record(done_, stream_), "recording an event");
  const auto start = steady_clock::now();
  for (CUresult state; (state = driver_.event_query(done_)) != CUDA_SUCCESS;) {
    if (state != CUDA_ERROR_NOT_READY)
      lose(Failure::Fault, fmt::format("The kernel faulted on the GPU: {}.", driver_.explain(state)));
    const double waited = std::chrono::duration<double>(steady_clock::now() - start).count();
    if (waited > seconds)
      lose(Failure::Endless, fmt::format("The kernel did not end within {:g} s on the GPU.", seconds));
    if (waited < 2e-4) continue;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

double Gpu::seconds_between(size_t start, size_t end) {
  float milliseconds = 0;
  check(driver_.event_elapsed(&milliseconds, events_[2 * start], events_[2 * end + 1]), "reading the time");
  return 1e-3 * double{milliseconds};
}

double Gpu::clock_between(size_t start, size_t end) {
  Stamp first, last;
  check(driver_.copy_out(&first, stamps_ + 2 * start * sizeof(Stamp), sizeof first), "reading the clock");
  check(driver_.copy_out(&last, stamps_ + (2 * end + 1) * sizeof(Stamp), sizeof last), "reading the clock");
  if (first.sm != last.sm || last.nanoseconds <= first.nanoseconds || last.clock <= first.clock) return 0;
  return 1e9 * static_cast<double>(last.clock - first.clock) / static_cast<double>(last.nanoseconds - first.nanoseconds);
}

}  // namespace tilescope::agent
