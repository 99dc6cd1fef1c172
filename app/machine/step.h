#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "sass/cubin.h"

namespace tilescope::machine {

struct Step;
/// Does one instruction for the lanes in `mask` of a warp.
using Handler = void (*)(Warp&, const Step&, uint32_t mask);

/// What the warp does with an instruction besides running its handler.
enum class Flow : uint8_t {
  Next,
  Branch,
  BranchDivergent,
  BranchIndexed,
  Call,
  Return,
  Sync,
  SetSync,
  BreakSync,
  WarpSync,
  Barrier,
  ClusterWait,
  GroupSync,  ///< The four warps of a group go on together.
  Exit,
  Yield
};

constexpr uint32_t kConstantRow = 0x80000000;  ///< Of a row: it is one of the launch's constants.
// Predicates 0 to 7 are P0 to PT, 8 to 15 UP0 to UPT, each a mask of lanes.
constexpr uint32_t kUniformPredicates = 8, kLostPredicate = 16, kPredicates = 17;

/// A source of an instruction: its row, and the row above it where it is a pair. A row is 32 lanes of 32 bits. Its
/// lanes are and-ed with `keep` and xor-ed with `flip`, which takes absolute values and negates.
struct Source {
  uint32_t row = 0, high = 0;
  uint32_t keep = ~0u, flip = 0;
};

/// One instruction, bound to the rows of the warp's registers.
struct Step {
  Handler run = nullptr;
  const sass::Instruction* in = nullptr;
  Flow flow = Flow::Next;
  bool whole = false;  ///< Of the uniform data path: it is done for all lanes.
  bool plain = false;  ///< No source is changed by `keep` or `flip`.
  uint8_t guard = 7;
  uint32_t guard_flip = 0;
  uint32_t d = 0, d_high = 0;  ///< Rows written.
  Source a, b, c;
  uint8_t p0 = kLostPredicate, p1 = kLostPredicate;
  uint8_t q0 = 7, q1 = 7, q2 = 7;
  uint32_t q0_flip = 0, q1_flip = 0, q2_flip = 0;
  uint32_t value0 = 0, value1 = 0;  ///< By handler: a shift, a table, an offset.
  uint32_t target = 0;              ///< pc
  bool polls = false;               ///< A branch back to read again what another block is to write.
  bool needed = true;               ///< Where a warp goes or which memory it accesses depends on what it writes.
  bool only_computes = false;       ///< It does nothing but write its results.
  uint32_t passable = 0;            ///< Steps from here on that a block may pass(), one behind the other.
  uint8_t bytes = 0;                ///< Memory, per lane.
  Space space = Space::None;
  AccessKind kind = AccessKind::Load;
};

/// Field::Order of UBLKCP.
constexpr uint8_t kCopyToShared = 2, kCopyToGlobal = 4;

struct Program::Impl {
  std::string entry;
  std::vector<sass::Instruction> code;
  std::vector<Step> steps;
  bool polls = false;  ///< Some of them do.
  bool needs_contents = true;
  bool changes_contents = true;
  bool needs_updates = false;
  uint32_t registers = 0;  ///< Rows of registers; RZ's row is this one.
  uint32_t static_shared = 0, reserved_shared = 0, local = 0;
  uint32_t parameter_offset = 0, parameter_bytes = 0;  ///< In constant bank 0.
  std::vector<sass::Parameter> parameters;
  uint32_t architecture = 0;                 ///< 90
  std::vector<std::vector<uint8_t>> banks;   ///< Constants of the cubin, by bank; 0 is the launch's,
  std::vector<sass::VariableUse> variables;  ///< as are these.

  // Rows behind the registers: zero, what is written to RZ, uniform registers.
  uint32_t zero_row() const { return registers; }
  uint32_t lost_row() const { return registers + 1; }  ///< Four of them, for wide results.
  uint32_t uniform_row(uint32_t index) const {
    return index == sass::kZeroUniform ? zero_row() : registers + 5 + index;
  }
  uint32_t rows() const { return registers + 5 + 63; }

  /// Rows of 32 equal lanes that the launch fills: immediates and constants at fixed places.
  struct Constant {
    bool immediate = true;
    uint32_t bits = 0;  ///< Of an immediate.
    uint8_t bank = 0;
    uint32_t offset = 0;
    bool operator==(const Constant&) const = default;
  };
  std::vector<Constant> constants;
};

/// Sets Step::needed and what follows from it.
void find_needed(Program::Impl& program);

/// Handlers for one instruction set: lane arithmetic compiled for it. Null where the opcode has none.
Handler select_baseline(const Step& step);
Handler select_avx2(const Step& step);
Handler select_avx512(const Step& step);
/// Those whose lanes depend on one another, or that access memory.
Handler select_general(const Step& step);

}  // namespace tilescope::machine
