// Every kernel of the catalogue, of the lessons and of examples/ through clang: compiled, right, with the findings that
// NVRTC's PTX has, and with its counts, or those of the table in docs/compilers.md. NVRTC's side is the PTX that ships;
// of the examples NVRTC's own, where there is one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text.h"
#include "built_compiler.h"
#include "kernel/catalogue.h"
#include "lesson/course.h"
#include "run/run.h"

namespace tilescope::lesson {
namespace {

/// The table's version of clang.
constexpr const char* kVersion = "16";

compile::Settings only(compile::Choice choice) {
  compile::Settings settings = built_settings(choice);
  settings.prebuilt_folder = TILESCOPE_SOURCE_DIR "/assets/prebuilt";
  return settings;
}

compile::Compiler& clang() {
  static compile::Compiler compiler(only(compile::Choice::Clang));
  return compiler;
}

struct Program {
  std::string name;
  run::Request request;
  bool ships = true;  ///< As PTX.
};

const std::vector<Program>& programs() {
  static const std::vector<Program> all = [] {
    const std::string root = TILESCOPE_SOURCE_DIR;
    const kernel::Catalogue catalogue = kernel::load_catalogue(root + "/kernels");
    std::vector<Program> programs;
    const auto add = [&](const kernel::Kernel& kernel, const kernel::Settings& settings, bool ships) -> Program& {
      programs.push_back({kernel.file.parent_path().filename() == "kernels"
                              ? kernel.name
                              : kernel.file.parent_path().filename().string() + "/" + kernel.name,
                          {},
                          ships});
      run::Request& request = programs.back().request;
      request.kernel = kernel;
      request.settings = settings;
      request.size = kernel::default_size(kernel.description);
      return programs.back();
    };
    for (const kernel::Kernel& kernel : catalogue.kernels) add(kernel, {}, true);
    std::set<std::string> seen;
    for (const Lesson& lesson : load_course(root + "/lessons", catalogue).lessons)
      for (const Scene& scene : all_scenes(lesson)) {
        const std::filesystem::path& file = scene.kernel->file;
        if (file.parent_path().filename() == "kernels" || !seen.insert(file.string()).second) continue;
        run::Request& request = add(*scene.kernel, scene.settings, true).request;
        request.size = scene.size;
        request.arch = scene.arch;
      }
    for (const kernel::Kernel& kernel : kernel::load_catalogue(root + "/examples").kernels) add(kernel, {}, false);
    return programs;
  }();
  return all;
}

/// The differences between the counts of clang and NVRTC.
using Differences = std::map<std::string, std::pair<uint64_t, uint64_t>>;

Differences differences(const run::Counts& nvrtc, const run::Counts& clang) {
  const auto figures = [](const run::Counts& counts) {
    const analysis::PcCounts& m = counts.memory;
    return std::map<std::string, uint64_t>{{"global load requests", m.global_load.requests},
                                           {"global load sectors", m.global_load.sectors},
                                           {"global store requests", m.global_store.requests},
                                           {"global store sectors", m.global_store.sectors},
                                           {"shared load wavefronts", m.shared_load.wavefronts},
                                           {"shared load conflicts", m.shared_load.bank_conflicts},
                                           {"shared store wavefronts", m.shared_store.wavefronts},
                                           {"shared store conflicts", m.shared_store.bank_conflicts}};
  };
  Differences found;
  const auto theirs = figures(nvrtc);
  for (const auto& [name, count] : figures(clang))
    if (theirs.at(name) != count) found[name] = {theirs.at(name), count};
  const auto by_line = [](const run::Counts& counts) {
    std::map<int, uint64_t> requests;
    for (const run::LineCounts& line : counts.lines) {
      const analysis::PcCounts& m = line.memory;
      if (const uint64_t all =
              m.global_load.requests + m.global_store.requests + m.shared_load.requests + m.shared_store.requests)
        requests[line.line] = all;
    }
    return requests;
  };
  auto nvrtc_lines = by_line(nvrtc);
  for (const auto& [line, requests] : by_line(clang)) {
    if (nvrtc_lines[line] != requests) found[fmt::format("requests of line {}", line)] = {nvrtc_lines[line], requests};
    nvrtc_lines.erase(line);
  }
  for (const auto& [line, requests] : nvrtc_lines) found[fmt::format("requests of line {}", line)] = {requests, 0};
  return found;
}

/// The table's rows, "| 01_naive_rows | global load requests | 1 | 2 | a |", without the last column, which must name a
/// reason that the text explains.
std::set<std::string> documented() {
  std::set<std::string> rows;
  const auto text = read_file(TILESCOPE_SOURCE_DIR "/docs/compilers.md");
  if (!text) return rows;
  for (const std::string& line : lines_of(*text)) {
    if (!line.starts_with("| ")) continue;
    const size_t reason = line.rfind(" | ");
    const size_t before = reason == line.npos ? line.npos : line.rfind('|', reason - 1);
    if (before == line.npos) continue;
    const std::string letter(trimmed(std::string_view(line).substr(reason + 3, line.size() - reason - 4)));
    if (letter.size() == 1 && text->find(fmt::format("\n- **{}**", letter)) != text->npos)
      rows.insert(line.substr(0, reason + 2));
  }
  return rows;
}

std::string row_of(const std::string& program, const std::string& figure, const std::pair<uint64_t, uint64_t>& counts) {
  return fmt::format("| {} | {} | {} | {} |", program, figure, counts.first, counts.second);
}

class Clang : public testing::Test {
 protected:
  void SetUp() override {
    const auto toolchain = clang().clang();
    if (!toolchain) GTEST_SKIP() << to_string(toolchain.errors());
    version_ = toolchain->version;
  }
  std::string version_;
};

/// clang has no attribute for the size of a cluster.
constexpr std::string_view kOfClusters = "examples/cluster_tile";

void expect_no_clusters(const Diagnostics& problems) {
  EXPECT_THAT(to_string(problems), testing::HasSubstr("clang compiles no __cluster_dims__; compile with NVRTC"));
}

TEST_F(Clang, ResultsFindingsAndCountsAreNvrtcs) {
  compile::Compiler prebuilt(only(compile::Choice::Prebuilt)), nvrtc(only(compile::Choice::Nvrtc));
  const bool has_nvrtc = static_cast<bool>(nvrtc.toolchain());
  std::set<std::string> rows;
  run::Control control;
  control.threads = 1;  // What becomes of a race depends on when each thread of the host runs its blocks.
  for (const Program& program : programs()) {
    SCOPED_TRACE(program.name);
    const auto by_clang = run::make_report(program.request, clang(), control);
    if (program.name == kOfClusters) {
      expect_no_clusters(by_clang.errors());
      continue;
    }
    ASSERT_TRUE(by_clang) << to_string(by_clang.errors());
    EXPECT_EQ(by_clang->compiled_by, "clang " + version_);
    EXPECT_FALSE(by_clang->resources.registers) << "only ptxas knows";
    if (!program.ships && !has_nvrtc) continue;
    const auto by_nvrtc = run::make_report(program.request, program.ships ? prebuilt : nvrtc, control);
    ASSERT_TRUE(by_nvrtc) << to_string(by_nvrtc.errors());
    EXPECT_EQ(by_clang->verified.has_value(), by_nvrtc->verified.has_value());
    if (by_clang->verified && by_nvrtc->verified) {
      EXPECT_EQ(by_clang->verified->wrong > 0, by_nvrtc->verified->wrong > 0);
    }
    for (const auto& [figure, counts] : differences(by_nvrtc->counts, by_clang->counts))
      rows.insert(row_of(program.name, figure, counts));
  }
  if (version_ != kVersion) return;
  const std::set<std::string> known = documented();
  std::string unknown, stale;
  for (const std::string& row : rows)
    if (!known.contains(row)) unknown += row + "\n";
  for (const std::string& row : known)
    if (!rows.contains(row) && (has_nvrtc || row.find("| examples/") != 0)) stale += row + "\n";
  EXPECT_EQ(unknown, "") << "docs/compilers.md lacks these rows.";
  EXPECT_EQ(stale, "") << "docs/compilers.md has these rows for nothing.";
}

/// Checker, kind and line of each finding.
std::set<std::string> findings_of(const run::Report& report) {
  std::set<std::string> found;
  for (const analysis::Finding& finding : report.findings)
    found.insert(fmt::format("{} {} line {} {}", analysis::to_string(finding.checker),
                             analysis::to_string(finding.kind), finding.site.line, finding.array));
  return found;
}

TEST_F(Clang, FindsWhatNvrtcsPtxShows) {
  compile::Compiler prebuilt(only(compile::Choice::Prebuilt));
  for (const Program& program : programs()) {
    SCOPED_TRACE(program.name);
    run::Request request = program.request;
    request.size =
        run::smallest_size(request.kernel, request.settings, *arch::find_limits(std::string_view(request.arch)));
    const auto by_clang = run::make_check_report(request, clang());
    if (program.name == kOfClusters) {
      expect_no_clusters(by_clang.errors());
      continue;
    }
    ASSERT_TRUE(by_clang) << to_string(by_clang.errors());
    if (!program.ships) {
      EXPECT_EQ(findings_of(*by_clang), std::set<std::string>{});
      continue;
    }
    const auto by_nvrtc = run::make_check_report(request, prebuilt);
    ASSERT_TRUE(by_nvrtc) << to_string(by_nvrtc.errors());
    EXPECT_EQ(findings_of(*by_clang), findings_of(*by_nvrtc));
  }
}

}  // namespace
}  // namespace tilescope::lesson
