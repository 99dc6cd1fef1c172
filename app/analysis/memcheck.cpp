#include "analysis/memcheck.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilescope::analysis {
namespace {

using trace::FaultKind;

// No wrong 32-bit index goes farther from its array.
constexpr uint64_t kFarthest = uint64_t{1} << 36;

void consider(const Allocation& array, const std::string& guess, uint64_t address, uint32_t bytes,
              std::optional<Stray>& best) {
  const bool before = address < array.base;
  const uint64_t end = array.base + array.bytes;
  const uint64_t distance = before ? array.base - address : address < end ? address + bytes - end : address - end;
  if (distance <= kFarthest && (!best || distance < best->distance)) best = {array, before, distance, guess};
}

std::optional<Stray> find_nearest(const LaunchFacts& facts, Space space, uint64_t address, uint32_t bytes) {
  std::optional<Stray> best;
  if (space == Space::Shared) {
    for (const Allocation& array : facts.shared) consider(in_elements_of(array, bytes), "", address, bytes, best);
  } else if (space == Space::Global || space == Space::Const) {
    for (const auto& array : facts.global)
      consider(in_elements_of(array.allocation, bytes), array.guess, address, bytes, best);
  }
  return best;
}

}  // namespace

void Memcheck::fault(const trace::Fault& fault) {
  if (fault.kind == FaultKind::Trap) return add_detailed(fault, FindingKind::Trap);
  if (fault.kind == FaultKind::BadCopy) return add_detailed(fault, FindingKind::BadCopy);
  if (fault.kind == FaultKind::BadDescriptor) return add_detailed(fault, FindingKind::BadDescriptor);
  if (fault.kind != FaultKind::OutOfBounds && fault.kind != FaultKind::Misaligned) return;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    if (fault.lanes >> lane & 1) add_address_fault(fault, lane);
}

void Memcheck::add_address_fault(const trace::Fault& fault, uint32_t lane) {
  Finding f;
  f.kind = fault.kind == FaultKind::OutOfBounds ? FindingKind::OutOfBounds : FindingKind::Misaligned;
  f.site = facts_.site_at(fault.at.pc, fault.at.block, fault.at.warp, lane);
  f.site.access = fault.access;
  f.space = fault.space;
  f.bytes = fault.bytes;
  f.address = fault.addresses ? fault.addresses[lane] : 0;
  if (f.kind == FindingKind::OutOfBounds) f.stray = find_nearest(facts_, f.space, f.address, f.bytes);
  for (const LaunchFacts::FreedArray& freed : facts_.freed)
    if (f.kind == FindingKind::OutOfBounds && f.space == Space::Global && freed.allocation.contains(f.address)) {
      f.stray = Stray{freed.allocation, false, 0};
      f.detail = freed.where;
    }
  const auto host = std::find_if(facts_.host.begin(), facts_.host.end(), [&](const LaunchFacts::HostMemory& memory) {
    return f.address >= memory.begin && f.address < memory.end;
  });
  f.of_host = f.kind == FindingKind::OutOfBounds && f.space == Space::Global && !f.stray && host != facts_.host.end();
  if (f.stray) {
    f.array = f.stray->array.name;
    if (f.address >= f.stray->array.base) f.element = element_name(f.stray->array, f.address);
  } else {
    facts_.name_place(f);
  }
  if (f.of_host) f.array = host->parameter;
  findings_.add(std::move(f));
}

void Memcheck::add_detailed(const trace::Fault& fault, FindingKind kind) {
  const uint32_t lane = fault.lanes ? static_cast<uint32_t>(__builtin_ctz(fault.lanes)) : 0;
  Finding f;
  f.kind = kind;
  f.site = facts_.site_at(fault.at.pc, fault.at.block, fault.at.warp, lane);
  f.detail = fault.detail;
  findings_.add(std::move(f));
}

}  // namespace tilescope::analysis
