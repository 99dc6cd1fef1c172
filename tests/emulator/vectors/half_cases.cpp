#include <fmt/format.h>

#include <cmath>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

using reference::Format;
using reference::Round;

constexpr Type kHalves[] = {Type::F16, Type::F16x2, Type::BF16, Type::BF16x2};

/// The modifiers after the opcode, and their effect on operands and result.
struct HalfModifiers {
  const char* text;
  bool ftz = false, sat = false, relu = false;
};

bool is_bfloat(Type type) { return type == Type::BF16 || type == Type::BF16x2; }

LaneFunction with_half_modifiers(Type type, size_t operands, HalfModifiers modifiers, LaneFunction function) {
  const Format format = format_of(type);
  LaneFunction one = [=, function = std::move(function)](const uint64_t* bits) {
    uint64_t x[4];
    for (size_t i = 0; i < operands; ++i) x[i] = modifiers.ftz ? reference::flush(format, bits[i]) : bits[i];
    uint64_t result = function(x);
    if (modifiers.ftz) result = reference::flush(format, result);
    if (modifiers.sat) result = reference::saturate(format, result);
    return modifiers.relu ? reference::relu(format, result) : result;
  };
  return is_packed(type) ? halves(operands, std::move(one)) : one;
}

void add_half(Cases& cases, const std::string& op, Type type, size_t operands, HalfModifiers modifiers,
              LaneFunction function, Tolerance tolerance = {}, const Domain& domain = {}) {
  add_lane(cases, op,
           {.instruction = fmt::format("{}{}.{}", op, modifiers.text, name_of(type)),
            .inputs = std::vector<Input>(operands, Input{type, domain}),
            .output = type,
            .function = with_half_modifiers(type, operands, modifiers, std::move(function)),
            .tolerance = tolerance});
}

constexpr HalfModifiers kSums[] = {{""}, {".rn"}, {".ftz", true}, {".sat", false, true}, {".rn.ftz.sat", true, true}};
constexpr HalfModifiers kFmas[] = {{".rn"},
                               {".rn.relu", false, false, true},
                               {".rn.ftz", true},
                               {".rn.sat", false, true},
                               {".rn.ftz.sat", true, true},
                               {".rn.ftz.relu", true, false, true}};

void add_half_arithmetic(Cases& cases, Type type) {
  const Format format = format_of(type);
  for (const HalfModifiers& modifiers : kSums) {
    if (is_bfloat(type) && (modifiers.ftz || modifiers.sat)) continue;
    add_half(cases, "add", type, 2, modifiers,
             [=](const uint64_t* x) { return reference::add(format, x[0], x[1], Round::Nearest); });
    add_half(cases, "sub", type, 2, modifiers,
             [=](const uint64_t* x) { return reference::subtract(format, x[0], x[1], Round::Nearest); });
    add_half(cases, "mul", type, 2, modifiers,
             [=](const uint64_t* x) { return reference::multiply(format, x[0], x[1], Round::Nearest); });
  }
  for (const HalfModifiers& modifiers : kFmas) {
    if (is_bfloat(type) && (modifiers.ftz || modifiers.sat)) continue;
    add_half(cases, "fma", type, 3, modifiers, [=](const uint64_t* x) {
      return reference::fused_multiply_add(format, x[0], x[1], x[2], Round::Nearest);
    });
  }
}

void add_half_signs(Cases& cases, Type type) {
  const Format format = format_of(type);
  const Tolerance tolerance{Tolerance::Kind::BitsOrNan, 0};
  for (const HalfModifiers& modifiers : {HalfModifiers{""}, {".ftz", true}}) {
    if (is_bfloat(type) && modifiers.ftz) continue;
    add_half(
        cases, "abs", type, 1, modifiers, [=](const uint64_t* x) { return x[0] & ~format.sign(); }, tolerance);
    add_half(
        cases, "neg", type, 1, modifiers, [=](const uint64_t* x) { return x[0] ^ format.sign(); }, tolerance);
  }
}

struct MinimumForm {
  HalfModifiers modifiers;
  bool nan, xor_sign;
};
constexpr MinimumForm kMinima[] = {{{""}, false, false},
                                   {{".NaN"}, true, false},
                                   {{".xorsign.abs"}, false, true},
                                   {{".NaN.xorsign.abs"}, true, true},
                                   {{".ftz", true}, false, false},
                                   {{".ftz.NaN", true}, true, false},
                                   {{".ftz.NaN.xorsign.abs", true}, true, true}};

void add_half_minima(Cases& cases, Type type) {
  const Format format = format_of(type);
  for (const MinimumForm& form : kMinima) {
    if (is_bfloat(type) && form.modifiers.ftz) continue;
    for (const bool maximum : {false, true}) {
      add_half(cases, maximum ? "max" : "min", type, 2, form.modifiers, [=](const uint64_t* x) {
        return reference::min_max(format, x[0], x[1], {maximum, form.nan, form.xor_sign});
      });
    }
  }
}

void add_approximations(Cases& cases, Type type) {
  const Format format = format_of(type);
  const bool bfloat = is_bfloat(type);
  const std::vector<uint64_t> special = {0, format.sign(), format.infinity(), format.infinity() | format.sign(),
                                         format.nan()};
  add_half(
      cases, "tanh", type, 1, {".approx"}, [=](const uint64_t* x) { return reference::tanh(format, x[0]); },
      {Tolerance::Kind::Absolute, std::exp2(bfloat ? -8 : -10.987)}, range(-5, 5, special));
  add_half(
      cases, "ex2", type, 1, bfloat ? HalfModifiers{".approx.ftz", true} : HalfModifiers{".approx"},
      [=](const uint64_t* x) { return reference::exp2(format, x[0]); },
      {Tolerance::Kind::Relative, std::exp2(bfloat ? -7 : -9.9)}, range(-14, 15, special));
}

}  // namespace

void add_half_cases(Cases& cases) {
  for (const Type type : kHalves) {
    add_half_arithmetic(cases, type);
    add_half_signs(cases, type);
    add_half_minima(cases, type);
    add_approximations(cases, type);
  }
}

}  // namespace tilescope::vectors
