#include "emulator/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "base/arithmetic.h"

namespace tilescope::emulator {
namespace {

// The range of cudaMalloc's addresses; the gap between allocations is larger than any row of a matrix.
constexpr uint64_t kFirstAddress = 0x7f00'0000'0000;
constexpr uint64_t kAlignment = 512;
constexpr uint64_t kGuard = uint64_t{1} << 24;
// The heap is far below them, with CUDA's default size (cudaLimitMallocHeapSize).
constexpr uint64_t kFirstHeapAddress = 0x7e00'0000'0000;
constexpr uint64_t kHeapBytes = uint64_t{8} << 20;
constexpr uint64_t kHeapAlignment = 16;
constexpr uint64_t kHeapGuard = uint64_t{1} << 16;

}  // namespace

void GlobalMemory::FreeDeleter::operator()(std::byte* memory) const {
  if (owns) std::free(memory);
}

Result<uint64_t> GlobalMemory::allocate(Allocation allocation, std::optional<uint8_t> fill) {
  const uint64_t previous_end =
      allocations_.empty() ? kFirstAddress - kGuard : allocations_.back().base + allocations_.back().bytes;
  allocation.base = round_up(previous_end + kGuard, kAlignment);
  std::unique_ptr<std::byte[], FreeDeleter> memory(static_cast<std::byte*>(
      std::aligned_alloc(kAlignment, round_up(allocation.bytes ? allocation.bytes : 1, kAlignment))));
  if (!memory)
    return error(
        fmt::format("{} bytes for {} cannot be allocated on this machine.", allocation.bytes, allocation.name));
  if (fill) std::memset(memory.get(), *fill, allocation.bytes);
  allocations_.push_back(std::move(allocation));
  storage_.push_back(std::move(memory));
  return allocations_.back().base;
}

void GlobalMemory::place(Allocation allocation, std::byte* memory) {
  allocations_.push_back(std::move(allocation));
  storage_.emplace_back(memory, FreeDeleter{false});
}

bool GlobalMemory::release(uint64_t base) {
  const auto at = std::find_if(allocations_.begin(), allocations_.end(), [&](const auto& a) { return a.base == base; });
  if (at == allocations_.end()) return false;
  storage_.erase(storage_.begin() + (at - allocations_.begin()));
  allocations_.erase(at);
  return true;
}

int GlobalMemory::find(uint64_t address, uint64_t bytes) const {
  for (size_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& a = allocations_[i];
    if (address >= a.base && bytes <= a.bytes && address - a.base <= a.bytes - bytes) return static_cast<int>(i);
  }
  return -1;
}

std::span<std::byte> GlobalMemory::bytes(int index) {
  const auto i = static_cast<size_t>(index);
  return {storage_[i].get(), static_cast<size_t>(allocations_[i].bytes)};
}

std::span<const std::byte> GlobalMemory::bytes(int index) const {
  const auto i = static_cast<size_t>(index);
  return {storage_[i].get(), static_cast<size_t>(allocations_[i].bytes)};
}

uint64_t GlobalMemory::heap_allocate(uint64_t bytes) {
  if (bytes == 0 || bytes > kHeapBytes - heap_used_) return 0;
  HeapStorage block{std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]), bytes};
  if (!block.memory) return 0;
  std::memset(block.memory.get(), 0xff, bytes);
  const uint64_t address = kFirstHeapAddress + heap_next_;
  heap_next_ += round_up(bytes, kHeapAlignment) + kHeapGuard;
  heap_used_ += bytes;
  heap_.emplace(address, std::move(block));
  return address;
}

bool GlobalMemory::heap_free(uint64_t address) {
  const auto block = heap_.find(address);
  if (block == heap_.end()) return false;
  heap_used_ -= block->second.bytes;
  heap_.erase(block);
  return true;
}

GlobalMemory::HeapBlock GlobalMemory::heap_block(uint64_t address, uint64_t bytes) {
  auto block = heap_.upper_bound(address);
  if (block == heap_.begin()) return {};
  --block;
  const auto& [base, storage] = *block;
  if (bytes > storage.bytes || address - base > storage.bytes - bytes) return {};
  return {base, {storage.memory.get(), static_cast<size_t>(storage.bytes)}};
}

uint64_t GlobalMemory::make_grid_workspace() {
  constexpr uint64_t kBytes = 64;
  const uint64_t address = heap_allocate(kBytes);
  if (address != 0) std::ranges::fill(heap_block(address, kBytes).bytes, std::byte{0});
  return address;
}

}  // namespace tilescope::emulator
