#include "ptx/declaration.h"

#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "ptx/opcode_table.h"

namespace tilescope::ptx {
namespace {

constexpr size_t kMaxDimensions = 8;
constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 40;
constexpr uint64_t kMaxInitialBytes = uint64_t{256} << 20;  // Of all variables of a module together.
constexpr uint64_t kMaxAlignment = 1 << 16;

}  // namespace

Space space_named(std::string_view directive) {
  if (directive == ".global") return Space::Global;
  if (directive == ".shared") return Space::Shared;
  if (directive == ".local") return Space::Local;
  if (directive == ".const") return Space::Const;
  if (directive == ".param") return Space::Param;
  return Space::None;
}

bool DeclarationParser::variables(Space space, bool is_extern, const std::function<bool(Variable, const Token&)>& add) {
  Shape shape;
  if (!prefix(shape)) return false;
  do {
    Variable variable;
    Token name;
    if (!declarator(shape, space, is_extern, variable, name) || !add(std::move(variable), name)) return false;
  } while (tokens_.accept(","));
  return true;
}

bool DeclarationParser::parameter(Variable& variable, Token& name) {
  if (tokens_.peek().text == ".reg")
    return tokens_.error(tokens_.peek(), "parameters in registers are not read; declare this one as .param");
  if (!tokens_.accept_directive(".param")) return tokens_.error_expected("'.param'");
  Shape shape;
  return prefix(shape) && declarator(shape, Space::Param, false, variable, name);
}

bool DeclarationParser::register_type(Type& type, uint32_t& lanes) {
  Shape shape;
  if (!prefix(shape)) return false;
  type = shape.type;
  lanes = shape.lanes;
  return true;
}

bool DeclarationParser::prefix(Shape& shape) {
  const Token first = tokens_.peek();
  while (tokens_.peek().kind == TokenKind::Dotted)
    if (!prefix_word(shape)) return false;
  if (shape.type == Type::None) return tokens_.error(first, "this declaration names no type, such as .b32");
  return true;
}

bool DeclarationParser::prefix_word(Shape& shape) {
  const Token word = tokens_.take();
  if (word.text == ".align") return alignment(shape.align);
  if (word.text == ".attribute" && tokens_.peek().is("(")) {
    while (!tokens_.at_end() && !tokens_.accept(")")) tokens_.take();
    return true;
  }
  // .ptr says where a kernel's argument points to, and how it is aligned.
  if (word.text == ".ptr") {
    if (space_named(tokens_.peek().text) != Space::None) tokens_.take();
    uint32_t pointee = 0;
    return !tokens_.accept_directive(".align") || alignment(pointee);
  }
  if (word.text == ".v2" || word.text == ".v4") {
    shape.lanes = word.text == ".v2" ? 2 : 4;
    return true;
  }
  const Type type = type_named(word.text.substr(1));
  if (type == Type::None)
    return tokens_.error(word, fmt::format("{} is not a variable type that Tilescope knows", describe(word)));
  shape.type = type;
  return true;
}

bool DeclarationParser::alignment(uint32_t& align) {
  const Token at = tokens_.peek();
  uint64_t value = 0;
  if (!tokens_.expect_integer("an alignment", kMaxAlignment, value)) return false;
  if (!std::has_single_bit(value)) return tokens_.error(at, "an alignment is a power of two");
  align = static_cast<uint32_t>(value);
  return true;
}

bool DeclarationParser::declarator(const Shape& shape, Space space, bool is_extern, Variable& variable, Token& name) {
  if (!tokens_.expect_name("the name of a variable", name)) return false;
  variable.name = name.text;
  variable.space = space;
  variable.type = shape.type;
  variable.is_extern = is_extern;
  variable.line = name.line;
  variable.align = shape.align ? shape.align : std::max(1u, size_of(shape.type) * shape.lanes);
  if (shape.type == Type::Pred) return tokens_.error(name, "a predicate has no place in memory; declare it with .reg");
  Extents extents;
  if (!array_extents(shape, variable, extents)) return false;
  if (tokens_.accept("=")) return initial_values(variable, extents, name);
  if (extents.open) variable.bytes = 0;
  return true;
}

bool DeclarationParser::array_extents(const Shape& shape, Variable& variable, Extents& extents) {
  if (shape.lanes > 1) extents.sizes.push_back(shape.lanes);
  variable.bytes = uint64_t{size_of(shape.type)} * shape.lanes;
  for (bool first = true; tokens_.peek().is("["); first = false) {
    const Token at = tokens_.take();
    Constant extent{.bits = 1};
    if (first && tokens_.peek().is("]"))
      extents.open = true;
    else if (!parse_constant(tokens_, extent))
      return false;
    if (!tokens_.expect("]", "after the extent of an array")) return false;
    if (extent.kind != Constant::Kind::Integer) return tokens_.error(at, "the extent of an array is an integer");
    if (extent.bits != 0 && variable.bytes > kMaxVariableBytes / extent.bits)
      return tokens_.error(at, fmt::format("'{}' is larger than a terabyte", variable.name));
    if (extents.sizes.size() == kMaxDimensions) return tokens_.error(at, "an array has at most eight dimensions");
    variable.bytes *= extent.bits;
    extents.sizes.insert(extents.sizes.end() - (shape.lanes > 1), extent.bits);
  }
  return true;
}

bool DeclarationParser::initial_values(Variable& variable, Extents& extents, const Token& name) {
  if (variable.space != Space::Global && variable.space != Space::Const)
    return tokens_.error(name, fmt::format("a variable in .{} has no initial value", to_string(variable.space)));
  const uint64_t row = std::max<uint64_t>(variable.bytes, 1);
  if (extents.open) extents.sizes[0] = kMaxVariableBytes / row;
  if (extents.open) variable.bytes = extents.sizes[0] * row;
  std::vector<uint64_t> strides{variable.bytes};
  for (uint64_t extent : extents.sizes) strides.push_back(strides.back() / std::max<uint64_t>(extent, 1));
  uint64_t offset = 0;
  if (!initial_value(variable, strides, 0, offset)) return false;
  if (extents.open) variable.bytes = (offset + row - 1) / row * row;
  return true;
}

// strides[level] is the size of an element at that level: the whole variable at 0, one scalar at the last.
bool DeclarationParser::initial_value(Variable& variable, const std::vector<uint64_t>& strides, size_t level,
                                      uint64_t& offset) {
  const uint64_t end = offset + strides[level];
  if (tokens_.peek().is("{")) {
    if (level + 1 == strides.size()) return tokens_.error(tokens_.peek(), "more braces than the array has dimensions");
    if (!initial_list(variable, strides, level, offset)) return false;
    if (level > 0) offset = end;
    return true;
  }
  if (offset + size_of(variable.type) > variable.bytes)
    return tokens_.error(tokens_.peek(), fmt::format("more initial values than '{}' has elements", variable.name));
  if (!initial_element(variable, offset)) return false;
  offset += size_of(variable.type);
  return true;
}

bool DeclarationParser::initial_list(Variable& variable, const std::vector<uint64_t>& strides, size_t level,
                                     uint64_t& offset) {
  tokens_.take();
  if (tokens_.accept("}")) return true;
  do {
    if (!initial_value(variable, strides, level + 1, offset)) return false;
  } while (tokens_.accept(","));
  return tokens_.expect("}", "after the initial values");
}

bool DeclarationParser::initial_element(Variable& variable, uint64_t offset) {
  const Token at = tokens_.peek();
  const uint32_t bytes = size_of(variable.type);
  if (offset + bytes > variable.initial.size()) {
    initial_bytes_ += offset + bytes - variable.initial.size();
    if (initial_bytes_ > kMaxInitialBytes) return tokens_.error(at, "the initial values are larger than 256 MiB");
    variable.initial.resize(offset + bytes);
  }
  if (!starts_constant(at)) return initial_address(variable, offset);
  Constant value;
  std::string problem;
  uint64_t bits = 0;
  if (!parse_constant(tokens_, value)) return false;
  if (!convert_constant(value, variable.type, bits, problem)) return tokens_.error(at, problem);
  std::memcpy(variable.initial.data() + offset, &bits, std::min<size_t>(bytes, sizeof bits));
  return true;
}

// name, name+4, generic(name), generic(name)+4; the name of a variable or a function
bool DeclarationParser::initial_address(Variable& variable, uint64_t offset) {
  AddressInitial address{.offset = offset};
  Token name;
  if (!tokens_.expect_name("an initial value", name)) return false;
  if (name.text == "generic" && tokens_.accept("(")) {
    address.generic = true;
    if (!tokens_.expect_name("the name of a variable", name) || !tokens_.expect(")", "after it")) return false;
  }
  if (size_of(variable.type) != 8)
    return tokens_.error(name, "an address takes 8 bytes; the variable's type must be .b64 or .u64");
  const auto found = module_symbols_.find(name.text);
  const bool is_known = found != module_symbols_.end();
  if (is_known && found->second.kind == Symbol::Kind::Function)
    address.function = found->second.index;
  else if (is_known && found->second.kind == Symbol::Kind::Variable)
    address.variable = found->second.index - kModuleVariable;
  else
    return tokens_.error(name, fmt::format("{} is not a variable or function declared above", describe(name)));
  Constant addend;
  if ((tokens_.peek().is("+") || tokens_.peek().is("-")) && !parse_constant(tokens_, addend)) return false;
  address.addend = static_cast<int64_t>(addend.bits);
  variable.initial_addresses.push_back(address);
  return true;
}

}  // namespace tilescope::ptx
