#include "ui/finder.h"

#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "lesson/lesson_runner.h"
#include "panel_fixture.h"
#include "ui/drawn_texts.h"
#include "ui/own_kernels.h"

namespace tilescope::ui {
namespace {

class Finder : public PanelFixture {
 protected:
  /// Opened, with that typed, and a frame for what is found.
  void find(const char* text) {
    if (!kept_.open) switch_finder(kept_);
    frame(show_);
    frame(show_);
    ImGui::GetIO().AddInputCharactersUTF8(text);
    frame(show_);
    frame(show_);
  }
  void press(ImGuiKey key) {
    const int code = ImGui::GetIO().KeyMap[key];
    ImGui::GetIO().KeysDown[code] = true;
    frame(show_);
    ImGui::GetIO().KeysDown[code] = false;
  }
  void SetUp() override {
    PanelFixture::SetUp();
    int code = 1;
    for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
      ImGui::GetIO().KeyMap[key] = code++;
  }

  FinderState kept_;
  PlotsState plots_;
  std::unique_ptr<lesson::LessonRunner> lessons_;
  const std::function<void(const Context&)> show_ = [this](const Context& shown) {
    Context context = shown;
    context.lessons = lessons_.get();
    show_finder(context, kept_, plots_);
  };
};

TEST_F(Finder, EnterChoosesWhatIsFound) {
  find("stream");
  ASSERT_NE(widget("found 20  Stream-K"), nullptr);
  press(ImGuiKey_Enter);
  ASSERT_NE(sent<session::ChooseKernel>(), nullptr);
  EXPECT_EQ(sent<session::ChooseKernel>()->name, "20_stream_k");
  EXPECT_FALSE(kept_.open);
}

TEST_F(Finder, OpenedFilesOfOneNameAreToldApartByTheirFolders) {
  kernel::Kernel own = *workspace_.find("01_naive_rows");
  own.is_users = true;
  for (const char* file : {"/ann/a/main.cu", "/ann/b/main.cu", "/ann/b/sum.cu"}) {
    own.file = file;
    workspace_.open({own, {}, {}, {}});
  }
  const std::string title = own.description.title;
  find("main.cu");
  EXPECT_NE(widget("found a/main.cu  " + title), nullptr);
  EXPECT_NE(widget("found b/main.cu  " + title), nullptr);
  EXPECT_EQ(opened_title(workspace_, *workspace_.find("/ann/b/sum.cu")), "sum.cu  " + title);
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Enter);
  ASSERT_NE(sent<session::ChooseKernel>(), nullptr);
  EXPECT_EQ(sent<session::ChooseKernel>()->name, "/ann/a/main.cu");
}

TEST_F(Finder, ArrowsChooseAmongSeveral) {
  find("colours");
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Enter);
  ASSERT_NE(sent<session::SetTheme>(), nullptr);
  EXPECT_EQ(sent<session::SetTheme>()->theme, session::Theme::Dark);
}

TEST_F(Finder, EveryWordThatIsTypedMustOccur) {
  find("plot roof");
  EXPECT_NE(widget("found Roofline"), nullptr);
  EXPECT_EQ(widget("found Ladder"), nullptr);
  press(ImGuiKey_Enter);
  EXPECT_EQ(plots_.tab, PlotTab::Roofline);
  EXPECT_TRUE(std::exchange(plots_.asked_for, false));
  find("plot roof");
  press(ImGuiKey_Enter);
  EXPECT_TRUE(plots_.asked_for) << "its plot may not be on show, though its tab is chosen";
}

TEST_F(Finder, LessonsAreFoundByTheirStepsAndByTheirTitle) {
  lessons_ = std::make_unique<lesson::LessonRunner>(
      lesson::load_course(data_folder() / "lessons", workspace_.catalogue(), "en"), runs_cache_, 0, [] {});
  find("naive coalescing");
  EXPECT_NE(widget("found 2.2  Which threads form a warp"), nullptr);
  EXPECT_EQ(widget("found 3.2  A tile at a time"), nullptr);
}

TEST_F(Finder, StepsAreFoundByTheWordsThatTheyIntroduceAndKernelsByTheirSummaries) {
  lessons_ = std::make_unique<lesson::LessonRunner>(
      lesson::load_course(data_folder() / "lessons", workspace_.catalogue(), "en"), runs_cache_, 0, [] {});
  find("pipelin");
  EXPECT_NE(widget("found pipeline"), nullptr);
  EXPECT_NE(widget("found 15.1  Past the registers"), nullptr);
  EXPECT_NE(widget("found 13  Asynchronous stages"), nullptr);
}

TEST_F(Finder, ALessonIsFoundByItsNumberBeforeStepsWithThatNumber) {
  lessons_ = std::make_unique<lesson::LessonRunner>(
      lesson::load_course(data_folder() / "lessons", workspace_.catalogue(), "en"), runs_cache_, 0, [] {});
  const auto chosen = [&](const char* text) {
    find(text);
    press(ImGuiKey_Enter);
    const auto* const lesson = sent<session::ChooseLesson>();
    return lesson ? fmt::format("{} {}", lesson->slug, lesson->step + 1) : "";
  };
  EXPECT_EQ(chosen("lesson 3"), "shared-tiles 1");
  EXPECT_EQ(chosen("lesson 3.2"), "shared-tiles 2");
  EXPECT_EQ(chosen("lesson 19"), "transpose 1");
  find("kernel 9");
  press(ImGuiKey_Enter);
  ASSERT_NE(sent<session::ChooseKernel>(), nullptr);
  EXPECT_EQ(sent<session::ChooseKernel>()->name, "09_thread_tile_2d");
}

TEST_F(Finder, AWordShowsWhatItMeansAndStays) {
  find("wavefronts");
  EXPECT_NE(widget("meaning wavef., wavefronts / request"), nullptr);
  press(ImGuiKey_Enter);
  EXPECT_TRUE(kept_.open);
  EXPECT_TRUE(close_finder(kept_));
  EXPECT_FALSE(close_finder(kept_));
}

TEST_F(Finder, NothingIsFoundWithoutHarm) {
  find("no such thing");
  press(ImGuiKey_Enter);
  EXPECT_TRUE(kept_.open);
  EXPECT_TRUE(commands_.empty());
  for (int i = 0; i < 4; ++i) frame(show_);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "what is typed next is no shortcut";
}

TEST_F(Finder, ControlsAreFoundByTheirWordsAndKeysByWhatTheyDo) {
  find("compare");
  press(ImGuiKey_Enter);
  ASSERT_NE(sent<session::SetCompare>(), nullptr);
  find("film");
  EXPECT_NE(
      widget("found Ctrl Shift F  From here on each step is a picture of a film, and its end: GIF, and MP4 by ffmpeg"),
      nullptr);
  press(ImGuiKey_Enter);
  ASSERT_TRUE(kept_.press) << "it is pressed";
  EXPECT_EQ(kept_.press->key, "F");
  EXPECT_TRUE(kept_.press->ctrl && kept_.press->shift);
  EXPECT_FALSE(kept_.open);
  find("lane before");
  press(ImGuiKey_Enter);
  EXPECT_TRUE(kept_.open) << "of two keys none is";
}

TEST_F(Finder, NamesAreInAColumnRightOfTheirKinds) {
  find("a");
  std::map<int, std::vector<DrawnText>> rows;
  for (const DrawnText& text : TextReader().read(*ImGui::GetDrawData()))
    for (const char* kind : {"kernel", "lesson", "plot", "setting", "word", "key", "example"})
      if (text.window.starts_with("##finder") && (text.text == kind || rows.contains(static_cast<int>(text.y)))) {
        rows[static_cast<int>(text.y)].push_back(text);
        break;
      }
  ASSERT_GE(rows.size(), 5u);
  const float column = rows.begin()->second.back().x;
  for (const auto& [y, row] : rows) {
    ASSERT_EQ(row.size(), 2u);
    EXPECT_EQ(row[1].x, column) << row[1].text;
    EXPECT_LT(row[0].x + ImGui::CalcTextSize(row[0].text.c_str()).x, column) << row[0].text;
  }
}

TEST_F(Finder, ANameThatIsLongerThanItsRowIsBelow) {
  find("film");
  EXPECT_NE(widget("meaning Ctrl Shift F  From here on each step is a picture of a film, and its end: GIF, and MP4 by "
                   "ffmpeg"),
            nullptr);
  find("undo");
  EXPECT_EQ(widget("meaning Ctrl Z  Ctrl Shift Z  Undo, redo: kernels, parameters, sizes, what-ifs, texts"), nullptr);
}

}  // namespace
}  // namespace tilescope::ui
