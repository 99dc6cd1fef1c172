#include "sass/opcode_table.h"

#include <array>
#include <charconv>
#include <initializer_list>

namespace tilescope::sass {
namespace {

// What the rows of opcode.def are written with.
std::vector<uint16_t> codes(std::initializer_list<int> list) { return {list.begin(), list.end()}; }
std::vector<uint16_t> codes(int a) { return codes({a}); }
template <class... More>
std::vector<uint16_t> codes(int a, More... more) {
  return codes({a, more...});
}
// Bits 9 to 11, and with bit 12 the uniform registers: 1 registers, 2 and 4 an immediate, 3 and 5 a constant, which
// with bit 12 is in a bank that a uniform register names, 6 and 7 a uniform register.
std::vector<uint16_t> alu3(int base) {
  return codes({base | 0x200, base | 0x400, base | 0x600, base | 0x1600, base | 0x800, base | 0xa00, base | 0x1a00,
                base | 0x1c00, base | 0x1e00});
}
std::vector<uint16_t> aluB(int base) {
  return codes({base | 0x200, base | 0x800, base | 0xa00, base | 0x1a00, base | 0x1c00});
}
std::vector<uint16_t> aluC(int base) {
  return codes({base | 0x200, base | 0x400, base | 0x600, base | 0x1600, base | 0x1e00});
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t bar = text.find('|');
    parts.push_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return parts;
    text.remove_prefix(bar + 1);
  }
}
Modifier field(Field field, int position, int width, std::string_view texts) {
  return {field, static_cast<uint8_t>(position), static_cast<uint8_t>(width),
          texts.empty() ? std::vector<std::string_view>{} : split(texts)};
}
Modifier flag(Field name, int position, std::string_view text) {
  return {name, static_cast<uint8_t>(position), 1, {"", text}};
}

OperandPlace operand_place(std::string_view text) {
  OperandPlace place;
  place.kind = text[0];
  text.remove_prefix(1);
  if (place.kind == 'i' || place.kind == 'j' || place.kind == '_') {
    const size_t colon = text.find(':');
    std::from_chars(text.data(), text.data() + colon, place.position);
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), place.width);
    return place;
  }
  for (const char c : text) {
    place.negate |= c == '-';
    place.absolute |= c == '|';
    place.invert |= c == '~';
    place.halves |= c == '%';
    place.optional |= c == '?';
    place.with_carry |= c == '+';
  }
  return place;
}

std::vector<OperandPlace> operand_places(std::string_view text) {
  std::vector<OperandPlace> places;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    if (space != 0) places.push_back(operand_place(text.substr(0, space)));
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
  }
  return places;
}

struct Table {
  std::vector<Row> rows;
  std::array<int16_t, 8192> by_code;

  Table() {
    by_code.fill(-1);
    const Modifier kFtz = flag(Field::Flush, 80, "FTZ"), kSat = flag(Field::Saturate, 77, "SAT"),
                   kSat80 = flag(Field::Saturate, 81, "SAT"), kRound = field(Field::Round, 78, 2, "|RM|RP|RZ"),
                   kBool = field(Field::Bool, 74, 2, "AND|OR|XOR|?"),
                   kFloatCompare =
                       field(Field::Compare, 76, 4, "F|LT|EQ|LE|GT|NE|GE|NUM|NAN|LTU|EQU|LEU|GTU|NEU|GEU|T"),
                   kSigned = field(Field::Signed, 73, 1, "U32|"), kExtended = flag(Field::Extended, 74, "X"),
                   kWide = flag(Field::Wide, 72, "E"), kEvict = field(Field::Evict, 84, 3, "EF||EL|LU|EU|NA|?|?"),
                   kPrefetch = field(Field::Prefetch, 68, 2, "|LTC64B|LTC128B|LTC256B"),
                   kSize = field(Field::Size, 73, 3, "U8|S8|U16|S16||64|128|?"),
                   kOrder =
                       field(Field::Order, 77, 4, "|?|?|?|CONSTANT|STRONG.SM|?|STRONG.GPU|?|?|STRONG.SYS|?|?|?|?|?"),
                   kFloatResult = field(Field::Type, 75, 3, "?|F16|F32|F64|BF16|?|?|?"),
                   kFloatSource = field(Field::SourceType, 84, 3, "?|F16|F32|F64|BF16|?|?|?"),
                   kStride = field(Field::Stride, 78, 2, ""),
                   kDoubleCompare =
                       field(Field::Compare, 76, 4, "MIN|LT|EQ|LE|GT|NE|GE|NUM|NAN|LTU|EQU|LEU|GTU|NEU|GEU|MAX"),
                   kAtomicOperation =
                       field(Field::Operation, 87, 4, "ADD|MIN|MAX|INC|DEC|AND|OR|XOR|EXCH|?|?|?|?|?|?|?"),
                   kAtomicType = field(Field::Type, 73, 3, "|S32|64|F32.FTZ.RN|F16x2.RN|S64|F64.RN|?"),
                   kReduction = field(Field::Operation, 87, 3, "ADD|MIN|MAX|INC|DEC|AND|OR|XOR"),
                   kFloatAtomicOperation = field(Field::Operation, 88, 2, "ADD|MIN|MAX|?"),
                   kFloatAtomicType = field(Field::Type, 73, 4,
                                            "F16x2.RN|F16x4.RN|F16x8.RN|BF16x2.RN|BF16x4.RN|BF16x8.RN|?|?|?|"
                                            "F32.FTZ.RN|F32x2.FTZ.RN|F32x4.FTZ.RN|?|?|?|F64.RN"),
                   kSwap = field(Field::Operation, 87, 2, "CAS|?|?|CAST.SPIN"),
                   kNumbers = field(Field::Signed, 72, 2, "U32||U16x2|S16x2"),
                   kSyncOrder = field(Field::Order, 77, 4, "");
#define SASS(name, text, code_list, unit, numbers, operands, ...) \
  add(Opcode::name, text, code_list, Pipe::unit, Numbers::numbers, operands __VA_OPT__(, ) __VA_ARGS__);
#include "sass/opcode.def"
#undef SASS
  }

  template <class... More>
  void add(Opcode opcode, std::string_view text, std::vector<uint16_t> list, Pipe pipe, Numbers numbers,
           std::string_view operands, const More&... modifiers) {
    for (const uint16_t code : list) by_code[code] = static_cast<int16_t>(rows.size());
    rows.push_back({opcode, text, pipe, numbers, operand_places(operands), {modifiers...}});
  }
};

const Table& table() {
  static const Table kTable;
  return kTable;
}

}  // namespace

const Row* find_row(uint32_t code) {
  const int16_t found = table().by_code[code & 8191];
  return found < 0 ? nullptr : &table().rows[static_cast<size_t>(found)];
}
const Row& row_of(Opcode opcode) { return table().rows[static_cast<size_t>(opcode)]; }

bool is_float_atomic(Opcode opcode) {
  return opcode == Opcode::ATOM_FP || opcode == Opcode::ATOMG_FP || opcode == Opcode::RED_FP;
}

uint32_t inner_of_doubles(const Instruction& product) {
  constexpr uint32_t kInner[] = {4, 4, 8, 16};  // By the shapes of opcode.def.
  return kInner[product[Field::Shape]];
}

bool loads_or_stores(Opcode opcode) {
  return opcode == Opcode::LDG || opcode == Opcode::LD || opcode == Opcode::STG || opcode == Opcode::ST;
}

}  // namespace tilescope::sass
