#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"

/// Limits of architectures and figures of devices, each with its source.
namespace tilescope::arch {

constexpr uint32_t kWarpSize = 32;
constexpr uint32_t kSchedulers = 4;    ///< Of an SM; cuda_occupancy.h, cudaOccSubPartitionsPerMultiprocessor.
constexpr uint32_t kBanks = 32;        ///< CUDA C++ Programming Guide, "Shared Memory" of each compute capability.
constexpr uint32_t kBankBytes = 4;     ///< Bytes a bank delivers per clock; the same sections.
constexpr uint32_t kSectorBytes = 32;  ///< Nsight Compute, Kernel Profiling Guide, "Memory Tables".
constexpr uint32_t kLineBytes = 128;   ///< Of a cache line; the same.

/// The limits of a compute capability. Sizes in bytes. The columns' sources are above the table in limits.cpp.
struct Limits {
  uint32_t capability = 0;        ///< 90 for compute capability 9.0
  std::string_view architecture;  ///< "Hopper"
  uint32_t threads_per_block = 0;
  uint32_t threads_per_sm = 0;
  uint32_t warps_per_sm = 0;
  uint32_t blocks_per_sm = 0;
  uint32_t registers_per_sm = 0;  ///< 32-bit registers, as the two after it.
  uint32_t registers_per_block = 0;
  uint32_t registers_per_thread = 0;
  uint32_t register_unit = 0;              ///< A warp gets registers in multiples of this.
  uint32_t sub_partitions = 0;             ///< Warp schedulers of an SM, each with its share of the registers.
  uint32_t shared_per_sm = 0;              ///< The largest carve-out.
  uint32_t shared_per_block = 0;           ///< Static, and dynamic without opting in.
  uint32_t shared_per_block_opt_in = 0;    ///< With cudaFuncAttributeMaxDynamicSharedMemorySize.
  uint32_t shared_reserved_per_block = 0;  ///< Reserved by the system in each block's share; 0 before 8.0.
  uint32_t shared_unit = 0;                ///< A block gets shared memory in multiples of this.
  uint32_t barriers_per_sm = 0;            ///< Named barriers of all blocks of an SM together; 0 if they never limit.
  uint32_t fma_lanes_per_sm = 0;    ///< Single-precision FMAs an SM can start per clock.
  uint32_t tensor_fmas_per_sm = 0;  ///< Most FMAs of f16 or bf16 of its tensor cores per clock; 0: unknown.
  std::span<const uint32_t> carveouts;  ///< Sizes to which an SM's shared memory can be configured, ascending.
  Dim3 max_block;
  Dim3 max_grid;
};

/// "sm_90"
std::string target_name(const Limits& limits);
/// All capabilities known, ascending.
std::span<const Limits> all_limits();
/// By number: 90. Null if unknown.
const Limits* find_limits(uint32_t capability);
/// By name: "sm_90", "sm_90a", "compute_90", "9.0" or "90". The error names the nearest known one.
Result<Limits> find_limits(std::string_view name);

/// A figure of a device and where it comes from.
struct Figure {
  double value = 0;
  std::string source;    ///< Title and address of the document.
  std::string computed;  ///< The formula in words when it was computed from other figures; empty when it was read.
};

/// Types that tensor cores multiply at different rates: TF32, f16 or bf16 with sums in FP32, f16 with sums in f16,
/// 8-bit integers, and doubles.
enum class TensorType : uint8_t { Tf32, F16, F16Sums, S8, F64 };
constexpr size_t kTensorTypes = 5;
/// "TF32", "F16/BF16", "F16 with F16 sums", "INT8", "FP64"
std::string_view to_string(TensorType type);

/// The figures of a device that bound a kernel. Figures without a source are absent.
struct Device {
  std::string name;                  ///< "H200"
  std::vector<std::string> aliases;  ///< Other names, including the driver's.
  uint32_t capability = 0;
  std::optional<Figure> sms;
  std::optional<Figure> clock_hz;          ///< Boost clock of the SMs.
  std::optional<Figure> fma_lanes_per_sm;  ///< Single-precision FMAs an SM can start per clock.
  /// Dense FMAs of an SM's tensor cores per clock; absent if unsupported or not published.
  std::array<std::optional<Figure>, kTensorTypes> tensor_fmas_per_sm;  ///< By TensorType.
  std::optional<Figure> memory_bytes;
  std::optional<Figure> dram_bytes_per_s;
  std::optional<Figure> dram_bus_bits;  ///< Width of the memory interface.
  std::optional<Figure> l2_bytes;
  std::optional<Figure> l2_bytes_per_s;          ///< Reads that hit.
  std::optional<Figure> shared_bytes_per_clock;  ///< Per SM.
};

/// Reads devices from TOML text: a [sources] table and [[device]] entries; assets/devices.toml shows all of it.
/// Errors have `file_name`, line and column and say what to write instead.
Result<std::vector<Device>> parse_devices(std::string_view toml, std::string file_name);
/// The same from a file.
Result<std::vector<Device>> load_devices(const std::filesystem::path& path);
/// Those of assets/devices.toml, read once.
const Result<std::vector<Device>>& shipped_devices();
/// The one of that name if it has the architecture, else the first that has it; nullopt where there is none.
std::optional<Device> device_of(const Limits& limits, std::string_view name = "");
/// By name or alias, ignoring case, spaces, hyphens and a leading "NVIDIA", "GeForce" or "Tesla".
/// The error names the nearest, or all if none is near.
Result<Device> find_device(std::span<const Device> devices, std::string_view name);

}  // namespace tilescope::arch
