#include <fmt/format.h>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

using reference::Format;
using reference::Integer;
using reference::kF32;
using reference::Round;

constexpr Type kConvertedIntegers[] = {Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64};
constexpr Type kConvertedFloats[] = {Type::F16, Type::BF16, Type::F32, Type::F64};

struct ConversionRounding {
  const char* suffix;
  Round round;
};
constexpr ConversionRounding kToFloat[] = {
    {".rn", Round::Nearest}, {".rz", Round::Zero}, {".rm", Round::Down}, {".rp", Round::Up}};
constexpr ConversionRounding kToIntegral[] = {
    {".rni", Round::Nearest}, {".rzi", Round::Zero}, {".rmi", Round::Down}, {".rpi", Round::Up}};
constexpr Tolerance kAnyNan{Tolerance::Kind::BitsOrNan, 0};

/// 8-bit values live in 16-bit registers: the source's high byte is ignored, the destination is extended to 16 bits.
Type held_in(Type type) {
  if (type == Type::U8) return Type::U16;
  return type == Type::S8 ? Type::S16 : type;
}

/// A value of `type` in a register of `holder`.
uint64_t extended(Type type, Type holder, uint64_t bits) {
  return reference::truncate(integer_of(holder), reference::value_of(integer_of(type), bits));
}

void add_cvt(Cases& cases, const std::string& modifiers, Type to, Type from, LaneFunction function,
             Tolerance tolerance = {}) {
  add_lane(cases, "cvt",
           {.instruction = fmt::format("cvt{}.{}.{}", modifiers, name_of(to), name_of(from)),
            .inputs = {{held_in(from)}},
            .output = held_in(to),
            .function = std::move(function),
            .tolerance = tolerance});
}

bool may_saturate(Integer from, Integer to) {
  return to.bits < from.bits || (to.bits == from.bits && to.is_signed != from.is_signed) ||
         (from.is_signed && !to.is_signed);
}

void add_integer_to_integer(Cases& cases) {
  for (const Type from : kConvertedIntegers) {
    for (const Type to : kConvertedIntegers) {
      const Integer in = integer_of(from), out = integer_of(to);
      const auto plain = [=](const uint64_t* x) {
        return extended(to, held_in(to), reference::truncate(out, reference::value_of(in, x[0])));
      };
      add_cvt(cases, "", to, from, plain);
      if (!may_saturate(in, out)) continue;
      add_cvt(cases, ".sat", to, from, [=](const uint64_t* x) {
        return extended(to, held_in(to), reference::clamp(out, reference::value_of(in, x[0])));
      });
    }
  }
}

/// A destination register wider than the type is filled by sign or zero.
void add_wide_destinations(Cases& cases) {
  for (const Type to : {Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32}) {
    const std::string instruction = fmt::format("cvt.{}.u64", name_of(to));
    add_lane(cases, "cvt",
             {.instruction = instruction,
              .inputs = {{Type::U64}},
              .output = Type::B64,
              .function = [=](const uint64_t* x) { return extended(to, Type::U64, x[0]); },
              .suffix = "_wide"});
  }
}

void add_float_to_integer(Cases& cases) {
  for (const Type from : kConvertedFloats) {
    const Format format = format_of(from);
    for (const Type to : kConvertedIntegers) {
      if (from == Type::BF16 && width(to) == 8) continue;  // ptxas 13.0 refuses it.
      for (const auto& [suffix, round] : kToIntegral) {
        for (const bool ftz : {false, true}) {
          if (ftz && from != Type::F32) continue;
          add_cvt(cases, fmt::format("{}{}", suffix, ftz ? ".ftz" : ""), to, from,
                  [=, round = round](const uint64_t* x) {
                    const uint64_t a = ftz ? reference::flush(format, x[0]) : x[0];
                    return extended(to, held_in(to), reference::to_integer(format, integer_of(to), a, round));
                  });
        }
      }
    }
  }
}

void add_integer_to_float(Cases& cases) {
  for (const Type from : kConvertedIntegers) {
    for (const Type to : kConvertedFloats) {
      if (to == Type::BF16 && width(from) == 8) continue;
      for (const auto& [suffix, round] : kToFloat) {
        add_cvt(cases, suffix, to, from, [=, round = round](const uint64_t* x) {
          return reference::from_integer(format_of(to), reference::value_of(integer_of(from), x[0]), round);
        });
      }
    }
  }
  add_cvt(cases, ".rn.sat", Type::F32, Type::S32, [](const uint64_t* x) {
    const auto value = reference::value_of({32, true}, x[0]);
    return reference::saturate(kF32, reference::from_integer(kF32, value, Round::Nearest));
  });
}

/// .ftz touches only the operands and results that are f32.
LaneFunction float_to_float(Type from, Type to, Round round, bool ftz, bool sat) {
  return [=](const uint64_t* x) {
    const uint64_t a = ftz && from == Type::F32 ? reference::flush(kF32, x[0]) : x[0];
    uint64_t result = reference::convert(format_of(from), format_of(to), a, round);
    if (ftz && to == Type::F32) result = reference::flush(kF32, result);
    return sat ? reference::saturate(format_of(to), result) : result;
  };
}

void add_widening(Cases& cases) {
  const std::pair<Type, Type> pairs[] = {{Type::F16, Type::F32},  {Type::F16, Type::F64}, {Type::F32, Type::F64},
                                         {Type::BF16, Type::F32}, {Type::F32, Type::F32}, {Type::F64, Type::F64}};
  for (const auto& [from, to] : pairs) {
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true}) {
        if ((ftz && from != Type::F32 && to != Type::F32) || (sat && from == Type::BF16)) continue;
        if (ftz && from == Type::BF16) continue;
        add_cvt(cases, fmt::format("{}{}", ftz ? ".ftz" : "", sat ? ".sat" : ""), to, from,
                float_to_float(from, to, Round::Nearest, ftz, sat), kAnyNan);
      }
    }
  }
}

void add_narrowing(Cases& cases) {
  const std::pair<Type, Type> pairs[] = {{Type::F64, Type::F32},  {Type::F64, Type::F16},  {Type::F32, Type::F16},
                                         {Type::F64, Type::BF16}, {Type::F16, Type::BF16}, {Type::BF16, Type::F16}};
  for (const auto& [from, to] : pairs) {
    for (const auto& [suffix, round] : kToFloat) {
      for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
          if (ftz && from != Type::F32 && to != Type::F32) continue;
          if (sat && (to == Type::BF16 || from == Type::BF16)) continue;
          add_cvt(cases, fmt::format("{}{}{}", suffix, ftz ? ".ftz" : "", sat ? ".sat" : ""), to, from,
                  float_to_float(from, to, round, ftz, sat), kAnyNan);
        }
      }
    }
  }
}

void add_integral_rounding(Cases& cases) {
  for (const Type type : {Type::F16, Type::F32, Type::F64}) {
    for (const auto& [suffix, round] : kToIntegral) {
      for (const bool ftz : {false, true}) {
        if (ftz && type != Type::F32) continue;
        add_cvt(
            cases, fmt::format("{}{}", suffix, ftz ? ".ftz" : ""), type, type,
            [=, round = round](const uint64_t* x) {
              const uint64_t a = ftz ? reference::flush(format_of(type), x[0]) : x[0];
              return reference::round_to_integral(format_of(type), a, round);
            },
            kAnyNan);
      }
    }
  }
}

/// One f32 to a half, and two to a pair: the first operand goes to the upper half.
void add_halves_and_pairs(Cases& cases) {
  for (const auto& [half, pair] : {std::pair{Type::F16, Type::F16x2}, {Type::BF16, Type::BF16x2}}) {
    const Format format = format_of(half);
    for (const auto& [suffix, round] : {kToFloat[0], kToFloat[1]}) {
      for (const bool relu : {false, true}) {
        const std::string modifiers = fmt::format("{}{}", suffix, relu ? ".relu" : "");
        const auto one = [=, round = round](uint64_t a) {
          const uint64_t result = reference::convert(kF32, format, a, round);
          return relu ? reference::relu(format, result) : result;
        };
        if (half == Type::BF16 || relu) {
          add_cvt(
              cases, modifiers, half, Type::F32, [=](const uint64_t* x) { return one(x[0]); }, kAnyNan);
        }
        add_lane(cases, "cvt",
                 {.instruction = fmt::format("cvt{}.{}.f32", modifiers, name_of(pair)),
                  .inputs = {{Type::F32}, {Type::F32}},
                  .output = pair,
                  .function = [=](const uint64_t* x) { return one(x[0]) << 16 | one(x[1]); },
                  .tolerance = kAnyNan});
      }
    }
  }
}

void add_tf32(Cases& cases) {
  add_lane(cases, "cvt",
           {.instruction = "cvt.rna.tf32.f32",
            .inputs = {{Type::F32}},
            .output = Type::TF32,
            .function = [](const uint64_t* x) { return reference::round_to_tf32(x[0]); },
            .tolerance = kAnyNan});
}

}  // namespace

void add_convert_cases(Cases& cases) {
  add_integer_to_integer(cases);
  add_wide_destinations(cases);
  add_float_to_integer(cases);
  add_integer_to_float(cases);
  add_widening(cases);
  add_narrowing(cases);
  add_integral_rounding(cases);
  add_halves_and_pairs(cases);
  add_tf32(cases);
}

}  // namespace tilescope::vectors
