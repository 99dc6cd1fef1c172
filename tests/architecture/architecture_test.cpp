#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "architecture/source_tree.h"

namespace {
namespace fs = std::filesystem;

using Modules = std::map<std::string, std::set<std::string>>;
std::set<std::string> words(const std::string& text) {
  static const std::regex word("[a-z_]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), word), {}};
}

/// The rows of the table in ARCHITECTURE.md: module, what it may include.
Modules documented() {
  static const std::regex row(R"(\n\| ([a-z]+) \|[^|\n]*\|([^|\n]*)\|)");
  const std::string text = content(kRoot / "ARCHITECTURE.md");
  Modules modules;
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it)
    if (it->str(1) != "module") modules[it->str(1)] = words(it->str(2));
  return modules;
}

/// The same from the build.
Modules built() {
  static const std::regex call(R"(\ntilescope_module\(([a-z]+)([^)]*)\))");
  static const std::regex allowed(R"(MAY_INCLUDE([a-z_\s]*))");
  const std::string text = content(kRoot / "app/CMakeLists.txt");
  Modules modules;
  for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) {
    const std::string arguments = it->str(2);
    std::smatch match;
    modules[it->str(1)] = std::regex_search(arguments, match, allowed) ? words(match[1]) : std::set<std::string>{};
  }
  return modules;
}

/// Captures of `pattern` in the files of `module`, except the module's own name.
std::set<std::string> included(const std::string& module, const std::regex& pattern) {
  std::set<std::string> result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / "app" / module)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = content(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) result.insert(it->str(1));
  }
  result.erase(module);
  return result;
}

/// The modules whose headers the files of `module` include, and those that these headers include.
std::set<std::string> needed(const std::string& module) {
  static const std::regex include(R"~(#include "(([a-z_]+)/[^"]+)")~");
  std::set<std::string> modules;
  std::set<fs::path> read;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / "app" / module))
    if (entry.is_regular_file()) files.push_back(entry.path());
  while (!files.empty()) {
    const fs::path file = files.back();
    files.pop_back();
    if (!read.insert(file).second) continue;
    const std::string text = content(file);
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      modules.insert(it->str(2));
      files.push_back(kRoot / "app" / it->str(1));
    }
  }
  modules.erase(module);
  return modules;
}

/// By module, the modules whose headers the compiler finds when it compiles that module's sources.
const Modules& seen_by_compiler() {
  static const Modules modules = [] {
    static const std::regex object(R"(-o app/CMakeFiles/([a-z_]+)\.dir/)"), path(R"(-I\S*/include/([a-z_]+) )");
    Modules seen;
    std::ifstream commands(fs::path(TILESCOPE_BINARY_DIR) / "compile_commands.json");
    for (std::string line; std::getline(commands, line);) {
      std::smatch compiled;
      if (!std::regex_search(line, compiled, object)) continue;
      for (std::sregex_iterator it(line.begin(), line.end(), path), end; it != end; ++it)
        seen[compiled[1]].insert(it->str(1));
    }
    return seen;
  }();
  return modules;
}

TEST(Architecture, TheTableAndTheBuildAgree) { EXPECT_EQ(documented(), built()); }

// app/cudart has the shared libraries that a program finds in place of CUDA's.
TEST(Architecture, EveryFolderIsAModuleOrAProgram) {
  std::set<std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "app"))
    if (entry.is_directory() && !fs::exists(entry.path() / "main.cpp") && entry.path().filename() != "cudart")
      folders.insert(entry.path().filename());
  std::set<std::string> named;
  for (const auto& [module, allowed] : documented()) named.insert(module);
  EXPECT_EQ(folders, named);
}

TEST(Architecture, EachRowIsWhatTheModulesFilesAndTheHeadersTheyIncludeNeed) {
  const Modules modules = documented();
  ASSERT_FALSE(modules.empty());
  for (const auto& [module, allowed] : modules) EXPECT_EQ(needed(module), allowed) << module;
}

// Another module's header is no mistake that the compiler overlooks: it has no path to it.
TEST(Architecture, TheCompilerSeesTheModulesOfTheRowAlone) {
  for (const auto& [module, allowed] : documented()) {
    std::set<std::string> expected = allowed;
    expected.insert(module);
    EXPECT_EQ(seen_by_compiler().at(module), expected) << module;
  }
}

TEST(Architecture, TheEngineHasNoThreadsClockOrGraphics) {
  static const std::regex foreign(
      R"(#include <((?:thread|mutex|condition_variable|future|chrono|ctime|time\.h|dlfcn\.h|cuda|nvrtc|GL/|GLFW/|imgui)[^>]*)>)");
  for (const char* module : {"arch", "ptx", "trace", "emulator", "analysis", "kernel"})
    EXPECT_EQ(included(module, foreign), std::set<std::string>{}) << "in app/" << module;
}

}  // namespace
