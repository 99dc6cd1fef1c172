#include "ptx/opcode_table.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_map>

namespace tilescope::ptx {
namespace {

struct SlotName {
  std::string_view name;
  SlotKind kind;
};
// In the order of SlotKind.
constexpr std::array kSlotNames{
    SlotName{"d", SlotKind::D},   SlotName{"dw", SlotKind::Dw}, SlotName{"du", SlotKind::Du},
    SlotName{"dv", SlotKind::Dv}, SlotName{"dp", SlotKind::Dp}, SlotName{"db", SlotKind::Db},
    SlotName{"dm", SlotKind::Dm}, SlotName{"fd", SlotKind::Fd}, SlotName{"fa", SlotKind::Fa},
    SlotName{"fb", SlotKind::Fb}, SlotName{"fc", SlotKind::Fc}, SlotName{"a", SlotKind::A},
    SlotName{"aw", SlotKind::Aw}, SlotName{"av", SlotKind::Av}, SlotName{"s", SlotKind::S},
    SlotName{"u", SlotKind::U},   SlotName{"p", SlotKind::P},   SlotName{"c", SlotKind::C},
    SlotName{"k", SlotKind::K},   SlotName{"y", SlotKind::Y},   SlotName{"o", SlotKind::O},
    SlotName{"m", SlotKind::M},   SlotName{"x", SlotKind::X},   SlotName{"w", SlotKind::W},
    SlotName{"h", SlotKind::H},   SlotName{"v", SlotKind::V},   SlotName{"L", SlotKind::L},
    SlotName{"T", SlotKind::T},   SlotName{"F", SlotKind::F},   SlotName{"()", SlotKind::List}};

// consteval: a word of opcode.def that is not a slot does not compile.
consteval SlotKind slot_kind(std::string_view name) {
  for (const SlotName& entry : kSlotNames)
    if (entry.name == name) return entry.kind;
  throw "no such operand";
}

consteval OpcodeInfo make_info(std::string_view mnemonic, std::string_view operands, OpClass op_class, TypeSet types,
                               ModifierSet modifiers) {
  OpcodeInfo info{.mnemonic = mnemonic, .op_class = op_class, .types = types, .modifiers = modifiers};
  while (!operands.empty()) {
    std::string_view word = operands.substr(0, operands.find(' '));
    operands.remove_prefix(std::min(word.size() + 1, operands.size()));
    const bool optional = word.ends_with('?');
    if (optional) word.remove_suffix(1);
    info.slots[info.slot_count++] = {slot_kind(word), optional};
  }
  return info;
}

constexpr std::array<OpcodeInfo, kOpCount> kOpcodes{
#define PTX_OP(id, mnemonic, operands, op_class, types, modifiers) \
  make_info(mnemonic, operands, OpClass::op_class, types, modifiers),
#include "ptx/opcode.def"
#undef PTX_OP
};

constexpr size_t kMaxMnemonicWords = 5;

struct ModifierWord {
  std::string_view word;
  ModifierSet family;
  void (*apply)(Instruction&);
};

template <auto Member, auto Value>
void assign(Instruction& instruction) {
  instruction.*Member = Value;
}
template <auto Member>
void raise(Instruction& instruction) {
  instruction.*Member = true;
}
void nothing(Instruction&) {}

using I = Instruction;
// clang-format off
constexpr ModifierWord kModifierWords[] = {
    {"ftz", kFtz, raise<&I::ftz>}, {"sat", kSat, raise<&I::sat>}, {"satfinite", kSatFinite, raise<&I::sat_finite>},
    {"rn", kRound, assign<&I::rounding, Rounding::Rn>},   {"rz", kRound, assign<&I::rounding, Rounding::Rz>},
    {"rm", kRound, assign<&I::rounding, Rounding::Rm>},   {"rp", kRound, assign<&I::rounding, Rounding::Rp>},
    {"rna", kRound, assign<&I::rounding, Rounding::Rna>}, {"rni", kRound, assign<&I::rounding, Rounding::Rni>},
    {"rzi", kRound, assign<&I::rounding, Rounding::Rzi>}, {"rmi", kRound, assign<&I::rounding, Rounding::Rmi>},
    {"rpi", kRound, assign<&I::rounding, Rounding::Rpi>},
    {"cc", kCarryOut, raise<&I::carry>}, {"relu", kRelu, raise<&I::relu>}, {"approx", kApprox, raise<&I::approx>},
    {"full", kFull, raise<&I::full>}, {"NaN", kNan, raise<&I::nan>},
    {"xorsign", kXorsign, raise<&I::xorsign>}, {"abs", kXorsign, nothing},
    {"lo", kPart, assign<&I::part, Part::Lo>}, {"hi", kPart, assign<&I::part, Part::Hi>},
    {"wide", kPart, assign<&I::part, Part::Wide>},
    {"shiftamt", kShiftAmount, raise<&I::shift_amount>},
    {"wrap", kShiftMode, assign<&I::shift, ShiftMode::Wrap>}, {"clamp", kShiftMode, assign<&I::shift, ShiftMode::Clamp>},
    {"l", kDirection, assign<&I::direction, Direction::Left>}, {"r", kDirection, assign<&I::direction, Direction::Right>},
    {"finite", kTest, assign<&I::test, TestMode::Finite>}, {"infinite", kTest, assign<&I::test, TestMode::Infinite>},
    {"number", kTest, assign<&I::test, TestMode::Number>}, {"notanumber", kTest, assign<&I::test, TestMode::NotANumber>},
    {"normal", kTest, assign<&I::test, TestMode::Normal>}, {"subnormal", kTest, assign<&I::test, TestMode::Subnormal>},
    {"eq", kCompare, assign<&I::compare, Compare::Eq>},   {"ne", kCompare, assign<&I::compare, Compare::Ne>},
    {"lt", kCompare, assign<&I::compare, Compare::Lt>},   {"le", kCompare, assign<&I::compare, Compare::Le>},
    {"gt", kCompare, assign<&I::compare, Compare::Gt>},   {"ge", kCompare, assign<&I::compare, Compare::Ge>},
    {"lo", kCompare, assign<&I::compare, Compare::Lo>},   {"ls", kCompare, assign<&I::compare, Compare::Ls>},
    {"hi", kCompare, assign<&I::compare, Compare::Hi>},   {"hs", kCompare, assign<&I::compare, Compare::Hs>},
    {"equ", kCompare, assign<&I::compare, Compare::Equ>}, {"neu", kCompare, assign<&I::compare, Compare::Neu>},
    {"ltu", kCompare, assign<&I::compare, Compare::Ltu>}, {"leu", kCompare, assign<&I::compare, Compare::Leu>},
    {"gtu", kCompare, assign<&I::compare, Compare::Gtu>}, {"geu", kCompare, assign<&I::compare, Compare::Geu>},
    {"num", kCompare, assign<&I::compare, Compare::Num>}, {"nan", kCompare, assign<&I::compare, Compare::Nan>},
    {"and", kCombine, assign<&I::combine, Combine::And>}, {"or", kCombine, assign<&I::combine, Combine::Or>},
    {"xor", kCombine, assign<&I::combine, Combine::Xor>},
    {"f4e", kPermute, assign<&I::permute, PermuteMode::F4e>}, {"b4e", kPermute, assign<&I::permute, PermuteMode::B4e>},
    {"rc8", kPermute, assign<&I::permute, PermuteMode::Rc8>}, {"ecl", kPermute, assign<&I::permute, PermuteMode::Ecl>},
    {"ecr", kPermute, assign<&I::permute, PermuteMode::Ecr>}, {"rc16", kPermute, assign<&I::permute, PermuteMode::Rc16>},
    {"global", kSpace, assign<&I::space, Space::Global>}, {"shared", kSpace, assign<&I::space, Space::Shared>},
    {"shared::cta", kSpace, assign<&I::space, Space::Shared>}, {"shared::cluster", kSpace, assign<&I::space, Space::Shared>},
    {"local", kSpace, assign<&I::space, Space::Local>}, {"const", kSpace, assign<&I::space, Space::Const>},
    {"param", kSpace, assign<&I::space, Space::Param>}, {"param::entry", kSpace, assign<&I::space, Space::Param>},
    {"param::func", kSpace, assign<&I::space, Space::Param>},
    {"shared", kCopySpaces, assign<&I::space, Space::Shared>}, {"shared::cta", kCopySpaces, assign<&I::space, Space::Shared>},
    {"global", kCopySpaces, nothing},
    {"to", kToSpace, raise<&I::to_space>},
    {"v2", kVector, assign<&I::vector, uint8_t{2}>}, {"v4", kVector, assign<&I::vector, uint8_t{4}>},
    {"v8", kVector, assign<&I::vector, uint8_t{8}>},
    {"ca", kCache, nothing}, {"cg", kCache, nothing}, {"cs", kCache, nothing}, {"lu", kCache, nothing},
    {"cv", kCache, nothing}, {"wb", kCache, nothing}, {"wt", kCache, nothing},
    {"L1::evict_normal", kCache, nothing}, {"L1::evict_unchanged", kCache, nothing}, {"L1::evict_first", kCache, nothing},
    {"L1::evict_last", kCache, nothing}, {"L1::no_allocate", kCache, nothing}, {"L2::evict_normal", kCache, nothing},
    {"L2::evict_first", kCache, nothing}, {"L2::evict_last", kCache, nothing}, {"L2::64B", kCache, nothing},
    {"L2::128B", kCache, nothing}, {"L2::256B", kCache, nothing},
    {"L2::cache_hint", kCacheHint, raise<&I::cache_hint>},
    {"tensormap", kLevel, nothing}, {"L1", kLevel, nothing}, {"L2", kLevel, nothing}, {"L2::evict_last", kLevel, nothing}, {"L2::evict_normal", kLevel, nothing},
    {"weak", kSemantics, nothing}, {"volatile", kSemantics, raise<&I::is_volatile>},
    {"relaxed", kSemantics, raise<&I::is_volatile>}, {"acquire", kSemantics, raise<&I::is_volatile>},
    {"release", kSemantics, raise<&I::is_volatile>}, {"acq_rel", kSemantics, raise<&I::is_volatile>},
    {"sc", kSemantics, raise<&I::is_volatile>}, {"mmio", kSemantics, raise<&I::is_volatile>},
    {"cta", kScope, nothing}, {"cluster", kScope, nothing}, {"gpu", kScope, nothing}, {"sys", kScope, nothing},
    {"gl", kFenceWords, nothing}, {"proxy", kFenceWords, nothing}, {"alias", kFenceWords, nothing},
    {"async", kFenceWords, nothing}, {"async::generic", kFenceWords, nothing}, {"global", kFenceWords, nothing},
    {"shared::cta", kFenceWords, nothing}, {"shared::cluster", kFenceWords, nothing},
    {"tensormap", kFenceWords, nothing}, {"tensormap::generic", kFenceWords, nothing},
    {"mbarrier_init", kFenceWords, nothing}, {"sync_restrict::shared::cta", kFenceWords, nothing},
    {"sync_restrict::shared::cluster", kFenceWords, nothing},
    {"nc", kNonCoherent, raise<&I::non_coherent>}, {"noftz", kNoFtz, nothing},
    {"add", kAtomic, assign<&I::atomic, AtomicOp::Add>}, {"min", kAtomic, assign<&I::atomic, AtomicOp::Min>},
    {"max", kAtomic, assign<&I::atomic, AtomicOp::Max>}, {"inc", kAtomic, assign<&I::atomic, AtomicOp::Inc>},
    {"dec", kAtomic, assign<&I::atomic, AtomicOp::Dec>}, {"and", kAtomic, assign<&I::atomic, AtomicOp::And>},
    {"or", kAtomic, assign<&I::atomic, AtomicOp::Or>},   {"xor", kAtomic, assign<&I::atomic, AtomicOp::Xor>},
    {"exch", kAtomic, assign<&I::atomic, AtomicOp::Exch>}, {"cas", kAtomic, assign<&I::atomic, AtomicOp::Cas>},
    {"and", kReduce, assign<&I::atomic, AtomicOp::And>}, {"or", kReduce, assign<&I::atomic, AtomicOp::Or>},
    {"popc", kReduce, assign<&I::atomic, AtomicOp::Popc>},
    {"up", kShuffle, assign<&I::shuffle, ShuffleMode::Up>},     {"down", kShuffle, assign<&I::shuffle, ShuffleMode::Down>},
    {"bfly", kShuffle, assign<&I::shuffle, ShuffleMode::Bfly>}, {"idx", kShuffle, assign<&I::shuffle, ShuffleMode::Idx>},
    {"all", kVote, assign<&I::vote, VoteMode::All>}, {"any", kVote, assign<&I::vote, VoteMode::Any>},
    {"uni", kVote, assign<&I::vote, VoteMode::Uni>}, {"ballot", kVote, assign<&I::vote, VoteMode::Ballot>},
    {"uni", kUniform, raise<&I::uniform>}, {"aligned", kAligned, raise<&I::aligned>},
    {"noinc", kNoInc, raise<&I::no_inc>}, {"expect_tx", kExpectTx, raise<&I::expect_tx>},
    {"noComplete", kNoComplete, raise<&I::no_complete>}, {"parity", kParity, raise<&I::parity>},
    {"m16n8k4", kShape, assign<&I::shape, MatrixShape{16, 8, 4}>}, {"m16n8k8", kShape, assign<&I::shape, MatrixShape{16, 8, 8}>},
    {"m16n8k16", kShape, assign<&I::shape, MatrixShape{16, 8, 16}>}, {"m16n8k32", kShape, assign<&I::shape, MatrixShape{16, 8, 32}>},
    {"m8n8k4", kShape, assign<&I::shape, MatrixShape{8, 8, 4}>}, {"row", kLayout, nothing}, {"col", kLayout, raise<&I::column_major>},
    {"m16n16k16", kShape, assign<&I::shape, MatrixShape{16, 16, 16}>}, {"m32n8k16", kShape, assign<&I::shape, MatrixShape{32, 8, 16}>},
    {"m8n32k16", kShape, assign<&I::shape, MatrixShape{8, 32, 16}>}, {"m16n16k8", kShape, assign<&I::shape, MatrixShape{16, 16, 8}>},
    {"sync", kMatrix, nothing}, {"aligned", kMatrix, raise<&I::aligned>}, {"m8n8", kMatrix, nothing},
    {"x1", kMatrix, assign<&I::vector, uint8_t{1}>}, {"x2", kMatrix, assign<&I::vector, uint8_t{2}>},
    {"x4", kMatrix, assign<&I::vector, uint8_t{4}>}, {"trans", kTranspose, raise<&I::trans>},
    {"shared::cluster", kBulk, nothing}, {"shared::cta", kBulk, nothing}, {"global", kBulk, nothing}, {"tile", kBulk, nothing},
    {"mbarrier::complete_tx::bytes", kBulk, nothing}, {"bulk_group", kBulk, raise<&I::bulk_group>},
    {"multicast::cluster", kBulk, raise<&I::multicast>},
    {"1d", kDimension, assign<&I::dimensions, uint8_t{1}>}, {"2d", kDimension, assign<&I::dimensions, uint8_t{2}>},
    {"3d", kDimension, assign<&I::dimensions, uint8_t{3}>}, {"4d", kDimension, assign<&I::dimensions, uint8_t{4}>},
    {"5d", kDimension, assign<&I::dimensions, uint8_t{5}>},
    {"read", kReadOnly, raise<&I::read_only>}, {"inc", kRegisters, raise<&I::raises_registers>}, {"dec", kRegisters, nothing},
    {"launch_dependents", kGridDependency, nothing}, {"wait", kGridDependency, nothing},
};

constexpr std::string_view kOutside[] = {
    "wmma", "mma", "mma.sp", "wgmma.mma_async.sp", "movmatrix", "tcgen05",
    "cp.reduce.async.bulk", "cp.reduce.async.bulk.tensor",
    "tensormap", "multimem", "red.async", "st.async", "st.bulk",
    "clusterlaunchcontrol",
    "tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep",
    "createpolicy", "discard", "applypriority", "alloca", "stacksave", "stackrestore", "cvt.pack", "shfl", "vote", "match",
    "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset",
    "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2",
    "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4",
};

// In the order of Special.
constexpr std::string_view kSpecials[] = {
    "%tid", "%ntid", "%ctaid", "%nctaid", "%cluster_ctaid", "%cluster_nctaid", "%clusterid", "%nclusterid", "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid", "%clock",
    "%clock64", "%globaltimer", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge",
    "%dynamic_smem_size", "%total_smem_size", "%clock_hi", "%globaltimer_lo", "%globaltimer_hi",
    "%envreg1", "%envreg2", "%reserved_smem_offset_1", "%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster",
};
constexpr std::string_view kTypes[] = {
    "", "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "u16x2", "s16x2",
    "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64",
};
constexpr std::string_view kCompares[] = {
    "", "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
};
// clang-format on

/// Words that may share a key are next to each other.
const std::unordered_multimap<std::string_view, const ModifierWord*>& modifier_words() {
  static const auto words = [] {
    std::unordered_multimap<std::string_view, const ModifierWord*> map;
    for (const ModifierWord& word : kModifierWords) map.emplace(word.word, &word);
    return map;
  }();
  return words;
}

const std::unordered_map<std::string_view, Op>& opcodes_by_name() {
  static const auto names = [] {
    std::unordered_map<std::string_view, Op> map;
    for (size_t i = 0; i < kOpCount; ++i) map.emplace(kOpcodes[i].mnemonic, static_cast<Op>(i));
    return map;
  }();
  return names;
}

/// Length of the first `words` dotted words of `text`.
size_t prefix_length(std::string_view text, size_t words) {
  size_t end = text.find('.');
  while (--words > 0 && end != std::string_view::npos) end = text.find('.', end + 1);
  return std::min(end, text.size());
}

Type twice(Type type) {
  switch (type) {
    case Type::U16: return Type::U32;
    case Type::S16: return Type::S32;
    case Type::U32: return Type::U64;
    case Type::S32: return Type::S64;
    default: return type;
  }
}

/// Whether an optional slot is present; `spare` operands are left for slots decided by count.
bool is_present(const Slot& slot, const Instruction& instruction, int& spare) {
  if (!slot.optional) return true;
  switch (slot.kind) {
    case SlotKind::C: return instruction.atomic == AtomicOp::Cas;
    case SlotKind::K: return instruction.cache_hint;
    case SlotKind::P: return instruction.combine != Combine::None;
    default: return spare-- > 0;
  }
}

bool goes_by_count(const Slot& slot) {
  return slot.optional && slot.kind != SlotKind::C && slot.kind != SlotKind::K && slot.kind != SlotKind::P;
}

void append(OperandKinds& kinds, SlotKind kind, bool pair) {
  kinds.kinds[kinds.count++] = kind;
  if (pair) kinds.kinds[kinds.count++] = SlotKind::Dp;
}

bool call_kinds(const Instruction& call, OperandKinds& kinds) {
  for (const Operand& operand : call.operands) {
    if (kinds.count == 4) return false;
    const bool list = operand.kind == Operand::Kind::Vector || operand.kind == Operand::Kind::Prototype;
    append(kinds, list ? SlotKind::List : SlotKind::F, false);
  }
  return std::count(kinds.kinds.begin(), kinds.kinds.begin() + kinds.count, SlotKind::F) == 1;
}

}  // namespace

const OpcodeInfo& info_of(Op op) { return kOpcodes[static_cast<size_t>(op)]; }

bool find_opcode(std::string_view text, Op& op, size_t& length) {
  const auto& names = opcodes_by_name();
  for (size_t words = kMaxMnemonicWords; words > 0; --words) {
    const std::string_view prefix = text.substr(0, prefix_length(text, words));
    if (const auto found = names.find(prefix); found != names.end()) {
      op = found->second;
      length = prefix.size();
      return true;
    }
  }
  return false;
}

namespace {

std::vector<std::string_view> words_between_dots(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('.', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::string in_order_of_the_table(std::string_view text) {
  const std::vector<std::string_view> given = words_between_dots(text);
  std::string best;
  size_t most = 1;  // A mnemonic of one word needs no other order.
  for (const auto& [name, op] : opcodes_by_name()) {
    const std::vector<std::string_view> words = words_between_dots(name);
    if (words.size() <= most || words.front() != given.front()) continue;
    std::vector<std::string_view> rest = given;
    const bool has_all = std::all_of(words.begin(), words.end(), [&](std::string_view word) {
      const auto at = std::find(rest.begin(), rest.end(), word);
      if (at == rest.end()) return false;
      rest.erase(at);
      return true;
    });
    if (!has_all) continue;
    most = words.size();
    best = name;
    for (const std::string_view word : rest) best.append(".").append(word);
  }
  return best;
}

std::string_view outside_the_table(std::string_view text) {
  std::string_view longest;
  for (std::string_view name : kOutside) {
    const bool starts = text.starts_with(name) && (text.size() == name.size() || text[name.size()] == '.');
    if (starts && name.size() > longest.size()) longest = name;
  }
  return text.substr(0, longest.size());
}

Type type_named(std::string_view word) {
  const auto found = std::find(std::begin(kTypes) + 1, std::end(kTypes), word);
  return found == std::end(kTypes) ? Type::None : static_cast<Type>(found - std::begin(kTypes));
}

namespace {

/// m64n8k16 to m64n256k16: the shapes of wgmma, with n in steps of eight.
bool take_wide_shape(std::string_view word, Instruction& instruction) {
  unsigned n = 0, k = 0;
  int length = 0;
  const std::string text(word);
  if (std::sscanf(text.c_str(), "m64n%uk%u%n", &n, &k, &length) != 2 || static_cast<size_t>(length) != word.size())
    return false;
  if (n < 8 || n > 256 || n % 8 != 0 || (k != 8 && k != 16)) return false;
  instruction.shape = {64, static_cast<uint16_t>(n), static_cast<uint16_t>(k)};
  return true;
}

}  // namespace

ModifierSet apply_modifier(std::string_view word, ModifierSet allowed, Instruction& instruction) {
  if (instruction.op == Op::WgmmaMma && word.starts_with("m64n"))
    return take_wide_shape(word, instruction) ? static_cast<ModifierSet>(kShape) : static_cast<ModifierSet>(kNone);
  const auto [first, last] = modifier_words().equal_range(word);
  for (auto it = first; it != last; ++it) {
    if (!(it->second->family & allowed)) continue;
    it->second->apply(instruction);
    return it->second->family;
  }
  return kNone;
}

std::string words_of(ModifierSet families) {
  std::string words;
  for (const ModifierWord& word : kModifierWords)
    if (word.family & families) words += (words.empty() ? "." : ", .") + std::string(word.word);
  return words;
}

bool may_repeat(ModifierSet family) {
  return family & (kCache | kXorsign | kFenceWords | kCopySpaces | kMatrix | kSemantics | kLayout | kBulk);
}

bool can_pair(SlotKind kind) { return kind == SlotKind::Dp || kind == SlotKind::Db || kind == SlotKind::Dm; }

bool is_destination(SlotKind kind) { return kind <= SlotKind::Fd; }

SlotKind matrix_moved(Op op) {
  switch (op) {
    case Op::WmmaLoadA: return SlotKind::Fa;
    case Op::WmmaLoadB: return SlotKind::Fb;
    default: return SlotKind::Fc;
  }
}

// Volta's tensor cores needed .f16 factors twice or more, so their fragments have eight registers in any shape
// (PTX ISA, "Matrix Fragments for WMMA").
constexpr uint32_t kHalfFactorRegisters = 8;

namespace {

uint32_t moved_registers(const Instruction& instruction) {
  const MatrixShape& shape = instruction.shape;
  const SlotKind matrix = matrix_moved(instruction.op);
  if (matrix != SlotKind::Fc && instruction.type == Type::F16) return kHalfFactorRegisters;
  const uint32_t rows = matrix == SlotKind::Fb ? shape.k : shape.m,
                 columns = matrix == SlotKind::Fa ? shape.k : shape.n;
  return rows * columns / 32 / elements_of_register(instruction.type);
}

}  // namespace

uint32_t elements_of_register(Type type) { return std::max(4 / size_of(type), 1u); }

uint32_t fragment_registers(const Instruction& instruction, SlotKind kind) {
  const MatrixShape& shape = instruction.shape;
  // A warpgroup of four warps executes wgmma.
  const uint32_t lanes = instruction.op == Op::WgmmaMma ? 128 : 32;
  const auto of = [lanes](uint32_t rows, uint32_t columns, Type type) {
    return rows * columns / lanes / elements_of_register(type);
  };
  const bool is_fragment = kind == SlotKind::Fd || kind == SlotKind::Fc;
  if (class_of(instruction.op) != OpClass::MatrixMultiply) return is_fragment ? moved_registers(instruction) : 0;
  const bool is_factor = kind == SlotKind::Fa || kind == SlotKind::Fb;
  if (instruction.op == Op::WmmaMma && is_factor && instruction.source_type == Type::F16) return kHalfFactorRegisters;
  switch (kind) {
    case SlotKind::Fd: return of(shape.m, shape.n, instruction.type);
    case SlotKind::Fa: return of(shape.m, shape.k, instruction.source_type);
    case SlotKind::Fb: return of(shape.k, shape.n, instruction.factor_type);
    case SlotKind::Fc: return of(shape.m, shape.n, instruction.addend_type);
    default: return 0;
  }
}

bool operand_kinds(const Instruction& instruction, size_t operand_count, bool pair, OperandKinds& kinds) {
  const OpcodeInfo& info = info_of(instruction.op);
  const std::span<const Slot> slots{info.slots.data(), info.slot_count};
  kinds.count = 0;
  if (pair && (slots.empty() || !can_pair(slots[0].kind))) return false;
  int unused = 0;
  int spare = static_cast<int>(operand_count) - pair;
  for (const Slot& slot : slots) spare -= !goes_by_count(slot) && is_present(slot, instruction, unused);
  for (const Slot& slot : slots)
    if (is_present(slot, instruction, spare)) append(kinds, slot.kind, pair && &slot == slots.data());
  return kinds.count == operand_count;
}

bool operand_kinds(const Instruction& instruction, OperandKinds& kinds) {
  kinds.count = 0;
  if (instruction.op == Op::Call) return call_kinds(instruction, kinds);
  const size_t count = instruction.operands.size();
  if (count > kMaxSlots) return false;
  return operand_kinds(instruction, count, false, kinds) || operand_kinds(instruction, count, true, kinds);
}

namespace {

// Fragments of .f32 and .f64 are in registers of that type, all others in .b32.
Type type_of_sums(const Instruction& instruction, SlotKind kind) {
  const bool is_addend = kind == SlotKind::Fc && instruction.addend_type != Type::None;
  const Type type = is_addend ? instruction.addend_type : instruction.type;
  return type == Type::F32 || type == Type::F64 ? type : Type::B32;
}

}  // namespace

Type operand_type(const Instruction& instruction, SlotKind kind) {
  switch (kind) {
    case SlotKind::D:
    case SlotKind::Dv:
    case SlotKind::Db:
    case SlotKind::A:
    case SlotKind::Av:
    case SlotKind::C: return instruction.type;
    case SlotKind::Fd:
    case SlotKind::Fc: return type_of_sums(instruction, kind);
    case SlotKind::Fa:
    case SlotKind::Fb: return instruction.source_type == Type::F64 ? Type::F64 : Type::B32;
    case SlotKind::Dw:
    case SlotKind::Aw: return instruction.part == Part::Wide ? twice(instruction.type) : instruction.type;
    case SlotKind::S: return instruction.source_type;
    case SlotKind::Du:
    case SlotKind::Dm:
    case SlotKind::U:
    case SlotKind::O: return Type::U32;
    case SlotKind::Dp:
    case SlotKind::P: return Type::Pred;
    case SlotKind::H: return Type::B16;
    case SlotKind::X: return Type::None;
    case SlotKind::W: return Type::B64;
    case SlotKind::K: return Type::B64;
    case SlotKind::Y: return instruction.parity ? Type::U32 : Type::B64;
    case SlotKind::V: return instruction.type == Type::None ? Type::B64 : instruction.type;
    case SlotKind::M:
    case SlotKind::L:
    case SlotKind::T:
    case SlotKind::F:
    case SlotKind::List: return Type::None;
  }
  return Type::None;
}

Type element_type(const Instruction& instruction, SlotKind kind, size_t count) {
  if (kind == SlotKind::X) return Type::S32;
  if (kind == SlotKind::W) return count ? Type::B32 : Type::B64;
  const bool matrix = instruction.op == Op::Ldmatrix || instruction.op == Op::Stmatrix;
  if (instruction.op != Op::Mov) return matrix ? Type::B32 : operand_type(instruction, kind);
  switch (count ? size_of(instruction.type) / count : 0) {
    case 1: return Type::B8;
    case 2: return Type::B16;
    case 4: return Type::B32;
    case 8: return Type::B64;
    default: return instruction.type;
  }
}

bool find_special(std::string_view name, Special& special) {
  const auto found = std::find(std::begin(kSpecials), std::end(kSpecials), name);
  if (found == std::end(kSpecials)) return false;
  special = static_cast<Special>(found - std::begin(kSpecials));
  return true;
}

std::string_view to_string(Special special) { return kSpecials[static_cast<size_t>(special)]; }
bool has_components(Special special) { return special <= Special::Nclusterid; }

std::string_view to_string(Type type) { return kTypes[static_cast<size_t>(type)]; }
std::string_view to_string(Compare compare) { return kCompares[static_cast<size_t>(compare)]; }
OpClass class_of(Op op) { return kOpcodes[static_cast<size_t>(op)].op_class; }
std::string_view mnemonic(Op op) { return kOpcodes[static_cast<size_t>(op)].mnemonic; }

}  // namespace tilescope::ptx
