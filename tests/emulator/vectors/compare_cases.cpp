#include <fmt/format.h>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

enum class Outcome { Less, Equal, Greater, Unordered };

/// A comparison's name and for which outcomes it holds.
struct Comparison {
  const char* name;
  bool less, equal, greater, unordered;
  bool holds(Outcome outcome) const {
    switch (outcome) {
      case Outcome::Less: return less;
      case Outcome::Equal: return equal;
      case Outcome::Greater: return greater;
      case Outcome::Unordered: return unordered;
    }
    return false;
  }
};
constexpr Comparison kOrdered[] = {{"eq", false, true, false, false}, {"ne", true, false, true, false},
                                   {"lt", true, false, false, false}, {"le", true, true, false, false},
                                   {"gt", false, false, true, false}, {"ge", false, true, true, false}};
constexpr Comparison kUnsigned[] = {{"lo", true, false, false, false},
                                    {"ls", true, true, false, false},
                                    {"hi", false, false, true, false},
                                    {"hs", false, true, true, false}};
constexpr Comparison kUnordered[] = {{"equ", false, true, false, true}, {"neu", true, false, true, true},
                                     {"ltu", true, false, false, true}, {"leu", true, true, false, true},
                                     {"gtu", false, false, true, true}, {"geu", false, true, true, true},
                                     {"num", true, true, true, false},  {"nan", false, false, false, true}};

constexpr Type kCompared[] = {Type::B16,   Type::B32,  Type::B64,    Type::U16, Type::U32,
                              Type::U64,   Type::S16,  Type::S32,    Type::S64, Type::F16,
                              Type::F16x2, Type::BF16, Type::BF16x2, Type::F32, Type::F64};

bool is_untyped(Type type) { return type == Type::B16 || type == Type::B32 || type == Type::B64; }
bool is_unsigned(Type type) { return type == Type::U16 || type == Type::U32 || type == Type::U64; }
bool may_flush(Type type) { return type == Type::F32 || type == Type::F16 || type == Type::F16x2; }
std::vector<Comparison> comparisons(Type type) {
  if (is_untyped(type)) return {kOrdered[0], kOrdered[1]};
  std::vector<Comparison> list(std::begin(kOrdered), std::end(kOrdered));
  if (is_unsigned(type)) list.insert(list.end(), std::begin(kUnsigned), std::end(kUnsigned));
  if (is_float(type)) list.insert(list.end(), std::begin(kUnordered), std::end(kUnordered));
  return list;
}

Outcome outcome(Type type, bool ftz, uint64_t a, uint64_t b) {
  if (is_float(type)) {
    const reference::Format format = format_of(type);
    if (ftz) {
      a = reference::flush(format, a);
      b = reference::flush(format, b);
    }
    switch (reference::compare(format, a, b)) {
      case -1: return Outcome::Less;
      case 0: return Outcome::Equal;
      case 1: return Outcome::Greater;
      default: return Outcome::Unordered;
    }
  }
  const reference::Wide x = reference::value_of(integer_of(type), a), y = reference::value_of(integer_of(type), b);
  return x < y ? Outcome::Less : x > y ? Outcome::Greater : Outcome::Equal;
}

bool combine(const std::string& how, bool t, bool c) {
  if (how == "and") return t && c;
  if (how == "or") return t || c;
  if (how == "xor") return t != c;
  return t;
}

/// One setp or set: the comparison, its modifiers, and the predicate it combines with.
struct ComparisonForm {
  Type type;
  Comparison comparison;
  bool ftz;
  std::string combination;  ///< "", "and", "or" or "xor".
  bool negated;             ///< !%p for the third source.

  std::string modifiers() const {
    return fmt::format(".{}{}{}{}", comparison.name, combination.empty() ? "" : ".", combination, ftz ? ".ftz" : "");
  }
  std::string third() const { return combination.empty() ? "" : negated ? ", !%p" : ", %p"; }
  bool result(bool t, uint64_t c) const { return combine(combination, t, negated ? c == 0 : c != 0); }
  bool compare(uint64_t a, uint64_t b) const { return comparison.holds(outcome(type, ftz, a, b)); }
  std::vector<Input> inputs() const { return {{type}, {type}, {Type::U32, listed({0, 1})}}; }
};

/// p in bit 0, q in bit 1. A pair of packed numbers compares the low halves into p and the high halves into q.
uint64_t expect_setp(const ComparisonForm& form, const uint64_t* x) {
  if (is_packed(form.type)) {
    const bool low = form.compare(x[0] & 0xffff, x[1] & 0xffff), high = form.compare(x[0] >> 16, x[1] >> 16);
    return uint64_t{form.result(low, x[2])} | uint64_t{form.result(high, x[2])} << 1;
  }
  const bool t = form.compare(x[0], x[1]);
  return uint64_t{form.result(t, x[2])} | uint64_t{form.result(!t, x[2])} << 1;
}

void add_setp(Cases& cases, const ComparisonForm& form) {
  const bool both = is_packed(form.type) || (form.type != Type::F16 && form.type != Type::BF16);
  const std::string instruction = fmt::format("setp{}.{}", form.modifiers(), name_of(form.type));
  const std::string body = fmt::format(
      "setp.ne.u32 %p, %c, 0;\n@@ {} {}, %a, %b{};\nselp.u32 %t0, 1, 0, %q;\nselp.u32 %t1, 2, 0, %r;\nor.b32 %d, %t0, "
      "%t1;",
      instruction, both ? "%q|%r" : "%q", form.third());
  add_lane(cases, "setp",
           {.instruction = instruction,
            .inputs = form.inputs(),
            .output = Type::U32,
            .function = [=](const uint64_t* x) { return expect_setp(form, x) & (both ? 3 : 1); },
            .body = body,
            .skipped = 0,
            .suffix = form.negated ? "_not" : ""});
}

uint64_t truth(Type type) {
  if (type == Type::F32 || type == Type::F16 || type == Type::BF16) return format_of(type).one();
  if (is_packed(type)) return format_of(type).one();
  return width(type) == 16 ? 0xffff : 0xffffffff;
}

uint64_t expect_set(Type output, const ComparisonForm& form, const uint64_t* x) {
  if (!is_packed(form.type)) return form.result(form.compare(x[0], x[1]), x[2]) ? truth(output) : 0;
  const uint64_t yes = truth(output) & 0xffff;
  const uint64_t low = form.result(form.compare(x[0] & 0xffff, x[1] & 0xffff), x[2]) ? yes : 0;
  const uint64_t high = form.result(form.compare(x[0] >> 16, x[1] >> 16), x[2]) ? yes : 0;
  return low | high << 16;
}

void add_set(Cases& cases, Type output, const ComparisonForm& form) {
  const std::string instruction = fmt::format("set{}.{}.{}", form.modifiers(), name_of(output), name_of(form.type));
  add_lane(cases, "set",
           {.instruction = instruction,
            .inputs = form.inputs(),
            .output = output,
            .function = [=](const uint64_t* x) { return expect_set(output, form, x); },
            .body = fmt::format("setp.ne.u32 %p, %c, 0;\n@@ {} %d, %a, %b{};", instruction, form.third()),
            .suffix = form.negated ? "_not" : ""});
}

std::vector<Type> set_results(Type type) {
  switch (type) {
    case Type::F16x2: return {Type::F16x2, Type::U32};
    case Type::BF16x2: return {Type::BF16x2, Type::U32};
    case Type::F16: return {Type::F16, Type::U16, Type::S16, Type::U32, Type::S32};
    case Type::BF16: return {Type::BF16, Type::U16, Type::U32};
    case Type::F32: return {Type::U32, Type::S32, Type::F32, Type::F16};
    default: return {Type::U32, Type::S32, Type::F32};
  }
}

void add_comparisons(Cases& cases, Type type) {
  for (const Comparison& comparison : comparisons(type)) {
    for (const bool ftz : {false, true}) {
      if (ftz && !may_flush(type)) continue;
      for (const char* combination : {"", "and", "or", "xor"}) {
        const ComparisonForm form{type, comparison, ftz, combination, false};
        add_setp(cases, form);
        for (const Type output : set_results(type)) {
          if (form.combination.empty() || comparison.less) add_set(cases, output, form);
        }
      }
    }
  }
  add_setp(cases, {type, comparisons(type)[1], false, "and", true});
}

void add_selections(Cases& cases) {
  for (const Type type : {Type::B16, Type::B32, Type::B64, Type::U16, Type::U32, Type::U64, Type::S16, Type::S32,
                          Type::S64, Type::F32, Type::F64}) {
    const std::string selp = "selp." + name_of(type);
    add_lane(cases, "selp",
             {.instruction = selp,
              .inputs = {{type}, {type}, {Type::U32, listed({0, 1})}},
              .output = type,
              .function = [](const uint64_t* x) { return x[2] != 0 ? x[0] : x[1]; },
              .body = "setp.ne.u32 %q, %c, 0;\n@@ " + selp + " %d, %a, %b, %q;"});
    add_lane(cases, "slct",
             {.instruction = fmt::format("slct.{}.s32", name_of(type)),
              .inputs = {{type}, {type}, {Type::S32}},
              .output = type,
              .function = [](const uint64_t* x) { return (x[2] & 0x80000000) == 0 ? x[0] : x[1]; }});
    for (const bool ftz : {false, true}) {
      add_lane(cases, "slct",
               {.instruction = fmt::format("slct{}.{}.f32", ftz ? ".ftz" : "", name_of(type)),
                .inputs = {{type}, {type}, {Type::F32}},
                .output = type,
                .function = [=](const uint64_t* x) {
                  const Outcome sign = outcome(Type::F32, ftz, x[2], 0);
                  return sign == Outcome::Equal || sign == Outcome::Greater ? x[0] : x[1];
                }});
    }
  }
}

}  // namespace

void add_compare_cases(Cases& cases) {
  for (const Type type : kCompared) add_comparisons(cases, type);
  add_selections(cases);
}

}  // namespace tilescope::vectors
