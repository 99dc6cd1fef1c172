#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arch/arch.h"

namespace tilescope::analysis {

/// The counted work of a whole launch. All sums are over all blocks.
struct Work {
  uint64_t fmas = 0;  ///< FMA instructions, per thread; a packed one counts one.
  std::array<uint64_t, arch::kTensorTypes> tensor_fmas = {};  ///< Of the tensor cores, by arch::TensorType.
  uint64_t shared_wavefronts = 0;                             ///< Loads and stores, and what wgmma reads.
  uint64_t l1_wavefronts = 0;  ///< Of global and local loads and stores; see global_wavefronts().
  uint64_t l1_lines = 0;       ///< Distinct 128-byte lines of their requests: the tags that L1 looks up.
  uint64_t l2_sectors = 0;     ///< Sectors that reach L2.
  uint64_t dram_bytes = 0;     ///< The least traffic: each input read once, each output written once.
  double flops = 0;            ///< Useful work, 2*M*N*K; 0: two for each FMA.
};

enum class Resource : uint8_t { Fma, TensorCores, L1AndShared, L2, Dram };
constexpr size_t kResources = 5;
/// "FMA issue", "tensor cores", "L1 and shared memory", "L2", "DRAM"
std::string_view to_string(Resource resource);

/// The resources of a device in the bound.
enum class Rate : uint8_t { Sms, Clock, Fma, Tensor, SharedMemory, L2, Dram };

/// The least time one resource takes for the work: amount / rate. wording::formula() writes it out.
struct ResourceTime {
  std::optional<double> seconds = {};           ///< Absent if the device lacks a necessary figure.
  Rate missing = Rate::Sms;                     ///< Which; only where `seconds` is absent.
  uint64_t amount = 0;                          ///< FMAs, wavefronts or lines of L1, sectors of L2, bytes of DRAM.
  double sms = 0, per_clock = 0, clock_hz = 0;  ///< FMA, L1 and shared memory: the rate is their product.
  double bytes_per_s = 0;                       ///< L2 and DRAM.

  /// Tensor cores: `amount` by arch::TensorType, and the rate per SM and clock; `seconds` is the sum of all types.
  std::array<uint64_t, arch::kTensorTypes> of_type = {};
  std::array<double, arch::kTensorTypes> type_per_clock = {};

  // L1 and shared memory:
  bool of_tags = false;                       ///< `amount` counts lines: their tags take longer than all wavefronts.
  uint64_t shared_amount = 0;                 ///< Wavefronts of shared memory; `amount` counts those of L1.
  double shared_per_clock = 0;                ///< Per clock of an SM.
  double l1_seconds = 0, shared_seconds = 0;  ///< The two parts; `seconds` is their sum, or the tags' time.
};

/// A kernel that does this work cannot be faster than `seconds` on the device.
struct Bound {
  std::array<ResourceTime, kResources> times;  ///< By Resource.
  Resource limiting = Resource::Fma;
  double seconds = 0;  ///< The largest of the times; 0 if none is known.
  double gflops = 0;   ///< Useful work over `seconds`; 0 where that is 0.
  std::string device;  ///< Its name.
  const ResourceTime& time(Resource resource) const { return times[static_cast<size_t>(resource)]; }
};

/// The speed-of-light bound: each resource at its peak rate, all overlapped perfectly, at the boost clock. It is the
/// roofline (Williams, Waterman and Patterson, 2009, doi:10.1145/1498765.1498785) with one roof for each level:
/// - FMA issue: fmas / (SMs * FMA lanes * clock); CUDA C++ Programming Guide, "Arithmetic Instructions".
/// - Tensor cores: FMAs of each type / (SMs * FMAs per clock of that type * clock), one type after another.
/// - L1 and shared memory, one data path: the wavefronts of both, a clock each, / (SMs * clock). A wavefront is what
///   passes L1TEX in a cycle (https://forums.developer.nvidia.com/t/165293/4) where the banks give 128 bytes per clock;
///   one of shared memory takes two on Turing. Beside it L1 looks up the tags of four lines per clock. Measured on an
///   H200, docs/time.md.
/// - L2: sectors * 32 bytes / bandwidth. DRAM: bytes / bandwidth.
Bound bound(const arch::Device& device, const Work& work);

}  // namespace tilescope::analysis
