#pragma once

#include <cstdint>
#include <vector>

#include "arch/arch.h"
#include "trace/event.h"

/// How one warp's access becomes sectors and wavefronts. The rules reproduce the hardware counters of an H200 for all
/// 716 one-warp patterns in tests/analysis/data/h200_warp_access_patterns.csv.
///
/// Everywhere here `addresses` points to 32 entries, one per lane, of which only those in `active` are read; `bytes` is
/// what each lane accesses, 1, 2, 4, 8 or 16, and every active address is a multiple of it. Global: device addresses.
/// Shared: offsets in the block's window. Local: offsets in the thread's own frame.
namespace tilescope::analysis {

using arch::kBankBytes;
using arch::kBanks;
using arch::kLineBytes;
using arch::kSectorBytes;

/// A warp instruction's use of L1 for global or local memory. All zero if no lane is active.
struct GlobalCost {
  uint32_t requests = 0;  ///< 1: one request per warp instruction.
  uint32_t sectors = 0;   ///< Distinct 32-byte segments.
  uint32_t lines = 0;     ///< Distinct 128-byte lines (the tags looked up).
  uint32_t words = 0;     ///< 4-byte words, summed over active lanes; a narrower access touches one.
  uint32_t bytes = 0;     ///< Distinct bytes: shared ones count once.
  /// Sectors of the distinct bytes if they were contiguous: the fewest of a fully coalesced access.
  /// What CUPTI calls the "minimum number of L2 transactions possible based on the access pattern".
  uint32_t ideal_sectors() const { return (bytes + kSectorBytes - 1) / kSectorBytes; }
  bool operator==(const GlobalCost&) const = default;
};

/// A warp instruction's use of shared memory: 32 banks of 4 bytes. All zero if no lane is active.
struct SharedCost {
  uint32_t requests = 0;
  uint32_t wavefronts = 0;      ///< Passes through the banks.
  uint32_t bank_conflicts = 0;  ///< Wavefronts beyond those of the same lanes without conflict.
  uint32_t words = 0;
  /// Wavefronts of the same lanes without conflict.
  uint32_t ideal_wavefronts() const { return wavefronts - bank_conflicts; }
  bool operator==(const SharedCost&) const = default;
};

GlobalCost global_cost(const uint64_t* addresses, uint32_t active, uint32_t bytes);

/// Clocks that a request to global memory takes of the SM's data path, which L1 and shared memory share: passes through
/// the same 32 banks, where an address falls in the bank of its place in its 128-byte line. The lanes of one pass are
/// the 32 for up to 4 bytes per lane, halves for 8, quarters for 16, and a wide request takes no fewer passes than it
/// has such groups, whether lanes are active or not. Words on several lines are read in one pass if no bank gets two
/// words; in parallel, tags are looked up (tag_bank). From 1,185 patterns of loads that hit L1, with and without loads
/// from shared memory beside them, timed on an H200 (tests/analysis/data/h200_l1_clocks.csv); misses take at least a
/// clock per line.
uint32_t global_wavefronts(const uint64_t* addresses, uint32_t active, uint32_t bytes);

/// Banks of L1's tags. Each looks up one line per clock.
constexpr uint32_t kTagBanks = 4;
/// The bank of a line (an address / 128). The bits of the line's number decide, each of the lowest 20 by changing one
/// half of the bank's number or both; from 398 sets of lines on an H200 (tests/hardware/results/h200_tags.csv).
uint32_t tag_bank(uint64_t line);

/// Local memory interleaves the lanes' frames word by word, so that lanes at one offset share a 128-byte line
/// (CUDA C++ Programming Guide, "Local Memory").
GlobalCost local_cost(const uint64_t* addresses, uint32_t active, uint32_t bytes);

/// A group's wavefronts are the largest number of distinct words that fall in one bank. Groups are the 32 lanes for up
/// to 4 bytes per lane, halves for 8, quarters for 16. A wide load (never a store) joins pairs of groups when, over the
/// whole warp, every active lane l whose partner l^1 is active has the partner's address, or the same holds for l^2.
/// The rows of ldmatrix and stmatrix, 16 bytes a lane, are served matrix by matrix, as a store's are
/// (tests/analysis/data/h200_matrix_copies.csv): for them `is_load` is false.
SharedCost shared_cost(const uint64_t* addresses, uint32_t active, uint32_t bytes, bool is_load);

/// Sectors of L2 that a bulk copy reads, or writes, at its global side, as in the counters of an H200 for 193 boxes
/// and plain copies (tests/analysis/data/h200_bulk_copies.csv and h200_matrix_copies.csv): each 128-byte line of shared
/// memory by itself, and in it each row of the box. Parts outside the tensor count if zeros are copied.
uint64_t bulk_sectors(const std::vector<trace::BulkCopy::Piece>& pieces, bool to_shared);

/// Wavefronts that a wgmma takes of shared memory, as in the counters of an H200 for 44 shapes and layouts
/// (tests/analysis/data/h200_products.csv): A and B once for its four warps, 128 bytes each, whatever the layout. Given
/// for the first warp of the four, 0 for the others.
uint64_t product_wavefronts(const trace::ProductRead& read);

/// One sector of a global access, for pictures.
struct SectorUse {
  uint64_t address = 0;     ///< Of its first byte; a multiple of 32.
  uint32_t bytes_used = 0;  ///< Bit b: some active lane accesses byte b of it.
  uint32_t lanes = 0;       ///< Lanes that access it.
};
/// The sectors of a global access by ascending address.
std::vector<SectorUse> global_sectors(const uint64_t* addresses, uint32_t active, uint32_t bytes);
/// GlobalCost::ideal_sectors of such sectors.
uint32_t ideal_sectors(const std::vector<SectorUse>& sectors);

/// One distinct word of a shared access, for pictures.
struct BankWord {
  uint64_t word = 0;   ///< Offset in the window / 4.
  uint32_t bank = 0;   ///< word % 32
  uint32_t group = 0;  ///< Index into SharedPicture::groups.
  /// Counted over the whole access. The order of a bank's words is not documented; here that of the lowest lane.
  uint32_t wavefront = 0;
  uint32_t lanes = 0;  ///< Lanes of the group that access it: more than one is a broadcast.
};

struct SharedPicture {
  struct Group {
    uint32_t lanes = 0;  ///< Active lanes that are served together.
    uint32_t wavefronts = 0;
  };
  std::vector<Group> groups;    ///< Those with an active lane, by lowest lane.
  std::vector<BankWord> words;  ///< By group, then by the lowest lane that accesses them.
  uint32_t wavefronts() const;
  uint32_t ideal_wavefronts() const { return static_cast<uint32_t>(groups.size()); }
};
SharedPicture shared_picture(const uint64_t* addresses, uint32_t active, uint32_t bytes, bool is_load);

}  // namespace tilescope::analysis
