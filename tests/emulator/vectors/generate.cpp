#include <bit>
#include <cmath>
#include <random>

#include "vectors/case.h"

namespace tilescope::vectors {
namespace {

using Generator = std::mt19937_64;

/// FNV-1a, so that a case's vectors depend only on its name.
uint64_t seed_of(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::vector<uint64_t> integer_edges(int bits) {
  const uint64_t top = uint64_t{1} << (bits - 1), all = top | (top - 1);
  std::vector<uint64_t> edges = {0, 1, 2, 3, all, all - 1, top, top + 1, top - 1, top - 2};
  for (const uint64_t pattern : {0x5555555555555555u, 0xAAAAAAAAAAAAAAAAu, 0x0123456789ABCDEFu}) {
    edges.push_back(pattern & all);
  }
  for (int half = 7; half < bits; half = half * 2 + 1) {
    for (const uint64_t around : {uint64_t{1} << half, (uint64_t{1} << half) - 1, (uint64_t{1} << half) + 1}) {
      edges.push_back(around & all);
      edges.push_back((0 - around) & all);
    }
  }
  return edges;
}

/// Numbers at which conversions to integers saturate or tie.
constexpr double kNumbers[] = {0.5,
                               1.5,
                               2.5,
                               3.5,
                               0.25,
                               0.75,
                               1,
                               2,
                               3,
                               10,
                               127,
                               127.5,
                               128,
                               255,
                               255.5,
                               256,
                               32767,
                               32767.5,
                               32768,
                               65535,
                               65535.5,
                               65536,
                               2147483647,
                               2147483648,
                               4294967295,
                               4294967296,
                               0.1,
                               1e-3,
                               9.2233720368547758e18,
                               1.8446744073709552e19,
                               3.1415926535,
                               1e10,
                               65504,
                               65519.9999,
                               65520,
                               3.38e38,
                               1e-40,
                               6e-8,
                               2.9e-8};

std::vector<uint64_t> float_edges(reference::Format format) {
  const uint64_t infinity = format.infinity(), normal = format.smallest_normal(), one = format.one();
  std::vector<uint64_t> edges = {0,
                                 1,
                                 2,
                                 normal - 1,
                                 normal,
                                 normal + 1,
                                 one - 1,
                                 one,
                                 one + 1,
                                 infinity - 1,
                                 infinity,
                                 infinity | normal >> 1,         // the quiet NaN
                                 infinity | 1,                   // a signalling one
                                 infinity | normal >> 1 | 0x2a,  // one with a payload
                                 format.nan()};
  for (const double number : kNumbers) {
    edges.push_back(
        reference::convert(reference::kF64, format, std::bit_cast<uint64_t>(number), reference::Round::Nearest));
  }
  const size_t positive = edges.size();
  for (size_t i = 0; i < positive; ++i) edges.push_back(edges[i] | format.sign());
  return edges;
}

std::vector<uint64_t> edges_of(Type type) {
  if (!is_float(type)) return integer_edges(width(type));
  return float_edges(format_of(type));
}

/// A number whose exponent is near that of 1 and whose low bits are often zero, so that operands interact and tie.
uint64_t ordinary_float(reference::Format format, Generator& random) {
  const uint64_t exponent = format.bias() - 6 + random() % 13;
  uint64_t fraction = random() & (format.smallest_normal() - 1);
  if (random() % 2 == 0) fraction &= ~((format.smallest_normal() - 1) >> random() % 8);
  return (random() % 2 == 0 ? format.sign() : 0) | exponent << format.fraction_bits | fraction;
}

uint64_t random_scalar(Type type, const std::vector<uint64_t>& edges, Generator& random) {
  const int bits = is_packed(type) ? 16 : width(type);
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  switch (random() % 4) {
    case 0:
    case 1: return edges[random() % edges.size()];
    case 2: return random() & all;
    default: return is_float(type) ? ordinary_float(format_of(type), random) : (random() & all) >> random() % bits;
  }
}

uint64_t random_in_range(Type type, const Domain& domain, Generator& random) {
  if (!domain.values.empty() && random() % 8 == 0) return domain.values[random() % domain.values.size()];
  const double unit = std::ldexp(static_cast<double>(random() >> 11), -53);
  const double number = domain.low + (domain.high - domain.low) * unit;
  if (!is_float(type)) return reference::truncate(integer_of(type), static_cast<reference::Wide>(std::floor(number)));
  return reference::convert(reference::kF64, format_of(type), std::bit_cast<uint64_t>(number), reference::Round::Zero);
}

uint64_t element(const Input& input, const std::vector<uint64_t>& edges, uint64_t index, Generator& random) {
  switch (input.domain.kind) {
    case Domain::Kind::Listed: return input.domain.values[random() % input.domain.values.size()];
    case Domain::Kind::Range: return random_in_range(input.type, input.domain, random);
    case Domain::Kind::All:
    case Domain::Kind::Distinct: break;
  }
  const uint64_t value = index < edges.size() ? edges[index] : random_scalar(input.type, edges, random);
  return input.domain.kind == Domain::Kind::Distinct && value == 0 ? 1 : value;
}

std::vector<uint64_t> array(const Input& input, uint64_t count, bool edges_in_order, Generator& random) {
  const std::vector<uint64_t> edges = edges_of(input.type);
  std::vector<uint64_t> values(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t index = edges_in_order ? i : edges.size();
    values[i] = element(input, edges, index, random);
    if (is_packed(input.type)) values[i] |= element(input, edges, edges.size(), random) << 16;
  }
  return values;
}

/// Whole warps first, then warps with some lanes, every other lane, one lane, and none.
std::vector<uint64_t> guards(uint64_t threads, Generator& random) {
  std::vector<uint64_t> guard(threads, 1);
  const uint64_t warps = threads / 32;
  for (uint64_t i = 0; i < threads && warps >= 8; ++i) {
    const uint64_t from_last = warps - 1 - i / 32;
    if (from_last == 0) guard[i] = 0;
    if (from_last == 1) guard[i] = i % 32 == 13;
    if (from_last == 2) guard[i] = i % 2;
    if (from_last == 3) guard[i] = random() % 2;
  }
  return guard;
}

}  // namespace

Domain range(double low, double high, std::vector<uint64_t> special) {
  return {Domain::Kind::Range, low, high, std::move(special)};
}
Domain listed(std::vector<uint64_t> values) { return {Domain::Kind::Listed, 0, 0, std::move(values)}; }
Domain nonzero() { return {Domain::Kind::Distinct, 0, 0, {}}; }

Domain counts() {
  std::vector<uint64_t> values = {127, 128, 224,        255,        256,        257,
                                  287, 288, 0x7fffffff, 0x80000000, 0xffffffe0, 0xffffffff};
  for (uint64_t i = 0; i <= 66; ++i) values.push_back(i);
  return listed(std::move(values));
}

Vectors generate(const Case& test) {
  Generator random(seed_of(test.entry));
  Vectors vectors;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    vectors.inputs.push_back(array(test.inputs[i], test.input_count(i), i == 0, random));
  }
  vectors.guard = guards(test.threads(), random);
  return vectors;
}

}  // namespace tilescope::vectors
