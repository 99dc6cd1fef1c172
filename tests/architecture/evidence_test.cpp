#include <regex>

#include <gtest/gtest.h>

#include "architecture/source_tree.h"

namespace {
namespace fs = std::filesystem;

TEST(Evidence, ListsEveryMeasurementOfAGpu) {
  const std::string index = content(kRoot / "docs/evidence.md");
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("h200_")) {
      EXPECT_NE(index.find(name), std::string::npos) << entry.path();
    }
  }
}

// Comments and documents name files of measurements; a file that moves takes its mentions along.
TEST(Evidence, FilesNamedInSourcesAndDocumentsExist) {
  static const std::regex path(R"((tests|assets|docs|kernels)/[a-z0-9_/]+\.(csv|txt|md))");
  for (const char* folder : {"app", "docs", "kernels", "scripts", "tests/hardware"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (!entry.is_regular_file() || entry.path().extension() == ".png") continue;
      const std::string text = content(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), path), end; it != end; ++it)
        EXPECT_TRUE(fs::exists(kRoot / it->str())) << entry.path() << " names " << it->str();
    }
}

}  // namespace
