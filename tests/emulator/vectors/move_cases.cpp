#include <fmt/format.h>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

void add_plain_moves(Cases& cases) {
  for (const Type type : {Type::B16, Type::B32, Type::B64, Type::U16, Type::U32, Type::U64, Type::S16, Type::S32,
                          Type::S64, Type::F32, Type::F64}) {
    add_lane(
        cases, "mov",
        {.instruction = "mov." + name_of(type), .inputs = {{type}}, .output = type, .function = [](const uint64_t* x) {
           return x[0];
         }});
  }
  add_lane(cases, "mov",
           {.instruction = "mov.pred",
            .inputs = {{Type::U32, listed({0, 1})}},
            .output = Type::U32,
            .function = [](const uint64_t* x) { return x[0]; },
            .body = "setp.ne.u32 %q, %a, 0;\n@@ mov.pred %p, %q;\nselp.u32 %d, 1, 0, %p;",
            .skipped = 0});
}

void add_packing(Cases& cases) {
  add_lane(cases, "mov",
           {.instruction = "mov.b32",
            .inputs = {{Type::B16}, {Type::B16}},
            .output = Type::B32,
            .function = [](const uint64_t* x) { return x[0] | x[1] << 16; },
            .body = "@@ mov.b32 %d, {%a, %b};",
            .suffix = "_pack"});
  add_lane(cases, "mov",
           {.instruction = "mov.b64",
            .inputs = {{Type::B32}, {Type::B32}},
            .output = Type::B64,
            .function = [](const uint64_t* x) { return x[0] | x[1] << 32; },
            .body = "@@ mov.b64 %d, {%a, %b};",
            .suffix = "_pack"});
  add_lane(cases, "mov",
           {.instruction = "mov.b64",
            .inputs = {{Type::B16}, {Type::B16}, {Type::B16}, {Type::B16}},
            .output = Type::B64,
            .function = [](const uint64_t* x) { return x[0] | x[1] << 16 | x[2] << 32 | x[3] << 48; },
            .body = "@@ mov.b64 %d, {%a, %b, %c, %e};",
            .suffix = "_pack4"});
}

void add_unpacking(Cases& cases) {
  add_lane(cases, "mov",
           {.instruction = "mov.b32",
            .inputs = {{Type::B32}},
            .output = Type::B32,
            .function = [](const uint64_t* x) { return x[0] >> 16 | (x[0] & 0xffff) << 16; },
            .body = "mov.b32 {%h0, %h1}, %a;\n@@ mov.b32 %d, {%h1, %h0};",
            .suffix = "_unpack"});
  add_lane(cases, "mov",
           {.instruction = "mov.b64",
            .inputs = {{Type::B64}},
            .output = Type::B64,
            .function = [](const uint64_t* x) { return x[0] >> 32 | x[0] << 32; },
            .body = "mov.b64 {%t0, %t1}, %a;\n@@ mov.b64 %d, {%t1, %t0};",
            .suffix = "_unpack"});
  add_lane(cases, "mov",
           {.instruction = "mov.b64",
            .inputs = {{Type::B64}},
            .output = Type::B64,
            .function =
                [](const uint64_t* x) {
                  return x[0] >> 48 | (x[0] >> 32 & 0xffff) << 16 | (x[0] >> 16 & 0xffff) << 32 | x[0] << 48;
                },
            .body = "mov.b64 {%h0, %h1, %h2, %h3}, %a;\n@@ mov.b64 %d, {%h3, %h2, %h1, %h0};",
            .suffix = "_unpack4"});
  add_lane(cases, "mov",
           {.instruction = "mov.b32",
            .inputs = {{Type::B32}},
            .output = Type::B16,
            .function = [](const uint64_t* x) { return x[0] >> 16; },
            .body = "@@ mov.b32 {_, %d}, %a;",
            .suffix = "_sink"});
}

/// A shared address converts to a generic one and back; isspacep distinguishes them.
void add_spaces(Cases& cases) {
  const std::string shared = ".shared .align 8 .b8 room[64];\nmov.u64 %l0, room;\n@@ cvta.shared.u64 %l1, %l0;\n";
  const auto one = [&](const std::string& instruction, const std::string& body, uint64_t expected) {
    add_lane(cases, instruction.substr(0, instruction.find('.')),
             {.instruction = instruction,
              .inputs = {},
              .output = Type::U32,
              .function = [=](const uint64_t*) { return expected; },
              .body = shared + body + "\nselp.u32 %d, 1, 0, %p;",
              .skipped = 0});
  };
  one("cvta.to.shared.u64", "@@ cvta.to.shared.u64 %l2, %l1;\n@@ setp.eq.u64 %p, %l2, %l0;", 1);
  one("isspacep.shared", "@@ isspacep.shared %p, %l1;", 1);
  one("isspacep.global", "@@ isspacep.global %p, %l1;", 0);
  one("isspacep.local", "@@ isspacep.local %p, %l1;", 0);
}

}  // namespace

void add_move_cases(Cases& cases) {
  add_plain_moves(cases);
  add_packing(cases);
  add_unpacking(cases);
  add_spaces(cases);
}

}  // namespace tilescope::vectors
