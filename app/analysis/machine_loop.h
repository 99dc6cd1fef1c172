#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/machine_code.h"

/// The main loop of a kernel in ptxas's code: the registers that its FMAs read, and their banks.
namespace tilescope::analysis {

constexpr uint8_t kNoRegister = 255;  ///< RZ, which reads as zero and is in no bank, or no register at all.

/// A machine instruction's facts for the register file.
struct MachineInstruction {
  MachineKind kind = MachineKind::Other;
  // Of an FFMA with three registers, a * b + c:
  std::string text = {};                                                      ///< "FFMA R24, R120.reuse, R89, R24"
  std::array<uint8_t, 3> operands = {kNoRegister, kNoRegister, kNoRegister};  ///< a, b, c
  std::array<bool, 3> reuse = {};     ///< Stays in the operand's reuse slot for the next FMA.
  std::array<bool, 3> reused = {};    ///< Already there, so that no bank is read.
  std::array<uint8_t, 2> reads = {};  ///< From the even bank and the odd one.

  bool conflict() const { return reads[0] > 1 || reads[1] > 1; }
};

/// The innermost loop with the most FMAs.
struct MachineLoop {
  std::vector<MachineInstruction> instructions;
  uint32_t fmas = 0;
  uint32_t conflicts = 0;  ///< FMAs that read two or three registers of one bank.
  std::array<uint32_t, 3> shared_loads = {};  ///< LDS of at most 4, of 8 and of 16 bytes per lane.
  uint32_t reads = 0;      ///< Registers that FMAs read from the banks.
  double fma_clocks = 0;   ///< Share of the clocks in which an FMA issues, by issue_clocks().

  double fma_share() const { return fmas / static_cast<double>(instructions.size()); }  ///< Of the instructions.
};

/// The machine code of the main loop of that kernel in a cubin for sm_70 to sm_90: from the target of the backward
/// branch on. Empty if the kernel has no loop with FMAs.
std::span<const uint8_t> main_loop_code(std::span<const uint8_t> cubin, std::string_view entry);

/// Facts of each instruction, without the FMAs' reuse and reads.
std::vector<MachineInstruction> read_instructions(std::span<const sass::Instruction> code);

/// Clocks of waiting for the banks that are hidden.
constexpr double kBankSlack = 1;

/// Clocks in which a scheduler issues the instructions of a loop, in a turn that follows another: one instruction per
/// clock; each bank delivers one operand per clock, and one clock of waiting for the banks is hidden. Fills in what
/// FMAs reuse and read. Measured on an H200: FMAs that read twice from the even bank and twice from the odd one in turn
/// issue every clock, four and four in turn every 1.75 clocks (docs/time.md).
double issue_clocks(std::span<MachineInstruction> instructions);

/// Reads what main_loop_code() found. An SM's register file has an even and an odd bank, and each delivers one operand
/// per clock. Nullopt without instructions.
std::optional<MachineLoop> read_main_loop(std::span<const uint8_t> code);

}  // namespace tilescope::analysis
