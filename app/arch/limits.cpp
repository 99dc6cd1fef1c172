#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "arch/arch.h"
#include "base/nearest.h"

namespace tilescope::arch {
namespace {

constexpr uint32_t kKiB = 1024;
constexpr Dim3 kMaxBlock{1024, 1024, 64};           // CUDA C++ Programming Guide, "Compute Capabilities".
constexpr Dim3 kMaxGrid{0x7fffffff, 65535, 65535};  // The same.

// cuda_occupancy.h, cudaOccAlignUpShmemSizeVoltaPlus; also "Shared Memory" of each capability in the guide.
constexpr std::array<uint32_t, 6> kCarveouts70{0, 8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 96 * kKiB};
constexpr std::array<uint32_t, 2> kCarveouts75{32 * kKiB, 64 * kKiB};
constexpr std::array<uint32_t, 8> kCarveouts80{0,         8 * kKiB,   16 * kKiB,  32 * kKiB,
                                               64 * kKiB, 100 * kKiB, 132 * kKiB, 164 * kKiB};
constexpr std::array<uint32_t, 6> kCarveouts86{0, 8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 100 * kKiB};
constexpr std::array<uint32_t, 10> kCarveouts90{0,          8 * kKiB,   16 * kKiB,  32 * kKiB,  64 * kKiB,
                                                100 * kKiB, 132 * kKiB, 164 * kKiB, 196 * kKiB, 228 * kKiB};

// What differs between capabilities.
struct Row {
  uint32_t capability;
  std::string_view architecture;
  uint32_t warps, blocks;  // An SM: the guide, "Technical Specifications per Compute Capability".
  uint32_t barriers;       // An SM: cuda_occupancy.h, cudaOccMaxBlocksPerSMBlockBarrierLimit, which applies it
                           // from 9.0 on; 0 before.
  uint32_t fma_lanes;      // The guide, "Throughput of Native Arithmetic Instructions", 32-bit floating-point.
  uint32_t
      tensor_fmas;  // An SM: NVIDIA's architecture whitepapers (V100, Turing, A100 table 3, GA102, Ada, and H100, page
                    // 20: twice the A100's), dense, f16; 0 if not published. GeForce GPUs do half with sums in f32.
  std::span<const uint32_t> carveouts;
};

// Warps, blocks and shared memory agree with cuda::arch_traits of NVIDIA's CCCL (cuda/__device/arch_traits.h).
constexpr std::array<Row, 13> kRows{{
    {70, "Volta", 64, 32, 0, 64, 512, kCarveouts70},
    {75, "Turing", 32, 16, 0, 64, 512, kCarveouts75},
    {80, "Ampere", 64, 32, 0, 64, 1024, kCarveouts80},
    {86, "Ampere", 48, 16, 0, 128, 512, kCarveouts86},
    {87, "Ampere", 48, 16, 0, 128, 0, kCarveouts80},
    {88, "Ampere", 48, 16, 0, 128, 0, kCarveouts86},
    {89, "Ada Lovelace", 48, 24, 0, 128, 512, kCarveouts86},
    {90, "Hopper", 64, 32, 64, 128, 2048, kCarveouts90},
    {100, "Blackwell", 64, 32, 64, 128, 0, kCarveouts90},
    {103, "Blackwell", 64, 32, 64, 128, 0, kCarveouts90},
    {110, "Blackwell", 48, 24, 24, 128, 0, kCarveouts90},
    {120, "Blackwell", 48, 24, 24, 128, 0, kCarveouts86},
    {121, "Blackwell", 48, 24, 24, 128, 0, kCarveouts86},
}};

Limits limits_of(const Row& row) {
  const bool reserves = row.capability >= 80;  // The guide, "Shared Memory" from 8.x on: 1 KiB a block.
  Limits limits;
  limits.capability = row.capability;
  limits.architecture = row.architecture;
  limits.threads_per_block = 1024;  // The guide, as the next five.
  limits.threads_per_sm = row.warps * kWarpSize;
  limits.warps_per_sm = row.warps;
  limits.blocks_per_sm = row.blocks;
  limits.registers_per_sm = limits.registers_per_block = 64 * kKiB;
  limits.registers_per_thread = 255;
  limits.register_unit = 256;  // cuda_occupancy.h, cudaOccRegAllocationGranularity.
  limits.sub_partitions = kSchedulers;
  limits.shared_per_sm = row.carveouts.back();
  limits.shared_per_block = 48 * kKiB;  // The guide.
  limits.shared_reserved_per_block = reserves ? kKiB : 0;
  limits.shared_per_block_opt_in = limits.shared_per_sm - limits.shared_reserved_per_block;
  limits.shared_unit = reserves ? 128 : 256;  // cuda_occupancy.h, cudaOccSMemAllocationGranularity.
  limits.barriers_per_sm = row.barriers;
  limits.fma_lanes_per_sm = row.fma_lanes;
  limits.tensor_fmas_per_sm = row.tensor_fmas;
  limits.carveouts = row.carveouts;
  limits.max_block = kMaxBlock;
  limits.max_grid = kMaxGrid;
  return limits;
}

const std::vector<Limits>& table() {
  static const std::vector<Limits> limits = [] {
    std::vector<Limits> result;
    for (const Row& row : kRows) result.push_back(limits_of(row));
    return result;
  }();
  return limits;
}

// 90 for "sm_90", "sm_90a", "compute_90", "9.0" and "90"; 0 for any other form.
uint32_t capability_in(std::string_view name) {
  for (const std::string_view prefix : {"sm_", "compute_"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (name.ends_with('a') || name.ends_with('f')) name.remove_suffix(1);
  std::string digits(name);
  if (const size_t point = digits.find('.'); point != std::string::npos) digits.erase(point, 1);
  uint32_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return problem == std::errc{} && end == digits.data() + digits.size() ? value : 0;
}

// The known capability nearest by number, so that sm_91 suggests sm_90.
const Limits& nearest_to(uint32_t capability) {
  const auto distance = [&](const Limits& l) {
    return std::max(l.capability, capability) - std::min(l.capability, capability);
  };
  return *std::min_element(table().begin(), table().end(),
                           [&](const Limits& a, const Limits& b) { return distance(a) < distance(b); });
}

}  // namespace

std::string target_name(const Limits& limits) { return fmt::format("sm_{}", limits.capability); }

std::span<const Limits> all_limits() { return table(); }

const Limits* find_limits(uint32_t capability) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [&](const Limits& limits) { return limits.capability == capability; });
  return found == table().end() ? nullptr : &*found;
}

Result<Limits> find_limits(std::string_view name) {
  const uint32_t capability = capability_in(name);
  if (const Limits* limits = find_limits(capability)) return *limits;
  if (capability != 0)
    return error(fmt::format("\"{}\" is not a known architecture; the nearest known is {}.", name,
                             target_name(nearest_to(capability))));
  std::vector<std::string> names;
  for (const Limits& limits : table()) names.push_back(target_name(limits));
  const std::string nearest = nearest_name(name, names);
  if (!nearest.empty()) return error(fmt::format("\"{}\" is not an architecture; did you mean {}?", name, nearest));
  return error(fmt::format("\"{}\" is not an architecture; write one such as sm_90 or 9.0. Known: {}.", name,
                           fmt::join(names, ", ")));
}

}  // namespace tilescope::arch
