#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.h"
#include "ptx/fragment.h"
#include "ptx/module.h"
#include "trace/event.h"

namespace tilescope::emulator {

struct Warp;
struct DecodedInstruction;

/// Executes one instruction for the lanes in `mask` (never 0) of a warp.
using Handler = void (*)(Warp&, const DecodedInstruction&, uint32_t mask);

/// What the scheduler does with an instruction, besides running its handler.
enum class Flow : uint8_t {
  Next,  ///< Nothing more: straight-line code.
  Branch,
  BranchIndexed,
  Exit,  ///< ret, exit
  Trap,
  Barrier,      ///< bar.sync, bar.red and similar: waits.
  BarrierPass,  ///< bar.arrive
  WarpSync,     ///< Waits for the lanes of its member mask, then runs its handler.
  Yield,        ///< Runs its handler, then lets others go on: nanosleep, an unfinished mbarrier wait.
  ClusterWait,  ///< Waits for the blocks of its cluster.
  Call,         ///< A system function: vprintf, __assertfail.
};

/// Where an operand's lanes are, and what is added to them.
struct OperandRow {
  uint32_t row = 0;
  uint8_t lane_size = 4;
  int64_t offset = 0;
};
/// The operands of cp.async.bulk and cp.async.bulk.tensor; rows that an instruction does not have are 0.
struct BulkOperands {
  OperandRow shared, global;  ///< Addresses; of the tensor form `global` is that of the tensor map.
  OperandRow barrier, bytes, blocks;
  std::vector<OperandRow> coordinates;
};

/// The operands of wgmma.mma_async, beside the rows of D.
struct WideOperands {
  OperandRow a, b;  ///< Descriptors; `a` unless A comes from registers.
  std::vector<uint32_t> a_rows;
  uint32_t adds = 0;  ///< The predicate that selects adding to D; see `adds_flip`.
  uint32_t adds_flip = 0;
  float scale = 1;  ///< Of the products: 1 or -1.
  bool transposes_a = false, transposes_b = false;
};

/// One instruction, bound to the rows of the register file that it names. A row is 32 lanes of 4 or 8 bytes;
/// predicates are one 32-bit mask. All offsets are in bytes from the start of the warp's file.
struct DecodedInstruction {
  Handler run = nullptr;
  uint32_t guard = 0;         ///< Offset of the guard's predicate; 0 (a row that is always all ones) for none.
  uint32_t guard_flip = 0;    ///< ~0 for @!p.
  uint32_t destination = 0;   ///< The row written, or the predicate.
  uint32_t destination2 = 0;  ///< setp p|q, shfl d|p: the second.
  uint32_t source[4] = {};    ///< Rows read, in the order of the text.
  int64_t offset = 0;         ///< Of the address operand. lop3 d|p: its table. cvta: the window.
  int64_t offset2 = 0;        ///< cp.async: of the source address.
  uint32_t pc = 0;
  Flow flow = Flow::Next;
  uint8_t size = 0;    ///< Memory: bytes of one element.
  uint8_t vector = 1;  ///< Memory: elements.
  Space space = Space::None;
  bool sign_extend = false;
  uint8_t address_size = 8;     ///< Bytes of a lane of the address row.
  uint8_t address_size2 = 8;    ///< cp.async: the same of the source address.
  uint8_t lane_size = 4;        ///< Memory: bytes of a lane of the data rows.
  bool flip_predicate = false;  ///< The last predicate source is negated.
  trace::AccessKind access = trace::AccessKind::Load;
  bool is_volatile = false;
  int32_t target = -1;                    ///< Branch: pc. BranchIndexed: index of the target list.
  int32_t reconverge = -1;                ///< Branch: where its paths meet again; -1 at the exit only.
  bool polls = false;                     ///< Branch: back to read again what other threads may write.
  const uint32_t* rows = nullptr;         ///< What a load, an atom or a mov writes, `vector` rows.
  const uint32_t* source_rows = nullptr;  ///< What a store, an atom or a mov reads, `source_count` rows.
  uint8_t source_count = 1;
  bool ignore_source = false;          ///< cp.async: the fourth operand is a predicate that says to ignore the source.
  const BulkOperands* bulk = nullptr;  ///< Of a bulk copy.
  const WideOperands* wide = nullptr;  ///< Of wgmma.mma_async.
  const ptx::FragmentPlaces* fragments = nullptr;  ///< Of mma and wmma.
  const ptx::Instruction* text = nullptr;
};

/// The handlers for one instruction set: lane arithmetic compiled for it. Null when no form of the opcode fits.
using Selector = Handler (*)(const ptx::Instruction&, const DecodedInstruction&);
Handler select_baseline(const ptx::Instruction& instruction, const DecodedInstruction& bound);
Handler select_avx2(const ptx::Instruction& instruction, const DecodedInstruction& bound);
Handler select_avx512(const ptx::Instruction& instruction, const DecodedInstruction& bound);

/// The widest one this processor runs; TILESCOPE_LANES=baseline|avx2|avx512 chooses a narrower one.
Selector choose_selector();

}  // namespace tilescope::emulator
