#include "program/nearby_headers.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace tilescope::program {
namespace {
namespace fs = std::filesystem;

TEST(NearbyHeaders, TheNearestFolderThatHasAHeaderIsFound) {
  const fs::path root = fs::canonical(fs::temp_directory_path()) / ("tilescope-nearby-" + std::to_string(::getpid()));
  fs::create_directories(root / "samples/one/own");
  fs::create_directories(root / "common/inc");
  fs::create_directories(root / "deep/er/common/inc");
  for (const char* file :
       {"samples/one/beside.h", "samples/one/own/below.h", "common/inc/helper.h", "deep/er/common/inc/helper.h"})
    std::ofstream(root / file) << "\n";
  const std::string text =
      "#include <cstdio>\n#include \"beside.h\"\n#include <below.h>\n  #include \"inc/helper.h\"\n#include <none.h>\n";
  const auto found = nearby_headers(text, root / "samples/one", {});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "below.h");
  EXPECT_EQ(found[0].folder, root / "samples/one/own");
  EXPECT_EQ(found[1].name, "inc/helper.h");
  EXPECT_EQ(found[1].folder, root / "common");
  EXPECT_EQ(nearby_headers(text, root / "samples/one", {root / "common"}).size(), 1U);
  const fs::path before = fs::current_path();
  fs::current_path(root / "samples/one");
  EXPECT_EQ(nearby_headers(text, "", {}).size(), 2U) << "a source that is named without its folder";
  fs::current_path(before);
  fs::remove_all(root);
}

}  // namespace
}  // namespace tilescope::program
