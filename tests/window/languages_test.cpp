#include "window/languages.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "window/system.h"

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;

class LanguagesTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "en.toml") << "name = 'English'\n[words]\n'Next' = 'Next'\n";
    std::ofstream(folder_ / "xx.toml") << "name = 'Other'\n[words]\n'Next' = 'Weiter'\n";
  }
  void TearDown() override {
    fs::remove_all(folder_);
    set_language(nullptr);
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) ::unsetenv(name);
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("languages_test." + std::to_string(::getpid()));
};

TEST_F(LanguagesTest, TheChosenOneIsSpokenAndEnglishWhereThereIsNoSuch) {
  const Languages languages(folder_);
  languages.set_language("xx");
  EXPECT_STREQ(tr("Next"), "Weiter");
  for (const char* other : {"en", "yy", ""}) {
    languages.set_language("xx");
    languages.set_language(other);
    EXPECT_STREQ(tr("Next"), "Next") << other;
  }
}

TEST_F(LanguagesTest, TheEnvironmentAsksAsItDoesEverywhere) {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) ::unsetenv(name);
  EXPECT_EQ(environment_language(), "en");
  ::setenv("LANG", "zh_CN.UTF-8", 1);
  EXPECT_EQ(environment_language(), "zh");
  ::setenv("LC_MESSAGES", "de", 1);
  EXPECT_EQ(environment_language(), "de");
  ::setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ(environment_language(), "en");
  ::setenv("LC_ALL", "", 1);
  EXPECT_EQ(environment_language(), "de");
}

}  // namespace
}  // namespace tilescope::window
