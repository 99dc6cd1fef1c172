#include "emulator/memory.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/arithmetic.h"

namespace tilescope::emulator {
namespace {

// Where cudaMalloc's addresses lie; the guard between allocations is larger than any row of a matrix.
constexpr uint64_t kFirstAddress = 0x7f00'0000'0000;
constexpr uint64_t kAlignment = 512;
constexpr uint64_t kGuard = uint64_t{1} << 24;

}  // namespace

void GlobalMemory::FreeDeleter::operator()(std::byte* memory) const { std::free(memory); }

Result<uint64_t> GlobalMemory::allocate(Allocation allocation, uint8_t fill) {
  const uint64_t previous_end = allocations_.empty() ? kFirstAddress - kGuard
                                                     : allocations_.back().base + allocations_.back().bytes;
  allocation.base = round_up(previous_end + kGuard, kAlignment);
  std::unique_ptr<std::byte[], FreeDeleter> memory(static_cast<std::byte*>(
      std::aligned_alloc(kAlignment, round_up(allocation.bytes ? allocation.bytes : 1, kAlignment))));
  if (!memory)
    return error(fmt::format("{} bytes for {} cannot be had on this machine.", allocation.bytes, allocation.name));
  std::memset(memory.get(), fill, allocation.bytes);
  allocations_.push_back(std::move(allocation));
  storage_.push_back(std::move(memory));
  return allocations_.back().base;
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
  return {storage_[i].get(), allocations_[i].bytes};
}

std::span<const std::byte> GlobalMemory::bytes(int index) const {
  const auto i = static_cast<size_t>(index);
  return {storage_[i].get(), allocations_[i].bytes};
}

}  // namespace tilescope::emulator
