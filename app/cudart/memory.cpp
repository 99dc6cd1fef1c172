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
  bytes_used_ += bytes;
  next_ += (whole + wire::kGuard + wire::kPage - 1) / wire::kPage * wire::kPage;
  channel_.send(wire::Kind::Allocate, bytes_of(wire::Range{block.address, bytes, kind, 0}), Runtime::places_of_call());
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
  std::erase_if(guards_, [&](const Guard& guard) { return guard.block == number(pointer); });
  ::munmap(at->second.here, at->second.mapped);
  bytes_used_ -= at->second.bytes;
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
    const uint64_t begin = array.address;
    const Guard guard{begin, begin, begin + at->second.mapped, array.written != 0, Use::Kernel, 0, 0};
    const auto known = std::find_if(guards_.begin(), guards_.end(), [&](const Guard& other) {
      return other.use == Use::Kernel && other.block == begin;
    });
    if (known == guards_.end())
      guards_.push_back(guard);
    else
      known->written |= guard.written;
    protect(begin);
  }
}

void Memory::guard_copied() {
  constexpr size_t kMostGuards = 256;
  for (const wire::UsedRange& used : used_) {
    const Block* block = find(reinterpret_cast<const void*>(used.address));
    if (!block || !block->is_at_its_address() || guards_.size() >= kMostGuards) continue;
    // A page at the edge has neighbours that the host may use, unless the allocation ends there.
    const uint64_t end = used.address + used.bytes, last = block->address + block->bytes;
    const uint64_t first_page = in_pages(used.address), end_page = end / wire::kPage * wire::kPage;
    const Guard guard{
        block->address, first_page, end == last ? in_pages(end) : end_page, used.written != 0, Use::Copy, 0, 0};
    if (guard.begin < guard.end) guards_.push_back(guard);
    opened_.insert(block->address);  // So that work_ends() protects it.
  }
}

void Memory::protect(uint64_t address) {
  const auto at = blocks_.find(address);
  if (at == blocks_.end()) return;
  ::mprotect(at->second.here, at->second.mapped, PROT_READ | PROT_WRITE);
  for (const bool written : {false, true})
    for (const Guard& guard : guards_)
      if (guard.block == address && guard.written == written)
        ::mprotect(reinterpret_cast<void*>(guard.begin), guard.end - guard.begin, written ? PROT_NONE : PROT_READ);
}

template <class Predicate>
void Memory::lift(Predicate is_over) {
  std::set<uint64_t> blocks;
  for (const Guard& guard : guards_)
    if (is_over(guard)) blocks.insert(guard.block);
  std::erase_if(guards_, is_over);
  for (const uint64_t block : blocks) protect(block);
}

void Memory::lift_guards_of_kernels() {
  lift([](const Guard& guard) { return guard.use == Use::Kernel; });
}

void Memory::lift_guards_of_copies(const Ended& ended) {
  const std::vector<uint64_t>& numbers = ended.numbers();
  lift([&](const Guard& guard) {
    return guard.use == Use::Copy && guard.stream < numbers.size() && guard.number <= numbers[guard.stream];
  });
}

std::optional<Memory::Use> Memory::lift_guard(const void* pointer) {
  const auto holds = [&](const Guard& guard) { return number(pointer) >= guard.begin && number(pointer) < guard.end; };
  const auto guard = std::find_if(guards_.begin(), guards_.end(), holds);
  if (guard == guards_.end()) return std::nullopt;
  const Use use = guard->use;
  lift(holds);
  return use;
}

void Memory::lift_guards_of(const void* pointer) {
  const Block* block = guards_.empty() ? nullptr : find(pointer);
  if (block) lift([&](const Guard& guard) { return guard.block == block->address; });
}

void Memory::open(const void* pointer) {
  const Block* block = guards_.empty() ? nullptr : find(pointer);
  if (!block || !block->is_at_its_address() || !opened_.insert(block->address).second) return;
  ::mprotect(block->here, block->mapped, PROT_READ | PROT_WRITE);
}

void Memory::use(const void* pointer, uint64_t bytes, bool written) {
  if (is_on_device(pointer)) used_.push_back({number(pointer), bytes, written, 0});
}

void Memory::use(const std::vector<wire::UsedRange>& ranges) {
  for (const wire::UsedRange& range : ranges)
    use(reinterpret_cast<const void*>(range.address), range.bytes, range.written != 0);
}

void Memory::work_ends(uint32_t stream, uint64_t of_stream) {
  for (Guard& guard : guards_) {
    if (guard.number != 0) continue;
    guard.stream = stream;
    guard.number = of_stream;
  }
  for (const uint64_t block : std::exchange(opened_, {})) protect(block);
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
  const auto is_hosts = [&](const void* memory) { return !is_on_device(memory) || find(memory)->is_at_its_address(); };
  if (is_hosts(target) && !is_hosts(source))
    channel_.send(wire::Kind::ReadBack, bytes_of(wire::Range{number(source), bytes, wire::Memory::Device, 0}),
                  Runtime::places_of_call());
  open(target);
  open(source);
  std::memmove(to, from, bytes);
  use(source, bytes, false);
  use(target, bytes, true);
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
  open(target);
  std::memset(to, value, bytes);
  use(target, bytes, true);
  tell_written(target, bytes);
  return wire::Success;
}

}  // namespace tilescope::cudart
