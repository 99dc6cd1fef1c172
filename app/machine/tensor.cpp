// LDSM and STSM, which move 8 x 8 matrices of shared memory, and the products of tensor cores.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "emulator/tensor_sum.h"
#include "machine/general.h"
#include "ptx/fragment.h"

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
  const uint32_t k_count = type == Type::TF32 ? (in[Field::Mode] ? 4 : 8) : in[Field::Shape] ? 16 : 8;
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

}  // namespace

Handler select_tensor(const Step& step) {
  switch (step.in->opcode) {
    case Opcode::LDSM:
    case Opcode::STSM: return &move_matrices;
    case Opcode::HMMA: return &warp_product;
    default: return nullptr;
  }
}

}  // namespace tilescope::machine
