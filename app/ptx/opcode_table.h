#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "ptx/module.h"

/// opcode.def as data. A new instruction is a row there, and here any new modifier word or operand kind.
namespace tilescope::ptx {

/// A set of types.
struct TypeSet {
  uint32_t bits = 0;
  constexpr TypeSet() = default;
  constexpr explicit TypeSet(uint32_t value) : bits(value) {}
  constexpr TypeSet(std::initializer_list<Type> types) {
    for (Type type : types) bits |= uint32_t{1} << static_cast<unsigned>(type);
  }
  constexpr bool has(Type type) const { return bits >> static_cast<unsigned>(type) & 1; }
  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) { return TypeSet(a.bits | b.bits); }
};

// clang-format off
inline constexpr TypeSet kNoType{};
inline constexpr TypeSet kPred{Type::Pred};
inline constexpr TypeSet kBits8{Type::B8}, kBits16{Type::B16}, kBits32{Type::B32}, kBits64{Type::B64}, kBits128{Type::B128};
inline constexpr TypeSet kBits = kBits16 | kBits32 | kBits64;
inline constexpr TypeSet kUnsigned32{Type::U32}, kSigned32{Type::S32};
inline constexpr TypeSet kInt8{Type::U8, Type::S8};
inline constexpr TypeSet kInt32{Type::U32, Type::S32}, kInt64{Type::U64, Type::S64};
inline constexpr TypeSet kInt = TypeSet{Type::U16, Type::S16} | kInt32 | kInt64;
inline constexpr TypeSet kSigned{Type::S16, Type::S32, Type::S64};
inline constexpr TypeSet kFloat32{Type::F32}, kFloat64{Type::F64};
inline constexpr TypeSet kFloat = kFloat32 | kFloat64;
inline constexpr TypeSet kPairs{Type::U16x2, Type::S16x2};
inline constexpr TypeSet kHalf{Type::F16, Type::F16x2, Type::BF16, Type::BF16x2};
/// Types of ld and st.
inline constexpr TypeSet kMemory = kBits8 | kBits | kBits128 | kInt8 | kInt | kFloat;
/// Types of cvt.
inline constexpr TypeSet kConvertible = kInt8 | kInt | kFloat | kHalf | TypeSet{Type::TF32};

/// Types of wmma's factors, and of its sums.
inline constexpr TypeSet kFactor = kInt8 | TypeSet{Type::F16, Type::BF16, Type::TF32, Type::F64};
inline constexpr TypeSet kSum{Type::F16, Type::F32, Type::F64, Type::S32};

/// Families of modifier words; a bit each. The words of a family are in opcode_table.cpp.
using ModifierSet = uint64_t;
enum Modifier : ModifierSet {
  kNone        = 0,
  kFtz         = 1ull << 0,   kSat         = 1ull << 1,   kRound       = 1ull << 2,   kCarryOut    = 1ull << 3,
  kPart        = 1ull << 4,   kRelu        = 1ull << 5,   kApprox      = 1ull << 6,   kFull        = 1ull << 7,
  kNan         = 1ull << 8,   kXorsign     = 1ull << 9,   kShiftAmount = 1ull << 10,  kShiftMode   = 1ull << 11,
  kType2       = 1ull << 12,  kTest        = 1ull << 13,  kCompare     = 1ull << 14,  kCombine     = 1ull << 15,
  kDirection   = 1ull << 16,  kPermute     = 1ull << 17,  kSpace       = 1ull << 18,  kToSpace     = 1ull << 19,
  kVector      = 1ull << 20,  kCache       = 1ull << 21,  kCacheHint   = 1ull << 22,  kSemantics   = 1ull << 23,
  kScope       = 1ull << 24,  kNonCoherent = 1ull << 25,  kAtomic      = 1ull << 26,  kNoFtz       = 1ull << 27,
  kShuffle     = 1ull << 28,  kVote        = 1ull << 29,  kUniform     = 1ull << 30,  kAligned     = 1ull << 31,
  kFenceWords  = 1ull << 32,  kCopySpaces  = 1ull << 33,  kNoInc       = 1ull << 34,  kExpectTx    = 1ull << 35,
  kNoComplete  = 1ull << 36,  kParity      = 1ull << 37,  kMatrix      = 1ull << 38,  kGridDependency = 1ull << 39,
  kReduce      = 1ull << 40,  kLevel       = 1ull << 41,  kTranspose   = 1ull << 42,  kSatFinite   = 1ull << 43,
  kShape       = 1ull << 44,  kLayout      = 1ull << 45,  kBulk        = 1ull << 46,  kDimension   = 1ull << 47,
  kReadOnly    = 1ull << 48,  kRegisters   = 1ull << 49,
  /// Memory order: semantics and scope.
  kOrder       = kSemantics | kScope,
  /// Of wmma: its shape, the layout in memory, and .sync.aligned.
  kWmma        = kShape | kLayout | kAligned,
};

/// Kinds of operands; the words of opcode.def's operand column.
enum class SlotKind : uint8_t {
  D,   ///< d   destination of the instruction's type
  Dw,  ///< dw  destination of twice its width with .wide
  Du,  ///< du  32-bit destination
  Dv,  ///< dv  destination, a vector with .v2 .v4 .x2 .x4
  Dp,  ///< dp  destination predicate, or p|q
  Db,  ///< db  destination, or a d|p pair
  Dm,  ///< dm  32-bit mask, or a mask|p pair
  Fd,  ///< fd  destination fragment: a lane's registers of a matrix
  Fa,  ///< fa  fragment of A
  Fb,  ///< fb  fragment of B
  Fc,  ///< fc  fragment of C
  A,   ///< a   source of the instruction's type
  Aw,  ///< aw  source of twice its width with .wide
  Av,  ///< av  source, a vector with .v2 .v4 .x2 .x4
  S,   ///< s   source of the second type
  U,   ///< u   32-bit source
  P,   ///< p   source predicate
  C,   ///< c   the new value of cas: with .cas only
  K,   ///< k   64-bit cache policy: with .L2::cache_hint only
  Y,   ///< y   mbarrier state, or with .parity a 32-bit phase
  O,   ///< o   cp.async: 32-bit source size, or a predicate that says to ignore the source
  M,   ///< m   memory address
  X,   ///< x   a tensor map's address and coordinates in the tensor, [map, {c0, c1}]
  W,   ///< w   wgmma: a 64-bit descriptor of a matrix in shared memory, or a fragment in braces
  H,   ///< h   16-bit mask of the blocks of a cluster
  V,   ///< v   the address of a variable, or a register or number that holds an address
  L,   ///< L   label
  T,   ///< T   branch-target list
  F,   ///< F   function
  List ///< ()  parameter list
};
// clang-format on

struct Slot {
  SlotKind kind = SlotKind::D;
  bool optional = false;
};
constexpr size_t kMaxSlots = 8;

/// One row of opcode.def.
struct OpcodeInfo {
  std::string_view mnemonic;
  OpClass op_class = OpClass::Other;
  std::array<Slot, kMaxSlots> slots{};
  uint8_t slot_count = 0;
  TypeSet types;
  ModifierSet modifiers = kNone;
};
const OpcodeInfo& info_of(Op op);
constexpr size_t kOpCount = 0
#define PTX_OP(...) +1
#include "ptx/opcode.def"
#undef PTX_OP
    ;

/// The opcode whose mnemonic is the longest prefix, dot by dot, of `text` ("cp.async.wait_group.foo" is CpAsyncWait).
/// False if there is none. `length` is that of the mnemonic.
bool find_opcode(std::string_view text, Op& op, size_t& length);

/// "vote.sync.ballot.b32" for "vote.ballot.sync.b32": the words of the longest mnemonic that are all in `text` come
/// first. ptxas takes the words in any order that leaves no doubt. Empty where there is no such mnemonic.
std::string in_order_of_the_table(std::string_view text);

/// The name of an instruction of the PTX ISA that is in no row: "wgmma.mma_async" for
/// "wgmma.mma_async.sync.aligned...". Empty if `text` does not start with one.
std::string_view outside_the_table(std::string_view text);

/// The type named by a word without its dot; None if it is not a type.
Type type_named(std::string_view word);
/// Sets the field for `word` (without its dot) of the families in `allowed`, and returns the family; kNone if no
/// allowed family has that word.
ModifierSet apply_modifier(std::string_view word, ModifierSet allowed, Instruction& instruction);
/// ".lo, .hi, .wide": the words of the families.
std::string words_of(ModifierSet families);
/// Whether one instruction may have several words of the family (.L1::no_allocate.L2::128B).
bool may_repeat(ModifierSet family);

/// The kind of each operand of `instruction`, from its opcode's row, its modifiers and the number of its operands.
/// The second of a p|q or d|p pair is a Dp.
struct OperandKinds {
  std::array<SlotKind, 2 * kMaxSlots> kinds{};
  size_t count = 0;
  std::span<const SlotKind> view() const { return {kinds.data(), count}; }
};
/// `pair`: whether the destination is written as one. False if there are too few or too many operands.
bool operand_kinds(const Instruction& instruction, size_t operand_count, bool pair, OperandKinds& kinds);
/// The same for an instruction whose operands are in place.
bool operand_kinds(const Instruction& instruction, OperandKinds& kinds);
/// Whether a destination of this kind, p|q or d|p, can be a pair.
bool can_pair(SlotKind kind);
bool is_destination(SlotKind kind);
/// The matrix that a wmma.load or wmma.store moves, as the kind of fragment in an mma; see fragment_registers.
SlotKind matrix_moved(Op op);
/// How many 32-bit registers of each lane a fragment of this kind takes; 0 for other kinds.
uint32_t fragment_registers(const Instruction& instruction, SlotKind kind);
/// How many elements of a fragment are in a register.
uint32_t elements_of_register(Type type);
/// The type that an operand of this kind has in this instruction; None for labels and addresses.
Type operand_type(const Instruction& instruction, SlotKind kind);
/// The type of each of the `count` elements of a vector operand of this kind.
Type element_type(const Instruction& instruction, SlotKind kind, size_t count);

/// Special register named "%tid", "%laneid", ...; false if there is none of that name.
bool find_special(std::string_view name, Special& special);
std::string_view to_string(Special special);
/// Whether it has the components .x .y .z.
bool has_components(Special special);

std::string_view to_string(Compare compare);

}  // namespace tilescope::ptx
