// mma.sync: a product of small matrices by a warp, each lane holding a fragment of every one of them. wgmma: the same by
// four warps, with matrices that lie in shared memory, later.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/tensor_map.h"
#include "emulator/block.h"
#include "emulator/scalar.h"
#include "ptx/opcode_table.h"

namespace tilescope::emulator {
namespace fragments {
#include "emulator/lane_types.h"
}
namespace {

using ptx::SlotKind;
using ptx::Type;
using trace::kLanes;

constexpr uint32_t kMostRows = 16, kMostColumns = 8, kMostK = 16;

/// TF32 is what the upper 19 bits of a register say; the tensor cores do not look at the others.
float element(Type type, uint32_t word, uint32_t part) {
  const auto half = static_cast<uint16_t>(word >> 16 * part);
  switch (type) {
    case Type::F16: return fragments::to_float(std::bit_cast<fragments::Half>(half));
    case Type::BF16: return fragments::to_float(std::bit_cast<fragments::BHalf>(half));
    case Type::TF32: return std::bit_cast<float>(word & 0xffffe000u);
    default: return std::bit_cast<float>(word);
  }
}

/// The warp's operands as matrices. Fragments (PTX ISA, "Matrix Fragments for mma.m16n8k*"), with g = lane / 4 and
/// t = lane % 4 and p elements in a register: register r of A has row g + 8 (r % 2) and columns p t + 4 p (r / 2) and
/// on, of B column g and rows p t + 4 p r and on; element e of C and D is row g + 8 (e / 2), column 2 t + e % 2.
struct Product {
  double a[kMostRows][kMostK], b[kMostK][kMostColumns], c[kMostRows][kMostColumns];
};

uint32_t word_of(const Warp& warp, uint32_t row, uint32_t lane) {
  return reinterpret_cast<const uint32_t*>(warp.file + row)[lane];
}

void read_factors(const Warp& warp, const DecodedInstruction& in, Product& product) {
  const Type type = in.text->source_type;
  const uint32_t parts = 4 / ptx::size_of(type), of_a = fragment_registers(*in.text, SlotKind::Fa),
                 of_b = fragment_registers(*in.text, SlotKind::Fb);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t g = lane / 4, t = lane % 4;
    for (uint32_t part = 0; part < parts; ++part) {
      for (uint32_t r = 0; r < of_a; ++r)
        product.a[g + 8 * (r % 2)][parts * (t + 4 * (r / 2)) + part] =
            element(type, word_of(warp, in.source_rows[r], lane), part);
      for (uint32_t r = 0; r < of_b; ++r)
        product.b[parts * (t + 4 * r) + part][g] = element(type, word_of(warp, in.source_rows[of_a + r], lane), part);
    }
  }
}

/// Where element e of a lane's fragment of C or D lies: its register and its part of it.
struct WordPart {
  uint32_t index, part;
};
WordPart part_of(Type type, uint32_t e) { return type == Type::F16 ? WordPart{e / 2, e % 2} : WordPart{e, 0}; }

void read_addend(const Warp& warp, const DecodedInstruction& in, Product& product) {
  const Type type = in.text->addend_type;
  const uint32_t before = fragment_registers(*in.text, SlotKind::Fa) + fragment_registers(*in.text, SlotKind::Fb);
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t e = 0; e < 4; ++e) {
      const WordPart place = part_of(type, e);
      product.c[lane / 4 + 8 * (e / 2)][2 * (lane % 4) + e % 2] =
          element(type, word_of(warp, in.source_rows[before + place.index], lane), place.part);
    }
}

/// c += a b. The products are exact in double; their sum begins with C and is rounded at the end.
void add_products(Product& product, uint32_t k_count) {
  for (uint32_t k = 0; k < k_count; ++k)
    for (uint32_t i = 0; i < kMostRows; ++i)
      for (uint32_t j = 0; j < kMostColumns; ++j) product.c[i][j] += product.a[i][k] * product.b[k][j];
}

void put_sum(Type type, float value, uint32_t part, uint32_t& word) {
  if (type == Type::F16)
    word = (word & ~(0xffffu << 16 * part)) |
           uint32_t{std::bit_cast<uint16_t>(fragments::from_float<fragments::Half>(value))} << 16 * part;
  else
    word = std::bit_cast<uint32_t>(fragments::canonical(value));
}

void write_result(Warp& warp, const DecodedInstruction& in, uint32_t mask, const Product& product) {
  const Type type = in.text->type;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t e = 0; e < 4 && (mask >> lane & 1); ++e) {
      const WordPart place = part_of(type, e);
      const auto value = static_cast<float>(product.c[lane / 4 + 8 * (e / 2)][2 * (lane % 4) + e % 2]);
      put_sum(type, value, place.part, *(reinterpret_cast<uint32_t*>(warp.file + in.rows[place.index]) + lane));
    }
}

}  // namespace

void matrix_multiply(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  Product product{};
  read_factors(warp, in, product);
  read_addend(warp, in, product);
  add_products(product, in.text->shape.k);
  write_result(warp, in, mask, product);
}

namespace {

constexpr uint32_t kPieceBytes16 = 16;  ///< What lies side by side in shared memory without a swizzle.
constexpr uint32_t kRowsOfAtom = 8;

/// A matrix in shared memory as a descriptor says it lies (PTX ISA, "Matrix Descriptor Format" and "Canonical layouts"):
/// the line is a row of A or a column of B; `transposed`: lines, and not k, lie side by side.
class DescribedMatrix {
 public:
  DescribedMatrix(uint64_t descriptor, uint32_t element_bytes, bool transposed)
      : start_((descriptor & 0x3fff) << 4),
        leading_((descriptor >> 16 & 0x3fff) << 4),
        stride_((descriptor >> 32 & 0x3fff) << 4),
        base_offset_(descriptor >> 49 & 7),
        element_bytes_(element_bytes),
        transposed_(transposed) {
    constexpr Swizzle kModes[] = {Swizzle::None, Swizzle::Span128, Swizzle::Span64, Swizzle::Span32};
    swizzle_ = kModes[descriptor >> 62];
  }

  /// Shared address of the element at this place.
  uint64_t address(uint32_t line, uint32_t k) const {
    const uint32_t side_by_side = transposed_ ? line : k, other = transposed_ ? k : line;
    const uint64_t span = swizzle_ == Swizzle::None ? kPieceBytes16 : span_of(swizzle_);
    const uint64_t byte = uint64_t{side_by_side} * element_bytes_;
    // Without a swizzle the two offsets change places when the matrix is transposed; with one, a matrix that is not
    // transposed has no second span of k.
    const bool plain = swizzle_ == Swizzle::None;
    const uint64_t to_span = plain && transposed_ ? stride_ : leading_, to_rows = plain && transposed_ ? leading_ : stride_;
    const uint64_t at = start_ + byte / span * to_span + other / kRowsOfAtom * to_rows + other % kRowsOfAtom * span +
                        byte % span;
    return swizzled(swizzle_, at);
  }

  std::string problem() const {
    if (base_offset_ != 0) return fmt::format("a base offset of {}, which is not executed", base_offset_);
    if (start_ % kPieceBytes16 != 0) return fmt::format("the start address {} is no multiple of 16", start_);
    if (transposed_ && element_bytes_ != 2) return "matrices of 32-bit elements cannot be transposed";
    return {};
  }

 private:
  uint64_t start_, leading_, stride_, base_offset_;
  uint32_t element_bytes_;
  bool transposed_;
  Swizzle swizzle_ = Swizzle::None;
};

/// The matrix, line after line; what lies outside the block's shared memory reads as zeros and is said.
std::vector<double> read_described(Warp& warp, const PendingProduct& product, const DescribedMatrix& matrix,
                                   uint32_t lines, std::string_view which) {
  const ptx::Instruction& text = *product.in->text;
  const uint32_t k_count = text.shape.k, bytes = ptx::size_of(text.source_type);
  std::vector<double> values(size_t{lines} * k_count);
  std::string problem = matrix.problem();
  for (uint32_t line = 0; line < lines && problem.empty(); ++line)
    for (uint32_t k = 0; k < k_count; ++k) {
      const uint64_t address = matrix.address(line, k);
      if (address + bytes > warp.shared.bytes) {
        problem = fmt::format("it reaches shared address {} of {} bytes", address, warp.shared.bytes);
        break;
      }
      uint32_t word = 0;
      std::memcpy(&word, warp.shared.host + address, bytes);
      values[size_t{line} * k_count + k] = element(text.source_type, word, 0);
    }
  if (!problem.empty())
    warp.block->fault(warp, trace::FaultKind::BadDescriptor, product.in->pc, warp.live, warp.live,
                      fmt::format("{}: {}", which, problem));
  return values;
}

/// A's fragment, laid out as that of mma.sync: 16 rows of the warp.
std::vector<double> read_fragment(const PendingProduct& product) {
  const ptx::Instruction& text = *product.in->text;
  const uint32_t k_count = text.shape.k, parts = 4 / ptx::size_of(text.source_type);
  std::vector<double> values(size_t{kMostRows} * k_count);
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t r = 0; r < product.a_fragment.size(); ++r)
      for (uint32_t part = 0; part < parts; ++part)
        values[size_t{lane / 4 + 8 * (r % 2)} * k_count + parts * (lane % 4 + 4 * (r / 2)) + part] =
            element(text.source_type, product.a_fragment[r][lane], part);
  return values;
}

/// D += A B, the warp's 16 rows of 64. Element e of a lane's fragment of D is row g + 8 (e / 2 % 2), column
/// 8 (e / 4) + 2 t + e % 2 (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16").
void finish_product(Warp& warp, const PendingProduct& product) {
  const DecodedInstruction& in = *product.in;
  const ptx::Instruction& text = *in.text;
  const uint32_t n = text.shape.n, k_count = text.shape.k, bytes = ptx::size_of(text.source_type);
  const uint32_t first_row = warp.index % 4 * kMostRows;
  const std::vector<double> b =
      read_described(warp, product, DescribedMatrix(product.b, bytes, in.wide->transposes_b), n, "B");
  std::vector<double> a;
  if (in.wide->a_rows.empty()) {
    const std::vector<double> all =
        read_described(warp, product, DescribedMatrix(product.a, bytes, in.wide->transposes_a), 64, "A");
    a.assign(all.begin() + first_row * k_count, all.begin() + (first_row + kMostRows) * k_count);
  } else {
    a = read_fragment(product);
  }
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t e = 0; e < n / 2; ++e) {
      const WordPart place = part_of(text.type, e);
      auto* word = reinterpret_cast<uint32_t*>(warp.file + in.rows[place.index]) + lane;
      const double* row = &a[size_t{lane / 4 + 8 * (e / 2 % 2)} * k_count];
      const double* column = &b[size_t{8 * (e / 4) + 2 * (lane % 4) + e % 2} * k_count];
      double sum = product.adds ? element(text.type, *word, place.part) : 0;
      for (uint32_t k = 0; k < k_count; ++k) sum += in.wide->scale * row[k] * column[k];
      put_sum(text.type, static_cast<float>(sum), place.part, *word);
    }
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
  warp.products.push_back(product);
}

void wide_commit(Warp& warp, const DecodedInstruction&, uint32_t) {
  for (PendingProduct& product : warp.products) product.group = std::min(product.group, warp.product_groups);
  ++warp.product_groups;
}

// As late as can be, so that a tile that is overwritten before the wait shows in the sums.
void wide_wait(Warp& warp, const DecodedInstruction& in, uint32_t) {
  const uint64_t in_flight = in.text->operands[0].bits;
  const auto is_due = [&](const PendingProduct& product) {
    return product.group != ~0u && product.group + in_flight < warp.product_groups;
  };
  for (const PendingProduct& product : warp.products)
    if (is_due(product)) finish_product(warp, product);
  std::erase_if(warp.products, is_due);
}

}  // namespace tilescope::emulator
