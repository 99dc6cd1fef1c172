#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "emulator/lane_set.h"
#include "machine/step.h"
#include "sass/cubin.h"
#include "sass/decode.h"
#include "sass/opcode_table.h"

namespace tilescope::machine {
namespace {

using sass::Field;
using sass::Instruction;
using sass::Numbers;
using sass::Opcode;
using sass::Operand;

Flow flow_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::BRA: return Flow::Branch;
    case Opcode::BRA_DIV: return Flow::BranchDivergent;
    case Opcode::BRX:
    case Opcode::BRXU:
    case Opcode::CALL_REL_R: return Flow::BranchIndexed;
    case Opcode::CALL_REL: return Flow::Call;
    case Opcode::RET_REL: return Flow::Return;
    case Opcode::BSSY: return Flow::SetSync;
    case Opcode::BSYNC: return Flow::Sync;
    case Opcode::BREAK: return Flow::BreakSync;
    case Opcode::WARPSYNC: return Flow::WarpSync;
    case Opcode::BAR: return Flow::Barrier;
    case Opcode::UCGABAR_WAIT: return Flow::ClusterWait;
    case Opcode::WARPGROUP: return Flow::GroupSync;
    case Opcode::EXIT: return Flow::Exit;
    case Opcode::YIELD:
    case Opcode::NANOSLEEP: return Flow::Yield;
    default: return Flow::Next;
  }
}

/// Whether the address differs from one time round the loop to the next: an instruction of its body writes a register
/// of it, other than from a uniform register that stays.
bool moves(const sass::Address& address, std::span<const Instruction> body) {
  const auto writes = [&](const Instruction& in) {
    const bool is_base = in.d.is_register() && address.base != sass::kZeroRegister &&
                         (in.d.index == address.base || (address.wide && in.d.index == address.base + 1));
    return is_base || (in.d.is_uniform() && address.has_uniform && in.d.index == address.uniform);
  };
  const auto renews = [&](const Instruction& in) {
    return in.opcode == Opcode::MOV && in.b.is_uniform() && std::ranges::none_of(body, [&](const Instruction& other) {
             return other.d.is_uniform() && other.d.index == in.b.index;
           });
  };
  const bool renewed = std::ranges::any_of(body, [&](const Instruction& in) { return writes(in) && renews(in); });
  return std::ranges::any_of(
      body, [&](const Instruction& in) { return writes(in) && !renews(in) && !(renewed && in.opcode == Opcode::LDG); });
}

/// atomicAdd(p, 0), as a read is often written.
bool only_reads(const Instruction& in) {
  constexpr uint8_t kAdd = 0, kOr = 6;  // Of Field::Operation.
  return (in.opcode == Opcode::ATOMG || in.opcode == Opcode::ATOM) && in.b.index == sass::kZeroRegister &&
         (in[Field::Operation] == kAdd || in[Field::Operation] == kOr);
}

/// Whether the branch at `last` goes back to `first` for nothing but to read again what another block is to write.
bool is_poll(const std::vector<Instruction>& code, size_t first, size_t last) {
  const auto always = [](const sass::PredicateUse& use) { return use.index == sass::kTrue && !use.negate; };
  if (first > last || (always(code[last].guard) && always(code[last].q0))) return false;
  bool reads = false;
  for (size_t pc = first; pc < last; ++pc) {
    const Instruction& in = code[pc];
    const bool is_read =
        only_reads(in) || ((in.opcode == Opcode::LDG || in.opcode == Opcode::LD) && in[Field::Order] >= kStrongOrder);
    reads |= is_read;
    if (is_read && moves(in.address, std::span(code).subspan(first, last - first))) return false;
    if (in.pipe == sass::Pipe::Memory && !is_read && in.opcode != Opcode::CCTL) return false;
    if (flow_of(in.opcode) != Flow::Next && flow_of(in.opcode) != Flow::Yield) return false;
  }
  return reads;
}

/// Binds instructions to the rows of registers, and collects the constants that they read.
class Binder {
 public:
  explicit Binder(Program::Impl& program) : program_(program) {}

  Step bind(const Instruction& in) {
    Step step;
    step.in = &in;
    step.flow = flow_of(in.opcode);
    step.whole = in.uniform;
    step.guard = predicate(in.guard, in.guard_uniform);
    step.guard_flip = in.guard.negate ? ~0u : 0;
    step.d = destination(in.d, 0);
    step.d_high = destination(in.d, 1);
    step.a = source(in, in.a);
    step.b = source(in, in.b);
    step.c = source(in, in.c);
    step.plain = changes_nothing(step.a) && changes_nothing(step.b) && changes_nothing(step.c);
    const bool votes_uniformly = in.opcode == Opcode::VOTEU || in.opcode == Opcode::USETMAXREG;
    step.p0 = written(in.p0, in.uniform || votes_uniformly);
    step.p1 = written(in.p1, in.uniform);
    step.q0 = predicate(in.q0, in.uniform || in.pipe == sass::Pipe::WarpGroup);
    step.q1 = predicate(in.q1, in.uniform);
    step.q2 = predicate(in.q2, in.uniform || in.q2_uniform);
    step.q0_flip = in.q0.negate ? ~0u : 0;
    step.q1_flip = in.q1.negate ? ~0u : 0;
    step.q2_flip = in.q2.negate ? ~0u : 0;
    step.value0 = in.immediate0;
    step.value1 = in.immediate1;
    step.target = in.target / sass::kInstructionBytes;
    bind_memory(in, step);
    if (in.opcode == Opcode::SHF || in.opcode == Opcode::USHF) bind_shift(in, step);
    return step;
  }

 private:
  static bool changes_nothing(const Source& source) { return source.keep == ~0u && source.flip == 0; }
  static uint8_t predicate(const sass::PredicateUse& use, bool uniform) {
    return static_cast<uint8_t>(use.index + (uniform ? kUniformPredicates : 0));
  }
  static uint8_t written(const sass::PredicateUse& use, bool uniform) {
    return !use.present || use.index == sass::kTrue ? kLostPredicate : predicate(use, uniform);
  }
  uint32_t destination(const Operand& operand, uint32_t word) const {
    if (operand.is_register())
      return operand.index == sass::kZeroRegister ? program_.lost_row() + word : operand.index + word;
    if (operand.is_uniform())
      return operand.index == sass::kZeroUniform ? program_.lost_row() + word
                                                 : program_.uniform_row(operand.index + word);
    return program_.lost_row();
  }
  uint32_t constant(const Program::Impl::Constant& wanted) {
    auto& all = program_.constants;
    const auto found = std::ranges::find(all, wanted);
    const auto index = static_cast<uint32_t>(found - all.begin());
    if (found == all.end()) all.push_back(wanted);
    return index | kConstantRow;
  }
  Source source(const Instruction& in, const Operand& operand) {
    Source bound{program_.zero_row(), program_.zero_row()};
    switch (operand.kind) {
      case Operand::Kind::Register:
        if (operand.index != sass::kZeroRegister) {
          bound.row = operand.index;
          bound.high = std::min(operand.index + 1u, program_.zero_row());
        }
        break;
      case Operand::Kind::Uniform:
        if (operand.index != sass::kZeroUniform)
          bound.row = program_.uniform_row(operand.index), bound.high = program_.uniform_row(operand.index + 1u);
        break;
      case Operand::Kind::Immediate:
        if (in.numbers == Numbers::Doubles)
          bound.high = constant({true, operand.bits, 0, 0});
        else
          bound.row = constant({true, operand.bits, 0, 0});
        break;
      case Operand::Kind::Constant:
        if (operand.bindless || operand.index != sass::kZeroRegister) break;  // Those of LDC are read when it runs.
        bound.row = constant({false, 0, operand.bank, static_cast<uint32_t>(operand.offset)});
        bound.high = constant({false, 0, operand.bank, static_cast<uint32_t>(operand.offset) + 4});
        break;
      case Operand::Kind::None: break;
    }
    switch (in.numbers) {
      case Numbers::Integers:
      case Numbers::Bits: bound.flip = operand.negate ? ~0u : 0; break;
      case Numbers::Floats:
      case Numbers::Doubles:
        if (operand.absolute) bound.keep = 0x7fffffff;
        if (operand.negate) bound.flip = 0x80000000;
        break;
      case Numbers::Halves:
        if (operand.absolute) bound.keep = 0x7fff7fff;
        if (operand.negate) bound.flip = 0x80008000;
        break;
    }
    return bound;
  }

  static void bind_memory(const Instruction& in, Step& step) {
    constexpr uint8_t kBytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
    constexpr uint8_t kAtomicBytes[] = {4, 4, 8, 4, 4, 8, 8, 0};
    const auto set = [&](Space space, AccessKind kind, uint8_t bytes) {
      step.space = space;
      step.kind = kind;
      step.bytes = bytes;
    };
    const uint8_t bytes = kBytes[in[Field::Size] & 7], atomic_bytes = kAtomicBytes[in[Field::Type] & 7];
    constexpr uint8_t kFloatBytes[] = {4, 8, 16, 4, 8, 16, 0, 0, 0, 4, 8, 16, 0, 0, 0, 8};
    const uint8_t float_bytes = kFloatBytes[in[Field::Type] & 15];
    switch (in.opcode) {
      case Opcode::LDG:
      case Opcode::LDGSTS: set(Space::Global, AccessKind::Load, bytes); break;
      case Opcode::LD: set(Space::Generic, AccessKind::Load, bytes); break;
      case Opcode::STG: set(Space::Global, AccessKind::Store, bytes); break;
      case Opcode::ST: set(Space::Generic, AccessKind::Store, bytes); break;
      case Opcode::LDS: set(Space::Shared, AccessKind::Load, bytes); break;
      case Opcode::STS: set(Space::Shared, AccessKind::Store, bytes); break;
      case Opcode::LDL: set(Space::Local, AccessKind::Load, bytes); break;
      case Opcode::STL: set(Space::Local, AccessKind::Store, bytes); break;
      case Opcode::ATOMG:
      case Opcode::ATOMG_CAS: set(Space::Global, AccessKind::Atomic, atomic_bytes); break;
      case Opcode::ATOMG_FP: set(Space::Global, AccessKind::Atomic, float_bytes); break;
      case Opcode::ATOM_FP: set(Space::Generic, AccessKind::Atomic, float_bytes); break;
      case Opcode::RED_FP: set(Space::Global, AccessKind::Reduction, float_bytes); break;
      case Opcode::ATOM:
      case Opcode::ATOM_CAS: set(Space::Generic, AccessKind::Atomic, atomic_bytes); break;
      case Opcode::RED: set(Space::Global, AccessKind::Reduction, atomic_bytes); break;
      case Opcode::ATOMS:
      case Opcode::ATOMS_POPC:
      case Opcode::ATOMS_CAS: set(Space::Shared, AccessKind::Atomic, atomic_bytes); break;
      default: break;
    }
  }

  /// A shift of one word by an immediate, as nearly all are: value0 is the number, value1 left, right, or right with
  /// the sign.
  void bind_shift(const Instruction& in, Step& step) const {
    step.value1 = 3;
    if (in.b.kind != Operand::Kind::Immediate || in[Field::Type] < 2) return;
    const uint32_t n = in[Field::Wrap] ? in.b.bits & 31 : in.b.bits;
    if (n > 31) return;
    step.value0 = n;
    if (!in[Field::Right] && !in[Field::High])
      step.value1 = 0;
    else if (in[Field::Right] && in[Field::High])
      step.value1 = in[Field::Type] == 3 ? 1 : 2;
  }

  Program::Impl& program_;
};

using Selector = Handler (*)(const Step&);
Selector lanes_of_processor() {
  switch (emulator::lane_set_of_processor()) {
#if defined(__x86_64__)
    case emulator::LaneSet::Avx512: return &select_avx512;
    case emulator::LaneSet::Avx2: return &select_avx2;
#endif
    default: return &select_baseline;
  }
}

/// One more than the highest register that an instruction names, wide operands included.
uint32_t registers_used(const std::vector<Instruction>& code) {
  uint32_t most = 0;
  const auto see = [&](uint8_t index) {
    if (index != sass::kZeroRegister) most = std::max<uint32_t>(most, index);
  };
  for (const Instruction& in : code) {
    for (const Operand* operand : {&in.d, &in.a, &in.b, &in.c})
      if (operand->is_register()) see(operand->index);
    if (in.address.present) see(in.address.base);
    if (in.from.present) see(in.from.base);
  }
  return most + 4;  // The last may be the first of four.
}

}  // namespace

Program::Program() : impl_(std::make_unique<Impl>()) {}
Program::~Program() = default;
const std::vector<sass::Instruction>& Program::code() const { return impl_->code; }
bool Program::polls() const { return impl_->polls; }
bool Program::needs_contents() const { return impl_->needs_contents; }
bool Program::changes_contents() const { return impl_->changes_contents; }
bool Program::needs_updates() const { return impl_->needs_updates; }

Result<std::shared_ptr<const Program>> Program::build(std::span<const uint8_t> cubin, std::string_view entry) {
  const std::span<const uint8_t> bytes = sass::kernel_code(cubin, entry);
  const std::optional<sass::KernelFacts> facts = sass::read_kernel_facts(cubin, entry);
  if (bytes.empty() || !facts) return error({"The cubin has no kernel {}.", entry});
  Result<std::vector<Instruction>> code = sass::decode_kernel(bytes, facts->architecture);
  if (!code) return code.errors();

  std::shared_ptr<Program> program(new Program);
  Impl& impl = *program->impl_;
  impl.entry = entry;
  impl.code = std::move(*code);
  impl.registers = std::max(registers_used(impl.code), facts->registers);
  impl.static_shared = facts->static_shared_bytes;
  impl.reserved_shared = facts->reserved_shared_bytes;
  impl.local = facts->local_bytes;
  // ptxas does not know how deep functions go that call themselves, or each other by address: the driver's limit holds.
  const auto goes_deep = [](const Instruction& in) {
    return in.opcode == Opcode::CALL_REL_R || (in.opcode == Opcode::CALL_REL && in.target <= in.offset);
  };
  constexpr uint32_t kStackLimit = 1024;
  if (std::ranges::any_of(impl.code, goes_deep)) impl.local = std::max(impl.local, kStackLimit);
  impl.parameter_offset = facts->parameter_offset;
  impl.parameter_bytes = facts->parameter_bytes;
  impl.architecture = facts->architecture;
  impl.parameters = facts->parameters;
  impl.banks = facts->banks;
  impl.variables = facts->variables;

  Binder binder(impl);
  const Selector select_lanes = lanes_of_processor();
  for (const Instruction& in : impl.code) {
    Step step = binder.bind(in);
    step.run = select_lanes(step);
    if (!step.run) step.run = select_general(step);
    if (!step.run)
      return error({"The machine instruction {} at {:#06x} is known, but not how it is executed.", sass::to_string(in),
                    in.offset});
    step.polls = step.flow == Flow::Branch && is_poll(impl.code, step.target, impl.steps.size());
    impl.polls |= step.polls;
    impl.steps.push_back(step);
  }
  find_needed(impl);
  return std::shared_ptr<const Program>(std::move(program));
}

}  // namespace tilescope::machine
