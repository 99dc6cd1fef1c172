#pragma once

#include "trace/event.h"

namespace tilescope::trace {

/// What the emulator publishes to. Every method is empty, so an observer names only the events it cares for.
/// Calls for one block come in the order in which the emulator ran it; blocks come one after another.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void block_begin(uint32_t /*block*/) {}
  virtual void block_end(uint32_t /*block*/) {}
  /// A warp is about to issue `count` instructions from `first.pc` on, one after another, with the lanes in
  /// `first.active` (guards not applied). A later one with a step that came before takes its place.
  virtual void straight_line(const Step& /*first*/, uint32_t /*count*/) {}
  virtual void access(const Access&) {}
  virtual void branch(const Branch&) {}
  virtual void sync(const Sync&) {}
  /// Barrier `id` of the block has all its arrivals: what came before it is ordered before what comes after,
  /// for all threads of the block.
  virtual void barrier_complete(uint32_t /*block*/, uint32_t /*id*/) {}
  virtual void fault(const Fault&) {}
};

}  // namespace tilescope::trace
