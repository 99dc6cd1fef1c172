// mma.sync and wmma.mma: a product of small matrices by a warp, each lane holding a fragment of each.
// wgmma: the same by four warps, asynchronously, with matrices in shared memory.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "emulator/block.h"
#include "emulator/described_matrix.h"
#include "emulator/scalar.h"
#include "emulator/tensor_sum.h"
#include "ptx/fragment.h"
#include "ptx/opcode_table.h"

namespace tilescope::emulator {
namespace fragments {
#include "emulator/lane_types.h"
}
double fragment_element(ptx::Type type, uint32_t word, uint32_t part) {
  const auto half = static_cast<uint16_t>(word >> 16 * (part % 2));
  switch (type) {
    case ptx::Type::F16: return fragments::to_float(std::bit_cast<fragments::Half>(half));
    case ptx::Type::BF16: return fragments::to_float(std::bit_cast<fragments::BHalf>(half));
    case ptx::Type::TF32: return std::bit_cast<float>(word & 0xffffe000u);
    case ptx::Type::U8: return static_cast<uint8_t>(word >> 8 * part);
    case ptx::Type::S8: return static_cast<int8_t>(word >> 8 * part);
    case ptx::Type::S32: return static_cast<int32_t>(word);
    default: return std::bit_cast<float>(word);
  }
}

void put_sum(ptx::Type type, double sum, uint32_t part, uint32_t& word) {
  if (type == ptx::Type::F16) {
    const auto half = std::bit_cast<uint16_t>(fragments::from_float<fragments::Half>(odd_float(sum)));
    constexpr uint16_t kNegativeZero = 0x8000;
    word = (word & ~(0xffffu << 16 * part)) | (half == kNegativeZero ? 0u : uint32_t{half}) << 16 * part;
    return;
  }
  word = std::bit_cast<uint32_t>(fragments::canonical(cut_to_float(sum)));
}

namespace {

using ptx::kRowsOfWarp;
using ptx::kWarpsOfGroup;
using ptx::SlotKind;
using ptx::Type;
using trace::kLanes;

uint32_t word_of(const Warp& warp, uint32_t row, uint32_t lane) {
  return reinterpret_cast<const uint32_t*>(warp.file + row)[lane];
}
double double_of(const Warp& warp, uint32_t row, uint32_t lane) {
  return reinterpret_cast<const double*>(warp.file + row)[lane];
}

/// The register, and the part of it, of element e of a lane's fragment of C or D.
struct WordPart {
  uint32_t index, part;
};
WordPart part_of(Type type, uint32_t e) { return type == Type::F16 ? WordPart{e / 2, e % 2} : WordPart{e, 0}; }

/// The operands of mma and wmma as matrices, row by row. The largest factor is 32 x 16, all sums are 256 elements at
/// most.
struct Product {
  double a[512], b[512], c[256];
};
constexpr uint32_t kMostColumns = 32;  ///< Of C.

/// Puts the fragments in `rows` into a matrix of that many columns.
void read_matrix(const Warp& warp, Type type, const std::vector<ptx::FragmentPlace>& places, const uint32_t* rows,
                 uint32_t columns, double* values) {
  const uint32_t parts = ptx::elements_of_register(type);
  const ptx::FragmentPlace* place = places.data();
  const auto registers = static_cast<uint32_t>(places.size() / kLanes / parts);
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t r = 0; r < registers; ++r)
      for (uint32_t part = 0; part < parts; ++part, ++place)
        values[place->row * columns + place->column] = type == Type::F64
                                                           ? double_of(warp, rows[r], lane)
                                                           : fragment_element(type, word_of(warp, rows[r], lane), part);
}

/// c += a b.
void add_products(Product& product, const ptx::Instruction& text) {
  const ptx::MatrixShape& shape = text.shape;
  if (text.type == Type::S32) {
    for (uint32_t k = 0; k < shape.k; ++k)
      for (uint32_t i = 0; i < shape.m; ++i)
        for (uint32_t j = 0; j < shape.n; ++j)
          product.c[i * shape.n + j] += product.a[i * shape.k + k] * product.b[k * shape.n + j];
    return;
  }
  if (text.type == Type::F64) {
    for (uint32_t i = 0; i < shape.m; ++i)
      for (uint32_t j = 0; j < shape.n; ++j) {
        double& c = product.c[i * shape.n + j];
        c = sum_of_doubles(product.a + size_t{i} * shape.k, 1, product.b + j, shape.n, shape.k, c, text.rounding);
      }
    return;
  }
  std::array<TensorLine, kMostColumns> columns;
  for (uint32_t j = 0; j < shape.n; ++j) columns[j] = tensor_line(text.factor_type, product.b + j, shape.n, shape.k);
  for (uint32_t i = 0; i < shape.m; ++i) {
    const TensorLine row = tensor_line(text.source_type, product.a + size_t{i} * shape.k, 1, shape.k);
    for (uint32_t j = 0; j < shape.n; ++j) {
      double& c = product.c[i * shape.n + j];
      c = tensor_sum(row, columns[j], shape.k, 1, c, text.addend_type);
    }
  }
}

/// A sum of integers cut to 32 bits, or with .satfinite clamped to them.
uint32_t integer_sum(double sum, bool saturates) {
  if (saturates) return static_cast<uint32_t>(static_cast<int32_t>(std::clamp(sum, -0x1p31, 0x1p31 - 1)));
  return static_cast<uint32_t>(static_cast<int64_t>(sum));
}

void write_result(Warp& warp, const DecodedInstruction& in, uint32_t mask, const Product& product) {
  const Type type = in.text->type;
  const ptx::FragmentPlace* place = in.fragments->c.data();
  const auto count = static_cast<uint32_t>(in.fragments->c.size() / kLanes);
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t e = 0; e < count; ++e, ++place) {
      if (!(mask >> lane & 1)) continue;
      const WordPart part = part_of(type, e);
      const double sum = product.c[place->row * in.text->shape.n + place->column];
      uint32_t& word = *(reinterpret_cast<uint32_t*>(warp.file + in.rows[part.index]) + lane);
      if (type == Type::F64)
        reinterpret_cast<double*>(warp.file + in.rows[part.index])[lane] = sum;
      else if (type == Type::S32)
        word = integer_sum(sum, in.text->sat_finite);
      else
        put_sum(type, sum, part.part, word);
    }
}

}  // namespace

void matrix_multiply(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const ptx::Instruction& text = *in.text;
  const uint32_t* of_b = in.source_rows + fragment_registers(text, SlotKind::Fa);
  const uint32_t* of_c = of_b + fragment_registers(text, SlotKind::Fb);
  Product product;
  read_matrix(warp, text.source_type, in.fragments->a, in.source_rows, text.shape.k, product.a);
  read_matrix(warp, text.factor_type, in.fragments->b, of_b, text.shape.n, product.b);
  read_matrix(warp, text.addend_type, in.fragments->c, of_c, text.shape.n, product.c);
  add_products(product, text);
  write_result(warp, in, mask, product);
}

namespace {

DescribedMatrix described_a(const PendingProduct& product) {
  return {product.a, ptx::size_of(product.in->text->source_type), product.in->wide->transposes_a};
}
DescribedMatrix described_b(const PendingProduct& product) {
  return {product.b, ptx::size_of(product.in->text->source_type), product.in->wide->transposes_b};
}
/// Of A and D, 64 rows, those of the warp.
uint32_t first_row_of(const Warp& warp) { return warp.index % kWarpsOfGroup * kRowsOfWarp; }

/// The matrix, line by line; elements outside the block's shared memory read as zeros and are published.
std::vector<double> read_described(Warp& warp, const PendingProduct& product, const DescribedMatrix& matrix,
                                   uint32_t lines, std::string_view which) {
  const ptx::Instruction& text = *product.in->text;
  const uint32_t k_count = text.shape.k, bytes = ptx::size_of(text.source_type);
  std::vector<double> values(size_t{lines} * k_count);
  Message problem = matrix.problem();
  for (uint32_t line = 0; line < lines && problem.empty(); ++line)
    for (uint32_t k = 0; k < k_count; ++k) {
      const uint64_t address = matrix.address(line, k);
      if (address + bytes > warp.shared.bytes) {
        problem = Message("it reaches shared address {} of {} bytes", address, warp.shared.bytes);
        break;
      }
      uint32_t word = 0;
      std::memcpy(&word, warp.shared.host + address, bytes);
      values[size_t{line} * k_count + k] = fragment_element(text.source_type, word, 0);
    }
  if (!problem.empty())
    warp.block->fault(warp, trace::FaultKind::BadDescriptor, product.in->pc, warp.live, warp.live,
                      Message("{}: {}", which, problem));
  return values;
}

/// The contiguous pieces of `lines` lines from `first` on in shared memory; empty for a matrix that
/// read_described() complains of.
void add_pieces(const Warp& warp, const DescribedMatrix& matrix, const ptx::Instruction& text, uint32_t first,
                uint32_t lines, std::vector<trace::ProductRead::Piece>& pieces) {
  const uint32_t bytes = ptx::size_of(text.source_type);
  if (!matrix.problem().empty()) return;
  const auto add = [&](uint32_t line, uint32_t k) {
    const uint64_t address = matrix.address(line, k);
    if (address + bytes > warp.shared.bytes) return;
    if (!pieces.empty() && pieces.back().shared + pieces.back().bytes == address)
      pieces.back().bytes += bytes;
    else
      pieces.push_back({address, bytes});
  };
  // Along the contiguous direction, for few pieces.
  for (uint32_t i = 0; i < (matrix.transposed() ? text.shape.k : lines); ++i)
    for (uint32_t j = 0; j < (matrix.transposed() ? lines : text.shape.k); ++j)
      matrix.transposed() ? add(first + j, i) : add(first + i, j);
}

/// A's fragment, laid out as that of mma.sync: 16 rows of the warp.
std::vector<double> read_fragment(const PendingProduct& product) {
  const ptx::Instruction& text = *product.in->text;
  const uint32_t k_count = text.shape.k, parts = 4 / ptx::size_of(text.source_type);
  std::vector<double> values(size_t{kRowsOfWarp} * k_count);
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t r = 0; r < product.a_fragment.size(); ++r)
      for (uint32_t part = 0; part < parts; ++part) {
        const auto [row, column] = ptx::place_in_a(lane, r, part, parts);
        values[size_t{row} * k_count + column] = fragment_element(text.source_type, product.a_fragment[r][lane], part);
      }
  return values;
}

/// D += A B, the warp's 16 rows of 64.
void finish_product(Warp& warp, const PendingProduct& product) {
  const DecodedInstruction& in = *product.in;
  const ptx::Instruction& text = *in.text;
  const uint32_t n = text.shape.n, k_count = text.shape.k, first_row = first_row_of(warp);
  const std::vector<double> b = read_described(warp, product, described_b(product), n, "B");
  std::vector<double> a;
  if (in.wide->a_rows.empty()) {
    const std::vector<double> all =
        read_described(warp, product, described_a(product), kWarpsOfGroup * kRowsOfWarp, "A");
    a.assign(all.begin() + first_row * k_count, all.begin() + (first_row + kRowsOfWarp) * k_count);
  } else {
    a = read_fragment(product);
  }
  std::vector<TensorLine> rows, columns;
  for (uint32_t i = 0; i < kRowsOfWarp; ++i)
    rows.push_back(tensor_line(text.source_type, &a[size_t{i} * k_count], 1, k_count));
  for (uint32_t i = 0; i < n; ++i)
    columns.push_back(tensor_line(text.source_type, &b[size_t{i} * k_count], 1, k_count));
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t e = 0; e < n / 2; ++e) {
      const WordPart place = part_of(text.type, e);
      auto* word = reinterpret_cast<uint32_t*>(warp.file + in.rows[place.index]) + lane;
      const ptx::FragmentPlace at = ptx::place_in_c(lane, e);
      const double before = product.adds ? fragment_element(text.type, *word, place.part) : 0;
      const double sum = tensor_sum(rows[at.row], columns[at.column], k_count, in.wide->scale, before, text.type);
      put_sum(text.type, sum, place.part, *word);
    }
}

void publish_reads(Warp& warp, const PendingProduct& product, uint32_t mask) {
  std::vector<trace::ProductRead::Piece> pieces;
  const ptx::Instruction& text = *product.in->text;
  const uint32_t line_bytes = text.shape.k * ptx::size_of(text.source_type);
  trace::ProductRead read{warp.step(product.in->pc, mask), 0, text.shape.n * line_bytes, &pieces, product.adds};
  if (product.in->wide->a_rows.empty()) {
    read.own_bytes = kRowsOfWarp * line_bytes;
    add_pieces(warp, described_a(product), text, first_row_of(warp), kRowsOfWarp, pieces);
  }
  add_pieces(warp, described_b(product), text, 0, text.shape.n, pieces);
  warp.observer->product_read(read);
}

void publish_group(Warp& warp, const DecodedInstruction& in, uint32_t mask, trace::SyncKind kind, uint32_t in_flight) {
  if (warp.observer) warp.observer->sync({warp.step(in.pc, mask), kind, in_flight, mask});
}

}  // namespace

void wide_multiply(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  const WideOperands& operands = *in.wide;
  PendingProduct product;
  product.in = &in;
  product.adds = (*reinterpret_cast<const uint32_t*>(warp.file + operands.adds) ^ operands.adds_flip) >> lane & 1;
  product.b = read_lane(warp.file + operands.b.row, operands.b.lane_size, lane);
  if (operands.a_rows.empty()) product.a = read_lane(warp.file + operands.a.row, operands.a.lane_size, lane);
  for (size_t r = 0; r < operands.a_rows.size(); ++r)
    for (uint32_t l = 0; l < kLanes; ++l) product.a_fragment[r][l] = word_of(warp, operands.a_rows[r], l);
  if (warp.observer) publish_reads(warp, product, mask);
  warp.products.push_back(product);
}

void wide_commit(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  for (PendingProduct& product : warp.products) product.group = std::min(product.group, warp.product_groups);
  ++warp.product_groups;
  publish_group(warp, in, mask, trace::SyncKind::ProductCommit, 0);
}

// As late as possible, so that a tile overwritten before the wait shows in the sums.
void wide_wait(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const auto in_flight = static_cast<uint32_t>(in.text->operands[0].bits);
  const auto is_due = [&](const PendingProduct& product) {
    return product.group != ~0u && uint64_t{product.group} + in_flight < warp.product_groups;
  };
  for (const PendingProduct& product : warp.products)
    if (is_due(product)) finish_product(warp, product);
  std::erase_if(warp.products, is_due);
  publish_group(warp, in, mask, trace::SyncKind::ProductWait, in_flight);
}

}  // namespace tilescope::emulator
