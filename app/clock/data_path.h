#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <optional>

#include "arch/arch.h"
#include "clock/memory_path.h"
#include "clock/ring.h"
#include "clock/sm_model.h"
#include "machine/machine.h"

namespace tilescope::clock {

using arch::kSchedulers;

/// What an instruction wants of the data path of L1 and shared memory.
struct Request {
  enum class Kind : uint8_t { Nothing, Shuffle, Shared, Load, Store, Atomic, LocalLoad, LocalStore, Copy };
  Kind kind = Kind::Nothing;
  bool is_global = false;                     ///< Waits in the queue to global memory, else in that to shared memory.
  MemoryPath::Way way = MemoryPath::Way::L1;  ///< Loads and copies.
  bool is_whole = true;                       ///< Stores: all bytes of its sectors are written.
  uint32_t words = 1;                         ///< That each thread asks for.
  uint32_t wavefronts = 1;                    ///< Clocks of the data path, beside what misses cost.
  uint32_t conflicts = 0;                     ///< Of those, beyond what its bytes take without bank conflicts.
  Lines lines;                                ///< Of global or local memory.
  WordUse word_use;                           ///< Atomics.
  /// Shared memory: of the block of the cluster whose it is.
  int rank = machine::Access::kOwnBlock;
  // Who waits for it.
  uint32_t slot = 0;
  Reader reader;
  uint64_t life = 0;  ///< Of the warp, which may have ended when the request is served.
  int64_t issued = 0;
};

/// Whether the instruction waits in a queue for the data path.
bool is_queued(const sass::Instruction& in);
/// Whether that queue is the one to global memory.
bool uses_global_queue(const sass::Instruction& in);
/// What the instruction, just issued by the warp in `slot`, wants.
Request request_of(const sass::Instruction& in, const machine::Issue& issue, uint32_t slot);

/// The data path: two queues for each scheduler, one to global and one to shared memory, served in turn.
class DataPath {
 public:
  /// See MemoryPath for the arguments.
  DataPath(const SmModel& model, uint64_t l1_bytes, std::vector<ArraySharing> arrays, uint32_t sms);

  /// Whether the scheduler's queue to global or to shared memory takes another request.
  bool has_room(uint32_t scheduler, bool is_global) const {
    const auto queued = [&](bool global) { return static_cast<double>(queues_[2 * scheduler + global].size()); };
    return queued(false) < model_.shared_queue && (!is_global || queued(true) < model_.global_queue);
  }
  bool is_shared_full(uint32_t scheduler) const {
    return static_cast<double>(queues_[2 * scheduler].size()) >= model_.shared_queue;
  }
  void enqueue(uint32_t scheduler, const Request& request);
  /// The scheduler issues an FMA.
  void note_fma(uint32_t scheduler, int64_t clock) { fmas_[scheduler].note(clock); }
  /// A warp arrives at a barrier, which costs the data path some clocks.
  void arrive_at_barrier() { debt_ += model_.barrier_path; }

  /// A bulk copy begins: the clock at which it is done. It passes the data path on its way to shared memory.
  double begin_bulk(const Reader& reader, const machine::BulkCopy& copy, double now);
  /// The same where another SM of the cluster asks L2 for it.
  double receive_bulk(const machine::BulkCopy& copy, double now);
  /// The clock at which all that bulk copies to global memory take has been read.
  double bulk_stores_read() const { return memory_.to_l2_free(); }
  /// See MemoryPath.
  void begin_period(double together) { memory_.begin_period(together); }
  /// Another SM of the cluster accesses this one's shared memory.
  void lend(uint32_t wavefronts) { debt_ += wavefronts; }

  struct Served {
    Request request;
    double back = 0;  ///< The clock at which its data is there, or its store is done.
    /// A load whose data comes late is served twice: then, too.
    enum class Turn : uint8_t { Only, First, Second } turn = Turn::Only;
  };
  /// Serves the request that is next, if the path is free by then. The result is valid until the next call.
  const Served* serve(int64_t clock);
  /// Nothing waits for it.
  bool is_empty() const;
  /// The next clock after `now` at which serve() may find something to do, or a period ends while L2 has too much to do
  /// to take more; INT64_MAX: none.
  int64_t next_clock(int64_t now, int64_t period_end) const;

  /// Clocks in which it has been busy; what it took on for later does not count yet.
  double busy(double now) const { return busy_ - std::max(0.0, free_ - now); }
  double free_from() const { return free_; }  ///< The clock from which on it has nothing to do.
  double l2_free() const { return memory_.l2_free(); }
  MemoryTraffic traffic(double now) const { return memory_.traffic_until(now); }

 private:
  struct Waiting {
    Request request;
    int64_t ready = 0;
  };
  /// In which of the last clocks something happened.
  class Clocks {
   public:
    void note(int64_t clock) {
      clocks_ = up_to(clock) | 1;
      last_ = clock;
    }
    /// The part of the 16 up to `clock`.
    double part(int64_t clock) const { return std::popcount(up_to(clock) & 0xffff) / 16.0; }

   private:
    uint64_t up_to(int64_t clock) const { return clock - last_ < 64 ? clocks_ << (clock - last_) : 0; }
    uint64_t clocks_ = 0;
    int64_t last_ = 0;
  };
  double cost_of(Served& served, double now, uint32_t scheduler);
  /// The clock of the last of the next request's wavefronts.
  double last_of(uint32_t scheduler, double now, double clocks) const;
  void use(const Request& request, double now, double clocks);

  const SmModel& model_;
  MemoryPath memory_;
  /// When the request can be served at the earliest, for all that is known now.
  double earliest(const Waiting& waiting) const;
  struct Coming {
    double clock = 0, cost = 0;
    Request request;
  };
  Ring<Coming> coming_;         // Loads that have their second turn before them, in order.
  double coming_cost_ = 0;      // Clocks of the data path that they will take.
  std::deque<double> waiting_;  // When those whose turn in the data path is to come will have had it.
  std::array<Ring<Waiting>, 2 * kSchedulers> queues_;  // A scheduler's to shared and its to global memory.
  std::array<double, kSchedulers> ports_{};  // When each scheduler's requests so far are served, if nobody else's are.
  double free_ = 0, tags_free_ = 0, debt_ = 0, busy_ = 0;
  double cluster_free_ = 0;  // From then on the way to the other SMs of the cluster is.
  uint32_t turn_ = 0;
  std::array<Clocks, kSchedulers> fmas_;
  uint32_t served_in_turn_ = 0;  ///< Of the queue whose turn it is, one after the other.
  Served served_;
};

}  // namespace tilescope::clock
