#include "view/code/findings.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run/run.h"
#include "traced_fixture.h"
#include "two_races.h"
#include "wording/finding.h"
#include "wording/report_json.h"
#include "wording/stop.h"
#include "wordless.h"

namespace tilescope::view {
namespace {
using run::TracedBlock;
using session::Target;

/// A separate traced block, which the test may change.
std::shared_ptr<TracedBlock> fresh_traced(const std::string& kernel) {
  static compile::Compiler compiler(prebuilt_only());
  const auto traced = trace_block(request_for(kernel, {256, 256, 64}), compiler);
  EXPECT_TRUE(traced);
  return std::const_pointer_cast<TracedBlock>(*traced);
}

analysis::Finding race_on(const TracedBlock& traced, uint64_t address) {
  analysis::Finding finding;
  finding.checker = analysis::Checker::Racecheck;
  finding.kind = analysis::FindingKind::ReadWriteRace;
  finding.site.line = 42;
  finding.space = Space::Shared;
  finding.array = traced.facts.array_at(Space::Shared, address)->name;
  finding.address = address;
  finding.element = traced.facts.element_at(Space::Shared, address);
  finding.site.access = trace::AccessKind::Store;
  finding.site.thread.position = {0, 0, 0};
  finding.other = finding.site;
  finding.other->line = 44;
  finding.other->access = trace::AccessKind::Load;
  finding.other->thread.warp = 1;
  finding.other->thread.position.x = 32;
  finding.count = 3;
  return finding;
}

TEST(FindingList, OfEveryKernelIsGood) {
  for (const auto& traced : every_traced()) {
    const FindingList list = finding_list(*traced, nullptr, nullptr);
    EXPECT_TRUE(list.right) << traced->request().kernel.name;
    EXPECT_TRUE(list.rows.empty());
    EXPECT_FALSE(list.wrong);
    EXPECT_EQ(list.verdict, "C is right in block (0, 0)") << "as long as the grid is being counted";
    EXPECT_EQ(list.summary.substr(0, 28), "C is right in block (0, 0): ");
    EXPECT_EQ(list.checked,
              "memcheck and synccheck: block (0, 0), the grid is being counted; racecheck and initcheck are to come");
  }
}

TEST(FindingList, SaysHowManyBlocksTheResultIsRightIn) {
  const auto traced = fresh_traced("09");
  run::GridCounts counted;
  counted.report = traced->report;
  counted.report.counts.blocks = {0, 5, 1000};
  counted.report.counts.blocks_counted = 3;
  counted.report.counts.blocks_total = 1024;
  EXPECT_EQ(finding_list(*traced, &counted, nullptr).verdict, "C is right in 3 of 1 024 blocks");
  counted.report.counts.blocks_counted = 1024;
  EXPECT_EQ(finding_list(*traced, &counted, nullptr).verdict, "C is right");
}

TEST(FindingList, AFindingLeadsToItsLineAndElement) {
  const auto traced = fresh_traced("09");
  traced->report.findings = {race_on(*traced, 4 * 9)};
  run::CheckResult checked;
  checked.report.findings = traced->report.findings;
  const FindingList list = finding_list(*traced, nullptr, &checked);
  ASSERT_EQ(list.rows.size(), 1u);
  EXPECT_TRUE(list.right) << "C is right beside what was found";
  EXPECT_TRUE(list.wrong);
  EXPECT_EQ(list.verdict, "C is right in block (0, 0) · 1 race");
  EXPECT_EQ(list.count, 1u);
  EXPECT_EQ(list.rows[0].title, "read-write-race on line 42");
  EXPECT_EQ(list.rows[0].source, "racecheck");
  EXPECT_EQ(list.rows[0].message, wording::sentence(checked.report.findings[0]) + " And 2 more like it.");
  EXPECT_EQ(list.rows[0].line, 42);
  EXPECT_EQ(list.rows[0].element, (Target{Target::Kind::Element, Space::Shared, "As", 9, 0}));
}

/// A race from one instruction to another, of two warps or of one.
analysis::Finding race_between(const TracedBlock& traced, uint64_t address, uint32_t write, uint32_t read,
                               bool one_warp) {
  analysis::Finding race = race_on(traced, address);
  race.site.pc = write;
  race.other->pc = read;
  race.site.line = static_cast<int>(write);
  race.other->line = static_cast<int>(read);
  if (one_warp) race.other->thread.warp = 0;
  return race;
}

TEST(FindingList, OneBarrierForTwoRacesIsSaidOnceWithTheOneThatReachesFurther) {
  const auto traced = fresh_traced("09");
  traced->report.findings = {race_between(*traced, 4 * 9, 30, 35, true), race_between(*traced, 4 * 10, 31, 36, false)};
  const FindingList list = finding_list(*traced, nullptr, nullptr);
  ASSERT_EQ(list.rows.size(), 1u);
  EXPECT_EQ(list.count, 2u);
  EXPECT_EQ(list.verdict, "C is right in block (0, 0) · 2 races");
  EXPECT_EQ(list.rows[0].line, 31);
  EXPECT_NE(list.rows[0].message.find("The same barrier is what " + traced->report.findings[0].element +
                                      " lacks, written on line 30 and read on line 35 within one warp."),
            std::string::npos)
      << list.rows[0].message;
}

TEST(FindingList, TheNumberIsThatOfTheVerdict) {
  const auto traced = fresh_traced("09");
  traced->report.stopped.emplace();
  EXPECT_EQ(finding_list(*traced, nullptr, nullptr).count, 1u) << "something is wrong";
  traced->report.findings = {race_between(*traced, 4 * 9, 10, 20, true), race_between(*traced, 4 * 10, 31, 36, false)};
  const FindingList list = finding_list(*traced, nullptr, nullptr);
  EXPECT_NE(list.verdict.find("2 races"), std::string::npos) << list.verdict;
  EXPECT_EQ(list.count, 2u);
}

TEST(FindingList, ARaceWithABarrierOfItsOwnHasARowOfItsOwn) {
  const auto traced = fresh_traced("09");
  traced->report.findings = {race_between(*traced, 4 * 9, 10, 20, true), race_between(*traced, 4 * 10, 31, 36, false)};
  const FindingList list = finding_list(*traced, nullptr, nullptr);
  ASSERT_EQ(list.rows.size(), 2u);
  EXPECT_EQ(list.rows[0].line, 31) << "between warps before within one";
  EXPECT_EQ(list.rows[1].line, 10);
}

TEST(FindingList, WhatRestsOnAGuessAccusesNobody) {
  const auto traced = fresh_traced("09");
  traced->report.unproved = {race_on(*traced, 4 * 9)};
  const FindingList list = finding_list(*traced, nullptr, nullptr);
  ASSERT_EQ(list.rows.size(), 1u);
  EXPECT_TRUE(list.rows[0].unproved);
  EXPECT_EQ(list.rows[0].source, "racecheck, not verified");
  EXPECT_EQ(list.rows[0].message, wording::sentence(traced->report.unproved[0]) + " And 2 more like it.");
  EXPECT_TRUE(list.right);
  EXPECT_FALSE(list.wrong);
  EXPECT_EQ(list.count, 0u);
  EXPECT_EQ(list.verdict, "C is right in block (0, 0)");
}

TEST(FindingList, IsSaidInTheLanguageOfWhoReadsIt) {
  const auto traced = fresh_traced("09");
  traced->report.findings = {race_on(*traced, 4 * 9)};
  const FindingList english = finding_list(*traced, nullptr, nullptr);
  set_language(wordless());
  const FindingRow translated = finding_list(*traced, nullptr, nullptr).rows.at(0);
  const std::string in_other_words = wording::sentence(traced->report.findings[0]);
  set_language(nullptr);
  EXPECT_EQ(translated.message, in_other_words + " ~~~ 2 ~~~~ ~~~~ ~~.");
  EXPECT_NE(translated.message, english.rows.at(0).message);
  EXPECT_EQ(finding_list(*traced, nullptr, nullptr).rows.at(0).message, english.rows.at(0).message);
}

TEST(FindingList, AWrongElementIsNamed) {
  const auto traced = fresh_traced("06");
  run::Verification& verified = *traced->report.verified;
  verified.wrong = 12;
  verified.first_wrong = run::WrongElement{"C", {2, 5}, 1.5, 2.5, 1e-4};
  const FindingList list = finding_list(*traced, nullptr, nullptr);
  EXPECT_EQ(list.summary, "C is wrong: 12 of 1 024 elements");
  EXPECT_EQ(list.verdict, "C is wrong");
  EXPECT_TRUE(list.wrong);
  ASSERT_EQ(list.rows.size(), 1u);
  EXPECT_EQ(list.rows[0].title, "C[2][5] is wrong");
  EXPECT_EQ(list.rows[0].message, "Got 2.5, expected 1.5 ± 1.0e-04.");
  EXPECT_EQ(list.rows[0].element, (Target{Target::Kind::Element, Space::Global, "C", 2 * 256 + 5, 0}));
  verified.first_wrong->written = false;
  EXPECT_EQ(finding_list(*traced, nullptr, nullptr).rows[0].message, "No thread wrote it; expected 1.5 ± 1.0e-04.");
  verified.first_wrong->bound = 0;
  EXPECT_EQ(finding_list(*traced, nullptr, nullptr).rows[0].message, "No thread wrote it; expected 1.5.")
      << "what is only moved has no rounding";
}

/// The kernel of two_races.h, ready to run.
run::PreparedPointer two_races() {
  run::Request request;
  request.kernel.description = *kernel::parse_description(
      "title = 'two races'\nlaunch.block = 64\nlaunch.grid = 1\narguments = ['words']\n"
      "arrays.words = { element = 'u32', shape = [64], role = 'inout' }\n",
      "two_races.toml");
  auto build = std::make_shared<run::Build>();
  build->program = *emulator::Program::build(*ptx::parse(kTwoRaces, "two_races.ptx"), "");
  build->merge_plan = std::make_shared<analysis::MergePlan>();
  const auto prepared = run::prepare(request, *run::configure(request), build);
  EXPECT_TRUE(prepared);
  return *prepared;
}

TEST(FindingList, TwoRacesOfOneStoreAreTwo) {
  const run::PreparedPointer prepared = two_races();
  const auto traced = *run::trace_block(prepared, {});
  const auto counted = *run::count_grid(prepared);
  const auto checked = *run::check_blocks(prepared, std::nullopt);
  ASSERT_EQ(checked->report.findings.size(), 2U);
  EXPECT_EQ(wording::to_json(checked->report)["findings"].size(), 2U);
  const FindingList list = finding_list(*traced, counted.get(), checked.get());
  ASSERT_EQ(list.rows.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(list.rows[i].title, "read-write-race on line 5");
    EXPECT_NE(list.rows[i].message.find(i == 0 ? "line 6" : "line 7"), std::string::npos) << list.rows[i].message;
  }
}

TEST(FindingList, WhatCouldNotBeCountedOrCheckedIsSaid) {
  const auto traced = fresh_traced("09");
  const Unfinished unfinished{{error(Message("Too little memory."))}, {error(Message("Too slow."))}};
  const FindingList list = finding_list(*traced, nullptr, nullptr, unfinished);
  ASSERT_EQ(list.rows.size(), 2U);
  EXPECT_EQ(list.rows[0].title, "the grid was not counted");
  EXPECT_EQ(list.rows[0].message, "Too little memory.");
  EXPECT_EQ(list.rows[1].title, "the block was not checked");
  EXPECT_EQ(list.rows[1].message, "Too slow.");
  EXPECT_EQ(list.checked, "memcheck and synccheck: block (0, 0); racecheck and initcheck did not run");
}

TEST(FindingList, AStoppedRunComesFirst) {
  const auto traced = fresh_traced("09");
  traced->report.findings = {race_on(*traced, 0)};
  run::Stop& stop = traced->report.stopped.emplace();
  stop.outcome = emulator::Outcome::Deadlocked;
  stop.block = {0, 0, 0};
  traced->report.verified.reset();
  traced->report.not_verified = run::Unverified::DidNotEnd;
  const FindingList list = finding_list(*traced, nullptr, nullptr);
  EXPECT_EQ(list.summary, "not verified: " + wording::unverified_text(traced->report));
  ASSERT_EQ(list.rows.size(), 2u);
  EXPECT_EQ(list.rows[0].title, "the run was stopped");
  EXPECT_EQ(list.rows[0].message, wording::stop_text(stop, wording::Advice::Window));
}

TEST(ElementOf, IsNoneWhereNoArrayIsConcerned) {
  const auto traced = fresh_traced("09");
  EXPECT_FALSE(element_of(*traced, analysis::Finding{}));
  analysis::Finding outside = race_on(*traced, 0);
  outside.address = 1u << 20;
  EXPECT_FALSE(element_of(*traced, outside));
}

}  // namespace
}  // namespace tilescope::view
