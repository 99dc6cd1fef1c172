#include <algorithm>
#include <array>
#include <span>
#include <string>

#include <fmt/format.h>

#include "ptx/module.h"
#include "ptx/opcode_table.h"
#include "ptx/problem.h"

namespace tilescope::ptx {
namespace {

constexpr size_t kMaxProblems = 1000;

struct Form {
  Op op;
  TypeSet types;
  ModifierSet allowed;
  std::array<ModifierSet, 2> needed;
};
constexpr Form kForms[] = {
#define PTX_FORM(id, types, allowed, needed, needed_too) {Op::id, types, allowed, {needed, needed_too}},
#include "ptx/forms.def"
#undef PTX_FORM
};

/// The rows of each opcode, which are contiguous.
std::span<const Form> forms_of(Op op) {
  static const auto ranges = [] {
    std::array<std::span<const Form>, kOpCount> result;
    for (const Form& form : kForms) {
      std::span<const Form>& range = result[static_cast<size_t>(form.op)];
      range = {range.empty() ? &form : range.data(), range.size() + 1};
    }
    return result;
  }();
  return ranges[static_cast<size_t>(op)];
}

bool is_bits(Type type) { return type >= Type::B8 && type <= Type::B128; }
bool is_integer(Type type) { return type >= Type::U8 && type <= Type::S64; }
bool is_unsigned(Type type) { return type >= Type::U8 && type <= Type::U64; }

/// Floating-point values kept in registers of another type: packed and short ones in bits.
bool same_class(Type reg, Type operand) {
  if (reg == operand || is_bits(reg) || (is_bits(operand) && reg != Type::Pred)) return true;
  return is_integer(reg) && is_integer(operand);
}

/// Whether a register of type `reg` can be the operand. ld, st and cvt take registers wider than their type.
bool fits(Type reg, Type operand, bool may_be_wider) {
  if (reg == Type::Pred || operand == Type::Pred) return reg == operand;
  const bool size =
      size_of(reg) == size_of(operand) || (may_be_wider && size_of(reg) > size_of(operand) && !is_float(reg));
  return size && same_class(reg, operand);
}

Type special_type(Special special) {
  const bool wide = special == Special::Clock64 || special == Special::Globaltimer || special == Special::Gridid;
  return wide ? Type::U64 : Type::U32;
}

class Verifier {
 public:
  explicit Verifier(const Module& module) : module_(module) {}
  Diagnostics run();

 private:
  void function(const Function& function);
  void instruction(const Instruction& instruction);
  bool form(const Instruction& instruction);
  std::string form_problem(const Instruction& instruction) const;
  bool comparison(const Instruction& instruction);
  bool conversion(const Instruction& instruction);
  bool atomic(const Instruction& instruction);
  bool matrix(const Instruction& instruction);
  bool product_of_bytes(const Instruction& instruction);
  bool product_of_doubles(const Instruction& instruction);
  bool all_are_doubles(const Instruction& product);
  bool rows_times_columns(const Instruction& instruction);
  bool wide_matrix(const Instruction& instruction);
  bool whole_warp_shape(const Instruction& instruction, Type type);
  bool whole_warp_product(const Instruction& instruction);
  bool space(const Instruction& instruction);
  bool operands(const Instruction& instruction);
  std::string operand_problem(const Instruction& instruction, SlotKind kind, const Operand& operand) const;
  std::string source_problem(const Instruction& instruction, SlotKind kind, const Operand& operand) const;
  std::string vector_problem(const Instruction& instruction, SlotKind kind, const Operand& operand) const;
  std::string value_problem(const Instruction& instruction, const Operand& operand, Type type) const;
  std::string register_problem(const Instruction& instruction, int32_t index, Type type) const;
  std::string address_problem(const Instruction& instruction, const Operand& operand) const;
  std::string tensor_problem(const Instruction& instruction, const Operand& operand) const;
  bool call(const Instruction& instruction);
  bool call_list(const Instruction& instruction, std::string_view what, const Operand* list,
                 const std::vector<Variable>& formals);
  bool call_operand(const Instruction& instruction, std::string_view what, const Operand& actual,
                    const Variable& formal);
  bool fail(const Instruction& instruction, std::string message);

  std::string name(const Instruction& instruction) const {
    return fmt::format("`{}{}`", mnemonic(instruction.op), instruction.modifiers);
  }

  const Module& module_;
  const Function* function_ = nullptr;
  Diagnostics problems_;
};

Diagnostics Verifier::run() {
  for (const Function& f : module_.functions)
    if (!f.is_declaration) function(f);
  return std::move(problems_);
}

void Verifier::function(const Function& function) {
  function_ = &function;
  for (const Instruction& i : function.instructions) {
    if (problems_.size() >= kMaxProblems) return;
    instruction(i);
  }
}

void Verifier::instruction(const Instruction& instruction) {
  if (instruction.op == Op::Call) {
    call(instruction);
    return;
  }
  const bool well_formed = form(instruction) && comparison(instruction) && conversion(instruction) &&
                           atomic(instruction) && matrix(instruction) && space(instruction);
  if (well_formed) operands(instruction);
}

bool takes_wide(Op op) { return op == Op::Mul || op == Op::Mad; }

bool Verifier::form(const Instruction& instruction) {
  const OpcodeInfo& info = info_of(instruction.op);
  const bool typed = info.types.bits == 0 ? instruction.type == Type::None : info.types.has(instruction.type);
  if (!typed) return fail(instruction, fmt::format("{} does not take this type", name(instruction)));
  if (instruction.part == Part::Wide && (size_of(instruction.type) == 8 || !takes_wide(instruction.op)))
    return fail(instruction, fmt::format("{}: .wide multiplies 16 and 32 bits into twice as many", name(instruction)));
  const std::string problem = form_problem(instruction);
  return problem.empty() || fail(instruction, problem);
}

// The problem with the last row whose types fit, which has the most modifiers.
std::string Verifier::form_problem(const Instruction& instruction) const {
  const std::span<const Form> forms = forms_of(instruction.op);
  ModifierSet used = instruction.modifier_families;
  if (instruction.source_type != Type::None) used |= kType2;
  std::string problem;
  for (const Form& form : forms) {
    if (form.types.bits != 0 && !form.types.has(instruction.type)) continue;
    problem.clear();
    for (ModifierSet needed : form.needed)
      if (needed && !(used & needed))
        problem = needed == kType2 ? fmt::format("{} lacks its second type", name(instruction))
                                   : fmt::format("{} needs one of {}", name(instruction), words_of(needed));
    if (const ModifierSet extra = used & ~form.allowed; problem.empty() && extra)
      problem = fmt::format("{} takes none of {} with this type", name(instruction), words_of(extra & ~(extra - 1)));
    if (problem.empty()) return {};
  }
  return problem;
}

bool Verifier::comparison(const Instruction& instruction) {
  if (instruction.compare == Compare::None) return true;
  const Type type = instruction.op == Op::Set ? instruction.source_type : instruction.type;
  const Compare compare = instruction.compare;
  const bool equality = compare == Compare::Eq || compare == Compare::Ne;
  const bool ordered = compare >= Compare::Lt && compare <= Compare::Ge;
  const bool of_unsigned = compare >= Compare::Lo && compare <= Compare::Hs;
  bool allowed = equality || (ordered && !is_bits(type));
  if (of_unsigned) allowed = is_unsigned(type);
  if (compare >= Compare::Equ) allowed = is_float(type);
  return allowed || fail(instruction, fmt::format(".{} does not compare .{}", to_string(compare), to_string(type)));
}

bool Verifier::conversion(const Instruction& instruction) {
  if (instruction.op != Op::Cvt) return true;
  const Type to = instruction.type, from = instruction.source_type;
  if (!kConvertible.has(from))
    return fail(instruction, fmt::format("{} lacks the type it converts from", name(instruction)));
  const Rounding rounding = instruction.rounding;
  const bool to_integer = rounding >= Rounding::Rni;
  const bool is_rounded = rounding != Rounding::None;
  std::string problem;
  if (is_integer(to) && is_integer(from)) {
    if (is_rounded) problem = "takes no rounding";
  } else if (is_integer(to)) {
    if (!to_integer) problem = "needs one of .rni, .rzi, .rmi, .rpi";
  } else if (is_integer(from)) {
    if (to_integer || !is_rounded) problem = "needs one of .rn, .rz, .rm, .rp";
  } else if (to == from) {
    if (is_rounded && !to_integer) problem = "rounds to an integer only: .rni, .rzi, .rmi, .rpi";
  } else if (size_of(to) < size_of(from) || to == Type::TF32 || to == Type::F16x2 || to == Type::BF16x2) {
    if (to_integer || !is_rounded) problem = "needs one of .rn, .rz, .rm, .rp, .rna";
  } else if (size_of(to) > size_of(from) && is_rounded) {
    problem = "takes no rounding";
  }
  return problem.empty() || fail(instruction, fmt::format("{} {}", name(instruction), problem));
}

TypeSet atomic_types(AtomicOp op) {
  switch (op) {
    case AtomicOp::Add: return TypeSet{Type::U32, Type::S32, Type::U64} | kFloat | kHalf;
    case AtomicOp::Min:
    case AtomicOp::Max: return kInt32 | kInt64 | kHalf;
    case AtomicOp::Inc:
    case AtomicOp::Dec: return kUnsigned32;
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor: return kBits32 | kBits64;
    case AtomicOp::Exch: return kBits32 | kBits64 | kBits128;
    case AtomicOp::Cas: return kBits | kBits128;
    case AtomicOp::Popc:
    case AtomicOp::None: break;
  }
  return kNoType;
}

TypeSet redux_types(AtomicOp op) {
  switch (op) {
    case AtomicOp::Add:
    case AtomicOp::Min:
    case AtomicOp::Max: return kInt32;
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor: return kBits32;
    default: return kNoType;
  }
}

bool red_takes(AtomicOp op) { return op != AtomicOp::Exch && op != AtomicOp::Cas; }

bool Verifier::atomic(const Instruction& instruction) {
  TypeSet types;
  switch (instruction.op) {
    case Op::Atom:
    case Op::Red: types = atomic_types(instruction.atomic); break;
    case Op::Redux: types = redux_types(instruction.atomic); break;
    case Op::Vote: types = instruction.vote == VoteMode::Ballot ? kBits32 : kPred; break;
    case Op::BarRed:
    case Op::BarCtaRed:
    case Op::BarrierRed:
    case Op::BarrierCtaRed: types = instruction.atomic == AtomicOp::Popc ? kUnsigned32 : kPred; break;
    default: return true;
  }
  if (instruction.op != Op::Vote && instruction.atomic == AtomicOp::None)
    return fail(instruction,
                fmt::format("{} names no operation; it needs one of {}", name(instruction), words_of(kAtomic)));
  if (instruction.op == Op::Red && !red_takes(instruction.atomic))
    return fail(instruction, fmt::format("{}: this operation is there as atom only", name(instruction)));
  const bool adds_half = instruction.atomic == AtomicOp::Add && kHalf.has(instruction.type);
  if (adds_half && !(instruction.modifier_families & kNoFtz))
    return fail(instruction, fmt::format("{} needs .noftz before its type", name(instruction)));
  return types.has(instruction.type) || fail(instruction, fmt::format("{}: this operation does not take .{}",
                                                                      name(instruction), to_string(instruction.type)));
}

// PTX ISA, "Multiply-and-Accumulate Instruction: mma": the shapes of each type of A and B.
bool Verifier::matrix(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::WgmmaMma: return wide_matrix(instruction);
    case Op::WmmaLoadA:
    case Op::WmmaLoadB:
    case Op::WmmaLoadC:
    case Op::WmmaStoreD: return whole_warp_shape(instruction, instruction.type);
    case Op::WmmaMma: return whole_warp_product(instruction);
    case Op::Mma: break;
    default: return true;
  }
  const Type factor = instruction.source_type;
  if (instruction.type == Type::S32) return product_of_bytes(instruction);
  if (instruction.type == Type::F64) return product_of_doubles(instruction);
  const bool tf32 = factor == Type::TF32;
  if (instruction.factor_type != factor || !(tf32 || factor == Type::F16 || factor == Type::BF16))
    return fail(instruction, fmt::format("{}: A and B must both be .f16, .bf16 or .tf32", name(instruction)));
  if (instruction.addend_type != instruction.type || (factor != Type::F16 && instruction.type != Type::F32))
    return fail(instruction, fmt::format("{}: D and C must both be .f32, or with .f16 both .f16", name(instruction)));
  const MatrixShape& shape = instruction.shape;
  if (shape.m != 16 || shape.n != 8 || (tf32 ? shape.k != 4 && shape.k != 8 : shape.k != 8 && shape.k != 16))
    return fail(instruction, fmt::format("{}: .{} is multiplied in the shapes {}", name(instruction), to_string(factor),
                                         tf32 ? "m16n8k4 and m16n8k8" : "m16n8k8 and m16n8k16"));
  return rows_times_columns(instruction);
}

bool Verifier::product_of_bytes(const Instruction& instruction) {
  const auto is_byte = [](Type type) { return type == Type::S8 || type == Type::U8; };
  if (!is_byte(instruction.source_type) || !is_byte(instruction.factor_type) || instruction.addend_type != Type::S32)
    return fail(instruction, fmt::format("{}: A and B must be .s8 or .u8, and C .s32", name(instruction)));
  const MatrixShape& shape = instruction.shape;
  if (shape.m != 16 || shape.n != 8 || (shape.k != 16 && shape.k != 32))
    return fail(instruction,
                fmt::format("{}: bytes are multiplied in the shapes m16n8k16 and m16n8k32", name(instruction)));
  return rows_times_columns(instruction);
}

bool Verifier::product_of_doubles(const Instruction& instruction) {
  if (!all_are_doubles(instruction)) return false;
  const auto [m, n, k] = instruction.shape;
  if (n == 8 && (k == 4 ? m == 8 || m == 16 : m == 16 && (k == 8 || k == 16))) return rows_times_columns(instruction);
  return fail(instruction, fmt::format("{}: doubles are multiplied in the shapes m8n8k4, m16n8k4, m16n8k8 and m16n8k16",
                                       name(instruction)));
}

bool Verifier::all_are_doubles(const Instruction& product) {
  return (product.source_type == Type::F64 && product.factor_type == Type::F64 && product.addend_type == Type::F64) ||
         fail(product, fmt::format("{}: A, B and C must be .f64, too", name(product)));
}

bool Verifier::rows_times_columns(const Instruction& instruction) {
  const std::string words = instruction.modifiers + '.';
  const size_t row = words.find(".row."), col = words.find(".col.");
  return (row != words.npos && col != words.npos && row < col) ||
         fail(instruction, fmt::format("{}: A must be .row and B .col in this shape", name(instruction)));
}

// PTX ISA, "Matrix Data-types" and "Matrix Shape" of wmma: TF32 in its own shape, with sums of .f32, too.
bool Verifier::whole_warp_shape(const Instruction& instruction, Type type) {
  const MatrixShape& shape = instruction.shape;
  const bool of_tf32 = shape == MatrixShape{16, 16, 8};
  const bool of_others = shape.k == 16 && shape.m * shape.n == 256;
  const bool is_double = type == Type::F64;
  if (is_double            ? shape == MatrixShape{8, 8, 4}
      : type == Type::TF32 ? of_tf32
                           : of_others || (of_tf32 && type == Type::F32))
    return true;
  return fail(instruction, fmt::format("{}: .{} is there in the shape{}", name(instruction), to_string(type),
                                       is_double            ? " m8n8k4"
                                       : type == Type::TF32 ? " m16n16k8"
                                                            : "s m16n16k16, m32n8k16 and m8n32k16"));
}

bool Verifier::whole_warp_product(const Instruction& instruction) {
  const Type factor = instruction.source_type, sum = instruction.type, addend = instruction.addend_type;
  if (sum == Type::F64) return all_are_doubles(instruction) && whole_warp_shape(instruction, sum);
  if (instruction.factor_type != factor || !kFactor.has(factor))
    return fail(instruction, fmt::format("{}: A and B must both be .f16, .bf16, .tf32, .s8 or .u8", name(instruction)));
  const bool is_half = sum == Type::F16 || addend == Type::F16;
  const Type expected = is_integer(factor) ? Type::S32 : Type::F32;
  const TypeSet of_halves{Type::F16, Type::F32};
  const bool adds_up = factor == Type::F16 ? of_halves.has(sum) && of_halves.has(addend)
                                           : !is_half && sum == expected && addend == expected;
  if (!adds_up)
    return fail(instruction, fmt::format("{}: D and C must both be .{}", name(instruction),
                                         factor == Type::F16 ? "f16 or .f32" : to_string(expected)));
  return whole_warp_shape(instruction, factor);
}

// PTX ISA, "wgmma.mma_async": TF32 with k = 8, the others with k = 16 and a transposition of each matrix in shared
// memory.
bool Verifier::wide_matrix(const Instruction& instruction) {
  const Type factor = instruction.source_type;
  const bool tf32 = factor == Type::TF32, half = factor == Type::F16 || factor == Type::BF16;
  if (instruction.factor_type != factor || !(tf32 || half))
    return fail(instruction, fmt::format("{}: A and B must both be .f16, .bf16 or .tf32", name(instruction)));
  if (factor != Type::F16 && instruction.type != Type::F32)
    return fail(instruction, fmt::format("{}: D must be .f32, or with .f16 one of .f16 and .f32", name(instruction)));
  if (instruction.shape.k != (tf32 ? 8 : 16))
    return fail(instruction,
                fmt::format("{}: .{} is multiplied with k = {}", name(instruction), to_string(factor), tf32 ? 8 : 16));
  const bool from_registers = instruction.operands.size() > 1 && instruction.operands[1].kind == Operand::Kind::Vector;
  const size_t operands = 6 + (tf32 ? 0u : from_registers ? 1u : 2u);
  return instruction.operands.size() == operands ||
         fail(instruction, fmt::format("{} takes {} operands here", name(instruction), operands));
}

bool Verifier::space(const Instruction& instruction) {
  const auto one_of = [&](std::initializer_list<Space> spaces) {
    if (std::find(spaces.begin(), spaces.end(), instruction.space) != spaces.end()) return true;
    return fail(instruction, fmt::format("{} does not take .{}", name(instruction), to_string(instruction.space)));
  };
  switch (instruction.op) {
    case Op::St: return one_of({Space::Global, Space::Shared, Space::Local, Space::Param, Space::Generic});
    case Op::Atom:
    case Op::WmmaLoadA:
    case Op::WmmaLoadB:
    case Op::WmmaLoadC:
    case Op::WmmaStoreD:
    case Op::Red: return one_of({Space::Global, Space::Shared, Space::Generic});
    case Op::Ldu: return one_of({Space::Global, Space::Generic});
    case Op::Prefetch: return one_of({Space::Global, Space::Local, Space::Const, Space::Param, Space::Generic});
    case Op::Ldmatrix:
    case Op::Stmatrix:
    case Op::CpAsyncMbarrierArrive:
    case Op::MbarrierInit:
    case Op::MbarrierInval:
    case Op::MbarrierExpectTx:
    case Op::MbarrierCompleteTx:
    case Op::MbarrierArrive:
    case Op::MbarrierArriveDrop:
    case Op::MbarrierTestWait:
    case Op::MbarrierTryWait: return one_of({Space::Shared, Space::Generic});
    default: return true;
  }
}

bool Verifier::operands(const Instruction& instruction) {
  OperandKinds kinds;
  if (!operand_kinds(instruction, kinds))
    return fail(instruction,
                fmt::format("{} does not take {} operands", name(instruction), instruction.operands.size()));
  for (size_t i = 0; i < kinds.count; ++i) {
    const std::string problem = operand_problem(instruction, kinds.kinds[i], instruction.operands[i]);
    if (!problem.empty())
      return fail(instruction, fmt::format("operand {} of {} {}", i + 1, name(instruction), problem));
  }
  return true;
}

/// Results that may be discarded: "_".
bool takes_sink(const Instruction& instruction, SlotKind kind) {
  switch (instruction.op) {
    case Op::Atom:
    case Op::MbarrierArrive:
    case Op::MbarrierArriveDrop: return true;
    default: return kind == SlotKind::Dp || kind == SlotKind::Dm || kind == SlotKind::Db;
  }
}

std::string Verifier::operand_problem(const Instruction& instruction, SlotKind kind, const Operand& operand) const {
  using Kind = Operand::Kind;
  const auto is = [&](Kind expected, std::string_view what) {
    return operand.kind == expected ? std::string() : fmt::format("must be {}", what);
  };
  if (operand.negated && kind != SlotKind::P) return "must not be negated; only a source predicate can be";
  switch (kind) {
    case SlotKind::L: return is(Kind::Label, "a label");
    case SlotKind::T: return is(Kind::LabelList, "the name of a .branchtargets list");
    case SlotKind::F: return is(Kind::Function, "a function");
    case SlotKind::List: return is(Kind::Vector, "a list in parentheses");
    case SlotKind::X: return tensor_problem(instruction, operand);
    case SlotKind::M:
      if (!operand.elements.empty()) return "must be an address without coordinates";
      return operand.kind == Kind::Address ? address_problem(instruction, operand) : "must be an address in brackets";
    default: break;
  }
  if (!is_destination(kind)) return source_problem(instruction, kind, operand);
  if (operand.kind == Kind::Sink)
    return takes_sink(instruction, kind) ? "" : "must be a register; this result cannot be discarded";
  const bool several = kind == SlotKind::Dv || fragment_registers(instruction, kind) > 0;
  if (operand.kind == Kind::Vector || several) return vector_problem(instruction, kind, operand);
  if (operand.kind != Kind::Register) return "must be a register";
  return register_problem(instruction, operand.index, operand_type(instruction, kind));
}

std::string Verifier::source_problem(const Instruction& instruction, SlotKind kind, const Operand& operand) const {
  using Kind = Operand::Kind;
  const bool takes_variable = instruction.op == Op::Mov || instruction.op == Op::Cvta || instruction.op == Op::Isspacep;
  if (operand.kind == Kind::Variable && takes_variable) return {};
  const bool several = kind == SlotKind::Av || fragment_registers(instruction, kind) > 0;
  if (operand.kind == Kind::Vector || several) return vector_problem(instruction, kind, operand);
  if (kind == SlotKind::O && operand.kind == Kind::Register) {
    const Type type = function_->registers[static_cast<size_t>(operand.index)].type;
    if (type == Type::Pred) return {};
  }
  return value_problem(instruction, operand, operand_type(instruction, kind));
}

// Dv and Av: as many elements as .v2 or .v4; mov packs and unpacks.
std::string Verifier::vector_problem(const Instruction& instruction, SlotKind kind, const Operand& operand) const {
  const bool is_vector = operand.kind == Operand::Kind::Vector;
  const uint32_t fragment = fragment_registers(instruction, kind);
  const bool takes_vector = kind == SlotKind::Dv || kind == SlotKind::Av || kind == SlotKind::W || fragment > 0;
  const bool is_matrix = instruction.op == Op::Ldmatrix || instruction.op == Op::Stmatrix;
  const size_t count = operand.elements.size();
  if (is_vector && !takes_vector) return "must be one register, not a vector";
  const Type type = element_type(instruction, kind, count);
  if (instruction.op == Op::Mov && is_vector) {
    if ((count != 2 && count != 4) || !is_bits(instruction.type) || size_of(type) * count != size_of(instruction.type))
      return "must have 2 or 4 elements that together are as wide as the type, which must be a .b type";
  } else if (kind == SlotKind::W) {
    if (count != 4) return "must be a descriptor, or four registers in braces";
  } else if (fragment > 0) {
    if (is_vector ? count != fragment : fragment > 1)
      return fmt::format("must have {} register{} in braces", fragment, fragment == 1 ? "" : "s");
  } else if (is_vector ? count != instruction.vector || (count == 1 && !is_matrix) : instruction.vector > 1) {
    return fmt::format("must have {} element{}", instruction.vector,
                       instruction.vector == 1 ? ", without braces" : "s in braces");
  }
  if (!is_vector) return value_problem(instruction, operand, type);
  for (const Operand& element : operand.elements) {
    const bool discarded = element.kind == Operand::Kind::Sink && (kind == SlotKind::Dv || kind == SlotKind::Fd);
    const std::string problem = discarded ? "" : value_problem(instruction, element, type);
    if (!problem.empty()) return "has an element that " + problem;
    if (is_destination(kind) && !discarded && element.kind != Operand::Kind::Register)
      return "must be made of registers";
  }
  return {};
}

std::string Verifier::value_problem(const Instruction& instruction, const Operand& operand, Type type) const {
  switch (operand.kind) {
    case Operand::Kind::Register: return register_problem(instruction, operand.index, type);
    case Operand::Kind::Immediate: return {};
    case Operand::Kind::Special:
      if (instruction.op != Op::Mov) return "must not be a special register; mov it into a register first";
      if (fits(special_type(operand.special), type, false)) return {};
      return fmt::format("must be as wide as {}, which is .{}", to_string(operand.special),
                         to_string(special_type(operand.special)));
    case Operand::Kind::Function:
      return instruction.op == Op::Mov && size_of(type) == 8 ? ""
                                                             : "must not be a function; mov it into a register first";
    default: return "must be a register or a constant";
  }
}

std::string Verifier::register_problem(const Instruction& instruction, int32_t index, Type type) const {
  const Register& reg = function_->registers[static_cast<size_t>(index)];
  const bool may_be_wider =
      instruction.op == Op::Ld || instruction.op == Op::Ldu || instruction.op == Op::St || instruction.op == Op::Cvt;
  if (fits(reg.type, type, may_be_wider)) return {};
  return fmt::format("must be .{}, and {} is .{}", to_string(type), reg.name, to_string(reg.type));
}

// [map, {c0, c1}]: as many coordinates as the instruction has dimensions.
std::string Verifier::tensor_problem(const Instruction& instruction, const Operand& operand) const {
  const size_t count = operand.elements.size();
  if (operand.kind != Operand::Kind::Address || count != instruction.dimensions)
    return fmt::format("must be a tensor map with {} coordinate{} in braces", instruction.dimensions,
                       instruction.dimensions == 1 ? "" : "s");
  for (const Operand& coordinate : operand.elements) {
    const std::string problem = value_problem(instruction, coordinate, Type::S32);
    if (!problem.empty()) return "has a coordinate that " + problem;
  }
  return address_problem(instruction, operand);
}

std::string Verifier::address_problem(const Instruction& instruction, const Operand& operand) const {
  if (operand.index >= 0) {
    const Register& reg = function_->registers[static_cast<size_t>(operand.index)];
    const bool is_address = (size_of(reg.type) == 4 || size_of(reg.type) == 8) && !is_float(reg.type);
    return is_address ? "" : fmt::format("must be an address, and {} is .{}", reg.name, to_string(reg.type));
  }
  if (operand.variable < 0 || instruction.space == Space::Generic || instruction.op == Op::CpAsync ||
      class_of(instruction.op) == OpClass::BulkCopy)
    return {};
  const Variable& variable = variable_of(module_, *function_, operand.variable);
  const auto own = static_cast<int32_t>(function_->variables.size());
  const bool is_input =
      operand.variable >= own && operand.variable < own + static_cast<int32_t>(function_->parameters.size());
  if (instruction.op == Op::St && is_input)
    return fmt::format("must not be '{}', an input of the function", variable.name);
  if (variable.space == instruction.space || instruction.space == Space::None) return {};
  return fmt::format("must be in .{}, and '{}' is in .{}", to_string(instruction.space), variable.name,
                     to_string(variable.space));
}

bool Verifier::call(const Instruction& instruction) {
  OperandKinds kinds;
  if (!operand_kinds(instruction, kinds))
    return fail(instruction, "a call has the form call (results), function, (arguments)");
  const auto f = std::find(kinds.kinds.begin(), kinds.kinds.begin() + kinds.count, SlotKind::F) - kinds.kinds.begin();
  const Operand& callee = instruction.operands[static_cast<size_t>(f)];
  const Operand& last = instruction.operands.back();
  const bool by_pointer = callee.kind == Operand::Kind::Register;
  if (by_pointer != (last.kind == Operand::Kind::Prototype))
    return fail(instruction, "a call through a register, and no other, names a .callprototype at its end");
  if (by_pointer)
    if (const std::string problem = register_problem(instruction, callee.index, Type::B64); !problem.empty())
      return fail(instruction, "what a call calls " + problem);
  const size_t after = kinds.count - static_cast<size_t>(f) - 1 - by_pointer;
  if (f > 1 || after > 1) return fail(instruction, "a call has one list of results and one of arguments");
  if (!by_pointer && callee.kind != Operand::Kind::Function)
    return fail(instruction, "what a call calls must be a function or a register");
  const auto index = static_cast<size_t>(by_pointer ? last.index : callee.index);
  const auto fits = [&](const auto& function) {
    const Operand* arguments = after == 1 ? &instruction.operands[static_cast<size_t>(f) + 1] : nullptr;
    return call_list(instruction, "result", f == 1 ? &instruction.operands[0] : nullptr, function.returns) &&
           call_list(instruction, "argument", arguments, function.parameters);
  };
  return by_pointer ? fits(function_->prototypes[index]) : fits(module_.functions[index]);
}

bool Verifier::call_list(const Instruction& instruction, std::string_view what, const Operand* list,
                         const std::vector<Variable>& formals) {
  const size_t count = list ? list->elements.size() : 0;
  if (count != formals.size())
    return fail(instruction, fmt::format("the function has {} {}{}, and this call {}", formals.size(), what,
                                         formals.size() == 1 ? "" : "s", count));
  for (size_t i = 0; i < count; ++i)
    if (!call_operand(instruction, what, list->elements[i], formals[i])) return false;
  return true;
}

bool Verifier::call_operand(const Instruction& instruction, std::string_view what, const Operand& actual,
                            const Variable& formal) {
  const bool is_scalar = formal.bytes == size_of(formal.type) && formal.bytes <= 8;
  uint64_t bytes = formal.bytes;
  switch (actual.kind) {
    case Operand::Kind::Variable: {
      const Variable& variable = variable_of(module_, *function_, actual.variable);
      if (variable.space != Space::Param || actual.offset != 0)
        return fail(instruction,
                    fmt::format("'{}' is passed to a function; only .param variables can be", variable.name));
      bytes = variable.bytes;
      break;
    }
    case Operand::Kind::Register: bytes = size_of(function_->registers[static_cast<size_t>(actual.index)].type); break;
    case Operand::Kind::Immediate:
      if (what == "result")
        return fail(instruction, fmt::format("the result '{}' cannot go to a constant", formal.name));
      if (!is_scalar)
        return fail(instruction,
                    fmt::format("'{}' has {} bytes; a constant cannot fill them", formal.name, formal.bytes));
      break;
    case Operand::Kind::Sink:
      if (what == "argument") return fail(instruction, fmt::format("the argument '{}' is missing", formal.name));
      break;
    default: return fail(instruction, "what is passed to a function is a .param variable, a register or a constant");
  }
  const bool fills = bytes == formal.bytes && (is_scalar || actual.kind != Operand::Kind::Register);
  return fills ||
         fail(instruction, fmt::format("'{}' has {} bytes, and {} are passed", formal.name, formal.bytes, bytes));
}

bool Verifier::fail(const Instruction& instruction, std::string message) {
  problems_.push_back(problem_with(module_, instruction, std::move(message)));
  return false;
}

}  // namespace

Diagnostics verify(const Module& module) { return Verifier(module).run(); }

}  // namespace tilescope::ptx
