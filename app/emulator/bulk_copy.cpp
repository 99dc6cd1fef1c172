// cp.async.bulk and its tensor form: copies issued by one thread that complete on an mbarrier or in a bulk group.

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "base/tensor_map.h"
#include "emulator/block.h"
#include "emulator/scalar.h"
#include "emulator/tensor_box.h"

namespace tilescope::emulator {
namespace {

using trace::BulkCopy;
using trace::FaultKind;
using trace::kLanes;
using trace::SyncKind;

constexpr uint64_t kPieceBytes = 16;
constexpr uint64_t kTensorAlignment = 128;  ///< Of a box in shared memory.

uint64_t lane_value(const Warp& warp, const OperandRow& operand, uint32_t lane) {
  return read_lane(warp.file + operand.row, operand.lane_size, lane) + static_cast<uint64_t>(operand.offset);
}

uint32_t thread_of(const Warp& warp, uint32_t lane) { return warp.index * kLanes + lane; }

/// The pieces of a box, row by row in the order of shared memory.
class BoxPieces {
 public:
  BoxPieces(const TensorMap& map, const std::vector<int64_t>& corner, uint64_t shared)
      : map_(map), corner_(corner), first_(shared) {}

  std::vector<BulkCopy::Piece> make() {
    uint64_t rows = 1;
    for (size_t d = 1; d < map_.dimensions; ++d) rows *= map_.rows(d);
    for (uint64_t row = 0; row < rows; ++row) add_row(row);
    return std::move(pieces_);
  }

 private:
  // Elements of the row inside the tensor are copied, the others filled.
  void add_row(uint64_t number) {
    uint64_t row = number;
    const auto width = static_cast<int64_t>(map_.box[0]), extent = static_cast<int64_t>(map_.extent[0]);
    uint64_t address = map_.address;
    bool inside = true;
    for (size_t d = 1; d < map_.dimensions; ++d) {
      const int64_t at = corner_[d] + static_cast<int64_t>(row % map_.rows(d) * map_.step[d]);
      row /= map_.rows(d);
      inside = inside && at >= 0 && at < static_cast<int64_t>(map_.extent[d]);
      address += static_cast<uint64_t>(at) * map_.stride[d];
    }
    const int64_t first = inside ? std::clamp<int64_t>(-corner_[0], 0, width) : width;
    const int64_t end = std::clamp<int64_t>(extent - corner_[0], first, width);
    begins_row_ = true;
    shared_ = first_ + number * map_.row_pitch();
    add(BulkCopy::kNowhere, first);
    add(address + static_cast<uint64_t>(corner_[0] + first) * map_.stride[0], end - first);
    add(BulkCopy::kNowhere, width - end);
  }

  void add(uint64_t global, int64_t elements) {
    uint64_t bytes = static_cast<uint64_t>(elements) * map_.stride[0];
    while (bytes > 0) {
      // A swizzle moves 16 bytes at a time.
      const uint64_t length =
          map_.swizzle == Swizzle::None ? bytes : std::min(bytes, kPieceBytes - shared_ % kPieceBytes);
      pieces_.push_back({swizzled(map_.swizzle, shared_), global, static_cast<uint32_t>(length), begins_row_});
      begins_row_ = false;
      shared_ += length;
      bytes -= length;
      if (global != BulkCopy::kNowhere) global += length;
    }
  }

  const TensorMap& map_;
  const std::vector<int64_t>& corner_;
  uint64_t first_, shared_ = 0;
  bool begins_row_ = true;
  std::vector<BulkCopy::Piece> pieces_;
};

}  // namespace

std::vector<BulkCopy::Piece> box_pieces(const TensorMap& map, const std::vector<int64_t>& corner, uint64_t shared) {
  return BoxPieces(map, corner, shared).make();
}

uint32_t tf32_bits(uint32_t bits) {
  const bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
  return (is_finite ? bits + 0xfffu + (bits >> 13 & 1u) : bits) & 0xffffe000u;
}

namespace {

/// A lane's request, and what is wrong with it.
struct Asked {
  PendingBulk copy;
  Message problem;
};

Message shared_problem(const Block& block, uint64_t address, uint64_t bytes, uint64_t alignment) {
  if (address % alignment != 0) return Message("its shared address, {}, is not a multiple of {}", address, alignment);
  if (address > block.shared_bytes || bytes > block.shared_bytes - address)
    return Message("its {} bytes at shared address {} end past the block's {} bytes of shared memory", bytes, address,
                   block.shared_bytes);
  return {};
}

Asked plain_copy(Warp& warp, const DecodedInstruction& in, uint32_t lane) {
  Asked asked;
  const uint64_t bytes = lane_value(warp, in.bulk->bytes, lane);
  const uint64_t shared =
      place_of(warp, in.pc, Space::Shared, lane_value(warp, in.bulk->shared, lane), lane, 0).address;
  const uint64_t global = lane_value(warp, in.bulk->global, lane);
  asked.copy.bytes = static_cast<uint32_t>(bytes);
  asked.problem = shared_problem(*warp.block, shared, bytes, kPieceBytes);
  if (bytes % kPieceBytes != 0) asked.problem = Message("its {} bytes are not a multiple of 16", bytes);
  if (global % kPieceBytes != 0) asked.problem = Message("its global address, 0x{:x}, is not a multiple of 16", global);
  if (asked.problem.empty() && !place_of(warp, in.pc, Space::Global, global, lane, bytes).host)
    asked.problem = Message("its {} bytes at global address 0x{:x} are not inside one array", bytes, global);
  if (asked.problem.empty()) asked.copy.pieces = {{shared, global, static_cast<uint32_t>(bytes)}};
  return asked;
}

Asked tensor_copy(Warp& warp, const DecodedInstruction& in, uint32_t lane) {
  Asked asked;
  const uint64_t at = lane_value(warp, in.bulk->global, lane);
  const Place place = place_of(warp, in.pc, Space::Generic, at, lane, TensorMap::kBytes);
  const std::optional<TensorMap> map = place.host ? unpack_tensor_map(place.host) : std::nullopt;
  if (!map) {
    asked.problem = Message("there is no tensor map at its address; pass one as a __grid_constant__ argument");
    return asked;
  }
  asked.copy.bytes = static_cast<uint32_t>(map->box_bytes());
  if (map->dimensions != in.text->dimensions) {
    asked.problem = Message("its tensor map has {} dimensions", map->dimensions);
    return asked;
  }
  std::vector<int64_t> corner;
  for (const OperandRow& coordinate : in.bulk->coordinates)
    corner.push_back(static_cast<int32_t>(lane_value(warp, coordinate, lane)));
  const uint64_t shared =
      place_of(warp, in.pc, Space::Shared, lane_value(warp, in.bulk->shared, lane), lane, 0).address;
  asked.problem = shared_problem(*warp.block, shared, map->shared_bytes(), kTensorAlignment);
  // An H200 ends with an illegal instruction where a row of the box does not begin at a multiple of 16 bytes.
  if (corner[0] * static_cast<int64_t>(map->stride[0]) % static_cast<int64_t>(kPieceBytes) != 0)
    asked.problem = Message("its innermost coordinate, {}, is not a multiple of 16 bytes", corner[0]);
  if (!asked.problem.empty()) return asked;
  asked.copy.rounds_to_tf32 = map->rounds_to_tf32;
  asked.copy.fills_with_nan = map->fills_with_nan;
  asked.copy.pieces = box_pieces(*map, corner, shared);
  for (const BulkCopy::Piece& piece : asked.copy.pieces)
    if (piece.global != BulkCopy::kNowhere &&
        !place_of(warp, in.pc, Space::Global, piece.global, lane, piece.bytes).host)
      asked.problem = Message("its tensor map reaches 0x{:x}, where there is no array", piece.global);
  if (!asked.problem.empty()) asked.copy.pieces.clear();
  return asked;
}

void move_piece(Block& block, Warp& warp, const PendingBulk& copy, const BulkCopy::Piece& piece) {
  std::byte* shared = block.shared.data() + piece.shared;
  if (piece.global == BulkCopy::kNowhere) {
    const uint16_t fill = copy.fills_with_nan ? kFilledNan : 0;
    for (uint32_t offset = 0; copy.to_shared && offset + sizeof fill <= piece.bytes; offset += sizeof fill)
      std::memcpy(shared + offset, &fill, sizeof fill);
    return;
  }
  std::byte* global = place_of(warp, copy.at.pc, Space::Global, piece.global, 0, piece.bytes).host;
  if (!global) return;  // Freed since.
  std::memcpy(copy.to_shared ? shared : global, copy.to_shared ? global : shared, piece.bytes);
  for (uint32_t offset = 0; copy.to_shared && copy.rounds_to_tf32 && offset < piece.bytes; offset += 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, shared + offset, sizeof bits);
    bits = tf32_bits(bits);
    std::memcpy(shared + offset, &bits, sizeof bits);
  }
}

/// The blocks whose shared memory is written or read: with .multicast::cluster those in the mask, at the same offset.
std::vector<Block*> receivers_of(Warp& warp, const DecodedInstruction& in, uint32_t lane, Message& problem) {
  Block* own = warp.block;
  if (!in.text->multicast) return {own};
  std::vector<Block*> receivers;
  const uint64_t mask = lane_value(warp, in.bulk->blocks, lane);
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if (!(mask >> rank & 1)) continue;
    if (rank >= own->cluster->blocks.size())
      problem = Message("its mask names block {} of the cluster, which has {}", rank, own->cluster->blocks.size());
    else
      receivers.push_back(own->cluster->blocks[rank]);
  }
  return receivers;
}

void issue(Warp& warp, const DecodedInstruction& in, uint32_t lane) {
  const bool is_tensor = in.text->op == ptx::Op::CpAsyncBulkTensor;
  Asked asked = is_tensor ? tensor_copy(warp, in, lane) : plain_copy(warp, in, lane);
  PendingBulk& copy = asked.copy;
  copy.at = warp.step(in.pc, 1u << lane);
  copy.to_shared = !in.text->bulk_group;
  if (copy.to_shared)
    copy.barrier = static_cast<uint32_t>(
        place_of(warp, in.pc, Space::Shared, lane_value(warp, in.bulk->barrier, lane), lane, 8).address);
  const std::vector<Block*> receivers = receivers_of(warp, in, lane, asked.problem);
  if (!asked.problem.empty())
    warp.block->fault(warp, FaultKind::BadCopy, in.pc, 1u << lane, 1u << lane, std::move(asked.problem));
  uint32_t ranks = 0;
  for (const Block* receiver : receivers) ranks |= 1u << receiver->rank;
  if (warp.observer && !copy.pieces.empty())
    warp.observer->bulk_copy({copy.at, copy.to_shared, copy.barrier, &copy.pieces, ranks});
  for (Block* receiver : receivers) receiver->bulk_copies.push_back(copy);
}

}  // namespace

void land_bulk(Block& block, const PendingBulk& copy) {
  Warp& warp = block.warps[copy.at.warp];
  for (const BulkCopy::Piece& piece : copy.pieces) move_piece(block, warp, copy, piece);
}

void bulk_copy(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  for (uint32_t m = mask; m; m &= m - 1) issue(warp, in, static_cast<uint32_t>(std::countr_zero(m)));
}

void bulk_commit(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  Block& block = *warp.block;
  for (PendingBulk& copy : block.bulk_copies)
    if (!copy.to_shared && copy.at.warp == warp.index && copy.at.active & mask &&
        copy.group == PendingBulk::kUncommitted)
      copy.group = block.bulk_groups[thread_of(warp, static_cast<uint32_t>(std::countr_zero(copy.at.active)))];
  for (uint32_t m = mask; m; m &= m - 1)
    ++block.bulk_groups[thread_of(warp, static_cast<uint32_t>(std::countr_zero(m)))];
  if (warp.observer) warp.observer->sync({warp.step(in.pc, mask), SyncKind::BulkCommit, 0, mask});
}

// A copy completes here with .read, too: only its write to global memory could still be in flight.
void bulk_wait(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  Block& block = *warp.block;
  const auto in_flight = static_cast<uint32_t>(in.text->operands[0].bits);
  const auto is_due = [&](const PendingBulk& copy) {
    if (copy.to_shared || copy.at.warp != warp.index || !(copy.at.active & mask)) return false;
    const uint32_t thread = thread_of(warp, static_cast<uint32_t>(std::countr_zero(copy.at.active)));
    return copy.group != PendingBulk::kUncommitted && uint64_t{copy.group} + in_flight < block.bulk_groups[thread];
  };
  for (const PendingBulk& copy : block.bulk_copies)
    if (is_due(copy)) land_bulk(block, copy);
  std::erase_if(block.bulk_copies, is_due);
  if (warp.observer) warp.observer->sync({warp.step(in.pc, mask), SyncKind::BulkWait, in_flight, mask});
}

// Copies to global memory complete even if nobody waited; on a GPU their source may be gone by then.
void end_bulk_copies(Block& block) {
  for (const PendingBulk& copy : block.bulk_copies) {
    Warp& warp = block.warps[copy.at.warp];
    if (!copy.to_shared) land_bulk(block, copy);
    if (!warp.observer) continue;
    trace::Fault fault;
    fault.at = copy.at;
    fault.kind = FaultKind::UnwaitedCopy;
    fault.lanes = copy.at.active;
    warp.observer->fault(fault);
  }
  block.bulk_copies.clear();
}

namespace {

// PTX ISA, "setmaxnreg": 24 to 256 registers a thread, in steps of eight.
Message register_problem(const Warp& warp, uint64_t count, uint32_t mask) {
  if (count < 24 || count > 256 || count % 8 != 0)
    return Message("{} registers: the count must be 24 to 256 and a multiple of 8", count);
  if (mask != warp.live) return Message("the warp's other lanes do not execute it");
  return {};
}

}  // namespace

void set_register_count(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const uint64_t count = in.text->operands[0].bits;
  Message problem = register_problem(warp, count, mask);
  if (!problem.empty()) warp.block->fault(warp, FaultKind::BadRegisterCount, in.pc, mask, mask, std::move(problem));
}

}  // namespace tilescope::emulator
