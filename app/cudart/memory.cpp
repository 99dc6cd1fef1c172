#include "cudart/memory.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>

#include "cudart/runtime.h"

namespace tilescope::cudart {
namespace {

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

uint64_t in_pages(uint64_t bytes) {
  return (std::max<uint64_t>(bytes, 1) + wire::kPage - 1) / wire::kPage * wire::kPage;
}

}  // namespace

bool Memory::is_on_device(const void* pointer) {
  return number(pointer) >= wire::kFirstAddress && number(pointer) < wire::kFirstVariable + (uint64_t{1} << 40);
}

bool Memory::map(Block block, bool at_its_address) {
  block.mapped = in_pages(block.bytes);
  void* wanted = at_its_address ? reinterpret_cast<void*>(block.address) : nullptr;
  void* here = ::mmap(wanted, block.mapped, PROT_READ | PROT_WRITE, MAP_SHARED | (wanted ? MAP_FIXED_NOREPLACE : 0),
                      channel_.memory_file(), static_cast<off_t>(block.address - wire::kFirstAddress));
  if (here == MAP_FAILED) return false;
  block.here = static_cast<char*>(here);
  blocks_[block.address] = block;
  return true;
}

void* Memory::allocate(uint64_t bytes, wire::Memory kind) {
  const uint64_t whole = in_pages(bytes);
  if (bytes > left() || next_ + whole + wire::kGuard > wire::kFirstVariable) return nullptr;
  const Block block{next_, bytes, kind, nullptr, 0};
  if (!map(block, kind != wire::Memory::Device)) return nullptr;
  if (kind == wire::Memory::Device) std::memset(blocks_[block.address].here, 0xff, bytes);
  used_ += bytes;
  next_ += (whole + wire::kGuard + wire::kPage - 1) / wire::kPage * wire::kPage;
  channel_.send(wire::Kind::Allocate, bytes_of(wire::Range{block.address, bytes, kind, 0}));
  return reinterpret_cast<void*>(block.address);
}

bool Memory::free(const void* pointer, bool host) {
  const auto at = blocks_.find(number(pointer));
  if (at == blocks_.end() || number(pointer) >= wire::kFirstVariable) {
    reason_ = freed_.contains(number(pointer)) ? "it was freed before"
              : find(pointer)                  ? "it points into an allocation, not at its begin"
                                               : "no CUDA call gave this address";
    return false;
  }
  if ((at->second.kind == wire::Memory::Host) != host) {
    reason_ =
        host ? "it is memory of the device: cudaFree frees it" : "it is memory of the host: cudaFreeHost frees it";
    return false;
  }
  freed_.insert(number(pointer));
  guarded_.erase(number(pointer));
  ::munmap(at->second.here, at->second.mapped);
  used_ -= at->second.bytes;
  channel_.send(wire::Kind::Free, bytes_of(wire::Range{at->first, at->second.bytes, at->second.kind, 0}),
                Runtime::places_of_call());
  blocks_.erase(at);
  return true;
}

void Memory::free_all() {
  for (auto at = blocks_.begin(); at != blocks_.end();) {
    const Block block = (at++)->second;
    if (block.kind == wire::Memory::Device) free(reinterpret_cast<void*>(block.address), false);
  }
}

bool Memory::map_variable(uint64_t address, uint64_t bytes, bool at_its_address) {
  return blocks_.contains(address) || map({address, bytes, wire::Memory::Managed, nullptr, 0}, at_its_address);
}

const Memory::Block* Memory::find(const void* pointer) const {
  auto at = blocks_.upper_bound(number(pointer));
  if (at == blocks_.begin()) return nullptr;
  const Block& block = (--at)->second;
  return number(pointer) - block.address < std::max<uint64_t>(block.bytes, 1) ? &block : nullptr;
}

char* Memory::here(const void* pointer, uint64_t bytes) {
  if (!is_on_device(pointer)) return const_cast<char*>(static_cast<const char*>(pointer));
  lift_guard(pointer);  // What is asked for is work of the device, in order.
  const Block* block = find(pointer);
  if (!block) return nullptr;
  const uint64_t offset = number(pointer) - block->address;
  return bytes <= block->bytes - std::min(offset, block->bytes) ? block->here + offset : nullptr;
}

bool Memory::fits(const void* pointer, bool on_device) const {
  if (on_device) return is_on_device(pointer);
  const Block* block = is_on_device(pointer) ? find(pointer) : nullptr;
  return !is_on_device(pointer) || (block && block->kind != wire::Memory::Device);
}

void Memory::guard(const std::vector<wire::UsedArray>& arrays) {
  for (const wire::UsedArray& array : arrays) {
    const auto at = blocks_.find(array.address);
    if (at == blocks_.end() || !at->second.is_at_its_address()) continue;
    if (guarded_.contains(array.address) && !array.written) continue;
    if (::mprotect(at->second.here, at->second.mapped, array.written ? PROT_NONE : PROT_READ) == 0)
      guarded_.insert(array.address);
  }
}

void Memory::lift_guards() {
  while (!guarded_.empty()) lift_guard(reinterpret_cast<const void*>(*guarded_.begin()));
}

const Memory::Block* Memory::lift_guard(const void* pointer) {
  const Block* block = guarded_.empty() || !is_on_device(pointer) ? nullptr : find(pointer);
  if (!block || guarded_.erase(block->address) == 0) return nullptr;
  ::mprotect(block->here, block->mapped, PROT_READ | PROT_WRITE);
  return block;
}

void Memory::tell_written(const void* target, uint64_t bytes) {
  const Block* block = is_on_device(target) ? find(target) : nullptr;
  if (block && block->kind == wire::Memory::Device)
    channel_.send(wire::Kind::Written, bytes_of(wire::Range{number(target), bytes, block->kind, 0}));
}

std::string Memory::why_not_here(const char* what, const void* pointer, uint64_t bytes) const {
  const Block* block = find(pointer);
  if (!block) {
    auto after = freed_.upper_bound(number(pointer));
    if (after != freed_.begin() && number(pointer) - *--after < wire::kGuard)
      return std::string("the ") + what + " was freed";
    return std::string("the ") + what + " is in no allocation";
  }
  const uint64_t left = block->bytes - (number(pointer) - block->address);
  return std::to_string(bytes) + " bytes, but from the " + what + " on its allocation has " + std::to_string(left);
}

int Memory::copy(void* target, const void* source, uint64_t bytes, int kind) {
  if (bytes == 0) return wire::Success;
  if (kind < HostToHost || kind > AnyDirection) return wire::InvalidCopyDirection;
  const bool to_device = kind == HostToDevice || kind == DeviceToDevice;
  const bool from_device = kind == DeviceToHost || kind == DeviceToDevice;
  if (kind != AnyDirection && (!fits(target, to_device) || !fits(source, from_device))) {
    const bool is_target = !fits(target, to_device);
    reason_ = std::string("the direction says that the ") + (is_target ? "target" : "source") + " is memory of the " +
              ((is_target ? to_device : from_device) ? "device, but it is the host's" : "host, but it is the device's");
    return wire::InvalidValue;
  }
  char* to = here(target, bytes);
  const char* from = here(source, bytes);
  if (!to || !from) {
    reason_ = !to ? why_not_here("target", target, bytes) : why_not_here("source", source, bytes);
    return wire::InvalidValue;
  }
  if (!is_on_device(target) && is_on_device(source) && !find(source)->is_at_its_address())
    channel_.send(wire::Kind::ReadBack, bytes_of(wire::Range{number(source), bytes, wire::Memory::Device, 0}),
                  Runtime::places_of_call());
  std::memmove(to, from, bytes);
  tell_written(target, bytes);
  return wire::Success;
}

int Memory::copy_2d(void* target, uint64_t target_pitch, const void* source, uint64_t source_pitch, uint64_t width,
                    uint64_t height, int kind) {
  if (height > 1 && (width > target_pitch || width > source_pitch)) return wire::InvalidPitch;
  if (width == target_pitch && width == source_pitch) return copy(target, source, width * height, kind);
  for (uint64_t row = 0; row < height; ++row)
    if (const int problem = copy(static_cast<char*>(target) + row * target_pitch,
                                 static_cast<const char*>(source) + row * source_pitch, width, kind))
      return problem;
  return wire::Success;
}

int Memory::set(void* target, int value, uint64_t bytes) {
  if (bytes == 0) return wire::Success;
  char* to = is_on_device(target) ? here(target, bytes) : nullptr;
  if (!to) {
    reason_ = is_on_device(target) ? why_not_here("target", target, bytes) : "the target is memory of the host";
    return wire::InvalidValue;
  }
  std::memset(to, value, bytes);
  tell_written(target, bytes);
  return wire::Success;
}

}  // namespace tilescope::cudart
