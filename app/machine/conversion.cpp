// Conversions from and to numbers of 16 bits, as the emulator of PTX does them.

#include "emulator/scalar.h"
#include "machine/general.h"

namespace tilescope::machine {
namespace {

using ptx::Rounding;
using ptx::Type;
using sass::Field;
using sass::Opcode;

Type integer_type(bool is_signed, uint8_t size) {
  constexpr Type kUnsigned[] = {Type::U8, Type::U16, Type::U32, Type::U64},
                 kSigned[] = {Type::S8, Type::S16, Type::S32, Type::S64};
  return (is_signed ? kSigned : kUnsigned)[size];
}
/// Of a value of Field::Type or Field::SourceType.
Type float_type(uint8_t value) {
  constexpr Type kTypes[] = {Type::None, Type::F16,  Type::F32,  Type::F64,
                             Type::BF16, Type::None, Type::None, Type::None};
  return kTypes[value & 7];
}
uint32_t bits_of(Type type) {
  switch (type) {
    case Type::U8:
    case Type::S8: return 8;
    case Type::U16:
    case Type::S16:
    case Type::F16:
    case Type::BF16: return 16;
    case Type::U64:
    case Type::S64:
    case Type::F64: return 64;
    default: return 32;
  }
}

/// The cvt of PTX that an I2F, F2I, F2F, FRND or F2FP is.
ptx::Instruction as_ptx(const sass::Instruction& in) {
  constexpr Rounding kRounds[] = {Rounding::Rn, Rounding::Rm, Rounding::Rp, Rounding::Rz},
                     kWholes[] = {Rounding::Rni, Rounding::Rmi, Rounding::Rpi, Rounding::Rzi};
  const bool to_integer = in.opcode == Opcode::F2I;
  ptx::Instruction cvt;
  cvt.source_type = in.opcode == Opcode::I2F ? integer_type(in[Field::Signed], in[Field::SourceType])
                                             : float_type(in[Field::SourceType]);
  cvt.type = to_integer ? integer_type(in[Field::Signed], in[Field::Size]) : float_type(in[Field::Type]);
  cvt.rounding = (to_integer || in.opcode == Opcode::FRND ? kWholes : kRounds)[in[Field::Round] & 3];
  cvt.ftz = in[Field::Flush];
  cvt.sat = in[Field::Saturate];
  return cvt;
}

void convert_lanes(Warp& warp, const Step& step, uint32_t mask) {
  const sass::Instruction& in = *step.in;
  const ptx::Instruction cvt = as_ptx(in);
  const uint32_t from = bits_of(cvt.source_type), part = in.immediate0 * from;
  const uint64_t sign = in.opcode == Opcode::I2F ? 0 : uint64_t{1} << (from - 1);
  const uint32_t *low = warp.row(step.b.row), *high = warp.row(step.b.high);
  alignas(64) uint32_t result[kLanes], result_high[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    uint64_t bits = from == 64 ? uint64_t{high[l]} << 32 | low[l] : low[l] >> part;
    if (from == 16) bits &= 0xffff;
    if (in.b.absolute) bits &= ~sign;
    if (in.b.negate) bits ^= sign;
    const uint64_t converted = emulator::convert(cvt, bits, 0);
    result[l] = static_cast<uint32_t>(converted);
    result_high[l] = static_cast<uint32_t>(converted >> 32);
  }
  commit(warp.written(step.d), result, mask);
  if (bits_of(cvt.type) == 64) commit(warp.written(step.d_high), result_high, mask);
}

void pack_towards_zero(Warp& warp, const Step& step, uint32_t mask) {  // F2FP.RZ
  const sass::Instruction& in = *step.in;
  ptx::Instruction cvt;
  cvt.source_type = Type::F32;
  cvt.type = in[Field::Type] ? Type::BF16x2 : Type::F16x2;
  cvt.rounding = Rounding::Rz;
  cvt.relu = in[Field::Relu];
  const uint32_t *a = warp.row(step.a.row), *b = warp.row(step.b.row);
  alignas(64) uint32_t result[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l)
    result[l] = static_cast<uint32_t>(
        emulator::convert(cvt, (a[l] & step.a.keep) ^ step.a.flip, (b[l] & step.b.keep) ^ step.b.flip));
  commit(warp.written(step.d), result, mask);
}

}  // namespace

Handler select_conversion(const Step& step) {
  switch (step.in->opcode) {
    case Opcode::I2F:
    case Opcode::F2I:
    case Opcode::F2F:
    case Opcode::FRND: return &convert_lanes;
    case Opcode::F2FP: return &pack_towards_zero;
    default: return nullptr;
  }
}

}  // namespace tilescope::machine
