#pragma once

#include <array>
#include <vector>

#include "ptx/declaration.h"
#include "ptx/instruction_parser.h"

namespace tilescope::ptx {

/// Reads a module: its directives, variables and functions.
class ModuleParser {
 public:
  explicit ModuleParser(TokenStream& tokens) : tokens_(tokens), declarations_(tokens, symbols_) {}
  Module parse();

 private:
  void statement();
  bool directive(const Token& word);
  bool version();
  bool target();
  bool address_size();
  bool file();
  bool section();
  bool alias();
  bool external();
  bool variable(Space space, bool is_extern);
  bool add_variable(Variable variable, const Token& name);
  bool function(bool is_entry);
  bool signature(Function& function, Token& name, SymbolTable& scope);
  bool parameters(std::vector<Variable>& list, int32_t variable_class, SymbolTable& scope);
  bool attributes(Function& function);
  bool extents(std::array<uint32_t, 3>& extents);
  bool count(uint32_t& value);
  void skip_arguments();
  void skip_to_directive();
  bool add_function(Function function, const Token& name, size_t& index);

  TokenStream& tokens_;
  Module module_;
  SymbolTable symbols_;
  DeclarationParser declarations_;
  OpcodeCache opcodes_;
};

}  // namespace tilescope::ptx
