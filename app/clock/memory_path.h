#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "clock/number_map.h"
#include "clock/sector_cache.h"
#include "clock/sm_model.h"
#include "machine/machine.h"

namespace tilescope::clock {

/// DRAM gives L2 this many sectors at a time.
constexpr uint32_t kSectorsFromDram = 2;

/// A line that a request touches.
struct LineUse {
  uint64_t number = 0;  ///< Address / 128.
  uint8_t sectors = 0;  ///< Bit for each of its four.
};

/// The lines of one access of a warp, in the order of its lanes.
struct Lines {
  std::array<LineUse, machine::kLanes> use;
  uint32_t count = 0;

  Lines() = default;
  Lines(const Lines& other) { *this = other; }
  /// Copies only those that there are.
  Lines& operator=(const Lines& other) {
    count = other.count;
    std::copy_n(other.use.begin(), count, use.begin());
    return *this;
  }
};
Lines lines_of(const machine::Access& access);

/// How the lanes of an atomic share words.
struct WordUse {
  double turns = 1;     ///< Lanes on the same word, at most: of a sector, on average.
  bool is_row = false;  ///< Each lane has a word of its own, and sectors have four lanes and more.
  uint32_t most = 1;    ///< Of all, where it adds floating-point numbers; else 0.
  uint32_t answer = 0;  ///< Words of 32 bits that the lanes get: what was there before.
};
WordUse word_use_of(const machine::Access& access, bool adds_floats);

/// What reads of global memory ask the caches for, in sectors of 32 bytes.
struct ReadTraffic {
  uint64_t sectors = 0, hits = 0;  ///< Of L1, by loads.
  uint64_t again = 0;              ///< Of those that L1 lacks: it has had them and evicted them.
  uint64_t l2 = 0, dram = 0;       ///< That L2 is asked for, and of them those that it lacks.
  ReadTraffic& operator+=(const ReadTraffic& other);
};

/// Who reads: an instruction, and the array; -1: no array.
struct Reader {
  uint32_t pc = 0;
  int array = -1;
  auto operator<=>(const Reader&) const = default;
};

/// What has moved, in sectors of 32 bytes and in wavefronts, as Nsight Compute counts them.
struct MemoryTraffic {
  ReadTraffic read;  ///< All of it, with reads of local memory.
  std::map<Reader, ReadTraffic> readers;
  uint64_t l2_write_sectors = 0;
  uint64_t wavefronts = 0, shared_wavefronts = 0;
  double l2_busy = 0, dram_busy = 0;  ///< Clocks, for this SM.
};

/// Slices of L2, which do atomics, each one after another.
constexpr uint32_t kSlices = 96;

/// What atomics of the launch access of an array.
struct Updates {
  double sectors = 1;              ///< Among so many they choose, if each is chosen as often.
  double slots = 1;                ///< Parts of lines that one slice has, in which these lie.
  std::bitset<kSlices> slices{1};  ///< That have them.
  /// They choose among so many of these sectors and of what lies between them.
  void choose(double sectors, uint64_t first_sector, uint64_t last_sector);
  /// How many slices work at a time.
  double busy_slices() const;
};

/// Of what this SM asks L2 for of an array, what other SMs ask for, too.
struct ArraySharing {
  double joint = 0;    ///< The part that could become one request with theirs.
  double cold = 1;     ///< Of pairs of sectors that it asks for the first time, those for which none has asked before.
  double awaited = 0;  ///< Of all pairs, those that no other SM asks for long before.
  Updates updates = {};  ///< Where nothing is known of them, all are on one word.
};

/// What lies behind an SM's data path: its L1, and L2 and DRAM as far as they serve this SM while the other SMs ask for
/// as much.
class MemoryPath {
 public:
  /// `arrays`: by their number; what is in none is asked for by this SM alone, and is in L2.
  MemoryPath(const SmModel& model, uint64_t l1_bytes, std::vector<ArraySharing> arrays, uint32_t sms);

  /// SMs that ask for the same at the same time all wait for DRAM. `together`: of all periods, the part in which they
  /// are at the same place; in the first one they are.
  void begin_period(double together);

  enum class Way : uint8_t { L1, PastL1, CopyPastL1, Bulk };  ///< That what is read takes.
  /// The clock at which the sectors are there that a load or copy asks for. `missed`: its lines that L1 did not hold
  /// whole.
  double load(const Reader& reader, const Lines& lines, double now, Way way, uint32_t& missed);
  /// The clock at which L2 has a store's sectors. `is_whole`: all of their bytes are stored. Its lines take places in
  /// L1.
  double store(const Lines& lines, double now, bool is_whole);
  /// The clock at which L2 has done the atomics of a request.
  double atomic(const Reader& reader, const Lines& lines, const WordUse& words, double now);
  /// The clock at which a bulk copy's lines are there, or L2 has them.
  double bulk(const Reader& reader, const machine::BulkCopy& copy, double now);
  /// The clock at which so many bytes of a bulk copy are there that another SM of the cluster asks L2 for.
  double receive(uint64_t bytes, double now);
  /// The clock at which L1 has what a load from local memory asks for. `lines`: of each thread's first word; the other
  /// `words` are in the lines that follow.
  double load_local(const Lines& lines, uint32_t words, double now);
  /// The clock at which L2 has what is stored to local memory. L1 keeps it, too.
  double store_local(Lines lines, uint32_t words, double now, bool is_whole);
  /// Whether L2 or DRAM has so much to do for this SM that L1 sends it no more.
  bool is_backed_up(double now) const { return std::max(l2_free(), dram_free_) - now > model_.l2_backlog; }

  /// The first clock at which that is not so.
  int64_t takes_more_from() const;

  /// The clock from which on L2 has nothing to do for this SM.
  double l2_free() const { return std::max(to_l2_free_, from_l2_free_); }

  /// The clock from which on it takes no more to send L2 what has been stored.
  double to_l2_free() const { return to_l2_free_; }

  MemoryTraffic traffic;
  /// The same without the work of L2 and DRAM that is yet to come.
  MemoryTraffic traffic_until(double now) const;

 private:
  double from_l2(ReadTraffic& read, const Reader& reader, uint64_t line, uint8_t sectors, double now, Way way);
  /// Takes the way to L2 for so many clocks.
  void write(const LineUse& use, double now, double clocks);
  double write_clocks(uint32_t sectors) const { return std::max(model_.l2_line, model_.l2_write_sector * sectors); }
  /// When L2 and DRAM have all that has been written.
  double written() const { return std::max(to_l2_free_, dram_free_) + model_.l2_hit; }
  /// The clock at which L1 has a line's sectors; asks L2 for those that it lacks.
  double through_l1(ReadTraffic& read, const Reader& reader, const LineUse& use, double now, uint8_t& lacking);
  void add(const Reader& reader, const ReadTraffic& read);
  void use_l2(double now, double to_l2, double from_l2);
  void use_dram(double now, double clocks);
  /// When the channel that has the line is done.
  double read_dram(uint64_t line, double now, double clocks);
  void write_dram(uint64_t line, double now, double clocks);
  /// When L2 has a pair of the line that this SM asks for first; 0: it has it. `dram`: sectors that DRAM gives for it.
  double fetch(size_t array, uint64_t line, uint64_t pair, double now, uint64_t& dram);
  /// When L2 has those sectors of the line.
  double fetch_line(size_t array, uint64_t line, uint8_t sectors, double now, uint64_t& dram);

  const SmModel& model_;
  SectorCache l1_;
  /// Parts that add up until they are whole: sectors of L2, pairs that are waited for, sectors of DRAM.
  struct Owed {
    double l2 = 0, pairs = 0, dram = 0;
  };
  std::vector<ArraySharing> arrays_;          // And one more, for what is in none.
  std::vector<Owed> owed_;                    // By array.
  std::array<double, kSlices> slice_free_{};  // When each slice of L2 has done its atomics.
  uint32_t sms_ = 1;
  /// The way of requests and of what is stored, and the way back, of what is read.
  double to_l2_free_ = 0, from_l2_free_ = 0, dram_free_ = 0;
  bool is_together_ = true;
  double periods_ = 0;  // That add up until one is together.
  struct Channel {
    double free = 0;      ///< When it is done.
    double to_write = 0;  ///< Clocks that what waits to be written will take.
  };
  Channel& channel_of(uint64_t line);
  std::vector<Channel> channels_;  // Of DRAM.
  struct Seen {
    uint8_t sectors = 0;                        ///< That L2 was asked for.
    double fetched[4 / kSectorsFromDram] = {};  ///< Pairs of them: when L2 has them from DRAM, or had.
  };
  NumberMap<Seen> seen_;  // By line.
  struct Stored {
    uint64_t line = 0;
    uint8_t sectors = 0;
    double sent = 0;
  };
  std::deque<Stored> stored_;   // Lines on their way to L2, which later stores may join.
  NumberMap<uint8_t> written_;  // Of lines, the sectors that have been.
};

}  // namespace tilescope::clock
