#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

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

TEST(Architecture, IncludesStayInsideTheTable) {
  static const std::regex own(R"(#include "([a-z_]+)/)");
  const Modules modules = documented();
  ASSERT_FALSE(modules.empty());
  for (const auto& [module, allowed] : modules)
    for (const std::string& other : included(module, own))
      EXPECT_TRUE(allowed.contains(other)) << module << " includes " << other;
}

TEST(Architecture, TheEngineHasNoThreadsClockOrGraphics) {
  static const std::regex foreign(
      R"(#include <((?:thread|mutex|condition_variable|future|chrono|ctime|time\.h|dlfcn\.h|cuda|nvrtc|GL/|GLFW/|imgui)[^>]*)>)");
  for (const char* module : {"arch", "ptx", "trace", "emulator", "analysis", "kernel"})
    EXPECT_EQ(included(module, foreign), std::set<std::string>{}) << "in app/" << module;
}

}  // namespace
