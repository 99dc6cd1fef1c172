#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sass/instruction.h"

namespace tilescope::clock {

/// The two banks of a scheduler's registers, even and odd: each gives one operand a clock. What an instruction marks
/// for reuse stays with its operand slot until another warp issues.
class RegisterBanks {
 public:
  /// Whether an arithmetic instruction must wait because a bank is behind by more than `slack` clocks.
  bool is_behind(int64_t now, double slack) {
    drain(now);
    return std::max(debt_[0], debt_[1]) > slack;
  }
  /// An instruction of the warp in `warp` reads its operands.
  void read(int64_t now, uint32_t warp, const sass::Instruction& in) {
    if (in.uniform || in.pipe == sass::Pipe::Branch || in.pipe == sass::Pipe::None) return;
    drain(now);
    if (warp_ != warp) {
      warp_ = warp;
      kept_.fill(sass::kZeroRegister);
    }
    const sass::Operand* operands[] = {&in.a, &in.b, &in.c};
    for (size_t i = 0; i < kept_.size(); ++i) {
      const sass::Operand& operand = *operands[i];
      const bool is_register = operand.is_register() && operand.index != sass::kZeroRegister;
      if (is_register && kept_[i] != operand.index) ++debt_[operand.index % 2];
      // The sum of IMAD.WIDE is a pair of registers, one in each bank.
      if (is_register && i == 2 && in.opcode == sass::Opcode::IMAD_WIDE) ++debt_[1 - operand.index % 2];
      kept_[i] = is_register && operand.reuse ? operand.index : sass::kZeroRegister;
    }
  }

  /// The words of a load are written from register `first` on: for so many clocks each, its bank gives no operand.
  void write(int64_t now, const sass::Operand& first, uint32_t words, double clocks) {
    if (!first.is_register()) return;
    drain(now);
    for (uint32_t i = 0; i < words; ++i) debt_[(first.index + i) % 2] += clocks;
  }

 private:
  void drain(int64_t now) {
    for (double& debt : debt_) debt = std::max(0.0, debt - static_cast<double>(now - clock_));
    clock_ = now;
  }

  std::array<double, 2> debt_{};  // Clocks for which each has something to do.
  int64_t clock_ = 0;
  uint32_t warp_ = ~0u;
  std::array<uint8_t, 3> kept_{sass::kZeroRegister, sass::kZeroRegister, sass::kZeroRegister};
};

}  // namespace tilescope::clock
