#include "ptx/scope.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace tilescope::ptx {
namespace {

constexpr size_t kMaxScopeDepth = 256;
constexpr size_t kMaxDigits = 8;  // Of a register's number; a range has at most 2^24.

/// The number in `digits`, if it is below `count` and has no leading zero.
bool read_number(std::string_view digits, uint32_t count, uint32_t& number) {
  if (digits.empty() || (digits[0] == '0' && digits.size() > 1)) return false;
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return status == std::errc{} && stop == digits.data() + digits.size() && number < count;
}

/// Length of the name without the digits that can be a number in a range.
size_t without_digits(std::string_view name) {
  size_t length = name.size();
  while (length > 1 && name.size() - length < kMaxDigits && name[length - 1] >= '0' && name[length - 1] <= '9')
    --length;
  return length;
}

}  // namespace

ScopeStack::ScopeStack(TokenStream& tokens, const SymbolTable& module_symbols, SymbolTable parameters,
                       Function& function)
    : tokens_(tokens), module_symbols_(module_symbols), function_(function) {
  for (const auto& [name, symbol] : parameters) ++name_uses_[name];
  scopes_.push_back({std::move(parameters), {}, {}});
}

bool ScopeStack::open(const Token& at) {
  if (scopes_.size() == kMaxScopeDepth)
    return tokens_.error(at, fmt::format("braces are nested more than {} deep", kMaxScopeDepth));
  scopes_.emplace_back();
  return true;
}

void ScopeStack::close() {
  Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  for (Reference& reference : closed.references) {
    const auto found = closed.symbols.find(reference.name.text);
    if (found != closed.symbols.end())
      resolve(reference, found->second);
    else if (!scopes_.empty())
      scopes_.back().references.push_back(std::move(reference));
    else
      tokens_.error(reference.name, fmt::format("{} is declared nowhere in this function", describe(reference.name)));
  }
}

bool ScopeStack::declare(const Token& name, Symbol symbol) {
  if (scopes_.back().symbols.emplace(name.text, symbol).second) return true;
  return tokens_.error(name, fmt::format("{} is declared twice in these braces", describe(name)));
}

bool ScopeStack::declare_variable(const Token& name, Variable variable) {
  const auto index = static_cast<int32_t>(function_.variables.size());
  if (!declare(name, {Symbol::Kind::Variable, variable.type, 1, kOwnVariable + index})) return false;
  variable.name = unique_name(name.text);
  function_.variables.push_back(std::move(variable));
  return true;
}

const Symbol* ScopeStack::find(std::string_view name) {
  const size_t prefix = without_digits(name);
  for (size_t i = scopes_.size(); i-- > 0;) {
    const Symbol* number = scopes_[i].ranges.empty() ? nullptr : find_in_range(scopes_[i], name, prefix);
    if (number) return number;
    const auto found = scopes_[i].symbols.find(name);
    if (found == scopes_[i].symbols.end()) continue;
    Symbol& symbol = found->second;
    if (symbol.kind == Symbol::Kind::DeclaredRegister)
      symbol = {Symbol::Kind::Register, symbol.type, 1, make_register(name, symbol.type)};
    return &symbol;
  }
  const auto found = module_symbols_.find(name);
  return found == module_symbols_.end() ? nullptr : &found->second;
}

// A prefix can itself end in digits (%r1<5> makes %r14), so the search begins with the shortest.
// A prefix can itself end in digits (%r1<5> makes %r14), so the search begins with the shortest.
const Symbol* ScopeStack::find_in_range(Scope& scope, std::string_view name, size_t shortest) {
  for (size_t length = shortest; length < name.size(); ++length) {
    const auto range = scope.symbols.find(name.substr(0, length));
    uint32_t number = 0;
    if (range == scope.symbols.end() || range->second.kind != Symbol::Kind::RegisterRange) continue;
    if (!read_number(name.substr(length), range->second.count, number)) continue;
    Symbol& symbol = scope.ranges[static_cast<size_t>(range->second.index)].at(number);
    if (symbol.index < 0)
      symbol = {Symbol::Kind::Register, range->second.type, 1, make_register(name, range->second.type)};
    return &symbol;
  }
  return nullptr;
}

// The list stays within a few times its used part: a range may be declared much longer.
Symbol& ScopeStack::Range::at(uint32_t number) {
  if (number < list.size() && list[number].index >= 0) return list[number];
  if (const auto other = others.find(number); other != others.end()) return other->second;
  ++used;
  if (number >= 64 + 4 * used) return others[number];
  if (number >= list.size()) list.resize(std::max<size_t>(number + 1, 2 * list.size()));
  return list[number];
}

bool ScopeStack::declare_range(const Token& name, Type type, uint32_t count) {
  std::vector<Range>& ranges = scopes_.back().ranges;
  if (!declare(name, {Symbol::Kind::RegisterRange, type, count, static_cast<int32_t>(ranges.size())})) return false;
  ranges.emplace_back();
  return true;
}

bool ScopeStack::declare_vector(const Token& name, Type type, uint32_t lanes) {
  const auto index = static_cast<int32_t>(vectors_.size());
  if (!declare(name, {Symbol::Kind::VectorRegister, type, lanes, index})) return false;
  vectors_.push_back({-1, -1, -1, -1});
  return true;
}

int32_t ScopeStack::vector_component(std::string_view name, const Symbol& vector, uint32_t component) {
  constexpr std::string_view kComponents = "xyzw";
  int32_t& index = vectors_[static_cast<size_t>(vector.index)][component];
  if (index < 0) index = make_register(fmt::format("{}${}", name, kComponents[component]), vector.type);
  return index;
}

int32_t ScopeStack::make_register(std::string_view name, Type type) {
  function_.registers.push_back({unique_name(name), type});
  return static_cast<int32_t>(function_.registers.size()) - 1;
}

// Braces and functions can hide a name; the function's list cannot, so the second "p" is "p$2".
std::string ScopeStack::unique_name(std::string_view name) {
  int& uses = name_uses_[name];
  if (uses == 0 && module_symbols_.contains(name)) ++uses;
  if (++uses == 1) return std::string(name);
  while (true) {
    const std::string& unique = made_names_.emplace_back(fmt::format("{}${}", name, uses));
    if (name_uses_[unique]++ == 0) return unique;
    ++uses;
  }
}

void ScopeStack::refer(const Token& name, size_t instruction, size_t operand) {
  scopes_.back().references.push_back({name, false, instruction, operand});
}

void ScopeStack::refer_in_list(const Token& name, size_t list, size_t element) {
  scopes_.back().references.push_back({name, true, list, element});
}

void ScopeStack::resolve(const Reference& reference, const Symbol& symbol) {
  const bool label = symbol.kind == Symbol::Kind::Label;
  if (reference.in_list) {
    if (label)
      function_.branch_targets[reference.holder][reference.place] = symbol.index;
    else
      tokens_.error(reference.name, fmt::format("{} is not a label", describe(reference.name)));
    return;
  }
  std::vector<Operand>& operands = function_.instructions[reference.holder].operands;
  if (reference.place >= operands.size()) return;  // There was an error in that instruction.
  Operand& operand = operands[reference.place];
  if (!label && symbol.kind != Symbol::Kind::BranchTargets) {
    tokens_.error(reference.name, fmt::format("{} is not a label", describe(reference.name)));
    return;
  }
  operand.kind = label ? Operand::Kind::Label : Operand::Kind::LabelList;
  operand.index = symbol.index;
}

}  // namespace tilescope::ptx
