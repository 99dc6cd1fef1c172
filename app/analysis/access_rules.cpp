#include "analysis/access_rules.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "ptx/fragment.h"
#include "trace/event.h"

namespace tilescope::analysis {
namespace {

using trace::kAllLanes;
using trace::kLanes;

using Lanes = std::array<uint64_t, kLanes>;

uint32_t words_per_lane(uint32_t bytes) { return std::max(1u, bytes / kBankBytes); }

/// The addresses, with each inactive lane's replaced by its nearest active neighbour's: repeats do not change counts of
/// distinct things, and ascending addresses stay ascending.
const uint64_t* filled(const uint64_t* addresses, uint32_t active, Lanes& storage) {
  if (active == kAllLanes) return addresses;
  uint64_t latest = addresses[std::countr_zero(active)];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (active >> lane & 1) latest = addresses[lane];
    storage[lane] = latest;
  }
  return storage.data();
}

/// Whether lane l's address is the first lane's plus l times a step, modulo 2^64.
bool is_affine(const uint64_t* addresses) {
  const uint64_t step = addresses[1] - addresses[0];
  uint64_t differences = 0;
  for (uint32_t lane = 1; lane < kLanes; ++lane) differences |= (addresses[lane] - addresses[lane - 1]) ^ step;
  return differences == 0;
}

uint32_t affine_segments(const uint64_t* addresses, uint32_t segment_bytes) {
  const uint64_t low = std::min(addresses[0], addresses[kLanes - 1]);
  const uint64_t high = std::max(addresses[0], addresses[kLanes - 1]);
  if ((high - low) / (kLanes - 1) >= segment_bytes) return kLanes;
  return static_cast<uint32_t>(high / segment_bytes - low / segment_bytes) + 1;
}

template <size_t kCount>
uint32_t sorted_segments(const uint64_t* addresses, uint32_t segment_bytes) {
  std::array<uint64_t, kCount> keys;
  for (size_t i = 0; i < kCount; ++i) keys[i] = addresses[i] / segment_bytes;
  std::sort(keys.begin(), keys.end());
  return static_cast<uint32_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

/// The cost of `kCount` accesses of `bytes` each. Ascending ones, by far the most common, need only one pass.
template <size_t kCount>
GlobalCost segments_cost(const uint64_t* addresses, uint32_t bytes, uint32_t words) {
  // 1 unless the step is 0; a comparison would not vectorise.
  const auto is_step = [](uint64_t step) { return (step | (0 - step)) >> 63; };
  uint64_t descents = 0, sectors = 1, lines = 1, distinct = 1;
  for (size_t i = 1; i < kCount; ++i) {
    const uint64_t sector_step = addresses[i] / kSectorBytes - addresses[i - 1] / kSectorBytes;
    const uint64_t line_step = addresses[i] / kLineBytes - addresses[i - 1] / kLineBytes;
    const uint64_t address_step = addresses[i] - addresses[i - 1];
    descents |= sector_step | address_step;
    sectors += is_step(sector_step);
    lines += is_step(line_step);
    distinct += is_step(address_step);
  }
  if (descents >> 63 != 0) {
    sectors = sorted_segments<kCount>(addresses, kSectorBytes);
    lines = sorted_segments<kCount>(addresses, kLineBytes);
    distinct = sorted_segments<kCount>(addresses, 1);
  }
  return {1, static_cast<uint32_t>(sectors), static_cast<uint32_t>(lines), words,
          static_cast<uint32_t>(distinct) * bytes};
}

uint32_t words_touched(uint32_t active, uint32_t bytes) {
  return static_cast<uint32_t>(std::popcount(active)) * words_per_lane(bytes);
}

/// The lanes that shared memory serves together, one mask each; those without an active lane are left out.
struct Groups {
  std::array<uint32_t, 4> masks;
  uint32_t count = 0;
};

bool partners_agree(const uint64_t* addresses, uint32_t active, uint32_t distance) {
  uint64_t differences = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t partner = lane ^ distance;
    const uint64_t both = active >> lane & active >> partner & 1;
    differences |= (addresses[lane] ^ addresses[partner]) & (0 - both);
  }
  return differences == 0;
}

Groups groups_of(const uint64_t* addresses, uint32_t active, uint32_t bytes, bool is_load) {
  uint32_t lanes = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  const bool wide_load = is_load && bytes > 4;
  if (wide_load && (partners_agree(addresses, active, 1) || partners_agree(addresses, active, 2))) lanes *= 2;
  Groups groups;
  for (uint32_t first = 0; first < kLanes; first += lanes) {
    const uint32_t mask = active & (kAllLanes >> (kLanes - lanes)) << first;
    if (mask != 0) groups.masks[groups.count++] = mask;
  }
  return groups;
}

/// The distinct words that one group accesses in each bank, chained in the order of their lowest lane.
class Banks {
 public:
  Banks() { head_.fill(kNone); }

  /// Records that a lane accesses `word` of `bank`. Returns the word's index in order of first access.
  uint32_t touch(uint32_t word, uint32_t bank) {
    uint32_t depth = 0;
    uint8_t* link = &head_[bank];
    for (; *link != kNone; link = &next_[*link], ++depth)
      if (words_[*link] == word) return *link;
    *link = static_cast<uint8_t>(count_);
    words_[count_] = word;
    depths_[count_] = static_cast<uint8_t>(depth);
    next_[count_] = kNone;
    wavefronts_ = std::max(wavefronts_, depth + 1);
    return count_++;
  }

  uint32_t wavefronts() const { return wavefronts_; }
  /// How many words of its bank come before it.
  uint32_t depth(uint32_t index) const { return depths_[index]; }

 private:
  static constexpr uint8_t kNone = 0xff;
  static constexpr uint32_t kMostWords = 4 * kLanes;
  std::array<uint8_t, kBanks> head_;
  std::array<uint8_t, kMostWords> next_, depths_;
  std::array<uint32_t, kMostWords> words_;
  uint32_t count_ = 0;
  uint32_t wavefronts_ = 0;
};

/// An aligned 8- or 16-byte access takes 2 or 4 neighbouring banks, always the same ones together: they count as one.
uint32_t group_wavefronts(const uint64_t* addresses, uint32_t lanes, uint32_t bytes) {
  const uint32_t unit_bytes = std::max(bytes, kBankBytes);  // 4, 8 or 16: a shift, because divisions are slow.
  const int shift = std::countr_zero(unit_bytes);
  const uint32_t last_bank = kBanks * kBankBytes / unit_bytes - 1;
  Banks banks;
  uint64_t previous = ~uint64_t{0};
  for (; lanes != 0; lanes &= lanes - 1) {
    const uint64_t unit = addresses[std::countr_zero(lanes)] >> shift;
    if (unit != previous) banks.touch(static_cast<uint32_t>(unit), static_cast<uint32_t>(unit) & last_bank);
    previous = unit;
  }
  return banks.wavefronts();
}

/// Words `stride` apart fall in 32 / gcd(stride, 32) banks.
uint32_t affine_wavefronts(const uint64_t* addresses) {
  const auto stride = static_cast<uint32_t>((addresses[1] - addresses[0]) / kBankBytes);
  return stride == 0 ? 1 : std::gcd(stride, kBanks);
}

/// Whether no bank gets two words, for 32 lanes of one word each.
bool one_word_a_bank(const uint64_t* addresses) {
  std::array<uint32_t, kBanks> latest;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const auto word = static_cast<uint32_t>(addresses[lane] / kBankBytes);
    latest[word % kBanks] = word;
  }
  uint32_t differences = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const auto word = static_cast<uint32_t>(addresses[lane] / kBankBytes);
    differences |= latest[word % kBanks] ^ word;
  }
  return differences == 0;
}

uint32_t narrow_wavefronts(const uint64_t* addresses, uint32_t active, uint32_t bytes) {
  Lanes storage;
  const uint64_t* all = filled(addresses, active, storage);
  if (bytes == 4 && is_affine(all)) return affine_wavefronts(all);
  return one_word_a_bank(all) ? 1 : group_wavefronts(all, kAllLanes, bytes);
}

/// Where the hardware keeps a lane's byte of local memory, relative to the warp's frames.
uint64_t interleaved(uint64_t offset, uint32_t lane) {
  return (offset / kBankBytes * kLanes + lane) * kBankBytes + offset % kBankBytes;
}

void note_bytes(std::vector<SectorUse>& sectors, uint64_t address, uint32_t bytes, uint32_t lane) {
  const uint64_t base = address / kSectorBytes * kSectorBytes;
  const auto same = [base](const SectorUse& use) { return use.address == base; };
  auto found = std::find_if(sectors.begin(), sectors.end(), same);
  if (found == sectors.end()) found = sectors.insert(found, SectorUse{base, 0, 0});
  found->bytes_used |= static_cast<uint32_t>(((uint64_t{1} << bytes) - 1) << (address - base));
  found->lanes |= 1u << lane;
}

/// Adds a group and its words to the picture. Returns its wavefronts.
uint32_t draw_group(SharedPicture& picture, const uint64_t* addresses, uint32_t lanes, uint32_t bytes,
                    uint32_t first_wavefront) {
  Banks banks;
  const size_t first_word = picture.words.size();
  const auto group = static_cast<uint32_t>(picture.groups.size());
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    for (uint32_t i = 0; i < words_per_lane(bytes); ++i) {
      const auto word = static_cast<uint32_t>(addresses[lane] / kBankBytes) + i;
      const uint32_t index = banks.touch(word, word % kBanks);
      if (first_word + index == picture.words.size())
        picture.words.push_back({word, word % kBanks, group, first_wavefront + banks.depth(index), 0});
      picture.words[first_word + index].lanes |= 1u << lane;
    }
  }
  picture.groups.push_back({lanes, banks.wavefronts()});
  return banks.wavefronts();
}

}  // namespace

GlobalCost global_cost(const uint64_t* addresses, uint32_t active, uint32_t bytes) {
  if (active == 0) return {};
  Lanes storage;
  const uint64_t* all = filled(addresses, active, storage);
  const uint32_t words = words_touched(active, bytes);
  if (!is_affine(all)) return segments_cost<kLanes>(all, bytes, words);
  const uint32_t distinct = all[0] == all[1] ? 1 : kLanes;
  return {1, affine_segments(all, kSectorBytes), affine_segments(all, kLineBytes), words, distinct * bytes};
}

uint32_t global_wavefronts(const uint64_t* addresses, uint32_t active, uint32_t bytes) {
  if (active == 0) return 0;
  if (bytes <= kBankBytes) return narrow_wavefronts(addresses, active, bytes);
  const uint32_t groups = bytes / kBankBytes, lanes = kLanes / groups;
  uint32_t wavefronts = 0;
  for (uint32_t group = 0; group < groups; ++group) {
    const uint32_t mask = active & (kAllLanes >> (kLanes - lanes)) << group * lanes;
    if (mask != 0) wavefronts += group_wavefronts(addresses, mask, bytes);
  }
  return std::max(wavefronts, groups);
}

uint32_t tag_bank(uint64_t line) {
  constexpr uint64_t kLow = 0xad5da, kHigh = 0xf7ab5;
  return static_cast<uint32_t>(std::popcount(line & kLow) % 2 + 2 * (std::popcount(line & kHigh) % 2));
}

GlobalCost local_cost(const uint64_t* addresses, uint32_t active, uint32_t bytes) {
  if (active == 0) return {};
  const auto spare = static_cast<uint32_t>(std::countr_zero(active));
  constexpr uint32_t kMostWords = 4;
  std::array<uint64_t, kMostWords * kLanes> placed;
  const uint32_t used = kLanes * words_per_lane(bytes);
  for (uint32_t i = 0; i < used; ++i) {
    const uint32_t lane = active >> i % kLanes & 1 ? i % kLanes : spare;
    placed[i] = interleaved(addresses[lane] + i / kLanes * kBankBytes, lane);
  }
  std::fill(placed.begin() + used, placed.end(), placed[used - 1]);
  return segments_cost<kMostWords * kLanes>(placed.data(), std::min(bytes, kBankBytes), words_touched(active, bytes));
}

SharedCost shared_cost(const uint64_t* addresses, uint32_t active, uint32_t bytes, bool is_load) {
  if (active == 0) return {};
  SharedCost cost{1, 0, 0, words_touched(active, bytes)};
  if (bytes <= 4) {
    cost.wavefronts = narrow_wavefronts(addresses, active, bytes);
    cost.bank_conflicts = cost.wavefronts - 1;
    return cost;
  }
  if (active == kAllLanes && is_affine(addresses) && addresses[1] - addresses[0] == bytes) {  // The common case.
    cost.wavefronts = kLanes * bytes / (kBanks * kBankBytes);
    return cost;
  }
  const Groups groups = groups_of(addresses, active, bytes, is_load);
  for (uint32_t i = 0; i < groups.count; ++i) cost.wavefronts += group_wavefronts(addresses, groups.masks[i], bytes);
  cost.bank_conflicts = cost.wavefronts - groups.count;
  return cost;
}

uint64_t bulk_sectors(const std::vector<trace::BulkCopy::Piece>& pieces, bool to_shared) {
  constexpr uint64_t kNowhere = trace::BulkCopy::kNowhere;
  uint64_t sectors = 0;
  // The part of the current piece's row in one line of shared memory: its bytes, and its start.
  uint64_t line = 0, bytes = 0, begin = kNowhere;
  const auto end_part = [&] {
    if (bytes == 0) return;
    const uint64_t from = begin == kNowhere ? 0 : begin;
    sectors += (from + bytes - 1) / kSectorBytes - from / kSectorBytes + 1;
    bytes = 0;
    begin = kNowhere;
  };
  for (const trace::BulkCopy::Piece& piece : pieces) {
    if (piece.begins_row) end_part();
    for (uint64_t done = 0; done < piece.bytes;) {
      const uint64_t at = piece.shared + done, length = std::min(piece.bytes - done, kLineBytes - at % kLineBytes);
      if (at / kLineBytes != line) end_part();
      line = at / kLineBytes;
      if (piece.global != kNowhere && begin == kNowhere) begin = piece.global + done - bytes;
      if (piece.global != kNowhere || to_shared) bytes += length;
      done += length;
    }
  }
  end_part();
  return sectors;
}

uint64_t product_wavefronts(const trace::ProductRead& read) {
  if (read.at.warp % ptx::kWarpsOfGroup != 0) return 0;
  return (uint64_t{read.own_bytes} * ptx::kWarpsOfGroup + read.common_bytes) / (kBanks * kBankBytes);
}

uint32_t ideal_sectors(const std::vector<SectorUse>& sectors) {
  GlobalCost cost;
  for (const SectorUse& sector : sectors) cost.bytes += static_cast<uint32_t>(std::popcount(sector.bytes_used));
  return cost.ideal_sectors();
}

std::vector<SectorUse> global_sectors(const uint64_t* addresses, uint32_t active, uint32_t bytes) {
  std::vector<SectorUse> sectors;
  for (uint32_t lanes = active; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    note_bytes(sectors, addresses[lane], bytes, lane);
  }
  std::sort(sectors.begin(), sectors.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return sectors;
}

uint32_t SharedPicture::wavefronts() const {
  uint32_t all = 0;
  for (const Group& group : groups) all += group.wavefronts;
  return all;
}

SharedPicture shared_picture(const uint64_t* addresses, uint32_t active, uint32_t bytes, bool is_load) {
  SharedPicture picture;
  const Groups groups = groups_of(addresses, active, bytes, is_load);
  uint32_t first_wavefront = 0;
  for (uint32_t group = 0; group < groups.count; ++group)
    first_wavefront += draw_group(picture, addresses, groups.masks[group], bytes, first_wavefront);
  return picture;
}

}  // namespace tilescope::analysis
