// LDSM and STSM, which move 8 x 8 matrices of shared memory, and the products of tensor cores.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "emulator/tensor_sum.h"
#include "machine/general.h"
#include "ptx/fragment.h"
#include "sass/opcode_table.h"

namespace tilescope::machine {
namespace {

using emulator::TensorLine;
using ptx::Type;
using sass::Field;
using sass::Opcode;

constexpr uint32_t kRowBytes = 16;  ///< Of an 8 x 8 matrix of 16-bit elements.

void move_matrices(Warp& warp, const Step& step, uint32_t mask) {
  const sass::Instruction& in = *step.in;
  const bool loads = in.opcode == Opcode::LDSM;
  const uint32_t matrices = 1u << in[Field::Size];
  const uint32_t givers = matrices == 4 ? ~0u : (1u << 8 * matrices) - 1;  // Lanes that give a row's address.
  Access& access =
      new_access(warp, Space::Shared, loads ? AccessKind::Load : AccessKind::Store, kRowBytes, mask & givers);
  read_addresses(warp, step, in.address, Space::Shared, access.addresses.data());
  std::byte* rows[kLanes] = {};
  for (uint32_t lanes = mask & givers; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    rows[l] = memory_of(warp, Space::Shared, l, access.addresses[l], kRowBytes);
    if (!rows[l]) return;
  }
  if (!warp.block->moves(step)) return;
  for (uint32_t m = 0; m < matrices; ++m) {
    uint32_t* words =
        loads ? warp.written(step.d) + m * kLanes : const_cast<uint32_t*>(warp.row(step.b.row)) + m * kLanes;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
      auto* word = reinterpret_cast<std::byte*>(words + l);
      for (uint32_t part = 0; part < 2; ++part) {
        const ptx::FragmentPlace place = ptx::place_in_matrix(l, part, in[Field::Transpose] != 0);
        std::byte* row = rows[8 * m + place.row];
        if (!row) continue;
        if (loads)
          std::memcpy(word + 2 * part, row + 2 * place.column, 2);
        else
          std::memcpy(row + 2 * place.column, word + 2 * part, 2);
      }
    }
  }
}

Type source_type(const sass::Instruction& in, Field field) {
  constexpr Type kTypes[] = {Type::F16, Type::BF16, Type::TF32, Type::F16};
  return kTypes[in[field]];
}

/// D = A B + C by one warp: 16 x 8 of k.
void warp_product(Warp& warp, const Step& step, uint32_t mask) {
  const sass::Instruction& in = *step.in;
  const Type type = source_type(in, Field::Type), sum_type = in[Field::Size] ? Type::F32 : Type::F16;
  const uint32_t parts = type == Type::TF32 ? 1 : 2;
  const uint32_t k_count = type == Type::TF32 ? (in[Field::Shape] & 8 ? 4 : 8) : in[Field::Shape] & 1 ? 16 : 8;
  const uint32_t a_words = 2 * k_count / (4 * parts), b_words = k_count / (4 * parts);
  double a[16 * 16], b[8 * 16];  // Rows of A, columns of B.
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t part = 0; part < parts; ++part) {
      for (uint32_t w = 0; w < a_words; ++w) {
        const ptx::FragmentPlace at = ptx::place_in_a(l, w, part, parts);
        a[at.row * k_count + at.column] =
            emulator::fragment_element(type, (warp.row(step.a.row) + w * kLanes)[l], part) * (in.a.negate ? -1 : 1);
      }
      for (uint32_t w = 0; w < b_words; ++w) {
        const ptx::FragmentPlace at = ptx::place_in_b(l, w, part, parts);
        b[at.column * k_count + at.row] =
            emulator::fragment_element(type, (warp.row(step.b.row) + w * kLanes)[l], part) * (in.b.negate ? -1 : 1);
      }
    }
  std::array<TensorLine, 16> rows;
  std::array<TensorLine, 8> columns;
  for (uint32_t i = 0; i < 16; ++i) rows[i] = emulator::tensor_line(type, a + i * k_count, 1, k_count);
  for (uint32_t i = 0; i < 8; ++i) columns[i] = emulator::tensor_line(type, b + i * k_count, 1, k_count);
  const bool from_zero = in.c.index == sass::kZeroRegister;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    for (uint32_t e = 0; e < 4; ++e) {
      const ptx::FragmentPlace at = ptx::place_in_c(l, e);
      const uint32_t word = sum_type == Type::F16 ? e / 2 : e, part = sum_type == Type::F16 ? e % 2 : 0;
      const double before =
          from_zero ? 0 : emulator::fragment_element(sum_type, (warp.row(step.c.row) + word * kLanes)[l], part);
      const double sum = emulator::tensor_sum(rows[at.row], columns[at.column], k_count, 1, before, sum_type);
      emulator::put_sum(sum_type, sum, part, (warp.written(step.d) + word * kLanes)[l]);
    }
  }
}

/// IMMA: the same of bytes, with sums of 32 bits.
void warp_product_of_bytes(Warp& warp, const Step& step, uint32_t mask) {
  const sass::Instruction& in = *step.in;
  const Type a_type = in[Field::Type] ? Type::S8 : Type::U8, b_type = in[Field::SourceType] ? Type::S8 : Type::U8;
  constexpr uint32_t kParts = 4, kMostInner = 32;
  const uint32_t inner = in[Field::Shape] ? 32 : 16, b_words = inner / 16;
  int32_t a[16][kMostInner], b[8][kMostInner];  // Rows of A, columns of B.
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t part = 0; part < kParts; ++part)
      for (uint32_t w = 0; w < 2 * b_words; ++w) {
        const auto element = [&](Type type, const Source& source) {
          return static_cast<int32_t>(emulator::fragment_element(type, (warp.row(source.row) + w * kLanes)[l], part));
        };
        const ptx::FragmentPlace at = ptx::place_in_a(l, w, part, kParts);
        a[at.row][at.column] = element(a_type, step.a);
        if (w >= b_words) continue;
        const ptx::FragmentPlace of_b = ptx::place_in_b(l, w, part, kParts);
        b[of_b.column][of_b.row] = element(b_type, step.b);
      }
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    for (uint32_t e = 0; e < 4; ++e) {
      const ptx::FragmentPlace at = ptx::place_in_c(l, e);
      int64_t sum =
          in.c.index == sass::kZeroRegister ? 0 : static_cast<int32_t>((warp.row(step.c.row) + e * kLanes)[l]);
      for (uint32_t k = 0; k < inner; ++k) sum += a[at.row][k] * b[at.column][k];
      if (in[Field::Saturate])
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
      (warp.written(step.d) + e * kLanes)[l] = static_cast<uint32_t>(sum);
    }
  }
}

/// DMMA: the same of doubles, each element's products added one after another, as an H200 does.
void warp_product_of_doubles(Warp& warp, const Step& step, uint32_t mask) {
  const sass::Instruction& in = *step.in;
  const Program::Impl& program = warp.launched->program->impl();
  constexpr uint32_t kMostInner = 16;
  const uint32_t inner = sass::inner_of_doubles(in), tiles = in[Field::Shape] == 0 ? 1 : 2;  // Of eight rows.
  const auto element = [&](const sass::Operand& operand, uint32_t lane, uint32_t index) {
    const auto word = [&](uint32_t w) { return warp.row(register_row(program, operand.index, 2 * index + w))[lane]; };
    const double value = std::bit_cast<double>(uint64_t{word(1)} << 32 | word(0));
    return (operand.negate ? -1 : 1) * (operand.absolute ? std::abs(value) : value);
  };
  double a[16][kMostInner], b[8][kMostInner];  // Rows of A, columns of B.
  for (uint32_t l = 0; l < kLanes; ++l) {
    for (uint32_t i = 0; i < tiles * inner / 4; ++i) {
      const ptx::FragmentPlace at = ptx::place_in_a(l, i, 0, 1);
      a[at.row][at.column] = element(in.a, l, i);
    }
    for (uint32_t i = 0; i < inner / 4; ++i) {
      const ptx::FragmentPlace at = ptx::place_in_b(l, i, 0, 1);
      b[at.column][at.row] = element(in.b, l, i);
    }
  }
  constexpr ptx::Rounding kRounds[] = {ptx::Rounding::Rn, ptx::Rounding::Rm, ptx::Rounding::Rp, ptx::Rounding::Rz};
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    for (uint32_t e = 0; e < 2 * tiles; ++e) {
      const ptx::FragmentPlace at = ptx::place_in_c(l, e);
      const double sum = emulator::sum_of_doubles(a[at.row], 1, b[at.column], 1, inner, element(in.c, l, e),
                                                  kRounds[in[Field::Round]]);
      const auto bits = std::bit_cast<uint64_t>(sum);
      warp.written(step.d + 2 * e)[l] = static_cast<uint32_t>(bits);
      warp.written(step.d + 2 * e + 1)[l] = static_cast<uint32_t>(bits >> 32);
    }
  }
}

void transpose_matrix(Warp& warp, const Step& step, uint32_t mask) {  // MOVM
  uint32_t matrix[8][8];
  const uint32_t* from = warp.row(step.a.row);
  alignas(64) uint32_t result[kLanes] = {};
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t part = 0; part < 2; ++part) {
      const ptx::FragmentPlace at = ptx::place_in_matrix(l, part, false);
      matrix[at.row][at.column] = from[l] >> 16 * part & 0xffff;
    }
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t part = 0; part < 2; ++part) {
      const ptx::FragmentPlace at = ptx::place_in_matrix(l, part, true);
      result[l] |= matrix[at.row][at.column] << 16 * part;
    }
  commit(warp.written(step.d), result, mask);
}

}  // namespace

Handler select_tensor(const Step& step) {
  switch (step.in->opcode) {
    case Opcode::LDSM:
    case Opcode::STSM: return &move_matrices;
    case Opcode::HMMA: return &warp_product;
    case Opcode::IMMA: return &warp_product_of_bytes;
    case Opcode::DMMA: return &warp_product_of_doubles;
    case Opcode::MOVM: return &transpose_matrix;
    default: return nullptr;
  }
}

}  // namespace tilescope::machine
