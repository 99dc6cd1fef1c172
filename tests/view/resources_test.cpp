#include <cmath>

#include "view/resources.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/words.h"
#include "traced_fixture.h"
#include "view/words.h"
#include "wording/occupancy.h"
#include "wording/report_json.h"

namespace tilescope::view {
namespace {

using Json = nlohmann::ordered_json;

const ResourceRow& row_of(const std::vector<ResourceRow>& rows, std::string_view name) {
  for (const ResourceRow& row : rows)
    if (std::string_view(row.name).starts_with(name)) return row;
  ADD_FAILURE() << "no row " << name;
  return rows.front();
}

std::shared_ptr<const run::GridCounts> counted_of(const std::string& kernel) {
  static compile::Compiler compiler(prebuilt_only());
  const auto traced = grid_counts(request_for(kernel, {256, 256, 64}), compiler);
  EXPECT_TRUE(traced) << kernel;
  return traced ? *traced : nullptr;
}

TEST(ResourceRows, SayAllThatLimitsTheOccupancyAlike) {
  const std::vector<ResourceRow> rows = resource_rows(traced_of("17", {256, 256, 128})->report, nullptr);
  EXPECT_EQ(row_of(rows, "occupancy").caption, "occupancy, limited by registers and shared memory");
}

TEST(ResourceRows, SayTheFiguresOfTheKernel) {
  const auto counted = counted_of("09");
  const std::vector<ResourceRow> rows = resource_rows(traced_of("09")->report, &counted->report);
  std::vector<std::pair<std::string, std::string>> shown;
  for (const ResourceRow& row : rows) shown.emplace_back(row.name, row.value);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"threads per block", "256"},
      {"registers per thread", "98"},
      {"shared memory per block", "8 KiB"},
      {"spills", "none"},
      {"occupancy, limited by registers", "16 of 64 warps"},
      {"global words per output", "1 = K / 64"},
      {"FMAs per shared word", "4"},
      {"H200 bound: L1 and shared memory", "24 610 GFLOP/s"}};
  EXPECT_EQ(shown, expected);
  EXPECT_EQ(rows[0].detail, "block (256, 1): 8 warps");
  EXPECT_EQ(rows[4].detail,
            wording::sentence(*traced_of("09")->report.occupancy) +
                "\nBlocks that an SM holds by each limit alone:\n8  warps\n2  registers\n25  shared memory\n"
                "32  its number of blocks");
  EXPECT_EQ(rows[5].detail, "65 536 words loaded for 65 536 elements of C; counted over all 4 blocks");
  EXPECT_EQ(rows[6].detail, "4 194 304 FMA, 1 048 576 words loaded from shared memory; counted over all 4 blocks");
}

TEST(ResourceRows, AKernelWithoutSharedMemorySaysSo) {
  const std::vector<ResourceRow> rows = resource_rows(traced_of("02")->report, nullptr);
  EXPECT_EQ(row_of(rows, "shared memory").value, "none");
  EXPECT_EQ(row_of(rows, "FMA").value, "no shared loads");
  EXPECT_EQ(row_of(rows, "global words").value, "128 = 2 K");
  EXPECT_EQ(rows.size(), 7u) << "the bound needs the whole grid";
}

TEST(ResourceRows, OfASampleTheBoundIsUnknown) {
  run::Report sample = traced_of("02")->report;
  sample.counts.blocks = {0, 5, 1000};
  sample.counts.blocks_counted = 3;
  sample.counts.blocks_total = 1024;
  const std::vector<ResourceRow> rows = resource_rows(traced_of("02")->report, &sample);
  EXPECT_EQ(row_of(rows, "bound").value, "unknown");
  EXPECT_EQ(row_of(rows, "bound").detail,
            "A bound needs the counts of the whole grid; counted were 3 of 1 024 blocks.");
}

TEST(ResourceRows, WhatIsNoProductHasATimeAndNoFlops) {
  run::Report report = traced_of("09")->report;
  report.bound.emplace("H200", analysis::Bound{});
  report.bound->second.gflops = 100;
  report.bound->second.seconds = 2e-6;
  EXPECT_THAT(row_of(resource_rows(report, nullptr), "H200 bound").value, testing::HasSubstr("FLOP/s"));
  report.is_product = false;
  report.not_verified = run::Unverified::NotSaid;
  const std::vector<ResourceRow> rows = resource_rows(report, nullptr);
  EXPECT_THAT(row_of(rows, "H200 bound").value, testing::Not(testing::HasSubstr("FLOP/s")));
  for (const ResourceRow& row : rows) EXPECT_THAT(row.name, testing::Not(testing::HasSubstr("per output")));
}

TEST(ResourceRows, WithoutPtxasRegistersAreUnknown) {
  run::Report report = traced_of("09")->report;
  report.resources.registers.reset();
  report.resources.spill_bytes.reset();
  report.occupancy.reset();
  report.verified.reset();
  report.not_verified = run::Unverified::DidNotEnd;
  const std::vector<ResourceRow> rows = resource_rows(report, nullptr);
  EXPECT_EQ(row_of(rows, "registers").value, "unknown");
  EXPECT_EQ(row_of(rows, "spills").value, "unknown");
  EXPECT_EQ(row_of(rows, "occupancy").value, "unknown");
  EXPECT_EQ(row_of(rows, "global words").value, "unknown");
  EXPECT_EQ(row_of(rows, "global words").detail, "C was not verified: the run did not end by itself");
}

TEST(ResourceRows, SpillsAreCounted) {
  run::Report report = traced_of("09")->report;
  report.resources.spill_bytes = 24;
  EXPECT_EQ(row_of(resource_rows(report, nullptr), "spills").value, "24 bytes per thread");
}

TEST(CacheRows, SayWhichArrayAndLineAsksForWhat) {
  session::ClockRun run;
  EXPECT_TRUE(cache_rows(run).empty()) << "nothing is read";
  constexpr double kMega = 1 << 20;
  run.reads = {"", 0, 8 * kMega, 6 * kMega, kMega, 2 * kMega, 0};
  run.readers = {{"A", 12, 6 * kMega, 6 * kMega, 0, 0, 0}, {"B", 13, 2 * kMega, 0, kMega, 2 * kMega, 0}};
  const std::vector<ResourceRow> rows = cache_rows(run);
  EXPECT_EQ(row_of(rows, "L1 hits").value, "75 %");
  EXPECT_THAT(row_of(rows, "L1 hits").detail,
              testing::HasSubstr("\nA, line 12: 100 % of 6.0 MiB\nB, line 13: 0 % of 2.0"));
  EXPECT_EQ(row_of(rows, "asked again").value, "1.0 MiB");
  EXPECT_THAT(row_of(rows, "asked again").detail, testing::EndsWith("\nB, line 13: 1.0 MiB")) << "A is asked for once";
  EXPECT_EQ(row_of(rows, "L2 hits").value, "100 %");
  EXPECT_EQ(row_of(rows, "read from DRAM").value, "none");
  // Questions of speed hide them.
  for (const ResourceRow& row : redacted(rows, {session::Fact::Speed})) EXPECT_EQ(row.value, "?") << row.name;
  for (const ResourceRow& row : redacted(rows, {session::Fact::Resources})) EXPECT_NE(row.value, "?") << row.name;
}

class ResourcesOfEveryKernel : public testing::TestWithParam<int> {};

TEST_P(ResourcesOfEveryKernel, RowsShowWhatTheJsonSays) {
  const std::string kernel = shipped_kernels().kernels[static_cast<size_t>(GetParam())].name;
  const auto counted = counted_of(kernel);
  const run::Report& traced = traced_of(kernel)->report;
  const std::vector<ResourceRow> rows = resource_rows(traced, &counted->report);
  const Json json = wording::to_json(counted->report);
  const Json block = json["launch"]["block"];
  EXPECT_EQ(row_of(rows, "threads").value,
            fmt::format("{}", block[0].get<uint64_t>() * block[1].get<uint64_t>() * block[2].get<uint64_t>()));
  EXPECT_EQ(row_of(rows, "registers").value, json["resources"]["registers"].dump());
  const auto shared = json["launch"]["shared_bytes"].get<uint64_t>();
  EXPECT_EQ(row_of(rows, "shared memory").value, shared == 0 ? "none" : bytes_text(shared));
  EXPECT_EQ(row_of(rows, "occupancy").name, "occupancy, limited by " + json["occupancy"]["limiter"].get<std::string>());
  EXPECT_EQ(row_of(rows, "occupancy").value, json["occupancy"]["warps_per_sm"].dump() + " of 64 warps");
  const std::string sentence = json["occupancy"]["sentence"].get<std::string>();
  EXPECT_EQ(row_of(rows, "occupancy").detail.substr(0, sentence.size() + 1), sentence + "\n");
  const double words = json["counts"]["global_load"]["words"].get<double>() / (256 * 256);
  EXPECT_EQ(row_of(rows, "global words").value.substr(0, fmt::format("{:.4g}", words).size()),
            fmt::format("{:.4g}", words));
  if (const auto loads = json["counts"]["shared_load"]["words"].get<double>(); loads > 0) {
    EXPECT_EQ(row_of(rows, "FMA").value, fmt::format("{:.4g}", json["counts"]["fma"].get<double>() / loads));
  }
  EXPECT_EQ(row_of(rows, "H200 bound").value,
            grouped(static_cast<uint64_t>(std::llround(json["bound"]["gflops"].get<double>()))) + " GFLOP/s");
}

INSTANTIATE_TEST_SUITE_P(Catalogue, ResourcesOfEveryKernel, testing::Range(0, 11));

TEST(WithBefore, NamesTheOldValueWhereItChanged) {
  const std::vector<ResourceRow> before{{"registers per thread", "72", "", ""},
                                        {"spills", "none", "", ""},
                                        {"occupancy, limited by warps", "64 of 64 warps", "", ""},
                                        {"shared memory per block", "900 bytes", "", ""},
                                        {"global words per output", "27 450 words", "", ""}};
  const std::vector<ResourceRow> rows = with_before({{"registers per thread", "94", "", ""},
                                                     {"spills", "none", "", ""},
                                                     {"occupancy, limited by registers", "16 of 64 warps", "", ""},
                                                     {"H200 bound: L1 and shared memory", "9 GFLOP/s", "", ""},
                                                     {"shared memory per block", "16 KiB", "", ""},
                                                     {"global words per output", "33 450 words", "", ""}},
                                                    before);
  EXPECT_EQ(rows[0].before, "72");
  EXPECT_EQ(rows[1].before, "");
  EXPECT_EQ(rows[2].before, "64") << "of 64 warps, as now";
  EXPECT_EQ(rows[3].before, "");
  EXPECT_EQ(rows[4].before, "900 bytes");
  EXPECT_EQ(rows[5].before, "27 450") << "digits in groups are one number";
}

TEST(ResourceRows, BoundsOfOneDeviceAloneAreCompared) {
  const std::vector<ResourceRow> now{{"H200 bound: FMA", "9 GFLOP/s", "", "", Figure::Bound}};
  const auto before = [&](const char* name) {
    return with_before(now, {{name, "5 GFLOP/s", "", "", Figure::Bound}})[0].before;
  };
  EXPECT_EQ(before("H200 bound: L1 and shared memory"), "5");
  EXPECT_EQ(before("RTX 4090 bound: FMA"), "");
}

/// The names of the rows that keep their value.
std::vector<std::string> open_rows(session::HiddenFacts hidden) {
  std::vector<std::string> names;
  for (const ResourceRow& row : redacted(resource_rows(traced_of("09")->report, &counted_of("09")->report), hidden))
    if (row.value != "?") names.push_back(row.name);
  return names;
}

TEST(ResourceRows, AnOpenQuestionCoversItsFigures) {
  const std::vector<std::string> resources{"threads per block", "registers per thread", "shared memory per block",
                                           "spills", "occupancy, limited by registers"},
      counts{"global words per output", "FMAs per shared word"}, bound{"H200 bound: L1 and shared memory"};
  const auto joined = [](std::vector<std::string> all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  EXPECT_EQ(open_rows({session::Fact::Resources}), joined(counts, bound));
  EXPECT_EQ(open_rows({session::Fact::Counts}), resources) << "a bound is made of counts";
  EXPECT_EQ(open_rows({session::Fact::Speed}), joined(resources, counts));
  EXPECT_EQ(open_rows({session::Fact::Accesses, session::Fact::Findings}).size(), 8U);
}

TEST(ResourceRows, ACoveredRowTellsNothing) {
  std::vector<ResourceRow> rows = resource_rows(traced_of("09")->report, &counted_of("09")->report);
  rows = redacted(with_before(std::move(rows), resource_rows(traced_of("04")->report, &counted_of("04")->report)),
                  {session::Fact::Counts, session::Fact::Resources});
  EXPECT_EQ(rows[4].name, "occupancy") << "not what limits it";
  EXPECT_EQ(rows[7].name, "bound");
  for (const ResourceRow& row : rows) {
    EXPECT_EQ(row.before, "") << row.name;
    EXPECT_EQ(row.detail, "The question asks about this.") << row.name;
  }
}

}  // namespace
}  // namespace tilescope::view
