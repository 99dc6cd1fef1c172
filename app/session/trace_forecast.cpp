#include "session/trace_forecast.h"

#include <algorithm>
#include <bit>

#include "base/words.h"
#include "session/scene.h"

namespace tilescope::session {
namespace {

constexpr double kQuicker = 8;                    // What just fits takes some ten seconds.

/// What a trace takes, in warp instructions and in records.
struct Length {
  double steps = 0, records = 0;
};

std::optional<Length> length_at(const Request& request, int64_t k, compile::Compiler& compiler, const Control& control) {
  const Result<std::shared_ptr<const Scene>> scene = make_scene(first_block_at(request, k), compiler, control);
  if (!scene || !(*scene)->trace || !(*scene)->timeline) return std::nullopt;
  Length length{0, static_cast<double>((*scene)->trace->size())};
  for (uint32_t warp = 0; warp < (*scene)->timeline->warps(); ++warp) length.steps += (*scene)->timeline->steps(warp);
  return length;
}

/// The K at which a straight line through the two short ones reaches `most`.
double k_at(double at_short, double at_longer, double most) {
  const double slope = (at_longer - at_short) / (kLongerK - kShortK);
  return slope <= 0 ? 1e18 : static_cast<double>(kShortK) + (most - at_short) / slope;
}

}  // namespace

std::optional<TooLongTrace> too_long_trace(const Request& request, compile::Compiler& compiler,
                                           const Control& control) {
  if (request.size.k < kLongK) return std::nullopt;
  const std::optional<Length> at_short = length_at(request, kShortK, compiler, control);
  const std::optional<Length> longer = at_short ? length_at(request, kLongerK, compiler, control) : std::nullopt;
  if (!longer) return std::nullopt;
  const auto most_records = static_cast<double>(trace::RecorderOptions().record_limit);
  const double most_k = std::min(k_at(at_short->steps, longer->steps, static_cast<double>(control.step_budget)),
                                 k_at(at_short->records, longer->records, most_records));
  if (static_cast<double>(request.size.k) <= most_k || most_k < kLongerK) return std::nullopt;
  const double quick = std::max(most_k / kQuicker, static_cast<double>(kLongerK));
  const auto fitting = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(quick)));
  return TooLongTrace{
      error(tr_format("The trace of a block with K = {} would be too large. Choose a smaller K, such as {}.",
                      request.size.k, fitting)),
      fitting};
}

}  // namespace tilescope::session
