// Runs every kernel of the catalogue, at its defaults and presets and at a few sizes, in the emulator and on the GPU
// with the same inputs, and compares what both wrote to C bit for bit:
//   hardware_bits OUT [FOLDER]...   ->   OUT/bits.csv, OUT/differing.bin
// FOLDERs hold further kernels. Of each launch whose results differ, differing.bin has the GPU's elements, as many as
// kMostKept launches, in the order of bits.csv; its column "kept" says from which byte on. Without a GPU the emulator's
// half alone runs.

#include <cuda.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "run/inputs.h"
#include "run/launch.h"
#include "run/launch_memory.h"
#include "run/run.h"

namespace fs = std::filesystem;
using namespace tilescope;

namespace {

constexpr uint64_t kSeed = 1;
constexpr size_t kSizesOfEach = 3;
constexpr uint64_t kMostKept = uint64_t{12} << 20;  // Bytes.

/// Thrown where the driver refuses.
struct DriverError {
  std::string message;
};

void check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "unknown error";
  cuGetErrorString(result, &text);
  throw DriverError{fmt::format("{}: {}", what, text)};
}

/// False if there is none.
bool open_gpu() {
  CUdevice device;
  CUcontext context;
  return cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
         cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS && cuCtxSetCurrent(context) == CUDA_SUCCESS;
}

struct Point {
  kernel::Kernel kernel;
  std::string preset;
  kernel::Settings settings;
  kernel::Size size;
  run::PreparedPointer prepared;
  std::string problem;

  std::string name() const { return fmt::format("{},{},{}x{}x{}", kernel.name, preset, size.m, size.n, size.k); }
};

std::vector<Point> legal_points(const std::vector<fs::path>& folders) {
  const std::vector<kernel::Size> sizes{{256, 256, 256}, {384, 256, 128}, {257, 131, 67}, {512, 512, 512}};
  std::vector<Point> points;
  for (const fs::path& folder : folders)
    for (const kernel::Kernel& kernel : kernel::load_catalogue(folder).kernels) {
      std::vector<std::pair<std::string, kernel::Settings>> all{{"default", {}}};
      for (const kernel::Preset& preset : kernel.description.presets)
        if (const auto settings = kernel::preset_settings(kernel.description, preset.name))
          all.emplace_back(preset.name, *settings);
      for (const auto& [preset, settings] : all) {
        size_t taken = 0;
        for (const kernel::Size& size : sizes) {
          run::Request request;
          request.kernel = kernel;
          request.settings = settings;
          request.size = size;
          if (taken == kSizesOfEach || !run::configure(request)) continue;
          points.push_back({kernel, preset, settings, size, nullptr, ""});
          ++taken;
        }
      }
    }
  return points;
}

void prepare_all(std::vector<Point>& points) {
  compile::Compiler compiler;
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (size_t at; (at = next.fetch_add(1)) < points.size();) {
        Point& point = points[at];
        run::Request request;
        request.kernel = point.kernel;
        request.settings = point.settings;
        request.size = point.size;
        request.seed = kSeed;
        const Result<run::PreparedPointer> prepared = run::prepare(request, compiler);
        if (prepared)
          point.prepared = *prepared;
        else
          point.problem = to_string(prepared.errors());
      }
    });
}

CUtensorMapDataType type_of(const TensorMap& map) {
  switch (map.element) {
    case Element::F16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case Element::BF16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    default: return map.rounds_to_tf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  }
}

CUtensorMap encode(const TensorMap& map, CUdeviceptr data) {
  constexpr std::array<CUtensorMapSwizzle, 4> kSwizzles{CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                                        CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  std::array<cuuint32_t, TensorMap::kMostDimensions> box{}, step{};
  std::copy(map.box.begin(), map.box.end(), box.begin());
  std::copy(map.step.begin(), map.step.end(), step.begin());
  CUtensorMap encoded{};
  check(cuTensorMapEncodeTiled(
            &encoded, type_of(map), map.dimensions, reinterpret_cast<void*>(data), map.extent.data(),
            map.stride.data() + 1, box.data(), step.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
            kSwizzles[static_cast<size_t>(map.swizzle)], CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
            map.fills_with_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "a tensor map");
  return encoded;
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// The launch on the GPU, with the arrays as `launch` has them before it runs.
class GpuLaunch {
 public:
  GpuLaunch(const run::Prepared& prepared, const run::LaunchMemory& launch) : prepared_(prepared) {
    for (size_t i = 0; i < launch.memory.allocations().size(); ++i) {
      const std::span<const std::byte> bytes = launch.memory.bytes(static_cast<int>(i));
      CUdeviceptr data = 0;
      check(cuMemAlloc(&data, std::max<size_t>(bytes.size(), 16)), "cuMemAlloc");
      data_.push_back(data);
      check(cuMemcpyHtoD(data, bytes.data(), bytes.size()), "cuMemcpyHtoD");
    }
    const auto data_of = [&](int array) {
      return data_[static_cast<size_t>(launch.array_index[static_cast<size_t>(array)])];
    };
    for (const kernel::ArgumentValue& argument : prepared.configuration.arguments)
      values_.push_back(argument.tensor       ? bytes_of(encode(argument.tensor->map, data_of(argument.tensor->array)))
                        : argument.array >= 0 ? bytes_of(data_of(argument.array))
                        : argument.element == Element::F32 ? bytes_of(static_cast<float>(argument.real))
                        : argument.element == Element::F64 ? bytes_of(argument.real)
                                                           : bytes_of(argument.integer));
  }
  ~GpuLaunch() {
    for (const CUdeviceptr data : data_) cuMemFree(data);
    if (module_) cuModuleUnload(module_);
  }
  GpuLaunch(const GpuLaunch&) = delete;
  GpuLaunch& operator=(const GpuLaunch&) = delete;

  void run() {
    const kernel::Configuration& c = prepared_.configuration;
    CUfunction function = nullptr;
    check(cuModuleLoadData(&module_, prepared_.build->compiled.cubin.data()), "cuModuleLoadData");
    check(cuModuleGetFunction(&function, module_, prepared_.program().function().name.c_str()), "cuModuleGetFunction");
    if (c.dynamic_shared_bytes > 0)
      check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(c.dynamic_shared_bytes)),
            "cuFuncSetAttribute");
    std::vector<void*> arguments;
    for (std::vector<std::byte>& value : values_) arguments.push_back(value.data());
    const CUresult launched =
        prepared_.is_cooperative()
            ? cuLaunchCooperativeKernel(function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z,
                                        c.dynamic_shared_bytes, nullptr, arguments.data())
            : cuLaunchKernel(function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z,
                             c.dynamic_shared_bytes, nullptr, arguments.data(), nullptr);
    check(launched, "cuLaunchKernel");
    check(cuCtxSynchronize(), "running the kernel");
  }

  std::vector<std::byte> read(int allocation, size_t bytes) const {
    std::vector<std::byte> result(bytes);
    check(cuMemcpyDtoH(result.data(), data_[static_cast<size_t>(allocation)], bytes), "cuMemcpyDtoH");
    return result;
  }

 private:
  const run::Prepared& prepared_;
  std::vector<CUdeviceptr> data_;
  std::vector<std::vector<std::byte>> values_;
  CUmodule module_ = nullptr;
};

/// The place of a number among all of its type, so that neighbours are 1 apart; of 32 bits or 16.
int64_t place(const std::byte* at, size_t bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, bytes);
  const uint32_t sign = 1u << (8 * bytes - 1);
  return bits & sign ? -static_cast<int64_t>(bits & (sign - 1)) : static_cast<int64_t>(bits);
}

struct Difference {
  uint64_t elements = 0, differing = 0;
  int64_t most_ulps = 0;
  double worst = 0;  ///< |GPU - emulator| over the largest |emulator|.
};

Difference compare(const kernel::ArrayShape& array, const std::byte* ours, const std::byte* gpu) {
  const size_t bytes = size_of(array.element);
  Difference result;
  double largest = 0, error = 0;
  run::for_each_element(array, [&](uint64_t, uint64_t index) {
    const std::byte *a = ours + index * bytes, *b = gpu + index * bytes;
    ++result.elements;
    const double expected = run::number_at(a, array.element), got = run::number_at(b, array.element);
    largest = std::max(largest, std::abs(expected));
    if (std::memcmp(a, b, bytes) == 0) return;
    ++result.differing;
    result.most_ulps = std::max(result.most_ulps, std::abs(place(a, bytes) - place(b, bytes)));
    error = std::max(error, std::abs(got - expected));
  });
  result.worst = largest > 0 ? error / largest : 0;
  return result;
}

class Comparison {
 public:
  Comparison(const fs::path& out, bool has_gpu)
      : table_(out / "bits.csv"), kept_(out / "differing.bin", std::ios::binary), has_gpu_(has_gpu) {
    table_ << "kernel,preset,size,array,element,elements,differing,most_ulps,worst_of_largest,kept,seconds\n";
  }

  /// True where nothing differs. A launch that the GPU faults at is fatal: throws.
  bool compare_point(const Point& point) {
    const auto start = std::chrono::steady_clock::now();
    const run::Prepared& prepared = *point.prepared;
    Result<run::LaunchMemory> launch = run::place_launch(prepared, kSeed);
    if (!launch) return fail(point, to_string(launch.errors()));
    std::optional<GpuLaunch> gpu;
    if (has_gpu_) gpu.emplace(prepared, *launch);
    if (!run::run_launch(run::launched(prepared, *launch), {}, {}).finished())
      return fail(point, "the emulator did not finish");
    if (gpu) gpu->run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    bool same = true;
    for (size_t i = 0; i < prepared.configuration.arrays.size(); ++i) {
      const kernel::ArrayShape& array = prepared.configuration.arrays[i];
      if (array.space != Space::Global || array.name != "C") continue;
      const int index = launch->array_index[i];
      const std::span<const std::byte> ours = launch->memory.bytes(index);
      const std::vector<std::byte> theirs =
          gpu ? gpu->read(index, ours.size()) : std::vector<std::byte>(ours.begin(), ours.end());
      const Difference found = compare(array, ours.data(), theirs.data());
      std::string kept;
      if (found.differing > 0 && bytes_kept_ + theirs.size() <= kMostKept) {
        kept = std::to_string(bytes_kept_);
        kept_.write(reinterpret_cast<const char*>(theirs.data()), static_cast<std::streamsize>(theirs.size()));
        bytes_kept_ += theirs.size();
      }
      const std::string row =
          fmt::format("{},{},{},{},{},{},{:.3g},{},{:.2f}", point.name(), array.name, to_string(array.element),
                      found.elements, found.differing, found.most_ulps, found.worst, kept, seconds);
      table_ << row << std::endl;
      std::cout << row << std::endl;
      same = same && found.differing == 0;
    }
    return same;
  }

  bool fail(const Point& point, const std::string& why) {
    std::cout << point.name() << ": " << why << std::endl;
    return false;
  }

 private:
  std::ofstream table_, kept_;
  uint64_t bytes_kept_ = 0;
  bool has_gpu_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: hardware_bits OUT [FOLDER]...\n";
    return 2;
  }
  fs::create_directories(argv[1]);
  const bool has_gpu = open_gpu();
  if (!has_gpu) std::cout << "There is no GPU here: nothing is compared.\n";
  std::vector<fs::path> folders{data_folder() / "kernels"};
  for (int i = 2; i < argc; ++i) folders.emplace_back(argv[i]);
  std::vector<Point> points = legal_points(folders);
  prepare_all(points);
  Comparison comparison(argv[1], has_gpu);
  size_t same = 0;
  for (const Point& point : points) {
    if (!point.prepared) {
      comparison.fail(point, point.problem);
      continue;
    }
    try {
      same += comparison.compare_point(point);
    } catch (const DriverError& error) {
      comparison.fail(point, error.message);
      break;  // A fault leaves no context to go on in.
    }
  }
  std::cout << fmt::format("{} of {} launches agree bit for bit\n", same, points.size());
  return has_gpu && same == points.size() ? 0 : 1;
}
