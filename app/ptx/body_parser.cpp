#include "ptx/body_parser.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ptx/problem.h"

namespace tilescope::ptx {
namespace {

constexpr uint64_t kMaxLine = 0x7fffffff;
constexpr uint64_t kMaxRegisters = uint64_t{1} << 24;

}  // namespace

BodyParser::BodyParser(TokenStream& tokens, OpcodeCache& opcodes, const SymbolTable& module_symbols,
                       SymbolTable parameters, Function& function)
    : tokens_(tokens),
      function_(function),
      scopes_(tokens, module_symbols, std::move(parameters), function),
      declarations_(tokens, module_symbols),
      instructions_(tokens, opcodes, scopes_) {}

void BodyParser::parse() {
  tokens_.take();
  while (scopes_.depth() > 0 && !tokens_.gave_up()) {
    if (tokens_.at_end()) {
      tokens_.error(tokens_.peek(), fmt::format("the body of '{}' lacks its '}}'", function_.name));
      while (scopes_.depth() > 0) scopes_.close();
    } else if (!statement()) {
      tokens_.skip_statement();
    }
  }
  tokens_.set_source({});
  number_variables(function_);
}

bool BodyParser::statement() {
  const Token& token = tokens_.peek();
  if (token.is("{")) {
    if (scopes_.open(token))
      tokens_.take();
    else
      tokens_.skip_braces();
    return true;
  }
  if (tokens_.accept("}")) {
    scopes_.close();
    return true;
  }
  if (tokens_.accept(";")) return true;
  if (token.kind == TokenKind::Dotted) return directive();
  if (tokens_.at_label()) return label();
  return instructions_.parse(places_, function_);
}

bool BodyParser::label() {
  const Token name = tokens_.take();
  tokens_.take();
  if (tokens_.accept_directive(".branchtargets")) return branch_targets(name);
  if (tokens_.accept_directive(".callprototype")) return prototype(name);
  if (tokens_.peek().text == ".calltargets")
    return tokens_.error(tokens_.peek(), "a list of call targets is not read; give the call a .callprototype");
  Symbol symbol{.kind = Symbol::Kind::Label};
  symbol.index = static_cast<int32_t>(function_.instructions.size());
  scopes_.declare(name, symbol);
  return true;
}

bool BodyParser::branch_targets(const Token& name) {
  Symbol symbol{.kind = Symbol::Kind::BranchTargets};
  const size_t list = function_.branch_targets.size();
  symbol.index = static_cast<int32_t>(list);
  function_.branch_targets.emplace_back();
  if (!scopes_.declare(name, symbol)) return false;
  do {
    Token target;
    if (!tokens_.expect_name("a label", target)) return false;
    scopes_.refer_in_list(target, list, function_.branch_targets[list].size());
    function_.branch_targets[list].push_back(-1);
  } while (tokens_.accept(","));
  return tokens_.expect(";", "after the branch targets");
}

// name: .callprototype (.param .b32 _) _ (.param .b64 _);
bool BodyParser::prototype(const Token& name) {
  Symbol symbol{.kind = Symbol::Kind::Prototype};
  symbol.index = static_cast<int32_t>(function_.prototypes.size());
  Prototype& prototype = function_.prototypes.emplace_back();
  Token placeholder;
  if (!scopes_.declare(name, symbol) || !prototype_list(prototype.returns) ||
      !tokens_.expect_name("'_' for the function", placeholder) || !prototype_list(prototype.parameters))
    return false;
  tokens_.accept_directive(".noreturn");
  return tokens_.expect(";", "after the prototype");
}

bool BodyParser::prototype_list(std::vector<Variable>& list) {
  if (!tokens_.accept("(") || tokens_.accept(")")) return true;
  do {
    Token name;
    if (!declarations_.parameter(list.emplace_back(), name)) return false;
  } while (tokens_.accept(","));
  return tokens_.expect(")", "after the parameters");
}

bool BodyParser::directive() {
  const Token word = tokens_.take();
  if (word.text == ".loc") return location();
  if (word.text == ".reg") return registers();
  if (word.text == ".extern") return variables(space_named(tokens_.take().text), true);
  if (const Space space = space_named(word.text); space != Space::None) return variables(space, false);
  if (word.text == ".pragma") {
    tokens_.skip_statement();
    return true;
  }
  if (word.text == ".section") {
    tokens_.skip_braces();
    return true;
  }
  return tokens_.error(word, fmt::format("{} is not a directive allowed in a function", describe(word)));
}

bool BodyParser::registers() {
  Type type = Type::None;
  uint32_t lanes = 1;
  if (!declarations_.register_type(type, lanes)) return false;
  do {
    if (!register_name(type, lanes)) return false;
  } while (tokens_.accept(","));
  return tokens_.expect(";", "after the registers");
}

bool BodyParser::register_name(Type type, uint32_t lanes) {
  Token name;
  if (!tokens_.expect_name("the name of a register", name)) return false;
  if (lanes > 1) return scopes_.declare_vector(name, type, lanes);
  if (!tokens_.accept("<")) return scopes_.declare(name, {Symbol::Kind::DeclaredRegister, type, 1, -1});
  uint64_t count = 0;
  if (!tokens_.expect_integer("the number of registers", kMaxRegisters, count)) return false;
  return tokens_.expect(">", "after the number of registers") &&
         scopes_.declare_range(name, type, static_cast<uint32_t>(count));
}

bool BodyParser::variables(Space space, bool is_extern) {
  if (space != Space::Shared && space != Space::Local && space != Space::Param)
    return tokens_.error(tokens_.peek(),
                         "a function declares only .shared, .local and .param variables; declare this one outside");
  const auto add = [&](Variable variable, const Token& name) {
    if (variable.bytes == 0 && variable.space != Space::Shared)
      return tokens_.error(name, fmt::format("{} has no size", describe(name)));
    return scopes_.declare_variable(name, std::move(variable));
  };
  return declarations_.variables(space, is_extern, add) && tokens_.expect(";", "after the declaration");
}

// .loc 1 25 7, function_name $L__info_string0+4, inlined_at 1 40 3
bool BodyParser::location() {
  SourceLine source, inlined_at;
  if (!source_line(source)) return false;
  while (tokens_.accept(",")) {
    Token word;
    if (!tokens_.expect_name("'function_name' or 'inlined_at'", word)) return false;
    if (word.text == "inlined_at") {
      if (!source_line(inlined_at)) return false;
      continue;
    }
    if (word.text != "function_name") return tokens_.error(word, "expected 'function_name' or 'inlined_at'");
    tokens_.take();
    if (tokens_.accept("+")) tokens_.take();
  }
  places_.source = source;
  places_.inlined_at = inlined_at;
  places_.called_from = way_out(inlined_at);
  tokens_.set_source(place_of(places_));
  inlined_at_[source] = inlined_at;
  return true;
}

// Headers inline code of other headers: the place that inlined_at names may itself be inlined, as its own .loc said.
SourceLine BodyParser::way_out(SourceLine place) const {
  constexpr size_t kMostSteps = 100;
  std::vector<SourceLine> way;
  while (place.file >= 0 && way.size() < kMostSteps) {
    way.push_back(place);
    const auto outer = inlined_at_.find(place);
    place = outer == inlined_at_.end() ? SourceLine{} : outer->second;
  }
  if (way.empty()) return {};
  return *std::find_if(way.begin(), way.end(), [&](const SourceLine& step) { return step.file == way.back().file; });
}

bool BodyParser::source_line(SourceLine& line) {
  uint64_t file = 0, number = 0, column = 0;
  if (!tokens_.expect_integer("a file number", kMaxLine, file) ||
      !tokens_.expect_integer("a line number", kMaxLine, number) ||
      !tokens_.expect_integer("a column", kMaxLine, column))
    return false;
  line = {static_cast<int32_t>(file) - 1, static_cast<int32_t>(number), static_cast<int32_t>(column)};
  return true;
}

}  // namespace tilescope::ptx
