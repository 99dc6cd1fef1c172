#include "ptx/module_parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "ptx/body_parser.h"

namespace tilescope::ptx {
namespace {

constexpr uint64_t kMaxFiles = 65536;
constexpr uint64_t kMaxExtent = 0xffffffff;

}  // namespace

Module ModuleParser::parse() {
  while (!tokens_.at_end() && !tokens_.gave_up()) statement();
  if (module_.version.empty())
    tokens_.error_at_line(1, 1, "the module lacks a .version directive, such as .version 9.0");
  if (module_.target.empty())
    tokens_.error_at_line(1, 1, "the module lacks a .target directive, such as .target sm_90");
  return std::move(module_);
}

void ModuleParser::statement() {
  const Token word = tokens_.peek();
  if (tokens_.accept(";")) return;
  if (word.kind != TokenKind::Dotted) {
    tokens_.error_expected("a directive, such as .entry");
    tokens_.take();
    skip_to_directive();
    return;
  }
  tokens_.take();
  if (!directive(word)) skip_to_directive();
}

// After an error: past the ';' or the braces that end the statement, or before the next statement.
void ModuleParser::skip_to_directive() {
  constexpr std::array<std::string_view, 9> kStarts{".entry",  ".func",  ".visible", ".extern", ".weak",
                                                    ".global", ".const", ".section", ".file"};
  while (!tokens_.at_end()) {
    const Token& token = tokens_.peek();
    if (token.kind == TokenKind::Dotted && std::find(kStarts.begin(), kStarts.end(), token.text) != kStarts.end())
      return;
    if (token.is("{")) return tokens_.skip_braces();
    if (tokens_.take().is(";")) return;
  }
}

bool ModuleParser::directive(const Token& word) {
  if (word.text == ".version") return version();
  if (word.text == ".target") return target();
  if (word.text == ".address_size") return address_size();
  if (word.text == ".file") return file();
  if (word.text == ".section") return section();
  if (word.text == ".alias") return alias();
  if (word.text == ".entry") return function(true);
  if (word.text == ".func") return function(false);
  if (word.text == ".visible" || word.text == ".weak" || word.text == ".common") return true;
  if (word.text == ".extern") return external();
  if (const Space space = space_named(word.text); space != Space::None) return variable(space, false);
  if (word.text == ".pragma" || word.text == ".metadata") {
    tokens_.skip_statement();
    return true;
  }
  return tokens_.error(word, fmt::format("{} is not a directive allowed in a module", describe(word)));
}

bool ModuleParser::version() {
  const Token number = tokens_.peek();
  if (number.kind != TokenKind::Double) return tokens_.error_expected("a version such as 9.0");
  module_.version = tokens_.take().text;
  return true;
}

bool ModuleParser::target() {
  Token name;
  if (!tokens_.expect_name("a target such as sm_90", name)) return false;
  module_.target = name.text;
  while (tokens_.accept(","))
    if (!tokens_.expect_name("a target such as sm_90", name)) return false;
  return true;
}

bool ModuleParser::address_size() {
  const Token at = tokens_.peek();
  uint64_t bits = 0;
  if (!tokens_.expect_integer("the address size", 64, bits)) return false;
  return bits == 64 || tokens_.error(at, "only 64-bit addresses are executed; compile for a 64-bit machine");
}

// .file 1 "name", timestamp, size
bool ModuleParser::file() {
  uint64_t number = 0;
  if (!tokens_.expect_integer("a file number", kMaxFiles, number)) return false;
  if (tokens_.peek().kind != TokenKind::String) return tokens_.error_expected("the name of a file in quotes");
  const Token name = tokens_.take();
  if (number > module_.files.size()) module_.files.resize(number);
  if (number > 0) module_.files[number - 1] = name.text;
  while (tokens_.accept(",")) tokens_.take();
  return true;
}

bool ModuleParser::section() {
  if (tokens_.peek().kind == TokenKind::Dotted || tokens_.peek().kind == TokenKind::Identifier) tokens_.take();
  if (!tokens_.peek().is("{")) return tokens_.error_expected("'{' after the name of the section");
  tokens_.skip_braces();
  return true;
}

// .alias name, function;
bool ModuleParser::alias() {
  Token name, target;
  if (!tokens_.expect_name("the name of a function", name) || !tokens_.expect(",", "after it") ||
      !tokens_.expect_name("the name of a function", target))
    return false;
  for (const Token* token : {&name, &target}) {
    const auto found = symbols_.find(token->text);
    if (found == symbols_.end() || found->second.kind != Symbol::Kind::Function)
      return tokens_.error(*token, fmt::format("{} is not a function declared above", describe(*token)));
  }
  module_.functions[static_cast<size_t>(symbols_[name.text].index)].alias_of = symbols_[target.text].index;
  return tokens_.expect(";", "after the alias");
}

bool ModuleParser::external() {
  if (tokens_.accept_directive(".entry")) return function(true);
  if (tokens_.accept_directive(".func")) return function(false);
  const Space space = space_named(tokens_.peek().text);
  if (space == Space::None) return tokens_.error_expected("a function or a variable after .extern");
  tokens_.take();
  return variable(space, true);
}

bool ModuleParser::variable(Space space, bool is_extern) {
  const auto add = [&](Variable variable, const Token& name) { return add_variable(std::move(variable), name); };
  return declarations_.variables(space, is_extern, add) && tokens_.expect(";", "after the declaration");
}

bool ModuleParser::add_variable(Variable variable, const Token& name) {
  if (variable.space == Space::Local || variable.space == Space::Param)
    return tokens_.error(name, fmt::format("a .{} variable belongs in a function", to_string(variable.space)));
  if (variable.bytes == 0 && !variable.is_extern && variable.space != Space::Shared)
    return tokens_.error(name, fmt::format("{} has no size", describe(name)));
  const auto [found, is_new] = symbols_.try_emplace(name.text);
  Symbol& symbol = found->second;
  if (is_new) {
    symbol = {Symbol::Kind::Variable, variable.type, 1,
              kModuleVariable + static_cast<int32_t>(module_.variables.size())};
    module_.variables.push_back(std::move(variable));
    return true;
  }
  const bool is_variable = symbol.kind == Symbol::Kind::Variable;
  Variable* known = is_variable ? &module_.variables[static_cast<size_t>(symbol.index - kModuleVariable)] : nullptr;
  if (!known || !(known->is_extern || variable.is_extern))
    return tokens_.error(name, fmt::format("{} is declared twice in this module", describe(name)));
  if (!variable.is_extern) *known = std::move(variable);
  return true;
}

bool ModuleParser::function(bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  Token name;
  SymbolTable scope;
  if (!signature(function, name, scope) || !attributes(function)) return false;
  function.is_declaration = !tokens_.peek().is("{");
  if (function.is_declaration && !tokens_.expect(";", "or '{' after the function's head")) return false;
  size_t index = 0;
  const bool has_body = !function.is_declaration;
  const bool is_added = add_function(std::move(function), name, index);
  if (!has_body) return is_added;
  if (is_added)
    BodyParser(tokens_, opcodes_, symbols_, std::move(scope), module_.functions[index]).parse();
  else
    tokens_.skip_braces();
  return true;
}

bool ModuleParser::signature(Function& function, Token& name, SymbolTable& scope) {
  if (tokens_.peek().is("(") && !parameters(function.returns, kReturn, scope)) return false;
  if (!tokens_.expect_name("the name of the function", name)) return false;
  function.name = name.text;
  function.line = name.line;
  return !tokens_.peek().is("(") || parameters(function.parameters, kParameter, scope);
}

bool ModuleParser::parameters(std::vector<Variable>& list, int32_t variable_class, SymbolTable& scope) {
  tokens_.take();
  if (tokens_.accept(")")) return true;
  do {
    Variable variable;
    Token name;
    if (!declarations_.parameter(variable, name)) return false;
    const Symbol symbol{Symbol::Kind::Variable, variable.type, 1, variable_class + static_cast<int32_t>(list.size())};
    if (name.text != "_" && !scope.emplace(name.text, symbol).second)
      return tokens_.error(name, fmt::format("two parameters are called {}", describe(name)));
    list.push_back(std::move(variable));
  } while (tokens_.accept(","));
  return tokens_.expect(")", "after the parameters");
}

bool ModuleParser::attributes(Function& function) {
  while (tokens_.peek().kind == TokenKind::Dotted) {
    const Token word = tokens_.take();
    if (word.text == ".maxntid") {
      if (!extents(function.max_threads)) return false;
    } else if (word.text == ".reqntid") {
      if (!extents(function.required_threads)) return false;
    } else if (word.text == ".minnctapersm") {
      if (!count(function.min_blocks)) return false;
    } else if (word.text == ".maxnreg") {
      if (!count(function.max_registers)) return false;
    } else if (word.text == ".noreturn") {
      function.no_return = true;
    } else if (word.text == ".pragma") {
      skip_arguments();
      tokens_.accept(";");
    } else if (word.text == ".attribute" || word.text == ".abi_preserve" || word.text == ".abi_preserve_control" ||
               word.text == ".maxnctapersm" || word.text == ".unified") {
      skip_arguments();
    } else if (word.text == ".reqnctapercluster") {
      if (!extents(function.cluster)) return false;
    } else if (word.text == ".explicitcluster" || word.text == ".maxclusterrank") {
      skip_arguments();
    } else if (word.text == ".blocksareclusters") {
      tokens_.warn(word, "the blocks of this kernel run on their own: launches that count clusters are not executed");
      skip_arguments();
    } else {
      return tokens_.error(word, fmt::format("{} is not a directive allowed before a body", describe(word)));
    }
  }
  return true;
}

// Numbers, strings and anything in parentheses.
void ModuleParser::skip_arguments() {
  const auto is_argument = [](const Token& token) {
    return token.kind == TokenKind::Integer || token.kind == TokenKind::String || token.kind == TokenKind::Identifier ||
           token.is(",") || token.is("(") || token.is(")");
  };
  while (is_argument(tokens_.peek())) tokens_.take();
}

bool ModuleParser::extents(std::array<uint32_t, 3>& extents) {
  extents = {1, 1, 1};
  size_t i = 0;
  do {
    if (i == extents.size()) return tokens_.error_expected("at most three extents");
    if (!count(extents[i++])) return false;
  } while (tokens_.accept(","));
  return true;
}

bool ModuleParser::count(uint32_t& value) {
  uint64_t number = 0;
  if (!tokens_.expect_integer("this number", kMaxExtent, number)) return false;
  value = static_cast<uint32_t>(number);
  return true;
}

bool ModuleParser::add_function(Function function, const Token& name, size_t& index) {
  const auto [found, is_new] = symbols_.try_emplace(name.text);
  Symbol& symbol = found->second;
  index = module_.functions.size();
  if (is_new) {
    symbol = {Symbol::Kind::Function, Type::None, 1, static_cast<int32_t>(index)};
    module_.functions.push_back(std::move(function));
    return true;
  }
  index = static_cast<size_t>(symbol.index);
  const bool is_function = symbol.kind == Symbol::Kind::Function;
  if (!is_function || !(module_.functions[index].is_declaration || function.is_declaration))
    return tokens_.error(name, fmt::format("{} is declared twice in this module", describe(name)));
  if (!function.is_declaration) {
    function.no_return |= module_.functions[index].no_return;
    module_.functions[index] = std::move(function);
  }
  return true;
}

}  // namespace tilescope::ptx
