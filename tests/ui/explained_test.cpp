// Whatever word the window writes itself has a card where a student meets it: the mouse is put on each, and the card
// read.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "ui/drawn_texts.h"
#include "ui/frame_fixture.h"
#include "ui/lesson_panel.h"
#include "wording/finding.h"

namespace tilescope::ui {
namespace {
using session::Scale;

/// A word, where it is met, and what its card says among other things.
struct Met {
  std::string window;  ///< Part of the name of ImGui's window.
  std::string text;    ///< Part of what is drawn.
  std::string card;
};

class Explained : public FrameFixture {
 protected:
  void SetUp() override {
    FrameFixture::SetUp();
    ImGui::GetIO().DisplaySize = {2400, 1350};  // ImGui's own font is wide.
    ImGui::GetIO().DeltaTime = 0.3f;            // Cards come at once.
    use_shipped_course();
    reader_.emplace();
  }

  std::vector<DrawnText> drawn(int frames) {
    for (int i = 0; i < frames; ++i) show_window();
    return reader_->read(*ImGui::GetDrawData());
  }
  void use(const std::string& kernel, Scale scale, int64_t size) {
    open(kernel);
    apply(session::SetSize{{size, size, size}});
    apply(session::SetScale{scale});
    ASSERT_TRUE(settle());
  }
  /// The first scene of a kernel in a lesson, with every panel.
  void use(size_t lesson, const std::string& file) {
    for (const lesson::Step& step : lessons_->course().lessons[lesson - 1].steps)
      if (step.scene && step.scene->kernel->file.filename() == file) {
        apply(show_command(*step.scene));
        ASSERT_TRUE(settle());
        return;
      }
    FAIL() << file;
  }
  void go_to(const char* tag) {
    const auto& source = workspace_.current().traced()->report.source;
    for (size_t i = 0; i < source.size(); ++i)
      if (source[i].find(tag) != std::string::npos) return apply(session::GoToLine{static_cast<int>(i) + 1});
    FAIL() << tag;
  }

  /// What is said where the mouse rests on the word, wherever in the panel it is; else what the panel has.
  std::string cards(const Met& met) {
    move_mouse(-1, -1);
    std::string cards, drawn_there;
    for (const DrawnText& text : drawn(4)) {
      if (text.window.find(met.window) == std::string::npos) continue;
      drawn_there += text.text + " | ";
      const size_t at = text.text.find(met.text);
      if (at == std::string::npos) continue;
      const float character = text.line * 7 / 13;  // Of ImGui's own font.
      move_mouse(text.x + (static_cast<float>(at) + static_cast<float>(met.text.size()) / 2) * character,
                 text.y + text.line / 2);
      for (const DrawnText& line : drawn(4))
        if (line.window.find("##Tooltip") != std::string::npos) cards += line.text + ' ';
    }
    return cards.empty() ? "no card among " + drawn_there : cards;
  }
  void expect(const std::vector<Met>& words) {
    for (const Met& met : words) {
      ++met_;
      const std::string said = cards(met);
      EXPECT_THAT(said, testing::HasSubstr(met.card)) << met.text << " in " << met.window;
      if (said.find(met.card) == std::string::npos) unexplained_.push_back(met.text);
    }
  }

  std::optional<TextReader> reader_;
  int met_ = 0;
  std::vector<std::string> unexplained_;
};

TEST_F(Explained, EveryWordThatNothingElseExplains) {
  use("01_naive_rows", Scale::Block, 64);
  go_to("[load A]");
  expect({{"timeline", "round", "One pass"},
          {"timeline", "phase", "one purpose"},
          {"code", "counted:", "Counted by executing"},
          {"top", "sm_90", "compute capability"},
          {"top", "compiled by", "NVRTC is CUDA's compiler"},
          {"code", "Both", "over its PTX"},
          {"code", "sectors,", "32-byte sectors"},
          {"code", "wavefronts / request", "How many passes"},
          {"strip", "L1 wavefront", "One turn"},
          {"strip", "ideal", "fewest"},
          {"strip", "ld.global.f32", ".global: in global memory"},
          {"strip", "%f", "A register of 32 bits"},
          {"/ptx", "ld.global.f32", "Loads a value"},
          {"/ptx", "%f", "A register of 32 bits"}});
  use("04_shared_tile", Scale::Warp, 64);
  go_to("[load A]");
  expect({{"stage", "lanes 0 to 31", "32 places of a warp"}, {"stage", "k 32", "sums run over"}});
  use("10_wide_loads", Scale::Block, 128);
  expect({{"stage", "transposed", "rows are drawn as columns"},
          {"parameters", "legal", "keep every limit"},
          {"parameters", "BM 128", "Values of all parameters"},
          {"plots", "10*", "other values than the stage's own"}});
  // Of lessons, in the order of the course.
  use(4, "early_return.cu");
  ASSERT_TRUE(choose_plot(kept_.plots, "findings"));
  expect({{"findings", "barrier-after-exit", "have ended before"},
          {"findings", "divergent-barrier", "took another way at a branch"}});
  use(9, "transposed_tile.cu");
  go_to("[store Bs]");
  expect({{"/source", "PLACE", "exchanges words within a row"}});
  use(12, "cooperative_fetch.cu");
  go_to("MINE(threadIdx.y");
  expect({{"/source", "MINE", "places along an axis"}});
  use(18, "box.cu");
  go_to("[copy A]");
  expect({{"/source", "COPY_BOX", "One thread asks for a whole tile"},
          {"/source", "1.2", "an average"},
          {"stage", "missing: arrivals", "still waits for"},
          {"timeline", "stage 0", "in flight"}});
  EXPECT_EQ(unexplained_, std::vector<std::string>()) << "of " << met_;
}

TEST_F(Explained, EveryKindOfFinding) {
  std::set<std::string> meanings;
  for (size_t i = 0; i < analysis::kFindingKinds; ++i)
    meanings.insert(wording::meaning_of(static_cast<analysis::FindingKind>(i)));
  EXPECT_EQ(meanings.size(), analysis::kFindingKinds) << "each has its own";
  EXPECT_FALSE(meanings.contains(""));
}

}  // namespace
}  // namespace tilescope::ui
