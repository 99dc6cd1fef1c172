#include "source/device_part.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

namespace tilescope::source {
namespace {

constexpr std::array<std::string_view, 6> kDeviceNamespaces{"nvcuda", "cooperative_groups", "cuda", "cute", "cutlass",
                                                            "cub"};

/// "tile" of "ns::tile<16>"
std::string plain_name(std::string_view entry) {
  entry = entry.substr(0, entry.find('<'));
  if (const size_t scope = entry.rfind("::"); scope != entry.npos) entry.remove_prefix(scope + 2);
  return std::string(entry);
}

/// Finds which items of several texts device code needs.
class Reach {
 public:
  Reach(std::vector<Outline>& outlines, const std::string& entry) : outlines_(outlines), entry_(plain_name(entry)) {
    for (Outline& outline : outlines_)
      for (Item& item : outline.items) {
        namespaces_.insert(item.scope.substr(0, item.scope.find("::")));
        for (const std::string& name : item.names) declared_[name].push_back({&outline, &item});
        if (item.is_kernel && is_entry(item)) entry_exists_ = true;
      }
  }

  std::set<const Item*> find() {
    for (Outline& outline : outlines_)
      for (const Item& item : outline.items)
        if (is_root(outline, item)) keep({&outline, &item});
    while (!open_.empty()) {
      const Place place = open_.back();
      open_.pop_back();
      follow(place);
    }
    return std::move(kept_);
  }

 private:
  struct Place {
    const Outline* outline;
    const Item* item;
  };

  bool is_entry(const Item& item) const {
    return std::find(item.names.begin(), item.names.end(), entry_) != item.names.end();
  }

  /// NAMESPACE_END, which is defined in the texts.
  bool is_macro(const Outline& outline, const Item& item) const {
    const auto found = declared_.find(outline.token(item.first));
    return item.last == item.first + 1 && found != declared_.end() &&
           std::ranges::any_of(found->second, [](const Place& place) { return place.item->kind == ItemKind::Define; });
  }

  bool is_root(const Outline& outline, const Item& item) const {
    if (item.is_unfinished && item.body == 0 && !is_macro(outline, item)) return true;
    if (item.is_kernel && entry_exists_) return is_entry(item);
    if (item.is_device) return true;
    if (item.kind == ItemKind::Other && outline.token(item.first) == "using" &&
        outline.token(item.first + 1) == "namespace")
      return std::any_of(item.names.begin(), item.names.end(), [&](const std::string& name) {
        return namespaces_.contains(name) ||
               std::find(kDeviceNamespaces.begin(), kDeviceNamespaces.end(), name) != kDeviceNamespaces.end();
      });
    return item.is_constant && item.kind != ItemKind::Function;
  }

  void keep(const Place& place) {
    if (kept_.insert(place.item).second) open_.push_back(place);
  }

  void follow(const Place& place) {
    const Outline& outline = *place.outline;
    for (size_t i = place.item->first; i < place.item->last; ++i) {
      const Token& token = outline.tokens[i];
      if (token.kind == TokenKind::Directive) follow_directive(outline.token(i));
      if (token.kind != TokenKind::Word) continue;
      const std::string_view before = i > 0 ? outline.token(i - 1) : "", after = outline.token(i + 1);
      const bool is_member = before == "." || (before == ">" && i > 1 && outline.token(i - 2) == "-");
      mention(outline.token(i), !is_member && (after == "(" || after == "<") ? Mention::Call : Mention::Name);
    }
  }

  void follow_directive(std::string_view directive) {
    const std::string_view meaning = parts_of_directive(directive).rest;
    for (const Token& token : tokenize(meaning))
      if (token.kind == TokenKind::Word) mention(text_of(meaning, token), Mention::InMacro);
  }

  enum class Mention : uint8_t { Name, Call, InMacro };

  /// A function counts as named only where it is called: its name is often a variable's, too. A host function does not
  /// count in a macro, which only host code may use, nor if a device function has the name. Host variables never count.
  void mention(std::string_view word, Mention how) {
    const auto found = declared_.find(word);
    if (found == declared_.end()) return;
    const bool has_device = std::any_of(found->second.begin(), found->second.end(),
                                        [](const Place& place) { return place.item->is_device; });
    for (const Place& place : found->second) {
      const Item& item = *place.item;
      if (item.is_kernel && entry_exists_ && !is_entry(item)) continue;
      if (item.kind == ItemKind::Function) {
        const bool may_call = item.is_device || item.is_constant || (how == Mention::Call && !has_device);
        if (how != Mention::Name && may_call) keep(place);
      } else if (!is_host_variable(place)) {
        keep(place);
      }
    }
  }

  /// int total = 0; which device code cannot use: a variable of its own has the name.
  static bool is_host_variable(const Place& place) {
    constexpr std::array<std::string_view, 9> kTypes{"struct",  "class",    "enum",      "union", "using",
                                                     "typedef", "template", "namespace", "friend"};
    if (place.item->kind != ItemKind::Other || place.item->is_device || place.item->is_constant) return false;
    for (size_t i = place.item->first; i < place.item->last; ++i) {
      const std::string_view word = place.outline->token(i);
      if (word == "const" || holds(kTypes, word)) return false;
      if (word == "=" || word == "[") break;
    }
    return true;
  }

  std::vector<Outline>& outlines_;
  std::string entry_;
  bool entry_exists_ = false;
  std::map<std::string, std::vector<Place>, std::less<>> declared_;
  std::set<std::string> namespaces_;
  std::set<const Item*> kept_;
  std::vector<Place> open_;
};

void blank(std::string& text, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
}

// Conditions and definitions in text that is left out still apply to later text. The { of a function stays where none
// closes it, so that the compiler can say so.
void blank_item(const Outline& outline, const Item& item, std::string& text) {
  for (size_t i = item.first; i < item.last; ++i) {
    if (item.is_unfinished && i == item.body) continue;
    const Token& token = outline.tokens[i];
    const size_t end = i + 1 < item.last ? outline.tokens[i + 1].begin : token.end;
    const bool stays = token.kind == TokenKind::Directive && parts_of_directive(outline.token(i)).name != "pragma";
    blank(text, stays ? token.end : token.begin, end);
  }
}

/// Whether device code says std:: or cub::.
bool mentions_library(const Outline& outline, const std::set<const Item*>& kept) {
  for (const Item& item : outline.items)
    if (kept.contains(&item))
      for (size_t i = item.first; i < item.last; ++i)
        if (outline.token(i) == "std" || outline.token(i) == "cub") return true;
  return false;
}

/// Whether device code has a type of 16 bits, which it may have by way of cuBLAS's header alone.
bool mentions_halves(const Outline& outline, const std::set<const Item*>& kept) {
  const auto is_half = [](std::string_view word) {
    return word.starts_with("half") || word.starts_with("__half") || word.starts_with("__nv_bfloat") ||
           word.starts_with("nv_bfloat");
  };
  for (const Item& item : outline.items)
    if (kept.contains(&item))
      for (size_t i = item.first; i < item.last; ++i) {
        if (is_half(outline.token(i))) return true;
        // The author's name for it: typedef __nv_bfloat16 floatX; #define T half
        if (outline.tokens[i].kind == TokenKind::Directive &&
            (outline.token(i).find("half") != std::string_view::npos ||
             outline.token(i).find("bfloat16") != std::string_view::npos))
          return true;
      }
  return false;
}

/// What the device part needs of libraries.
struct Needs {
  bool library = false;  ///< std:: or cub::
  bool halves = false;
};

/// "up/common.h" for "../common.h"
void keep_below(std::string& text, size_t begin, size_t end) {
  for (size_t at = text.find("../", begin); at < end; at = text.find("../", at)) text.replace(at, 3, "up/");
}

/// Blanks out includes that the compiler cannot or need not follow.
void blank_includes(const Outline& outline, const std::set<std::string>& own, const Needs& needs, DevicePart& part,
                    std::string& text, bool is_first) {
  constexpr std::array<std::string_view, 20> kOfTheCompiler{
      "stdio.h",  "cstdio",   "stdlib.h", "cstdlib",  "assert.h",  "cassert",      "math.h",
      "cmath",    "string.h", "cstring",  "stddef.h", "cstddef",   "stdint.h",     "cstdint",
      "limits.h", "climits",  "float.h",  "cfloat",   "strings.h", "bits/stdc++.h"};
  for (size_t i = 0; i < outline.tokens.size(); ++i) {
    if (outline.tokens[i].kind != TokenKind::Directive) continue;
    const std::string name(included_name(outline.token(i)));
    if (leads_up(name) && own.contains(name)) keep_below(text, outline.tokens[i].begin, outline.tokens[i].end);
    if (name.empty() || own.contains(name) ||
        std::find(kOfTheCompiler.begin(), kOfTheCompiler.end(), name) != kOfTheCompiler.end())
      continue;
    const HeaderKind kind = header_kind(name);
    if (needs.halves && (name == "cublas_v2.h" || name == "cublasLt.h")) continue;
    const bool is_missing = kind == HeaderKind::Unknown && name.front() != '/';
    if (kind == HeaderKind::Host || is_missing || (kind == HeaderKind::Library && !needs.library))
      blank(text, outline.tokens[i].begin, outline.tokens[i].end);
    if (is_missing && is_first) part.left_out.push_back({name, outline.line_of(i)});
  }
}

}  // namespace

DevicePart device_part(const std::string& text, const std::vector<File>& headers, const std::string& entry) {
  Markers markers;
  for (const File& header : headers) add_markers(header.text, tokenize(header.text), markers);
  add_markers(text, tokenize(text), markers);
  std::vector<Outline> outlines{outline_of(text, markers)};
  for (const File& header : headers) outlines.push_back(outline_of(header.text, markers));
  const std::set<const Item*> kept = Reach(outlines, entry).find();

  DevicePart part{text, headers, {}};
  std::set<std::string> own;
  for (const File& header : headers) own.insert(header.name);
  Needs needs;
  for (const Outline& outline : outlines) {
    needs.library = needs.library || mentions_library(outline, kept);
    needs.halves = needs.halves || mentions_halves(outline, kept);
  }
  for (size_t i = 0; i < outlines.size(); ++i) {
    std::string& stripped = i == 0 ? part.text : part.headers[i - 1].text;
    for (const Item& item : outlines[i].items)
      if (item.kind != ItemKind::Define && !kept.contains(&item)) blank_item(outlines[i], item, stripped);
    blank_includes(outlines[i], own, needs, part, stripped, i == 0);
  }
  for (File& header : part.headers) keep_below(header.name, 0, header.name.size());
  return part;
}

}  // namespace tilescope::source
