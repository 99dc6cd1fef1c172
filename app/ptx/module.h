#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"

/// A PTX module as written: no register is allocated, nothing is lowered. Terms are those of the PTX ISA document.
namespace tilescope::ptx {

// clang-format off
enum class Type : uint8_t {
  None, Pred, B8, B16, B32, B64, B128, U8, U16, U32, U64, S8, S16, S32, S64, U16x2, S16x2,
  F16, F16x2, BF16, BF16x2, TF32, F32, F64
};
enum class Op : uint16_t {
#define PTX_OP(id, ...) id,
#include "ptx/opcode.def"
#undef PTX_OP
};
/// The class of an opcode: a column of opcode.def.
enum class OpClass : uint8_t {
  Arithmetic, MultiplyAdd,
  MatrixMultiply,  ///< A warp's: mma.
  Bits, Compare, Select, Convert, Move, Address,
  Load, Store, Atomic, Prefetch, AsyncCopy,
  BulkCopy,  ///< Issued by one thread: cp.async.bulk and its tensor form.
  CopyGroup,
  Exchange,  ///< Between the lanes of a member mask: shuffles, votes, matches.
  WarpBarrier, Barrier, BarrierArrive, ClusterWait, Mbarrier, MbarrierWait, Fence,
  Branch, Call, Exit, Trap,
  Pause,     ///< nanosleep
  Other
};
/// Order of the comparisons: the ordered ones, the unordered ones, then num and nan; lo ls hi hs are lt le gt ge on unsigned.
enum class Compare : uint8_t { None, Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };
enum class Combine : uint8_t { None, And, Or, Xor };                 ///< The boolean of setp/set with a third source.
enum class Rounding : uint8_t { None, Rn, Rz, Rm, Rp, Rna, Rni, Rzi, Rmi, Rpi };
enum class Part : uint8_t { None, Lo, Hi, Wide };                    ///< mul, mad
enum class AtomicOp : uint8_t { None, Add, Min, Max, Inc, Dec, And, Or, Xor, Exch, Cas, Popc };  ///< Popc: bar.red only.
enum class ShuffleMode : uint8_t { None, Up, Down, Bfly, Idx };
enum class VoteMode : uint8_t { None, All, Any, Uni, Ballot };
enum class PermuteMode : uint8_t { None, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
enum class ShiftMode : uint8_t { None, Wrap, Clamp };                ///< shf, bmsk, szext
enum class Direction : uint8_t { None, Left, Right };                ///< shf
enum class TestMode : uint8_t { None, Finite, Infinite, Number, NotANumber, Normal, Subnormal };
// clang-format on

std::string_view to_string(Type type);  ///< "f32"; without the dot.
OpClass class_of(Op op);
std::string_view mnemonic(Op op);  ///< "mad", "bar.sync"; without modifiers.
/// Bytes a value of this type takes in memory; Pred and None take 0.
uint32_t size_of(Type type);
bool is_float(Type type);
bool is_signed(Type type);

/// The special registers that can be an operand.
enum class Special : uint8_t {
  Tid,
  Ntid,
  Ctaid,
  Nctaid,
  ClusterCtaid,
  ClusterNctaid,
  Clusterid,
  Nclusterid,
  Laneid,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  Clock,
  Clock64,
  Globaltimer,
  LanemaskEq,
  LanemaskLt,
  LanemaskLe,
  LanemaskGt,
  LanemaskGe,
  DynamicSmemSize,
  TotalSmemSize,
  ClockHi,
  GlobaltimerLo,
  GlobaltimerHi,
  Envreg1,
  Envreg2,
  ReservedSmemOffset1,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster
};

/// One operand as written.
struct Operand {
  enum class Kind : uint8_t {
    Register,   ///< `index` into Function::registers; `negated` for !%p.
    Immediate,  ///< `bits`: an integer cut to the operand's width and sign-extended to 64 bits, or the float's bits.
    Special,    ///< `special`, and `component` 0..2 for .x .y .z.
    Address,    ///< [base + offset]: base is a register (`index`), a variable (`variable`), or neither (-1, -1). Of a
                ///< tensor map with coordinates, [base, {c0, c1}], which are `elements`.
    Variable,   ///< The address of a variable plus `offset` as a value: mov.u32 %r1, As. In a call's lists: the
                ///< variable.
    Label,      ///< `index`: the instruction after it; the number of instructions if it is at the end.
    LabelList,  ///< brx.idx: `index` into Function::branch_targets.
    Function,   ///< `index` into Module::functions. As a value it is function_address().
    Prototype,  ///< Of a call through a register: `index` into Function::prototypes.
    Vector,     ///< {a, b, ...}: `elements`. Also the parameter lists of a call.
    Sink,       ///< _
  };
  Kind kind = Kind::Sink;
  bool negated = false;
  Special special = Special::Tid;
  uint8_t component = 0;
  int32_t index = -1;
  int32_t variable = -1;  ///< Variables of the function first, then of the module: see Function::variable().
  int64_t offset = 0;
  uint64_t bits = 0;
  std::vector<Operand> elements;
  bool operator==(const Operand&) const = default;
};

/// A place in the CUDA source, from .loc.
struct SourceLine {
  int32_t file = -1;  ///< Index into Module::files; -1 for none.
  int32_t line = 0;   ///< 0 for none.
  int32_t column = 0;
  auto operator<=>(const SourceLine&) const = default;
};

/// What an mma multiplies: D (m x n) = A (m x k) * B (k x n) + C (m x n).
struct MatrixShape {
  uint16_t m = 0, n = 0, k = 0;
  bool operator==(const MatrixShape&) const = default;
};

/// One instruction. Fields that its opcode does not use keep their defaults.
struct Instruction {
  Op op{};
  Type type = Type::None;         ///< Its type. cvt, set, slct: the destination's.
  Type source_type = Type::None;  ///< cvt, set, slct, mbarrier: the second type, if any. mma: A's.
  Type factor_type = Type::None;  ///< mma: B's.
  Type addend_type = Type::None;  ///< mma: C's; D's is `type`.
  MatrixShape shape;              ///< mma, wmma
  Space space = Space::None;      ///< ld/st without a space: Generic. cp.async: the destination's.
  Compare compare = Compare::None;
  Combine combine = Combine::None;
  Rounding rounding = Rounding::None;
  Part part = Part::None;
  AtomicOp atomic = AtomicOp::None;
  ShuffleMode shuffle = ShuffleMode::None;
  VoteMode vote = VoteMode::None;
  PermuteMode permute = PermuteMode::None;
  ShiftMode shift = ShiftMode::None;
  Direction direction = Direction::None;
  TestMode test = TestMode::None;
  uint8_t vector = 1;  ///< 2 or 4 for .v2 and .v4; ldmatrix, stmatrix: the number of matrices.
  bool ftz = false, sat = false, approx = false, full = false, uniform = false, to_space = false, carry = false,
       aligned = false, is_volatile = false, non_coherent = false, relu = false, nan = false, xorsign = false,
       trans = false, no_complete = false, parity = false, no_inc = false, expect_tx = false, shift_amount = false,
       sat_finite = false, cache_hint = false, bulk_group = false, multicast = false, read_only = false,
       raises_registers = false, column_major = false;
  uint8_t dimensions = 0;          ///< cp.async.bulk.tensor: 1 to 5.
  uint64_t modifier_families = 0;  ///< The families (opcode_table.h) of its modifiers.
  int32_t guard = -1;              ///< Predicate register of @%p; -1 for none.
  bool guard_negated = false;
  std::vector<Operand> operands;  ///< As written, destination first. setp p|q: p, q. Optional ones absent.
  std::string modifiers;          ///< As written, ".sync.aligned.m8n8.x4"; the printer writes it again.
  int32_t line = 0, column = 0;   ///< Place in the PTX text, from 1.
  SourceLine source;              ///< Innermost CUDA line.
  SourceLine inlined_at;          ///< Where the code was inlined; file -1 if it was not.
  /// For code inlined or called at any depth: the innermost call site that is in the kernel's own file. Else file -1.
  SourceLine called_from;
  bool operator==(const Instruction&) const = default;
};

struct Register {
  std::string name;  ///< "%f12"
  Type type = Type::None;
  bool operator==(const Register&) const = default;
};

/// The address of a module variable or a function in the initial value of a variable.
struct AddressInitial {
  uint64_t offset = 0;    ///< In bytes, from the start of the variable that holds it.
  int32_t variable = -1;  ///< Index into Module::variables; -1: of a function.
  int64_t addend = 0;
  bool generic = false;   ///< generic(name): the generic address, not the one in the variable's own space.
  int32_t function = -1;  ///< Index into Module::functions.
  bool operator==(const AddressInitial&) const = default;
};

/// A variable or parameter with an address.
struct Variable {
  std::string name;
  Space space = Space::None;
  Type type = Type::None;
  uint64_t bytes = 0;  ///< 0 for an extern array of unknown extent (dynamic shared memory).
  uint32_t align = 1;
  bool is_extern = false;
  std::vector<uint8_t> initial;                   ///< The first bytes; the rest are zeros.
  std::vector<AddressInitial> initial_addresses;  ///< Addresses in it: 8 bytes each.
  int32_t line = 0;
  bool operator==(const Variable&) const = default;
};

/// What a function called through a register takes and gives.
struct Prototype {
  std::vector<Variable> parameters, returns;
  bool operator==(const Prototype&) const = default;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;
  std::vector<Variable> parameters;  ///< Of an entry: its arguments, in order.
  std::vector<Variable> returns;
  std::vector<Register> registers;  ///< The used ones, in the order of first use; names are unique.
  std::vector<Variable> variables;  ///< .shared, .local and .param declared inside.
  std::vector<Instruction> instructions;
  std::vector<std::vector<int32_t>> branch_targets;
  std::vector<Prototype> prototypes;
  std::array<uint32_t, 3> max_threads{};       ///< .maxntid; 0 for none.
  std::array<uint32_t, 3> required_threads{};  ///< .reqntid
  std::array<uint32_t, 3> cluster{};           ///< .reqnctapercluster: blocks; 0 for none.
  uint32_t min_blocks = 0;                     ///< .minnctapersm; 0 for none.
  uint32_t max_registers = 0;                  ///< .maxnreg; 0 for none.
  bool no_return = false;                      ///< .noreturn
  int32_t alias_of = -1;                       ///< .alias: the function that a call of this one really calls.
  uint64_t address = 0;                        ///< That its machine code has; 0 for none. See function_address().
  int32_t line = 0;
  bool operator==(const Function&) const = default;
};

struct Module {
  std::string version;              ///< "9.0"
  std::string target;               ///< "sm_90"
  std::vector<std::string> files;   ///< .file names; index 0 is .file 1.
  std::vector<Variable> variables;  ///< Module scope: .global, .const, .shared
  std::vector<Function> functions;
  std::string file_name;           ///< As given to parse(): the file that diagnostics name.
  std::vector<std::string> lines;  ///< The text, for carets and for showing.
  bool operator==(const Module&) const = default;
};

/// The variable that an index in an operand of `function` means: its variables, then its parameters, then its returns,
/// then the module's variables.
const Variable& variable_of(const Module& module, const Function& function, int32_t index);
/// What a pointer to the function holds: no address of memory, and none of another function.
uint64_t function_address(const Module& module, int32_t function);
/// The function that a call of this one really calls.
size_t follow_aliases(const Module& module, size_t function);

/// Reads and verifies a module. All diagnostics have line, column and caret; those of verify() come only if the text
/// could be read. On success there may be warnings in `warnings`. Never throws; input of any bytes is fine, up to 64
/// MiB.
Result<Module> parse(std::string_view text, std::string file_name, Diagnostics* warnings = nullptr);

/// Checks operand counts, kinds and types, labels, and opcodes against the table. Empty if all are valid.
Diagnostics verify(const Module& module);

/// The instruction as text. A label is "$L_" and the number of its instruction; a list of targets "$L_targets_" and a
/// prototype "$L_prototype_" with its index in the function.
std::string print(const Module& module, const Function& function, const Instruction& instruction);

/// The entry of that name with every call to a function of the module replaced by the callee's instructions, so that
/// its instruction list is flat and an index into it (a pc) is a place in the program. An empty name: the only entry.
/// A call through a register becomes a comparison with each function whose address the module takes and that has the
/// call's prototype, and a trap. Calls to vprintf, __assertfail, malloc and free stay. A ret ends the list if control
/// could run off its end.
/// Errors: no such entry (the nearest name is suggested), recursion, a call to a function without a body.
Result<Function> flatten(const Module& module, std::string_view entry);

}  // namespace tilescope::ptx
