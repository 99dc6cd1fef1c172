#include "analysis/address_form.h"

#include <algorithm>
#include <utility>

#include "ptx/opcode_table.h"

namespace tilescope::analysis {
namespace {

using ptx::Op;
using ptx::Operand;

/// Bounds the search for low bits on adversarial programs; no kernel seen needs more than six rounds.
constexpr int kMostRounds = 100;

bool is_constant(const AddressForm& form) { return form.terms.empty(); }

/// Whether a conversion keeps the low 32 bits.
bool keeps_low_word(const ptx::Instruction& cvt) {
  return !cvt.sat && !ptx::is_float(cvt.type) && !ptx::is_float(cvt.source_type) && ptx::size_of(cvt.type) >= 4 &&
         ptx::size_of(cvt.source_type) >= 4;
}

/// The instruction's operands as forms and low bits, from `Values` (a walk, or the facts themselves).
template <class Values>
class Evaluator {
 public:
  Evaluator(const ptx::Instruction& instruction, const Values& values) : instruction_(instruction), values_(values) {}

  /// The destination as a sum, or nullopt.
  std::optional<AddressForm> form() const {
    switch (instruction_.op) {
      case Op::Mov: return operand(1);
      case Op::Cvta: return operand(1);
      case Op::Cvt: return keeps_low_word(instruction_) ? operand(1) : std::nullopt;
      case Op::Add: return added(operand(1), operand(2));
      case Op::Sub: return added(operand(1), multiplied(operand(2), constant_form(~0u)));
      case Op::Mul: return multiplication();
      case Op::Mad: return added(multiplication(), operand(3));
      case Op::Shl: return shifted_left();
      case Op::Or: return joined();
      default: return std::nullopt;
    }
  }

  /// Low bits of a destination that is not a sum.
  LowBits low_bits() const {
    switch (instruction_.op) {
      case Op::Or: return united(low(1), low(2));
      case Op::And: return masked(low(other_than_constant()), constant().value_or(~0u));
      case Op::Mul: return is_high() ? LowBits{} : product(low(1), low(2));
      case Op::Mad: return is_high() ? LowBits{} : sum(product(low(1), low(2)), low(3));
      case Op::Shr: return constant() ? shifted_right(low(1), *constant()) : LowBits{};
      case Op::Selp:
      case Op::Min:
      case Op::Max: return either(low(1), low(2));
      default: return {};
    }
  }

 private:
  bool is_high() const { return instruction_.part == ptx::Part::Hi || ptx::is_float(instruction_.type); }

  std::optional<AddressForm> operand(size_t index) const {
    if (index >= instruction_.operands.size()) return std::nullopt;
    return values_.form(instruction_.operands[index]);
  }
  LowBits low(size_t index) const {
    const auto form = operand(index);
    return form ? values_.low_bits(*form) : LowBits{};
  }

  /// The constant among two operands, and which of them is the other one.
  std::optional<uint32_t> constant() const {
    for (size_t index : {2, 1})
      if (const auto form = operand(index); form && is_constant(*form)) return form->constant;
    return std::nullopt;
  }
  size_t other_than_constant() const {
    const auto second = operand(2);
    return second && is_constant(*second) ? 1 : 2;
  }

  static std::optional<AddressForm> added(std::optional<AddressForm> a, const std::optional<AddressForm>& b) {
    if (!a || !b) return std::nullopt;
    return plus(std::move(*a), *b);
  }
  static std::optional<AddressForm> multiplied(const std::optional<AddressForm>& a,
                                               const std::optional<AddressForm>& b) {
    if (!a || !b) return std::nullopt;
    if (is_constant(*b)) return times(*a, b->constant);
    if (is_constant(*a)) return times(*b, a->constant);
    return std::nullopt;
  }

  std::optional<AddressForm> multiplication() const {
    const auto first = operand(1);
    const bool is_sum = first && (first->constant != 0 || is_constant(*first));
    const bool stays_apart = instruction_.part == ptx::Part::Wide && is_sum && !values_.widens_sums();
    return is_high() || stays_apart ? std::nullopt : multiplied(first, operand(2));
  }

  std::optional<AddressForm> shifted_left() const {
    const auto count = operand(2);
    if (!count || !is_constant(*count)) return std::nullopt;
    return multiplied(operand(1), constant_form(count->constant < 32 ? 1u << count->constant : 0));
  }
  /// a | b is a + b when b's bits are known to be zeros in a.
  std::optional<AddressForm> joined() const {
    const LowBits a = low(1);
    const auto b = operand(2);
    const bool apart = b && is_constant(*b) && b->constant < a.modulus && (a.residue & b->constant) == 0;
    return apart ? added(operand(1), b) : std::nullopt;
  }

  const ptx::Instruction& instruction_;
  const Values& values_;
};

/// The form of an operand that is not a register; nullopt if unknown.
std::optional<AddressForm> fixed_form(const AddressFacts& facts, const Operand& operand) {
  if (operand.kind == Operand::Kind::Immediate) return constant_form(static_cast<uint32_t>(operand.bits));
  if (operand.kind != Operand::Kind::Variable) return std::nullopt;
  const auto offset = facts.shared_offset(operand.variable);
  if (!offset) return std::nullopt;
  return constant_form(*offset + static_cast<uint32_t>(operand.offset));
}

template <class LowBitsOf>
LowBits low_bits_of_form(const AddressForm& form, LowBitsOf low_bits_of_root) {
  LowBits total = low_bits_of(form.constant);
  for (const auto& [root, factor] : form.terms)
    total = sum(total, product(low_bits_of_root(root), low_bits_of(factor)));
  return total;
}

/// Values at no particular place: each register is its own root.
struct Anywhere {
  const AddressFacts& facts;

  std::optional<AddressForm> form(const Operand& operand) const {
    if (operand.kind == Operand::Kind::Register) return root_form(static_cast<uint32_t>(operand.index));
    return fixed_form(facts, operand);
  }
  bool widens_sums() const { return true; }
  LowBits low_bits(const AddressForm& form) const {
    return low_bits_of_form(form, [this](uint32_t root) { return facts.low_bits(static_cast<int32_t>(root)); });
  }
};

/// Values that stay the same wherever they can be read: of registers written once, from others of that kind.
struct Lasting {
  const AddressFacts& facts;

  std::optional<AddressForm> form(const Operand& operand) const { return facts.lasting_form(operand); }
  LowBits low_bits(const AddressForm& form) const { return Anywhere{facts}.low_bits(form); }
  bool widens_sums() const { return true; }
};

/// The offset of each variable that is a shared array. `shared_arrays` may bear other names (those of the source): they
/// are matched by order.
std::vector<std::optional<uint32_t>> shared_offsets(const ptx::Module& module, const ptx::Function& function,
                                                    const std::vector<Allocation>& shared_arrays) {
  const auto own = static_cast<int32_t>(function.variables.size());
  const auto first_of_module = own + static_cast<int32_t>(function.parameters.size() + function.returns.size());
  const auto end = first_of_module + static_cast<int32_t>(module.variables.size());
  std::vector<std::optional<uint32_t>> offsets(static_cast<size_t>(end));
  auto array = shared_arrays.begin();
  const auto take = [&](int32_t from, int32_t to, bool dynamic) {
    for (int32_t i = from; i < to && array != shared_arrays.end(); ++i) {
      const ptx::Variable& variable = ptx::variable_of(module, function, i);
      if (variable.space != Space::Shared || variable.is_extern != dynamic) continue;
      offsets[static_cast<size_t>(i)] = static_cast<uint32_t>((array++)->base);
    }
  };
  for (bool dynamic : {false, true}) {
    take(first_of_module, end, dynamic);
    take(0, own, dynamic);
  }
  return offsets;
}

}  // namespace

AddressForm constant_form(uint32_t value) { return {{}, value}; }

AddressForm root_form(uint32_t root) { return {{{root, 1}}, 0}; }

AddressForm plus(AddressForm a, const AddressForm& b) {
  a.constant += b.constant;
  for (const auto& [root, factor] : b.terms)
    if ((a.terms[root] += factor) == 0) a.terms.erase(root);
  return a;
}

AddressForm times(AddressForm a, uint32_t factor) {
  a.constant *= factor;
  for (auto& [root, coefficient] : a.terms) coefficient *= factor;
  std::erase_if(a.terms, [](const auto& term) { return term.second == 0; });
  return a;
}

std::vector<int32_t> written_registers(const ptx::Instruction& instruction) {
  std::vector<int32_t> registers;
  ptx::OperandKinds kinds;
  if (!ptx::operand_kinds(instruction, kinds)) return registers;
  const auto note = [&registers](const Operand& operand) {
    if (operand.kind == Operand::Kind::Register) registers.push_back(operand.index);
  };
  for (size_t i = 0; i < kinds.count && i < instruction.operands.size(); ++i) {
    if (!ptx::is_destination(kinds.kinds[i])) continue;
    note(instruction.operands[i]);
    for (const Operand& element : instruction.operands[i].elements) note(element);
  }
  return registers;
}

AddressFacts::AddressFacts(const ptx::Module& module, const ptx::Function& function,
                           const std::vector<Allocation>& shared_arrays)
    : function_(function),
      offsets_(shared_offsets(module, function, shared_arrays)),
      writes_(function.registers.size(), 0),
      settled_(function.registers.size(), false) {
  for (const auto& instruction : function.instructions)
    for (int32_t reg : written_registers(instruction)) ++writes_[static_cast<size_t>(reg)];
  find_low_bits();
  settle_forms();
}

void AddressFacts::find_low_bits() {
  low_bits_.assign(writes_.size(), kNoneSeen);
  int rounds = 0;
  while (rounds < kMostRounds && improve_low_bits()) ++rounds;
  if (rounds == kMostRounds) low_bits_.assign(writes_.size(), LowBits{});
  std::replace(low_bits_.begin(), low_bits_.end(), kNoneSeen, LowBits{});
}

bool AddressFacts::improve_low_bits() {
  std::vector<LowBits> next(low_bits_.size(), kNoneSeen);
  for (const ptx::Instruction& instruction : function_.instructions) {
    const auto registers = written_registers(instruction);
    const Anywhere values{*this};
    const Evaluator evaluator(instruction, values);
    for (int32_t reg : registers) {
      LowBits low{};
      if (registers.size() == 1) {
        const auto form = evaluator.form();
        low = form ? values.low_bits(*form) : evaluator.low_bits();
      }
      next[static_cast<size_t>(reg)] = either(next[static_cast<size_t>(reg)], low);
    }
  }
  for (size_t reg = 0; reg < next.size(); ++reg)
    if (writes_[reg] > 1) next[reg] = divisor_only(next[reg]);
  const bool changed = next != low_bits_;
  low_bits_ = std::move(next);
  return changed;
}

void AddressFacts::settle_forms() {
  for (size_t reg = 0; reg < writes_.size(); ++reg) forms_.push_back(root_form(static_cast<uint32_t>(reg)));
  for (const auto& instruction : function_.instructions) {
    for (int32_t reg : written_registers(instruction)) {
      if (writes_[static_cast<size_t>(reg)] != 1) continue;
      if (const auto form = lasting_result(instruction)) forms_[static_cast<size_t>(reg)] = *form;
      settled_[static_cast<size_t>(reg)] = true;
    }
  }
}

std::optional<AddressForm> AddressFacts::lasting_form(const Operand& operand) const {
  if (operand.kind != Operand::Kind::Register) return fixed_form(*this, operand);
  if (!settled_[static_cast<size_t>(operand.index)]) return std::nullopt;
  return form(operand.index);
}

std::optional<AddressForm> AddressFacts::lasting_result(const ptx::Instruction& instruction) const {
  if (instruction.guard >= 0 || written_registers(instruction).size() != 1) return std::nullopt;
  const Lasting values{*this};
  return Evaluator(instruction, values).form();
}

std::optional<uint32_t> AddressFacts::shared_offset(int32_t variable) const {
  const auto index = static_cast<size_t>(variable);
  return index < offsets_.size() ? offsets_[index] : std::nullopt;
}

void AddressWalk::step(const ptx::Instruction& instruction) {
  const auto registers = written_registers(instruction);
  if (registers.size() != 1 || instruction.guard >= 0) {
    for (int32_t reg : registers) set_unknown(reg, facts_.low_bits(reg));
    return;
  }
  const int32_t reg = registers.front();
  const Evaluator evaluator(instruction, *this);
  if (auto sum = evaluator.form()) return set(reg, std::move(*sum));
  const auto key = computation(instruction);
  const auto before = key ? computed_.find(*key) : computed_.end();
  if (before != computed_.end()) return set(reg, before->second);
  set_unknown(reg, evaluator.low_bits());
  if (key) computed_.emplace(*key, written_.at(reg));
}

std::optional<AddressWalk::Computation> AddressWalk::computation(const ptx::Instruction& instruction) const {
  switch (instruction.op) {
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shr:
    case Op::Shl:
    case Op::Mul:
    case Op::Div:
    case Op::Rem: break;
    default: return std::nullopt;
  }
  const auto left = form(instruction.operands[1]), right = form(instruction.operands[2]);
  if (!left || !right) return std::nullopt;
  return Computation{instruction.op, instruction.type, instruction.part, {*left, *right}};
}

void AddressWalk::set_unknown(int32_t reg, LowBits low_bits) {
  set(reg, root_form(static_cast<uint32_t>(facts_.function().registers.size() + new_roots_.size())));
  new_roots_.push_back(low_bits);
}

std::optional<AddressForm> AddressWalk::form(const Operand& operand) const {
  if (operand.kind != Operand::Kind::Register) return fixed_form(facts_, operand);
  const auto found = written_.find(operand.index);
  return found == written_.end() ? facts_.form(operand.index) : found->second;
}

LowBits AddressWalk::low_bits(const AddressForm& form) const {
  const size_t registers = facts_.function().registers.size();
  return low_bits_of_form(form, [&](uint32_t root) {
    return root < registers ? facts_.low_bits(static_cast<int32_t>(root)) : new_roots_[root - registers];
  });
}

}  // namespace tilescope::analysis
