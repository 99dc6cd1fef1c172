#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/finding.h"
#include "analysis/thread_order.h"
#include "trace/observer.h"

namespace tilescope::analysis {

/// Data races in shared and global memory.
///
/// A race is two accesses to one byte by two threads, at least one of them a plain write, neither ordered before the
/// other. Which of them the emulator happened to run first does not matter. What orders an access x of thread s before
/// a later access y of thread t, directly or through others:
///  - s and t are one thread (an instruction's lanes are different threads, so two lanes of a warp race unless one of
///    the following is between them; that they run in step is no order);
///  - a barrier (__syncthreads, bar, barrier) that s reached after x, and t waited at before y; a barrier without a
///    thread count is reached by all threads of the block, exited ones included;
///  - __syncwarp() (bar.warp.sync) with both lanes among its members. Shuffles and votes order nothing, as the CUDA
///    programming guide says;
///  - an mbarrier that s arrived at after x and t found complete before y;
///  - a flag: s issues a fence (or uses .release) and then atomically writes a word that t reads atomically, or
///    volatile, before y. This is the only order between blocks.
/// No race is: two atomics, or accesses that PTX marks relaxed, acquire or release; two writes of the same value;
/// anything in local memory. `volatile` excuses nothing.
///
/// What cp.async writes is in flight from its issue until the issuing thread's wait for its group, and whoever touches
/// those bytes meanwhile races with it, the issuing thread too. After the wait it counts as a write of that thread at
/// the time of the wait, so that others need a barrier after it.
///
/// One instance of each race is found, not every pair: of the accesses to a word those are kept that a later one could
/// still race with, and of earlier blocks' the latest write, read and atomic.
class Racecheck : public trace::Observer {
 public:
  explicit Racecheck(const LaunchFacts& facts);
  ~Racecheck() override;
  void block_begin(uint32_t block) override;
  void access(const trace::Access& access) override;
  void sync(const trace::Sync& sync) override;
  void barrier_complete(uint32_t block, uint32_t id) override;
  std::vector<Finding> findings() const { return log_.sorted(); }

 private:
  enum class Role : uint8_t { Read, Write, Atomic, StrongRead };
  /// What lanes of a warp did to one 4-byte word.
  struct Touch {
    uint32_t warp = 0, lanes = 0, pc = 0, time = 0;
    uint32_t value = 0;      ///< Of a write, the bytes in their place within the word.
    uint8_t bytes = 0;       ///< Bit b: byte b of the word.
    Role role = Role::Read;
    bool value_known = false;
    trace::AccessKind kind = trace::AccessKind::Load;
    int32_t next = -1;
  };
  /// The touches of the current era that can still race, and the copies in flight.
  struct Cell {
    uint32_t era = 0;
    int32_t reads = -1, writes = -1;  ///< Lists in touches_; `writes` holds the atomics too.
    int32_t flights = -1;             ///< List in flights_.
  };
  /// The latest of its role by a block.
  struct Past {
    uint32_t block = kNoBlock, moment = 0, pc = 0, value = 0;
    uint16_t thread = 0;
    uint8_t bytes = 0;
    bool value_known = false;
    trace::AccessKind kind = trace::AccessKind::Load;
  };
  struct GlobalCell {
    Cell cell;
    Past read, write, atomic;
  };
  /// A word that a cp.async has yet to write.
  struct Flight {
    uint64_t word = 0;
    uint32_t thread = 0, pc = 0;
    uint8_t bytes = 0;
    int32_t next = -1;
  };
  using CopyGroup = std::vector<int32_t>;  ///< Indices into flights_.
  struct Copies {
    CopyGroup open;
    std::deque<CopyGroup> committed;
  };
  struct Channel {
    ThreadOrder::Clock clock;
    uint32_t clock_block = kNoBlock;             ///< The block whose threads `clock` speaks of.
    std::map<uint32_t, uint32_t> released_until; ///< By block, the moment.
  };
  /// One word of memory, and how a finding names it.
  struct Place {
    Space space = Space::Shared;
    uint64_t address = 0;
    uint32_t access_bytes = 0;
    Cell* cell = nullptr;
    GlobalCell* global = nullptr;  ///< Null for shared memory.
  };
  struct Arrivals {
    std::vector<uint32_t> arrived, waiting;
    bool whole_block = false;
  };
  struct GlobalArea {
    uint64_t base = 0, bytes = 0;
    std::vector<std::unique_ptr<GlobalCell[]>> chunks;
  };
  static constexpr uint32_t kNoBlock = UINT32_MAX;
  static constexpr uint32_t kChunkWords = 1024;

  Role role_of(const trace::Access& access) const;
  Place place_at(const trace::Access& access, uint64_t word_address);
  Cell& shared_cell(uint64_t word);
  GlobalCell* global_cell(uint64_t address);
  void refresh(Cell& cell);

  void touch_lanes(const trace::Access& access, Touch touch, uint32_t first_lane);
  void touch_word(const Place& place, Touch touch);
  bool check_list(const Place& place, int32_t head, const Touch& touch);
  bool check_pair(const Place& place, const Touch& old, const Touch& touch);
  void check_flights(const Place& place, const Touch& touch);
  void check_past(const Place& place, const Past& past, const Touch& touch);
  void keep(Cell& cell, const Touch& touch, bool supersedes_all);
  bool merge_into(int32_t head, const Touch& touch);
  bool ordered(const Touch& old, const Touch& touch) const;
  void remember(GlobalCell& cell, const Touch& touch);

  void fly(const Place& place, const Touch& touch);
  void commit_copies(uint32_t thread);
  void land_copies(uint32_t thread, uint32_t groups_left);
  void land(const CopyGroup& group);

  void arrive(const trace::Sync& sync, bool waits);
  void use_flag(const trace::Access& access);
  Channel& channel_at(uint64_t key);
  void release(Channel& channel, uint32_t thread);
  void acquire(const Channel& channel, uint32_t thread);

  void report(const Place& place, const Touch& old, uint32_t old_lane, const Touch& touch, uint32_t lane);
  void report_past(const Place& place, const Past& past, const Touch& touch);
  void report_flight(const Place& place, const Flight& flight, const Touch& touch);
  void log(FindingKind kind, const Place& place, Site site, Site other, std::string (*sentence)(const LaunchFacts&, const Finding&));

  const LaunchFacts& facts_;
  uint32_t block_ = 0;
  ThreadOrder order_;
  std::vector<Touch> touches_;      ///< Of the current era.
  uint32_t touches_era_ = 0;
  std::vector<Cell> shared_;
  std::vector<GlobalArea> global_;
  std::vector<Flight> flights_;
  std::vector<Copies> copies_;      ///< Per thread.
  std::map<uint32_t, Arrivals> arrivals_;
  std::vector<bool> fenced_;        ///< Threads of the block that have issued a fence.
  std::unordered_map<uint64_t, Channel> channels_;
  std::map<uint32_t, uint32_t> acquired_until_;  ///< What this block has acquired, by block.
  uint32_t moment_ = 1;
  FindingLog log_;
};

}  // namespace tilescope::analysis
