// Programs as students hand them in: with a main, host headers, their own launches; fifteen right and the same fifteen
// with one slip each. They are opened unchanged, without descriptions, and judged.

#include <gtest/gtest.h>

#include "base/file.h"
#include "kernel/open_file.h"
#include "run/run.h"
#include "run/traced_block.h"

namespace tilescope::run {
namespace {

/// The report of `check`, at the size that it takes where none is given.
Result<Report> judge(const std::string& name) {
  Result<kernel::Opened> opened =
      kernel::open_file(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/homework" / (name + ".cu"));
  if (!opened) return opened.errors();
  EXPECT_FALSE(opened->assumed.empty());
  Request request;
  request.kernel = std::move(opened->kernel);
  request.size = smallest_size(request.kernel, {}, *arch::find_limits("sm_90"));
  compile::Compiler compiler;
  return make_check_report(request, compiler);
}

class Homework : public testing::Test {
 protected:
  void SetUp() override {
    compile::Compiler compiler;
    if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  }
};

TEST_F(Homework, TheRightOnesAreRight) {
  for (const char* name : {"vector_add", "matmul", "tiled_matmul", "reduction", "transpose"}) {
    const Result<Report> report = judge(name);
    ASSERT_TRUE(report) << name << "\n" << to_string(report.errors());
    EXPECT_FALSE(report->has_finding()) << name;
  }
}

TEST_F(Homework, ProductsAreCompared) {
  for (const char* name : {"matmul", "tiled_matmul"}) EXPECT_TRUE(judge(name)->verified) << name;
}

TEST_F(Homework, OnlyAProductHasAnIndexOfItsSum) {
  const auto has_sum_index = [](const std::string& name, kernel::Size size) {
    Request request;
    request.kernel =
        kernel::open_file(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/homework" / (name + ".cu"))->kernel;
    request.size = size;
    compile::Compiler compiler;
    return (*trace_block(*prepare(request, compiler), {0, 0}))->accesses.has_sum_index();
  };
  EXPECT_TRUE(has_sum_index("matmul", {64, 64, 64}));
  EXPECT_FALSE(has_sum_index("vector_add", {1, 1024, 1}));
}

bool has_out_of_bounds(const analysis::Findings& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const analysis::Finding& finding) {
    return finding.kind == analysis::FindingKind::OutOfBounds;
  });
}

// The sizes are assumed: what the program allocates, `tilescope run` sees.
TEST_F(Homework, AMissingGuardIsShownAndNotJudged) {
  for (const char* name : {"vector_add_wrong", "transpose_wrong"}) {
    const Result<Report> report = judge(name);
    ASSERT_TRUE(report) << name << "\n" << to_string(report.errors());
    EXPECT_TRUE(has_out_of_bounds(report->unproved)) << name;
    EXPECT_FALSE(has_out_of_bounds(report->findings)) << name;
  }
}

TEST_F(Homework, AProductThatDoesNotHoldWasAssumed) {
  const Result<Report> report = judge("matmul_wrong");
  ASSERT_TRUE(report) << to_string(report.errors());
  EXPECT_FALSE(report->verified);
  EXPECT_EQ(report->not_verified, Unverified::ProductAssumed);
  EXPECT_FALSE(report->has_finding());
}

TEST_F(Homework, AMissingBarrierIsFoundOnTheStudentsLine) {
  for (const auto& [name, line] : {std::pair{"tiled_matmul_wrong", 17}, std::pair{"reduction_wrong", 10}}) {
    const Result<Report> report = judge(name);
    ASSERT_TRUE(report) << name << "\n" << to_string(report.errors());
    ASSERT_FALSE(report->findings.empty()) << name;
    EXPECT_TRUE(std::any_of(report->findings.begin(), report->findings.end(),
                            [&, line = line](const auto& finding) { return std::abs(finding.site.line - line) <= 3; }))
        << name << " line " << report->findings.front().site.line;
  }
}

TEST_F(Homework, OfFurtherProgramsTheRightOnesAreRightAndTheSlipsAreFound) {
  using analysis::FindingKind;
  const std::vector<std::pair<const char*, FindingKind>> slips{
      {"histogram", FindingKind::ReadWriteRace},  {"scan", FindingKind::ReadWriteRace},
      {"stencil", FindingKind::ReadWriteRace},    {"dot", FindingKind::UninitialisedMemory},
      {"maximum", FindingKind::DivergentBarrier}, {"reverse", FindingKind::OutOfBounds},
      {"smooth", FindingKind::BarrierAfterExit},  {"total", FindingKind::WriteWriteRace},
      {"warp_sum", FindingKind::ReadWriteRace},   {"saxpy", FindingKind::ReadWriteRace}};
  for (const auto& [name, kind] : slips) {
    const Result<Report> right = judge(name);
    ASSERT_TRUE(right) << name << "\n" << to_string(right.errors());
    EXPECT_FALSE(right->has_finding()) << name;
    const Result<Report> wrong = judge(std::string(name) + "_wrong");
    ASSERT_TRUE(wrong) << name << "\n" << to_string(wrong.errors());
    EXPECT_TRUE(std::any_of(wrong->findings.begin(), wrong->findings.end(), [&, wanted = kind](const auto& finding) {
      return finding.kind == wanted;
    })) << name;
  }
}

}  // namespace
}  // namespace tilescope::run
