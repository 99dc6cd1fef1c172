// The figures of all panels against those that `tilescope trace --json` prints.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/words.h"
#include "picture_checks.h"
#include "traced_fixture.h"
#include "view/access_words.h"
#include "view/code/code_lines.h"
#include "view/code/findings.h"
#include "view/resources.h"
#include "view/strip/strip_picture.h"
#include "view/tooltip/tooltip.h"
#include "wording/report_json.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using run::TracedBlock;
using Json = nlohmann::ordered_json;

constexpr kernel::Size kSize{128, 128, 32};

class FiguresOfEveryKernel : public testing::TestWithParam<int> {
 protected:
  std::string name() const { return shipped_kernels().kernels[static_cast<size_t>(GetParam())].name; }
  std::shared_ptr<const TracedBlock> traced() const { return traced_of(name(), kSize); }
  std::shared_ptr<const run::GridCounts> counted() const {
    static std::map<std::string, std::shared_ptr<const run::GridCounts>> made;
    auto& traced = made[name()];
    if (traced) return traced;
    compile::Compiler compiler(prebuilt_only());
    const auto result = grid_counts(request_for(name(), kSize), compiler);
    EXPECT_TRUE(result);
    return traced = *result;
  }
};

/// A line of the JSON; an empty object for a line without counts.
Json line_of(const Json& report, int line) {
  for (const Json& entry : report["lines"])
    if (entry["line"] == line) return entry;
  return Json::object();
}

/// The JSON's figures of an access, by the window's name for it.
struct Said {
  uint64_t requests = 0, total = 0, conflicts = 0;
  double ideal = 0;
};
Said said_of(const Json& line, std::string key) {
  std::replace(key.begin(), key.end(), ' ', '_');
  if (!line.contains(key)) return {};
  const Json& counts = line[key];
  const auto number = [&](const char* what) { return counts.value(what, uint64_t{0}); };
  const uint64_t requests = number("requests");
  if (counts.contains("sectors"))
    return {requests, number("sectors"), 0,
            static_cast<double>(number("ideal_sectors")) / static_cast<double>(requests)};
  const uint64_t wavefronts = number("wavefronts"), conflicts = number("bank_conflicts");
  return {requests, wavefronts, conflicts, static_cast<double>(wavefronts - conflicts) / static_cast<double>(requests)};
}

void expect_line(const LineFacts& facts, const Json& line) {
  EXPECT_EQ(facts.warp_instructions, line.value("warp_instructions", uint64_t{0}));
  size_t kinds = 0;
  for (const char* key : {"global_load", "global_store", "local_load", "local_store", "shared_load", "shared_store"})
    kinds += line.contains(key);
  EXPECT_EQ(facts.costs.size(), kinds);
  double furthest = 0;
  for (const AccessCost& cost : facts.costs) {
    const Said said = said_of(line, std::string(cost.what));
    EXPECT_EQ(cost.requests, said.requests);
    EXPECT_EQ(cost.total, said.total);
    EXPECT_EQ(cost.conflicts, said.conflicts);
    EXPECT_DOUBLE_EQ(cost.ideal, said.ideal);
    const double each = static_cast<double>(said.total) / static_cast<double>(said.requests);
    if (each / said.ideal <= furthest) continue;
    furthest = each / said.ideal;
    EXPECT_EQ(facts.figure, fmt::format("{:.1f}", each)) << "of the access furthest from its ideal";
    EXPECT_EQ(facts.worse, each > said.ideal + 0.05);
  }
}

TEST_P(FiguresOfEveryKernel, TheFiguresBesideTheCode) {
  for (const bool whole : {false, true}) {
    const Listing listing = make_listing(*traced(), whole ? counted().get() : nullptr, nullptr);
    const Json json = wording::to_json(whole ? counted()->report : traced()->report);
    for (int line = 1; line <= listing.cuda.lines(); ++line) {
      SCOPED_TRACE(fmt::format("line {}", line));
      expect_line(listing.cuda.of(line), line_of(json, line));
    }
    for (const Json& line : json["lines"]) EXPECT_LE(line["line"], listing.cuda.lines());
    uint64_t in_ptx = 0;
    for (const LineFacts& facts : listing.ptx.facts) in_ptx += facts.warp_instructions;
    EXPECT_EQ(in_ptx, json["counts"]["warp_instructions"]);
  }
}

TEST_P(FiguresOfEveryKernel, WhatALinesTooltipSays) {
  const Focus focus = focus_at(*traced());
  const Json json = wording::to_json(traced()->report);
  ElementUses uses;
  for (const Json& line : json["lines"]) {
    const auto number = line["line"].get<uint64_t>();
    if (number == 0) continue;
    const TooltipText text = tooltip({session::Target::Kind::SourceLine, Space::None, "", number, 0}, focus, uses);
    const std::string instructions =
        tilescope::plural(line["warp_instructions"].get<uint64_t>(), "{} warp instruction", "{} warp instructions");
    EXPECT_EQ(text.lines.at(0), instructions + " over " + counted_where(traced()->report)) << number;
  }
}

/// What the strip shows of an access: its figure of sectors, or a row for each wavefront.
uint64_t shown_of(const Picture& picture, bool shared) {
  uint64_t rows = 0;
  for (const Cells& cells : shapes_of<Cells>(picture)) rows += cells.rows;
  if (shared) return rows;
  for (const std::string& label : labels_of(picture))
    if (label.starts_with("sectors ")) return std::stoull(label.substr(8));
  ADD_FAILURE() << "the strip has no figure of sectors";
  return 0;
}

struct Totals {
  uint64_t requests = 0, sectors = 0, wavefronts = 0;
  void add(uint64_t more_sectors, uint64_t more_wavefronts) {
    ++requests;
    sectors += more_sectors;
    wavefronts += more_wavefronts;
  }
};

/// Every access of the traced block in the strip, one for each request of the hardware.
std::map<std::string, Totals> strip_totals(const TracedBlock& traced) {
  std::map<std::string, Totals> totals;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp)
    for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
      for (const WarpAccess& access : accesses_at(traced, {warp, step})) {
        const std::string key = fmt::format("{}_{}", access.space == Space::Shared ? "shared" : "global",
                                            access.is_load() ? "load" : "store");
        // Instructions merged to one access each show it; it counts with the last of them.
        if (access.own_offset + access.own_bytes < access.bytes) continue;
        const bool shared = access.space == Space::Shared;
        totals[key].add(shared ? 0 : access.sectors().size(),
                        shared ? access.banks().wavefronts()
                               : analysis::global_wavefronts(access.addresses.data(), access.active, access.bytes));
      }
  return totals;
}

TEST_P(FiguresOfEveryKernel, TheStripsSectorsAndWavefronts) {
  const Json counts = wording::to_json(traced()->report)["counts"];
  const auto totals = strip_totals(*traced());
  for (const char* key : {"global_load", "global_store", "shared_load", "shared_store"}) {
    const Totals strip = totals.contains(key) ? totals.at(key) : Totals{};
    EXPECT_EQ(strip.requests, counts[key]["requests"]) << key;
    EXPECT_EQ(strip.sectors, counts[key].value("sectors", uint64_t{0})) << key;
    EXPECT_EQ(strip.wavefronts, counts[key].value("wavefronts", uint64_t{0})) << key;
  }
}

TEST_P(FiguresOfEveryKernel, WhatTheStripWritesIsWhatItCounts) {
  const Canvas canvas{740, 170, &kMeasure, 14};
  const auto traced = this->traced();
  for (uint32_t step = 0; step < traced->timeline.steps(0); ++step) {
    const auto accesses = accesses_at(*traced, {0, step});
    if (accesses.size() != 1 || step % 5 != 0) continue;
    const Picture picture = strip_picture(focus_at(*traced, {0, step}), canvas);
    const bool shared = accesses[0].space == Space::Shared;
    EXPECT_EQ(shown_of(picture, shared), shared ? accesses[0].banks().wavefronts() : accesses[0].sectors().size())
        << step;
  }
}

std::string row_text(const std::vector<ResourceRow>& rows, std::string_view name) {
  for (const ResourceRow& row : rows)
    if (std::string_view(row.name).starts_with(name))
      return fmt::format("{} | {} | {}", row.name, row.value, row.detail);
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST_P(FiguresOfEveryKernel, WhatTheResourcesSayBehindTheirFigures) {
  const Json json = wording::to_json(counted()->report);
  const std::vector<ResourceRow> rows = resource_rows(traced()->report, &counted()->report);
  const auto number = [&](const char* group, const char* name) { return json["counts"][group][name].get<uint64_t>(); };
  EXPECT_EQ(json["resources"]["spill_bytes"], 0);
  EXPECT_TRUE(row_text(rows, "spills").starts_with("spills | none | "));
  const std::string counted_over = fmt::format(
      "counted over {}", json["counts"]["blocks_total"] == 1
                             ? "the only block"
                             : fmt::format("all {} blocks", json["counts"]["blocks_total"].get<uint64_t>()));
  EXPECT_TRUE(row_text(rows, "global words")
                  .ends_with(fmt::format(" | {} loaded for 16 384 elements of C; {}",
                                         tilescope::plural(number("global_load", "words"), "{} word", "{} words"),
                                         counted_over)));
  if (const uint64_t words = number("shared_load", "words"); words > 0) {
    EXPECT_TRUE(row_text(rows, "FMA")
                    .ends_with(fmt::format(" | {} FMA, {} loaded from shared memory; {}",
                                           grouped(json["counts"]["fma"].get<uint64_t>()),
                                           tilescope::plural(words, "{} word", "{} words"), counted_over)));
  }
  const Json& bound = json["bound"];
  const std::string limiting = bound["limiting"].get<std::string>();
  EXPECT_EQ(
      row_text(rows, "H200 bound"),
      fmt::format("{} bound: {} | {} GFLOP/s | {:.3g} µs at the very best: {}", bound["device"].get<std::string>(),
                  limiting, grouped(static_cast<uint64_t>(std::llround(bound["gflops"].get<double>()))),
                  bound["seconds"].get<double>() * 1e6, bound["times"][limiting]["formula"].get<std::string>()));
  EXPECT_DOUBLE_EQ(bound["seconds"].get<double>(), bound["times"][limiting]["seconds"].get<double>());
}

TEST_P(FiguresOfEveryKernel, WhetherCIsRight) {
  const Json json = wording::to_json(counted()->report);
  const FindingList list = finding_list(*traced(), counted().get(), nullptr);
  EXPECT_TRUE(json["findings"].empty());
  EXPECT_TRUE(list.rows.empty());
  EXPECT_EQ(list.summary,
            fmt::format("C is right: {}, largest error {:.1e}, rounding allows {:.1e}",
                        tilescope::plural(json["verified"]["elements"].get<uint64_t>(), "{} element", "{} elements"),
                        json["verified"]["max_error"].get<double>(), json["verified"]["bound"].get<double>()));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FiguresOfEveryKernel, testing::Range(0, 11));

TEST(Figures, AFindingIsThatOfTheJson) {
  compile::Compiler compiler(prebuilt_only());
  const auto made = trace_block(request_for("04", {64, 64, 32}), compiler);
  ASSERT_TRUE(made);
  TracedBlock& traced = const_cast<TracedBlock&>(**made);
  analysis::Finding finding;
  finding.checker = analysis::Checker::Memcheck;
  finding.kind = analysis::FindingKind::OutOfBounds;
  finding.site.line = 31;
  finding.space = Space::Global;
  finding.address = 64;
  finding.count = 8;
  traced.report.findings = {finding};
  const Json json = wording::to_json(traced.report)["findings"][0];
  const FindingRow row = finding_list(traced, nullptr, nullptr).rows.at(0);
  EXPECT_EQ(row.title, fmt::format("{} on line {}", json["kind"].get<std::string>(), json["line"].get<int>()));
  EXPECT_EQ(row.source, json["checker"]);
  EXPECT_EQ(row.message,
            fmt::format("{} And {} more like it.", json["message"].get<std::string>(), json["count"].get<int>() - 1));
  EXPECT_EQ(row.line, json["line"]);
}

}  // namespace
}  // namespace tilescope::view
