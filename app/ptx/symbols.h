#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace tilescope::ptx {

/// The meaning of a name.
struct Symbol {
  enum class Kind : uint8_t {
    Register,          ///< `index` into the function's registers.
    DeclaredRegister,  ///< Declared by name and not used yet; `type`.
    RegisterRange,     ///< %r<10>: the prefix of `count` registers of `type`; `index` into the ranges.
    VectorRegister,    ///< .reg .v4: `count` components of `type`.
    Variable,          ///< `index` as of VariableClass.
    Function,          ///< `index` into the module's functions.
    Label,             ///< `index` of the instruction after it.
    BranchTargets,     ///< `index` into the function's lists.
    Prototype,         ///< `index` into the function's prototypes.
  };
  Kind kind = Kind::Register;
  Type type = Type::None;
  uint32_t count = 0;
  int32_t index = -1;
};

/// FNV-1a, which is faster than the library's hash for short names.
struct NameHash {
  size_t operator()(std::string_view name) const {
    uint64_t hash = 14695981039346656037u;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
  }
};

/// Names in one pair of braces; the keys are parts of the module's text.
using SymbolTable = std::unordered_map<std::string_view, Symbol, NameHash>;

/// While a function is being read, the number of its variables, and so the index of a parameter, is unknown: until its
/// end an index is that in its own list plus one of these.
enum VariableClass : int32_t { kOwnVariable = 0, kParameter = 1 << 28, kReturn = 2 << 28, kModuleVariable = 3 << 28 };
/// Gives the variables in all operands of the function their index; see variable_of().
void number_variables(Function& function);

}  // namespace tilescope::ptx
