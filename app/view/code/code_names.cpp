#include "view/code/code_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/words.h"
#include "ptx/opcode_table.h"

namespace tilescope::view {
namespace {
using ptx::Op;
using ptx::Special;
using ptx::Type;

const char* words_of(Op op) {
  switch (op) {
    case Op::Add: return tr("Adds.");
    case Op::Sub: return tr("Subtracts.");
    case Op::Mul: return tr("Multiplies. With integers, .wide keeps the whole product and .lo its lower half.");
    case Op::Mad: return tr("Multiplies and adds integers; .lo keeps the lower half of the product.");
    case Op::Fma: return tr("Fused multiply-add: multiplies and adds, and rounds once. It counts as 2 FLOP.");
    case Op::Div: return tr("Divides.");
    case Op::Rem: return tr("The remainder of a division.");
    case Op::Neg: return tr("Changes the sign.");
    case Op::Abs: return tr("The absolute value.");
    case Op::Min: return tr("The smaller of two values.");
    case Op::Max: return tr("The larger of two values.");
    case Op::Rcp: return tr("One over a value.");
    case Op::Sqrt: return tr("The square root.");
    case Op::Rsqrt: return tr("One over the square root.");
    case Op::Ex2: return tr("Two to the power of a value.");
    case Op::Lg2: return tr("The logarithm to base two.");
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not: return tr("Combines values bit by bit.");
    case Op::Shl: return tr("Shifts bits to the left: a product with a power of two.");
    case Op::Shr: return tr("Shifts bits to the right: a division by a power of two.");
    case Op::Bfi: return tr("Puts bits of one value into another.");
    case Op::Setp: return tr("Compares two values; a predicate keeps whether it holds.");
    case Op::Selp: return tr("Takes one of two values, as a predicate says.");
    case Op::Cvt: return tr("Converts a value to another type.");
    case Op::Mov: return tr("Copies a value into a register.");
    case Op::Cvta: return tr("Makes an address of one memory of a general address, or the other way round.");
    case Op::Mapa: return tr("The address of the same place in the shared memory of another block of the cluster.");
    case Op::Ld: return tr("Loads a value from memory into a register.");
    case Op::St: return tr("Stores a register's value in memory.");
    case Op::Prefetch: return tr("Brings data into a cache before it is needed.");
    case Op::Atom:
    case Op::Red: return tr("Reads a word, computes and writes it back; nothing can come between.");
    case Op::Shfl: return tr("Reads another lane's register.");
    case Op::Bra: return tr("Goes on at a label; behind @%p only the lanes for which the predicate holds.");
    case Op::Ret:
    case Op::Exit: return tr("The thread ends.");
    case Op::BarSync:
    case Op::BarrierSync: return tr("A barrier: no thread goes on before all have come.");
    case Op::BarWarpSync: return tr("A barrier for the lanes of a warp.");
    case Op::Membar:
    case Op::Fence: return tr("Accesses to memory before it are seen before those after it.");
    case Op::CpAsync:
      return tr("Copies from global to shared memory, past the registers; the thread goes on meanwhile.");
    case Op::CpAsyncBulk:
    case Op::CpAsyncBulkTensor: return tr("One thread asks for a whole tile, which is copied while the threads go on.");
    case Op::CpAsyncCommit:
    case Op::CpAsyncBulkCommit: return tr("The copies so far are a group, which can be waited for.");
    case Op::CpAsyncWait:
    case Op::CpAsyncBulkWait:
      return tr("Waits until no more than so many of the thread's groups of copies are in flight.");
    case Op::CpAsyncMbarrierArrive: return tr("Arrives at an mbarrier once the thread's copies so far have come.");
    case Op::MbarrierInit: return tr("Prepares an mbarrier for so many arrivals in each phase.");
    case Op::MbarrierArrive:
      return tr("Arrives at an mbarrier; .expect_tx also announces bytes that the phase waits for.");
    case Op::MbarrierTestWait:
    case Op::MbarrierTryWait: return tr("Asks whether a phase of an mbarrier has ended.");
    case Op::Ldmatrix: return tr("Loads matrices of 8 x 8 from shared memory; each lane gets what mma wants of it.");
    case Op::Stmatrix: return tr("Stores matrices of 8 x 8 that lie in the lanes as in fragments.");
    case Op::Mma: return tr("The warp multiplies two small matrices by a tensor core and adds a third.");
    case Op::WgmmaMma: return tr("Four warps multiply tiles in shared memory by tensor cores, and go on meanwhile.");
    case Op::WgmmaFence: return tr("What the registers hold is there before the next wgmma uses them.");
    case Op::WgmmaCommit: return tr("The multiplications so far are a group, which can be waited for.");
    case Op::WgmmaWait: return tr("Waits until no more than so many groups of multiplications are under way.");
    case Op::Setmaxnreg: return tr("A warpgroup gives registers back, .dec, or takes more, .inc.");
    case Op::Griddepcontrol:
      return tr("Lets the next launch begin before this one has ended, or waits for the one before.");
    default: return "";
  }
}

const char* words_of(Type type) {
  switch (type) {
    case Type::F32: return tr("a float of 32 bits");
    case Type::F64: return tr("a double");
    case Type::TF32: return tr("a float of which tensor cores read 19 bits");
    case Type::F16: return tr("a half");
    case Type::BF16: return tr("a float's upper 16 bits");
    case Type::F16x2:
    case Type::BF16x2: return tr("two numbers of 16 bits");
    case Type::U16x2:
    case Type::S16x2: return tr("two integers of 16 bits");
    case Type::U16:
    case Type::U32:
    case Type::U64: return tr("an unsigned integer");
    case Type::S16:
    case Type::S32:
    case Type::S64: return tr("a signed integer");
    case Type::B16:
    case Type::B32:
    case Type::B64: return tr("bits, whatever they mean");
    case Type::Pred: return tr("true or false");
    default: return "";
  }
}

const char* words_of(std::string_view modifier) {
  if (modifier == "global") return tr("in global memory");
  if (modifier == "param") return tr("an argument of the kernel");
  if (modifier == "local") return tr("in the thread's own part of global memory");
  if (modifier == "v2") return tr("two values side by side");
  if (modifier == "v4") return tr("four values side by side");
  if (modifier.starts_with("shared")) return tr("in shared memory");
  return words_of(ptx::type_named(modifier));
}

std::vector<std::string> opcode_words(std::string_view opcode) {
  opcode = opcode.substr(0, opcode.find(' '));
  Op op{};
  size_t length = 0;
  if (!ptx::find_opcode(opcode, op, length)) return {};
  std::vector<std::string> words{words_of(op)};
  if (words.front().empty()) return {};
  // What else is a copy or a matrix instruction has more modifiers than a card has room for.
  const ptx::OpClass kind = ptx::class_of(op);
  if (kind == ptx::OpClass::AsyncCopy || kind == ptx::OpClass::BulkCopy || kind == ptx::OpClass::MatrixMultiply)
    return words;
  for (std::string_view rest = opcode.substr(length); !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view modifier = rest.substr(0, rest.find('.'));
    if (const char* meaning = words_of(modifier); *meaning) words.push_back(fmt::format(".{}: {}", modifier, meaning));
    rest.remove_prefix(modifier.size());
  }
  return words;
}

const char* words_of(Special special) {
  switch (special) {
    case Special::Tid: return tr("threadIdx: the thread's place in its block.");
    case Special::Ntid: return tr("blockDim: how many threads a block has.");
    case Special::Ctaid: return tr("blockIdx: the block's place in the grid.");
    case Special::Nctaid: return tr("gridDim: how many blocks the grid has.");
    case Special::ClusterCtaid: return tr("The block's place in its cluster.");
    case Special::Laneid: return tr("The thread's lane in its warp.");
    case Special::Warpid: return tr("The warp's number.");
    default: return "";
  }
}

std::vector<std::string> register_words(std::string_view name, const ptx::Function& function) {
  Special special{};
  if (ptx::find_special(name.substr(0, name.find('.')), special)) {
    const std::string words = words_of(special);
    return words.empty() ? std::vector<std::string>() : std::vector{words};
  }
  const auto found = std::ranges::find(function.registers, name, &ptx::Register::name);
  if (found == function.registers.end()) return {};
  if (found->type == Type::Pred) return {tr("A predicate: true or false in each lane.")};
  return {tr_format("A register of {} bits, with a value of its own in each lane.", 8 * ptx::size_of(found->type)),
          tr("PTX has as many registers as it needs; ptxas assigns the machine's.")};
}

/// Without the comment at the line's end.
std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find(" //"))); }

/// What a line defines of the macro: the text behind "#define", which may be only its beginning; empty if nothing.
std::string_view definition_on(std::string_view line, std::string_view name) {
  constexpr std::string_view kDefine = "#define ";
  line = without_comment(line);
  if (!line.starts_with(kDefine) || !line.substr(kDefine.size()).starts_with(name)) return {};
  const std::string_view rest = line.substr(kDefine.size() + name.size());
  return rest.starts_with('(') || rest.starts_with(' ') ? line.substr(kDefine.size()) : std::string_view();
}

/// With the lines that it goes on in.
std::string whole_definition(const std::vector<std::string>& source, size_t line, std::string_view begin) {
  std::string whole(begin);
  while (whole.ends_with('\\') && ++line < source.size()) {
    whole.pop_back();
    whole = std::string(trimmed(whole)).append(" ").append(without_comment(source[line]));
  }
  return whole;
}

/// The first instruction of an asm statement; empty if there is none.
std::string_view instruction_in(std::string_view text) {
  const size_t begin = text.find("asm volatile(\"");
  if (begin == std::string_view::npos) return {};
  text = text.substr(text.find('"', begin) + 1);
  for (text = text.substr(0, text.find('"')); !text.empty();) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!opcode_words(word).empty()) return word;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return {};
}

/// The author's words above a line, and what the line defines. Of an asm statement its instruction.
std::vector<std::string> macro_words(const std::vector<std::string>& source, size_t line, std::string_view begin) {
  std::vector<std::string> words;
  size_t first = line;
  while (first > 0 && trimmed(source[first - 1]).starts_with("// ")) --first;
  for (; first < line; ++first) words.emplace_back(trimmed(source[first]).substr(3));
  const std::string whole = whole_definition(source, line, begin);
  const std::string_view instruction = instruction_in(whole);
  if (instruction.empty()) {
    words.push_back(whole);
    return words;
  }
  words.push_back(fmt::format("{}: {}", whole.substr(0, whole.find(" asm")), instruction));
  words.push_back(opcode_words(instruction).front());
  return words;
}

}  // namespace

std::vector<std::string> ptx_name_words(std::string_view name, const ptx::Function& function) {
  if (name.empty()) return {};
  return name.front() == '%' ? register_words(name, function) : opcode_words(name);
}

std::vector<std::string> cuda_name_words(std::string_view name, const run::TracedBlock& traced) {
  if (name.empty()) return {};
  const auto& values = traced.prepared->configuration.parameters;
  const auto value = std::ranges::find(values, name, [](const auto& each) { return std::string_view(each.first); });
  if (const kernel::Parameter* parameter = traced.request().kernel.description.parameter(name);
      parameter && value != values.end())
    return {fmt::format("{} = {}", name, value->second), tr(std::string_view(parameter->about))};
  const std::vector<std::string>& source = traced.report.source;
  for (size_t line = 0; line < source.size(); ++line)
    if (const std::string_view begin = definition_on(source[line], name); !begin.empty())
      return macro_words(source, line, begin);
  return {};
}

}  // namespace tilescope::view
