#include "kernel/size_polynomial.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace tilescope::kernel {
namespace {

/// The places at which a polynomial is taken; whole blocks and even quotients, so that these are polynomials there.
constexpr int64_t kStep = 1024;
constexpr std::array<std::array<int64_t, 4>, 3> kPlaces{
    {{kStep, 5 * kStep}, {2 * kStep, 7 * kStep}, {3 * kStep, 4 * kStep, 5 * kStep, 6 * kStep}}};
constexpr Sizes kMostPlaces{2, 2, 4}, kOther{3 * kStep, 4 * kStep, 7 * kStep};

/// Turns values at `places` into factors of the powers: divided differences, then Newton's form multiplied out.
bool to_factors(const std::array<int64_t, 4>& places, std::array<int64_t, 4>& values, size_t count) {
  for (size_t k = 1; k < count; ++k)
    for (size_t i = count - 1; i >= k; --i) {
      const int64_t rise = values[i] - values[i - 1], run = places[i] - places[i - k];
      if (rise % run != 0) return false;
      values[i] = rise / run;
    }
  for (size_t k = count - 1; k-- > 0;)
    for (size_t i = k; i + 1 < count; ++i) values[i] -= places[k] * values[i + 1];
  return true;
}

using Term = std::pair<Sizes, int64_t>;

int64_t degree_of(const Term& term) { return std::accumulate(term.first.begin(), term.first.end(), int64_t{0}); }

/// The terms, those of the highest degree first.
std::vector<Term> by_degree(const SizePolynomial& polynomial) {
  std::vector<Term> terms(polynomial.factors.rbegin(), polynomial.factors.rend());
  std::ranges::stable_sort(terms, std::greater<>(), degree_of);
  return terms;
}

}  // namespace

std::string SizePolynomial::text() const {
  std::string text;
  for (const auto& [powers, factor] : by_degree(*this)) {
    std::string product;
    for (size_t d = 0; d < powers.size(); ++d)
      for (int64_t i = 0; i < powers[d]; ++i)
        product += fmt::format("{}{}", product.empty() ? "" : " * ", kSizeNames[d]);
    const int64_t size = std::abs(factor);
    if (product.empty())
      product = fmt::format("{}", size);
    else if (size != 1)
      product = fmt::format("{} * {}", size, product);
    text += (text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ") + product;
  }
  return text.empty() ? "0" : text;
}

SizePolynomial SizePolynomial::in_whole_rows() const {
  const auto terms = by_degree(*this);
  if (terms.size() < 2 || degree_of(terms[1]) == degree_of(terms[0])) return *this;
  SizePolynomial first{{terms[0]}};
  return at(kTypicalSizes) < first.at(kTypicalSizes) ? first : *this;
}

int64_t SizePolynomial::degree() const { return factors.empty() ? 0 : degree_of(by_degree(*this).front()); }

int64_t SizePolynomial::at(const Sizes& sizes) const {
  int64_t sum = 0;
  for (const auto& [powers, factor] : factors) {
    int64_t product = factor;
    for (size_t d = 0; d < powers.size(); ++d)
      for (int64_t i = 0; i < powers[d]; ++i) product *= sizes[d];
    sum += product;
  }
  return sum;
}

std::optional<SizePolynomial> polynomial_of(const Sizes& used,
                                            const std::function<std::optional<int64_t>(const Sizes&)>& value_at) {
  Sizes count{};
  for (size_t d = 0; d < count.size(); ++d) count[d] = used[d] ? kMostPlaces[d] : 1;
  std::map<Sizes, int64_t, std::greater<>> values;
  for (int64_t k = 0; k < count[0]; ++k)
    for (int64_t m = 0; m < count[1]; ++m)
      for (int64_t n = 0; n < count[2]; ++n) {
        const auto value = value_at({kPlaces[0][k], kPlaces[1][m], kPlaces[2][n]});
        if (!value) return std::nullopt;
        values[{k, m, n}] = *value;
      }
  for (size_t d = 0; d < count.size(); ++d)
    for (const auto& [first, unused] : std::map(values)) {
      if (first[d] != 0) continue;
      std::array<int64_t, 4> line{};
      Sizes at = first;
      for (at[d] = 0; at[d] < count[d]; ++at[d]) line[static_cast<size_t>(at[d])] = values[at];
      if (!to_factors(kPlaces[d], line, static_cast<size_t>(count[d]))) return std::nullopt;
      for (at[d] = 0; at[d] < count[d]; ++at[d]) values[at] = line[static_cast<size_t>(at[d])];
    }
  std::erase_if(values, [](const auto& term) { return term.second == 0; });
  SizePolynomial result{std::move(values)};
  if (value_at(kOther) != result.at(kOther)) return std::nullopt;
  return result;
}

}  // namespace tilescope::kernel
