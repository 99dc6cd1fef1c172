#include "program/device_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/arithmetic.h"
#include "base/text.h"
#include "emulator/emulator.h"
#include "program/source_place.h"

namespace tilescope::program {
namespace {

off_t offset_of(uint64_t address) { return static_cast<off_t>(address - wire::kFirstAddress); }

}  // namespace

DeviceMemory::~DeviceMemory() {
  for (const auto& [address, block] : blocks_) ::munmap(block.bytes, block.mapped);
}

bool DeviceMemory::map(Block block) {
  block.mapped = round_up(std::max<uint64_t>(1, block.allocation.bytes), wire::kPage);
  void* bytes =
      ::mmap(nullptr, block.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file_, offset_of(block.allocation.base));
  if (bytes == MAP_FAILED) return false;
  block.bytes = static_cast<std::byte*>(bytes);
  global_.place(block.allocation, block.bytes);
  blocks_[block.allocation.base] = std::move(block);
  return true;
}

bool DeviceMemory::allocate(const wire::Range& range, std::string places) {
  const bool inside = range.address >= wire::kFirstAddress && range.address < wire::kFirstVariable &&
                      range.address % wire::kPage == 0 && range.bytes < wire::kFirstVariable - range.address;
  if (!inside || blocks_.contains(range.address)) return false;
  Block block;
  block.allocation = {
      fmt::format("allocation{}", ++allocations_), Space::Global, range.address, range.bytes, Element::Byte, {}};
  if (range.memory == wire::Memory::Device) {
    block.written = std::make_shared<analysis::WrittenBytes>();
    block.contents = ++contents_;
  }
  block.places = std::move(places);
  return map(std::move(block));
}

void DeviceMemory::free(uint64_t address, std::string places) {
  const auto at = blocks_.find(address);
  if (at == blocks_.end()) return;
  freed_[address] = {at->second.allocation, std::move(places), {}};
  global_.release(address);
  ::munmap(at->second.bytes, at->second.mapped);
  ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset_of(address),
              static_cast<off_t>(at->second.mapped));
  blocks_.erase(at);
}

void DeviceMemory::written(uint64_t address, uint64_t bytes) {
  auto at = blocks_.upper_bound(address);
  if (at == blocks_.begin()) return;
  Block& block = (--at)->second;
  if (!block.allocation.contains(address)) return;
  changed(block.allocation.base);
  if (!block.written) return;
  const uint64_t first = address - block.allocation.base, count = std::min(bytes, block.allocation.bytes - first);
  if (count == block.allocation.bytes)
    block.written.reset();
  else
    block.written->set_range(first, count);
}

Result<std::vector<Allocation>> DeviceMemory::place_variables(const ptx::Module& module) {
  std::vector<Allocation> variables = emulator::module_variables(module);
  for (Allocation& variable : variables) {
    variable.base = next_variable_;
    const uint64_t bytes = round_up(std::max<uint64_t>(1, variable.bytes), wire::kPage);
    next_variable_ += bytes + wire::kGuard;
    if (::ftruncate(file_, offset_of(next_variable_)) != 0 || !map({variable, nullptr, 0, nullptr, 0}))
      return error(
          Message("{} bytes for the variable {} cannot be allocated on this machine.", variable.bytes, variable.name));
  }
  emulator::initialise_module_variables(module, global_);
  return variables;
}

void DeviceMemory::move_last(const std::vector<Allocation>& variables) {
  for (const Allocation& variable : variables) {
    global_.release(variable.base);
    global_.place(variable, blocks_.at(variable.base).bytes);
  }
}

std::vector<analysis::LaunchFacts::GlobalArray> DeviceMemory::arrays() const {
  std::vector<analysis::LaunchFacts::GlobalArray> arrays;
  for (const Allocation& allocation : global_.allocations()) {
    const Block& block = blocks_.at(allocation.base);
    arrays.push_back({allocation, !block.written, block.written});
  }
  return arrays;
}

std::vector<analysis::LaunchFacts::FreedArray> DeviceMemory::freed_arrays(std::span<const uint8_t> parameters) {
  std::vector<analysis::LaunchFacts::FreedArray> arrays;
  for (size_t at = 0; at + sizeof(uint64_t) <= parameters.size(); at += sizeof(uint64_t)) {
    uint64_t address = 0;
    std::memcpy(&address, parameters.data() + at, sizeof address);
    auto found = freed_.upper_bound(address);
    if (found == freed_.begin() || !(--found)->second.allocation.contains(address)) continue;
    Freed& freed = found->second;
    if (freed.where.empty()) {
      const SourcePlace place = own_place(lines_of(freed.places));
      freed.where = place.file.empty() ? "earlier" : fmt::format("on line {} of {}", place.line, place.file);
    }
    arrays.push_back({freed.allocation, freed.where});
  }
  return arrays;
}

uint64_t DeviceMemory::end_of_host_memory(uint64_t address) const {
  // What is smaller is a number; a program's code, heap and stack lie higher.
  constexpr uint64_t kLowest = uint64_t{1} << 32, kEnd = uint64_t{1} << 47;
  const bool is_of_device = address >= wire::kFirstAddress && address < next_variable_;
  if (address < kLowest || address >= kEnd || is_of_device) return 0;
  std::ifstream maps(fmt::format("/proc/{}/maps", program_));
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64, &begin, &end) != 2) continue;
    if (address >= begin && address < end) return end;
  }
  return 0;
}

uint64_t DeviceMemory::first_unwritten(uint64_t address, uint64_t bytes) const {
  auto at = blocks_.upper_bound(address);
  if (at == blocks_.begin()) return bytes;
  const Block& block = (--at)->second;
  if (!block.written || !block.allocation.contains(address)) return bytes;
  const uint64_t first = address - block.allocation.base;
  return block.written->written_from(first, bytes);
}

std::vector<kernel::ArrayContent::Range> DeviceMemory::unwritten(uint64_t address) const {
  auto at = blocks_.upper_bound(address);
  if (at == blocks_.begin()) return {};
  const Block& block = (--at)->second;
  if (!block.written || !block.allocation.contains(address)) return {};
  std::vector<kernel::ArrayContent::Range> parts;
  const uint64_t from = address - block.allocation.base, end = block.allocation.bytes;
  for (uint64_t first = from; first < end;) {
    first += block.written->written_from(first, end - first);
    const uint64_t bytes = block.written->unwritten_from(first, end - first);
    if (bytes > 0) parts.push_back({first - from, bytes});
    first += bytes;
  }
  return parts;
}

std::vector<LiveArray> DeviceMemory::live() const {
  std::vector<LiveArray> arrays;
  for (const auto& [base, block] : blocks_)
    if (base < wire::kFirstVariable) arrays.push_back({block.allocation.bytes, block.places});
  return arrays;
}

uint64_t DeviceMemory::live_bytes() const {
  uint64_t bytes = 0;
  for (const auto& [base, block] : blocks_)
    if (base < wire::kFirstVariable) bytes += block.allocation.bytes;
  return bytes;
}

void DeviceMemory::take_as_written(uint64_t base) {
  if (const auto at = blocks_.find(base); at != blocks_.end()) at->second.written.reset();
}

uint64_t DeviceMemory::contents(uint64_t base) const {
  const auto at = blocks_.find(base);
  return at == blocks_.end() ? 0 : at->second.contents;
}

void DeviceMemory::changed(uint64_t base) {
  const auto at = blocks_.find(base);
  if (at != blocks_.end() && at->second.contents != 0) at->second.contents = ++contents_;
}

std::span<const std::byte> DeviceMemory::bytes(uint64_t base) const {
  const Block& block = blocks_.at(base);
  return {block.bytes, block.allocation.bytes};
}

void DeviceMemory::restore(uint64_t base, std::span<const std::byte> bytes, uint64_t contents) {
  Block& block = blocks_.at(base);
  std::copy(bytes.begin(), bytes.end(), block.bytes);
  block.contents = contents;
}

}  // namespace tilescope::program
