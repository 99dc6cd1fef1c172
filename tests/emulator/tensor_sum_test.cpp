// The rule by which tensor cores add, compared with dot products of an H200 (tests/hardware/tensor_sums.cu).

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulator/emulator.h"

namespace tilescope::emulator {
namespace {

/// A dot product: the elements as bits, of A's row and B's column, C before and after.
struct Sum {
  std::string instruction, numbers;
  std::vector<uint32_t> a, b;
  uint32_t c = 0, d = 0;
};

std::vector<uint32_t> words_in(const std::string& text) {
  std::vector<uint32_t> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
  return words;
}

std::vector<Sum> recorded_sums() {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/emulator/data/h200_tensor_sums.csv");
  std::vector<Sum> sums;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    sums.push_back(
        {cells[0], cells[1], words_in(cells[2]), words_in(cells[3]), words_in(cells[4])[0], words_in(cells[5])[0]});
  }
  return sums;
}

/// mma.sync of one row and one column, all else zeros: lane 0 to 3 have row 0 of A and column 0 of B, lane 0 has C.
struct OneSum {
  explicit OneSum(const Sum& of) : sum(of) {
    const std::string types = of.instruction.substr(of.instruction.find(".f") + 1);  // "f32.tf32"
    element = types.substr(types.find('.') + 1);
    sums_in_half = types.starts_with("f16");
    k = static_cast<uint32_t>(of.a.size());
  }

  /// Registers of A's row and B's column in a lane.
  uint32_t registers() const { return k * (element == "tf32" ? 4 : 2) / 16; }

  /// The register with `parts` elements of the row or column from `first` on.
  static uint32_t packed(const std::vector<uint32_t>& line, uint32_t first, uint32_t parts) {
    return parts == 1 ? line[first] : line[first] | line[first + 1] << 16;
  }

  std::string text() const {
    const std::string shape = fmt::format("m16n8k{}", k), d = sums_in_half ? "f16" : "f32";
    std::string body =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .b32 %r<64>;\n.reg .b64 %rd<8>;\n.reg .pred %p<8>;\n"
        "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 4;\nsetp.eq.u32 %p2, %r0, 0;\n"
        "mul.wide.u32 %rd1, %r0, 64;\nadd.s64 %rd1, %rd0, %rd1;\n";
    for (int i = 1; i < 20; ++i) body += fmt::format("mov.u32 %r{}, 0;\n", i);
    const uint32_t count = registers();
    for (uint32_t r = 0; r < count; ++r) {
      body += fmt::format("@%p1 ld.global.u32 %r{}, [%rd1+{}];\n", 1 + 2 * r, 4 * r);
      body += fmt::format("@%p1 ld.global.u32 %r{}, [%rd1+{}];\n", 5 + r, 16 + 4 * r);
    }
    body += "@%p2 ld.global.u32 %r10, [%rd0+32];\n";
    const std::string a = count == 1 ? "{%r1, %r2}" : "{%r1, %r2, %r3, %r4}", b = count == 1 ? "{%r5}" : "{%r5, %r6}";
    const std::string c = sums_in_half ? "{%r10, %r11}" : "{%r10, %r11, %r12, %r13}";
    const std::string types =
        element == "f16" && sums_in_half ? "f16.f16.f16.f16" : fmt::format("f32.{0}.{0}.f32", element);
    body += fmt::format("mma.sync.aligned.{}.row.col.{} {}, {}, {}, {};\n", shape, types, c, a, b, c);
    return body + "@%p2 st.global.u32 [%rd0+36], %r10;\nret;\n}\n";
  }

  /// The emulator's result; all ones if it cannot run.
  uint32_t run() const {
    const Result<ptx::Module> module = ptx::parse(text(), "test.ptx");
    EXPECT_TRUE(module) << to_string(module.errors());
    if (!module) return ~0u;
    const Result<std::shared_ptr<const Program>> program = Program::build(*module, "k");
    EXPECT_TRUE(program) << to_string(program.errors());
    if (!program) return ~0u;
    GlobalMemory memory;
    Allocation words;
    words.name = "words";
    words.bytes = 256;
    const uint64_t base = *memory.allocate(words, 0);
    const auto put = [&](uint64_t at, uint32_t word) { std::memcpy(memory.bytes(0).data() + at, &word, 4); };
    const uint32_t parts = element == "tf32" ? 1 : 2, of_lanes = 4 * parts;
    for (uint32_t lane = 0; lane < 4; ++lane)
      for (uint32_t r = 0; r < registers(); ++r) {
        put(64 * lane + 4 * r, packed(sum.a, r * of_lanes + lane * parts, parts));
        put(64 * lane + 16 + 4 * r, packed(sum.b, r * of_lanes + lane * parts, parts));
      }
    put(32, sum.c);
    Launch launch;
    launch.block = {32, 1, 1};
    launch.parameters.resize(8);
    std::memcpy(launch.parameters.data(), &base, 8);
    EXPECT_EQ(Machine(**program, launch, memory).run_block(0, {}), Outcome::Finished);
    uint32_t word = 0;
    std::memcpy(&word, memory.bytes(0).data() + 36, 4);
    return sums_in_half ? word & 0xffff : word;
  }

  const Sum& sum;
  std::string element;
  bool sums_in_half = false;
  uint32_t k = 0;
};

TEST(TensorSum, IsAnH200sBitForBit) {
  const std::vector<Sum> sums = recorded_sums();
  size_t compared = 0;
  for (const Sum& sum : sums) {
    // Four elements need a shape of mma.sync with two registers; wgmma follows the rule of mma.sync.
    if (sum.a.size() == 4) continue;
    EXPECT_EQ(OneSum(sum).run(), sum.d) << sum.instruction << ", " << sum.numbers << ", " << fmt::format("{:x}", sum.c);
    ++compared;
  }
  EXPECT_EQ(compared, 1040u);
}

}  // namespace
}  // namespace tilescope::emulator
