#include "view/access_words.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/words.h"
#include "ptx/fragment.h"
#include "ptx/module.h"
#include "ptx/opcode_table.h"
#include "view/sync_words.h"
#include "view/words.h"
#include "wording/finding.h"
#include "wording/memory.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using run::TracedBlock;
using trace::RecordKind;

constexpr uint32_t kAllLanes = 0xffffffffu;

uint32_t count(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

// --- Indices in words. ---

using Indices = std::vector<uint64_t>;

void make_set(Indices& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::string stretch(uint64_t first, uint64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}…{}", first, last);
}

struct Stretch {
  uint64_t first = 0, last = 0;
};

std::vector<Stretch> stretches(const Indices& set) {
  std::vector<Stretch> found;
  for (const uint64_t value : set) {
    if (found.empty() || found.back().last + 1 != value)
      found.push_back({value, value});
    else
      found.back().last = value;
  }
  return found;
}

bool evenly_spaced(const std::vector<Stretch>& parts) {
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].last - parts[i].first != parts[0].last - parts[0].first) return false;
    if (parts[i].first - parts[i - 1].first != parts[1].first - parts[0].first) return false;
  }
  return true;
}

/// "3", "0…7", "0, 8 … 120", "0…3, 8…11 … 120…123", "0, 2, 7"; empty if it would be long.
std::string indices_text(const Indices& set) {
  const std::vector<Stretch> parts = stretches(set);
  const auto text = [&](size_t i) { return stretch(parts[i].first, parts[i].last); };
  if (parts.size() > 3 && evenly_spaced(parts))
    return fmt::format("{}, {} … {}", text(0), text(1), text(parts.size() - 1));
  if (parts.size() > 4) return {};
  std::string all;
  for (size_t i = 0; i < parts.size(); ++i) all += (i ? ", " : "") + text(i);
  return all;
}

/// Row-major numbers of the elements that the instruction names itself.
Indices elements_of(const WarpAccess& access, const Allocation& array) {
  const uint32_t size = size_of(array.element);
  Indices elements;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane) {
    const uint64_t address = access.addresses[lane] + access.own_offset;
    if (!(access.active >> lane & 1) || !array.contains(address)) continue;
    for (uint64_t byte = 0; byte < access.own_bytes; byte += size)
      elements.push_back((array.bytes_before(address) + byte) / size);
  }
  make_set(elements);
  return elements;
}

/// The indices of each dimension, outermost first.
std::vector<Indices> dimensions_of(const Indices& elements, const std::vector<uint64_t>& shape) {
  std::vector<Indices> dimensions(std::max<size_t>(shape.size(), 1));
  for (uint64_t rest : elements) {
    for (size_t d = dimensions.size(); d-- > 1;) {
      const uint64_t extent = std::max<uint64_t>(shape[d], 1);
      dimensions[d].push_back(rest % extent);
      rest /= extent;
    }
    dimensions[0].push_back(rest);
  }
  for (Indices& dimension : dimensions) make_set(dimension);
  return dimensions;
}

std::string range_text(const Allocation& array, const Indices& elements) {
  const std::vector<Indices> dimensions = dimensions_of(elements, array.shape);
  std::string exact = array.name, around = array.name;
  uint64_t all = 1;
  bool expressible = true;
  for (const Indices& dimension : dimensions) {
    const std::string text = indices_text(dimension);
    expressible &= !text.empty();
    exact += fmt::format("[{}]", text);
    around += fmt::format("[{}]", stretch(dimension.front(), dimension.back()));
    all *= dimension.size();
  }
  if (expressible && all == elements.size()) return exact;
  return tr_format("{} elements in {}", elements.size(), around);
}

/// "full[0]", "full[0…3]"
std::string mbarriers_text(const TracedBlock& traced, const std::vector<uint64_t>& offsets) {
  if (offsets.empty()) return {};
  const Allocation* array = traced.facts.array_at(Space::Shared, offsets.front());
  if (!array || !array->contains(offsets.back())) return wording::element_at(traced.facts, Space::Shared, offsets[0]);
  Indices elements;
  for (const uint64_t offset : offsets) elements.push_back(array->bytes_before(offset) / size_of(array->element));
  return range_text(*array, elements);
}

// --- Sentences. ---

bool one_address(const WarpAccess& access) {
  for (uint32_t lanes = access.active; lanes; lanes &= lanes - 1)
    if (access.addresses[lowest(lanes)] != access.addresses[lowest(access.active)]) return false;
  return true;
}

std::string sectors_text(uint32_t sectors) { return plural(sectors, "{} sector", "{} sectors"); }
std::string wavefronts_text(uint32_t wavefronts) { return plural(wavefronts, "{} wavefront", "{} wavefronts"); }
std::string words_text(uint32_t words) { return plural(words, "{} word", "{} words"); }

std::string words_per_lane(uint32_t bytes) {
  if (bytes < 4) return plural(bytes, "{} byte", "{} bytes");
  return bytes == 4 ? tr("one word") : words_text(bytes / 4);
}

std::string one_address_sentence(const WarpAccess& access) {
  const std::string lanes = lanes_counted(access.active);
  if (!access.is_load()) return tr_format("{} write one address: which value remains is undefined", lanes);
  return tr_format("{} read one address: {}, broadcast to all", lanes, words_per_lane(access.bytes));
}

/// The same if the hardware needs several wavefronts for it.
std::string one_address_sentence(const WarpAccess& access, uint32_t wavefronts) {
  const std::string lanes = lanes_counted(access.active), all = wavefronts_text(wavefronts);
  if (wavefronts == 1) return one_address_sentence(access);
  if (!access.is_load()) return tr_format("{} write one address, in {}: which value remains is undefined", lanes, all);
  return tr_format("{} read one address: {}, broadcast to all, in {}", lanes, words_per_lane(access.bytes), all);
}

/// "4 of 32 bytes", "4 to 8 of 32 bytes", "all 32 bytes"
std::string bytes_used(const std::vector<analysis::SectorUse>& sectors) {
  uint32_t least = 32, most = 0;
  for (const auto& sector : sectors) {
    least = std::min(least, count(sector.bytes_used));
    most = std::max(most, count(sector.bytes_used));
  }
  if (least == analysis::kSectorBytes) return tr("all 32 bytes");
  return least == most ? tr_format("{} of 32 bytes", most) : tr_format("{} to {} of 32 bytes", least, most);
}

std::string global_sentence(const WarpAccess& access) {
  const auto sectors = access.sectors();
  const auto found = static_cast<uint32_t>(sectors.size()), ideal = analysis::ideal_sectors(sectors);
  if (count(access.active) > 1 && one_address(access)) return one_address_sentence(access);
  const std::string bytes = bytes_used(sectors), all = sectors_text(found);
  const std::string used =
      found > 1 ? tr_format("{}, {} used in each", all, bytes) : tr_format("{}, {} used", all, bytes);
  if (found > ideal) return tr_format("{}; coalesced it would be {}", used, ideal);
  return tr_format("{}: fully coalesced", used);
}

std::string lanes_that_meet(uint32_t lanes) {
  if (count(lanes) != 2) return lanes_text(lanes);
  return tr_format("lanes {} and {}", lowest(lanes), lowest(lanes & (lanes - 1)));
}

std::string conflict_sentence(const analysis::SharedPicture& picture) {
  const BankMeeting meeting = worst_meeting(picture);
  return tr_format("{} instead of {}: {}-way bank conflict of {} in bank {}", wavefronts_text(picture.wavefronts()),
                   picture.ideal_wavefronts(), count(meeting.lanes), lanes_that_meet(meeting.lanes), meeting.bank);
}

/// How the words of one wavefront go to the lanes.
std::string narrow_sentence(const WarpAccess& access, const analysis::SharedPicture& picture) {
  const auto words = static_cast<uint32_t>(picture.words.size()), lanes = count(access.active);
  if (words == lanes)
    return tr_format("1 wavefront: {} in {}", words_text(words), plural(words, "{} bank", "{} banks"));
  const bool same = std::all_of(picture.words.begin(), picture.words.end(),
                                [&](const auto& word) { return count(word.lanes) * words == lanes; });
  if (same && access.is_load())
    return tr_format("1 wavefront: {}, each broadcast to {}", words_text(words),
                     plural(lanes / words, "{} lane", "{} lanes"));
  return tr_format("1 wavefront: {} for {}", words_text(words), lanes_counted(access.active));
}

std::string shared_sentence(const WarpAccess& access) {
  const analysis::SharedPicture picture = access.banks();
  const uint32_t all = picture.wavefronts();
  if (count(access.active) > 1 && one_address(access)) return one_address_sentence(access, all);
  if (all > picture.ideal_wavefronts()) return conflict_sentence(picture);
  if (access.bytes <= 4) return narrow_sentence(access, picture);
  if (lanes_of_group(access, picture) * access.bytes > 128)
    return tr_format("{}: neighbours share addresses, so {} lanes go at once", wavefronts_text(all),
                     lanes_of_group(access, picture));
  return tr_format("{}, the fewest for {} bytes per lane", wavefronts_text(all), access.bytes);
}

std::string atomic_sentence(const WarpAccess& access) {
  return tr_format("{} on {}; how long lanes wait for one another is not modelled",
                   plural(count(access.active), "{} atomic operation", "{} atomic operations"),
                   wording::memory_name(access.space));
}

std::string local_sentence(const WarpAccess& access) {
  const auto cost = analysis::local_cost(access.addresses.data(), access.active, access.bytes);
  return tr_format("local memory, the lanes' words side by side: {}", sectors_text(cost.sectors));
}

std::string branch_sentence(const trace::Trace& trace, uint32_t record) {
  const uint32_t taken = trace.taken(record), active = trace.active(record);
  const std::string all = active == kAllLanes ? tr("all 32 lanes") : lanes_text(active);
  if (taken == active) return tr_format("{} branch", all);
  if (taken == 0) return tr_format("{} fall through, none branches", all);
  return tr_format("the warp diverges: {} branch, {} fall through, one path after the other", lanes_text(taken),
                   lanes_text(active & ~taken));
}

std::string fault_sentence(const trace::FaultRecord& fault) {
  const std::string lanes = lanes_text(fault.lanes);
  switch (fault.kind) {
    case trace::FaultKind::OutOfBounds: return tr_format("{}: the address is in no array", lanes);
    case trace::FaultKind::Misaligned:
      return tr_format("{}: the address is not a multiple of {} bytes", lanes, fault.bytes);
    case trace::FaultKind::UninitialisedRegister: return tr_format("{}: {} was never written", lanes, fault.detail);
    case trace::FaultKind::DivergentBarrier: return tr_format("only {} of the warp reach the barrier", lanes);
    case trace::FaultKind::Deadlock: return tr_format("{} wait forever", lanes);
    case trace::FaultKind::IncompleteWarpSync: return tr_format("{} are not those that the mask names", lanes);
    case trace::FaultKind::BadBarrier: return tr("the barrier's number or thread count is not allowed");
    case trace::FaultKind::BadCopy: return tr_format("the bulk copy is not allowed: {}", fault.detail);
    case trace::FaultKind::BadDescriptor: return tr_format("the descriptor is not allowed: {}", fault.detail);
    case trace::FaultKind::AccumulatorInFlight: return tr_format("{} may still be written by wgmma", fault.detail);
    case trace::FaultKind::UnwaitedCopy: return tr("nobody waits for the bulk copy");
    case trace::FaultKind::BadRegisterCount: return tr_format("setmaxnreg is not allowed: {}", fault.detail);
    case trace::FaultKind::Trap: return tr_format("the kernel traps {}", fault.detail);
  }
  return {};
}

std::string special_sentence(const ptx::Operand& operand) {
  std::string name{ptx::to_string(operand.special)};
  if (ptx::has_components(operand.special)) name += fmt::format(".{}", "xyz"[operand.component]);
  const bool own = operand.special == ptx::Special::Tid || operand.special == ptx::Special::Laneid;
  return own ? tr_format("reads each lane's {}", name) : tr_format("reads {}", name);
}

std::string move_sentence(const ptx::Instruction& instruction) {
  const ptx::Operand& from = instruction.operands.back();
  switch (from.kind) {
    case ptx::Operand::Kind::Special: return special_sentence(from);
    case ptx::Operand::Kind::Immediate: return tr("moves a constant into a register");
    case ptx::Operand::Kind::Variable: return tr("moves an address into a register");
    case ptx::Operand::Kind::Register: return tr("copies a register");
    default: return tr("works on registers");
  }
}

/// The description of an instruction that works only on registers.
std::string register_sentence(const ptx::Instruction& instruction) {
  const bool predicates = instruction.type == ptx::Type::Pred;
  switch (ptx::class_of(instruction.op)) {
    case ptx::OpClass::Move: return move_sentence(instruction);
    case ptx::OpClass::Convert: return tr("converts the type");
    case ptx::OpClass::Address:
      if (instruction.op == ptx::Op::Mapa)
        return tr("finds the same place in the shared memory of a block of the cluster");
      if (instruction.op == ptx::Op::Getctarank) return tr("finds the block whose shared memory the address is in");
      return instruction.to_space
                 ? tr_format("converts a generic address to {}", wording::memory_name(instruction.space))
                 : tr_format("converts an address of {} to a generic one", wording::memory_name(instruction.space));
    case ptx::OpClass::Compare: return tr("sets a predicate");
    case ptx::OpClass::Select: return tr("selects by a predicate");
    case ptx::OpClass::Bits: return tr(predicates ? "combines predicates" : "bitwise operation");
    case ptx::OpClass::Arithmetic:
    case ptx::OpClass::MultiplyAdd:
      return tr(ptx::is_float(instruction.type) ? "floating-point arithmetic" : "integer arithmetic");
    default: return tr("works on registers");
  }
}

/// Of an instruction about the warpgroup or the grid, not arithmetic of lanes; empty for others.
std::string setting_sentence(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case ptx::Op::Setmaxnreg: {
      const uint64_t registers = instruction.operands.front().bits;
      return instruction.raises_registers
                 ? tr_format(
                       "requests {} registers for each thread of the warpgroup; waits until the block's pool has "
                       "them",
                       registers)
                 : tr_format("each thread of the warpgroup keeps {} registers, the others go to the block's pool",
                             registers);
    }
    case ptx::Op::WgmmaFence: return tr("matrix products after it see what the registers hold before it");
    case ptx::Op::Griddepcontrol:
      return tr(instruction.modifiers.find("wait") != std::string::npos
                    ? "waits until the launches that this one depends on have ended"
                    : "launches that depend on this one may begin");
    default: break;
  }
  switch (ptx::class_of(instruction.op)) {
    case ptx::OpClass::Prefetch: return tr("prefetches data into a cache");
    case ptx::OpClass::Pause: return tr("pauses the warp");
    default: return {};
  }
}

/// Of an instruction of kind Other that left no record.
std::string other_sentence(const ptx::Instruction& instruction, uint32_t active) {
  const std::string lanes = instruction.guard < 0 ? lanes_counted(active)
                                                  : plural(count(active), "{} lane whose predicate is true",
                                                           "{} lanes whose predicate is true");
  if (std::string setting = setting_sentence(instruction); !setting.empty()) return setting;
  switch (instruction.op) {
    case ptx::Op::Ret:
    case ptx::Op::Exit: return tr_format("the kernel ends, for {}", lanes);
    case ptx::Op::Ld:
      if (instruction.space == Space::Param)
        return tr("reads a kernel argument from constant memory: one value for all lanes");
      return tr_format("reads {}, in {}", wording::memory_name(instruction.space), lanes);
    default: return tr_format("{}, in {}", register_sentence(instruction), lanes);
  }
}

/// Of mma, wmma.mma and wgmma, which four warps begin together and which ends later.
std::string product_sentence(const TracedBlock& traced, const StepRef& at) {
  const ptx::Instruction& instruction = traced.instruction(traced.timeline.pc(at));
  const auto [m, n, k] = instruction.shape;
  if (instruction.op != ptx::Op::WgmmaMma)
    return tr_format("the warp computes D = A × B + D; A has {} × {} elements, B {} × {}", int{m}, int{k}, int{k},
                     int{n});
  const uint32_t first = at.warp / ptx::kWarpsOfGroup * ptx::kWarpsOfGroup, last = first + ptx::kWarpsOfGroup - 1;
  const trace::ProductRecord* product = traced.timeline.product_read(at);
  return tr_format("warps {} to {} begin {}; A has {} × {} elements, B {} × {}; {} of the {} rows are this warp's",
                   first, last, product && !product->adds ? "D = A × B" : "D = A × B + D", int{m}, int{k}, int{k},
                   int{n}, int{ptx::kRowsOfWarp}, int{m});
}

/// Of an instruction that left no record.
std::string plain_sentence(const TracedBlock& traced, const StepRef& at) {
  const uint32_t active = traced.timeline.active(at);
  const ptx::Instruction& instruction = traced.instruction(traced.timeline.pc(at));
  const ptx::OpClass of = ptx::class_of(instruction.op);
  if (of == ptx::OpClass::MatrixMultiply) return product_sentence(traced, at);
  switch (traced.timeline.kind(at)) {
    case analysis::StepKind::Multiply: return tr_format("a multiply-add in each of {}", lanes_counted(active));
    case analysis::StepKind::Other: return other_sentence(instruction, active);
    default:
      if (instruction.guard >= 0) return tr("the predicate is false in every lane: nothing is accessed");
      return tr(traced.timeline.kind(at) == analysis::StepKind::Barrier ? "waits for other threads"
                                                                        : "nothing is accessed");
  }
}

/// "bar.sync 0": a barrier's number is part of its name.
std::string opcode_of(const TracedBlock& traced, const StepRef& at) {
  const ptx::Instruction& instruction = traced.instruction(traced.timeline.pc(at));
  std::string opcode = fmt::format("{}{}", ptx::mnemonic(instruction.op), instruction.modifiers);
  const auto [first, last] = traced.timeline.records(at);
  const ptx::OpClass of = ptx::class_of(instruction.op);
  const bool barrier = of == ptx::OpClass::Barrier || of == ptx::OpClass::BarrierArrive;
  if (barrier && first != last && traced.trace.kind(*first) == RecordKind::Sync)
    opcode += fmt::format(" {}", traced.trace.sync(*first).id);
  return opcode;
}

/// `mbarriers`: the name of those that the instruction is at.
std::string record_sentence(const TracedBlock& traced, uint32_t record, const std::string& mbarriers) {
  const trace::Trace& trace = traced.trace;
  switch (trace.kind(record)) {
    case RecordKind::Sync: return sync_sentence(traced, trace.sync(record), mbarriers);
    case RecordKind::Branch: return branch_sentence(trace, record);
    case RecordKind::Fault: return fault_sentence(trace.fault(record));
    case RecordKind::Access: return {};
  }
  return {};
}

std::string neighbours_text(uint32_t others) {
  constexpr std::array phrases{tr_later("its neighbour"),        tr_later("its two neighbours"),
                               tr_later("its three neighbours"), tr_later("its four neighbours"),
                               tr_later("its five neighbours"),  tr_later("its six neighbours"),
                               tr_later("its seven neighbours")};
  return others <= phrases.size() ? tr(phrases[others - 1]) : tr_format("its {} neighbours", others);
}

std::string merging_text(const WarpAccess& access) {
  if (access.merged < 2) return {};
  const std::string neighbours = neighbours_text(access.merged - 1);
  return access.is_load() ? tr_format("one {}-bit load with {}, by ptxas", access.bytes * 8, neighbours)
                          : tr_format("one {}-bit store with {}, by ptxas", access.bytes * 8, neighbours);
}

void append_sentence(std::string& text, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty()) text += "; ";
  text += more;
}

std::string active_text(uint32_t active) {
  if (active == kAllLanes) return {};
  return count(~active) == 1 ? tr_format("{} takes no part", lanes_text(~active))
                             : tr_format("{} take no part", lanes_text(~active));
}

}  // namespace

std::vector<WarpAccess> accesses_at(const TracedBlock& traced, const StepRef& at) {
  std::vector<WarpAccess> accesses;
  const auto [first, last] = traced.timeline.records(at);
  for (const uint32_t* record = first; record != last; ++record)
    if (traced.trace.kind(*record) == RecordKind::Access && traced.trace.active(*record) != 0)
      accesses.push_back(traced.merged.access(traced.trace, *record));
  return accesses;
}

BankMeeting worst_meeting(const analysis::SharedPicture& picture) {
  BankMeeting worst;
  for (uint32_t group = 0; group < picture.groups.size() && worst.lanes == 0; ++group) {
    std::array<uint32_t, analysis::kBanks> words{}, lanes{};
    for (const auto& word : picture.words)
      if (word.group == group) ++words[word.bank], lanes[word.bank] |= 1u << lowest(word.lanes);
    const auto fullest = static_cast<uint32_t>(std::max_element(words.begin(), words.end()) - words.begin());
    if (words[fullest] > 1) worst = {fullest, group, lanes[fullest]};
  }
  return worst;
}

uint32_t lanes_of_group(const WarpAccess& access, const analysis::SharedPicture& picture) {
  const uint32_t usual = access.bytes <= 4 ? 32 : access.bytes == 8 ? 16 : 8;
  for (const auto& group : picture.groups) {
    const uint32_t last = 31 - static_cast<uint32_t>(std::countl_zero(group.lanes));
    if (last / usual != lowest(group.lanes) / usual) return 2 * usual;
  }
  return usual;
}

std::string element_range(const TracedBlock& traced, const WarpAccess& access) {
  const uint64_t first = access.addresses[lowest(access.active)] + access.own_offset;
  const Allocation* array = traced.facts.array_at(access.space, first);
  if (!array) return wording::memory_name(access.space);
  if (array->shape.empty()) return element_name(*array, first);
  return range_text(*array, elements_of(access, *array));
}

/// Of a shared access the rank of the cluster's other block whose memory it is; none of the own block's.
std::optional<uint64_t> rank_of(const WarpAccess& access) {
  const uint64_t tag = access.space == Space::Shared ? access.addresses[lowest(access.active)] >> trace::kRankShift : 0;
  return tag == 0 ? std::nullopt : std::optional(tag - 1);
}

std::string sentence_of(const WarpAccess& access) {
  if (const auto rank = rank_of(access))
    return tr_format("shared memory of block {} of the cluster, over the network between SMs", *rank);
  if (trace::is_atomic(access.kind)) return atomic_sentence(access);
  switch (access.space) {
    case Space::Global: return global_sentence(access);
    case Space::Shared: return shared_sentence(access);
    case Space::Local: return local_sentence(access);
    default: return tr_format("{}, through a cache of its own", wording::memory_name(access.space));
  }
}

/// "A[0…127][64…127]", "Bs[2][0…15][0…255]": from the first to the last of each extent that a bulk copy moves on one
/// side.
std::string bulk_range(const TracedBlock& traced, const trace::BulkRecord& copy, Space space) {
  const Allocation* array = nullptr;
  Indices elements;
  for (const trace::BulkCopy::Piece& piece : copy.pieces) {
    const uint64_t address = space == Space::Shared ? piece.shared : piece.global;
    const run::TracedArray* here = traced.accesses.find(space, address);
    if (!here || (array && array != &here->allocation)) continue;
    array = &here->allocation;
    for (const uint64_t end : {address, address + piece.bytes - 1})
      if (array->contains(end)) elements.push_back(array->bytes_before(end) / size_of(array->element));
  }
  if (!array) return wording::memory_name(space);
  if (array->shape.empty()) return element_name(*array, array->base);
  std::string text = array->name;
  for (const Indices& dimension : dimensions_of(elements, array->shape))
    text += fmt::format("[{}]", stretch(dimension.front(), dimension.back()));
  return text;
}

/// What TMA does for the lane that starts it.
void add_bulk_words(const TracedBlock& traced, const trace::BulkRecord& copy, InstructionWords& words) {
  const std::string global = bulk_range(traced, copy, Space::Global), shared = bulk_range(traced, copy, Space::Shared);
  append_sentence(words.elements,
                  copy.to_shared ? fmt::format("{} → {}", global, shared) : fmt::format("{} → {}", shared, global));
  uint64_t bytes = 0, rows = 0;
  for (const trace::BulkCopy::Piece& piece : copy.pieces) bytes += piece.bytes, rows += piece.begins_row;
  const auto sectors = static_cast<uint32_t>(analysis::bulk_sectors(copy.pieces, copy.to_shared));
  append_sentence(words.sentence,
                  tr_format("one thread requests {} of {} bytes: {} of L2", plural(rows, "{} row", "{} rows"),
                            rows == 0 ? 0 : bytes / rows, sectors_text(sectors)));
  if (copy.blocks > 1)
    append_sentence(words.sentence,
                    tr_format("it goes to {} blocks of the cluster, each at the same place", copy.blocks));
}

InstructionWords words_at(const TracedBlock& traced, const StepRef& at, Space first_space) {
  InstructionWords words;
  words.opcode = opcode_of(traced, at);
  uint32_t active = traced.timeline.active(at);
  std::vector<WarpAccess> accesses = accesses_at(traced, at);
  if (!accesses.empty()) active = accesses.front().active;
  std::stable_partition(accesses.begin(), accesses.end(),
                        [&](const WarpAccess& access) { return access.space == first_space; });
  for (const WarpAccess& access : accesses) {
    append_sentence(words.elements, element_range(traced, access));
    const bool second = accesses.size() > 1 && access.space == Space::Shared;
    append_sentence(words.sentence,
                    second ? tr_format("in shared memory {}", sentence_of(access)) : sentence_of(access));
    append_sentence(words.merging, merging_text(access));
  }
  if (!accesses.empty() && traced.instruction(traced.timeline.pc(at)).modifiers.find(".acquire") != std::string::npos)
    append_sentence(words.sentence, tr("acquires what was written before the release"));
  const std::span<const trace::BulkRecord* const> bulk = traced.timeline.bulk_copies(at);
  const std::string mbarriers = mbarriers_text(traced, mbarriers_at(traced, at));
  if (bulk.empty()) append_sentence(words.elements, mbarriers);
  const auto [first, last] = traced.timeline.records(at);
  std::string said;  // The same for each of several mbarriers.
  for (const uint32_t* record = first; record != last; ++record)
    if (std::string sentence = record_sentence(traced, *record, mbarriers); sentence != said)
      append_sentence(words.sentence, said = std::move(sentence));
  for (const trace::BulkRecord* copy : bulk) add_bulk_words(traced, *copy, words);
  if (!bulk.empty() && bulk.front()->barrier != trace::BulkCopy::kNoBarrier)
    append_sentence(words.sentence, tr_format("{} counts the bytes that arrive", mbarriers));
  if (words.sentence.empty()) words.sentence = plain_sentence(traced, at);
  words.lanes = active_text(active);
  return words;
}

InstructionWords redacted(InstructionWords words, const session::HiddenFacts& hidden) {
  if (hidden.has(session::Fact::Accesses)) words.elements.clear();
  if (!hidden.access()) return words;
  words.sentence.clear();
  words.merging.clear();
  words.lanes.clear();
  return words;
}

}  // namespace tilescope::view
