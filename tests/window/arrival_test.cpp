// Every step of every lesson as it opens, in the fonts of the window: is its question on screen, whole?
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "base/words.h"
#include "ui/frame.h"
#include "ui/layout.h"
#include "ui/panel_fixture.h"
#include "window/font_files.h"
#include "window/languages.h"
#include "window/lessons.h"
#include "window/look.h"

namespace tilescope::window {
namespace {
using lesson::Lesson;
using ui::Command;

const ImVec2 kSizes[] = {{1600, 900}, {1366, 768}, {1280, 720}};
constexpr float kLeastText = 120;  ///< Of the page's text above the question.

class Arrival : public ui::PanelFixture, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    PanelFixture::SetUp();
    fonts_ = std::make_unique<ui::FontBook>(find_fonts());
    languages_.set_language(GetParam());
    languages_.need_characters(GetParam(), *fonts_);
    need_characters(lessons_.course(), *fonts_);
    add_kernels(lessons_.course(), workspace_);
    use_scales({1});
    use_scale(1);
  }
  void TearDown() override {
    set_language(nullptr);
    fonts_.reset();
    PanelFixture::TearDown();
  }
  ui::Services services() override { return {&workspace_, &lessons_}; }

  ui::Fonts fonts_at(float scale) {
    const auto at = [&](view::Font font, float size) { return fonts_->at(font, size * scale).font; };
    return {at(view::Font::Text, 14), at(view::Font::Bold, 14), at(view::Font::Bold, 22), at(view::Font::Mono, 13)};
  }
  void use_scales(const std::vector<float>& scales) {
    for (const float scale : scales) fonts_at(scale);
    fonts_->build();
  }
  void use_scale(float scale) {
    scale_ = scale;
    ImGui::GetIO().FontDefault = fonts_at(scale).text;
    ui::apply_style(palette_, scale);
  }

  void show(ImVec2 size) {
    ImGui::GetIO().DisplaySize = size;
    session::Target hover_next;
    ui::Context context = next_context(hover_next);
    context.lessons = &lessons_;
    context.scale = scale_;
    context.fonts = fonts_at(scale_);
    ImGui::NewFrame();
    show_frame(context, kept_);
    ImGui::Render();
  }
  void open(const Lesson& lesson, uint32_t step) {
    apply(session::ChooseLesson{lesson.slug, step});
    apply(ui::show_command(*lessons_.scene(lesson, step)));
    ASSERT_TRUE(settle());
    ASSERT_TRUE(wait_until([&] { return lessons_.poll(), lessons_.page() != nullptr; }));
  }
  /// What is wrong with the shown question; empty if nothing.
  std::string missing(const Lesson& lesson, size_t step, ImVec2 size) const {
    const view::Box *box = widget("question"), *back = widget("previous step");
    const view::Box* page = widget(fmt::format("page {} {}", lesson.slug, step + 1));
    if (!box || !back || !page) return "it is not there";
    if (kept_.lesson.question_height > box->height + 1)
      return fmt::format("it is {} high and has {}", kept_.lesson.question_height, box->height);
    if (page->height < kLeastText) return fmt::format("{} are left for the text", page->height);
    if (box->bottom() > back->y || back->bottom() > size.y) return "it lies over the buttons below";
    return {};
  }

  /// The choices of the question to the class that are not in sight: "b".
  std::string out_of_sight(const lesson::Question& question, ImVec2 size) const {
    std::string letters;
    for (size_t i = 0; i < question.choices.size(); ++i) {
      const char letter = lesson::choice_letter(i);
      const view::Box* box = widget(fmt::format("choice {} to class", letter));
      if (!box || box->bottom() > size.y - ui::kPad * scale_ + 1 || box->right() > size.x) letters += letter;
    }
    return letters;
  }

  std::unique_ptr<ui::FontBook> fonts_;
  float scale_ = 1;
  Languages languages_{data_folder() / "assets" / "words"};
  lesson::LessonRunner lessons_{load_course(workspace_.catalogue(), GetParam()), runs_cache_, 0, [] {}};
  ui::FrameState kept_;
};

TEST_P(Arrival, TheWholeQuestionIsOnScreenWhenAStepOpens) {
  std::vector<std::string> cut;
  for (const Lesson& lesson : lessons_.course().lessons)
    for (uint32_t step = 0; step < lesson.steps.size(); ++step) {
      if (!lesson.steps[step].question) continue;
      open(lesson, step);
      for (const ImVec2 size : kSizes) {
        kept_.lesson = {};
        for (int i = 0; i < 4; ++i) show(size);
        if (const std::string problem = missing(lesson, step, size); !problem.empty())
          cut.push_back(fmt::format("{}.{} at {} x {}: {}", lesson.number, step + 1, size.x, size.y, problem));
      }
    }
  EXPECT_EQ(fmt::format("{}", fmt::join(cut, "\n")), "");
}

TEST_P(Arrival, AClassSeesEveryChoiceOnEveryProjector) {
  struct Projector {
    ImVec2 size;
    float display = 1, zoom = 1, scale = 0;
  };
  Projector projectors[] = {{{1280, 720}}, {{1920, 1080}}, {{3840, 2160}, 2}, {{1280, 720}, 1, 1.5f}};
  apply(session::SetPresent{true});
  std::vector<float> scales;
  for (Projector& each : projectors) {
    apply(session::SetUiScale{each.zoom});
    each.scale = scale_of(workspace_.state(), {each.size.x, each.size.y, 1, each.display});
    scales.push_back(each.scale);
  }
  use_scales(scales);
  std::vector<std::string> cut;
  for (const Lesson& lesson : lessons_.course().lessons)
    for (uint32_t step = 0; step < lesson.steps.size(); ++step) {
      if (!lesson.steps[step].question || lesson.steps[step].question->choices.empty()) continue;
      apply(session::ChooseLesson{lesson.slug, step});
      ASSERT_TRUE(wait_until([&] { return lessons_.poll(), lessons_.page() != nullptr; }));
      for (const Projector& each : projectors) {
        use_scale(each.scale);
        kept_.lesson = {};
        for (int i = 0; i < 3; ++i) show(each.size);
        if (const std::string lost = out_of_sight(*lesson.steps[step].question, each.size); !lost.empty())
          cut.push_back(fmt::format("{}.{} at {} x {}, zoom {}: {}", lesson.number, step + 1, each.size.x, each.size.y,
                                    each.zoom, lost));
      }
    }
  EXPECT_EQ(fmt::format("{}", fmt::join(cut, "\n")), "");
}

INSTANTIATE_TEST_SUITE_P(Languages, Arrival, testing::Values("en", "zh"), [](const auto& each) { return each.param; });

}  // namespace
}  // namespace tilescope::window
