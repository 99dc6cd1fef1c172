#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/constant.h"
#include "ptx/opcode_table.h"
#include "ptx/scope.h"
#include "ptx/token_stream.h"

namespace tilescope::ptx {

/// Instructions without operands, by the text of opcode and modifiers, so that "ld.global.v4.f32" is parsed once.
class OpcodeCache {
 public:
  /// The instruction that starts at the next token, up to its operands; null after an error.
  const Instruction* read(TokenStream& tokens);

 private:
  const Instruction* take_apart(TokenStream& tokens, const Token& first, std::string_view text);

  std::unordered_map<std::string_view, Instruction> known_;
  std::deque<std::string> joined_;  // Texts that are in several pieces in the module.
};

/// Reads one instruction of a function, from its guard to its ';'. False after an error before the ';'.
class InstructionParser {
 public:
  InstructionParser(TokenStream& tokens, OpcodeCache& opcodes, ScopeStack& scopes)
      : tokens_(tokens), opcodes_(opcodes), scopes_(scopes) {}
  /// Adds it to `function`, with the CUDA source places of `places`.
  bool parse(const Instruction& places, Function& function);

 private:
  bool guard(Instruction& instruction);
  bool operands(const Instruction& instruction, bool& pair);
  bool operand(const Instruction& instruction, Operand& operand);
  bool address(Operand& operand);
  bool coordinates(Operand& operand);
  bool vector(const Instruction& instruction, std::string_view close, Operand& operand);
  bool constant(Operand& operand);
  bool named(const Instruction& instruction, Operand& operand);
  bool special(const Token& name, Operand& operand);
  bool component(const Token& name, const Symbol& symbol, Operand& operand);
  bool offset(int64_t& offset);
  void bind(Instruction& instruction, bool pair);
  bool convert(Type type, Operand& operand, const Token& at);

  TokenStream& tokens_;
  OpcodeCache& opcodes_;
  ScopeStack& scopes_;
  size_t instruction_index_ = 0;
  std::vector<Operand> operands_;  // Of the current instruction; kept to reuse memory.
  std::vector<Token> places_;      // Where each of them starts.
};

}  // namespace tilescope::ptx
