#include "ui/made.h"

#include <new>

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(Made, AgainOnlyForAnotherKeyOrInAnotherLanguage) {
  Made<int, int> made;
  int times = 0;
  const auto make = [&] { return ++times; };
  EXPECT_EQ(made.get(0, make), 1) << "also for a key that looks like none";
  EXPECT_EQ(made.get(0, make), 1);
  EXPECT_EQ(made.get(7, make), 2);
  EXPECT_EQ(made.get(0, make), 3) << "only the last one is kept";
  set_language(nullptr);
  EXPECT_EQ(made.get(0, [&] { return 10 * ++times + made.last(); }), 40)
      << "what was made before is in the old language";
  EXPECT_EQ(made.get(0, make), 40);
}

TEST(Identity, IsOfTheOwnerAndNotOfTheAddress) {
  alignas(int) unsigned char place[sizeof(int)];
  const auto at_place = [&](int value) {
    return std::shared_ptr<const int>(new (place) int(value), [](const int*) {});
  };
  auto first = at_place(1);
  const auto copy = first;
  const Identity<int> kept(first);
  EXPECT_EQ(kept, Identity<int>(copy));
  EXPECT_NE(kept, Identity<int>());
  first = at_place(1);
  ASSERT_EQ(first.get(), copy.get());
  EXPECT_NE(kept, Identity<int>(first)) << "a new value where the old one lay";
}

TEST(Identity, KeepsNothingAlive) {
  auto value = std::make_shared<const int>(3);
  const std::weak_ptr<const int> watched = value;
  const Identity<int> kept(value);
  value.reset();
  EXPECT_TRUE(watched.expired());
  EXPECT_NE(kept, Identity<int>()) << "what is gone is still not the same as nothing";
}

}  // namespace
}  // namespace tilescope::ui
