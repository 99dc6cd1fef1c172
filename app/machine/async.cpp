// mbarriers, bulk copies by TMA, and products of warp groups. Copies and products are done at once: a kernel whose
// waits are right cannot tell, and whether they are right the checkers of PTX say.

#include <bit>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/tensor_map.h"
#include "emulator/described_matrix.h"
#include "emulator/tensor_box.h"
#include "emulator/tensor_sum.h"
#include "machine/general.h"
#include "ptx/fragment.h"

namespace tilescope::machine {
namespace {

using emulator::TensorLine;
using ptx::Type;
using sass::Field;
using sass::Opcode;

/// The mbarrier object in its 64 bits. What mbarrier.init stores is 2^20 less the arrivals of a phase, from bit 1 on
/// and from bit 43 on, and the waits look for the phase in bit 63: so each arrival adds one from bit 1 on. The bytes
/// that are still to come are counted between; where hardware counts them is not known.
class Mbarrier {
 public:
  explicit Mbarrier(std::byte* at) : at_(at) { std::memcpy(&bits_, at, sizeof bits_); }
  void arrive(uint64_t count) {
    set(kArrivals, get(kArrivals) + count);
    finish_phase();
  }
  void expect_bytes(uint64_t bytes) { set(kBytes, get(kBytes) + bytes); }
  void complete_bytes(uint64_t bytes) {
    set(kBytes, get(kBytes) - bytes);
    finish_phase();
  }
  bool phase() const { return bits_ >> 63; }
  uint64_t bits() const { return bits_; }

 private:
  struct Part {
    uint32_t at, width;
  };
  static constexpr Part kArrivals{1, 20}, kBytes{22, 21}, kPerPhase{43, 20};
  uint64_t get(Part part) const { return bits_ >> part.at & ((uint64_t{1} << part.width) - 1); }
  void set(Part part, uint64_t value) {
    const uint64_t ones = ((uint64_t{1} << part.width) - 1) << part.at;
    bits_ = (bits_ & ~ones) | (value << part.at & ones);
    std::memcpy(at_, &bits_, sizeof bits_);
  }
  // All have arrived when their number has run over, to 0.
  void finish_phase() {
    if (get(kArrivals) != 0 || get(kBytes) != 0) return;
    bits_ ^= uint64_t{1} << 63;
    set(kArrivals, get(kPerPhase));
  }
  std::byte* at_;
  uint64_t bits_ = 0;
};

constexpr uint32_t kMbarrierBytes = 8;

/// The object at an offset of a block's shared memory; null after a fault has been recorded.
std::byte* mbarrier_at(Warp& warp, uint64_t address, Block::Impl* block) {
  const uint64_t offset = address & kSharedOffset;
  if (block && offset % kMbarrierBytes == 0 && offset + kMbarrierBytes <= block->shared.size())
    return block->shared.data() + offset;
  warp.block->fail(warp, 0, address, Message("an mbarrier outside of the shared memory"));
  return nullptr;
}
std::byte* mbarrier_at(Warp& warp, uint64_t address) { return mbarrier_at(warp, address, warp.block); }

void exchange_mbarrier(Warp& warp, const Step& step, uint32_t) {  // SYNCS.EXCH.64, once for the warp
  const sass::Instruction& in = *step.in;
  const Program::Impl& program = warp.launched->program->impl();
  Access& access = new_access(warp, Space::Shared, AccessKind::Atomic, kMbarrierBytes, 1);
  access.addresses[0] = warp.row(program.uniform_row(in.address.uniform))[0] + static_cast<uint32_t>(in.address.offset);
  std::byte* at = mbarrier_at(warp, access.addresses[0]);
  if (!at) return;
  const uint32_t words[2] = {warp.row(step.b.row)[0], warp.row(step.b.high)[0]};
  uint32_t old[2];
  std::memcpy(old, at, sizeof old);
  std::memcpy(at, words, sizeof words);
  std::fill_n(warp.written(step.d), kLanes, old[0]);
  std::fill_n(warp.written(step.d_high), kLanes, old[1]);
}

void arrive(Warp& warp, const Step& step, uint32_t mask) {  // SYNCS.ARRIVE.TRANS64, lane after lane
  const sass::Instruction& in = *step.in;
  enum Counts : uint8_t { kOneAndBytes, kOne, kNoneOneByte, kBytes, kBytesOfImmediate, kMany };
  Access& access = new_access(warp, Space::Shared, AccessKind::Atomic, kMbarrierBytes, mask);
  read_addresses(warp, step, in.address, Space::Shared, access.addresses.data());
  const uint32_t* amount = warp.row(step.b.row);
  alignas(64) uint32_t token[kLanes] = {};
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    // .RED: in another block of the cluster, whose rank is in the address.
    Block::Impl* block = in[Field::Mode] == kRemoteArrival
                             ? warp.block->of_rank(static_cast<uint32_t>(access.addresses[l] >> kRankShift))
                             : warp.block;
    std::byte* at = mbarrier_at(warp, access.addresses[l], block);
    if (!at) return;
    Mbarrier barrier(at);
    token[l] = static_cast<uint32_t>(barrier.bits() >> 32);
    switch (in[Field::Operation]) {
      case kOneAndBytes:
        barrier.expect_bytes(amount[l]);
        barrier.arrive(1);
        break;
      case kOne: barrier.arrive(1); break;
      case kNoneOneByte: break;  // For a copy, which has landed.
      case kBytes: barrier.expect_bytes(amount[l]); break;
      default: barrier.arrive(amount[l]); break;
    }
  }
  commit(warp.written(step.d), token, mask);
}
bool arrival_is_executed(const sass::Instruction& in) {
  const uint8_t counts = in[Field::Operation];
  return (counts <= 3 || counts == 5) && in[Field::Mode] != 1;
}

/// SYNCS.PHASECHK: whether the phase whose parity is the upper bit of the register is over.
void check_phase(Warp& warp, const Step& step, uint32_t mask) {
  Access& access = new_access(warp, Space::Shared, AccessKind::Load, kMbarrierBytes, mask);
  read_addresses(warp, step, step.in->address, Space::Shared, access.addresses.data());
  const uint32_t* awaited = warp.row(step.b.row);
  uint32_t over = 0;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    std::byte* at = mbarrier_at(warp, access.addresses[l]);
    if (!at) return;
    over |= static_cast<uint32_t>(Mbarrier(at).phase() != (awaited[l] >> 31 != 0)) << l;
  }
  warp.issue->awaits_phase = over != mask;
  commit_predicate(warp, step.p0, over, mask);
}

/// ARRIVES.LDGSTSBAR: the lanes' copies have landed. With .TRANSCNT each had first been added to those that must
/// arrive.
void arrive_after_copies(Warp& warp, const Step& step, uint32_t mask) {
  const sass::Instruction& in = *step.in;
  Access& access = new_access(warp, Space::Shared, AccessKind::Atomic, kMbarrierBytes, mask);
  read_addresses(warp, step, in.address, Space::Shared, access.addresses.data());
  constexpr uint8_t kArrives = 1;
  for (uint32_t lanes = in [Field::Mode] == kArrives ? mask : 0; lanes; lanes &= lanes - 1) {
    std::byte* at = mbarrier_at(warp, access.addresses[static_cast<uint32_t>(std::countr_zero(lanes))]);
    if (!at) return;
    Mbarrier(at).arrive(1);
  }
}

uint32_t uniform(const Warp& warp, uint32_t index) {
  return warp.row(warp.launched->program->impl().uniform_row(index))[0];
}
uint64_t uniform_pair(const Warp& warp, uint32_t index) {
  return uint64_t{uniform(warp, index + 1)} << 32 | uniform(warp, index);
}

/// What a copy of one box moves, and to which blocks.
struct Copied {
  std::vector<trace::BulkCopy::Piece> pieces;
  uint64_t bytes = 0;
  bool to_shared = true;
  const TensorMap* map = nullptr;
  bool moves = true;  ///< See Block::Impl::moves().
};

/// Moves one piece between global and shared memory of a block; false after a fault.
bool move_piece(Warp& warp, Block::Impl& block, const trace::BulkCopy::Piece& piece, const Copied& copied) {
  const bool to_shared = copied.to_shared;
  const TensorMap* map = copied.map;
  const uint64_t offset = piece.shared;
  if (offset + piece.bytes > block.shared.size()) {
    warp.block->fail(warp, 0, offset, Message("a bulk copy outside of the block's shared memory"));
    return false;
  }
  std::byte* shared = block.shared.data() + offset;
  if (piece.global == trace::BulkCopy::kNowhere) {
    if (!copied.moves) return true;
    const uint16_t fill = map && map->fills_with_nan ? emulator::kFilledNan : 0;
    for (uint32_t at = 0; to_shared && at + sizeof fill <= piece.bytes; at += sizeof fill)
      std::memcpy(shared + at, &fill, sizeof fill);
    return true;
  }
  std::byte* global = block.at_global(piece.global, piece.bytes);
  if (!global) {
    warp.block->fail(warp, 0, piece.global, Message("a bulk copy outside of every array"));
    return false;
  }
  if (!copied.moves) return true;
  if (!to_shared) block.before_store(global, piece.bytes);
  std::memcpy(to_shared ? shared : global, to_shared ? global : shared, piece.bytes);
  for (uint32_t at = 0; to_shared && map && map->rounds_to_tf32 && at < piece.bytes; at += 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, shared + at, sizeof bits);
    bits = emulator::tf32_bits(bits);
    std::memcpy(shared + at, &bits, sizeof bits);
  }
  return true;
}

/// The copy in each block of `blocks`, a bit for each rank, and its bytes on the mbarrier at the same place there.
void land(Warp& warp, const Copied& copied, uint32_t blocks, uint64_t barrier) {
  const uint32_t reached = blocks;
  for (; blocks; blocks &= blocks - 1) {
    Block::Impl* block = warp.block->of_rank(static_cast<uint32_t>(std::countr_zero(blocks)));
    if (!block) {
      warp.block->fail(warp, 0, 0, Message("a bulk copy to a block that the cluster does not have"));
      return;
    }
    for (const trace::BulkCopy::Piece& piece : copied.pieces)
      if (!move_piece(warp, *block, piece, copied)) return;
    if (warp.block->follows_clock) {
      BulkCopy& begun = warp.issue->copy;
      warp.issue->copies = true;
      begun.pieces.clear();
      for (const trace::BulkCopy::Piece& piece : copied.pieces)
        if (piece.global != trace::BulkCopy::kNowhere) begun.pieces.push_back({piece.global, piece.bytes});
      begun.to_shared = copied.to_shared;
      begun.blocks = reached;
      begun.barrier = barrier & kSharedOffset;
      begun.bytes = copied.bytes;
      continue;
    }
    if (!copied.to_shared) continue;
    if (std::byte* object = mbarrier_at(warp, barrier, block)) Mbarrier(object).complete_bytes(copied.bytes);
  }
}

void copy_box(Warp& warp, const Step& step, uint32_t) {  // UTMALDG, UTMASTG: once for the warp
  const sass::Instruction& in = *step.in;
  const bool loads = in.opcode == Opcode::UTMALDG;
  const uint32_t at = in.address.uniform;
  const uint64_t shared = uniform(warp, at), map_address = uniform_pair(warp, in.from.uniform);
  const std::byte* packed = constant_or_global(warp, map_address, TensorMap::kBytes);
  const std::optional<TensorMap> map = packed ? unpack_tensor_map(packed) : std::nullopt;
  if (!map || map->dimensions != in[Field::Dimensions] + 1u) {
    warp.block->fail(warp, 0, map_address, Message("a tensor copy whose tensor map is not there"));
    return;
  }
  std::vector<int64_t> corner;
  for (uint32_t d = 0; d < map->dimensions; ++d)
    corner.push_back(static_cast<int32_t>(uniform(warp, at + (loads ? 2 : 1) + d)));
  Copied copied;
  copied.pieces = emulator::box_pieces(*map, corner, shared & kSharedOffset);
  copied.bytes = map->box_bytes();
  copied.to_shared = loads;
  copied.map = &*map;
  copied.moves = warp.block->moves(step);
  const uint32_t blocks = loads && in[Field::Multicast] ? warp.row(step.c.row)[0] >> 16 : 1u << (shared >> kRankShift);
  land(warp, copied, blocks, loads ? uniform(warp, at + 1) : 0);
}

void copy_bytes(Warp& warp, const Step& step, uint32_t) {  // UBLKCP
  const sass::Instruction& in = *step.in;
  const bool loads = in[Field::Order] == kCopyToShared;
  const uint32_t to = in.address.uniform, from = in.from.uniform;
  const uint64_t shared = uniform(warp, loads ? to : from), global = uniform_pair(warp, loads ? from : to);
  const uint32_t bytes = warp.row(step.c.row)[0] * 16;  // Counted in pieces of 16.
  Copied copied;
  copied.pieces = {{shared & kSharedOffset, global, bytes}};
  copied.bytes = bytes;
  copied.to_shared = loads;
  copied.moves = warp.block->moves(step);
  land(warp, copied, 1u << (shared >> kRankShift), loads ? uniform(warp, to + 1) : 0);
}

void take_registers(Warp& warp, const Step& step, uint32_t) {  // USETMAXREG: there are always enough.
  commit_predicate(warp, step.p0, ~0u, ~0u);
}

/// K lines of a matrix in shared memory, one after another.
std::vector<double> described_lines(Warp& warp, uint64_t descriptor, Type type, bool transposed, uint32_t first,
                                    uint32_t count, uint32_t k_count) {
  const uint32_t bytes = ptx::size_of(type);
  const emulator::DescribedMatrix matrix(descriptor, bytes, transposed);
  std::vector<double> values(size_t{count} * k_count);
  if (const Message problem = matrix.problem(); !problem.empty()) {
    warp.block->fail(warp, 0, descriptor, Message("a matrix descriptor with {}", problem));
    return values;
  }
  const std::vector<std::byte>& shared = warp.block->shared;
  for (uint32_t line = 0; line < count; ++line)
    for (uint32_t k = 0; k < k_count; ++k) {
      const uint64_t address = matrix.address(first + line, k);
      uint32_t word = 0;
      if (address + bytes > shared.size()) {
        warp.block->fail(warp, 0, address, Message("a matrix outside of the block's shared memory"));
        return values;
      }
      std::memcpy(&word, shared.data() + address, bytes);
      values[size_t{line} * k_count + k] = emulator::fragment_element(type, word, 0);
    }
  return values;
}

/// HGMMA: D = A B + D, the warp's 16 rows of 64.
void group_product(Warp& warp, const Step& step, uint32_t mask) {
  const sass::Instruction& in = *step.in;
  constexpr Type kTypes[] = {Type::F16, Type::BF16, Type::TF32, Type::F16};
  const Type type = kTypes[in[Field::SourceType]], sum_type = in[Field::Type] ? Type::F32 : Type::F16;
  const uint32_t parts = type == Type::TF32 ? 1 : 2, k_count = 8 * parts, n = 8 * (in[Field::Shape] % 32u + 1);
  const bool from_registers = in.opcode == Opcode::HGMMA_R;
  const uint32_t first_row = warp.index % ptx::kWarpsOfGroup * ptx::kRowsOfWarp;
  std::vector<double> a(size_t{ptx::kRowsOfWarp} * k_count);
  if (from_registers) {
    for (uint32_t l = 0; l < kLanes; ++l)
      for (uint32_t w = 0; w < 4; ++w)
        for (uint32_t part = 0; part < parts; ++part) {
          const ptx::FragmentPlace at = ptx::place_in_a(l, w, part, parts);
          a[at.row * k_count + at.column] =
              emulator::fragment_element(type, (warp.row(step.a.row) + w * kLanes)[l], part);
        }
  } else {
    a = described_lines(warp, uniform_pair(warp, in.a.index), type, in[Field::TransposeA], first_row, ptx::kRowsOfWarp,
                        k_count);
  }
  const uint64_t b_descriptor = uniform_pair(warp, from_registers ? in.b.index + 2u : in.a.index + 2u);
  const std::vector<double> b = described_lines(warp, b_descriptor, type, in[Field::TransposeB], 0, n, k_count);
  const double sign = in[Field::NegateA] != in[Field::NegateB] ? -1 : 1;
  std::vector<TensorLine> rows, columns;
  for (uint32_t i = 0; i < ptx::kRowsOfWarp; ++i)
    rows.push_back(emulator::tensor_line(type, &a[size_t{i} * k_count], 1, k_count));
  for (uint32_t i = 0; i < n; ++i) columns.push_back(emulator::tensor_line(type, &b[size_t{i} * k_count], 1, k_count));
  const bool adds = (warp.predicates[step.q0] ^ step.q0_flip) != 0 && in.c.index != sass::kZeroRegister;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    for (uint32_t e = 0; e < n / 2; ++e) {
      const ptx::FragmentPlace at = ptx::place_in_c(l, e);
      const uint32_t word = sum_type == Type::F16 ? e / 2 : e, part = sum_type == Type::F16 ? e % 2 : 0;
      const double before =
          adds ? emulator::fragment_element(sum_type, (warp.row(step.c.row) + word * kLanes)[l], part) : 0;
      const double sum = emulator::tensor_sum(rows[at.row], columns[at.column], k_count, sign, before, sum_type);
      emulator::put_sum(sum_type, sum, part, (warp.written(step.d) + word * kLanes)[l]);
    }
  }
}

void arrive_at_cluster(Warp& warp, const Step&, uint32_t mask) { warp.block->arrive_at_cluster(warp, mask); }

}  // namespace

void Block::land(const BulkCopy& copy) {
  if (copy.to_shared && copy.barrier + kMbarrierBytes <= impl_->shared.size())
    Mbarrier(impl_->shared.data() + copy.barrier).complete_bytes(copy.bytes);
}

Handler select_async(const Step& step) {
  const sass::Instruction& in = *step.in;
  switch (in.opcode) {
    case Opcode::SYNCS_EXCH: return &exchange_mbarrier;
    case Opcode::SYNCS_ARRIVE: return arrival_is_executed(in) ? &arrive : nullptr;
    case Opcode::SYNCS_PHASECHK: return &check_phase;
    case Opcode::ARRIVES: return &arrive_after_copies;
    case Opcode::UTMALDG:
    case Opcode::UTMASTG: return &copy_box;
    case Opcode::UBLKCP:
      return in[Field::Order] == kCopyToShared || in[Field::Order] == kCopyToGlobal ? &copy_bytes : nullptr;
    case Opcode::USETMAXREG: return &take_registers;
    case Opcode::HGMMA:
    case Opcode::HGMMA_R: return &group_product;
    case Opcode::UCGABAR_ARV: return &arrive_at_cluster;
    default: return nullptr;
  }
}

}  // namespace tilescope::machine
