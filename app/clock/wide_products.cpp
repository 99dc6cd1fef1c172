#include "clock/wide_products.h"

#include <algorithm>

namespace tilescope::clock {
namespace {
using sass::Instruction;
using sass::Opcode;
using sass::Pipe;

bool reads(const Instruction& in, uint32_t reg) {
  const auto has = [&](const sass::Operand& operand, uint32_t words) {
    return operand.is_register() && operand.index <= reg && reg < operand.index + words;
  };
  const auto has_address = [&](const sass::Address& address) {
    return address.present && address.base <= reg && reg < address.base + (address.wide ? 2u : 1u);
  };
  return has(in.a, 1) || has(in.b, 1) || has(in.c, in.opcode == Opcode::IMAD_WIDE ? 2 : 1) || has_address(in.address) ||
         has_address(in.from);
}

/// How many clocks after the product an instruction can issue at the earliest.
double distance(const SmModel& model, const Instruction& product, const Instruction& in) {
  const bool is_pair = product.opcode == Opcode::IMAD_WIDE;
  const uint32_t upper = product.d.index + is_pair;
  if (product.d.index != sass::kZeroRegister && reads(in, upper)) return model.wide_upper;
  if (is_pair && product.d.index != sass::kZeroRegister && reads(in, product.d.index)) return model.wide_lower;
  return in.pipe == Pipe::Fma || in.pipe == Pipe::FmaHeavy ? model.wide_again : 0;
}

}  // namespace

bool is_wide_product(const Instruction& in) {
  return in.opcode == Opcode::IMAD_WIDE || in.opcode == Opcode::IMAD_HI;
}

std::vector<uint8_t> waits_for_wide_products(const SmModel& model, std::span<const Instruction> code) {
  const double farthest = std::max({model.wide_upper, model.wide_lower, model.wide_again});
  std::vector<uint8_t> waits(code.size());
  for (size_t product = 0; product < code.size(); ++product) {
    if (!is_wide_product(code[product])) continue;
    double clocks = 0;
    for (size_t next = product + 1; next < code.size() && clocks < farthest; ++next) {
      const Instruction& before = code[next - 1];
      if (before.pipe == Pipe::Branch) break;
      clocks += std::max<uint8_t>(before.control.stall, 1) + waits[next - 1];
      const double lacking = distance(model, code[product], code[next]) - clocks;
      if (lacking <= 0) continue;
      waits[next - 1] = static_cast<uint8_t>(waits[next - 1] + lacking);
      clocks += lacking;
    }
  }
  return waits;
}

}  // namespace tilescope::clock
