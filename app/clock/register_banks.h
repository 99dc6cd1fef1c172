#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "sass/instruction.h"

namespace tilescope::clock {

/// The two banks of a scheduler's registers, even and odd, each of which reads one register a clock. What is read goes
/// to the latch of its operand slot and bank, where it stays for the warp's next instruction with that operand if it is
/// marked for reuse and nothing else has come there. An arithmetic instruction reads within `window` clocks, and a
/// latch is free when the instruction that has used it has had its own. Measured: tests/hardware/banks.cu, 197 loops of
/// FMAs within 0.03 clocks an instruction.
class RegisterBanks {
 public:
  explicit RegisterBanks(int64_t window = 0) : window_(window) {}

  /// An instruction of the warp in `warp` reads its operands, or must wait for that many clocks until it can.
  int64_t read(int64_t now, uint32_t warp, const sass::Instruction& in) {
    if (in.uniform || in.pipe == sass::Pipe::Branch || in.pipe == sass::Pipe::None) return 0;
    const Reads reads = reads_of(now, warp, in);
    const bool in_step = reads_in_step(in);
    if (in_step && window_ > 0 && !reads.in_time) {
      int64_t clocks = 1;
      while (!reads_of(now + clocks, warp, in).in_time) ++clocks;
      return clocks;
    }
    ports_ = reads.ports;
    clock_ = now;
    if (in_step)
      for_each_operand(in, [&](size_t slot, const sass::Operand& operand, uint8_t index) {
        latches_[slot][index % 2] = {warp, index, operand.reuse && !in.control.yield, now + window_};
      });
    return 0;
  }

 private:
  struct Latch {
    uint32_t warp = ~0u;
    uint8_t index = sass::kZeroRegister;
    bool is_kept = false;
    int64_t free_from = 0;
  };
  struct Reads {
    std::array<uint64_t, 2> ports;  ///< A bit for each clock from that of the instruction on in which a bank reads.
    bool in_time = true;
  };

  static bool reads_in_step(const sass::Instruction& in) {
    return in.pipe == sass::Pipe::Fma || in.pipe == sass::Pipe::FmaHeavy || in.pipe == sass::Pipe::Alu;
  }

  template <typename Visit>
  static void for_each_operand(const sass::Instruction& in, const Visit& visit) {
    const sass::Operand* operands[] = {&in.a, &in.b, &in.c};
    for (size_t slot = 0; slot < std::size(operands); ++slot) {
      const sass::Operand& operand = *operands[slot];
      if (!operand.is_register() || operand.index == sass::kZeroRegister) continue;
      visit(slot, operand, operand.index);
      // The sum of IMAD.WIDE is a pair of registers, one in each bank.
      if (slot == 2 && in.opcode == sass::Opcode::IMAD_WIDE) visit(slot, operand, operand.index ^ 1);
    }
  }

  /// Those that it needs if it is dispatched at `clock`, each as early as its latch is free.
  Reads reads_of(int64_t clock, uint32_t warp, const sass::Instruction& in) const {
    const int64_t passed = clock - clock_;
    const bool in_step = reads_in_step(in);
    Reads reads;
    for (size_t bank = 0; bank < ports_.size(); ++bank) reads.ports[bank] = passed < 64 ? ports_[bank] >> passed : 0;
    for_each_operand(in, [&](size_t slot, const sass::Operand&, uint8_t index) {
      const Latch& latch = latches_[slot][index % 2];
      if (in_step && latch.is_kept && latch.warp == warp && latch.index == index) return;
      uint64_t& port = reads.ports[index % 2];
      const int64_t from = in_step ? std::max<int64_t>(latch.free_from - clock, 0) : 0;
      const int64_t at = from + std::countr_one(port >> from);
      if (at < 64) port |= uint64_t{1} << at;
      if (at >= window_) reads.in_time = false;
    });
    return reads;
  }

  int64_t window_;
  std::array<std::array<Latch, 2>, 3> latches_;  ///< By operand slot and bank.
  std::array<uint64_t, 2> ports_{};
  int64_t clock_ = 0;  ///< From which the ports' bits count.
};

}  // namespace tilescope::clock
