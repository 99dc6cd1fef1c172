#include "agent/counters.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope::agent {
namespace {
using protocol::CounterValue;
using testing::ElementsAre;
using testing::HasSubstr;

/// Reads counters of a launch that records the calls, in order.
class Counters : public testing::Test {
 protected:
  void SetUp() override { ::setenv("TILESCOPE_CUPTI", TILESCOPE_BINARY_DIR "/tests/libfake_cupti.so", 1); }
  ~Counters() override {
    ::unsetenv("TILESCOPE_CUPTI");
    ::unsetenv("FAKE_CUPTI");
  }

  Result<std::vector<CounterValue>> read(const char* mode = "") {
    ::setenv("FAKE_CUPTI", mode, 1);
    return read_counters(nullptr, 0, {"has_requests", "not_on_this_chip", "has_sectors"},
                         {[this] { done_ += "prepare "; }, [this] { done_ += "launch "; }});
  }
  std::string why(const char* mode) {
    const Result<std::vector<CounterValue>> counters = read(mode);
    return counters ? "read" : text_of(counters.errors().front());
  }

  std::string done_;
};

TEST_F(Counters, OfALaunchAreReadInAsManyPassesAsTheyNeed) {
  const Result<std::vector<CounterValue>> counters = read();
  ASSERT_TRUE(counters) << text_of(counters.errors().front());
  EXPECT_THAT(*counters, ElementsAre(CounterValue{"has_requests", 2}, CounterValue{"has_sectors", 4}))
      << "what the chip lacks is left out";
  EXPECT_EQ(done_, "prepare launch prepare launch ");
}

TEST_F(Counters, WithoutPermissionTheSettingIsNamed) {
  EXPECT_EQ(why("privileges"),
            "The NVIDIA driver lets administrators alone read hardware counters. Run the agent as root, or have the "
            "driver loaded with NVreg_RestrictProfilingToAdminUsers=0: a line \"options nvidia "
            "NVreg_RestrictProfilingToAdminUsers=0\" in /etc/modprobe.d, then a restart.");
  EXPECT_EQ(done_, "") << "nothing is launched in vain";
}

TEST_F(Counters, AnotherProfilersCountersAreLeftToIt) {
  EXPECT_THAT(why("busy"), HasSubstr("Another program has the GPU's hardware counters."));
}

TEST_F(Counters, PassesThatDoNotEndAreGivenUp) {
  EXPECT_EQ(why("endless"),
            "Hardware counters cannot be read: CUPTI failed at ending the last pass with CUPTI_ERROR_UNKNOWN.");
}

TEST_F(Counters, WithoutTheLibraryItsNameIsTold) {
  ::setenv("TILESCOPE_CUPTI", "/nonexistent/libcupti.so", 1);
  EXPECT_THAT(why(""), HasSubstr("No CUPTI"));
}

}  // namespace
}  // namespace tilescope::agent
