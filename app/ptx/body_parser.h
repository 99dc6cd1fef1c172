#pragma once

#include "ptx/declaration.h"
#include "ptx/instruction_parser.h"
#include "ptx/scope.h"

namespace tilescope::ptx {

/// Reads what stands between the braces of a function.
class BodyParser {
 public:
  BodyParser(TokenStream& tokens, OpcodeCache& opcodes, const SymbolTable& module_symbols, SymbolTable parameters,
             Function& function);
  /// From the '{' to its '}'. Reports every error and goes on after it.
  void parse();

 private:
  bool statement();
  bool label();
  bool branch_targets(const Token& name);
  bool directive();
  bool registers();
  bool register_name(Type type, uint32_t lanes);
  bool variables(Space space, bool is_extern);
  bool location();
  bool source_line(SourceLine& line);

  TokenStream& tokens_;
  Function& function_;
  ScopeStack scopes_;
  DeclarationParser declarations_;
  InstructionParser instructions_;
  SourceLine source_, inlined_at_;
};

}  // namespace tilescope::ptx
