#include "vectors/lane.h"

#include <fmt/format.h>

namespace tilescope::vectors {
namespace {

constexpr std::string_view kRegisters[] = {"%a", "%b", "%c", "%e"};

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string default_body(const Lane& lane) {
  std::string body = "@@ " + lane.instruction + " %d";
  for (size_t i = 0; i < lane.inputs.size(); ++i) body += fmt::format(", {}", kRegisters[i]);
  return body + ";";
}

std::string load(size_t i, Type type) {
  return fmt::format(
      "  ld.param.u64 %base, [in{0}];\n  mad.wide.u32 %address, %i, {1}, %base;\n"
      "  ld.global{2} {3}, [%address];\n",
      i, width(type) / 8, register_type(type), kRegisters[i]);
}

std::string declarations(const Lane& lane) {
  std::string text =
      "  .reg .pred %guard, %p, %q, %r;\n  .reg .b16 %h<4>;\n  .reg .b32 %i, %n, %g, %t<8>;\n"
      "  .reg .b64 %address, %base, %l<4>;\n";
  for (size_t i = 0; i < lane.inputs.size(); ++i) {
    text += fmt::format("  .reg {} {};\n", register_type(lane.inputs[i].type), kRegisters[i]);
  }
  return text + fmt::format("  .reg {} %d;\n", register_type(lane.output));
}

std::string prologue(const Lane& lane) {
  std::string text =
      "  mov.u32 %n, %ctaid.x;\n  mov.u32 %g, %ntid.x;\n  mov.u32 %i, %tid.x;\n  mad.lo.u32 %i, %n, %g, %i;\n"
      "  ld.param.u64 %base, [guard];\n  mad.wide.u32 %address, %i, 4, %base;\n  ld.global.u32 %g, [%address];\n"
      "  setp.ne.u32 %guard, %g, 0;\n  setp.ne.u32 %p, %i, %i;\n  setp.ne.u32 %q, %i, %i;\n  setp.ne.u32 %r, %i, %i;\n";
  for (size_t i = 0; i < lane.inputs.size(); ++i) text += load(i, lane.inputs[i].type);
  return text + fmt::format("  mov.b{} %d, {:#x};\n", width(lane.output), untouched(lane.output));
}

std::string epilogue(const Lane& lane) {
  return fmt::format(
      "  ld.param.u64 %base, [out];\n  mad.wide.u32 %address, %i, {}, %base;\n"
      "  st.global{} [%address], %d;\n  ret;\n",
      width(lane.output) / 8, register_type(lane.output));
}

std::string indented(const std::string& body) { return "  " + replace_all(body, "\n", "\n  ") + "\n"; }

void expect_lanes(const Lane& lane, const Vectors& vectors, std::vector<uint64_t>& out) {
  uint64_t operands[4] = {};
  for (size_t thread = 0; thread < out.size(); ++thread) {
    for (size_t i = 0; i < vectors.inputs.size(); ++i) operands[i] = vectors.inputs[i][thread];
    out[thread] = vectors.guard[thread] != 0 ? lane.function(operands) : lane.skipped;
  }
}

}  // namespace

void add_lane(Cases& cases, std::string module, Lane lane) {
  Case test;
  test.module = std::move(module);
  test.instruction = lane.instruction;
  test.entry = entry_name(lane.instruction + lane.suffix);
  test.inputs = lane.inputs;
  test.output = lane.output;
  test.tolerance = lane.tolerance;
  const std::string body = replace_all(lane.body.empty() ? default_body(lane) : lane.body, "@@", "@%guard");
  test.text = fmt::format(
      ".visible .entry {}(.param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3, "
      ".param .u64 guard, .param .u64 out)\n{{\n{}{}{}{}}}\n",
      test.entry, declarations(lane), prologue(lane), indented(body), epilogue(lane));
  test.expect = [lane = std::move(lane)](const Case&, const Vectors& vectors, std::vector<uint64_t>& out) {
    expect_lanes(lane, vectors, out);
  };
  cases.push_back(std::move(test));
}

LaneFunction halves(size_t operands, LaneFunction function) {
  return [operands, function = std::move(function)](const uint64_t* packed) {
    uint64_t low[4], high[4];
    for (size_t i = 0; i < operands; ++i) {
      low[i] = packed[i] & 0xffff;
      high[i] = packed[i] >> 16;
    }
    return function(low) | function(high) << 16;
  };
}

}  // namespace tilescope::vectors
