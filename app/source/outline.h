#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/tokens.h"

namespace tilescope::source {

enum class ItemKind : uint8_t {
  Function,
  MacroCall,  ///< NAME(...) alone, without a semicolon.
  Define,     ///< #define
  Other,      ///< A type, a variable, an alias; anything that ends in a semicolon.
};

/// A declaration or definition outside of all functions and types, in any number of namespaces.
struct Item {
  ItemKind kind = ItemKind::Other;
  size_t first = 0, last = 0;      ///< Tokens [first, last).
  size_t body = 0;                 ///< The { of a function; 0 if it has none.
  size_t parameters = 0;           ///< The ( of a function's parameters; 0 for other items.
  std::vector<std::string> names;  ///< The declared names.
  std::string scope;               ///< The namespaces around it: "a::b::".
  bool is_device = false;          ///< Marked __device__, __global__, __constant__ and the like, also by a macro.
  bool is_kernel = false;          ///< Marked __global__.
  bool is_constant = false;        ///< constexpr: device code may use it.
  bool is_unfinished = false;      ///< No ; or } ends it, or nothing closes one of its brackets.
};

/// A text with its tokens and its items, in its order.
struct Outline {
  std::string text;
  Tokens tokens;
  std::vector<Item> items;

  std::string_view token(size_t i) const { return i < tokens.size() ? text_of(text, tokens[i]) : std::string_view{}; }
  /// The text from the first token to before `last`.
  std::string_view range(size_t first, size_t last) const;
  /// The line of a token, from 1.
  int line_of(size_t i) const;
};

/// `markers`: object-like macros of other files that mean __device__ and the like, or __global__.
struct Markers {
  std::vector<std::string> device{"__device__", "__global__", "__constant__", "__managed__", "__shared__"};
  std::vector<std::string> kernel{"__global__"};
};
/// Adds the macros of a text that contain a marker.
void add_markers(std::string_view text, const Tokens& tokens, Markers& markers);

Outline outline_of(std::string text, const Markers& markers);

}  // namespace tilescope::source
