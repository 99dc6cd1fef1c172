#include "view/label_placer.h"

#include <gmock/gmock.h>

#include "picture_checks.h"

namespace tilescope::view {
namespace {
using testing::IsEmpty;
using testing::SizeIs;

Picture with_words_at(std::initializer_list<float> heights) {
  Picture picture;
  for (const float y : heights) picture.add(Label{{0, y}, "words", {}, Font::Text, 12});
  return picture;
}

TEST(PartsBesideLabels, AreTheRestOfTheLine) {
  EXPECT_THAT(parts_beside_labels({5, 0}, {5, 100}, Picture(), kMeasure), SizeIs(1));
  EXPECT_THAT(parts_beside_labels({5, 0}, {5, 100}, with_words_at({40}), kMeasure), SizeIs(2));
  EXPECT_THAT(parts_beside_labels({5, 0}, {5, 6}, Picture(), kMeasure), SizeIs(1)) << "it is short as a whole";
}

TEST(PartsBesideLabels, SpecksBetweenWordsAreNone) {
  EXPECT_THAT(parts_beside_labels({5, 0}, {5, 45}, with_words_at({6, 25}), kMeasure), IsEmpty());
}

}  // namespace
}  // namespace tilescope::view
