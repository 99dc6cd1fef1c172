#include "view/code/code_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traced_fixture.h"

namespace tilescope::view {
namespace {
using run::TracedBlock;
using session::Target;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Word = std::pair<std::string, Ink>;

std::vector<Word> words(const CodeText& text, size_t line) {
  std::vector<Word> result;
  for (const Token& token : text.tokens[line])
    result.emplace_back(text.lines[line].substr(token.begin, token.end - token.begin), token.ink);
  return result;
}

std::string without_spaces(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r') result += c;
  return result;
}

TEST(CudaText, TokensHaveTheInkOfWhatTheyAre) {
  const CodeText text = cuda_text({"#define T 8  // tile", "  float s = As[i] * 2.0f;  // sum", "__syncthreads();"},
                                  {{"As", Ink::ArrayA}});
  EXPECT_THAT(words(text, 0), ElementsAre(Pair("#define T 8  ", Ink::Keyword), Pair("// tile", Ink::Faint)));
  EXPECT_THAT(words(text, 1), ElementsAre(Pair("float", Ink::Keyword), Pair("s", Ink::Text), Pair("=", Ink::Text),
                                          Pair("As", Ink::ArrayA), Pair("[", Ink::Text), Pair("i", Ink::Text),
                                          Pair("]", Ink::Text), Pair("*", Ink::Text), Pair("2.0f", Ink::Literal),
                                          Pair(";", Ink::Text), Pair("// sum", Ink::Faint)));
  EXPECT_EQ(words(text, 2)[0], Word("__syncthreads", Ink::Literal));
}

TEST(CudaText, CommentsReachOverLinesAndStringsHideThem) {
  const CodeText text = cuda_text({"a /* b", "c */ d", "\"/* \\\" //\" e", "/*", "", "f"}, {});
  EXPECT_THAT(words(text, 0), ElementsAre(Pair("a", Ink::Text), Pair("/* b", Ink::Faint)));
  EXPECT_THAT(words(text, 1), ElementsAre(Pair("c */", Ink::Faint), Pair("d", Ink::Text)));
  EXPECT_THAT(words(text, 2), ElementsAre(Pair("\"/* \\\" //\"", Ink::Literal), Pair("e", Ink::Text)));
  EXPECT_TRUE(words(text, 4).empty());
  EXPECT_THAT(words(text, 5), ElementsAre(Pair("f", Ink::Faint)));
}

TEST(CudaText, TextThatIsCutOffStaysInItsLine) {
  for (const char* line : {"\"", "'\\", "/*", "/", "\\", "#", "\xff\xfe", "0x", "a/"}) {
    const CodeText text = cuda_text({line}, {});
    for (const Token& token : text.tokens[0]) EXPECT_LE(token.end, std::string(line).size()) << line;
  }
}

TEST(PtxText, TokensHaveTheInkOfWhatTheyAre) {
  const CodeText text = ptx_text(
      {"\t.loc\t1 39 13", "@%p1 bra \t$L__BB0_2;", "\tst.shared.f32 \t[_ZZ1kPfE2As+4], %f2;"}, {{"As", Ink::ArrayA}});
  EXPECT_THAT(words(text, 0), ElementsAre(Pair(".loc\t1 39 13", Ink::Faint)));
  EXPECT_THAT(words(text, 1), ElementsAre(Pair("@%p1", Ink::Text), Pair("bra", Ink::Keyword),
                                          Pair("$L__BB0_2", Ink::Literal), Pair(";", Ink::Text)));
  EXPECT_THAT(words(text, 2),
              ElementsAre(Pair("st.shared.f32", Ink::Keyword), Pair("[", Ink::Text), Pair("_ZZ1kPfE2As", Ink::ArrayA),
                          Pair("+", Ink::Text), Pair("4", Ink::Literal), Pair("]", Ink::Text), Pair(",", Ink::Text),
                          Pair("%f2", Ink::Text), Pair(";", Ink::Text)));
}

TEST(ArrayInk, IsThatOfTheMatrixWhoseNameItBears) {
  EXPECT_EQ(array_ink("A"), Ink::ArrayA);
  EXPECT_EQ(array_ink("Bs"), Ink::ArrayB);
  EXPECT_EQ(array_ink("tileC"), Ink::ArrayC);
  EXPECT_EQ(array_ink("scratch"), Ink::ArrayOther);
  EXPECT_EQ(array_ink(""), Ink::ArrayOther);
}

TEST(AccessCosts, OfABroadcastAreIdeal) {
  analysis::PcCounts counts;
  counts.global_load.add({.requests = 1, .sectors = 1, .lines = 1, .words = 32, .bytes = 4});
  EXPECT_EQ(to_sentence(access_costs(counts).front()), "global load: 1 request, 1.0 sectors per request");
}

TEST(AccessCosts, SayWhatEachRequestCosts) {
  analysis::PcCounts counts;
  counts.global_load.add({.requests = 1, .sectors = 32, .lines = 32, .words = 32, .bytes = 128});
  counts.shared_load.add({1, 8, 0, 128});
  counts.shared_load_merged.add({1, 8, 4, 128});
  const std::vector<AccessCost> costs = access_costs(counts);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(to_sentence(costs[0]), "global load: 1 request, 32.0 sectors per request instead of 4.0");
  EXPECT_EQ(to_sentence(costs[1]),
            "shared load: 1 request, 8.0 wavefronts per request instead of 4.0, 4 bank conflicts, after ptxas merging");
}

class CodeOfEveryKernel : public testing::TestWithParam<int> {
 protected:
  std::shared_ptr<const TracedBlock> traced() const {
    return traced_of(shipped_kernels().kernels[static_cast<size_t>(GetParam())].name);
  }
};

TEST_P(CodeOfEveryKernel, InALessonItBeginsWithCode) {
  Listing listing = make_listing(*traced(), nullptr, nullptr);
  const std::vector<int> all = listing.cuda.shown;
  fold_head(listing);
  ASSERT_FALSE(listing.cuda.shown.empty());
  const int first = listing.cuda.shown.front();
  EXPECT_GT(first, 1) << "each begins with a comment";
  EXPECT_THAT(listing.cuda.text.lines[static_cast<size_t>(first) - 1], testing::Not(testing::StartsWith("//")));
  EXPECT_EQ(listing.cuda.shown.back(), all.back());
}

TEST_P(CodeOfEveryKernel, TokensAreTheTextWithoutItsSpaces) {
  const Listing listing = make_listing(*traced(), nullptr, nullptr);
  for (const CodeSide* side : {&listing.cuda, &listing.ptx, &listing.machine})
    for (size_t i = 0; i < side->text.lines.size(); ++i) {
      std::string joined;
      for (const auto& [word, ink] : words(side->text, i)) joined += word;
      EXPECT_EQ(without_spaces(joined), without_spaces(side->text.lines[i])) << i + 1;
    }
}

TEST_P(CodeOfEveryKernel, MachineCodeIsLinkedWithItsPtx) {
  const Listing listing = make_listing(*traced(), nullptr, nullptr);
  ASSERT_EQ(listing.machine.text.lines.size(), listing.instructions.size());
  size_t global_stores = 0;
  for (int line = 1; line <= listing.machine.lines(); ++line) {
    const std::string& text = listing.machine.text.lines[static_cast<size_t>(line) - 1];
    if (text.find("STG.E") == std::string::npos) continue;
    ++global_stores;
    const int ptx_line = listing.ptx_of_machine(line);
    ASSERT_GT(ptx_line, 0) << text;
    EXPECT_THAT(listing.ptx.text.lines[static_cast<size_t>(ptx_line) - 1], testing::HasSubstr("st.global")) << text;
    EXPECT_THAT(machine_lines_of(listing, {ptx_line}), testing::Contains(line));
  }
  EXPECT_GT(listing.instructions.size(), global_stores);
}

TEST_P(CodeOfEveryKernel, LinesHaveTheCountsOfTheReport) {
  const Listing listing = make_listing(*traced(), nullptr, nullptr);
  uint64_t warp_instructions = 0, requests = 0;
  for (const LineFacts& facts : listing.cuda.facts) {
    warp_instructions += facts.warp_instructions;
    for (const AccessCost& cost : facts.costs) requests += cost.requests;
  }
  const run::Counts& counts = traced()->report.counts;
  // Some instructions come from no line.
  for (const run::LineCounts& line : counts.lines) warp_instructions += line.line == 0 ? line.warp_instructions : 0;
  EXPECT_EQ(warp_instructions, counts.warp_instructions);
  EXPECT_EQ(requests, counts.memory.global_load.requests + counts.memory.global_store.requests +
                          counts.memory.shared_load_merged.requests + counts.memory.shared_store_merged.requests);
  uint64_t in_ptx = 0;
  for (const LineFacts& facts : listing.ptx.facts) in_ptx += facts.warp_instructions;
  EXPECT_EQ(in_ptx, counts.warp_instructions);
  EXPECT_EQ(listing.counted, "block (0, 0)");
}

TEST_P(CodeOfEveryKernel, LinesAndPtxLinesLeadToEachOther) {
  const Listing listing = make_listing(*traced(), nullptr, nullptr);
  size_t links = 0;
  for (int line = 1; line <= listing.cuda.lines(); ++line)
    for (const int ptx_line : listing.ptx_of_line[static_cast<size_t>(line)]) {
      EXPECT_EQ(listing.line_of_ptx[static_cast<size_t>(ptx_line)], line);
      ++links;
    }
  EXPECT_GT(links, 20u);
}

TEST_P(CodeOfEveryKernel, EveryInstructionsLineIsShown) {
  const std::shared_ptr<const TracedBlock> at = traced();
  const Listing listing = make_listing(*at, nullptr, nullptr);
  EXPECT_EQ(listing.cuda.shown.size(), listing.cuda.text.lines.size());
  for (const ptx::Instruction& instruction : at->function().instructions)
    EXPECT_TRUE(std::binary_search(listing.ptx.shown.begin(), listing.ptx.shown.end(), instruction.line));
  for (const int line : listing.ptx.shown)
    EXPECT_THAT(listing.ptx.text.lines[static_cast<size_t>(line) - 1], testing::Not(HasSubstr(".loc\t")));
}

TEST_P(CodeOfEveryKernel, TheCursorLightsItsLineInBothTexts) {
  const std::shared_ptr<const TracedBlock> at = traced();
  const Listing listing = make_listing(*at, nullptr, nullptr);
  Focus focus = focus_at(*at);
  for (uint32_t step = 0; step < at->timeline.steps(0); step += 7) {
    focus.cursor = {0, step};
    const LitCode lit = lit_code(listing, focus);
    EXPECT_EQ(lit.line, at->facts.line_of(at->timeline.pc(focus.cursor)));
    EXPECT_EQ(lit.ptx_line, at->instruction(at->timeline.pc(focus.cursor)).line);
    EXPECT_TRUE(lit.lines.empty());
  }
}

TEST_P(CodeOfEveryKernel, AnArrayLightsTheLinesThatAccessIt) {
  const std::shared_ptr<const TracedBlock> at = traced();
  const Listing listing = make_listing(*at, nullptr, nullptr);
  Focus focus = focus_at(*at);
  focus.hover = {Target::Kind::Element, Space::Global, "C", 0, 0};
  const LitCode lit = lit_code(listing, focus);
  ASSERT_EQ(lit.lines.size(), 1u);
  EXPECT_THAT(listing.cuda.text.lines[static_cast<size_t>(lit.lines[0]) - 1], testing::HasSubstr("[store C]"));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, CodeOfEveryKernel, testing::Range(0, 11));

TEST(Listing, ShowsTheAccessThatIsFurthestFromItsIdeal) {
  const Listing listing = make_listing(*traced_of("09"), nullptr, nullptr);
  EXPECT_EQ(listing.file, "09_thread_tile_2d.cu");
  EXPECT_EQ(listing.cuda.of(39).figure, "4.0");
  EXPECT_EQ(listing.cuda.of(39).measure, Measure::Sectors);
  EXPECT_FALSE(listing.cuda.of(39).worse);
  EXPECT_EQ(listing.cuda.of(54).figure, "8.0");
  EXPECT_EQ(listing.cuda.of(54).measure, Measure::Wavefronts);
  EXPECT_TRUE(listing.cuda.of(54).worse);
  EXPECT_EQ(to_sentence(listing.cuda.of(54).costs[0]),
            "shared load: 1 024 requests, 8.0 wavefronts per request instead of 4.0, 4 096 bank conflicts, after ptxas "
            "merging");
  EXPECT_EQ(listing.cuda.of(60).figure, "");
}

TEST(Listing, TakesTheCountsOfTheWholeGridWhereTheyAre) {
  compile::Compiler compiler(prebuilt_only());
  run::Request request = request_for("09", {256, 256, 64});
  const auto counted = grid_counts(request, compiler);
  ASSERT_TRUE(counted);
  const Listing listing = make_listing(*traced_of("09"), counted->get(), nullptr);
  EXPECT_EQ(listing.counted, "all 4 blocks");
  EXPECT_EQ(listing.cuda.of(54).costs[0].requests, 4096u);
  EXPECT_EQ(counted_where((*counted)->report), "all 4 blocks");
}

TEST(LitCode, AHoveredLineLightsItsPtxAndTheOtherWayRound) {
  const auto traced = traced_of("09");
  const Listing listing = make_listing(*traced, nullptr, nullptr);
  Focus focus = focus_at(*traced);
  focus.hover = {Target::Kind::SourceLine, Space::None, "", 51, 0};
  LitCode lit = lit_code(listing, focus);
  EXPECT_THAT(lit.lines, ElementsAre(51));
  EXPECT_EQ(lit.ptx_lines, listing.ptx_of_line[51]);
  EXPECT_GE(lit.ptx_lines.size(), 8u);

  focus.hover = {Target::Kind::PtxLine, Space::None, "", static_cast<uint64_t>(lit.ptx_lines[0]), 0};
  lit = lit_code(listing, focus);
  EXPECT_THAT(lit.lines, ElementsAre(51));
  EXPECT_EQ(lit.ptx_lines.size(), 1u);
}

TEST(LitCode, AStepAnElementASectorAndAParameterLightTheirLines) {
  const auto traced = traced_of("09");
  const Listing listing = make_listing(*traced, nullptr, nullptr);
  Focus focus = focus_at(*traced);
  const auto lines = [&](Target target) {
    focus.hover = std::move(target);
    return lit_code(listing, focus).lines;
  };
  EXPECT_THAT(lines({Target::Kind::Element, Space::Shared, "As", 5, 0}), ElementsAre(39, 51));
  EXPECT_THAT(lines({Target::Kind::Sector, Space::Global, "", traced->facts.global[0].allocation.base, 0}),
              ElementsAre(39));
  EXPECT_THAT(lines({Target::Kind::Parameter, Space::None, "TN", 0, 0}), ElementsAre(29, 30, 32, 34, 53, 58, 67));
  const auto last = traced->timeline.last(3);
  EXPECT_THAT(lines({Target::Kind::Step, Space::None, "", last.step, 3}),
              ElementsAre(traced->facts.line_of(traced->timeline.pc(last))));
  EXPECT_TRUE(lines({Target::Kind::Step, Space::None, "", 1u << 30, 3}).empty());
  EXPECT_TRUE(lines({Target::Kind::SourceLine, Space::None, "", 1u << 30, 0}).empty());
  EXPECT_TRUE(lines({Target::Kind::Element, Space::Shared, "nothing", 5, 0}).empty());
}

TEST(AllFindings, EachOnceHoweverManyRunsFoundIt) {
  run::Request request = request_for("04", {64, 64, 64});
  compile::Compiler compiler(prebuilt_only());
  request.size = {64, 64, 64};
  auto traced = trace_block(request, compiler);
  ASSERT_TRUE(traced);
  run::TracedBlock& changed = const_cast<TracedBlock&>(**traced);
  analysis::Finding race;
  race.kind = analysis::FindingKind::ReadWriteRace;
  race.site.line = 25;
  analysis::Finding bounds;
  bounds.site.line = 11;
  changed.report.findings = {race, bounds};
  run::GridCounts counted;
  run::CheckResult checked;
  counted.report.findings = checked.report.findings = changed.report.findings;
  const auto findings = all_findings(**traced, &counted, &checked);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].site.line, 11);
  EXPECT_EQ(findings[1].site.line, 25);
  const Listing listing = make_listing(**traced, nullptr, nullptr);
  EXPECT_THAT(listing.cuda.of(25).findings, ElementsAre(1u));
}

}  // namespace
}  // namespace tilescope::view
