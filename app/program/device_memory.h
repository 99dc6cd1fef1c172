#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "analysis/finding.h"
#include "emulator/memory.h"
#include "kernel/description.h"
#include "program/wire.h"
#include "ptx/module.h"

namespace tilescope::program {

/// An allocation that the program did not free.
struct LiveArray {
  uint64_t bytes = 0;
  std::string places;  ///< Where it was made, for own_place().
};

/// The memory of the emulated device for as long as the program runs: what the program allocated, with exact extents,
/// and the variables of its modules. The bytes are in a file in memory that the program also maps.
class DeviceMemory {
 public:
  /// `file` must stay open as long as this. `program`: the process of the program.
  DeviceMemory(int file, pid_t program) : file_(file), program_(program) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Adds an allocation of the program; false if it cannot be mapped here. `places`: of the call, for own_place().
  bool allocate(const wire::Range& range, std::string places);
  /// `places`: of the call, for own_place().
  void free(uint64_t address, std::string places);
  /// Arrays that were freed, where a pointer among these parameters leads to one.
  std::vector<analysis::LaunchFacts::FreedArray> freed_arrays(std::span<const uint8_t> parameters);
  /// The end of the memory of the program's own in which the address lies; 0 if it lies in none.
  uint64_t end_of_host_memory(uint64_t address) const;
  /// The first byte of the range that nobody wrote, from the range's begin; the number of bytes if all are written.
  uint64_t first_unwritten(uint64_t address, uint64_t bytes) const;
  /// The parts of an array from `address` to its end that nobody wrote; they count from there.
  std::vector<kernel::ArrayContent::Range> unwritten(uint64_t address) const;
  /// The program's allocations that are not freed.
  std::vector<LiveArray> live() const;
  uint64_t live_bytes() const;
  /// The host wrote these bytes.
  void written(uint64_t address, uint64_t bytes);
  /// Gives a module's variables their places and initial contents. Errors: no memory.
  Result<std::vector<Allocation>> place_variables(const ptx::Module& module);

  /// Makes the variables the last allocations, as the emulator requires for the module that it runs.
  void move_last(const std::vector<Allocation>& variables);
  emulator::GlobalMemory& global() { return global_; }
  /// The checkers' facts of each allocation, in order. Initcheck records the kernel's writes in them.
  std::vector<analysis::LaunchFacts::GlobalArray> arrays() const;
  /// From now on initcheck considers all of an allocation written: blocks that it did not watch wrote to it.
  void take_as_written(uint64_t base);

  /// A number for an array's contents as long as they are unchanged; 0 if the host may write them unnoticed.
  uint64_t contents(uint64_t base) const;
  /// Its bytes may have changed.
  void changed(uint64_t base);
  std::span<const std::byte> bytes(uint64_t base) const;
  /// Its bytes are those of that number.
  void renumber(uint64_t base, uint64_t contents) { blocks_.at(base).contents = contents; }
  /// Restores an array's bytes of that number.
  void restore(uint64_t base, std::span<const std::byte> bytes, uint64_t contents);

 private:
  struct Block {
    Allocation allocation;
    std::byte* bytes = nullptr;
    uint64_t mapped = 0;
    std::shared_ptr<analysis::WrittenBytes> written;  ///< Null: all of it.
    uint64_t contents = 0;
    std::string places = {};  ///< Where the program made it.
  };
  bool map(Block block);

  struct Freed {
    Allocation allocation;
    std::string places, where;  ///< `where` is found when it is needed.
  };

  int file_;
  pid_t program_;
  std::map<uint64_t, Freed> freed_;  ///< By address; no address is used again.
  emulator::GlobalMemory global_;
  std::map<uint64_t, Block> blocks_;  ///< By address.
  uint64_t next_variable_ = wire::kFirstVariable;
  uint64_t allocations_ = 0;  ///< So far.
  uint64_t contents_ = 0;     ///< The last number given.
};

}  // namespace tilescope::program
