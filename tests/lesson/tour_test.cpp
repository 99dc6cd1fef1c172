#include "lesson/tour.h"

#include <gtest/gtest.h>

namespace tilescope::lesson {
namespace {

TEST(Tour, IsReadAsItWasWritten) {
  const Tour tour{{{"Every lane reads a line of its own: \"why?\"", "kernel=1&view=warp&at=54"}, {"内存", "lesson=3.7"}}};
  const Result<Tour> read = parse_tour(to_toml(tour), "a.tour");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, tour);
}

TEST(Tour, AnErrorNamesItsPlace) {
  for (const char* text : {"", "[[stop]]\ntext = \"a\"\n", "[[stop]]\ntext = \"a\"\nlink = \"lesson=1\"\nnote = \"b\"\n", "= 1"}) {
    const Result<Tour> read = parse_tour(text, "a.tour");
    ASSERT_FALSE(read) << text;
    EXPECT_NE(to_string(read.errors()).find("a.tour"), std::string::npos) << text;
  }
}

TEST(Tour, IsKnownByItsEnding) {
  EXPECT_TRUE(is_tour_file("lecture 3.tour"));
  EXPECT_FALSE(is_tour_file("04_shared_tile.toml"));
}

TEST(Tour, IsALinkAsAWhole) {
  const Tour tour{{{"内存 & \"why?\"", "kernel=1&view=warp&at=54"}, {"b", "lesson=3.7"}}};
  const std::string link = "https://example.edu/tilescope/#" + link_of_tour(tour);
  EXPECT_EQ(link.find_first_of("& \"", link.find('#')), link.npos);
  EXPECT_TRUE(is_tour_link(link));
  EXPECT_FALSE(is_tour_link("https://example.edu/#lesson=3.7"));
  const Result<Tour> read = tour_of_link(link);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, tour);
}

TEST(Tour, ALinkThatIsCutSaysSo) {
  const std::string link = link_of_tour({{{"a long enough text of a stop", "lesson=3.7"}}});
  for (const std::string& cut : {link.substr(0, link.size() - 6), std::string("tour="), std::string("tour=%%")}) {
    const Result<Tour> read = tour_of_link(cut);
    ASSERT_FALSE(read) << cut;
    EXPECT_NE(to_string(read.errors()).find("copy all of the link"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilescope::lesson
