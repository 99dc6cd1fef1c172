#include "view/plots/registers_plot.h"

#include <gmock/gmock.h>

#include "picture_checks.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> words_on(float width, float height) {
  const auto traced = traced_of("16", {256, 256, 32}, "64x256x8-3-16");
  return labels_of(registers_plot(*traced, {width, height, &kMeasure, 14}, {}).picture);
}

TEST(RegistersPlot, ShowsWhatComesFromEachBankWhereThereIsRoom) {
  const std::vector<std::string> words = words_on(900, 600);
  EXPECT_THAT(words, testing::IsSupersetOf({"even bank", "odd bank", "kept"}));
  EXPECT_THAT(words, Contains(HasSubstr("FFMA R")));
  EXPECT_THAT(words, Contains(testing::MatchesRegex("R[0-9]+")));
  EXPECT_THAT(words_on(400, 120), Not(Contains("even bank")));
}

}  // namespace
}  // namespace tilescope::view
