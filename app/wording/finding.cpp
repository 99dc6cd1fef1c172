#include "wording/finding.h"

#include <array>

#include <fmt/format.h>

#include "base/words.h"
#include "wording/memory.h"

namespace tilescope::wording {
namespace {

using analysis::Finding;
using analysis::FindingKind;
using analysis::Site;
using analysis::Stray;
using trace::AccessKind;

std::string bytes_text(uint64_t count) { return plural(count, "{} byte", "{} bytes"); }

using Verbs = std::array<const char*, 3>;  ///< Of loads, stores and atomics: who, bytes, what, on which line.
constexpr Verbs kOfMemory{tr_later("{} reads {} of {} {}"), tr_later("{} writes {} of {} {}"),
                          tr_later("{} updates {} of {} {}")};
constexpr Verbs kAtElement{tr_later("{} reads {} at {} {}"), tr_later("{} writes {} at {} {}"),
                           tr_later("{} updates {} at {} {}")};

std::string access_text(const Finding& f, const Verbs& verbs, const std::string& what) {
  const bool reads = !trace::is_write(f.site.access);
  const bool writes = f.site.access == AccessKind::Store || f.site.access == AccessKind::AsyncCopyWrite;
  const char* words = tr(verbs[reads ? 0 : writes ? 1 : 2]);
  return fmt::format(fmt::runtime(words), describe_with_block(f.site.thread), bytes_text(f.bytes), what,
                     on_line(f.site));
}

std::string elements_or_bytes(const Stray& stray) {
  const uint64_t size = size_of(stray.array.element);
  const bool whole = !stray.array.shape.empty() && stray.distance % size == 0;
  const uint64_t count = whole ? stray.distance / size : stray.distance;
  return whole ? plural(count, "{} element", "{} elements") : bytes_text(count);
}

std::string extent_of(const Allocation& array) {
  std::string shape;
  for (const uint64_t extent : array.shape) shape += fmt::format("[{}]", extent);
  return array.shape.empty() ? tr_format("{} ({})", array.name, bytes_text(array.bytes)) : array.name + shape;
}

/// "3 elements past the end of A[64][64]"
std::string past_the_end(const Stray& stray) {
  if (stray.distance == 0) return tr_format("just past the end of {}", extent_of(stray.array));
  return tr_format("{} past the end of {}", elements_or_bytes(stray), extent_of(stray.array));
}

/// The same with the element's name, if the array has elements.
std::string where(const Stray& stray, uint64_t address) {
  const Allocation& array = stray.array;
  if (stray.before) return tr_format("{} before the start of {}", elements_or_bytes(stray), extent_of(array));
  if (address < array.base + array.bytes)
    return tr_format("at {}, the last {} past the end of {}", element_name(array, address), elements_or_bytes(stray),
                     extent_of(array));
  const std::string past = past_the_end(stray);
  return array.shape.empty() ? past : fmt::format("{} ({})", past, element_name(array, address));
}

std::string out_of_bounds(const Finding& f) {
  const std::string access = access_text(f, kOfMemory, memory_name(f.space));
  if (f.of_host)
    return tr_format(
        "{}, through {}, which points to memory of main(); pass what cudaMalloc gave, and copy the data there with "
        "cudaMemcpy.",
        access, f.array);
  if (!f.stray)
    return tr_format("{} at 0x{:x}, where there is no array; check the pointer or the index.", access, f.address);
  if (!f.detail.empty())
    return tr_format("{}, in {}, which was freed {}; free it after the last launch that uses it.", access, f.array,
                     f.detail);
  const std::string place = where(*f.stray, f.address);
  if (f.stray->is_past_guess())
    return tr_format(
        "{}, {}. The size of {} is a guess, though: {}. If it is larger, say so in the description or in the launch "
        "form; if not, guard the access or correct the index.",
        access, place, f.array, f.stray->guess);
  return tr_format("{}, {}; guard the access or correct the index.", access, place);
}

std::string misaligned(const Finding& f) {
  return tr_format(
      "{}, an address that is not a multiple of {}; "
      "make the index a multiple of {} bytes or use a narrower access.",
      access_text(f, kAtElement, element_of(f)), f.bytes, f.bytes);
}

std::string trap(const Finding& f) {
  return tr_format("{} stops the kernel {}: {}.", describe_with_block(f.site.thread), on_line(f.site),
                   f.detail.empty() ? "trap" : f.detail.text());
}

/// "read by thread (3, 0) on line 12"
std::string done_by(const Finding& f, const Site& site, const std::string& who) {
  const std::string place = on_line(site);
  if (!trace::is_write(site.access)) return tr_format("read by {} {}", who, place);
  if (trace::is_atomic(site.access)) return tr_format("atomically updated by {} {}", who, place);
  if (f.kind == FindingKind::AsyncCopyRace && site.access == AccessKind::AsyncCopyWrite)
    return tr_format("copied into by {} {}", who, place);
  return tr_format("written by {} {}", who, place);
}

std::string done_by_block(const Finding& f, const Site& site) {
  return done_by(f, site, describe_with_block(site.thread));
}

bool same_warp(const Finding& f) { return f.site.thread.warp == f.other->thread.warp; }

std::string between_blocks(const Finding& f) {
  return tr_format(
      "{} is {} and {}, and nothing orders these two blocks; let one block own each element, combine the blocks' "
      "results with atomicAdd(), or, where a lock or a flag is meant to order them, call __threadfence() before it is "
      "released.",
      element_of(f), done_by_block(f, f.site), done_by_block(f, *f.other));
}

/// Of shared memory used by several blocks of a cluster.
std::string between_mates(const Finding& f) {
  return tr_format(
      "{} is {} and {}, and nothing orders the two; let the blocks of the cluster meet between them (cluster.sync(), "
      "barrier.cluster), or let one wait for an mbarrier at which the other arrives.",
      element_of(f), done_by_block(f, f.site), done_by_block(f, *f.other));
}

std::string one_instruction(const Finding& f) {
  return tr_format(
      "{} is written by {} and by {} {} in the same instruction, with different values; "
      "give each thread its own element.",
      element_of(f), describe(f.site.thread), describe(f.other->thread), on_line(f.site));
}

/// A thread of a race, with its block if the other's differs.
std::string who(const Finding& f, const analysis::Thread& thread) {
  return f.site.thread.block == f.other->thread.block ? describe(thread) : describe_with_block(thread);
}

std::string in_flight(const Finding& f) {
  if (f.site.access == AccessKind::ProductRead)
    return tr_format(
        "{} is {} while the wgmma of {} {} may still be reading it; wait for the products (wgmma.wait_group) and then "
        "let the writer know, by a barrier or an mbarrier.",
        element_of(f), done_by(f, *f.other, who(f, f.other->thread)), who(f, f.site.thread), on_line(f.site));
  if (f.site.access == AccessKind::AsyncCopyRead)
    return tr_format(
        "{} is {} while the bulk copy of {} {} may still be reading it; wait for the copy "
        "(cp.async.bulk.wait_group.read) and then put a barrier before it is written.",
        element_of(f), done_by(f, *f.other, who(f, f.other->thread)), who(f, f.site.thread), on_line(f.site));
  if (f.site.bulk)
    return tr_format(
        "{} is {} while the bulk copy of {} {} may still be writing it; wait for the phase of its mbarrier first.",
        element_of(f), done_by(f, *f.other, who(f, f.other->thread)), who(f, f.site.thread), on_line(f.site));
  return tr_format(
      "{} is {} while the cp.async of {} {} may still be writing it; wait for the copy "
      "(cp.async.wait_group, __pipeline_wait_prior()) and then put __syncthreads() before it is used.",
      element_of(f), done_by(f, *f.other, who(f, f.other->thread)), who(f, f.site.thread), on_line(f.site));
}

/// Global memory that one side updates atomically: threads of all blocks do.
bool is_shared_counter(const Finding& f) {
  return f.space == Space::Global && (trace::is_atomic(f.site.access) || trace::is_atomic(f.other->access));
}

std::string beside_atomics(const Finding& f) {
  return tr_format(
      "{} is {} and {}, and no barrier orders the threads of all blocks; if an old value does no harm, read it with "
      "atomicAdd(p, 0), else read it in a later launch.",
      element_of(f), done_by_block(f, f.site), done_by_block(f, *f.other));
}

std::string within_block(const Finding& f) {
  const bool itself = f.site.pc == f.other->pc;
  if (same_warp(f) && itself && f.kind == FindingKind::WriteWriteRace) return one_instruction(f);
  const std::string_view barrier = same_warp(f) && !f.needs_block_barrier ? "__syncwarp()" : "__syncthreads()";
  if (itself && f.kind == FindingKind::WriteWriteRace)
    return tr_format(
        "{} is {} and {} with no barrier between; where both add to it, use atomicAdd(), else put {} between them.",
        element_of(f), done_by(f, f.site, describe(f.site.thread)), done_by(f, *f.other, describe(f.other->thread)),
        barrier);
  return tr_format("{} is {} and {} with no barrier between; put {} between them.", element_of(f),
                   done_by(f, f.site, describe(f.site.thread)), done_by(f, *f.other, describe(f.other->thread)),
                   barrier);
}

std::string race(const Finding& f) {
  if (f.kind == FindingKind::AsyncCopyRace) return in_flight(f);
  if (is_shared_counter(f)) return beside_atomics(f);
  if (f.site.thread.block == f.other->thread.block) return within_block(f);
  return f.space == Space::Shared ? between_mates(f) : between_blocks(f);
}

std::string mate_exited(const Finding& f) {
  return tr_format(
      "{} is {}, and nothing keeps the block that it belongs to from having exited by then; let the blocks of the "
      "cluster "
      "meet (cluster.sync(), barrier.cluster) after the last use of another's shared memory.",
      element_of(f), done_by_block(f, f.site));
}

std::string uninitialised_memory(const Finding& f) {
  const std::string reader = describe_with_block(f.site.thread);
  if (f.space == Space::Local)
    return tr_format("{} reads byte {} of its local memory {} before writing it; initialise the local array.", reader,
                     f.address, on_line(f.site));
  if (f.space == Space::Shared)
    return tr_format(
        "{} is read by {} {} and nobody wrote it; "
        "let a thread store it first, and put {} between store and read.",
        element_of(f), reader, on_line(f.site), f.owner ? "cluster.sync()" : "__syncthreads()");
  return tr_format("{} is read by {} {} and nobody wrote it; initialise it before the launch, or do not read it.",
                   element_of(f), reader, on_line(f.site));
}

std::string uninitialised_register(const Finding& f) {
  return tr_format("{} uses a variable that it never set (register {}) {}; give it a value where it is declared.",
                   describe_with_block(f.site.thread), f.detail, on_line(f.site));
}

/// Likewise, of threads that wait for an mbarrier.
std::string mbarrier_hang(const Finding& f) {
  return tr_format(
      "{} waits {} for the mbarrier {} forever: its phase lacks arrivals or bytes; let as many threads arrive as "
      "mbarrier.init says, and expect_tx as many bytes as are copied",
      describe_with_block(f.site.thread), on_line(f.site), element_of(f));
}

/// A sentence without its full stop.
std::string barrier_fault(const Finding& f) {
  const std::string who = describe_with_block(f.site.thread), line = on_line(f.site);
  switch (f.kind) {
    case FindingKind::DivergentBarrier:
      return tr_format(
          "{} and {} more of its warp reach the barrier {} while the warp's other live lanes do not; "
          "move the barrier out of the branch or loop that they leave",
          who, f.threads - 1, line);
    case FindingKind::Deadlock:
      if (f.space == Space::Shared) return mbarrier_hang(f);
      return tr_format(
          "{} waits {} forever, and no thread of the block can continue; "
          "let every thread reach the same barriers equally often",
          who, line);
    case FindingKind::IncompleteWarpSync:
      return tr_format(
          "{} synchronises its warp {} with a mask that lacks the lane itself or names lanes that do not "
          "take part; name exactly the lanes that reach this instruction",
          who, line);
    default:
      return tr_format(
          "{} uses a barrier {} whose number is over 15, or whose thread count is not a multiple of 32 or is "
          "more than the block has; correct the number or the count",
          who, line);
  }
}

std::string with_detail(const std::string& clause, const Finding& f) {
  return f.detail.empty() ? tr_format("{}.", clause) : tr_format("{} ({}).", clause, f.detail);
}

std::string barrier_after_exit(const Finding& f) {
  return tr_format(
      "{} of the block's {} threads, {} first, exited before the others reach the barrier {}; "
      "let every thread reach the barrier, and guard the work instead of returning early.",
      f.threads, f.block_threads, describe_with_block(f.exited.value_or(analysis::Thread{})), on_line(f.site));
}

std::string bad_copy(const Finding& f) {
  return with_detail(tr_format("{} asks {} for a bulk copy that the hardware does not make; correct its addresses, its "
                               "size or its tensor map",
                               describe_with_block(f.site.thread), on_line(f.site)),
                     f);
}

std::string unwaited_copy(const Finding& f) {
  return tr_format(
      "{} starts a bulk copy {} that nobody waits for before the block ends; wait for its mbarrier, or put "
      "cp.async.bulk.commit_group and cp.async.bulk.wait_group before the end.",
      describe_with_block(f.site.thread), on_line(f.site));
}

std::string bad_descriptor(const Finding& f) {
  return with_detail(
      tr_format("{} gives wgmma a descriptor {} that it cannot follow; correct its address, its offsets or "
                "its swizzle",
                describe_with_block(f.site.thread), on_line(f.site)),
      f);
}

std::string accumulator_in_flight(const Finding& f) {
  return tr_format(
      "{} uses a sum {} that wgmma may still be writing (register {}); put wgmma.commit_group and wgmma.wait_group "
      "before.",
      describe_with_block(f.site.thread), on_line(f.site), f.detail);
}

std::string bad_register_count(const Finding& f) {
  return with_detail(
      tr_format("{} executes a setmaxnreg {} that is not allowed; give all warps of a warpgroup one legal count",
                describe_with_block(f.site.thread), on_line(f.site)),
      f);
}

std::string missing_proxy_fence(const Finding& f) {
  if (f.site.access == AccessKind::ProductRead)
    return tr_format(
        "{} is {} and then read by the wgmma of {} {} with no fence.proxy.async between; put fence.proxy.async after "
        "the store, before the threads synchronise.",
        element_of(f), done_by(f, *f.other, who(f, f.other->thread)), who(f, f.site.thread), on_line(f.site));
  return tr_format(
      "{} is {} and then read by the asynchronous copy of {} {} with no fence.proxy.async between; put "
      "fence.proxy.async after the store, before the threads synchronise.",
      element_of(f), done_by(f, *f.other, who(f, f.other->thread)), who(f, f.site.thread), on_line(f.site));
}

std::string mismatched_barriers(const Finding& f) {
  return tr_format(
      "{} waits at the barrier {} while {} waits at the one {}, and each takes the other's for its own; "
      "let all threads of the block reach the same __syncthreads().",
      describe_with_block(f.site.thread), on_line(f.site), describe(f.other->thread), on_line(*f.other));
}

}  // namespace

std::string meaning_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::OutOfBounds: return tr("An access outside of every array.");
    case FindingKind::Misaligned: return tr("An address that is no multiple of the access's size.");
    case FindingKind::Trap: return tr("The kernel stops itself: a failed assert, or __trap().");
    case FindingKind::WriteWriteRace:
      return tr("Two threads write different values to one place, and nothing orders them.");
    case FindingKind::ReadWriteRace: return tr("One thread writes what another reads, and nothing orders them.");
    case FindingKind::AsyncCopyRace: return tr("Memory is accessed while a copy of it is still in flight.");
    case FindingKind::UninitialisedMemory: return tr("Memory is read that nobody has written.");
    case FindingKind::UninitialisedRegister: return tr("A variable is used that was never set.");
    case FindingKind::DivergentBarrier:
      return tr("Some lanes of a warp come to a barrier, others of it do not: they took another way at a branch.");
    case FindingKind::BarrierAfterExit:
      return tr("Threads of the block have ended before the others come to a barrier, which all are to reach.");
    case FindingKind::MismatchedBarriers: return tr("Threads of a block wait at different barriers of the program.");
    case FindingKind::Deadlock: return tr("Threads wait for something that cannot happen any more.");
    case FindingKind::IncompleteWarpSync: return tr("A warp's lanes meet, but other lanes than the mask names.");
    case FindingKind::BadBarrier: return tr("A barrier with a number or a count of threads that there cannot be.");
    case FindingKind::BadCopy: return tr("A copy of a whole tile that the hardware refuses.");
    case FindingKind::UnwaitedCopy: return tr("The block ends while a copy that it asked for may still be in flight.");
    case FindingKind::BadDescriptor: return tr("A tile that wgmma is to read does not lie where its descriptor says.");
    case FindingKind::AccumulatorInFlight: return tr("A sum is used that wgmma may still be writing.");
    case FindingKind::BadRegisterCount: return tr("setmaxnreg asks for a number of registers that there cannot be.");
    case FindingKind::MissingProxyFence:
      return tr("TMA or wgmma reads what threads have stored, without fence.proxy.async in between.");
    case FindingKind::MateExited:
      return tr("A block uses the shared memory of another of its cluster, which may have ended.");
  }
  return {};
}

std::string sentence(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::OutOfBounds: return out_of_bounds(finding);
    case FindingKind::Misaligned: return misaligned(finding);
    case FindingKind::Trap: return trap(finding);
    case FindingKind::WriteWriteRace:
    case FindingKind::ReadWriteRace:
    case FindingKind::AsyncCopyRace: return finding.other ? race(finding) : std::string();
    case FindingKind::UninitialisedMemory: return uninitialised_memory(finding);
    case FindingKind::UninitialisedRegister: return uninitialised_register(finding);
    case FindingKind::BarrierAfterExit: return barrier_after_exit(finding);
    case FindingKind::MismatchedBarriers: return finding.other ? mismatched_barriers(finding) : std::string();
    case FindingKind::BadCopy: return bad_copy(finding);
    case FindingKind::UnwaitedCopy: return unwaited_copy(finding);
    case FindingKind::BadDescriptor: return bad_descriptor(finding);
    case FindingKind::AccumulatorInFlight: return accumulator_in_flight(finding);
    case FindingKind::BadRegisterCount: return bad_register_count(finding);
    case FindingKind::MateExited: return mate_exited(finding);
    case FindingKind::MissingProxyFence: return finding.other ? missing_proxy_fence(finding) : std::string();
    case FindingKind::DivergentBarrier:
    case FindingKind::Deadlock:
    case FindingKind::IncompleteWarpSync:
    case FindingKind::BadBarrier: return with_detail(barrier_fault(finding), finding);
  }
  return {};
}

std::string element_of(const Finding& finding) {
  const bool is_named = !finding.element.empty() || finding.space == Space::None;
  const std::string name = is_named ? finding.element : address_name(finding.space, finding.address);
  return finding.owner ? tr_format("{} of block {}", name, position_text(*finding.owner)) : name;
}

std::string element_at(const analysis::LaunchFacts& facts, Space space, uint64_t address) {
  const std::string element = facts.element_at(space, address);
  return element.empty() ? address_name(space, address) : element;
}

std::string describe(const analysis::Thread& thread) { return tr_format("thread {}", position_text(thread.position)); }

std::string describe_with_block(const analysis::Thread& thread) {
  return tr_format("thread {} of block {}", position_text(thread.position), position_text(thread.block_position));
}

std::string on_line(const Site& site) {
  if (!site.line) return tr_format("at PTX line {}", site.ptx_line);
  return site.called_from ? tr_format("on line {} (called from line {})", site.line, site.called_from)
                          : tr_format("on line {}", site.line);
}

}  // namespace tilescope::wording
