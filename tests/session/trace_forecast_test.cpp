#include "session/trace_forecast.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "prebuilt_only.h"
#include "session/scene.h"

namespace tilescope::session {
namespace {

Request request_of(const char* kernel, int64_t k) {
  Request request;
  request.kernel = *kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), kernel);
  request.size = {1024, 1024, k};
  request.block = {1, 0};
  return request;
}

TEST(TraceForecast, NamesAKThatFits) {
  Control control;
  control.whole_trace = true;
  control.step_budget = 600'000;
  for (const char* kernel : {"01_naive_rows", "04_shared_tile", "09_thread_tile_2d"}) {
    const auto too_long = too_long_trace(request_of(kernel, 1'000'000), prebuilt_compiler(), control);
    ASSERT_TRUE(too_long) << kernel;
    EXPECT_EQ(too_long->problem.message.text(),
              "The trace of a block with K = 1000000 would be too large. Choose a smaller K, "
              "such as " +
                  std::to_string(too_long->fitting_k) + ".");
    EXPECT_TRUE(make_scene(request_of(kernel, too_long->fitting_k), prebuilt_compiler(), control)) << kernel;
    const bool is_least = too_long->fitting_k == 256;
    EXPECT_TRUE(is_least || !make_scene(request_of(kernel, 16 * too_long->fitting_k), prebuilt_compiler(), control))
        << kernel;
  }
}

TEST(TraceForecast, SaysNothingOfWhatFitsOrCannotBeTold) {
  Control control;
  EXPECT_FALSE(too_long_trace(request_of("09_thread_tile_2d", 8192), prebuilt_compiler(), control));
  EXPECT_FALSE(too_long_trace(request_of("09_thread_tile_2d", 64), prebuilt_compiler(), control));
  Request illegal = request_of("09_thread_tile_2d", 1'000'000);
  illegal.settings["TM"] = "7";
  EXPECT_FALSE(too_long_trace(illegal, prebuilt_compiler(), control));
}

}  // namespace
}  // namespace tilescope::session
