#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

/// The machine code of a kernel, as ptxas writes it into a cubin: 128 bits an instruction from sm_70 on.
namespace tilescope::sass {

constexpr uint32_t kInstructionBytes = 16;
constexpr uint8_t kZeroRegister = 255;  ///< RZ reads as zero; what is written to it is lost.
constexpr uint8_t kZeroUniform = 63;    ///< URZ: the same of a uniform register.
constexpr uint8_t kTrue = 7;            ///< PT and UPT are always true.
constexpr uint8_t kNoScoreboard = 7;

/// The unit that executes an instruction. Its scheduler issues to one of them per clock.
enum class Pipe : uint8_t {
  Fma,        ///< FFMA, FMUL, FADD: one warp a clock, in halves of 16 lanes on both sides.
  FmaHeavy,   ///< IMAD and its like: on one half of the FMA pipe.
  Half,       ///< HFMA2, HADD2, HMUL2
  Fp64,       ///< DFMA, DADD, DMUL, DSETP
  Alu,        ///< Integers, logic, comparisons, moves, selections, conversions of packed values.
  Xu,         ///< MUFU, POPC, FLO and conversions between integers and floating-point numbers.
  Tensor,     ///< HMMA, IMMA
  Uniform,    ///< The uniform data path, one lane for the warp.
  Memory,     ///< Queued to the load-store unit: global, shared and local memory, shuffles, mbarriers.
  Constant,   ///< LDC: queued to the cache of constants.
  Special,    ///< S2R, BAR and their like: queued, but to no memory.
  Copy,       ///< TMA: bulk copies.
  WarpGroup,  ///< wgmma: HGMMA and its fences.
  Branch,     ///< Branches, EXIT, convergence barriers.
  None,       ///< NOP, DEPBAR: done by the issue itself.
};

/// What the sources of an instruction are: how they are negated, and how an immediate is printed.
enum class Numbers : uint8_t { Integers, Bits, Floats, Doubles, Halves };

enum class Opcode : uint16_t {
#define SASS(opcode, ...) opcode,
#include "sass/opcode.def"
#undef SASS
  kCount
};

/// What the modifiers of opcodes say. A value is the bits as encoded; what they mean for an opcode is in opcode.def.
enum class Field : uint8_t {
  Size,      ///< Of memory: U8, S8, U16, S16, 32, 64, 128 bits.
  Extended,  ///< .X: adds the carry in. ISETP.EX: goes on with the comparison of the low words.
  Signed,
  Compare,
  Bool,  ///< How a comparison is joined with a predicate: and, or, xor.
  Round,
  Flush,  ///< .FTZ
  Saturate,
  Relu,
  High,
  Wrap,
  Right,
  Type,  ///< Of the operands, by opcode.
  SourceType,
  Mode,
  Scale,
  Nan,
  Wide,  ///< .E of an address: 64 bits.
  Order,
  Scope,
  Evict,
  Bypass,
  Prefetch,
  Stride,  ///< Of an address register: times 1, 4, 8, 16.
  Operation,
  Dimensions,
  Multicast,
  Transpose,
  TransposeA,
  TransposeB,
  NegateA,
  NegateB,
  Shape,
  Defer,
  Divergent,
  All,
  Group,
  ExtendSign,
  IgnoreNtz,
  kCount
};

struct Operand {
  enum class Kind : uint8_t { None, Register, Uniform, Immediate, Constant };
  Kind kind = Kind::None;
  uint8_t index = kZeroRegister;  ///< Of the register; of a constant the register that is added to its offset.
  bool negate = false, absolute = false, invert = false;
  bool reuse = false;               ///< Stays in the operand's cache for the next instruction of the warp.
  uint8_t half = 0;                 ///< Of packed halves: 0 both, 1 .F32, 2 .H0_H0, 3 .H1_H1.
  uint8_t bank = 0;                 ///< Of a constant.
  bool indexed_by_uniform = false;  ///< A constant's `index` is a uniform register; in cx[UR] it is the bank.
  bool bindless = false;            ///< cx[UR][offset]
  int32_t offset = 0;               ///< Of a constant.
  uint32_t bits = 0;                ///< Of an immediate.
  bool is_register() const { return kind == Kind::Register; }
  bool is_uniform() const { return kind == Kind::Uniform; }
};

/// A predicate as source, or as destination.
struct PredicateUse {
  uint8_t index = kTrue;
  bool negate = false;
  bool present = false;
};

/// [R + UR + offset]
struct Address {
  bool present = false;
  uint8_t base = kZeroRegister;
  bool wide = false;         ///< The base is a pair of registers.
  bool has_uniform = false;  ///< UR is there.
  uint8_t uniform = kZeroUniform;
  bool descriptor = false;  ///< UR is a descriptor of memory and not added.
  int32_t offset = 0;
};

/// ptxas's control bits for the scheduler.
struct Control {
  uint8_t stall = 0;                         ///< Clocks until the warp may issue its next instruction.
  bool yield = false;                        ///< Another warp should go first.
  uint8_t write_scoreboard = kNoScoreboard;  ///< Released when the results are there.
  uint8_t read_scoreboard = kNoScoreboard;   ///< Released when the sources have been read.
  uint8_t wait_mask = 0;                     ///< Scoreboards that must be released before the issue.
};

/// One decoded instruction. Which operands an opcode has, and in what order it prints them, is in opcode.def.
struct Instruction {
  uint64_t low = 0, high = 0;  ///< Its bits.
  uint32_t offset = 0;         ///< In bytes from the kernel's start.
  uint32_t architecture = 0;   ///< 90 for sm_90.
  Opcode opcode = Opcode::NOP;
  Pipe pipe = Pipe::None;
  Numbers numbers = Numbers::Integers;
  bool uniform = false;        ///< Executed by the uniform data path: operands and predicates are uniform.
  bool guard_uniform = false;  ///< The guard is a uniform predicate.
  PredicateUse guard;          ///< Not present: always.
  Control control;
  Operand d, a, b, c;
  PredicateUse p0, p1;                      ///< Destinations.
  PredicateUse q0, q1, q2;                  ///< Sources.
  bool q2_uniform = false;                  ///< q2 is a uniform predicate although the instruction is not uniform.
  Address address;                          ///< The memory accessed; of LDGSTS the shared memory written.
  Address from;                             ///< LDGSTS: the global memory read.
  uint32_t immediate0 = 0, immediate1 = 0;  ///< Shift, table, special register, barrier...
  uint32_t target = 0;                      ///< Of a branch or BSSY: offset in bytes from the kernel's start.
  std::array<uint8_t, static_cast<size_t>(Field::kCount)> fields{};

  uint8_t operator[](Field field) const { return fields[static_cast<size_t>(field)]; }
  uint32_t bits(uint32_t position, uint32_t width) const {
    const uint64_t word =
        position >= 64 ? high >> (position - 64) : (low >> position) | (position ? high << (64 - position) : 0);
    return static_cast<uint32_t>(word & ((uint64_t{1} << width) - 1));
  }
};

}  // namespace tilescope::sass
