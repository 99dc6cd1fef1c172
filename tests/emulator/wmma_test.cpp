// wmma.load, wmma.mma and wmma.store against products in double precision of the matrices in memory, and the fragments
// of f16 m16n16k16 against where a GPU of compute capability 8.0 was seen to have their elements (wmma_extension's
// foreach for sm_80).

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/emulator.h"

namespace tilescope::emulator {
namespace {

struct WmmaForm {
  int m, n, k;
  const char *factor, *sum;
  bool a_by_columns = false, b_by_columns = false, c_by_columns = false;
  std::string ending = {};  ///< Of wmma.mma: ".satfinite"
};

int bytes_of_type(const std::string& type) {
  if (type == "f64") return 8;
  return type == "f32" || type == "tf32" || type == "s32" ? 4 : type == "s8" || type == "u8" ? 1 : 2;
}

double wmma_value(const std::string& type, const std::byte* at) {
  if (type == "f64") {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(bytes_of_type(type)));
  if (type == "f16") {
    const int exponent = static_cast<int>(bits >> 10 & 31), mantissa = static_cast<int>(bits & 1023);
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
  if (type == "bf16") return std::bit_cast<float>(bits << 16);
  if (type == "tf32") return std::bit_cast<float>(bits & 0xffffe000);
  if (type == "s8") return static_cast<int8_t>(bits);
  if (type == "u8") return bits;
  if (type == "s32") return static_cast<int32_t>(bits);
  return std::bit_cast<float>(bits);
}

/// A matrix in memory, its lines `kPad` elements longer than they need be.
struct WmmaMatrix {
  static constexpr int kPad = 16;
  std::string type;
  int rows, columns;
  bool by_columns;
  std::vector<std::byte> bytes = {};

  int stride() const { return (by_columns ? rows : columns) + kPad; }
  size_t offset(int row, int column) const {
    const int line = by_columns ? column : row, along = by_columns ? row : column;
    return static_cast<size_t>((line * stride() + along) * bytes_of_type(type));
  }
  double at(int row, int column) const { return wmma_value(type, bytes.data() + offset(row, column)); }
  void fill(uint64_t seed) {
    bytes.resize(static_cast<size_t>((by_columns ? columns : rows) * stride() * bytes_of_type(type)));
    for (size_t i = 0; i < bytes.size() / static_cast<size_t>(bytes_of_type(type)); ++i) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      const auto random = static_cast<uint32_t>(seed >> 33);
      const float value = static_cast<float>(random % 20001) / 10000.0f - 1.0f;
      uint64_t bits = type == "f64" ? std::bit_cast<uint64_t>(value / 3.0) : std::bit_cast<uint32_t>(value);
      if (type == "bf16") bits >>= 16;
      if (type == "f16") bits = (bits >> 16 & 0x8000) | ((random % 15 + 1) << 10) | (random >> 8 & 1023);
      if (type == "s8" || type == "u8") bits = random;
      if (type == "s32") bits = random % 2000001 - 1000000;
      std::memcpy(bytes.data() + i * static_cast<size_t>(bytes_of_type(type)), &bits,
                  static_cast<size_t>(bytes_of_type(type)));
    }
  }
};

std::string registers_of(char letter, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i ? ", " : "", letter, i);
  return "{" + text + "}";
}

int wmma_registers(const std::string& type, int elements, bool is_factor) {
  return is_factor && type == "f16" ? 8 : elements / 32 * bytes_of_type(type) / (type == "f64" ? 8 : 4);
}

/// Counts what the warp accesses.
class AccessCounter : public trace::Observer {
 public:
  void access(const trace::Access& access) override {
    ++accesses[{access.kind == trace::AccessKind::Store, access.bytes}];
    if (access.values) stored_bytes += std::popcount(access.at.active) * access.bytes;
  }
  void fault(const trace::Fault& fault) override { faults.push_back(fault); }
  std::map<std::pair<bool, int>, int> accesses;  ///< By whether it stores, and bytes a lane.
  int stored_bytes = 0;
  std::vector<trace::Fault> faults;
};

/// Runs `body` by one warp whose parameters %rd0 to %rd3 are the addresses of four arrays.
Outcome run_warp(const std::string& body, std::array<std::vector<std::byte>*, 4> arrays, trace::Observer* observer) {
  std::string head =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1, "
      ".param .u64 p2, .param .u64 p3)\n{\n.reg .b32 %a<8>, %b<8>, %r<20>;\n.reg .f32 %f<8>;\n.reg .f64 %A<8>, %B<8>, "
      "%D<8>;\n"
      ".reg .b64 %rd<9>;\n";
  for (int i = 0; i < 4; ++i) head += fmt::format("ld.param.u64 %rd{}, [p{}];\n", i, i);
  const Result<ptx::Module> module = ptx::parse(head + body + "ret;\n}\n", "wmma.ptx");
  EXPECT_TRUE(module) << to_string(module.errors());
  if (!module) return Outcome::Trapped;
  const auto program = Program::build(*module, "k");
  EXPECT_TRUE(program) << to_string(program.errors());
  if (!program) return Outcome::Trapped;
  GlobalMemory memory;
  Launch launch;
  launch.block = {32, 1, 1};
  launch.grid = {1, 1, 1};
  launch.parameters.resize(32);
  for (size_t i = 0; i < 4; ++i) {
    Allocation array;
    array.bytes = arrays[i] ? arrays[i]->size() : 4;
    const uint64_t base = *memory.allocate(array, 0);
    if (arrays[i]) std::memcpy(memory.bytes(static_cast<int>(i)).data(), arrays[i]->data(), arrays[i]->size());
    std::memcpy(launch.parameters.data() + 8 * i, &base, 8);
  }
  Machine machine(**program, launch, memory);
  RunOptions options;
  options.observer = observer;
  const Outcome outcome = machine.run_block(0, options);
  for (size_t i = 0; i < 4; ++i)
    if (arrays[i]) std::memcpy(arrays[i]->data(), memory.bytes(static_cast<int>(i)).data(), arrays[i]->size());
  return outcome;
}

struct WmmaProduct {
  WmmaMatrix a, b, c, d;
  explicit WmmaProduct(const WmmaForm& form)
      : a{form.factor, form.m, form.k, form.a_by_columns},
        b{form.factor, form.k, form.n, form.b_by_columns},
        c{form.sum, form.m, form.n, form.c_by_columns},
        d{form.sum, form.m, form.n, !form.c_by_columns} {
    a.fill(1), b.fill(2), c.fill(3), d.fill(4);
  }
  void run(const WmmaForm& form, trace::Observer* observer) {
    const std::string shape = fmt::format("m{}n{}k{}", form.m, form.n, form.k), factor = form.factor, sum = form.sum;
    const auto layout = [](bool by_columns) { return by_columns ? "col" : "row"; };
    const bool is_double = factor == "f64";
    const char of_sums = is_double ? 'D' : sum == "f32" ? 'f' : 'r';
    const std::string of_a = registers_of(is_double ? 'A' : 'a', wmma_registers(factor, form.m * form.k, true)),
                      of_b = registers_of(is_double ? 'B' : 'b', wmma_registers(factor, form.k * form.n, true)),
                      of_c = registers_of(of_sums, wmma_registers(sum, form.m * form.n, false));
    const std::string types =
        factor == "f16" ? fmt::format("{}.{}", sum, sum) : fmt::format("{}.{}.{}.{}", sum, factor, factor, sum);
    std::string body;
    body += fmt::format("wmma.load.a.sync.aligned.{}.{}.global.{} {}, [%rd0], {};\n", layout(a.by_columns), shape,
                        factor, of_a, a.stride());
    body += fmt::format("mov.u32 %r19, {};\nwmma.load.b.sync.aligned.{}.{}.{} {}, [%rd1], %r19;\n", b.stride(),
                        layout(b.by_columns), shape, factor, of_b);
    body += fmt::format("wmma.load.c.sync.aligned.{}.{}.global.{} {}, [%rd2], {};\n", layout(c.by_columns), shape, sum,
                        of_c, c.stride());
    body += fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{}{} {}, {}, {}, {};\n", layout(a.by_columns),
                        layout(b.by_columns), shape, types, form.ending, of_c, of_a, of_b, of_c);
    body += fmt::format("wmma.store.d.sync.aligned.{}.{}.global.{} [%rd3], {}, {};\n", layout(d.by_columns), shape, sum,
                        of_c, d.stride());
    EXPECT_EQ(run_warp(body, {&a.bytes, &b.bytes, &c.bytes, &d.bytes}, observer), Outcome::Finished);
  }
};

class Wmma : public testing::TestWithParam<WmmaForm> {};

TEST_P(Wmma, StoresTheProductOfWhatItLoads) {
  const WmmaForm& form = GetParam();
  WmmaProduct product(form);
  AccessCounter counter;
  product.run(form, &counter);
  EXPECT_TRUE(counter.faults.empty());
  EXPECT_EQ(counter.stored_bytes, form.m * form.n * bytes_of_type(form.sum));
  for (int i = 0; i < form.m; ++i)
    for (int j = 0; j < form.n; ++j) {
      double expected = product.c.at(i, j), magnitude = std::abs(expected);
      for (int k = 0; k < form.k; ++k) {
        expected += product.a.at(i, k) * product.b.at(k, j);
        magnitude += std::abs(product.a.at(i, k) * product.b.at(k, j));
      }
      const std::string sum = form.sum;
      // Each of 17 addends and the sum are truncated: see tensor_sum.h.
      const double bound = sum == "s32"   ? 0
                           : sum == "f64" ? magnitude * 0x1p-52
                                          : magnitude * (sum == "f16" ? 0x1.01p-11 : 21 * 0x1p-25);
      ASSERT_NEAR(product.d.at(i, j), expected, bound) << "row " << i << ", column " << j;
    }
}

std::vector<WmmaForm> all_wmma_forms() {
  std::vector<WmmaForm> forms;
  const int shapes[][3] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
  const char* types[][2] = {{"f16", "f32"}, {"f16", "f16"}, {"bf16", "f32"}, {"s8", "s32"}, {"u8", "s32"}};
  for (const auto& shape : shapes)
    for (const auto& type : types)
      for (int layouts = 0; layouts < 8; ++layouts)
        forms.push_back({shape[0], shape[1], shape[2], type[0], type[1], (layouts & 1) != 0, (layouts & 2) != 0,
                         (layouts & 4) != 0});
  for (int layouts = 0; layouts < 8; ++layouts)
    for (const WmmaForm& form : {WmmaForm{16, 16, 8, "tf32", "f32"}, WmmaForm{8, 8, 4, "f64", "f64"}})
      forms.push_back(
          {form.m, form.n, form.k, form.factor, form.sum, (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0});
  return forms;
}

INSTANTIATE_TEST_SUITE_P(Forms, Wmma, testing::ValuesIn(all_wmma_forms()), [](const auto& tested) {
  const WmmaForm& form = tested.param;
  return fmt::format("m{}n{}k{}_{}_{}_{}{}{}", form.m, form.n, form.k, form.factor, form.sum, "rc"[form.a_by_columns],
                     "rc"[form.b_by_columns], "rc"[form.c_by_columns]);
});

TEST(WmmaIntegers, WrapOrSaturate) {
  for (const bool saturates : {false, true}) {
    WmmaForm form{16, 16, 16, "u8", "s32"};
    if (saturates) form.ending = ".satfinite";
    WmmaProduct product(form);
    std::fill(product.a.bytes.begin(), product.a.bytes.end(), std::byte{255});
    std::fill(product.b.bytes.begin(), product.b.bytes.end(), std::byte{255});
    for (size_t i = 0; i < product.c.bytes.size(); i += 4) {
      const int32_t most = 0x7fffffff;
      std::memcpy(product.c.bytes.data() + i, &most, 4);
    }
    product.run(form, nullptr);
    const double wrapped = 0x7fffffffp0 + 16 * 255.0 * 255.0 - 0x1p32;
    EXPECT_EQ(product.d.at(3, 5), saturates ? 0x7fffffffp0 : wrapped);
  }
}

TEST(WmmaAccesses, AreOnePerRunOfElementsThatLieSideBySide) {
  const auto counted = [](bool a_by_columns, bool c_by_columns) {
    const WmmaForm form{16, 16, 16, "f16", "f32", a_by_columns, !a_by_columns, c_by_columns};
    WmmaProduct product(form);
    AccessCounter counter;
    product.run(form, &counter);
    return counter.accesses;
  };
  using Accesses = std::map<std::pair<bool, int>, int>;
  // A by rows and B by columns: pairs of halves; C by rows: pairs of floats, D by columns: single ones.
  EXPECT_EQ(counted(false, false), (Accesses{{{false, 4}, 8}, {{false, 8}, 4}, {{true, 4}, 8}}));
  // A by columns and B by rows: single halves.
  EXPECT_EQ(counted(true, true), (Accesses{{{false, 2}, 16}, {{false, 4}, 8}, {{true, 8}, 4}}));
}

/// The fragment that `load` leaves, eight words a lane.
std::vector<uint32_t> loaded_fragment(const std::string& load, std::vector<std::byte>& matrix, int words) {
  std::string body = load + "mov.u32 %r19, %tid.x;\nmul.wide.u32 %rd4, %r19, 32;\nadd.s64 %rd4, %rd1, %rd4;\n";
  for (int i = 0; i < words; ++i) body += fmt::format("st.global.b32 [%rd4+{}], %r{};\n", 4 * i, i);
  std::vector<std::byte> out(32 * 32);
  EXPECT_EQ(run_warp(body, {&matrix, &out, nullptr, nullptr}, nullptr), Outcome::Finished);
  std::vector<uint32_t> fragment(32 * 8);
  std::memcpy(fragment.data(), out.data(), out.size());
  return fragment;
}

TEST(WmmaFragments, HaveTheirElementsWhereComputeCapability80HasThem) {
  std::vector<std::byte> matrix(512);
  for (uint16_t i = 0; i < 256; ++i) std::memcpy(matrix.data() + 2 * i, &i, 2);  // Each element is its own number.
  const std::string list = "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%rd0];\n";
  const auto a = loaded_fragment("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + list, matrix, 8);
  const auto b = loaded_fragment("wmma.load.b.sync.aligned.col.m16n16k16.global.f16 " + list, matrix, 8);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t x = 0; x < 16; ++x) {
      const auto half = [&](const std::vector<uint32_t>& words) {
        return words[8 * lane + x / 2] >> 16 * (x % 2) & 0xffff;
      };
      const uint32_t start = ((lane & 3) << 1) + ((lane & 0x1c) << 2);
      EXPECT_EQ(half(a), start + (x & 1) + ((x & 2) << 6) + ((x & 4) << 1)) << lane << ", " << x;
      EXPECT_EQ(half(b), start + (x & 1) + ((x & 2) << 2) + ((x & 4) << 5)) << lane << ", " << x;
    }
}

TEST(WmmaFaults, NameTheLanesThatReachOutside) {
  std::vector<std::byte> short_matrix(15 * 32);  // The last of 16 rows is missing.
  AccessCounter counter;
  const std::string load =
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%rd0], 16;\n";
  run_warp(load, {&short_matrix, nullptr, nullptr, nullptr}, &counter);
  ASSERT_EQ(counter.faults.size(), 2u);  // Rows 8 to 15 are loaded by two accesses.
  EXPECT_EQ(counter.faults[0].kind, trace::FaultKind::OutOfBounds);
  EXPECT_EQ(counter.faults[0].lanes, 0xf0000000u);
  EXPECT_EQ(counter.faults[0].access, trace::AccessKind::Load);
}

std::string wmma_problem(const std::string& instruction) {
  const Result<ptx::Module> module = ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n"
      ".reg .b64 %rd<2>;\n" +
          instruction + ";\nret;\n}\n",
      "wmma.ptx");
  return module ? "" : to_string(module.errors());
}

TEST(WmmaForms, AreThoseOfThePtxDocument) {
  const std::string r8 = "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}", r4 = "{%r0,%r1,%r2,%r3}",
                    f8 = "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}", all = " " + f8 + ", " + r8 + ", " + r8 + ", " + f8;
  const auto says = [](const std::string& what) { return testing::HasSubstr(what); };
  EXPECT_EQ(wmma_problem("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32" + all), "");
  EXPECT_EQ(wmma_problem("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 " + f8 + ", " + r8 + ", " + r8 + ", " + r4),
            "");
  EXPECT_EQ(wmma_problem("wmma.load.c.sync.aligned.row.m16n16k8.shared.f32 " + f8 + ", [%rd0], 8"), "");
  EXPECT_THAT(wmma_problem("wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32" + all),
              says(".f16 is there in the shapes m16n16k16, m32n8k16 and m8n32k16"));
  EXPECT_THAT(wmma_problem("wmma.load.a.sync.aligned.row.m16n16k16.global.tf32 " + r4 + ", [%rd0]"),
              says(".tf32 is there in the shape m16n16k8"));
  EXPECT_THAT(wmma_problem("wmma.load.c.sync.aligned.row.m16n16k16.global.f64 " + f8 + ", [%rd0]"),
              says(".f64 is there in the shape m8n8k4"));
  EXPECT_THAT(wmma_problem("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + r4 + ", [%rd0]"),
              says("must have 8 registers in braces"));
  EXPECT_THAT(wmma_problem("wmma.load.a.sync.aligned.m16n16k16.global.f16 " + r8 + ", [%rd0]"),
              says("needs one of .row, .col"));
  EXPECT_THAT(wmma_problem("wmma.load.a.sync.aligned.row.m16n16k16.local.f16 " + r8 + ", [%rd0]"),
              says("does not take .local"));
  EXPECT_THAT(wmma_problem("wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.f16.f32" + all),
              says("A and B must both be .f16, .bf16, .tf32, .s8 or .u8"));
  EXPECT_THAT(wmma_problem("wmma.mma.sync.aligned.row.col.m16n16k16.f16.bf16.bf16.f16 " + r4 + ", " + r4 + ", " + r4 +
                           ", " + r4),
              says("D and C must both be .f32"));
  EXPECT_THAT(wmma_problem("wmma.load.d.sync.aligned.row.m16n16k16.global.f32 " + f8 + ", [%rd0]"),
              says("is not among the instructions"));
  EXPECT_THAT(wmma_problem("mma.sync.aligned.m16n16k16.row.col.f32.f16.f16.f32" + all),
              says("is multiplied in the shapes m16n8k8 and m16n8k16"));
}

}  // namespace
}  // namespace tilescope::emulator
