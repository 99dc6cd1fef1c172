#include "run/growth.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "prebuilt_only.h"
#include "run/traced_block.h"

namespace tilescope::run {
namespace {

Result<PreparedPointer> prepared_at(const char* kernel, int64_t k) {
  Request request;
  request.kernel = *kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), kernel);
  request.size = {1024, 1024, k};
  return prepare(request, prebuilt_compiler());
}

bool is_traced_whole(const char* kernel, int64_t k, const Control& control) {
  const auto traced = trace_block(*prepared_at(kernel, k), {1, 0}, control);
  return traced && !why_cut_off((*traced)->report);
}

TEST(FittingK, IsOneWhoseTraceFits) {
  Control control;
  control.step_budget = 600'000;
  for (const char* kernel : {"01_naive_rows", "04_shared_tile", "09_thread_tile_2d"}) {
    const std::optional<int64_t> fits = fitting_k(**prepared_at(kernel, 1'000'000), prebuilt_compiler(), control);
    ASSERT_TRUE(fits) << kernel;
    EXPECT_TRUE(is_traced_whole(kernel, *fits, control)) << kernel;
    const bool is_least = *fits == 256;
    EXPECT_TRUE(is_least || !is_traced_whole(kernel, 16 * *fits, control)) << kernel;
  }
}

TEST(FittingK, SaysNothingOfWhatFits) {
  EXPECT_FALSE(fitting_k(**prepared_at("09_thread_tile_2d", 8192), prebuilt_compiler(), {}));
  EXPECT_FALSE(fitting_k(**prepared_at("09_thread_tile_2d", 64), prebuilt_compiler(), {}));
}

}  // namespace
}  // namespace tilescope::run
