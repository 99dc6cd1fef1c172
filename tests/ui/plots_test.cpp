#include "ui/plots.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/words.h"
#include "kernel/open_file.h"
#include "measure/measurement_service.h"
#include "ui/drawn_texts.h"
#include "ui/panel_fixture.h"

namespace tilescope::ui {
namespace {
namespace fs = std::filesystem;

const ImVec2 kPanel{576, 270};

store::Measurement recorded(const kernel::Kernel& kernel, int64_t size, double gflops) {
  store::Measurement m;
  m.subject.device = "NVIDIA H200";
  m.subject.kernel = kernel.name;
  m.subject.kernel_hash = digest_of(kernel.source);
  for (const kernel::Parameter& parameter : kernel.description.parameters)
    m.subject.params.emplace_back(parameter.name, parameter.default_value);
  m.subject.m = m.subject.n = m.subject.k = size;
  m.date = "2026-11-21T20:52:31Z";
  const auto n = static_cast<double>(size);
  m.gflops = gflops;
  m.seconds.low = m.seconds.median = m.seconds.high = 2 * n * n * n / gflops * 1e-9;
  return m;
}

/// The plots over recordings that the tests made, without an agent.
class PlotsTest : public PanelFixture {
 protected:
  void SetUp() override {
    PanelFixture::SetUp();
    fs::create_directories(folder_ / "recordings");
    std::vector<store::Measurement> figures;
    for (const kernel::Kernel& kernel : workspace_.catalogue().kernels)
      for (const int64_t size : {1024, 4096}) figures.push_back(recorded(kernel, size, 1000.0 * kernel.number));
    std::ofstream(folder_ / "recordings/test.csv") << store::to_csv(figures);
    read_figures({folder_ / "recordings", {}, {}, {}});
    ASSERT_TRUE(measuring_->problems().empty());
    session::State state;
    state.inputs.kernel = "09_thread_tile_2d";
    apply(session::LoadState{state});
    ASSERT_TRUE(settle());
  }
  void TearDown() override {
    PanelFixture::TearDown();
    fs::remove_all(folder_);
  }

  void read_figures(const measure::FigureFiles& files) {
    measuring_ = std::make_unique<measure::MeasurementService>(files, [] {});
    while (measuring_->loading()) measuring_->poll();
  }

  std::function<void(const Context&)> panel() {
    return [this](const Context& context) {
      Context with = context;
      with.measuring = measuring_.get();
      show_plots(with, 0, kept_);
    };
  }
  void frames(int count = 3) {
    for (int i = 0; i < count; ++i) frame(panel(), kPanel);
  }
  bool shows(const std::string& text) const {
    for (const view::Shape& shape : kept_.plot.last().picture.shapes)
      if (const auto* label = std::get_if<view::Label>(&shape); label && label->text == text) return true;
    return false;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("plots-{}", ::getpid());
  std::unique_ptr<measure::MeasurementService> measuring_;
  PlotsState kept_;
};

TEST_F(PlotsTest, TheLadderComesFirstAndShowsTheRecordings) {
  frames();
  EXPECT_NE(widget("ladder"), nullptr);
  EXPECT_TRUE(shows("9 2-D thread tile"));
  EXPECT_TRUE(shows("16"));
  EXPECT_TRUE(shows("recorded"));
  EXPECT_EQ(widget("Measure all stages"), nullptr) << "nothing to measure on";
}

TEST_F(PlotsTest, ATabShowsItsPlot) {
  for (const auto& [tab, picture] : {std::pair{"Parameter", "parameter"},
                                     {"Size", "size"},
                                     {"Heat map", "heat"},
                                     {"Roofline", "roofline"},
                                     {"Bound", "bound"},
                                     {"Counters", "counters"},
                                     {"SM", "sm"},
                                     {"Registers", "registers"},
                                     {"Ladder", "ladder"}}) {
    frames();
    click(panel(), std::string("plot ") + tab, 0.5f, kPanel);
    frames();
    EXPECT_NE(widget(picture), nullptr) << tab;
  }
  click(panel(), "plot Findings", 0.5f, kPanel);
  frames();
  EXPECT_NE(widget("verification"), nullptr);
  EXPECT_EQ(widget("plot Resources"), nullptr) << "they have a panel of their own";
}

TEST_F(PlotsTest, WhatIsNoProductHasNoTabsOfProductsUntilTheNextProduct) {
  const Result<kernel::Opened> opened = kernel::open_file(data_folder() / "examples" / "transpose.cu");
  ASSERT_TRUE(opened);
  workspace_.open(*opened);
  ASSERT_TRUE(settle());
  frames();
  EXPECT_EQ(widget("plot Ladder"), nullptr);
  EXPECT_EQ(widget("plot Roofline"), nullptr);
  EXPECT_NE(widget("plot Size"), nullptr);
  EXPECT_EQ(kept_.tab, PlotTab::Size);
  apply(session::SetSize{{0, 0, 0}});
  settle();
  frames();
  EXPECT_EQ(widget("plot Ladder"), nullptr) << "nor while its size is illegal";
  EXPECT_EQ(kept_.tab, PlotTab::Size);
  click(panel(), "4096²", 0.5f, kPanel);
  click(panel(), "measured size 1024", 0.5f, kPanel);
  ASSERT_TRUE(sent<SetMeasuredSize>());
  measuring_->set_size(sent<SetMeasuredSize>()->size, sent<SetMeasuredSize>()->extents);
  frames();
  EXPECT_NE(widget("1024²"), nullptr);
  apply(session::ChooseKernel{"09_thread_tile_2d"});
  ASSERT_TRUE(settle());
  frames();
  EXPECT_EQ(kept_.tab, PlotTab::Ladder);
  EXPECT_EQ(workspace_.state().inputs.size, (kernel::Size{256, 256, 64}));
  EXPECT_NE(widget("4096³"), nullptr);
}

TEST_F(PlotsTest, TheTabsStandInTwoRowsBeforeTheirWordsAreShortened) {
  const auto rows_and_word = [&](float width) {
    for (int i = 0; i < 2; ++i) frame(panel(), {width, 270});
    const char* word = widget("plot Heat map") ? "plot Heat map" : "plot Heat";
    return std::pair(widget(word)->y < widget("plot Findings")->y ? 2 : 1, std::string(word));
  };
  EXPECT_EQ(rows_and_word(1000), std::pair(1, std::string("plot Heat map")));
  EXPECT_EQ(rows_and_word(620), std::pair(2, std::string("plot Heat map")));
  EXPECT_EQ(rows_and_word(330), std::pair(2, std::string("plot Heat")));
}

TEST_F(PlotsTest, ADamagedStoreIsSaidBesideTheTabs) {
  const fs::path store = folder_ / "store.db";
  std::ofstream(store) << std::string(8192, 'x');
  read_figures({folder_ / "recordings", {}, {}, store});
  TextReader reader;
  ImGui::GetIO().DeltaTime = 0.3f;  // Tooltips come at once.
  for (int i = 0; i < 3; ++i) frame(panel(), {1400, 270});
  const std::string sentence = store.string() + " is damaged (file is not a database), so";
  std::vector<DrawnText> texts = reader.read(*ImGui::GetDrawData());
  const auto begins = [](const std::string& part) {
    return [part](const DrawnText& text) { return text.text.starts_with(part); };
  };
  const auto said = std::ranges::find_if(texts, begins(sentence.substr(0, 40)));
  ASSERT_NE(said, texts.end());
  move_mouse(said->x + 20, said->y + 5);
  for (int i = 0; i < 3; ++i) frame(panel(), {1400, 270});
  std::string under_the_mouse;
  for (const DrawnText& text : reader.read(*ImGui::GetDrawData()))
    if (text.window.starts_with("##Tooltip")) under_the_mouse += text.text + " ";
  EXPECT_THAT(under_the_mouse, testing::HasSubstr("starts a new one."));
  EXPECT_TRUE(shows("recorded")) << "the figures that could be read are there";
}

TEST_F(PlotsTest, APlotAsksOnceForTheCountsThatItNeeds) {
  run::WorkCounter counter(runs_cache_, [] {});
  size_t asked = 0;
  const auto show = [&] {
    frame(
        [&](const Context& context) {
          Context with = context;
          with.measuring = measuring_.get();
          with.counter = &counter;
          show_plots(with, 0, kept_);
        },
        kPanel);
    asked += sent<CountWork>() ? 1 : 0;
  };
  kept_.tab = PlotTab::Bound;
  for (int i = 0; i < 3; ++i) show();
  EXPECT_EQ(asked, 1U);
  set_language(nullptr);
  show();
  EXPECT_EQ(asked, 1U) << "made anew in another language, it needs nothing else";
  kept_.tab = PlotTab::Parameter;
  show();
  EXPECT_EQ(asked, 2U);
}

TEST_F(PlotsTest, AClickOnABarChoosesItsStage) {
  frames();
  const view::Box area = *widget("ladder");
  for (const view::PlotSpot& spot : kept_.plot.last().spots)
    if (spot.title.starts_with("4 ")) {
      const view::Point at = spot.box.centre();
      move_mouse(area.x + at.x, area.y + at.y);
    }
  frames();
  ImGui::GetIO().MouseDown[0] = true;
  frame(panel(), kPanel);
  ImGui::GetIO().MouseDown[0] = false;
  frame(panel(), kPanel);
  const auto* chosen = sent<session::ChooseKernel>();
  ASSERT_NE(chosen, nullptr);
  EXPECT_EQ(chosen->name, "04_shared_tile");
}

TEST_F(PlotsTest, TheMeasuredSizeIsChosenBesideTheTracedOne) {
  frames();
  measuring_->set_size(1024);
  frames();
  EXPECT_TRUE(shows("TFLOP/s, % of cuBLAS, 1024³"));
  EXPECT_EQ(workspace_.state().inputs.size.m, 256);
}

TEST_F(PlotsTest, TheWheelZoomsAndADoubleClickShowsAllAgain) {
  ASSERT_TRUE(choose_plot(kept_, "size"));
  frames();
  const double all = kept_.plot.last().x->high / kept_.plot.last().x->low;
  move_mouse_to("size");
  ImGui::GetIO().MouseWheel = 3;
  frames();
  EXPECT_LT(kept_.plot.last().x->high / kept_.plot.last().x->low, 0.8 * all);
  for (const bool down : {true, false, true, false}) {
    ImGui::GetIO().MouseDown[0] = down;
    frame(panel(), kPanel);
  }
  frames();
  EXPECT_DOUBLE_EQ(kept_.plot.last().x->high / kept_.plot.last().x->low, all);
}

TEST_F(PlotsTest, APlotOfAnUnknownNameIsRefusedWithTheNames) {
  const auto chosen = choose_plot(kept_, "pie");
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.errors()[0].message.text(),
            "There is no plot called pie. There are: ladder, parameter, size, heat, roofline, bound, counters, sm, "
            "registers, resources, findings.");
  EXPECT_TRUE(choose_plot(kept_, ""));
  EXPECT_EQ(kept_.tab, PlotTab::Ladder);
}

TEST_F(PlotsTest, APlotThatAnswersAnOpenQuestionIsCovered) {
  const auto covered = [&](PlotTab tab, session::HiddenFacts hidden) {
    kept_.tab = tab;
    frame(
        [&](const Context& context) {
          Context with = context;
          with.measuring = measuring_.get();
          with.hidden = hidden;
          show_plots(with, 0, kept_);
        },
        kPanel);
    return widget("covered plot") != nullptr;
  };
  for (const PlotTab tab :
       {PlotTab::Ladder, PlotTab::Parameter, PlotTab::Size, PlotTab::Heat, PlotTab::Roofline, PlotTab::Bound}) {
    const bool made_of_counts = tab == PlotTab::Roofline || tab == PlotTab::Bound;
    EXPECT_TRUE(covered(tab, {session::Fact::Speed}));
    EXPECT_EQ(covered(tab, {session::Fact::Counts}), made_of_counts);
    EXPECT_FALSE(covered(tab, {session::Fact::Accesses, session::Fact::Resources, session::Fact::Findings}));
  }
}

TEST_F(PlotsTest, AnSmIsThereUnderAQuestionWithoutTheBlocks) {
  kept_.tab = PlotTab::Sm;
  for (const session::HiddenFacts& hidden :
       {session::HiddenFacts{session::Fact::Speed}, session::HiddenFacts{session::Fact::Resources}}) {
    frame(
        [&](const Context& context) {
          Context with = context;
          with.measuring = measuring_.get();
          with.hidden = hidden;
          show_plots(with, 0, kept_);
        },
        kPanel);
    EXPECT_NE(widget("sm"), nullptr);
    EXPECT_EQ(kept_.sm.last().csv.empty(), hidden.has(session::Fact::Resources));
  }
}

TEST_F(PlotsTest, AnSmFollowsTheSliders) {
  kept_.tab = PlotTab::Sm;
  frames();
  const uint64_t before = kept_.sm.last().picture.serial;
  frames();
  EXPECT_EQ(kept_.sm.last().picture.serial, before) << "made once";
  const std::string held = kept_.sm.last().csv;
  apply(session::UsePreset{"64x64x8-4x4"});
  ASSERT_TRUE(settle());
  frames();
  EXPECT_NE(kept_.sm.last().csv, held);
}

TEST_F(PlotsTest, TheFirstNameThatMeansATabIsChosen) {
  const auto chosen = [&](const std::vector<std::string>& names, bool resources = false) {
    kept_.tab = PlotTab::Size;
    choose_emphasised(kept_, names, resources);
    return kept_.tab;
  };
  EXPECT_EQ(chosen({"A", "bound", "ladder"}), PlotTab::Bound);
  EXPECT_EQ(chosen({"ladder", "bound"}), PlotTab::Ladder);
  EXPECT_EQ(chosen({"plot"}), PlotTab::Roofline);
  EXPECT_EQ(chosen({"code", "findings"}), PlotTab::Findings);
  EXPECT_EQ(chosen({"occupancy", "resources"}), PlotTab::Sm);
  EXPECT_EQ(chosen({"resources"}), PlotTab::Size) << "the resources have a panel";
  EXPECT_EQ(chosen({"resources"}, true), PlotTab::Resources);
  EXPECT_EQ(chosen({"counters", "bound"}), PlotTab::Counters);
  EXPECT_EQ(chosen({"A", "sectors"}), PlotTab::Size);
  ASSERT_TRUE(choose_plot(kept_, "heat"));
  choose_emphasised(kept_, {"bound"}, false);
  EXPECT_EQ(kept_.tab, PlotTab::Heat) << "what was asked for by name stays in the scene that comes with it";
  EXPECT_EQ(chosen({"bound"}), PlotTab::Bound);
}

}  // namespace
}  // namespace tilescope::ui
