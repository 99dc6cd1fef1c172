#include "analysis/memcheck.h"

#include <fmt/format.h>

namespace tilescope::analysis {
namespace {

using trace::AccessKind;
using trace::FaultKind;

std::string_view verb(AccessKind access) {
  switch (access) {
    case AccessKind::Load:
    case AccessKind::AsyncCopyRead: return "reads";
    case AccessKind::Store:
    case AccessKind::AsyncCopyWrite: return "writes";
    default: return "updates";
  }
}

/// Where an address lies that no array holds.
struct Stray {
  const Allocation* nearest = nullptr;
  bool before = false;    ///< Before its first byte; else past its last.
  uint64_t distance = 0;  ///< Bytes from its first byte, or from its end to the first byte that is outside.
};

void consider(const Allocation& array, uint64_t address, uint32_t bytes, Stray& best) {
  const bool before = address < array.base;
  const uint64_t end = array.base + array.bytes;
  const uint64_t distance = before ? array.base - address : address < end ? address + bytes - end : address - end;
  if (!best.nearest || distance < best.distance) best = {&array, before, distance};
}

Stray find_nearest(const LaunchFacts& facts, Space space, uint64_t address, uint32_t bytes) {
  Stray best;
  if (space == Space::Shared) {
    for (const Allocation& array : facts.shared) consider(array, address, bytes, best);
  } else if (space == Space::Global || space == Space::Const) {
    for (const auto& array : facts.global) consider(array.allocation, address, bytes, best);
  }
  return best;
}

std::string elements_or_bytes(const Allocation& array, uint64_t bytes) {
  const uint64_t size = size_of(array.element);
  const bool whole = !array.shape.empty() && bytes % size == 0;
  const uint64_t count = whole ? bytes / size : bytes;
  return fmt::format("{} {}{}", count, whole ? "element" : "byte", count == 1 ? "" : "s");
}

std::string extent_of(const Allocation& array) {
  std::string shape;
  for (uint64_t extent : array.shape) shape += fmt::format("[{}]", extent);
  return array.shape.empty() ? fmt::format("{} ({} bytes)", array.name, array.bytes) : array.name + shape;
}

/// "3 elements past the end of A[64][64]"
std::string where(const Stray& stray, uint64_t address) {
  const Allocation& array = *stray.nearest;
  if (stray.before)
    return fmt::format("{} before the start of {}", elements_or_bytes(array, stray.distance), extent_of(array));
  const uint64_t end = array.base + array.bytes;
  if (address < end)
    return fmt::format("at {}, the last {} past the end of {}", element_name(array, address),
                       elements_or_bytes(array, stray.distance), extent_of(array));
  const std::string past =
      stray.distance ? elements_or_bytes(array, stray.distance) + " past" : std::string("just past");
  const std::string name = array.shape.empty() ? "" : fmt::format(" ({})", element_name(array, address));
  return fmt::format("{} the end of {}{}", past, extent_of(array), name);
}

std::string out_of_bounds_message(const Finding& f, const Stray& stray) {
  const std::string who = fmt::format("{} {} {} bytes of {} memory{}", describe_with_block(f.site.thread),
                                      verb(f.site.access), f.bytes, to_string(f.space), on_line(f.site));
  if (!stray.nearest)
    return fmt::format("{} at 0x{:x}, where there is no array; check the pointer or the index.", who, f.address);
  return fmt::format("{}, {}; guard the access or correct the index.", who, where(stray, f.address));
}

std::string misaligned_message(const Finding& f) {
  return fmt::format(
      "{} {} {} bytes at {}{}, an address that is not a multiple of {}; "
      "make the index a multiple of {} bytes or use a narrower access.",
      describe_with_block(f.site.thread), verb(f.site.access), f.bytes, f.element, on_line(f.site), f.bytes, f.bytes);
}

}  // namespace

void Memcheck::fault(const trace::Fault& fault) {
  if (fault.kind == FaultKind::Trap) return add_trap(fault);
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
  const Stray stray = find_nearest(facts_, f.space, f.address, f.bytes);
  const Allocation* array = f.kind == FindingKind::OutOfBounds ? stray.nearest : facts_.array_at(f.space, f.address);
  if (array) f.array = array->name;
  const bool named = array && f.address >= array->base;
  f.element = named ? element_name(*array, f.address) : facts_.element_at(f.space, f.address);
  log_.add(std::move(f), [&](const Finding& kept) {
    return kept.kind == FindingKind::OutOfBounds ? out_of_bounds_message(kept, stray) : misaligned_message(kept);
  });
}

void Memcheck::add_trap(const trace::Fault& fault) {
  const uint32_t lane = fault.lanes ? static_cast<uint32_t>(__builtin_ctz(fault.lanes)) : 0;
  Finding f;
  f.kind = FindingKind::Trap;
  f.site = facts_.site_at(fault.at.pc, fault.at.block, fault.at.warp, lane);
  log_.add(std::move(f), [&](const Finding& kept) {
    return fmt::format("{} stops the kernel{}: {}.", describe_with_block(kept.site.thread), on_line(kept.site),
                       fault.detail.empty() ? "trap" : fault.detail);
  });
}

}  // namespace tilescope::analysis
