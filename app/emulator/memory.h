#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/result.h"

namespace tilescope::emulator {

/// The global memory of one launch: allocations of exact extent, far enough apart that a stray address hits none.
/// Addresses are the same in every run with the same allocations in the same order. Each starts on a multiple of 512,
/// as cudaMalloc's do.
class GlobalMemory {
 public:
  /// Bytes start as `fill`. `allocation.base` and `space` are chosen here; the base is returned.
  /// An error says how much was asked for when the memory cannot be had.
  Result<uint64_t> allocate(Allocation allocation, uint8_t fill = 0xff);

  /// Memory that is someone else's, at the address that `allocation.base` says; it must be there until release().
  void place(Allocation allocation, std::byte* memory);
  /// Takes the allocation that begins at `base` away; the others keep their order. False when there is none.
  bool release(uint64_t base);

  const std::vector<Allocation>& allocations() const { return allocations_; }
  /// Index of the allocation that holds all of [address, address + bytes); -1 for none.
  int find(uint64_t address, uint64_t bytes) const;
  std::span<std::byte> bytes(int index);
  std::span<const std::byte> bytes(int index) const;

  /// What the device's malloc() gives: the address of a block of exact extent, at a multiple of 16; 0 for none, when
  /// nothing is asked for or the heap has too little left. Blocks lie apart from the allocations and are none of them.
  uint64_t heap_allocate(uint64_t bytes);
  /// free(): false when no block begins there. Its address is not given again.
  bool heap_free(uint64_t address);
  /// The block that holds all of [address, address + bytes); its base is 0 for none.
  struct HeapBlock {
    uint64_t base = 0;
    std::span<std::byte> bytes;
  };
  HeapBlock heap_block(uint64_t address, uint64_t bytes);

 private:
  struct FreeDeleter {
    bool owns = true;  ///< Placed memory is not freed.
    void operator()(std::byte* memory) const;
  };
  std::vector<Allocation> allocations_;
  std::vector<std::unique_ptr<std::byte[], FreeDeleter>> storage_;
  struct HeapStorage {
    std::unique_ptr<std::byte[]> memory;
    uint64_t bytes = 0;
  };
  std::map<uint64_t, HeapStorage> heap_;  // By address.
  uint64_t heap_used_ = 0, heap_next_ = 0;
};

}  // namespace tilescope::emulator
