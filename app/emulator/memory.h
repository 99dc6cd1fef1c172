#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/result.h"

namespace tilescope::emulator {

/// The global memory of one launch: allocations of exact extent, so far apart that a stray address hits no other.
/// Addresses are the same in every run with the same allocations in the same order. Each starts on a multiple of 512,
/// as cudaMalloc's do.
class GlobalMemory {
 public:
  /// Bytes start as `fill`; without it nobody may read what has not been stored, and pages that are not touched take no
  /// memory. `allocation.base` and `space` are chosen here; the base is returned.
  /// If there is not enough memory the error says how much was requested.
  Result<uint64_t> allocate(Allocation allocation, std::optional<uint8_t> fill = 0xff);

  /// Adds memory owned by someone else, at `allocation.base`; it must stay valid until release().
  void place(Allocation allocation, std::byte* memory);
  /// Removes the allocation that begins at `base`; the others keep their order. False if there is none.
  bool release(uint64_t base);

  const std::vector<Allocation>& allocations() const { return allocations_; }
  /// Index of the allocation that holds all of [address, address + bytes); -1 if none does.
  int find(uint64_t address, uint64_t bytes) const;
  std::span<std::byte> bytes(int index);
  std::span<const std::byte> bytes(int index) const;

  /// The device's malloc(): the address of a block of exact extent, a multiple of 16; 0 if `bytes` is 0 or the heap
  /// is full. Blocks are separate from the allocations.
  uint64_t heap_allocate(uint64_t bytes);
  /// free(): false if no block begins there. Addresses are not reused.
  bool heap_free(uint64_t address);
  /// The block that holds all of [address, address + bytes); its base is 0 if none does.
  struct HeapBlock {
    uint64_t base = 0;
    std::span<std::byte> bytes;
  };
  HeapBlock heap_block(uint64_t address, uint64_t bytes);

  /// What %envreg1 and %envreg2 point to for cooperative groups, on the heap: its size, then the counter of blocks that
  /// have arrived. 0 if the heap is full.
  uint64_t make_grid_workspace();

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
