#include <fmt/format.h>

#include <span>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

using reference::Integer;
using reference::Wide;
/// A result from operands of full precision, cut to the type's width.
using Arithmetic = Wide (*)(const Wide* x);

constexpr Type kIntegers[] = {Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64};
constexpr Type kSigned[] = {Type::S16, Type::S32, Type::S64};
constexpr Integer kS32{32, true};

LaneFunction arithmetic(Type type, size_t operands, Arithmetic function) {
  const Integer integer = integer_of(type);
  return [=](const uint64_t* bits) {
    Wide x[4];
    for (size_t i = 0; i < operands; ++i) x[i] = reference::value_of(integer, bits[i]);
    return reference::truncate(integer, function(x));
  };
}

void add_plain(Cases& cases, const std::string& op, size_t operands, std::span<const Type> types, Arithmetic function,
               const Domain& last = {}) {
  for (const Type type : types) {
    std::vector<Input> inputs(operands, Input{type});
    inputs.back().domain = last;
    add_lane(cases, op,
             {.instruction = op + "." + name_of(type),
              .inputs = inputs,
              .output = type,
              .function = arithmetic(type, operands, function)});
  }
}

void add_sums(Cases& cases) {
  add_plain(cases, "add", 2, kIntegers, [](const Wide* x) { return x[0] + x[1]; });
  add_plain(cases, "sub", 2, kIntegers, [](const Wide* x) { return x[0] - x[1]; });
  add_plain(cases, "neg", 1, kSigned, [](const Wide* x) { return -x[0]; });
  add_plain(cases, "abs", 1, kSigned, [](const Wide* x) { return x[0] < 0 ? -x[0] : x[0]; });
  add_plain(cases, "min", 2, kIntegers, [](const Wide* x) { return x[0] < x[1] ? x[0] : x[1]; });
  add_plain(cases, "max", 2, kIntegers, [](const Wide* x) { return x[0] > x[1] ? x[0] : x[1]; });
  add_plain(cases, "sad", 3, kIntegers, [](const Wide* x) { return x[2] + (x[0] < x[1] ? x[1] - x[0] : x[0] - x[1]); });
  add_lane(cases, "add",
           {.instruction = "add.sat.s32",
            .inputs = {{Type::S32}, {Type::S32}},
            .output = Type::S32,
            .function = [](const uint64_t* x) {
              return reference::clamp(kS32, reference::value_of(kS32, x[0]) + reference::value_of(kS32, x[1]));
            }});
  add_lane(cases, "sub",
           {.instruction = "sub.sat.s32",
            .inputs = {{Type::S32}, {Type::S32}},
            .output = Type::S32,
            .function = [](const uint64_t* x) {
              return reference::clamp(kS32, reference::value_of(kS32, x[0]) - reference::value_of(kS32, x[1]));
            }});
}

void add_relu(Cases& cases, const std::string& op, Arithmetic function) {
  add_lane(cases, op,
           {.instruction = op + ".relu.s32",
            .inputs = {{Type::S32}, {Type::S32}},
            .output = Type::S32,
            .function = arithmetic(Type::S32, 2, function)});
}

/// The smallest number divided by -1 overflows and wraps, as the negation of that number does.
void add_quotients(Cases& cases) {
  add_plain(
      cases, "div", 2, kIntegers, [](const Wide* x) { return x[0] / x[1]; }, nonzero());
  add_plain(
      cases, "rem", 2, kIntegers, [](const Wide* x) { return x[0] % x[1]; }, nonzero());
  for (const char* op : {"div", "rem"}) {
    for (const Type type : kIntegers) {
      add_lane(cases, op,
               {.instruction = fmt::format("{}.{}", op, name_of(type)),
                .inputs = {{type}, {type, listed({0})}},
                .output = type,
                .function = [](const uint64_t*) { return uint64_t{0}; },
                .tolerance = {Tolerance::Kind::Nothing, 0},
                .suffix = "_by_zero"});
    }
  }
}

/// The half of the double-width product that a mode takes.
Wide part(Integer type, const std::string& mode, Wide product) {
  if (mode == "wide") return product;
  return static_cast<Wide>(reference::truncate(type, mode == "hi" ? product >> type.bits : product));
}

Type twice(Type type) {
  switch (type) {
    case Type::U16: return Type::U32;
    case Type::S16: return Type::S32;
    case Type::U32: return Type::U64;
    default: return Type::S64;
  }
}

/// mul and mad of one type in one mode. A product of 64-bit numbers fits in 128 bits when taken without sign.
void add_product(Cases& cases, Type type, const std::string& mode, bool add) {
  const Integer in = integer_of(type);
  const Type output = mode == "wide" ? twice(type) : type;
  const Integer out = integer_of(output);
  std::vector<Input> inputs = {{type}, {type}};
  if (add) inputs.push_back({output});
  const std::string op = add ? "mad" : "mul";
  add_lane(cases, op,
           {.instruction = fmt::format("{}.{}.{}", op, mode, name_of(type)),
            .inputs = inputs,
            .output = output,
            .function = [=](const uint64_t* x) {
              const auto a = static_cast<reference::UnsignedWide>(reference::value_of(in, x[0]));
              const auto b = static_cast<reference::UnsignedWide>(reference::value_of(in, x[1]));
              const auto product = static_cast<Wide>(a * b);
              const Wide addend = add ? reference::value_of(out, x[2]) : 0;
              return reference::truncate(out, part(in, mode, product) + addend);
            }});
}

void add_products(Cases& cases) {
  for (const bool add : {false, true}) {
    for (const Type type : kIntegers) {
      for (const std::string mode : {"lo", "hi", "wide"}) {
        if (mode != "wide" || width(type) < 64) add_product(cases, type, mode, add);
      }
    }
  }
  add_lane(cases, "mad",
           {.instruction = "mad.hi.sat.s32",
            .inputs = {{Type::S32}, {Type::S32}, {Type::S32}},
            .output = Type::S32,
            .function = [](const uint64_t* x) {
              const Wide product = reference::value_of(kS32, x[0]) * reference::value_of(kS32, x[1]);
              return reference::clamp(kS32, (product >> 32) + reference::value_of(kS32, x[2]));
            }});
}

/// Operands are 24-bit numbers; the document does not define others.
void add_24_bit(Cases& cases, Type type, const std::string& mode, bool add, bool saturate) {
  const Integer integer = integer_of(type);
  const Domain domain = integer.is_signed ? range(-8388608, 8388607, {0, 8388607}) : range(0, 16777215, {0, 16777215});
  std::vector<Input> inputs = {{type, domain}, {type, domain}};
  if (add) inputs.push_back({type});
  const std::string op = add ? "mad24" : "mul24";
  const std::string instruction = fmt::format("{}.{}{}.{}", op, mode, saturate ? ".sat" : "", name_of(type));
  add_lane(cases, op,
           {.instruction = instruction, .inputs = inputs, .output = type, .function = [=](const uint64_t* x) {
              const Wide product = reference::value_of(integer, x[0]) * reference::value_of(integer, x[1]);
              const uint64_t half = reference::truncate(integer, mode == "hi" ? product >> 16 : product);
              const Wide sum = reference::value_of(integer, half) + (add ? reference::value_of(integer, x[2]) : 0);
              return saturate ? reference::clamp(integer, sum) : reference::truncate(integer, sum);
            }});
}

void add_24_bit_products(Cases& cases) {
  for (const Type type : {Type::U32, Type::S32}) {
    for (const char* mode : {"lo", "hi"}) {
      add_24_bit(cases, type, mode, false, false);
      add_24_bit(cases, type, mode, true, false);
    }
  }
  add_24_bit(cases, Type::S32, "hi", true, true);
}

/// Immediates of every sign and radix that compilers write.
void add_immediates(Cases& cases) {
  const auto with = [&](const std::string& op, const std::string& literal, Type type, LaneFunction function) {
    const std::string instruction = op + "." + name_of(type);
    add_lane(cases, op.substr(0, op.find('.')),
             {.instruction = instruction,
              .inputs = {{type}},
              .output = type,
              .function = std::move(function),
              .body = fmt::format("@@ {} %d, %a, {};", instruction, literal),
              .suffix = "_immediate_" + literal});
  };
  with("add", "-1", Type::S32, [](const uint64_t* x) { return x[0] - 1; });
  with("add", "-2147483648", Type::S32, [](const uint64_t* x) { return x[0] + 0x80000000; });
  with("add", "0x7fffffff", Type::S32, [](const uint64_t* x) { return x[0] + 0x7fffffff; });
  with("add", "-8", Type::S64, [](const uint64_t* x) { return x[0] - 8; });
  with("sub", "010", Type::U64, [](const uint64_t* x) { return x[0] - 8; });
  with("mul.lo", "-3", Type::S16, [](const uint64_t* x) { return x[0] * 0xfffd; });
  with("min", "-5", Type::S32, [](const uint64_t* x) { return static_cast<int32_t>(x[0]) < -5 ? x[0] : 0xfffffffb; });
  with("max", "0xF0000000U", Type::U32, [](const uint64_t* x) { return x[0] > 0xf0000000 ? x[0] : 0xf0000000; });
  with("div", "7", Type::U32, [](const uint64_t* x) { return x[0] / 7; });
}

}  // namespace

void add_integer_cases(Cases& cases) {
  add_sums(cases);
  add_relu(cases, "min", [](const Wide* x) {
    const Wide m = x[0] < x[1] ? x[0] : x[1];
    return m < 0 ? Wide{0} : m;
  });
  add_relu(cases, "max", [](const Wide* x) {
    const Wide m = x[0] > x[1] ? x[0] : x[1];
    return m < 0 ? Wide{0} : m;
  });
  add_quotients(cases);
  add_products(cases);
  add_24_bit_products(cases);
  add_immediates(cases);
}

void add_extended_cases(Cases& cases) {
  const auto chain = [&](const std::string& op, const std::string& name, Type type, Type output,
                         const std::string& body, LaneFunction function) {
    add_lane(cases, op,
             {.instruction = name,
              .inputs = {{type}, {type}},
              .output = output,
              .function = std::move(function),
              .body = body,
              .suffix = "_chain"});
  };
  for (const std::string sign : {"u", "s"}) {
    const std::string halves = "mov.b64 {%t0, %t1}, %a;\nmov.b64 {%t2, %t3}, %b;\n";
    for (const auto& [op, plus] : {std::pair{std::string("add"), true}, {"sub", false}}) {
      const auto first = fmt::format("@@ {}.cc.{}32 %t4, %t0, %t2;\n", op, sign);
      const auto second = fmt::format("@@ {}c.cc.{}32 %t5, %t1, %t3;\n", op, sign);
      chain(op, fmt::format("{0}.cc.{1}32_{0}c.cc.{1}32", op, sign), Type::U64, Type::B64,
            halves + first + second + "@@ mov.b64 %d, {%t4, %t5};",
            [plus = plus](const uint64_t* x) { return plus ? x[0] + x[1] : x[0] - x[1]; });
      chain(op, fmt::format("{0}c.{1}32", op, sign), Type::U64, Type::B32,
            halves + first + second + fmt::format("@@ {}c.{}32 %d, 0, 0;", op, sign),
            [plus = plus](const uint64_t* x) -> uint64_t {
              return plus ? (x[0] + x[1] < x[0] ? 1 : 0) : (x[0] < x[1] ? 0xffffffff : 0);
            });
      chain(op, fmt::format("{0}.cc.{1}64_{0}c.{1}64", op, sign), Type::U64, Type::B64,
            fmt::format("@@ {0}.cc.{1}64 %l0, %a, %b;\n@@ {0}c.{1}64 %d, %b, %a;", op, sign),
            [plus = plus](const uint64_t* x) {
              return plus ? x[1] + x[0] + (x[0] + x[1] < x[0]) : x[1] - x[0] - (x[0] < x[1]);
            });
    }
  }
  // The document's example: 64 by 64 bits give 128, in four words.
  const std::string product =
      "mov.b64 {%t4, %t5}, %a;\nmov.b64 {%t6, %t7}, %b;\n@@ mul.lo.u32 %t0, %t4, %t6;\n@@ mul.hi.u32 %t1, %t4, %t6;\n"
      "@@ mad.lo.cc.u32 %t1, %t5, %t6, %t1;\n@@ madc.hi.u32 %t2, %t5, %t6, 0;\n@@ mad.lo.cc.u32 %t1, %t4, %t7, %t1;\n"
      "@@ madc.hi.cc.u32 %t2, %t4, %t7, %t2;\n@@ addc.u32 %t3, 0, 0;\n@@ mad.lo.cc.u32 %t2, %t5, %t7, %t2;\n"
      "@@ madc.hi.u32 %t3, %t5, %t7, %t3;\n";
  chain("mad", "mad.cc_low", Type::U64, Type::B64, product + "@@ mov.b64 %d, {%t0, %t1};",
        [](const uint64_t* x) { return x[0] * x[1]; });
  chain("mad", "mad.cc_high", Type::U64, Type::B64, product + "@@ mov.b64 %d, {%t2, %t3};", [](const uint64_t* x) {
    return static_cast<uint64_t>(static_cast<reference::UnsignedWide>(x[0]) * x[1] >> 64);
  });
  chain("mad", "madc.lo.cc.u64", Type::U64, Type::B64,
        "@@ mad.hi.cc.u64 %l0, %a, %b, %a;\n@@ madc.lo.cc.u64 %l1, %a, %b, %l0;\n@@ addc.u64 %d, %l1, 0;",
        [](const uint64_t* x) {
          const reference::UnsignedWide one = static_cast<reference::UnsignedWide>(x[0]) * x[1];
          const reference::UnsignedWide high = (one >> 64) + x[0];
          const reference::UnsignedWide low = static_cast<reference::UnsignedWide>(static_cast<uint64_t>(one)) +
                                              static_cast<uint64_t>(high) + static_cast<uint64_t>(high >> 64);
          return static_cast<uint64_t>(low) + static_cast<uint64_t>(low >> 64);
        });
  chain("mad", "mad.lo.cc.s32_madc.lo.s32", Type::S32, Type::B32,
        "@@ mad.lo.cc.s32 %t0, %a, %b, %a;\n@@ madc.lo.s32 %d, %b, %b, %t0;", [](const uint64_t* x) {
          const uint64_t low = (x[0] * x[1] & 0xffffffff) + x[0];
          return x[1] * x[1] + (low & 0xffffffff) + (low >> 32);
        });
}

}  // namespace tilescope::vectors
