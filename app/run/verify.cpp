#include "run/verify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include "base/parallel.h"

// One build serves every x86-64: the compiler makes a second copy of the marked function and picks when it first runs.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TILESCOPE_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define TILESCOPE_CLONES
#endif

namespace tilescope::run {
namespace {

constexpr int64_t kTileRows = 8;
constexpr int64_t kTileColumns = 64;
constexpr int64_t kTileDepth = 64;  // So that a tile of B stays in the cache for all rows.
constexpr int64_t kStrip = 8;       // Columns whose sums stay in registers.

struct Tile {
  int64_t row = 0, column = 0, rows = 0, columns = 0;
  std::array<double, kTileRows * kTileColumns> sum{};        // of products
  std::array<double, kTileRows * kTileColumns> magnitude{};  // of their absolute values
};

// Of a row of A and a strip of B, `depth` products for each column of the strip.
TILESCOPE_CLONES
void add_products(const double* row_of_a, const double* strip_of_b, int64_t depth, double* sum, double* magnitude) {
  std::array<double, kStrip> sums{}, magnitudes{};
  std::copy_n(sum, kStrip, sums.begin());
  std::copy_n(magnitude, kStrip, magnitudes.begin());
  for (int64_t k = 0; k < depth; ++k)
    for (size_t j = 0; j < kStrip; ++j) {
      const double product = row_of_a[k] * strip_of_b[k * kTileColumns + static_cast<int64_t>(j)];
      sums[j] += product;
      magnitudes[j] += std::fabs(product);
    }
  std::copy_n(sums.begin(), kStrip, sum);
  std::copy_n(magnitudes.begin(), kStrip, magnitude);
}

void compute(Tile& tile, const Product& product) {
  std::array<double, kTileDepth> row_of_a{};
  std::array<double, kTileDepth * kTileColumns> tile_of_b{};
  for (int64_t first = 0; first < product.k; first += kTileDepth) {
    const int64_t depth = std::min(kTileDepth, product.k - first);
    for (int64_t k = 0; k < depth; ++k)
      std::copy_n(product.b + (first + k) * product.n + tile.column, tile.columns,
                  &tile_of_b[static_cast<size_t>(k * kTileColumns)]);
    for (int64_t i = 0; i < tile.rows; ++i) {
      std::copy_n(product.a + (tile.row + i) * product.k + first, depth, row_of_a.begin());
      for (int64_t j = 0; j < tile.columns; j += kStrip) {
        const auto at = static_cast<size_t>(i * kTileColumns + j);
        add_products(row_of_a.data(), &tile_of_b[static_cast<size_t>(j)], depth, &tile.sum[at], &tile.magnitude[at]);
      }
    }
  }
}

double gamma(double n, Element arithmetic) {
  const double u = unit_roundoff(arithmetic), nu = n * u;
  if (arithmetic != Element::F32) return std::sqrt(n) * u;
  return nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity();
}

void compare(Verification& result, const Tile& tile, const Product& product, const float* c,
             const std::vector<uint8_t>& written) {
  const double factor = gamma(static_cast<double>(product.k) + 4, product.arithmetic);
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.columns; ++j) {
      const auto at = static_cast<size_t>((tile.row + i) * product.n + tile.column + j);
      if (!written.empty() && !written[at]) continue;
      const auto in_tile = static_cast<size_t>(i * kTileColumns + j);
      const double start = product.beta == 0 ? 0 : double{product.beta} * product.c0[at];
      const double expected = double{product.alpha} * tile.sum[in_tile] + start;
      const double magnitude = std::fabs(double{product.alpha}) * tile.magnitude[in_tile] + std::fabs(start);
      const double left_out = product.taken * (2 + product.taken) * (magnitude - std::fabs(start));
      add_element(result,
                  {"C",
                   {tile.row + i, tile.column + j},
                   expected,
                   c[at],
                   factor * magnitude + left_out + product.stored * std::fabs(expected)},
                  at);
    }
}

bool any_written(const Tile& tile, const Product& product, const std::vector<uint8_t>& written) {
  if (written.empty()) return true;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const auto first = written.begin() + (tile.row + i) * product.n + tile.column;
    if (std::any_of(first, first + tile.columns, [](uint8_t flag) { return flag != 0; })) return true;
  }
  return false;
}

}  // namespace

Element arithmetic_of(const std::string& ptx) {
  for (const char* operation : {"fma.rn.bf16", "add.bf16", "add.rn.bf16"})
    if (ptx.find(operation) != std::string::npos) return Element::BF16;
  // The last two: mma, wmma.
  for (const char* operation : {"fma.rn.f16", "add.f16", "add.rn.f16", ".f16.f16.f16.f16", "k16.f16.f16"})
    if (ptx.find(operation) != std::string::npos) return Element::F16;
  return Element::F32;
}

double taken_roundoff(const std::string& ptx) { return ptx.find(".tf32") == ptx.npos ? 0 : 0x1p-10; }

std::string name_of(const WrongElement& element) {
  std::string name = element.array;
  for (const int64_t index : element.index) name += "[" + std::to_string(index) + "]";
  return name;
}

std::string expected_of(const WrongElement& element) {
  const std::string expected = fmt::format("{:g}", element.expected);
  return element.bound == 0 ? expected : fmt::format("{} ± {:.1e}", expected, element.bound);
}

void add_element(Verification& result, const WrongElement& element, uint64_t number) {
  const double difference = std::fabs(element.got - element.expected);
  const bool same = element.got == element.expected;  // Infinities too.
  const double error = same ? 0 : std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
  ++result.elements;
  result.max_error = std::max(result.max_error, error);
  result.bound = std::max(result.bound, element.bound);
  if (error > 0) result.worst_ratio = std::max(result.worst_ratio, error / element.bound);
  if (error <= element.bound) return;
  ++result.wrong;
  std::vector<bool>& flags = result.wrong_elements[element.array];
  if (flags.size() <= number) flags.resize(number + 1);
  flags[number] = true;
  if (!result.first_wrong || element.index < result.first_wrong->index) result.first_wrong = element;
}

void merge(Verification& into, const Verification& other) {
  into.elements += other.elements;
  into.wrong += other.wrong;
  into.max_error = std::max(into.max_error, other.max_error);
  into.bound = std::max(into.bound, other.bound);
  into.worst_ratio = std::max(into.worst_ratio, other.worst_ratio);
  for (const auto& [array, wrong] : other.wrong_elements) {
    std::vector<bool>& flags = into.wrong_elements[array];
    flags.resize(std::max(flags.size(), wrong.size()));
    for (size_t i = 0; i < wrong.size(); ++i)
      if (wrong[i]) flags[i] = true;
  }
  const auto& theirs = other.first_wrong;
  if (theirs &&
      (!into.first_wrong || (theirs->array == into.first_wrong->array && theirs->index < into.first_wrong->index)))
    into.first_wrong = theirs;
}

Verification verify(const Product& product, const float* c, const std::vector<uint8_t>& written, unsigned threads,
                    const std::atomic<bool>* cancel) {
  Verification result;
  std::mutex mutex;
  const auto rows = static_cast<uint64_t>((product.m + kTileRows - 1) / kTileRows);
  for_each_on(threads, rows, cancel, [&](uint64_t number) {
    const int64_t row = static_cast<int64_t>(number) * kTileRows;
    Verification mine;
    for (int64_t column = 0; column < product.n; column += kTileColumns) {
      if (cancel && *cancel) return;
      Tile tile{row, column, std::min(kTileRows, product.m - row), std::min(kTileColumns, product.n - column)};
      if (!any_written(tile, product, written)) continue;
      compute(tile, product);
      compare(mine, tile, product, c, written);
    }
    const std::lock_guard lock(mutex);
    merge(result, mine);
  });
  return result;
}

}  // namespace tilescope::run
