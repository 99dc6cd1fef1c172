#include "lesson/run_fields.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "prebuilt_only.h"

namespace tilescope::lesson {
namespace {

using Names = std::set<std::string>;

std::shared_ptr<const Object> run_of(const char* kernel) {
  static const kernel::Catalogue kernels = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  compile::Compiler compiler(prebuilt_only());
  run::RunCache cache(compiler);
  Runs runs(cache);
  Scene scene;
  for (const kernel::Kernel& candidate : kernels.kernels)
    if (candidate.name == kernel) scene.kernel = std::make_shared<const kernel::Kernel>(candidate);
  scene.size = {64, 64, 64};
  const auto run = runs.run(scene);
  EXPECT_TRUE(run) << to_string(run.errors());
  return run ? describe_run(*run) : nullptr;
}

Names names_of(const Object& object) {
  Names names;
  for (const auto& [name, value] : object.fields) names.insert(name);
  return names;
}

/// "sectors" of `.sectors`, "blocks" and "grid" of `grid.x blocks`, "at" of `at("load A", 1)`: the names in code style
/// that do, or do not, begin with a dot.
Names code_names(const std::string& markdown, bool members) {
  Names names;
  std::istringstream spans(markdown);
  std::string span;
  for (bool code = false; std::getline(spans, span, '`'); code = !code) {
    if (!code) continue;
    std::istringstream words(span.substr(0, span.find('(')));
    for (std::string word; words >> word;) {
      if (word.starts_with('.') != members) continue;
      word.erase(0, members ? 1 : 0);
      names.insert(word.substr(0, word.find_first_of(".,(")));
    }
  }
  return names;
}

struct Row {
  std::string names, are;
};

/// The table of names in docs/teaching.md, a row each: "| `M N K`, parameters | the size ... |".
std::vector<Row> documented_rows() {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/docs/teaching.md");
  std::vector<Row> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "| names | are |") inside = true;
    if (inside && line.empty()) break;
    if (!inside || !line.starts_with("| `")) continue;
    const size_t bar = line.find(" | ");
    rows.push_back({line.substr(2, bar - 2), line.substr(bar + 3)});
  }
  return rows;
}

Names documented_members(const std::string& of) {
  for (const Row& row : documented_rows())
    if (code_names(row.names, false).contains(of)) return code_names(row.are, true);
  return {};
}

TEST(RunFields, AreThoseThatTeachersReadOf) {
  Names known = names_of(*run_of("01_naive_rows")), said;
  known.erase("BLOCK");  // A parameter of that kernel.
  for (const Row& row : documented_rows()) said.merge(code_names(row.names, false));
  const auto without = [](const Names& names, const Names& others) {
    std::vector<std::string> left;
    std::set_difference(names.begin(), names.end(), others.begin(), others.end(), std::back_inserter(left));
    return left;
  };
  EXPECT_THAT(without(known, said), testing::IsEmpty()) << "docs/teaching.md does not name them";
  EXPECT_THAT(without(said, known), testing::IsEmpty()) << "docs/teaching.md names what is not there";
}

TEST(RunFields, HaveTheMembersThatTeachersReadOf) {
  const auto run = run_of("04_shared_tile");
  const auto members = [&](const char* of) { return names_of(*run->fields.at(of).object()); };
  EXPECT_EQ(members("global_load"), documented_members("global_load"));
  EXPECT_EQ(members("shared_load"), documented_members("shared_load"));
  const auto called = [&](const char* function, const char* anchor) {
    return names_of(*run->fields.at(function).object()->call({std::string(anchor)})->object());
  };
  EXPECT_EQ(called("line", "load A"), documented_members("line"));
  Names both = called("at", "load A");
  both.merge(called("at", "read As"));
  Names said = documented_members("at");
  said.insert("lane");
  for (const char* of_lane : {"array", "row", "col", "element", "bank", "sector"}) said.erase(of_lane);
  EXPECT_EQ(both, said);
}

TEST(RunFields, ABroadcastIsIdealAndItsBytesCountOnce) {
  // In kernel 2 the lanes of a warp share their row of A.
  const auto run = run_of("02_naive_swapped");
  const auto load = run->fields.at("global_load").object()->call({std::string("A")});
  const auto& fields = load->object()->fields;
  EXPECT_EQ(*fields.at("sectors_per_request").number(), 1);
  EXPECT_EQ(*fields.at("ideal_sectors_per_request").number(), 1);
  EXPECT_EQ(*fields.at("efficiency").number(), 4.0 / 32);
}

}  // namespace
}  // namespace tilescope::lesson
