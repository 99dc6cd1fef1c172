#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "analysis/finding.h"
#include "emulator/memory.h"
#include "program/wire.h"
#include "ptx/module.h"

namespace tilescope::program {

/// The memory of the emulated device for as long as the program runs: what the program allocated, with exact extents,
/// and the variables of its modules. The bytes lie in a file in memory that the program maps too.
class DeviceMemory {
 public:
  /// `file` must stay open as long as this.
  explicit DeviceMemory(int file) : file_(file) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Takes over what the program allocated; false when it cannot be mapped here.
  bool allocate(const wire::Range& range);
  void free(uint64_t address);
  /// The host wrote these bytes.
  void written(uint64_t address, uint64_t bytes);
  /// Gives a module's variables their places and what they hold at first. Errors: no memory.
  Result<std::vector<Allocation>> place_variables(const ptx::Module& module);

  /// Makes the variables the last allocations, as the emulator wants those of the module that it runs.
  void move_last(const std::vector<Allocation>& variables);
  emulator::GlobalMemory& global() { return global_; }
  /// What the checkers know of each allocation, in their order. Initcheck notes in it what the kernel writes.
  std::vector<analysis::LaunchFacts::GlobalArray> arrays() const;
  /// From now on initcheck takes all of an allocation as written: blocks wrote to it that it did not watch.
  void take_as_written(uint64_t base);

  /// A number that an array's bytes have as long as they are the same; 0 where the host may write them without a word.
  uint64_t contents(uint64_t base) const;
  /// Its bytes may be others now.
  void changed(uint64_t base);
  std::span<const std::byte> bytes(uint64_t base) const;
  /// Its bytes are those that it had under that number.
  void renumber(uint64_t base, uint64_t contents) { blocks_.at(base).contents = contents; }
  /// Gives an array the bytes that it had under that number.
  void restore(uint64_t base, std::span<const std::byte> bytes, uint64_t contents);

 private:
  struct Block {
    Allocation allocation;
    std::byte* bytes = nullptr;
    uint64_t mapped = 0;
    std::shared_ptr<analysis::WrittenBytes> written;  ///< Null: all of it.
    uint64_t contents = 0;
  };
  bool map(Block block);

  int file_;
  emulator::GlobalMemory global_;
  std::map<uint64_t, Block> blocks_;  ///< By address.
  uint64_t next_variable_ = wire::kFirstVariable;
  uint64_t allocations_ = 0;  ///< So far.
  uint64_t contents_ = 0;     ///< The last number given.
};

}  // namespace tilescope::program
