#include "analysis/initcheck.h"

#include <algorithm>
#include <utility>

namespace tilescope::analysis {
namespace {

bool reads_register(const ptx::Instruction& instruction, int32_t index) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [&](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::Register && operand.index == index;
  });
}

/// An atomicExch() whose result nobody takes: it sets the word, whatever was there.
bool only_sets(const ptx::Function& function, uint32_t pc) {
  const ptx::Instruction& instruction = function.instructions[pc];
  if (instruction.op != ptx::Op::Atom || instruction.atomic != ptx::AtomicOp::Exch) return false;
  const ptx::Operand& result = instruction.operands.front();
  return result.kind == ptx::Operand::Kind::Sink ||
         std::none_of(function.instructions.begin(), function.instructions.end(), [&](const ptx::Instruction& other) {
           return &other != &instruction && reads_register(other, result.index);
         });
}

}  // namespace

Initcheck::Initcheck(const LaunchFacts& facts) : facts_(facts), team_(facts), local_(team_.threads()) {
  for (const auto& array : facts.global)
    if (!array.initialised)
      global_.push_back({array.allocation, array.written ? array.written : std::make_shared<WrittenBytes>()});
}

void Initcheck::block_begin(uint32_t block) {
  if (!team_.enter(block)) return;
  shared_.clear();
  for (WrittenBytes& written : local_) written.clear();
}

WrittenBytes* Initcheck::written_of(Space space, uint32_t thread, uint64_t& address) {
  if (space == Space::Shared) return &shared_;
  if (space == Space::Local) return thread < local_.size() ? &local_[thread] : nullptr;
  if (space != Space::Global) return nullptr;
  const auto at =
      std::find_if(global_.begin(), global_.end(), [&](const Global& g) { return g.allocation.contains(address); });
  if (at == global_.end()) return nullptr;
  address -= at->allocation.base;
  return at->written.get();
}

void Initcheck::access(const trace::Access& access) { visit(team_.in_team(access)); }

/// An access of the team.
void Initcheck::visit(const trace::Access& access) {
  if (access.space == Space::Global && global_.empty()) return;
  const bool reads = access.kind != trace::AccessKind::Store && access.kind != trace::AccessKind::AsyncCopyWrite;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane) {
    if (!(access.at.active >> lane & 1)) continue;
    uint64_t address = access.addresses[lane];
    WrittenBytes* written = written_of(access.space, access.at.warp * trace::kLanes + lane, address);
    if (!written) continue;
    if (reads && !written->all(address, access.bytes) && !only_sets(*facts_.function, access.at.pc))
      add_read(access, lane);
    if (trace::is_write(access.kind)) written->set(address, access.bytes);
  }
}

// Piece by piece, in accesses of the widest kind.
void Initcheck::bulk_copy(const trace::BulkCopy& copy) {
  uint64_t addresses[trace::kLanes] = {};
  uint64_t& address = addresses[__builtin_ctz(copy.at.active)];
  trace::Access side;
  side.at = team_.in_team(copy.at);
  side.addresses = addresses;
  const auto visit_side = [&](Space space, uint64_t begin, uint32_t bytes) {
    const bool writes = (space == Space::Shared) == copy.to_shared;
    side.kind = writes ? trace::AccessKind::AsyncCopyWrite : trace::AccessKind::AsyncCopyRead;
    side.space = space;
    for (uint32_t done = 0; done < bytes; done += side.bytes) {
      address = begin + done;
      side.bytes = static_cast<uint8_t>(std::min(bytes - done, 16 - static_cast<uint32_t>(address % 16)));
      visit(side);
    }
  };
  for (const trace::BulkCopy::Piece& piece : *copy.pieces) {
    for (uint32_t ranks = copy.ranks; ranks; ranks &= ranks - 1)
      visit_side(Space::Shared, Team::place(static_cast<uint32_t>(__builtin_ctz(ranks)), piece.shared), piece.bytes);
    if (piece.global != trace::BulkCopy::kNowhere) visit_side(Space::Global, piece.global, piece.bytes);
  }
}

void Initcheck::add_read(const trace::Access& access, uint32_t lane) {
  Finding f;
  f.checker = Checker::Initcheck;
  f.kind = FindingKind::UninitialisedMemory;
  f.site = team_.site_at(access.at.pc, team_.number(), access.at.warp, lane);
  f.site.access = access.kind;
  f.space = access.space;
  f.address = access.addresses[lane];
  f.bytes = access.bytes;
  uint64_t local_address = f.address;
  const WrittenBytes* written = written_of(f.space, access.at.warp * trace::kLanes + lane, local_address);
  while (written->all(local_address, 1)) ++local_address, ++f.address;
  f.space == Space::Shared ? team_.name_place(f, f.address) : facts_.name_place(f);
  findings_.add(std::move(f));
}

namespace {

/// A comparison for `if (i < n && value > 0)`, which the compiler makes of both sides and joins by and.pred: what it
/// says of a value that was not set counts for nothing where the other side is false.
bool counts_only_with_another(const ptx::Function& function, uint32_t pc) {
  const ptx::Instruction& instruction = function.instructions[pc];
  if (ptx::class_of(instruction.op) != ptx::OpClass::Compare) return false;
  const int32_t result = instruction.operands.front().index;
  for (const ptx::Instruction& other : function.instructions) {
    if (other.guard == result) return false;
    const bool reads = &other != &instruction && reads_register(other, result);
    if (reads && !(other.type == ptx::Type::Pred && ptx::class_of(other.op) == ptx::OpClass::Bits)) return false;
  }
  return true;
}

}  // namespace

void Initcheck::fault(const trace::Fault& fault) {
  if (fault.kind != trace::FaultKind::UninitialisedRegister || fault.lanes == 0) return;
  if (counts_only_with_another(*facts_.function, fault.at.pc)) return;
  Finding f;
  f.checker = Checker::Initcheck;
  f.kind = FindingKind::UninitialisedRegister;
  f.site =
      facts_.site_at(fault.at.pc, fault.at.block, fault.at.warp, static_cast<uint32_t>(__builtin_ctz(fault.lanes)));
  f.detail = fault.detail;
  findings_.add(std::move(f));
}

}  // namespace tilescope::analysis
