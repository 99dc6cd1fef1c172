#pragma once

#include <initializer_list>
#include <type_traits>
#include <vector>

#include "trace/event.h"

namespace tilescope::trace {

/// Receives the emulator's events. Every method is empty, so an observer overrides only those it needs.
/// Events of one block come in the order in which the emulator ran it, and each names its block. Blocks run one after
/// another, except that the blocks of a cluster, those of a cooperative grid, and those that wait for others
/// interleave. Clusters themselves come one after another where they are checked, else they interleave too.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void block_begin(uint32_t /*block*/) {}
  virtual void block_end(uint32_t /*block*/) {}
  /// The block's last thread has exited: its shared memory may now belong to another block.
  virtual void block_exited(uint32_t /*block*/) {}
  /// A warp is about to issue `count` instructions from `first.pc` on, one after another, with the lanes in
  /// `first.active` (guards not applied). A later call with an earlier step replaces it.
  virtual void straight_line(const Step& /*first*/, uint32_t /*count*/) {}
  virtual void access(const Access&) {}
  virtual void branch(const Branch&) {}
  virtual void sync(const Sync&) {}
  virtual void bulk_copy(const BulkCopy&) {}
  virtual void landed(const Landing&) {}
  virtual void product_read(const ProductRead&) {}
  /// Barrier `id` of the block is complete: for all its threads, earlier accesses are ordered before later ones.
  virtual void barrier_complete(uint32_t /*block*/, uint32_t /*id*/) {}
  virtual void fault(const Fault&) {}
};

/// Several observers as one: each event goes to all of them, in the order in which they were added.
class Observers : public Observer {
 public:
  Observers() = default;
  /// Null pointers are ignored. All observers must outlive this.
  Observers(std::initializer_list<Observer*> observers) {
    for (Observer* observer : observers) add(observer);
  }
  void add(Observer* observer) {
    if (observer) observers_.push_back(observer);
  }
  void remove(const Observer* observer) { std::erase(observers_, observer); }

  void block_begin(uint32_t block) override { pass_on(&Observer::block_begin, block); }
  void block_end(uint32_t block) override { pass_on(&Observer::block_end, block); }
  void block_exited(uint32_t block) override { pass_on(&Observer::block_exited, block); }
  void straight_line(const Step& first, uint32_t count) override { pass_on(&Observer::straight_line, first, count); }
  void access(const Access& access) override { pass_on(&Observer::access, access); }
  void branch(const Branch& branch) override { pass_on(&Observer::branch, branch); }
  void sync(const Sync& sync) override { pass_on(&Observer::sync, sync); }
  void bulk_copy(const BulkCopy& copy) override { pass_on(&Observer::bulk_copy, copy); }
  void landed(const Landing& landing) override { pass_on(&Observer::landed, landing); }
  void product_read(const ProductRead& read) override { pass_on(&Observer::product_read, read); }
  void barrier_complete(uint32_t block, uint32_t id) override { pass_on(&Observer::barrier_complete, block, id); }
  void fault(const Fault& fault) override { pass_on(&Observer::fault, fault); }

 private:
  template <class... Event>
  void pass_on(void (Observer::*event)(Event...), std::type_identity_t<Event>... what) {
    for (Observer* observer : observers_) (observer->*event)(what...);
  }
  std::vector<Observer*> observers_;
};

}  // namespace tilescope::trace
