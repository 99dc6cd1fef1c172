#include "run/unproved.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "analysis/address_form.h"

namespace tilescope::run {
namespace {
using analysis::Finding;
using analysis::FindingKind;

/// What a register's value may come from: memory, a scalar argument, an earlier turn of a loop.
constexpr uint8_t kLoaded = 1, kScalar = 2, kLoop = 4;

/// Follows values through all of a function's registers, without regard to the order of its instructions.
class Origins {
 public:
  explicit Origins(const ptx::Function& function) : function_(function), of_(function.registers.size(), 0) {
    std::vector<uint32_t> writes(of_.size(), 0);
    for (const ptx::Instruction& instruction : function.instructions)
      for (const int32_t target : analysis::written_registers(instruction))
        if (++writes[static_cast<size_t>(target)] > 1) of_[static_cast<size_t>(target)] = kLoop;
    while (improve()) continue;
  }

  /// Of the address of the access at `pc`.
  uint8_t of_address(uint32_t pc) const {
    if (pc >= function_.instructions.size()) return kLoaded | kScalar | kLoop;
    uint8_t origin = 0;
    for (const ptx::Operand& operand : function_.instructions[pc].operands)
      if (operand.kind == ptx::Operand::Kind::Address) origin |= of(operand);
    return origin;
  }

 private:
  uint8_t of(const ptx::Operand& operand) const {
    uint8_t origin = 0;
    if (operand.index >= 0 &&
        (operand.kind == ptx::Operand::Kind::Register || operand.kind == ptx::Operand::Kind::Address))
      origin |= of_[static_cast<size_t>(operand.index)];
    for (const ptx::Operand& element : operand.elements) origin |= of(element);
    return origin;
  }

  uint8_t result_of(const ptx::Instruction& instruction) const {
    const ptx::OpClass kind = ptx::class_of(instruction.op);
    if (kind == ptx::OpClass::Atomic) return kLoaded;
    if (kind == ptx::OpClass::Load) {
      // Pointers are parameters of 64 bits.
      if (instruction.space == Space::Param) return ptx::size_of(instruction.type) < 8 ? kScalar : uint8_t{0};
      return instruction.space == Space::Shared || instruction.space == Space::Local ? stored_ : kLoaded;
    }
    uint8_t origin = 0;
    for (const ptx::Operand& operand : instruction.operands) origin |= of(operand);
    return origin;
  }

  bool improve() {
    bool changed = false;
    for (const ptx::Instruction& instruction : function_.instructions) {
      const uint8_t origin = result_of(instruction);
      if (ptx::class_of(instruction.op) == ptx::OpClass::Store &&
          (instruction.space == Space::Shared || instruction.space == Space::Local) && (origin & ~stored_)) {
        stored_ |= origin;
        changed = true;
      }
      for (const int32_t target : analysis::written_registers(instruction)) {
        uint8_t& known = of_[static_cast<size_t>(target)];
        changed = changed || (origin & ~known);
        known |= origin;
      }
    }
    return changed;
  }

  const ptx::Function& function_;
  std::vector<uint8_t> of_;
  uint8_t stored_ = 0;  ///< In shared and local memory.
};

/// `hist[value] += 1`: whatever the values are, two threads may have the same.
bool is_update(const Finding& finding) {
  return finding.kind == FindingKind::ReadWriteRace && finding.other && finding.site.line == finding.other->line &&
         finding.site.line != 0;
}

/// What is known to be assumed, and wrong.
struct Assumed {
  bool launch = false;   ///< Block and grid are.
  bool sizes = false;    ///< The kernel leaves an array, so that its sizes are others.
  bool block = false;    ///< It leaves a shared array in a block that is assumed.
  bool threads = false;  ///< The block has as many threads as an array has elements.
  std::string dynamic;   ///< The array in dynamic shared memory, whose size is.
};

bool leaves_an_array(const Finding& finding) {
  return finding.kind == FindingKind::OutOfBounds && finding.space == Space::Global;
}

bool leaves_shared_memory(const Finding& finding) {
  return finding.kind == FindingKind::OutOfBounds && finding.space == Space::Shared;
}

bool rests_on_guess(const Finding& finding, const Origins& origins, const Assumed& assumed) {
  const auto address = [&] {
    return static_cast<uint8_t>(origins.of_address(finding.site.pc) |
                                (finding.other ? origins.of_address(finding.other->pc) : 0));
  };
  switch (finding.kind) {
    case FindingKind::Trap: return true;
    case FindingKind::OutOfBounds:
    case FindingKind::Misaligned:
    case FindingKind::UninitialisedMemory:
      if (finding.space == Space::Local) return (address() & kLoaded) != 0;
      if (finding.space != Space::Shared || assumed.launch || assumed.threads) return true;
      if (finding.stray && finding.stray->array.name == assumed.dynamic) return true;
      return (address() & (kLoaded | kScalar | (assumed.sizes ? kLoop : 0))) != 0;
    case FindingKind::WriteWriteRace:
    case FindingKind::ReadWriteRace:
      if (finding.space == Space::Shared && assumed.block) return true;
      if (finding.space == Space::Shared)
        return !is_update(finding) && (address() & (kLoaded | (assumed.sizes ? kScalar | kLoop : 0))) != 0;
      return assumed.launch || assumed.sizes || (!is_update(finding) && (address() & (kLoaded | kScalar)) != 0);
    case FindingKind::IncompleteWarpSync: return assumed.launch || assumed.sizes;
    default: return false;
  }
}

/// Whether a block's extent is one of an array.
bool is_of_size(const kernel::Expression& extent) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const std::string& text = extent.text;
  for (size_t i = 0; i < text.size(); ++i)
    if ((text[i] == 'M' || text[i] == 'N' || text[i] == 'K') && (i == 0 || !is_part(text[i - 1])) &&
        (i + 1 == text.size() || !is_part(text[i + 1])))
      return true;
  return false;
}

/// About threads that exited at the end of an array, or that a branch left out there.
bool is_about_barrier(const Finding& finding) {
  return finding.kind == FindingKind::DivergentBarrier || finding.kind == FindingKind::BarrierAfterExit;
}

}  // namespace

analysis::Findings take_unproved(const Prepared& prepared, analysis::Findings& findings) {
  if (findings.empty()) return {};
  const kernel::Description& description = prepared.request.kernel.description;
  if (!description.proposed)
    return findings.remove_unless(
        [](const Finding& finding) { return !finding.stray || !finding.stray->is_past_guess(); });
  const Origins origins(prepared.program().function());
  Assumed assumed;
  assumed.launch = description.launch_guessed;
  assumed.threads = std::any_of(description.block.begin(), description.block.end(), is_of_size);
  assumed.sizes = std::any_of(findings.begin(), findings.end(), leaves_an_array);
  assumed.block = assumed.launch && std::any_of(findings.begin(), findings.end(), leaves_shared_memory);
  for (const Allocation& array : prepared.program().shared_arrays())
    if (array.bytes == 0) assumed.dynamic = source_name(array.name);
  return findings.remove_unless([&](const Finding& finding) { return !rests_on_guess(finding, origins, assumed); });
}

void keep_what_whole_tiles_show(Report& report, const Report& whole) {
  const bool leaves = std::any_of(report.unproved.begin(), report.unproved.end(), [](const Finding& finding) {
    return leaves_an_array(finding) || leaves_shared_memory(finding);
  });
  report.unproved.add(report.findings.remove_unless([&](const Finding& finding) {
    const bool may_need_tiles =
        finding.space == Space::Shared || finding.space == Space::Global ||
        finding.kind == FindingKind::UninitialisedRegister || finding.kind == FindingKind::MismatchedBarriers ||
        finding.kind == FindingKind::IncompleteWarpSync || (leaves && is_about_barrier(finding));
    return !may_need_tiles || std::any_of(whole.findings.begin(), whole.findings.end(), [&](const Finding& other) {
      return other.kind == finding.kind && other.site.line == finding.site.line;
    });
  }));
}

}  // namespace tilescope::run
