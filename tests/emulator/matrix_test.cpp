// mma.sync against products in double precision, the fragments placed by the formulas of the PTX ISA document ("Matrix
// Fragments for mma.m16n8k4", ".m16n8k8", ".m16n8k16"), written out here lane by lane and element by element.

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/emulator.h"

namespace tilescope::emulator {
namespace {

struct Form {
  const char *d_type, *type;
  int k;
};
std::ostream& operator<<(std::ostream& out, const Form& form) { return out << form.d_type << form.type << form.k; }

struct Place {
  int row, column;
};
/// Element i of the lane's fragment of A, 16-bit types: "row = groupID for ai where 0 <= i < 2 || 4 <= i < 6, else
/// groupID + 8; col = threadID_in_group * 2 + (i & 0x1) for ai where i < 4, else + 8".
Place place_in_a16(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  return {(0 <= i && i < 2) || (4 <= i && i < 6) ? group : group + 8,
          i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8};
}
Place place_in_b16(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  return {i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8, group};
}
/// .tf32: "row = groupID for a0 and a2, groupID + 8 for a1 and a3; col = threadID_in_group for a0 and a1, + 4 for a2,
/// a3".
Place place_in_a32(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  return {i == 0 || i == 2 ? group : group + 8, i < 2 ? in_group : in_group + 4};
}
Place place_in_b32(int lane, int i) { return {i == 0 ? lane % 4 : lane % 4 + 4, lane >> 2}; }
Place place_in_c(int lane, int i) { return {i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1)}; }

double half_value(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), mantissa = static_cast<int>(bits & 1023);
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}
double value_of(const std::string& type, uint32_t bits) {
  if (type == "f16") return half_value(bits & 0xffff);
  if (type == "bf16") return std::bit_cast<float>(bits << 16);
  if (type == "tf32") return std::bit_cast<float>(bits & 0xffffe000);
  return std::bit_cast<float>(bits);
}

/// Numbers of about one of each type, from a fixed sequence.
class Numbers {
 public:
  uint32_t next(const std::string& type) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    const auto random = static_cast<uint32_t>(state_ >> 33);
    const float value = static_cast<float>(random % 20001) / 10000.0f - 1.0f;
    const auto bits = std::bit_cast<uint32_t>(value);
    if (type == "bf16") return bits >> 16;
    if (type == "f16") return (bits >> 16 & 0x8000) | ((random % 15 + 1) << 10) | (random >> 8 & 1023);
    return bits;
  }

 private:
  uint64_t state_ = 42;
};

/// A warp that loads `words` words of each lane, runs one mma and stores D's registers.
template <class Word>
struct OneMultiply {
  std::vector<Word> words = std::vector<Word>(32 * 16);  ///< Lane by lane, 16 words each.
  std::vector<Word> result = std::vector<Word>(32 * 4);
  static constexpr int kBytes = sizeof(Word);

  static const char* type() { return kBytes == 8 ? "f64" : "b32"; }
  static std::string list(int first, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("{}%r{}", i ? ", " : "", first + i);
    return "{" + text + "}";
  }
  /// D takes the registers of C, as in compiled kernels.
  void run(const std::string& opcode, int of_a, int of_b, int of_c) {
    std::string body;
    for (int i = 0; i < of_a + of_b + of_c; ++i)
      body += fmt::format("ld.global.{} %r{}, [%rd1+{}];\n", type(), i, kBytes * i);
    const int c = of_a + of_b;
    body += fmt::format("{} {}, {}, {}, {};\n", opcode, list(c, of_c), list(0, of_a), list(of_a, of_b), list(c, of_c));
    for (int i = 0; i < of_c; ++i) body += fmt::format("st.global.{} [%rd2+{}], %r{};\n", type(), kBytes * i, c + i);
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b32 %t;\n.reg .b64 %rd<4>;\nmov.u32 %t, %tid.x;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n" +
        fmt::format(
            ".reg .{} %r<16>;\nmul.wide.u32 %rd3, %t, {};\nadd.s64 %rd1, %rd1, %rd3;\n"
            "mul.wide.u32 %rd3, %t, {};\nadd.s64 %rd2, %rd2, %rd3;\n",
            type(), 16 * kBytes, 4 * kBytes) +
        body + "ret;\n}\n";
    const Result<ptx::Module> module = ptx::parse(text, "mma.ptx");
    ASSERT_TRUE(module) << to_string(module.errors());
    const auto program = Program::build(*module, "k");
    ASSERT_TRUE(program) << to_string(program.errors());
    GlobalMemory memory;
    Allocation in, out;
    in.bytes = kBytes * words.size();
    out.bytes = kBytes * result.size();
    const uint64_t in_base = *memory.allocate(in, 0), out_base = *memory.allocate(out, 0);
    std::memcpy(memory.bytes(0).data(), words.data(), in.bytes);
    Launch launch;
    launch.block = {32, 1, 1};
    launch.grid = {1, 1, 1};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &in_base, 8);
    std::memcpy(launch.parameters.data() + 8, &out_base, 8);
    Machine machine(**program, launch, memory);
    RunOptions options;
    EXPECT_EQ(machine.run_block(0, options), Outcome::Finished);
    std::memcpy(result.data(), memory.bytes(1).data(), out.bytes);
  }
};

class Products : public testing::TestWithParam<Form> {};

TEST_P(Products, AsTheMatricesThatTheFragmentsMakeUp) {
  const std::string type = GetParam().type, d_type = GetParam().d_type;
  const int k = GetParam().k, bytes = type == "tf32" ? 4 : 2, parts = 4 / bytes;
  const int of_a = 16 * k * bytes / 128, of_b = 8 * k * bytes / 128, of_c = d_type == "f16" ? 2 : 4;
  OneMultiply<uint32_t> run;
  Numbers numbers;
  std::vector<double> a(16 * 16), b(16 * 8), c(16 * 8);
  for (int lane = 0; lane < 32; ++lane) {
    uint32_t* words = run.words.data() + 16 * lane;
    for (int i = 0; i < of_a * parts; ++i) {
      const uint32_t bits = numbers.next(type);
      const Place at = bytes == 2 ? place_in_a16(lane, i) : place_in_a32(lane, i);
      words[i / parts] |= bits << 16 * (i % parts);
      a[static_cast<size_t>(at.row * 16 + at.column)] = value_of(type, bits);
    }
    for (int i = 0; i < of_b * parts; ++i) {
      const uint32_t bits = numbers.next(type);
      const Place at = bytes == 2 ? place_in_b16(lane, i) : place_in_b32(lane, i);
      words[of_a + i / parts] |= bits << 16 * (i % parts);
      b[static_cast<size_t>(at.row * 8 + at.column)] = value_of(type, bits);
    }
    for (int i = 0; i < 4; ++i) {
      const uint32_t bits = numbers.next(d_type);
      const Place at = place_in_c(lane, i);
      words[of_a + of_b + (of_c == 2 ? i / 2 : i)] |= bits << (of_c == 2 ? 16 * (i % 2) : 0);
      c[static_cast<size_t>(at.row * 8 + at.column)] = value_of(d_type, bits);
    }
  }
  run.run(fmt::format("mma.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{}", k, d_type, type, type, d_type), of_a, of_b,
          of_c);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const Place at = place_in_c(lane, i);
      double expected = c[static_cast<size_t>(at.row * 8 + at.column)], magnitude = std::abs(expected);
      for (int p = 0; p < k; ++p) {
        const double product = a[static_cast<size_t>(at.row * 16 + p)] * b[static_cast<size_t>(p * 8 + at.column)];
        expected += product;
        magnitude += std::abs(product);
      }
      const uint32_t word = run.result[static_cast<size_t>(4 * lane + (of_c == 2 ? i / 2 : i))];
      const double got = value_of(d_type, of_c == 2 ? word >> 16 * (i % 2) : word);
      // Each of 17 addends and the sum are truncated: see tensor_sum.h.
      EXPECT_NEAR(got, expected, magnitude * (of_c == 2 ? 0x1.01p-11 : 21 * 0x1p-25))
          << "lane " << lane << ", element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, Products,
                         testing::Values(Form{"f32", "tf32", 4}, Form{"f32", "tf32", 8}, Form{"f32", "bf16", 8},
                                         Form{"f32", "bf16", 16}, Form{"f32", "f16", 8}, Form{"f32", "f16", 16},
                                         Form{"f16", "f16", 8}, Form{"f16", "f16", 16}),
                         [](const auto& tested) {
                           return fmt::format("{}_{}_k{}", tested.param.d_type, tested.param.type, tested.param.k);
                         });

/// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64", "mma.m16n8k4", "mma.m16n8k8", "mma.m16n8k16": "row = groupID
/// for ai where i % 2 = 0, groupID + 8 otherwise; col = threadID_in_group + 4 * (i / 2)". The sums are those of an
/// H200.
TEST(Multiplies, DoublesWithOneRoundingAfterTheOther) {
  const int shapes[][2] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}};
  for (const auto& [m, k] : shapes) {
    OneMultiply<double> run;
    Numbers numbers;
    const int of_a = m * k / 32, of_b = k / 4, of_c = m / 4;
    double a[16][16], b[16][8], c[16][8];
    const auto next = [&] { return std::bit_cast<float>(numbers.next("f32")) / 3.0; };
    for (int lane = 0; lane < 32; ++lane) {
      double* words = run.words.data() + 16 * lane;
      for (int i = 0; i < of_a; ++i) words[i] = a[lane / 4 + 8 * (i % 2)][lane % 4 + 4 * (i / 2)] = next();
      for (int i = 0; i < of_b; ++i) words[of_a + i] = b[lane % 4 + 4 * i][lane / 4] = next();
      for (int i = 0; i < of_c; ++i) {
        const Place at = place_in_c(lane, i);
        words[of_a + of_b + i] = c[at.row][at.column] = next();
      }
    }
    run.run(fmt::format("mma.sync.aligned.m{}n8k{}.row.col.f64.f64.f64.f64", m, k), of_a, of_b, of_c);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < of_c; ++i) {
        const Place at = place_in_c(lane, i);
        double expected = c[at.row][at.column];
        for (int p = 0; p < k; ++p) expected = std::fma(a[at.row][p], b[p][at.column], expected);
        EXPECT_EQ(run.result[static_cast<size_t>(4 * lane + i)], expected) << "m" << m << " k" << k << " lane " << lane;
      }
  }
}

std::string problem_of(const std::string& instruction) {
  const Result<ptx::Module> module = ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n" +
          instruction + ";\nret;\n}\n",
      "mma.ptx");
  return module ? "" : to_string(module.errors());
}

TEST(MatrixForms, AreThoseOfThePtxDocument) {
  const std::string d = " {%f0,%f1,%f2,%f3}, ", a = "{%r0,%r1,%r2,%r3}, ", b = "{%r4,%r5}, ", c = "{%f0,%f1,%f2,%f3}";
  EXPECT_EQ(problem_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" + d + a + b + c), "");
  EXPECT_EQ(problem_of("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32" + d + "{%r0,%r1}, {%r4}, " + c), "");
  EXPECT_THAT(problem_of("mma.sync.aligned.m16n8k4.row.col.f32.bf16.bf16.f32" + d + "{%r0}, {%r4}, " + c),
              testing::HasSubstr(".bf16 is multiplied in the shapes m16n8k8 and m16n8k16"));
  EXPECT_THAT(problem_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.bf16.f32" + d + a + b + c),
              testing::HasSubstr("A and B must both be .f16, .bf16 or .tf32"));
  EXPECT_THAT(problem_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f32" + d + a + b + c),
              testing::HasSubstr("A, B and C must be .f64, too"));
  EXPECT_THAT(problem_of("mma.sync.aligned.m16n8k32.row.col.f64.f64.f64.f64" + d + a + b + c),
              testing::HasSubstr("doubles are multiplied in the shapes m8n8k4, m16n8k4, m16n8k8 and m16n8k16"));
  EXPECT_THAT(problem_of("mma.sync.aligned.m16n8k8.col.row.f32.tf32.tf32.f32" + d + a + b + c),
              testing::HasSubstr("A must be .row and B .col"));
  EXPECT_THAT(problem_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" + d + "{%r0,%r1}, " + b + c),
              testing::HasSubstr("must have 4 registers in braces"));
  EXPECT_THAT(problem_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" + d + "%r0, " + b + c),
              testing::HasSubstr("must have 4 registers in braces"));
  EXPECT_THAT(problem_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32.f32" + d + a + b + c),
              testing::HasSubstr("takes four types"));
}

}  // namespace
}  // namespace tilescope::emulator
