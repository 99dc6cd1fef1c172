#include "clock/data_path.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/file.h"

namespace tilescope::clock {
namespace {

/// The clock at which the last of the requests is back, each a load from shared memory of the scheduler named.
double last_back(const SmModel& model, std::initializer_list<uint32_t> schedulers, uint32_t wavefronts) {
  DataPath path(model, 128 << 10, {}, 132);
  for (const uint32_t scheduler : schedulers) {
    Request request;
    request.kind = Request::Kind::Shared;
    request.slot = scheduler;
    request.wavefronts = wavefronts;
    path.enqueue(scheduler, request);
  }
  double last = 0;
  for (int64_t clock = 0; !path.is_empty(); clock = path.next_clock(clock, std::numeric_limits<int64_t>::max()))
    while (const DataPath::Served* served = path.serve(clock)) last = std::max(last, served->back);
  return last;
}

TEST(DataPath, WavefrontsOfASchedulerAreTwoClocksApartAndThoseOfTwoSchedulersShareThePath) {
  const auto model = load_sm_model(data_folder() / "assets" / "sm.toml");
  ASSERT_TRUE(model);
  const double one = last_back(*model, {0}, 1);
  EXPECT_EQ(last_back(*model, {0}, 32) - one, 62);
  EXPECT_EQ(last_back(*model, {0, 0}, 32) - one, 126);
  EXPECT_LT(last_back(*model, {0, 1}, 32) - one, 66) << "both together as fast as one";
  EXPECT_NEAR(last_back(*model, {0, 1, 2, 3}, 32) - one, 127, 4);
}

/// When the path has served eight loads of four words, two wavefronts each, of four schedulers which have issued that
/// many FMAs in the 16 clocks before.
double clocks_beside_fmas(const SmModel& model, int fmas) {
  constexpr int64_t kBegin = 16;
  DataPath path(model, 128 << 10, {}, 132);
  for (uint32_t scheduler = 0; scheduler < kSchedulers; ++scheduler) {
    for (int64_t clock = kBegin - fmas; clock < kBegin; ++clock) path.note_fma(scheduler, clock);
    for (int i = 0; i < 2; ++i) {
      Request request;
      request.kind = Request::Kind::Shared;
      request.slot = scheduler;
      request.wavefronts = 2;
      request.words = 4;
      path.enqueue(scheduler, request);
    }
  }
  for (int64_t clock = kBegin; !path.is_empty(); ++clock)
    while (path.serve(clock)) {
    }
  return path.free_from();
}

TEST(DataPath, LoadsThatBringTwoRegistersAtATimeWaitForThePlacesOfFmas) {
  const auto model = load_sm_model(data_folder() / "assets" / "sm.toml");
  ASSERT_TRUE(model);
  const double alone = clocks_beside_fmas(*model, 0);
  EXPECT_EQ(clocks_beside_fmas(*model, 4), alone) << "places are free";
  EXPECT_GT(clocks_beside_fmas(*model, 16), alone + 1);
}

}  // namespace
}  // namespace tilescope::clock
