#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "analysis/checker_plugin.h"
#include "analysis/team.h"
#include "analysis/thread_order.h"

namespace tilescope::analysis {

/// Data races in shared and global memory.
///
/// A race is two accesses to one byte by two threads, at least one of them a plain write, neither ordered before the
/// other, whichever the emulator ran first. An access x of thread s is ordered before a later access y of thread t,
/// directly or through others, by:
///  - s and t are one thread (an instruction's lanes are different threads, so two lanes of a warp race unless one of
///    the following is between them; running in step does not order them);
///  - a barrier (__syncthreads, bar, barrier) that s reached after x, and t waited at before y; a barrier without a
///    thread count is reached by all threads of the block, including exited ones;
///  - __syncwarp() (bar.warp.sync) with both lanes among its members. Shuffles and votes order nothing, as the CUDA
///    programming guide says;
///  - an mbarrier that s arrived at after x and t found complete before y;
///  - the barrier of a cluster (barrier.cluster) that s arrived at, not .relaxed, after x, and t waited at before y;
///  - a flag: s issues a fence (or uses .release) and then atomically writes a word that t reads atomically, or
///    volatile, before y. This is the only order between blocks that are not of one cluster.
/// Blocks of a cluster are checked as one, with the shared memory of all of them, and must be given side by side,
/// cluster after cluster. Order between threads of different blocks is assumed whatever its .scope. Memory of a
/// block that another uses must be used before the block's threads exit, all that some thread of it knows of. No race
/// is: two atomics, or accesses that PTX marks relaxed, acquire or release; two writes of the same value; anything in
/// local memory; an atomic and a load for the loop around an atomicCAS, which compares it with what is there; a
/// volatile store and a volatile load that a loop repeats until it sees the value (`while (!*flag) {}`). `volatile`
/// excuses nothing else.
///
/// Bulk copies, and cp.async for an mbarrier, are in flight until they complete, in the emulator as late as a wait
/// allows. The data in shared memory then counts as written by the copy itself: every user, including the issuing
/// thread, has to find the mbarrier's phase complete. What a bulk copy reads of shared memory is being read until its
/// thread has waited for its bulk group, and what a wgmma reads until one of its four warps has waited for the group of
/// products.
///
/// The bytes written by cp.async are in flight from its issue until the issuing thread's wait for its group, and any
/// access to them meanwhile races with it, even by the issuing thread. After the wait it counts as a write of that
/// thread at the time of the wait, so that others need a barrier after it.
///
/// A warp's loads before a wgmma are complete for threads that have waited for the wgmma, which has read the warp's
/// registers by then. (Whether these are the loaded ones is not checked.)
///
/// One instance of each race is found, not every pair: of the accesses to a word those are kept that a later one could
/// still race with, and of earlier blocks' the latest write, read and atomic.
class Racecheck : public CheckerPlugin {
 public:
  explicit Racecheck(const LaunchFacts& facts);
  void block_begin(uint32_t block) override;
  void block_exited(uint32_t block) override;
  void access(const trace::Access& access) override;
  void sync(const trace::Sync& sync) override;
  void bulk_copy(const trace::BulkCopy& copy) override;
  void landed(const trace::Landing& landing) override;
  void product_read(const trace::ProductRead& read) override;
  void barrier_complete(uint32_t block, uint32_t id) override;
  const Findings& findings() const override { return findings_; }

 private:
  static constexpr uint32_t kNoTeam = UINT32_MAX;
  /// What the instruction's modifiers say of the order of memory; 0: nothing.
  uint8_t ordering_at(uint32_t pc) const { return pc < ordering_.size() ? ordering_[pc] : 0; }
  static constexpr uint32_t kChunkWords = 1024;
  enum class Role : uint8_t { Read, Write, Atomic };
  /// An access of a warp's lanes to one 4-byte word.
  struct WordAccess {
    uint32_t warp = 0, lanes = 0, pc = 0, time = 0;
    uint32_t value = 0;  ///< Of a write, the bytes in their place within the word. Of a copy that landed by itself,
                         ///< the thread that asked for it. Of a load, how many groups of wgmma its warp had committed.
    uint8_t bytes = 0;   ///< Bit b: byte b of the word.
    Role role = Role::Read;
    bool strong = false;  ///< Atomic, marked relaxed, acquire or release, a volatile store, a load that a loop repeats
                          ///< until the value is as wanted: two such do not race.
    bool value_known = false;
    trace::AccessKind kind = trace::AccessKind::Load;
    int32_t next = -1;
  };
  /// The accesses of the current era that can still race, and the copies in flight.
  struct Cell {
    uint32_t era = 0;
    int32_t reads = -1, writes = -1;  ///< Lists in uses_; `writes` holds the atomics too.
    int32_t flights = -1;             ///< List in flights_.
  };
  /// The latest access of its role, by any team.
  struct Past {
    uint32_t team = kNoTeam, moment = 0;
    WordAccess use;
  };
  /// A word of global memory.
  struct GlobalCell {
    Cell cell;
    int32_t past[3] = {-1, -1, -1};  ///< By role, in pasts_; most words have one at most.
  };
  struct GlobalArea {
    uint64_t base = 0, bytes = 0;
    std::vector<std::unique_ptr<GlobalCell[]>> chunks;
  };
  /// A word that a copy still has to write or read.
  struct Flight {
    uint64_t word = 0;  ///< Index into shared_.
    WordAccess use;     ///< By one lane; `next` links the word's flights.
    bool landed = false;
  };
  using CopyGroup = std::vector<int32_t>;  ///< Indices into flights_.
  /// The copies of a thread that it has not waited for.
  struct Copies {
    CopyGroup open;
    std::deque<CopyGroup> committed;
  };
  /// What lands on an mbarrier: a bulk copy, or the copies before a cp.async.mbarrier.arrive.
  struct Awaited {
    trace::Step at;
    CopyGroup group;
    uint32_t rank = 0;  ///< Of the block in whose memory it lands.
  };
  /// The latest use that a thread made of another block's shared memory.
  struct MateUse {
    WordAccess use;
    uint64_t address = 0;
    uint32_t bytes = 0;
  };
  /// The reads of four warps' wgmmas, by commit group.
  struct Products {
    std::vector<CopyGroup> groups;
    size_t landed = 0;  ///< How many of the groups.
  };
  /// An mbarrier or a flag.
  struct Channel {
    uint32_t team = kNoTeam;  ///< The team that `clock` is of.
    ThreadOrder::Clock clock;
    std::map<uint32_t, uint32_t> released_until;  ///< By team, the moment.
  };
  struct Arrivals {
    ThreadOrder::Clock clock;  ///< Of those that came to a barrier with a thread count.
    std::vector<uint32_t> waiting;
    bool whole_block = false;
  };
  /// The current word.
  struct Place {
    const trace::Access& access;
    uint64_t address = 0;  ///< Of its first byte.
    Cell& cell;
    GlobalCell* global = nullptr;  ///< Null for shared memory.
  };

  WordAccess use_of(const trace::Access& access) const;
  void use_range(const trace::Access& access, WordAccess use, uint32_t first_lane);
  void use_word(const trace::Access& access, uint64_t address, const WordAccess& use);
  Cell& shared_cell(uint64_t word);
  GlobalCell* global_cell(uint64_t address);
  void enter_era(Cell& cell);

  bool check_list(const Place& place, int32_t head, const WordAccess& use);
  bool check_pair(const Place& place, const WordAccess& old, const WordAccess& use);
  void check_flights(const Place& place, const WordAccess& use);
  void check_past(const Place& place, const WordAccess& use);
  void keep_past(GlobalCell& cell, const WordAccess& use);
  void keep(Cell& cell, const WordAccess& use, bool supersedes_all);
  bool merge(int32_t head, const WordAccess& use);
  bool all_ordered(const WordAccess& old, const WordAccess& use) const;
  bool is_ordered(const WordAccess& old, uint32_t lane, uint32_t later) const;

  void use_piece(const trace::Step& at, Space space, trace::AccessKind kind, uint64_t begin, uint64_t bytes);
  void use_mate(const trace::Step& at, trace::AccessKind kind, uint32_t lane, uint64_t address, uint32_t bytes);
  void report_exited(const MateUse& mate);
  void take_off(const Place& place, const WordAccess& use);
  void unlink(int32_t flight);
  static void commit(Copies& copies);
  void land_committed(Copies& copies, uint32_t warp, size_t groups_left);
  void land(const CopyGroup& group, uint32_t time);
  void land_by_itself(const CopyGroup& group, uint64_t barrier);
  /// As accesses of that thread, released to who acquires the channel.
  void land_as(const CopyGroup& group, uint32_t warp, uint32_t lane, uint64_t channel);
  void wait_for_products(const trace::Sync& sync);
  void await_copies(const trace::Sync& sync);
  /// The warps that represent copies, one for each block: a lane for each of 32 mbarriers.
  uint32_t copying_warp() const { return team_.warps(); }
  /// Those that represent wgmma: a lane for each four warps.
  uint32_t multiplying_warp() const { return copying_warp() + team_.blocks(); }
  /// It represents the loads consumed by four warps' wgmmas; its time counts their groups.
  uint32_t loads_of(uint32_t four) const { return (multiplying_warp() + team_.blocks()) * trace::kLanes + four; }
  static uint32_t thread_of(const trace::Step& at, uint32_t lane) { return at.warp * trace::kLanes + lane; }

  void arrive(const trace::Sync& sync);
  void meet_cluster(const trace::Sync& sync);
  void use_mbarrier(const trace::Sync& sync, uint64_t address);
  void wait_for_copies(const trace::Sync& sync);
  void use_flag(const trace::Access& access);
  Channel& channel_at(uint64_t key);
  void release(Channel& channel, uint32_t thread);
  void acquire(Channel& channel, uint32_t thread);

  /// One thread's side of a race.
  struct Side {
    const WordAccess& use;
    uint32_t team = 0, lane = 0;
  };
  Site site_of(const Side& side) const;
  void report(const Place& place, FindingKind kind, const Side& old, const Side& now);

  const LaunchFacts& facts_;
  std::vector<uint8_t> ordering_;  ///< By pc.
  Team team_;
  std::vector<bool> retried_;  ///< By pc: loads that a loop repeats until the value is as wanted.
  ThreadOrder order_;
  std::vector<WordAccess> uses_;  ///< Of the current era.
  std::vector<Cell> shared_;
  std::vector<GlobalArea> global_;
  std::deque<Past> pasts_;
  std::vector<Flight> flights_;
  std::vector<Copies> copies_;            ///< Per thread of the team.
  std::vector<Copies> bulk_stores_;       ///< Likewise, in bulk groups.
  std::vector<Products> products_;        ///< By four warps.
  std::vector<uint32_t> product_groups_;  ///< Per warp: those that it has committed ...
  std::vector<size_t> products_ended_;    ///< ... and has waited for.
  std::vector<Awaited> awaited_;
  std::map<std::pair<uint32_t, uint32_t>, Arrivals> arrivals_;  ///< By the block's rank and the barrier.
  std::map<uint32_t, ThreadOrder::Clock> cluster_phases_;       ///< Of those that arrived in a phase.
  std::vector<std::map<uint32_t, MateUse>> mate_uses_;          ///< By the rank of the block used, and thread.
  std::vector<bool> exited_;                                    ///< Blocks of the team, by rank.
  std::vector<bool> fenced_;                                    ///< Threads of the team that have issued a fence.
  std::map<uint64_t, Channel> channels_;
  std::map<uint32_t, uint32_t> acquired_until_;  ///< By team, the moment up to which this one is ordered after it.
  uint32_t moment_ = 1;                          ///< Counts the releases.
  Findings findings_;
};

}  // namespace tilescope::analysis
