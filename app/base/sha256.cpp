#include "base/sha256.h"

#include <array>
#include <bit>
#include <cstdint>

#include <fmt/format.h>

namespace tilescope {
namespace {

constexpr size_t kBlock = 64;
using Words = std::array<uint32_t, 8>;

/// The first 32 bits of the fractional part of a prime's cube root or square root, by whole numbers: the largest x
/// with x^n <= prime * 2^(32 n), without its whole part.
constexpr uint32_t root_fraction(uint32_t prime, int degree) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 36; bit != 0; bit >>= 1) {
    const uint64_t next = root | bit;
    __extension__ using Wide = unsigned __int128;
    const Wide square = static_cast<Wide>(next) * next;
    if (degree == 2 ? square <= static_cast<Wide>(prime) << 64 : square * next <= static_cast<Wide>(prime) << 96)
      root = next;
  }
  return static_cast<uint32_t>(root);
}

template <size_t kCount>
constexpr std::array<uint32_t, kCount> root_fractions(int degree) {
  std::array<uint32_t, kCount> fractions{};
  uint32_t candidate = 2;
  for (uint32_t& fraction : fractions) {
    const auto is_prime = [](uint32_t number) {
      for (uint32_t divisor = 2; divisor * divisor <= number; ++divisor)
        if (number % divisor == 0) return false;
      return true;
    };
    while (!is_prime(candidate)) ++candidate;
    fraction = root_fraction(candidate++, degree);
  }
  return fractions;
}

constexpr Words kStart = root_fractions<8>(2);
constexpr std::array<uint32_t, 64> kRounds = root_fractions<64>(3);

uint32_t word_at(const unsigned char* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

void add_block(Words& hash, const unsigned char* block) {
  uint32_t w[64];
  for (size_t t = 0; t < 16; ++t) w[t] = word_at(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    const uint32_t t1 =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice + kRounds[t] + w[t];
    const uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Words added{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < hash.size(); ++i) hash[i] += added[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Words hash = kStart;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const size_t whole = bytes.size() / kBlock * kBlock;
  for (size_t at = 0; at < whole; at += kBlock) add_block(hash, data + at);
  // The rest, a one bit, zeros, and the number of bits: one block or two.
  std::array<unsigned char, 2 * kBlock> last{};
  const size_t rest = bytes.size() - whole;
  for (size_t i = 0; i < rest; ++i) last[i] = data[whole + i];
  last[rest] = 0x80;
  const size_t end = rest < kBlock - 8 ? kBlock : 2 * kBlock;
  for (size_t i = 0; i < 8; ++i) last[end - 1 - i] = static_cast<unsigned char>(uint64_t{bytes.size()} * 8 >> (8 * i));
  for (size_t at = 0; at < end; at += kBlock) add_block(hash, last.data() + at);
  std::string text;
  for (const uint32_t word : hash) text += fmt::format("{:08x}", word);
  return text;
}

std::string digest_of(std::string_view text) { return sha256(text).substr(0, 16); }

}  // namespace tilescope
