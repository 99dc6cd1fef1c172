#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

constexpr uint32_t kNone = 0xffffffff;

bool bit(uint64_t value, uint64_t position) { return position < 64 && ((value >> position) & 1) != 0; }

uint64_t count_ones(uint64_t a) {
  uint64_t count = 0;
  for (; a != 0; a >>= 1) count += a & 1;
  return count;
}

uint64_t reverse(uint64_t a, int bits) {
  uint64_t result = 0;
  for (int i = 0; i < bits; ++i) result |= uint64_t{bit(a, bits - 1 - i)} << i;
  return result;
}

/// Position of the highest bit that differs from the sign; kNone when there is none.
uint64_t find_bit(uint64_t a, int bits, bool is_signed, bool shift_amount) {
  const bool invert = is_signed && bit(a, bits - 1);
  for (int i = bits - 1; i >= 0; --i) {
    if (bit(a, i) != invert) return shift_amount ? bits - 1 - i : i;
  }
  return kNone;
}

uint64_t count_leading_zeros(uint64_t a, int bits) {
  const uint64_t highest = find_bit(a, bits, false, false);
  return highest == kNone ? bits : bits - 1 - highest;
}

uint64_t extract(uint64_t a, uint64_t b, uint64_t c, int bits, bool is_signed) {
  const uint64_t position = b & 0xff, length = c & 0xff, top = bits - 1;
  const bool fill = is_signed && length != 0 && bit(a, std::min(position + length - 1, top));
  uint64_t result = 0;
  for (uint64_t i = 0; i <= top; ++i) {
    const bool inside = i < length && position + i <= top;
    result |= uint64_t{inside ? bit(a, position + i) : fill} << i;
  }
  return result;
}

uint64_t insert(uint64_t a, uint64_t b, uint64_t c, uint64_t d, int bits) {
  const uint64_t position = c & 0xff, length = d & 0xff;
  for (uint64_t i = 0; i < length && position + i < static_cast<uint64_t>(bits); ++i) {
    b = (b & ~(uint64_t{1} << (position + i))) | uint64_t{bit(a, i)} << (position + i);
  }
  return b;
}

uint64_t bit_mask(uint64_t a, uint64_t b, bool clamp) {
  if (clamp && a >= 32) return 0;
  const uint64_t position = a & 31, length = clamp ? std::min<uint64_t>(b, 32) : b & 31;
  uint64_t mask = 0;
  for (uint64_t i = position; i < 32 && i < position + length; ++i) mask |= uint64_t{1} << i;
  return mask;
}

uint64_t extend(uint64_t a, uint64_t b, bool is_signed, bool clamp) {
  if (clamp && b >= 32) return a;
  const uint64_t length = b & 31;
  if (length == 0) return 0;
  const uint64_t low = a & ((uint64_t{1} << length) - 1);
  return is_signed && bit(a, length - 1) ? low | (kNone & ~((uint64_t{1} << length) - 1)) : low;
}

uint64_t find_nth_set(uint64_t mask, uint64_t base, uint64_t offset_bits) {
  const auto offset = static_cast<int32_t>(offset_bits);
  if (offset == 0) return bit(mask, base) ? base : kNone;
  int left = std::abs(offset);
  for (int at = static_cast<int>(base); at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
    if (bit(mask, at) && --left == 0) return at;
  }
  return kNone;
}

/// Element i of packed elements of some bits.
int64_t element(uint64_t packed, int i, int bits, bool is_signed) {
  return static_cast<int64_t>(reference::value_of({bits, is_signed}, packed >> (i * bits)));
}

void add_counts(Cases& cases) {
  for (const Type type : {Type::B32, Type::B64}) {
    const int bits = width(type);
    const auto one = [&](const std::string& op, Type output, LaneFunction function) {
      add_lane(cases, op,
               {.instruction = op + "." + name_of(type),
                .inputs = {{type}},
                .output = output,
                .function = std::move(function)});
    };
    one("popc", Type::U32, [](const uint64_t* x) { return count_ones(x[0]); });
    one("clz", Type::U32, [=](const uint64_t* x) { return count_leading_zeros(x[0], bits); });
    one("brev", type, [=](const uint64_t* x) { return reverse(x[0], bits); });
    add_lane(cases, "bfi",
             {.instruction = "bfi." + name_of(type),
              .inputs = {{type}, {type}, {Type::U32, counts()}, {Type::U32, counts()}},
              .output = type,
              .function = [=](const uint64_t* x) { return insert(x[0], x[1], x[2], x[3], bits); }});
  }
}

void add_fields(Cases& cases) {
  for (const Type type : {Type::U32, Type::S32, Type::U64, Type::S64}) {
    const auto [bits, is_signed] = integer_of(type);
    for (const bool shift : {false, true}) {
      add_lane(cases, "bfind",
               {.instruction = fmt::format("bfind{}.{}", shift ? ".shiftamt" : "", name_of(type)),
                .inputs = {{type}},
                .output = Type::U32,
                .function = [=, bits = bits, is_signed = is_signed](const uint64_t* x) {
                  return find_bit(x[0], bits, is_signed, shift);
                }});
    }
    add_lane(cases, "bfe",
             {.instruction = "bfe." + name_of(type),
              .inputs = {{type}, {Type::U32, counts()}, {Type::U32, counts()}},
              .output = type,
              .function = [bits = bits, is_signed = is_signed](const uint64_t* x) {
                return extract(x[0], x[1], x[2], bits, is_signed);
              }});
  }
}

void add_masks(Cases& cases) {
  for (const bool clamp : {false, true}) {
    const std::string mode = clamp ? "clamp" : "wrap";
    add_lane(cases, "bmsk",
             {.instruction = "bmsk." + mode + ".b32",
              .inputs = {{Type::U32, counts()}, {Type::U32, counts()}},
              .output = Type::B32,
              .function = [=](const uint64_t* x) { return bit_mask(x[0], x[1], clamp); }});
    for (const Type type : {Type::U32, Type::S32}) {
      add_lane(cases, "szext",
               {.instruction = fmt::format("szext.{}.{}", mode, name_of(type)),
                .inputs = {{type}, {Type::U32, counts()}},
                .output = type,
                .function = [=](const uint64_t* x) { return extend(x[0], x[1], type == Type::S32, clamp); }});
    }
  }
  add_lane(cases, "fns",
           {.instruction = "fns.b32",
            .inputs = {{Type::B32}, {Type::U32, range(0, 31)}, {Type::S32, range(-34, 35, {0, 1, 2})}},
            .output = Type::B32,
            .function = [](const uint64_t* x) { return find_nth_set(x[0], x[1], x[2]); }});
}

void add_dot_products(Cases& cases, Type a, Type b) {
  const bool sign_a = a == Type::S32, sign_b = b == Type::S32;
  const std::vector<Input> inputs = {{Type::B32}, {Type::B32}, {Type::B32}};
  const std::string types = name_of(a) + "." + name_of(b);
  add_lane(cases, "dp4a",
           {.instruction = "dp4a." + types, .inputs = inputs, .output = Type::B32, .function = [=](const uint64_t* x) {
              int64_t sum = static_cast<int64_t>(x[2]);
              for (int i = 0; i < 4; ++i) sum += element(x[0], i, 8, sign_a) * element(x[1], i, 8, sign_b);
              return static_cast<uint64_t>(sum) & kNone;
            }});
  for (const int first : {0, 2}) {
    add_lane(cases, "dp2a",
             {.instruction = fmt::format("dp2a.{}.{}", first == 0 ? "lo" : "hi", types),
              .inputs = inputs,
              .output = Type::B32,
              .function = [=](const uint64_t* x) {
                int64_t sum = static_cast<int64_t>(x[2]);
                for (int i = 0; i < 2; ++i) {
                  sum += element(x[0], i, 16, sign_a) * element(x[1], first + i, 8, sign_b);
                }
                return static_cast<uint64_t>(sum) & kNone;
              }});
  }
}

/// Both halves by themselves.
void add_pairs(Cases& cases, const std::string& op, const std::string& modifier, bool is_signed,
               int64_t (*function)(int64_t, int64_t)) {
  add_lane(cases, op,
           {.instruction = fmt::format("{}.{}16x2{}", op, is_signed ? 's' : 'u', modifier),
            .inputs = {{Type::B32}, {Type::B32}},
            .output = Type::B32,
            .function = [=](const uint64_t* x) {
              uint64_t result = 0;
              for (int i = 0; i < 2; ++i)
                result |= static_cast<uint64_t>(
                              function(element(x[0], i, 16, is_signed), element(x[1], i, 16, is_signed)) & 0xffff)
                          << (16 * i);
              return result;
            }});
}

void add_differences(Cases& cases, int count, bool sums) {
  const std::string op = fmt::format("vabsdiff{}", count);
  add_lane(cases, op,
           {.instruction = op + ".u32.u32.u32" + (sums ? ".add" : ""),
            .inputs = {{Type::B32}, {Type::B32}, {Type::B32}},
            .output = Type::B32,
            .function = [=](const uint64_t* x) {
              const int bits = 32 / count;
              uint64_t result = 0, sum = x[2];
              for (int i = 0; i < count; ++i) {
                const auto difference =
                    static_cast<uint64_t>(std::abs(element(x[0], i, bits, false) - element(x[1], i, bits, false)));
                result |= difference << (bits * i);
                sum += difference;
              }
              return (sums ? sum : result) & kNone;
            }});
}

/// The byte positions, highest first, that a mode of prmt takes for each selector; the document's table.
struct PermuteRow {
  const char* mode;
  uint16_t bytes[4];
};
constexpr PermuteRow kPermutes[] = {
    {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};

uint64_t permute(uint64_t a, uint64_t b, uint64_t selectors) {
  const uint64_t source = b << 32 | a;
  uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint64_t selector = selectors >> (4 * i) & 0xf;
    const uint64_t byte = source >> (8 * (selector & 7)) & 0xff;
    const uint64_t value = selector < 8 ? byte : byte >= 0x80 ? 0xff : 0;
    result |= value << (8 * i);
  }
  return result;
}

void add_permutes(Cases& cases) {
  const std::vector<Input> inputs = {{Type::B32}, {Type::B32}, {Type::B32}};
  add_lane(cases, "prmt",
           {.instruction = "prmt.b32", .inputs = inputs, .output = Type::B32, .function = [](const uint64_t* x) {
              return permute(x[0], x[1], x[2]);
            }});
  for (const PermuteRow& row : kPermutes) {
    add_lane(cases, "prmt",
             {.instruction = fmt::format("prmt.b32.{}", row.mode),
              .inputs = inputs,
              .output = Type::B32,
              .function = [&row](const uint64_t* x) { return permute(x[0], x[1], row.bytes[x[2] & 3]); }});
  }
}

}  // namespace

void add_bit_cases(Cases& cases) {
  add_counts(cases);
  add_fields(cases);
  add_masks(cases);
  for (const Type a : {Type::U32, Type::S32}) {
    for (const Type b : {Type::U32, Type::S32}) add_dot_products(cases, a, b);
  }
  for (const bool is_signed : {false, true}) {
    add_pairs(cases, "add", "", is_signed, [](int64_t a, int64_t b) { return a + b; });
    add_pairs(cases, "min", "", is_signed, [](int64_t a, int64_t b) { return std::min(a, b); });
    add_pairs(cases, "max", "", is_signed, [](int64_t a, int64_t b) { return std::max(a, b); });
  }
  add_pairs(cases, "min", ".relu", true, [](int64_t a, int64_t b) { return std::max<int64_t>(std::min(a, b), 0); });
  add_pairs(cases, "max", ".relu", true, [](int64_t a, int64_t b) { return std::max<int64_t>(std::max(a, b), 0); });
  for (const int count : {2, 4})
    for (const bool sums : {false, true}) add_differences(cases, count, sums);
  add_permutes(cases);
}

}  // namespace tilescope::vectors
