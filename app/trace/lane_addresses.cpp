#include "trace/lane_addresses.h"

#include <bit>
#include <limits>

namespace tilescope::trace {
namespace {

constexpr int kLaneBits = 5;

bool fits_stride(int64_t stride) {
  return stride >= std::numeric_limits<int32_t>::min() && stride <= std::numeric_limits<int32_t>::max();
}

int64_t difference(uint64_t to, uint64_t from) { return static_cast<int64_t>(to - from); }

// Whether setting a bit of the lane number adds the same to the address whatever the lower bits are.
bool is_linear_in_lane_bits(const uint64_t a[kLanes]) {
  uint64_t deviation = 0;
  for (uint32_t bit = 2; bit < kLanes; bit *= 2) {
    const uint64_t step = a[bit] - a[0];
    for (uint32_t lane = 0; lane < bit; ++lane) deviation |= (a[bit + lane] - a[lane]) ^ step;
  }
  return deviation == 0;
}

bool fit_all_lanes(const uint64_t a[kLanes], AffineLanes& form) {
  const int64_t inner = difference(a[1], a[0]);
  int k = 1;
  while (k < kLaneBits && difference(a[1u << k], a[0]) == inner << k) ++k;
  const int64_t outer = k < kLaneBits ? difference(a[1u << k], a[0]) : 0;
  for (int bit = k + 1; bit < kLaneBits; ++bit)
    if (difference(a[1u << bit], a[0]) != outer << (bit - k)) return false;
  if (!fits_stride(inner) || !fits_stride(outer) || !is_linear_in_lane_bits(a)) return false;
  form = {a[0], static_cast<int32_t>(inner), static_cast<int32_t>(outer), static_cast<uint8_t>(k)};
  return true;
}

bool divide_exactly(int64_t value, int64_t by, int64_t& quotient) {
  quotient = value / by;
  return value % by == 0 && fits_stride(quotient);
}

// The inner stride from the first two active lanes of one group; 0 when no group has two.
bool inner_stride(const uint64_t a[kLanes], uint32_t active, int k, int64_t& inner) {
  inner = 0;
  const uint32_t size = 1u << k;
  for (uint32_t first = 0; first < kLanes; first += size) {
    const uint32_t group = (active >> first) & static_cast<uint32_t>((uint64_t{1} << size) - 1);
    if (std::popcount(group) < 2) continue;
    const uint32_t p = first + static_cast<uint32_t>(std::countr_zero(group));
    const uint32_t q = first + static_cast<uint32_t>(std::countr_zero(group & (group - 1)));
    return divide_exactly(difference(a[q], a[p]), q - p, inner);
  }
  return true;
}

bool fit_with_groups(const uint64_t a[kLanes], uint32_t active, int k, AffineLanes& form) {
  int64_t inner = 0, outer = 0;
  if (!inner_stride(a, active, k, inner)) return false;
  const uint32_t low = (1u << k) - 1;
  const uint32_t p = static_cast<uint32_t>(std::countr_zero(active));
  const uint32_t first_of_next_group = (p | low) + 1;
  const uint32_t later = first_of_next_group < kLanes ? active >> first_of_next_group << first_of_next_group : 0;
  if (later) {
    const uint32_t q = static_cast<uint32_t>(std::countr_zero(later));
    const uint64_t within = (uint64_t{q & low} - (p & low)) * static_cast<uint64_t>(inner);
    if (!divide_exactly(difference(a[q], a[p] + within), (q >> k) - (p >> k), outer)) return false;
  }
  form = {0, static_cast<int32_t>(inner), static_cast<int32_t>(outer), static_cast<uint8_t>(k)};
  form.base = a[p] - form.at(p);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (form.at(lane) != a[lane]) return false;
  }
  return true;
}

}  // namespace

bool fit_affine(const uint64_t addresses[kLanes], uint32_t active, AffineLanes& form) {
  if (active == kAllLanes) return fit_all_lanes(addresses, form);
  if (active == 0) {
    form = {};
    return true;
  }
  for (int k = kLaneBits; k > 0; --k)
    if (fit_with_groups(addresses, active, k, form)) return true;
  return false;
}

}  // namespace tilescope::trace
