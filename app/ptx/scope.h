#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/symbols.h"
#include "ptx/token_stream.h"

namespace tilescope::ptx {

/// The names in one function, by the braces in which they are declared, and labels not yet seen.
class ScopeStack {
 public:
  ScopeStack(TokenStream& tokens, const SymbolTable& module_symbols, SymbolTable parameters, Function& function);

  /// False, with an error, if the braces are nested too deeply.
  bool open(const Token& at);
  /// Resolves the labels of the innermost braces; unresolved ones are passed to the next braces.
  void close();
  size_t depth() const { return scopes_.size(); }

  /// Declares a name in the innermost braces; an error if it exists there.
  bool declare(const Token& name, Symbol symbol);
  /// Declares a variable of the function.
  bool declare_variable(const Token& name, Variable variable);
  /// The meaning of a name here; a register is created on its first use; null for an unknown name.
  const Symbol* find(std::string_view name);
  /// Declares name0 to name(count - 1).
  bool declare_range(const Token& name, Type type, uint32_t count);
  /// Declares .reg .v2 or .v4; its components are registers of their own.
  bool declare_vector(const Token& name, Type type, uint32_t lanes);
  /// Index of the register that is component 0..3 of the vector register of that name.
  int32_t vector_component(std::string_view name, const Symbol& vector, uint32_t component);

  /// A name in an operand or a branch-target list is resolved at the closing brace at the latest.
  void refer(const Token& name, size_t instruction, size_t operand);
  void refer_in_list(const Token& name, size_t list, size_t element);

 private:
  struct Reference {
    Token name;
    bool in_list = false;
    size_t holder = 0, place = 0;  // An instruction and its operand, or a list and its element.
  };
  /// The registers of one range that are in use, by number.
  struct Range {
    Symbol& at(uint32_t number);  ///< With a negative index on its first use.

    std::vector<Symbol> list;
    std::unordered_map<uint32_t, Symbol> others;
    size_t used = 0;
  };
  struct Scope {
    SymbolTable symbols;
    std::vector<Reference> references;
    std::vector<Range> ranges;
  };
  int32_t make_register(std::string_view name, Type type);
  std::string unique_name(std::string_view name);
  const Symbol* find_in_range(Scope& scope, std::string_view name, size_t shortest);
  void resolve(const Reference& reference, const Symbol& symbol);

  TokenStream& tokens_;
  const SymbolTable& module_symbols_;
  Function& function_;
  std::vector<Scope> scopes_;
  std::vector<std::array<int32_t, 4>> vectors_;
  std::unordered_map<std::string_view, int, NameHash>
      name_uses_;                       // How many registers and variables were given this name.
  std::deque<std::string> made_names_;  // Owns the keys that are not parts of the text.
};

}  // namespace tilescope::ptx
