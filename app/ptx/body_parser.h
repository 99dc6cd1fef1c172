#pragma once

#include <map>

#include "ptx/declaration.h"
#include "ptx/instruction_parser.h"
#include "ptx/scope.h"

namespace tilescope::ptx {

/// Reads the body of a function.
class BodyParser {
 public:
  BodyParser(TokenStream& tokens, OpcodeCache& opcodes, const SymbolTable& module_symbols, SymbolTable parameters,
             Function& function);
  /// From the '{' to its '}'. Reports every error and continues after it.
  void parse();

 private:
  bool statement();
  bool label();
  bool branch_targets(const Token& name);
  bool prototype(const Token& name);
  bool prototype_list(std::vector<Variable>& list);
  bool directive();
  bool registers();
  bool register_name(Type type, uint32_t lanes);
  bool variables(Space space, bool is_extern);
  bool location();
  bool source_line(SourceLine& line);
  SourceLine way_out(SourceLine place) const;

  TokenStream& tokens_;
  Function& function_;
  ScopeStack scopes_;
  DeclarationParser declarations_;
  InstructionParser instructions_;
  Instruction places_;  ///< Its source, inlined_at and called_from apply to the next instructions.
  std::map<SourceLine, SourceLine> inlined_at_;  ///< Where the places named by .loc so far were inlined.
};

}  // namespace tilescope::ptx
