#include "clock/register_banks.h"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {

constexpr int kFmas = 256;

/// The FMAs of a pattern of tests/hardware/banks.cu, one after the other.
class Fmas {
 public:
  Fmas(std::string pattern, bool yields) : pattern_(std::move(pattern)), yields_(yields) {}

  sass::Instruction next() {
    const char* letters = pattern_.data() + number_++ * 3 % pattern_.size();
    sass::Instruction in;
    in.opcode = sass::Opcode::FFMA;
    in.pipe = sass::Pipe::Fma;
    in.control.yield = yields_;
    sass::Operand* operands[] = {&in.a, &in.b, &in.c};
    for (int slot = 0; slot < 3; ++slot) *operands[slot] = operand(letters[slot], slot);
    return in;
  }

 private:
  sass::Operand operand(char letter, int slot) {
    const bool is_odd = std::string_view("oyOQ").find(letter) != std::string_view::npos;
    const bool is_second = letter == 'P' || letter == 'Q';
    sass::Operand operand;
    operand.kind = sass::Operand::Kind::Register;
    operand.reuse = std::string_view("EOPQ").find(letter) != std::string_view::npos;
    const int number = letter == 'e' || letter == 'o' ? 12 + another_++ % 50 : slot + 3 * is_second;
    operand.index = static_cast<uint8_t>(2 * number + is_odd);
    return operand;
  }

  std::string pattern_;
  bool yields_;
  size_t number_ = 0;
  int another_ = 0;
};

/// Clocks in which one warp issues them.
int64_t clocks_of(const std::string& pattern, int stall, bool yields) {
  RegisterBanks banks(4);
  Fmas fmas(pattern, yields);
  int64_t now = 0;
  for (int i = 0; i < kFmas; ++i) {
    const sass::Instruction in = fmas.next();
    while (const int64_t wait = banks.read(now, 0, in)) now += wait;
    now += stall;
  }
  return now;
}

TEST(RegisterBanks, TakeWhatWasMeasured) {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) + "/tests/hardware/results/h200_banks.csv");
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string pattern, stall, yields, warps, clocks;
    for (std::string* field : {&pattern, &stall, &yields, &warps, &clocks}) std::getline(fields, *field, ',');
    if (warps != "1") continue;
    constexpr double kLoop = 12;  // The branch, which nothing hides.
    // A warp that yields does not issue in the next clock.
    const int least = yields == "1" ? std::max(std::stoi(stall), 2) : std::stoi(stall);
    EXPECT_NEAR(static_cast<double>(clocks_of(pattern, least, yields == "1")), std::stod(clocks) - kLoop, 0.03 * kFmas)
        << line;
    ++rows;
  }
  EXPECT_EQ(rows, 197);
}

TEST(RegisterBanks, KeepWhatAnotherWarpReadsIntoOtherLatches) {
  const auto after_another = [](const char* others) {
    RegisterBanks banks(4);
    Fmas kept("EOE", false), other(others, false);
    int64_t now = 0, waited = 0;
    for (int i = 0; i < kFmas; ++i) {
      for (Fmas* fmas : {&kept, &other}) {
        const sass::Instruction in = fmas->next();
        const auto warp = static_cast<uint32_t>(fmas == &other);
        while (const int64_t wait = banks.read(now, warp, in)) waited += wait, now += wait;
        ++now;
      }
    }
    return waited;
  };
  EXPECT_EQ(after_another("OEO"), 0);
  EXPECT_GT(after_another("EOE"), kFmas / 2);
}

TEST(RegisterBanks, NothingWaitsWithoutAWindow) {
  RegisterBanks banks(0);
  Fmas fmas("eee", false);
  for (int64_t now = 0; now < 10; ++now) {
    const sass::Instruction in = fmas.next();
    EXPECT_EQ(banks.read(now, 0, in), 0);
  }
}

}  // namespace
}  // namespace tilescope::clock
