#pragma once

#include <algorithm>
#include <limits>
#include <vector>

constexpr int kSms = 132, kMostWarps = 16;

/// The clocks at which each warp of a block on each SM has started and ended: two for each, warp by warp.
using WarpClocks = long long[2 * kSms * kMostWarps];

/// From a block's first warp's start to its last one's end, of all SMs the median. Warps without clocks did not take part.
inline double median_of_sms(const WarpClocks& clocks, int warps) {
  std::vector<double> each;
  for (int block = 0; block < kSms; ++block) {
    const long long* of_block = clocks + 2 * block * kMostWarps;
    long long first = std::numeric_limits<long long>::max(), last = 0;
    for (int warp = 0; warp < warps; ++warp) {
      if (of_block[2 * warp] == 0) continue;
      first = std::min(first, of_block[2 * warp]), last = std::max(last, of_block[2 * warp + 1]);
    }
    each.push_back(static_cast<double>(last - first));
  }
  std::sort(each.begin(), each.end());
  return each[kSms / 2];
}
