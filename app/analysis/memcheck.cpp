#include "analysis/memcheck.h"

#include <array>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::analysis {
namespace {

using trace::AccessKind;
using trace::FaultKind;

using Verbs = std::array<const char*, 3>;  ///< Of loads, stores and atomics: who, bytes, what, on which line.
constexpr Verbs kOfMemory{tr_later("{} reads {} bytes of {} {}"), tr_later("{} writes {} bytes of {} {}"),
                          tr_later("{} updates {} bytes of {} {}")};
constexpr Verbs kAtElement{tr_later("{} reads {} bytes at {} {}"), tr_later("{} writes {} bytes at {} {}"),
                           tr_later("{} updates {} bytes at {} {}")};

std::string access_text(const Finding& f, const Verbs& verbs, const std::string& what) {
  const bool reads = f.site.access == AccessKind::Load || f.site.access == AccessKind::AsyncCopyRead;
  const bool writes = f.site.access == AccessKind::Store || f.site.access == AccessKind::AsyncCopyWrite;
  const char* words = tr(verbs[reads ? 0 : writes ? 1 : 2]);
  return fmt::format(fmt::runtime(words), describe_with_block(f.site.thread), f.bytes, what, on_line(f.site));
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
  if (count == 1) return whole ? tr("1 element") : tr("1 byte");
  return whole ? tr_format("{} elements", count) : tr_format("{} bytes", count);
}

std::string extent_of(const Allocation& array) {
  std::string shape;
  for (uint64_t extent : array.shape) shape += fmt::format("[{}]", extent);
  return array.shape.empty() ? tr_format("{} ({} bytes)", array.name, array.bytes) : array.name + shape;
}

/// "3 elements past the end of A[64][64]"
std::string past_the_end(const Stray& stray) {
  const Allocation& array = *stray.nearest;
  if (stray.distance == 0) return tr_format("just past the end of {}", extent_of(array));
  return tr_format("{} past the end of {}", elements_or_bytes(array, stray.distance), extent_of(array));
}

/// The same with the element's name where the array has any.
std::string where(const Stray& stray, uint64_t address) {
  const Allocation& array = *stray.nearest;
  if (stray.before)
    return tr_format("{} before the start of {}", elements_or_bytes(array, stray.distance), extent_of(array));
  if (address < array.base + array.bytes)
    return tr_format("at {}, the last {} past the end of {}", element_name(array, address),
                     elements_or_bytes(array, stray.distance), extent_of(array));
  const std::string past = past_the_end(stray);
  return array.shape.empty() ? past : fmt::format("{} ({})", past, element_name(array, address));
}

std::string out_of_bounds_message(const Finding& f, const Stray& stray) {
  const std::string access = access_text(f, kOfMemory, memory_name(f.space));
  if (!stray.nearest)
    return tr_format("{} at 0x{:x}, where there is no array; check the pointer or the index.", access, f.address);
  return tr_format("{}, {}; guard the access or correct the index.", access, where(stray, f.address));
}

std::string misaligned_message(const Finding& f) {
  return tr_format(
      "{}, an address that is not a multiple of {}; "
      "make the index a multiple of {} bytes or use a narrower access.",
      access_text(f, kAtElement, f.element), f.bytes, f.bytes);
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
    return tr_format("{} stops the kernel {}: {}.", describe_with_block(kept.site.thread), on_line(kept.site),
                     fault.detail.empty() ? "trap" : fault.detail);
  });
}

}  // namespace tilescope::analysis
