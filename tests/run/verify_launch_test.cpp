#include "run/verify_launch.h"

#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "prebuilt_only.h"

namespace tilescope::run {
namespace {

/// A launch whose blocks have not run.
struct Placed {
  PreparedPointer prepared;
  LaunchMemory launch;

  Placed() {
    Request request;
    request.kernel = *kernel::load_kernel(TILESCOPE_SOURCE_DIR "/kernels/04_shared_tile.cu");
    request.size = {64, 64, 64};
    prepared = *prepare(request, prebuilt_compiler());
    Result<LaunchMemory> placed = place_launch(*prepared, request.seed);
    launch = std::move(*placed);
  }
  float& first_of_c() {
    for (size_t i = 0; i < launch.array_index.size(); ++i)
      if (prepared->configuration.arrays[i].name == "C")
        return *reinterpret_cast<float*>(launch.memory.bytes(launch.array_index[i]).data());
    throw std::logic_error("no C");
  }
  WrongElement first_wrong() const {
    return verify_launch(*prepared, launch, prepared->request.seed, true, {})->first_wrong.value();
  }
};

TEST(VerifyLaunch, TellsWhetherAnyThreadWroteTheFirstWrongElement) {
  Placed placed;
  EXPECT_FALSE(placed.first_wrong().written);
  EXPECT_EQ(placed.first_wrong().index, (std::vector<int64_t>{0, 0}));
  placed.first_of_c() = 1e6F;
  EXPECT_TRUE(placed.first_wrong().written);
  EXPECT_EQ(placed.first_wrong().got, 1e6);
}

TEST(VerifyLaunch, ANanThatAThreadComputedIsWritten) {
  Placed placed;
  placed.first_of_c() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(placed.first_wrong().written);
  EXPECT_EQ(placed.first_wrong().index, (std::vector<int64_t>{0, 0}));
}

}  // namespace
}  // namespace tilescope::run
