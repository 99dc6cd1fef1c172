#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/console.h"
#include "cli/tune_search.h"
#include "no_more_threads.h"
#include "prebuilt_only.h"

namespace tilescope::cli {
namespace {

TEST(NoMoreThreads, AProgressLineNeedsNone) {
  EXPECT_EXIT(
      {
        no_more_threads();
        { ProgressLine("a: ").say("b"); }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^a: b\n$");
}

/// The child may read no file, so its compiles fail, which ends their examination, too.
TEST(NoMoreThreads, WhoWaitsForAnExaminationDoesIt) {
  const kernel::Catalogue catalogue = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  const Search search{*kernel::find_kernel(catalogue, "7"), {1024, 1024, 1024}, "sm_90", std::nullopt};
  const Result<std::vector<Candidate>> candidates = legal_candidates(search);
  ASSERT_TRUE(candidates) << to_string(candidates.errors());
  EXPECT_EXIT(
      {
        no_more_threads();
        const std::atomic<bool> cancel = false;
        Examination examination(search, *candidates, prebuilt_compiler(), 2, cancel);
        for (size_t i = 0; i < candidates->size(); ++i) examination.wait();
        std::exit(examination.progress().done() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tilescope::cli
