#include <gtest/gtest.h>

#include "ui/plots.h"

namespace tilescope::ui {
namespace {

TEST(GpuWords, WithoutAGpuTheySayWhoseFiguresAreShown) {
  measure::State state;
  state.agent = measure::State::Agent::Missing;
  state.sentence = Message("No NVIDIA driver: install one.");
  EXPECT_EQ(gpu_words(state, "NVIDIA H200"), "recordings of NVIDIA H200; no GPU here");
  EXPECT_EQ(gpu_words(state, ""), "no GPU here");
}

TEST(GpuWords, OfAGpuTheySayWhichAndWhatItDoes) {
  measure::State state;
  state.agent = measure::State::Agent::Ready;
  state.sentence = Message("NVIDIA L4");
  EXPECT_EQ(gpu_words(state, "NVIDIA H200"), "NVIDIA L4");
  state.running = measure::Progress{protocol::Phase::Sampling, 12};
  EXPECT_EQ(gpu_words(state, "NVIDIA H200"), "sampling 12");
}

}  // namespace
}  // namespace tilescope::ui
