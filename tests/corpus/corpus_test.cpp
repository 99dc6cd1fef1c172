#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "analysis/finding.h"
#include "base/file.h"
#include "base/sha256.h"
#include "kernel/configuration.h"
#include "run/launch.h"
#include "run/launch_memory.h"
#include "wording/finding.h"
#include "wordless.h"

/// Every kernel of tests/corpus/<checker>/ is run with all four checkers. In NN_slug.cu the lines marked
/// "// expect: <kind>" are the place of a finding of the folder's checker; NN_slug.ok.cu, its twin without the defect,
/// must have no finding at all. Lines that begin with "//: " are the kernel's description, as in a .toml beside a
/// kernel; `size` is the problem's, 32 by default. The PTX beside each is what runs: scripts/corpus-ptx makes it.
namespace tilescope {
namespace {

namespace fs = std::filesystem;
using analysis::Finding;

struct Expectation {
  std::string kind;
  std::set<int> lines;
};

struct Case {
  fs::path source;
  std::string checker;
  std::string text, ptx;
  std::string toml;
  kernel::Size size{32, 32, 32};
  Expectation expected;
};

void read_line(Case& c, const std::string& line, int number) {
  if (line.rfind("//: size = ", 0) == 0) {
    const auto size = kernel::parse_size(line.substr(12, line.size() - 13));
    ASSERT_TRUE(size);
    c.size = *size;
  } else if (line.rfind("//: ", 0) == 0) {
    c.toml += line.substr(4) + "\n";
  }
  const std::string mark = "// expect: ";
  if (const size_t at = line.find(mark); at != std::string::npos) {
    c.expected.kind = line.substr(at + mark.size());
    c.expected.lines.insert(number);
  }
}

Case read_case(const fs::path& source) {
  Case c{source, source.parent_path().filename().string(), {}, {}, "title = \"corpus\"\n", {32, 32, 32}, {}};
  c.text = *read_file(source);
  std::istringstream lines(c.text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) read_line(c, line, number);
  if (c.toml.find("\narguments = ") == std::string::npos)
    c.toml += "arguments = [\"M\", \"N\", \"K\", \"A\", \"B\", \"C\"]\n";
  const auto ptx = read_file(fs::path(source).replace_extension(".ptx"));
  if (ptx) c.ptx = *ptx;
  return c;
}

std::vector<fs::path> all_sources() {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "tests/corpus"))
    if (entry.path().extension() == ".cu") sources.push_back(entry.path());
  std::sort(sources.begin(), sources.end());
  return sources;
}

bool is_twin(const fs::path& source) { return source.stem().extension() == ".ok"; }

Result<run::Prepared> prepare(const Case& c) {
  const auto limits = arch::find_limits(std::string_view("sm_80"));
  if (!limits) return limits.errors();
  const auto description = kernel::parse_description(c.toml, c.source.string());
  if (!description) return description.errors();
  const auto configuration = kernel::configure(*description, {}, c.size);
  if (!configuration) return configuration.errors();
  const auto module = ptx::parse(c.ptx, c.source.string());
  if (!module) return module.errors();
  const auto program = emulator::Program::build(*module, "");
  if (!program) return program.errors();
  auto build = std::make_shared<run::Build>();
  build->program = *program;
  return run::Prepared{{}, *limits, *configuration, std::move(build), {}, {}};
}

Result<analysis::Findings> run(const Case& c) {
  const auto prepared = prepare(c);
  if (!prepared) return prepared.errors();
  auto launch = run::place_launch(*prepared, 1);
  if (!launch) return launch.errors();
  run::Control control;
  control.step_budget = 1'000'000;
  return run::run_launch(run::launched(*prepared, *launch), {.checked = run::Scope::kAll}, control).findings;
}

std::set<int> lines_of(const Finding& f) {
  std::set<int> lines{f.site.line};
  if (f.other) lines.insert(f.other->line);
  return lines;
}

std::string listed(const analysis::Findings& findings) {
  std::string text;
  for (const Finding& f : findings)
    text += fmt::format("  {} {}: {}\n", to_string(f.checker), to_string(f.kind), wording::sentence(f));
  return text.empty() ? "  no finding\n" : text;
}

bool meets(const Finding& f, const Case& c) {
  return to_string(f.checker) == c.checker && to_string(f.kind) == c.expected.kind && lines_of(f) == c.expected.lines;
}

class Corpus : public testing::TestWithParam<fs::path> {};

TEST_P(Corpus, DefectsAreFoundWhereMarkedAndTwinsAreClean) {
  const Case c = read_case(GetParam());
  ASSERT_EQ(c.ptx.substr(0, c.ptx.find('\n')), "// source-sha256: " + sha256(c.text))
      << "The PTX is stale; run scripts/corpus-ptx.";
  const auto findings = run(c);
  ASSERT_TRUE(findings) << to_string(findings.errors());
  if (is_twin(c.source)) {
    EXPECT_TRUE(findings->empty()) << listed(*findings);
    return;
  }
  ASSERT_FALSE(c.expected.lines.empty()) << "No line is marked \"// expect: <kind>\".";
  EXPECT_TRUE(std::any_of(findings->begin(), findings->end(), [&](const Finding& f) { return meets(f, c); }))
      << fmt::format("Expected {} on {}; found\n{}", c.expected.kind, fmt::join(c.expected.lines, ", "),
                     listed(*findings));
}

/// Without brackets, names of functions, arrays and registers, and a trap's own words.
std::string without_names(std::string text) {
  for (const char* name : {R"((cluster\.)?\w+\(\))", R"(\([^)]*\))", R"(cp\.async[a-z_.]*)",
                           R"([A-Za-z_0-9]+(\[\d+\])+)", "cooperative|trap"})
    text = std::regex_replace(text, std::regex(name), "");
  return text;
}

TEST_P(Corpus, FindingsAreSaidInTheReadersLanguage) {
  const auto findings = run(read_case(GetParam()));
  ASSERT_TRUE(findings) << to_string(findings.errors());
  set_language(wordless());
  for (const Finding& f : *findings)
    EXPECT_FALSE(std::regex_search(without_names(wording::sentence(f)), std::regex("[A-Za-z]{3,}")))
        << wording::sentence(f);
  set_language(nullptr);
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.parent_path().filename().string() + "_" + info.param.stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(all_sources()), test_name);

TEST(CorpusItself, HoldsAtLeast64DefectsEachWithItsTwin) {
  size_t defects = 0;
  for (const fs::path& source : all_sources()) {
    if (is_twin(source)) continue;
    ++defects;
    EXPECT_TRUE(fs::exists(fs::path(source).replace_extension(".ok.cu"))) << source << " has no twin.";
  }
  EXPECT_GE(defects, 64u);
}

}  // namespace
}  // namespace tilescope
