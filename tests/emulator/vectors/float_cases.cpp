#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

using reference::Format;
using reference::kF32;
using reference::kF64;
using reference::Round;

struct Rounding {
  const char* suffix;
  Round round;
};
constexpr Rounding kRoundings[] = {
    {".rn", Round::Nearest}, {".rz", Round::Zero}, {".rm", Round::Down}, {".rp", Round::Up}};

/// An operation on numbers of one format, rounded once.
using Operation = std::function<uint64_t(const uint64_t* x, Round round)>;

struct FloatModifiers {
  bool ftz = false, sat = false;
  std::string text() const { return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : ""); }
};

LaneFunction with_modifiers(Format format, size_t operands, FloatModifiers modifiers, Round round, Operation operation) {
  return [=, operation = std::move(operation)](const uint64_t* bits) {
    uint64_t x[4];
    for (size_t i = 0; i < operands; ++i) x[i] = modifiers.ftz ? reference::flush(format, bits[i]) : bits[i];
    const uint64_t result = operation(x, round);
    const uint64_t flushed = modifiers.ftz ? reference::flush(format, result) : result;
    return modifiers.sat ? reference::saturate(format, flushed) : flushed;
  };
}

/// f32 yields the canonical NaN; f64 may carry a payload.
Tolerance exact(Type type) { return {type == Type::F64 ? Tolerance::Kind::BitsOrNan : Tolerance::Kind::Bits, 0}; }

void add_rounded(Cases& cases, const std::string& op, size_t operands, Type type, bool may_saturate,
                 const Rounding& rounding, const Operation& operation) {
  for (const FloatModifiers modifiers : {FloatModifiers{}, {true, false}, {false, true}, {true, true}}) {
    if ((modifiers.ftz && type == Type::F64) || (modifiers.sat && !may_saturate)) continue;
    const auto name = fmt::format("{}{}{}.{}", op, rounding.suffix, modifiers.text(), name_of(type));
    add_lane(cases, op,
             {.instruction = name,
              .inputs = std::vector<Input>(operands, Input{type}),
              .output = type,
              .function = with_modifiers(format_of(type), operands, modifiers, rounding.round, operation),
              .tolerance = exact(type)});
  }
}

void add_arithmetic(Cases& cases, Type type) {
  const Format format = format_of(type);
  const bool sat = type == Type::F32;
  const Operation add = [=](const uint64_t* x, Round round) { return reference::add(format, x[0], x[1], round); };
  const Operation sub = [=](const uint64_t* x, Round round) { return reference::subtract(format, x[0], x[1], round); };
  const Operation mul = [=](const uint64_t* x, Round round) { return reference::multiply(format, x[0], x[1], round); };
  const Operation fma = [=](const uint64_t* x, Round round) {
    return reference::fused_multiply_add(format, x[0], x[1], x[2], round);
  };
  const Operation div = [=](const uint64_t* x, Round round) { return reference::divide(format, x[0], x[1], round); };
  const Operation rcp = [=](const uint64_t* x, Round round) {
    return reference::divide(format, format.one(), x[0], round);
  };
  const Operation sqrt = [=](const uint64_t* x, Round round) { return reference::square_root(format, x[0], round); };
  const Rounding by_default{"", Round::Nearest};
  add_rounded(cases, "add", 2, type, sat, by_default, add);
  add_rounded(cases, "sub", 2, type, sat, by_default, sub);
  add_rounded(cases, "mul", 2, type, sat, by_default, mul);
  for (const Rounding& rounding : kRoundings) {
    add_rounded(cases, "add", 2, type, sat, rounding, add);
    add_rounded(cases, "sub", 2, type, sat, rounding, sub);
    add_rounded(cases, "mul", 2, type, sat, rounding, mul);
    add_rounded(cases, "fma", 3, type, sat, rounding, fma);
    add_rounded(cases, "mad", 3, type, sat, rounding, fma);
    add_rounded(cases, "div", 2, type, false, rounding, div);
    add_rounded(cases, "rcp", 1, type, false, rounding, rcp);
    add_rounded(cases, "sqrt", 1, type, false, rounding, sqrt);
  }
}

/// abs and neg change only the sign; their result for a NaN is not defined.
void add_signs(Cases& cases, Type type, bool ftz) {
  const Format format = format_of(type);
  const std::string suffix = fmt::format("{}.{}", ftz ? ".ftz" : "", name_of(type));
  const auto one = [&](const std::string& op, Operation operation) {
    add_lane(cases, op,
             {.instruction = op + suffix,
              .inputs = {{type}},
              .output = type,
              .function = with_modifiers(format, 1, {ftz, false}, Round::Nearest, std::move(operation)),
              .tolerance = {Tolerance::Kind::BitsOrNan, 0}});
  };
  one("abs", [=](const uint64_t* x, Round) { return x[0] & ~format.sign(); });
  one("neg", [=](const uint64_t* x, Round) { return x[0] ^ format.sign(); });
}

void add_minima(Cases& cases, Type type, bool ftz) {
  const Format format = format_of(type);
  for (const bool maximum : {false, true}) {
    for (const bool nan : {false, true}) {
      for (const bool xor_sign : {false, true}) {
        if (type == Type::F64 && (nan || xor_sign)) continue;
        const std::string op = maximum ? "max" : "min";
        const auto name = fmt::format("{}{}{}{}.{}", op, ftz ? ".ftz" : "", nan ? ".NaN" : "",
                                      xor_sign ? ".xorsign.abs" : "", name_of(type));
        const Operation operation = [=](const uint64_t* x, Round) {
          return reference::min_max(format, x[0], x[1], {maximum, nan, xor_sign});
        };
        add_lane(cases, op,
                 {.instruction = name,
                  .inputs = {{type}, {type}},
                  .output = type,
                  .function = with_modifiers(format, 2, {ftz, false}, Round::Nearest, operation),
                  .tolerance = exact(type)});
      }
    }
  }
}

void add_properties(Cases& cases, Type type) {
  const Format format = format_of(type);
  add_lane(cases, "copysign",
           {.instruction = fmt::format("copysign.{}", name_of(type)),
            .inputs = {{type}, {type}},
            .output = type,
            .function = [=](const uint64_t* x) { return (x[0] & format.sign()) | (x[1] & ~format.sign()); },
            .tolerance = {Tolerance::Kind::BitsOrNan, 0}});
  const auto test = [&](const std::string& property, LaneFunction function) {
    const auto name = fmt::format("testp.{}.{}", property, name_of(type));
    add_lane(cases, "testp",
             {.instruction = name,
              .inputs = {{type}},
              .output = Type::U32,
              .function = std::move(function),
              .body = fmt::format("@@ {} %p, %a;\nselp.u32 %d, 1, 0, %p;", name),
              .skipped = 0});
  };
  const auto finite = [=](uint64_t a) { return !reference::is_nan(format, a) && !reference::is_infinite(format, a); };
  test("finite", [=](const uint64_t* x) { return uint64_t{finite(x[0])}; });
  test("infinite", [=](const uint64_t* x) { return uint64_t{reference::is_infinite(format, x[0])}; });
  test("number", [=](const uint64_t* x) { return uint64_t{!reference::is_nan(format, x[0])}; });
  test("notanumber", [=](const uint64_t* x) { return uint64_t{reference::is_nan(format, x[0])}; });
  test("normal", [=](const uint64_t* x) { return uint64_t{finite(x[0]) && !reference::is_subnormal(format, x[0])}; });
  test("subnormal", [=](const uint64_t* x) { return uint64_t{reference::is_subnormal(format, x[0])}; });
}

/// Floating-point constants as compilers write them.
void add_constants(Cases& cases) {
  add_lane(cases, "add",
           {.instruction = "add.f32",
            .inputs = {{Type::F32}},
            .output = Type::F32,
            .function = [](const uint64_t* x) { return reference::add(kF32, x[0], 0x3fc00000, Round::Nearest); },
            .body = "@@ add.f32 %d, %a, 0f3FC00000;",
            .suffix = "_constant"});
  add_lane(cases, "fma",
           {.instruction = "fma.rn.f32",
            .inputs = {{Type::F32}},
            .output = Type::F32,
            .function =
                [](const uint64_t* x) {
                  return reference::fused_multiply_add(kF32, x[0], 0xbf800000, 0x4b000001, Round::Nearest);
                },
            .body = "@@ fma.rn.f32 %d, %a, 0fBF800000, 0f4B000001;",
            .suffix = "_constant"});
  add_lane(cases, "mul",
           {.instruction = "mul.f64",
            .inputs = {{Type::F64}},
            .output = Type::F64,
            .function =
                [](const uint64_t* x) { return reference::multiply(kF64, x[0], 0x3fb999999999999a, Round::Nearest); },
            .tolerance = exact(Type::F64),
            .body = "@@ mul.f64 %d, %a, 0d3FB999999999999A;",
            .suffix = "_constant"});
}

constexpr uint64_t kInfinity = 0x7f800000, kMinusInfinity = 0xff800000, kMinusZero = 0x80000000, kNan = 0x7fc00000;
const std::vector<uint64_t> kSpecial = {0, kMinusZero, kInfinity, kMinusInfinity, kNan};

/// One approximate instruction over one domain, with and without .ftz.
void add_approximate(Cases& cases, const std::string& op, std::vector<Input> inputs, Tolerance tolerance,
                     bool may_flush, const std::string& suffix, const Operation& operation) {
  for (const bool ftz : {false, true}) {
    if (ftz && !may_flush) continue;
    const auto name = fmt::format("{}{}.f32", op, ftz ? ".ftz" : "");
    add_lane(cases, op.substr(0, op.find('.')),
             {.instruction = name,
              .inputs = inputs,
              .output = Type::F32,
              .function = with_modifiers(kF32, inputs.size(), {ftz, false}, Round::Nearest, operation),
              .tolerance = tolerance,
              .suffix = suffix});
  }
}

Operation f32(uint64_t (*function)(Format, uint64_t)) {
  return [=](const uint64_t* x, Round) { return function(kF32, x[0]); };
}

void add_approximate_division(Cases& cases) {
  const Operation divide = [](const uint64_t* x, Round round) { return reference::divide(kF32, x[0], x[1], round); };
  const Operation reciprocal = [](const uint64_t* x, Round round) {
    return reference::divide(kF32, kF32.one(), x[0], round);
  };
  const Operation root = [](const uint64_t* x, Round round) { return reference::square_root(kF32, x[0], round); };
  // Quotients stay normal: the bound does not cover others.
  const Input ordinary{Type::F32, range(-1e15, 1e15)};
  const Input near_one{Type::F32, range(1e-3, 4)};
  for (const char* op : {"div.approx", "div.full"}) {
    add_approximate(cases, op, {ordinary, near_one}, {Tolerance::Kind::Ulps, 2}, true, "", divide);
  }
  add_approximate(cases, "rcp.approx", {{Type::F32}}, {Tolerance::Kind::Ulps, 1}, true, "", reciprocal);
  add_approximate(cases, "sqrt.approx", {{Type::F32}}, {Tolerance::Kind::Relative, 0x1p-23}, true, "", root);
  add_approximate(cases, "rsqrt.approx", {{Type::F32}}, {Tolerance::Kind::Relative, std::exp2(-22.9)}, true, "",
                  f32(reference::reciprocal_square_root));
}

void add_transcendental(Cases& cases) {
  const double pi = std::numbers::pi;
  for (const auto& [op, function] : {std::pair{"sin.approx", &reference::sine}, {"cos.approx", &reference::cosine}}) {
    add_approximate(cases, op, {{Type::F32, range(-2 * pi, 2 * pi, kSpecial)}},
                    {Tolerance::Kind::Absolute, std::exp2(-20.5)}, true, "_near", f32(function));
    add_approximate(cases, op, {{Type::F32, range(-100 * pi, 100 * pi)}}, {Tolerance::Kind::Absolute, std::exp2(-14.7)},
                    true, "_far", f32(function));
  }
  add_approximate(cases, "lg2.approx", {{Type::F32, range(0.5000001, 1.9999999)}}, {Tolerance::Kind::Absolute, 0x1p-22},
                  true, "_near", f32(reference::log2));
  add_approximate(cases, "lg2.approx",
                  {{Type::F32, range(2, 1e30,
                                     {0, kMinusZero, kInfinity, kMinusInfinity, kNan, 0x80800000, 0x3e800000,
                                      0x3dcccccd, 0x00800000, 0xbf800000})}},
                  {Tolerance::Kind::Relative, 0x1p-22}, true, "_far", f32(reference::log2));
  add_approximate(cases, "ex2.approx", {{Type::F32, range(-120, 127, kSpecial)}}, {Tolerance::Kind::Ulps, 2}, true, "",
                  f32(reference::exp2));
  add_approximate(cases, "tanh.approx", {{Type::F32, range(-6, 6, kSpecial)}}, {Tolerance::Kind::Relative, 0x1p-11},
                  false, "", f32(reference::tanh));
}

/// The upper 32 bits hold the result; the document gives no bound, so one of the 20 fraction bits is allowed to be off.
void add_gross_approximations(Cases& cases) {
  const Domain domain = range(1e-300, 1e300,
                              {0x0, 0x8000000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000,
                               0x4008000000000000, 0x3f1a36e2eb1c432d});
  const Tolerance tolerance{Tolerance::Kind::Relative, 0x1p-19};
  add_lane(cases, "rcp",
           {.instruction = "rcp.approx.ftz.f64",
            .inputs = {{Type::F64, domain}},
            .output = Type::F64,
            .function = [](const uint64_t* x) { return reference::divide(kF64, kF64.one(), x[0], Round::Nearest); },
            .tolerance = tolerance});
  add_lane(cases, "rsqrt",
           {.instruction = "rsqrt.approx.ftz.f64",
            .inputs = {{Type::F64, domain}},
            .output = Type::F64,
            .function = [](const uint64_t* x) { return reference::reciprocal_square_root(kF64, x[0]); },
            .tolerance = tolerance});
  add_lane(cases, "rsqrt",
           {.instruction = "rsqrt.approx.f64",
            .inputs = {{Type::F64, domain}},
            .output = Type::F64,
            .function = [](const uint64_t* x) { return reference::reciprocal_square_root(kF64, x[0]); },
            .tolerance = {Tolerance::Kind::Ulps, 2}});
}

}  // namespace

void add_float_cases(Cases& cases) {
  for (const Type type : {Type::F32, Type::F64}) {
    add_arithmetic(cases, type);
    add_properties(cases, type);
    for (const bool ftz : {false, true}) {
      if (ftz && type == Type::F64) continue;
      add_signs(cases, type, ftz);
      add_minima(cases, type, ftz);
    }
  }
  add_constants(cases);
}

void add_approximate_cases(Cases& cases) {
  add_approximate_division(cases);
  add_transcendental(cases);
  add_gross_approximations(cases);
}

}  // namespace tilescope::vectors
