#include <fmt/format.h>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

constexpr Type kTypes[] = {Type::B8,  Type::U8,  Type::S8,  Type::B16, Type::U16, Type::S16, Type::B32,
                           Type::U32, Type::S32, Type::B64, Type::U64, Type::S64, Type::F32, Type::F64};
constexpr uint32_t kMemoryThreads = 256;

/// A round trip through a state space: thread i loads element i of in0 (a vector of `lanes`), stores it where `space`
/// says, loads it from there into 64-bit registers and writes these to the output.
struct Trip {
  Type type;
  uint32_t lanes;
  std::string space;      ///< "global", "shared", "local", or "" for a generic address into `room`.
  std::string room;       ///< "shared" or "local": where a generic address points. Else the same as `space`.
  std::string qualifier;  ///< ".volatile", ".nc", ...

  uint32_t bytes() const { return width(type) / 8 * lanes; }
  std::string vector() const { return lanes == 1 ? "" : fmt::format(".v{}", lanes); }
  std::string name() const {
    return fmt::format("{}{}{}.{}", qualifier, space.empty() ? "" : "." + space, vector(), name_of(type));
  }
};

/// Floating-point registers must have the type's width; integers may go through wider ones.
std::string holder(Type type) { return is_float(type) ? register_type(type) : ".b64"; }

std::string registers(const Trip& trip, char name) {
  if (trip.lanes == 1) return fmt::format("%{}0", name);
  std::string list = "{";
  for (uint32_t k = 0; k < trip.lanes; ++k) list += fmt::format("{}%{}{}", k == 0 ? "" : ", ", name, k);
  return list + "}";
}

/// Puts the address of the thread's place in %place.
std::string place(const Trip& trip) {
  if (trip.room == "global") return "  mov.u64 %place, %address;\n";
  std::string text = fmt::format("  .{} .align 16 .b8 room[{}];\n  mov.u64 %place, room;\n", trip.room,
                                 trip.room == "shared" ? kMemoryThreads * trip.bytes() : trip.bytes());
  if (trip.room == "shared") text += fmt::format("  mad.wide.u32 %place, %i, {}, %place;\n", trip.bytes());
  if (trip.space.empty()) text += fmt::format("  cvta.{}.u64 %place, %place;\n", trip.room);
  return text;
}

std::string results(const Trip& trip) {
  std::string text =
      fmt::format("  ld.param.u64 %base, [out];\n  mad.wide.u32 %address, %i, {}, %base;\n", 8 * trip.lanes);
  for (uint32_t k = 0; k < trip.lanes; ++k) {
    if (trip.type == Type::F32) {
      text += fmt::format(
          "  mov.b32 %word, %v{0};\n  cvt.u64.u32 %wide, %word;\n  st.global.u64 [%address+{1}], %wide;\n", k, 8 * k);
    } else {
      text += fmt::format("  st.global.{} [%address+{}], %v{};\n", trip.type == Type::F64 ? "f64" : "b64", 8 * k, k);
    }
  }
  return text + "  ret;\n";
}

std::string trip_text(const Trip& trip, const std::string& entry) {
  const std::string type = name_of(trip.type);
  std::string text = fmt::format(
      ".visible .entry {}(.param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3, .param .u64 guard, "
      ".param .u64 out)\n{{\n  .reg .b32 %i, %word;\n  .reg .b64 %address, %base, %place, %wide;\n"
      "  .reg {} %u<{}>, %v<{}>;\n  mov.u32 %i, %tid.x;\n  ld.param.u64 %base, [in0];\n"
      "  mad.wide.u32 %address, %i, {}, %base;\n",
      entry, holder(trip.type), trip.lanes, trip.lanes, trip.bytes());
  text += place(trip);
  const std::string source = registers(trip, 'u');
  if (trip.room != "global") {
    text += fmt::format("  ld.global{}.{} {}, [%address];\n", trip.vector(), type, source);
    text += fmt::format("  st{} [%place], {};\n", trip.name(), source);
  }
  text += fmt::format("  ld{} {}, [%place];\n", trip.name(), registers(trip, 'v'));
  return text + results(trip) + "}\n";
}

void add_trip(Cases& cases, const std::string& module, const Trip& trip) {
  Case test;
  test.module = module;
  test.instruction = "ld" + trip.name();
  test.entry = entry_name(test.instruction + (trip.space.empty() ? "_generic_" + trip.room : ""));
  test.text = trip_text(trip, test.entry);
  test.inputs = {{trip.type, {}, kMemoryThreads * trip.lanes}};
  test.output = Type::B64;
  test.outputs = kMemoryThreads * trip.lanes;
  const bool extends = integer_of(trip.type).is_signed;
  test.expect = [type = trip.type, extends](const Case&, const Vectors& vectors, std::vector<uint64_t>& out) {
    for (size_t i = 0; i < out.size(); ++i) {
      const uint64_t value = vectors.inputs[0][i];
      out[i] = extends ? reference::truncate({64, true}, reference::value_of(integer_of(type), value)) : value;
    }
  };
  cases.push_back(std::move(test));
}

/// Truncation by stores: the low bytes of a 64-bit register are stored, neighbouring bytes are unchanged.
void add_narrow_stores(Cases& cases) {
  for (const Type type : {Type::U8, Type::S8, Type::B16, Type::U16, Type::U32, Type::S32}) {
    const std::string name = name_of(type);
    add_lane(
        cases, "st",
        {.instruction = "st.global." + name,
         .inputs = {{Type::B64}},
         .output = Type::B64,
         .function =
             [=](const uint64_t* x) {
               const uint64_t low = (uint64_t{1} << width(type)) - 1;
               return (x[0] & low) | (kUntouched & ~low);
             },
         .body = "ld.param.u64 %l0, [out];\nmad.wide.u32 %l0, %i, 8, %l0;\nst.global.u64 [%l0], %d;\n@@ st.global." +
                 name + " [%l0], %a;\nld.global.u64 %d, [%l0];"});
  }
}

void add_uniform_load(Cases& cases) {
  add_lane(cases, "ldu",
           {.instruction = "ldu.global.u32",
            .inputs = {{Type::U32}},
            .output = Type::U32,
            .function = [](const uint64_t* x) { return x[0]; },
            .body = "@@ ldu.global.u32 %d, [%address];"});
}

}  // namespace

void add_memory_cases(Cases& cases) {
  for (const Type type : kTypes) {
    for (const uint32_t lanes : {1u, 2u, 4u}) {
      if (width(type) / 8 * lanes > 16) continue;
      for (const char* space : {"global", "shared", "local"}) add_trip(cases, "ld", {type, lanes, space, space, ""});
      for (const char* room : {"shared", "local"}) add_trip(cases, "ld", {type, lanes, "", room, ""});
      add_trip(cases, "ld", {type, lanes, "global.nc", "global", ""});
      add_trip(cases, "ld", {type, lanes, "", "global", ""});
    }
    add_trip(cases, "ld", {type, 1, "shared", "shared", ".volatile"});
  }
  add_narrow_stores(cases);
  add_uniform_load(cases);
}

}  // namespace tilescope::vectors
