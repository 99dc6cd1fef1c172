#include <fmt/format.h>

#include <algorithm>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

constexpr Type kBits[] = {Type::B16, Type::B32, Type::B64};

void add_bitwise(Cases& cases) {
  for (const Type type : kBits) {
    const auto two = [&](const std::string& op, LaneFunction function) {
      add_lane(cases, op,
               {.instruction = op + "." + name_of(type),
                .inputs = {{type}, {type}},
                .output = type,
                .function = std::move(function)});
    };
    two("and", [](const uint64_t* x) { return x[0] & x[1]; });
    two("or", [](const uint64_t* x) { return x[0] | x[1]; });
    two("xor", [](const uint64_t* x) { return x[0] ^ x[1]; });
    add_lane(
        cases, "not",
        {.instruction = "not." + name_of(type), .inputs = {{type}}, .output = type, .function = [](const uint64_t* x) {
           return ~x[0];
         }});
    add_lane(cases, "cnot",
             {.instruction = "cnot." + name_of(type),
              .inputs = {{type, listed({0, 1, 0x8000})}},
              .output = type,
              .function = [](const uint64_t* x) { return uint64_t{x[0] == 0}; }});
  }
}

void add_predicates(Cases& cases) {
  const auto two = [&](const std::string& op, LaneFunction function) {
    add_lane(cases, op,
             {.instruction = op + ".pred",
              .inputs = {{Type::U32, listed({0, 1})}, {Type::U32, listed({0, 1})}},
              .output = Type::U32,
              .function = std::move(function),
              .body = "setp.ne.u32 %q, %a, 0;\nsetp.ne.u32 %r, %b, 0;\n@@ " + op +
                      ".pred %p, %q, %r;\nselp.u32 %d, 1, 0, %p;",
              .skipped = 0});
  };
  two("and", [](const uint64_t* x) { return x[0] & x[1]; });
  two("or", [](const uint64_t* x) { return x[0] | x[1]; });
  two("xor", [](const uint64_t* x) { return x[0] ^ x[1]; });
  add_lane(cases, "not",
           {.instruction = "not.pred",
            .inputs = {{Type::U32, listed({0, 1})}},
            .output = Type::U32,
            .function = [](const uint64_t* x) { return x[0] ^ 1; },
            .body = "setp.ne.u32 %q, %a, 0;\n@@ not.pred %p, %q;\nselp.u32 %d, 1, 0, %p;",
            .skipped = 0});
}

/// Bit i of the result is the table's bit that the operands' bits i choose.
uint64_t look_up(uint64_t a, uint64_t b, uint64_t c, int table) {
  uint64_t result = 0;
  for (int i = 0; i < 32; ++i) {
    const int index = static_cast<int>((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1));
    result |= static_cast<uint64_t>(table >> index & 1) << i;
  }
  return result;
}

void add_lop3(Cases& cases) {
  const std::vector<Input> inputs = {{Type::B32}, {Type::B32}, {Type::B32}};
  for (int table = 0; table < 256; ++table) {
    add_lane(cases, "lop3",
             {.instruction = "lop3.b32",
              .inputs = inputs,
              .output = Type::B32,
              .function = [=](const uint64_t* x) { return look_up(x[0], x[1], x[2], table); },
              .body = fmt::format("@@ lop3.b32 %d, %a, %b, %c, {:#x};", table),
              .suffix = fmt::format("_{:02x}", table)});
  }
  for (const bool with_or : {false, true}) {
    const std::string instruction = fmt::format("lop3.{}.b32", with_or ? "or" : "and");
    add_lane(cases, "lop3",
             {.instruction = instruction,
              .inputs = {{Type::B32}, {Type::B32}, {Type::B32}, {Type::B32}},
              .output = Type::U32,
              .function =
                  [=](const uint64_t* x) {
                    const bool any = look_up(x[0], x[1], x[2], 0x80) != 0, q = (x[3] & 1) != 0;
                    return uint64_t{with_or ? any || q : any && q};
                  },
              .body = "and.b32 %t0, %e, 1;\nsetp.ne.u32 %q, %t0, 0;\n@@ " + instruction +
                      " %t1|%p, %a, %b, %c, 0x80, %q;\nselp.u32 %d, 1, 0, %p;",
              .skipped = 0});
  }
}

void add_shifts(Cases& cases) {
  for (const Type type :
       {Type::B16, Type::B32, Type::B64, Type::U16, Type::U32, Type::U64, Type::S16, Type::S32, Type::S64}) {
    const reference::Integer integer = integer_of(type);
    const auto clamped = [bits = integer.bits](uint64_t count) {
      return static_cast<int>(std::min<uint64_t>(count, bits));
    };
    add_lane(cases, "shr",
             {.instruction = "shr." + name_of(type),
              .inputs = {{type}, {Type::U32, counts()}},
              .output = type,
              .function = [=](const uint64_t* x) {
                return reference::truncate(integer, reference::value_of(integer, x[0]) >> clamped(x[1]));
              }});
    if (type != Type::B16 && type != Type::B32 && type != Type::B64) continue;
    add_lane(cases, "shl",
             {.instruction = "shl." + name_of(type),
              .inputs = {{type}, {Type::U32, counts()}},
              .output = type,
              .function = [=](const uint64_t* x) {
                return reference::truncate(integer, reference::value_of(integer, x[0]) << clamped(x[1]));
              }});
  }
}

void add_funnel_shifts(Cases& cases) {
  for (const bool left : {false, true}) {
    for (const bool clamp : {false, true}) {
      add_lane(cases, "shf",
               {.instruction = fmt::format("shf.{}.{}.b32", left ? "l" : "r", clamp ? "clamp" : "wrap"),
                .inputs = {{Type::B32}, {Type::B32}, {Type::U32, counts()}},
                .output = Type::B32,
                .function = [=](const uint64_t* x) {
                  const uint64_t n = clamp ? std::min<uint64_t>(x[2], 32) : x[2] & 31;
                  const auto both = static_cast<reference::UnsignedWide>(x[1] << 32 | x[0]);
                  return static_cast<uint64_t>(left ? both << n >> 32 : both >> n) & 0xffffffff;
                }});
    }
  }
}

}  // namespace

void add_logic_cases(Cases& cases) {
  add_bitwise(cases);
  add_predicates(cases);
  add_lop3(cases);
  add_shifts(cases);
  add_funnel_shifts(cases);
}

}  // namespace tilescope::vectors
