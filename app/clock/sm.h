#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/memory.h"
#include "clock/memory_path.h"
#include "clock/sm_model.h"
#include "clock/stall.h"
#include "machine/machine.h"
#include "sass/lines.h"

namespace tilescope::clock {

/// What one SM is to run: some blocks of a launch; of clusters those of rank 0, with an SM for each other rank beside
/// it.
struct SmWork {
  const machine::PreparedLaunch* launch = nullptr;  ///< Its memory is written to.
  const emulator::GlobalMemory* memory = nullptr;   ///< That memory: its arrays have what is read.
  const sass::LineTable* sources = nullptr;         ///< Of the program's instructions, or null.
  ClusterShape shape;                               ///< The whole grid.
  uint32_t sms = 1;                                 ///< That share the grid.
  uint32_t resident = 1;                            ///< Blocks that the SM holds at a time.
  uint64_t first = 0;                               ///< Its first block, or cluster: its place among the SMs.
  uint64_t l1_bytes = 0;                            ///< What shared memory leaves of the L1.
  std::vector<ArraySharing> arrays;                 ///< Of that memory.
  uint64_t instructions = 200'000;                  ///< Of warps, after which the simulation may end.
  uint64_t first_round = ~uint64_t{0};              ///< Likewise: when half are issued, the rate is taken as steady.
  const std::atomic<bool>* cancel = nullptr;
  /// Runs a block, or cluster, of another SM, whose atomics decide what this SM's do. None: they decide nothing.
  std::function<void(uint64_t number)> run_elsewhere;

  /// Lets what else this thread does pass. An error where the simulation is cancelled.
  Result<std::monostate> give_turn() const;

  uint64_t clusters() const { return shape.grid.count() / shape.cluster.count(); }  ///< Of the grid.
  /// That all SMs hold, one for each place of an SM.
  uint64_t clusters_at_a_time() const { return std::max<uint64_t>(1, sms / shape.cluster.count()); }
  /// Of the whole launch.
  uint64_t blocks_of_sm() const { return (clusters() - first + clusters_at_a_time() - 1) / clusters_at_a_time(); }
};

/// What works for the warps; L2 as far as it serves this SM, the tensor cores of one scheduler.
enum class SmUnit : uint8_t { DataPath, L2, TensorCores };

/// Is told what happens, in the order of the clocks. A warp's slot is its place on the SM; slot % 4 is its scheduler.
class SmObserver {
 public:
  virtual ~SmObserver() = default;
  /// From `begin` up to `end` the warp was in that state; at `pc` is the instruction that it could not issue, or
  /// issued.
  virtual void on_state(uint32_t /*slot*/, Stall /*state*/, int64_t /*begin*/, int64_t /*end*/, uint32_t /*pc*/) {}
  /// What the instruction that `pc` is asked for is there.
  virtual void on_arrival(int64_t /*issued*/, int64_t /*clock*/, uint32_t /*slot*/, uint32_t /*pc*/) {}
  virtual void on_block(int64_t /*clock*/, uint32_t /*first_slot*/, uint64_t /*block*/, bool /*starts*/) {}
  /// The unit has work for that many more clocks, from `begin` on.
  virtual void on_busy(SmUnit /*unit*/, double /*begin*/, double /*clocks*/) {}
};

/// What the simulation came to.
struct SmRun {
  int64_t clocks = 0;     ///< Simulated.
  double afterwards = 0;  ///< Until L2 has all that was stored and the GPU knows of all blocks' ends.
  uint64_t issued = 0;    ///< Instructions of warps.
  uint64_t blocks_done = 0, blocks_all = 0;  ///< Of those of this SM.
  std::vector<uint64_t> issued_by_block;     ///< Instructions, by when they started; 0 of those that have not ended.
  /// When the first blocks had ended, or half of the instructions or of the first round were issued, whichever was
  /// first: from there on the rate is steady.
  int64_t steady_from = 0;
  uint64_t issued_before = 0;
  MemoryTraffic traffic_before;
  /// From there on, what the oldest block has issued in a clock, the next, and so on, while no place was free: an older
  /// one goes first.
  std::vector<double> paces;
  std::vector<double> under_way;  ///< Instructions that the blocks which have not ended have issued, the oldest first.
  std::array<double, kStalls> stalls{};  ///< Clocks of warps in each state.
  std::vector<uint64_t> stalls_by_pc;    ///< kStalls for each instruction.
  MemoryTraffic traffic;
  double data_path_busy = 0;  ///< Clocks.
  double fma_busy = 0;        ///< Clocks of the FMA pipes, of all four schedulers together.
  bool whole() const { return blocks_done == blocks_all; }
};

/// Runs the blocks of one SM: of that of rank 0 is the result. An error: an access outside of every array, a deadlock,
/// cancelled.
Result<SmRun> run_sm(const SmModel& model, const SmWork& work, SmObserver* observer = nullptr);

}  // namespace tilescope::clock
