#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cudart/abi.h"
#include "cudart/channel.h"
#include "cudart/order.h"

namespace tilescope::cudart {

/// The program's allocations on the device, and where their bytes are in this process.
class Memory {
 public:
  struct Block {
    uint64_t address = 0, bytes = 0;
    wire::Memory kind = wire::Memory::Device;
    char* here = nullptr;
    uint64_t mapped = 0;
    bool is_at_its_address() const { return here == reinterpret_cast<const char*>(address); }
  };

  /// `reason` gets why a call fails.
  Memory(Channel& channel, std::string& reason) : channel_(channel), reason_(reason) {}
  void set_limit(uint64_t bytes) { limit_ = bytes; }
  uint64_t limit() const { return limit_; }
  uint64_t left() const { return limit_ - bytes_used_; }

  /// The address; null if there is too little memory. Device memory is filled with ones, a NaN in every floating-point
  /// type; memory that the host may access, too, is zeros, at the same address in this process.
  void* allocate(uint64_t bytes, wire::Memory kind);
  /// False if no block of that kind begins there.
  bool free(const void* pointer, bool host);
  void free_all();
  /// Maps a variable that `tilescope run` placed; `at_its_address` if the program reads it there. False on failure.
  bool map_variable(uint64_t address, uint64_t bytes, bool at_its_address);

  /// The block that holds the address, or null.
  const Block* find(const void* pointer) const;
  static bool is_on_device(const void* pointer);
  /// Where `bytes` from the pointer on are in this process; host memory is returned as it is. Null if they are not all
  /// in one block of the device.
  char* here(const void* pointer, uint64_t bytes);

  /// As cudaMemcpy: a cudaError_t.
  int copy(void* target, const void* source, uint64_t bytes, int kind);
  int copy_2d(void* target, uint64_t target_pitch, const void* source, uint64_t source_pitch, uint64_t width,
              uint64_t height, int kind);
  int set(void* target, int value, uint64_t bytes);

  /// Records that the host wrote them, if they are on the device.
  void tell_written(const void* target, uint64_t bytes);

  /// A kernel uses these arrays until the program waits for it: the host's next use of one, or its next write where
  /// the kernel does not write either, is a fault.
  void guard(const std::vector<wire::UsedArray>& arrays);
  /// Likewise what the copy used that is being done, until its stream's work has ended for the host.
  void guard_copied();
  /// The program has waited, for whatever it was: kernels may use only a part of an array.
  void lift_guards_of_kernels();
  void lift_guards_of_copies(const Ended& ended);
  /// What may be using the address, if it is guarded; it is guarded no more.
  enum class Use { Kernel, Copy };
  std::optional<Use> lift_guard(const void* pointer);
  /// The array that holds the address is not guarded any more.
  void lift_guards_of(const void* pointer);

  /// The work that copied and set is done; it has this number in its stream.
  void work_ends(uint32_t stream, uint64_t number);
  /// Work of a library uses these bytes, of which those of the host do not count.
  void use(const std::vector<wire::UsedRange>& ranges);
  /// What copies, sets and libraries have used since the last call.
  std::vector<wire::UsedRange> take_used() { return std::exchange(used_, {}); }

 private:
  struct Guard {
    uint64_t block = 0;           ///< Its address.
    uint64_t begin = 0, end = 0;  ///< Whole pages.
    bool written = false;
    Use use = Use::Kernel;
    uint32_t stream = 0;  ///< Of a copy.
    uint64_t number = 0;
  };
  /// Protects the pages of a block as its guards say.
  void protect(uint64_t block);
  template <class Predicate>
  void lift(Predicate is_over);
  /// For work of the device, which comes after what the guards are for.
  void open(const void* pointer);
  void use(const void* pointer, uint64_t bytes, bool written);

  bool map(Block block, bool at_its_address);
  bool fits(const void* pointer, bool on_device) const;

  /// Why `bytes` from there on are not memory that a copy may touch.
  std::string why_not_here(const char* what, const void* pointer, uint64_t bytes) const;

  Channel& channel_;
  std::string& reason_;
  std::set<uint64_t> freed_;          ///< Addresses; none is used again.
  std::map<uint64_t, Block> blocks_;  ///< By address.
  std::vector<Guard> guards_;
  std::set<uint64_t> opened_;  ///< Blocks whose guards the work at hand ignores.
  std::vector<wire::UsedRange> used_;
  uint64_t next_ = wire::kFirstAddress, limit_ = 0, bytes_used_ = 0;
};

}  // namespace tilescope::cudart
