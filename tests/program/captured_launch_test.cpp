#include "program/captured_launch.h"

#include <cstring>

#include <gtest/gtest.h>

#include "run/inputs.h"
#include "run/run.h"

namespace tilescope::program {
namespace {

CapturedLaunch::Argument pointer_to(size_t elements, float value,
                                    std::vector<kernel::ArrayContent::Range> unwritten = {}) {
  std::string bytes(elements * sizeof(float), '\0');
  for (size_t i = 0; i < elements; ++i) std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  return {std::vector<uint8_t>(8),
          std::make_shared<const kernel::ArrayContent>(kernel::ArrayContent{std::move(bytes), std::move(unwritten)})};
}

CapturedLaunch::Argument number(int32_t value) {
  std::vector<uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return {std::move(bytes), nullptr};
}

/// vectorAdd<<<4, 128>>>(a, b, c, 500), with 2 elements more than that behind c.
CapturedLaunch vector_add() {
  return {"vectorAdd", TILESCOPE_SOURCE_DIR "/tests/homework/vector_add.cu",
          {4, 1, 1},   {128, 1, 1},
          0,           {pointer_to(500, 1.5f), pointer_to(500, 2), pointer_to(502, 0), number(500)}};
}

TEST(CapturedLaunch, OpensAsItWasLaunched) {
  const Result<kernel::Opened> opened = open_launch(vector_add());
  ASSERT_TRUE(opened) << to_string(opened.errors());
  const kernel::LaunchForm& form = *opened->form;
  EXPECT_EQ(form.block, "128");
  EXPECT_EQ(form.grid, "4");
  EXPECT_FALSE(form.guessed);
  EXPECT_EQ(form.size, (std::array<int64_t, 3>{1, 500, 1}));
  EXPECT_EQ(form.arguments[0].name, "a");
  EXPECT_EQ(form.arguments[0].shape, "500");
  EXPECT_EQ(form.arguments[2].shape, "502") << "as many as were allocated";
  const auto settled = kernel::configure(opened->kernel.description, {}, {1, 500, 1});
  ASSERT_TRUE(settled) << to_string(settled.errors());
  std::vector<std::byte> bytes(settled->arrays[1].bytes);
  run::fill_array(1, settled->arrays[1], bytes.data());
  EXPECT_EQ(run::number_at(bytes.data() + 499 * sizeof(float), Element::F32), 2.0) << "what it held";
}

// Larger, its threads would leave what was captured; of a product only more steps over K are done.
TEST(CapturedLaunch, OnlyAProductHasOtherSizes) {
  const Result<kernel::Opened> sum = open_launch(vector_add());
  ASSERT_TRUE(sum) << to_string(sum.errors());
  EXPECT_EQ(kernel::used_extents(sum->kernel.description), "");
  EXPECT_EQ(sum->form->arguments[3].value, "500");
  const Result<kernel::Opened> product =
      open_launch({"tiledMatMul", TILESCOPE_SOURCE_DIR "/tests/homework/tiled_matmul.cu",
                   {2, 1, 1},     {16, 16, 1},
                   0,             {pointer_to(16 * 48, 1), pointer_to(48 * 32, 2), pointer_to(16 * 32, 0), number(16),
                                   number(32), number(48)}});
  ASSERT_TRUE(product) << to_string(product.errors());
  EXPECT_EQ(kernel::used_extents(product->kernel.description), "MNK");
}

TEST(CapturedLaunch, WhatNobodyWroteIsFoundThereToo) {
  compile::Compiler compiler;
  if (!compiler.toolchain()) GTEST_SKIP() << "There is no NVRTC.";
  CapturedLaunch launch = vector_add();
  launch.arguments[1] = pointer_to(500, 2, {{40, 8}, {400, 1600}});
  Result<kernel::Opened> opened = open_launch(launch);
  ASSERT_TRUE(opened) << to_string(opened.errors());
  run::Request request;
  request.kernel = std::move(opened->kernel);
  request.size = {1, 500, 1};
  const Result<run::Report> report = run::make_check_report(request, compiler);
  ASSERT_TRUE(report) << to_string(report.errors());
  ASSERT_EQ(report->findings.size(), 1U);
  const analysis::Finding& finding = report->findings.front();
  EXPECT_EQ(finding.kind, analysis::FindingKind::UninitialisedMemory);
  EXPECT_EQ(finding.element, "b[10]");
  EXPECT_EQ(finding.count, 402U) << "two and four hundred";
}

TEST(CapturedLaunch, ASourceThatIsAnotherIsRefused) {
  CapturedLaunch launch = vector_add();
  launch.arguments.pop_back();
  EXPECT_NE(to_string(open_launch(launch).errors()).find("is 4, that of arguments passed 3"), std::string::npos);
  launch.file.clear();
  EXPECT_NE(to_string(open_launch(launch).errors()).find("-lineinfo"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::program
