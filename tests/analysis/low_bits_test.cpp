#include "analysis/low_bits.h"

#include <gtest/gtest.h>

namespace tilescope::analysis {
namespace {

constexpr LowBits kMultipleOf4{4, 0}, kMultipleOf16{16, 0}, kUnknown{1, 0};

TEST(LowBits, SumsAndProducts) {
  EXPECT_EQ(sum(kMultipleOf16, low_bits_of(4)), (LowBits{16, 4}));
  EXPECT_EQ(sum(kMultipleOf4, low_bits_of(6)), (LowBits{4, 2}));
  EXPECT_EQ(product(kUnknown, low_bits_of(48)), kMultipleOf16);
  EXPECT_EQ(product(kUnknown, low_bits_of(12)), kMultipleOf4);
  EXPECT_EQ(product(LowBits{4, 1}, low_bits_of(4)), (LowBits{16, 4}));
  EXPECT_EQ(product(kMultipleOf4, kMultipleOf4), kMultipleOf16);
}

TEST(LowBits, EveryValueObeysWhatIsSaidOfIt) {
  for (uint32_t modulus : {1u, 2u, 4u, 8u, 16u})
    for (uint32_t residue = 0; residue < modulus; ++residue)
      for (uint32_t value = residue; value < 128; value += modulus)
        for (uint32_t constant = 0; constant < 40; ++constant) {
          const LowBits low{modulus, residue};
          const auto obeys = [](uint32_t actual, LowBits said) { return actual % said.modulus == said.residue; };
          ASSERT_TRUE(obeys(value + constant, sum(low, low_bits_of(constant))));
          ASSERT_TRUE(obeys(value * constant, product(low, low_bits_of(constant))));
          ASSERT_TRUE(obeys(value * value, product(low, low)));
          ASSERT_TRUE(obeys(value & constant, masked(low, constant)));
          ASSERT_TRUE(obeys(value | constant, united(low, low_bits_of(constant))));
          ASSERT_TRUE(obeys(value >> constant % 32, shifted_right(low, constant % 32)));
          ASSERT_TRUE(obeys(value, either(low, low_bits_of(constant))));
          ASSERT_TRUE(obeys(constant, either(low, low_bits_of(constant))));
          ASSERT_TRUE(obeys(value, divisor_only(low)));
        }
}

TEST(LowBits, ValueNotSeenYetGivesWay) {
  EXPECT_EQ(either(kNoneSeen, kMultipleOf4), kMultipleOf4);
  EXPECT_EQ(sum(kNoneSeen, kMultipleOf4), kNoneSeen);
  EXPECT_EQ(divisor_only(kNoneSeen), kNoneSeen);
}

}  // namespace
}  // namespace tilescope::analysis
