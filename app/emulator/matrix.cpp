// mma.sync: a product of small matrices by a warp, each lane holding a fragment of every one of them.

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "emulator/warp.h"
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

void write_result(Warp& warp, const DecodedInstruction& in, uint32_t mask, const Product& product) {
  const Type type = in.text->type;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t e = 0; e < 4 && (mask >> lane & 1); ++e) {
      const WordPart place = part_of(type, e);
      const auto value = static_cast<float>(product.c[lane / 4 + 8 * (e / 2)][2 * (lane % 4) + e % 2]);
      auto* word = reinterpret_cast<uint32_t*>(warp.file + in.rows[place.index]) + lane;
      if (type == Type::F16)
        *word = (*word & ~(0xffffu << 16 * place.part)) |
                uint32_t{std::bit_cast<uint16_t>(fragments::from_float<fragments::Half>(value))} << 16 * place.part;
      else
        *word = std::bit_cast<uint32_t>(fragments::canonical(value));
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

}  // namespace tilescope::emulator
