#include "ptx/instruction_parser.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/nearest.h"

namespace tilescope::ptx {
namespace {

constexpr size_t kMaxElements = 4096;  // Of a vector operand or a parameter list; the hardware allows far fewer.

bool adjacent(const Token& left, const Token& right) {
  return left.text.data() + left.text.size() == right.text.data();
}

std::string nearest_opcode(std::string_view text) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kOpCount; ++i) names.emplace_back(mnemonic(static_cast<Op>(i)));
  return nearest_name(text.substr(0, text.find('.')), names);
}

/// What is behind the sentence that refuses an instruction which PTX has.
std::string_view why_left_out(std::string_view name) {
  const auto begins_with = [&](std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view each) { return name.starts_with(each); });
  };
  if (begins_with({"tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"}))
    return "; textures and surfaces are left out";
  if (begins_with({"vote", "match", "shfl"})) return "; only its .sync form is, which GPUs since 7.0 have";
  if (begins_with({"v"})) return "; video instructions are left out";
  return "";
}

std::string unknown_opcode(std::string_view text) {
  const std::string_view outside = outside_the_table(text);
  if (!outside.empty())
    return fmt::format("`{}` is not among the instructions Tilescope executes{}", outside, why_left_out(outside));
  const std::string nearest = nearest_opcode(text);
  if (nearest.empty()) return fmt::format("`{}` is not among the instructions Tilescope executes", text);
  return fmt::format("`{}` is not among the instructions Tilescope executes; did you mean `{}`?", text, nearest);
}

std::string join(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::string_view word : words) text += (text.empty() ? "" : ", ") + fmt::format(".{}", word);
  return text;
}

std::string allowed_types(TypeSet types) {
  std::vector<std::string_view> words;
  for (auto type = Type::Pred; type <= Type::F64; type = static_cast<Type>(static_cast<int>(type) + 1))
    if (types.has(type)) words.push_back(to_string(type));
  return join(words);
}

/// mma: the types of D, A, B and C.
std::string take_matrix_type(Type type, Instruction& instruction) {
  for (Type Instruction::*field : {&Instruction::source_type, &Instruction::factor_type, &Instruction::addend_type})
    if (instruction.*field == Type::None) {
      instruction.*field = type;
      return {};
    }
  return fmt::format("`{}` takes four types", mnemonic(instruction.op));
}

/// wmma.mma with two types: those of D and C, and A and B are .f16.
void take_half_factors(Instruction& instruction) {
  instruction.addend_type = instruction.source_type;
  instruction.source_type = instruction.factor_type = Type::F16;
}

/// Stores a dotted word in the instruction's fields; a reason if it does not belong there.
std::string take_word(std::string_view word, const OpcodeInfo& info, Instruction& instruction) {
  if (const Type type = type_named(word); type != Type::None) {
    if (instruction.type == Type::None) {
      instruction.type = type;
      if (info.types.has(type)) return {};
      const std::string allowed = allowed_types(info.types);
      if (allowed.empty()) return fmt::format("`{}` takes no type", info.mnemonic);
      return fmt::format("`{}` does not take .{}; its types are {}", info.mnemonic, word, allowed);
    }
    if (info.modifiers & kShape) return take_matrix_type(type, instruction);
    if (!(info.modifiers & kType2) || instruction.source_type != Type::None)
      return fmt::format("`{}` takes {} type{}", info.mnemonic, info.modifiers & kType2 ? "two" : "one",
                         info.modifiers & kType2 ? "s" : "");
    instruction.source_type = type;
    return {};
  }
  const ModifierSet family = apply_modifier(word, info.modifiers, instruction);
  if (family == kNone) return fmt::format("`.{}` is not a modifier of `{}` that Tilescope knows", word, info.mnemonic);
  if ((instruction.modifier_families & family) && !may_repeat(family))
    return fmt::format("`.{}` contradicts a modifier before it", word);
  instruction.modifier_families |= family;
  return {};
}

std::string operand_count_problem(const Instruction& instruction, size_t count) {
  const OpcodeInfo& info = info_of(instruction.op);
  size_t least = 0;
  for (size_t i = 0; i < info.slot_count; ++i) least += !info.slots[i].optional;
  const std::string_view how = least == info.slot_count ? "" : "at least ";
  return fmt::format("`{}{}` takes {}{} operand{}, not {}", info.mnemonic, instruction.modifiers, how, least,
                     least == 1 ? "" : "s", count);
}

}  // namespace

const Instruction* OpcodeCache::read(TokenStream& tokens) {
  const Token first = tokens.peek();
  if (first.kind != TokenKind::Identifier) {
    tokens.error_expected("an instruction");
    return nullptr;
  }
  Token last = tokens.take();
  size_t letters = first.text.size();
  bool in_one_piece = true;
  std::string pieces;
  while (tokens.peek().kind == TokenKind::Dotted) {
    const bool touches = adjacent(last, tokens.peek());
    if (in_one_piece && !touches) pieces = std::string(first.text.data(), letters);
    in_one_piece &= touches;
    last = tokens.take();
    letters += last.text.size();
    if (!in_one_piece) pieces += last.text;
  }
  std::string_view text(first.text.data(), in_one_piece ? letters : 0);
  if (!in_one_piece) text = joined_.emplace_back(std::move(pieces));
  const auto found = known_.find(text);
  return found != known_.end() ? &found->second : take_apart(tokens, first, text);
}

const Instruction* OpcodeCache::take_apart(TokenStream& tokens, const Token& first, std::string_view text) {
  Instruction instruction;
  size_t length = 0;
  bool found = find_opcode(text, instruction.op, length);
  if (!found)
    if (std::string ordered = in_order_of_the_table(text); !ordered.empty()) {
      text = joined_.emplace_back(std::move(ordered));
      found = find_opcode(text, instruction.op, length);
    }
  if (!found || outside_the_table(text).size() > length) {
    tokens.error(first, unknown_opcode(text));
    return nullptr;
  }
  const OpcodeInfo& info = info_of(instruction.op);
  instruction.modifiers = text.substr(length);
  for (size_t at = length; at < text.size();) {
    const size_t end = std::min(text.find('.', at + 1), text.size());
    const std::string problem = take_word(text.substr(at + 1, end - at - 1), info, instruction);
    if (!problem.empty()) {
      tokens.error_at_line(first.line, first.column + static_cast<int32_t>(at), problem);
      return nullptr;
    }
    at = end;
  }
  if (instruction.type == Type::None && info.types.bits != 0) {
    tokens.error(first, fmt::format("`{}` lacks a type; its types are {}", text, allowed_types(info.types)));
    return nullptr;
  }
  if (instruction.op == Op::WmmaMma && instruction.factor_type == Type::None) take_half_factors(instruction);
  const bool addresses = (info.modifiers & kSpace) && instruction.op != Op::Cvta && instruction.op != Op::Isspacep;
  if ((addresses && instruction.space == Space::None) || instruction.op == Op::Prefetchu)
    instruction.space = Space::Generic;
  return &known_.emplace(text, std::move(instruction)).first->second;
}

bool InstructionParser::parse(const Instruction& places, Function& function) {
  Instruction guarded;
  const Token first = tokens_.peek();
  if (tokens_.accept("@") && !guard(guarded)) return false;
  const Instruction* opcode = opcodes_.read(tokens_);
  if (!opcode) return false;
  instruction_index_ = function.instructions.size();
  Instruction& instruction = function.instructions.emplace_back(*opcode);
  instruction.guard = guarded.guard;
  instruction.guard_negated = guarded.guard_negated;
  instruction.line = first.line;
  instruction.column = first.column;
  instruction.source = places.source;
  instruction.inlined_at = places.inlined_at;
  instruction.called_from = places.called_from;
  bool pair = false;
  if (!operands(instruction, pair) || !tokens_.expect(";", "after the instruction")) return false;
  bind(instruction, pair);
  return true;
}

bool InstructionParser::guard(Instruction& instruction) {
  instruction.guard_negated = tokens_.accept("!");
  Token name;
  if (!tokens_.expect_name("a predicate register after '@'", name)) return false;
  const Symbol* symbol = scopes_.find(name.text);
  if (!symbol || symbol->kind != Symbol::Kind::Register || symbol->type != Type::Pred)
    return tokens_.error(name, fmt::format("{} is not a predicate register declared here", describe(name)));
  instruction.guard = symbol->index;
  return true;
}

bool InstructionParser::operands(const Instruction& instruction, bool& pair) {
  operands_.clear();
  places_.clear();
  if (tokens_.peek().is(";")) return true;
  do {
    places_.push_back(tokens_.peek());
    operands_.emplace_back();
    if (!operand(instruction, operands_.back())) return false;
    if (operands_.size() > kMaxElements) return tokens_.error(places_.back(), "too many operands");
    const bool bar = operands_.size() == 1 && tokens_.accept("|");
    pair |= bar;
    if (bar) continue;
    if (!tokens_.accept(",")) return true;
  } while (true);
}

bool InstructionParser::operand(const Instruction& instruction, Operand& operand) {
  const Token& token = tokens_.peek();
  if (token.is("[")) return address(operand);
  if (token.is("{")) return vector(instruction, "}", operand);
  if (token.is("(") && instruction.op == Op::Call) return vector(instruction, ")", operand);
  if (token.is("!") && tokens_.peek_second().kind == TokenKind::Identifier) {
    tokens_.take();
    operand.negated = true;
    return named(instruction, operand);
  }
  if (starts_constant(token)) return constant(operand);
  return named(instruction, operand);
}

// [register + constant], [variable + constant], [constant]
bool InstructionParser::address(Operand& operand) {
  tokens_.take();
  const Token base = tokens_.peek();
  operand.kind = Operand::Kind::Address;
  if (base.kind == TokenKind::Identifier && !base.is_word("WARP_SZ")) {
    tokens_.take();
    const Symbol* symbol = scopes_.find(base.text);
    if (symbol && symbol->kind == Symbol::Kind::Register)
      operand.index = symbol->index;
    else if (symbol && symbol->kind == Symbol::Kind::Variable)
      operand.variable = symbol->index;
    else
      return tokens_.error(base, fmt::format("{} is not a register or variable declared here", describe(base)));
  }
  const bool has_base = operand.index >= 0 || operand.variable >= 0;
  const bool has_offset = !has_base || !(tokens_.peek().is("]") || tokens_.peek().is(","));
  if (has_base && has_offset && !tokens_.peek().is("+") && !tokens_.peek().is("-"))
    return tokens_.error_expected("'+' and a constant, or ']'");
  if (has_offset && !offset(operand.offset)) return false;
  if (tokens_.accept(",") && !coordinates(operand)) return false;
  return tokens_.expect("]", "after the address");
}

// Of a tensor map: {c0, c1}
bool InstructionParser::coordinates(Operand& operand) {
  if (!tokens_.peek().is("{")) return tokens_.error_expected("coordinates in braces");
  Operand list;
  if (!vector(Instruction{}, "}", list)) return false;
  operand.elements = std::move(list.elements);
  return true;
}

// After a base the expression begins with its sign, like the rest of a sum.
bool InstructionParser::offset(int64_t& offset) {
  const Token at = tokens_.peek();
  Constant value;
  if (!parse_constant(tokens_, value)) return false;
  if (value.kind != Constant::Kind::Integer) return tokens_.error(at, "an address takes an integer");
  offset = static_cast<int64_t>(value.bits);
  return true;
}

bool InstructionParser::vector(const Instruction& instruction, std::string_view close, Operand& operand) {
  const Token open = tokens_.take();
  operand.kind = Operand::Kind::Vector;
  if (tokens_.accept(close)) return true;
  do {
    const Token& token = tokens_.peek();
    if (token.is("{") || token.is("[") || token.is("(")) return tokens_.error_expected("a register or a constant");
    if (operand.elements.size() == kMaxElements) return tokens_.error(open, "too many elements");
    if (!this->operand(instruction, operand.elements.emplace_back())) return false;
  } while (tokens_.accept(","));
  return tokens_.expect(close, "after the last element");
}

// Until bind() knows its type, `index` holds what kind of constant it is.
bool InstructionParser::constant(Operand& operand) {
  Constant value;
  if (!parse_constant(tokens_, value)) return false;
  operand.kind = Operand::Kind::Immediate;
  operand.bits = value.bits;
  operand.index = static_cast<int32_t>(value.kind);
  return true;
}

bool InstructionParser::named(const Instruction& instruction, Operand& operand) {
  Token name;
  if (!tokens_.expect_name("an operand", name)) return false;
  if (name.text == "_") return true;
  if (instruction.op == Op::Bra || (instruction.op == Op::BrxIdx && operands_.size() == 2)) {
    operand.kind = Operand::Kind::Label;
    scopes_.refer(name, instruction_index_, operands_.size() - 1);
    return true;
  }
  const Symbol* symbol = scopes_.find(name.text);
  if (!symbol) return special(name, operand);
  operand.index = symbol->index;
  switch (symbol->kind) {
    case Symbol::Kind::Register: operand.kind = Operand::Kind::Register; return true;
    case Symbol::Kind::VectorRegister: return component(name, *symbol, operand);
    case Symbol::Kind::Function: operand.kind = Operand::Kind::Function; return true;
    case Symbol::Kind::Prototype: operand.kind = Operand::Kind::Prototype; return true;
    case Symbol::Kind::Variable:
      operand.kind = Operand::Kind::Variable;
      std::swap(operand.variable, operand.index);
      return !(tokens_.peek().is("+") || tokens_.peek().is("-")) || offset(operand.offset);
    default: return tokens_.error(name, fmt::format("{} cannot be an operand here", describe(name)));
  }
}

bool InstructionParser::special(const Token& name, Operand& operand) {
  if (!find_special(name.text, operand.special)) {
    const std::string_view what = name.text[0] == '%'
                                      ? "is neither declared here nor a special register that Tilescope knows"
                                      : "is declared neither in this function nor in the module";
    return tokens_.error(name, fmt::format("{} {}", describe(name), what));
  }
  operand.kind = Operand::Kind::Special;
  if (!has_components(operand.special)) return true;
  constexpr std::array<std::string_view, 3> kComponents{".x", ".y", ".z"};
  const auto found = std::find(kComponents.begin(), kComponents.end(), tokens_.peek().text);
  if (found == kComponents.end()) return tokens_.error_expected("'.x', '.y' or '.z'");
  operand.component = static_cast<uint8_t>(found - kComponents.begin());
  tokens_.take();
  return true;
}

// v.x, or all of v as a vector
bool InstructionParser::component(const Token& name, const Symbol& symbol, Operand& operand) {
  const Symbol vector = symbol;
  const auto part = [&](uint32_t i) {
    Operand element;
    element.kind = Operand::Kind::Register;
    element.index = scopes_.vector_component(name.text, vector, i);
    return element;
  };
  if (tokens_.peek().kind != TokenKind::Dotted) {
    operand.kind = Operand::Kind::Vector;
    operand.index = -1;
    for (uint32_t i = 0; i < vector.count; ++i) operand.elements.push_back(part(i));
    return true;
  }
  constexpr std::string_view kLetters = "xyzwrgba";
  const std::string_view letter = tokens_.peek().text;
  const size_t found = letter.size() == 2 ? kLetters.find(letter[1]) : std::string_view::npos;
  if (found == std::string_view::npos || found % 4 >= vector.count)
    return tokens_.error_expected(fmt::format("a component of {}", describe(name)));
  tokens_.take();
  const bool negated = operand.negated;
  operand = part(static_cast<uint32_t>(found % 4));
  operand.negated = negated;
  return true;
}

void InstructionParser::bind(Instruction& instruction, bool pair) {
  OperandKinds kinds;
  if (instruction.op != Op::Call && !operand_kinds(instruction, operands_.size(), pair, kinds)) {
    Token at = operands_.empty() ? Token{} : places_.front();
    if (operands_.empty()) {
      at.line = instruction.line;
      at.column = instruction.column;
    }
    tokens_.error(at, operand_count_problem(instruction, operands_.size()));
    return;
  }
  for (size_t i = 0; i < operands_.size(); ++i) {
    const SlotKind kind = instruction.op == Op::Call ? SlotKind::List : kinds.kinds[i];
    if (!convert(operand_type(instruction, kind), operands_[i], places_[i])) return;
    const Type type = element_type(instruction, kind, operands_[i].elements.size());
    for (Operand& element : operands_[i].elements)
      if (!convert(type, element, places_[i])) return;
  }
  instruction.operands.assign(std::make_move_iterator(operands_.begin()), std::make_move_iterator(operands_.end()));
}

bool InstructionParser::convert(Type type, Operand& operand, const Token& at) {
  if (operand.kind != Operand::Kind::Immediate) return true;
  const Constant value{static_cast<Constant::Kind>(operand.index), false, operand.bits};
  operand.index = -1;
  std::string problem;
  return convert_constant(value, type, operand.bits, problem) || tokens_.error(at, problem);
}

}  // namespace tilescope::ptx
