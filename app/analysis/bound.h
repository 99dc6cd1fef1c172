#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arch/arch.h"

namespace tilescope::analysis {

/// What a whole launch does, counted. All sums are over all blocks.
struct Work {
  uint64_t fmas = 0;               ///< Single-precision FMAs, one for each thread that executes one.
  uint64_t shared_wavefronts = 0;  ///< Loads and stores.
  uint64_t l1_wavefronts = 0;      ///< Of global and local loads and stores; see global_wavefronts().
  uint64_t l1_sectors = 0;         ///< Of global loads and stores.
  uint64_t l2_sectors = 0;         ///< Sectors that reach L2; l1_sectors when no hit in L1 is assumed.
  uint64_t dram_bytes = 0;         ///< The least that must cross: each input read once, each output written once.
  double flops = 0;                ///< Useful work, 2*M*N*K; 0: two for each FMA.
};

enum class Resource : uint8_t { Fma, SharedMemory, L1, L2, Dram };
constexpr size_t kResources = 5;
/// "FMA issue", "shared memory", "L1", "L2", "DRAM"
std::string_view to_string(Resource resource);

/// What the bound asks of a device.
enum class Rate : uint8_t { Sms, Clock, Fma, SharedMemory, L1, L2, Dram };

/// The least time one resource takes for the work: amount / rate. wording::formula() writes it out.
struct ResourceTime {
  std::optional<double> seconds = {};           ///< Absent where the device lacks a figure that it needs.
  Rate missing = Rate::Sms;                     ///< Which; only where `seconds` is absent.
  uint64_t amount = 0;                          ///< FMAs, wavefronts, sectors of L1 or L2, bytes of DRAM.
  bool of_wavefronts = false;                   ///< L1: `amount` counts wavefronts, which take longer than the sectors.
  double sms = 0, per_clock = 0, clock_hz = 0;  ///< FMA, shared memory, L1: the rate is their product.
  double bytes_per_s = 0;                       ///< L2 and DRAM.
};

/// A kernel that does this work cannot be faster than `seconds` on the device.
struct Bound {
  std::array<ResourceTime, kResources> times;  ///< By Resource.
  Resource limiting = Resource::Fma;
  double seconds = 0;  ///< The largest of the times; 0 where none is known.
  double gflops = 0;   ///< Useful work over `seconds`; 0 where that is 0.
  std::string device;  ///< Its name.
  const ResourceTime& time(Resource resource) const { return times[static_cast<size_t>(resource)]; }
};

/// The speed-of-light bound: each resource at its peak rate, all overlapped perfectly, at the boost clock. It is the
/// roofline (Williams, Waterman and Patterson, 2009, doi:10.1145/1498765.1498785) with one roof for each level:
/// - FMA issue: fmas / (SMs * FMA lanes * clock); CUDA C++ Programming Guide, "Arithmetic Instructions".
/// - Shared memory: wavefronts * 128 bytes / (SMs * bytes per clock * clock). A wavefront is what passes L1TEX in a
///   cycle (https://forums.developer.nvidia.com/t/165293/4) where the banks give 128 bytes per clock; two on Turing.
/// - L1: the larger of sectors * 32 bytes / bytes per clock and one clock per wavefront, / (SMs * clock); measured, see
///   global_wavefronts().
/// - L2: sectors * 32 bytes / bandwidth. DRAM: bytes / bandwidth.
/// L1 and shared memory use one data path, but each is bounded by itself: their sum is not a proven lower bound.
Bound bound(const arch::Device& device, const Work& work);

}  // namespace tilescope::analysis
