#pragma once

#include <functional>

#include "ptx/constant.h"
#include "ptx/symbols.h"
#include "ptx/token_stream.h"

namespace tilescope::ptx {

/// The space named by ".global" and so on; None for other words.
Space space_named(std::string_view directive);

/// Reads a declaration after its state space: alignment, type, and names with extents and initial values,
/// without the ';'. Module variables that initial values name are looked up in `module_symbols`.
class DeclarationParser {
 public:
  DeclarationParser(TokenStream& tokens, const SymbolTable& module_symbols)
      : tokens_(tokens), module_symbols_(module_symbols) {}

  /// Several variables of one type; each goes to `add` with the token of its name.
  bool variables(Space space, bool is_extern, const std::function<bool(Variable, const Token&)>& add);
  /// One parameter; its name may be "_".
  bool parameter(Variable& variable, Token& name);
  /// The types of a .reg declaration: `lanes` is 1, 2 or 4.
  bool register_type(Type& type, uint32_t& lanes);

 private:
  struct Shape {
    Type type = Type::None;
    uint32_t lanes = 1;
    uint32_t align = 0;
  };
  bool prefix(Shape& shape);
  bool prefix_word(Shape& shape);
  bool alignment(uint32_t& align);
  struct Extents {
    std::vector<uint64_t> sizes;  // Outermost first.
    bool open = false;            // The first was left out: x[].
  };
  bool declarator(const Shape& shape, Space space, bool is_extern, Variable& variable, Token& name);
  bool array_extents(const Shape& shape, Variable& variable, Extents& extents);
  bool initial_values(Variable& variable, Extents& extents, const Token& name);
  bool initial_value(Variable& variable, const std::vector<uint64_t>& strides, size_t level, uint64_t& offset);
  bool initial_list(Variable& variable, const std::vector<uint64_t>& strides, size_t level, uint64_t& offset);
  bool initial_element(Variable& variable, uint64_t offset);
  bool initial_address(Variable& variable, uint64_t offset);

  TokenStream& tokens_;
  const SymbolTable& module_symbols_;
  uint64_t initial_bytes_ = 0;
};

}  // namespace tilescope::ptx
