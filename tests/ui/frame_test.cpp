#include "ui/frame.h"

#include <cmath>
#include <ranges>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "base/words.h"
#include "clock/warp_slots.h"
#include "contrast.h"
#include "lesson/lesson_runner.h"
#include "ui/drawn_texts.h"
#include "ui/explain.h"
#include "ui/layout.h"
#include "ui/lesson_panel.h"
#include "ui/panel_fixture.h"
#include "ui/picture_view.h"
#include "ui/shortcut_list.h"
#include "ui/window_words.h"
#include "view/stage/stage_picture.h"

namespace tilescope::ui {
namespace {
using session::Scale;
using view::Ink;

/// The whole window without one: every kernel, scale and size of the display.
class Frames : public PanelFixture {
 protected:
  void show(float width, float height, float scale) {
    ImGui::GetIO().DisplaySize = {width, height};
    session::Target hover_next;
    Context context = next_context(hover_next);
    context.scale = scale;
    context.lessons = &lessons_;
    context.languages = &languages_;
    context.on_paper = on_paper_;
    grounds_.clear();
    context.grounds = &grounds_;
    ImGui::NewFrame();
    show_frame(context, kept_);
    ImGui::Render();
    hover_ = hover_next;
  }
  /// The panel that contains a widget of the last frame.
  view::Box panel_of(const std::string& name) {
    const view::Box* box = widget(name);
    for (const Ground& ground : grounds_)
      if (box && ground.box.contains(box->centre())) return ground.box;
    ADD_FAILURE() << name << " is in no panel";
    return {};
  }
  /// Presses and releases the left button there, until a command of that kind is sent.
  template <class Command>
  void click(const std::string& name, float scale) {
    show(1600, 900, scale);
    move_mouse_to(name);
    for (const bool down : {false, true, false}) {
      ImGui::GetIO().MouseDown[0] = down;
      show(1600, 900, scale);
      if (sent<Command>()) return;
    }
  }
  /// The same, whatever is sent.
  void click_through(const std::string& name) {
    show(1600, 900, 1);
    move_mouse_to(name);
    for (const bool down : {false, true, false}) {
      ImGui::GetIO().MouseDown[0] = down;
      show(1600, 900, 1);
    }
  }
  Context kept_context() {
    Context context;
    context.workspace = &workspace_;
    return context;
  }
  /// Shows the scene of a lesson whose kernel has a race; returns the kernel's name.
  std::string show_racy() {
    for (const lesson::Lesson& lesson : lessons_.course().lessons)
      for (size_t i = 0; i < lesson.steps.size(); ++i) {
        const auto scene = lessons_.scene(lesson, i);
        if (!scene || scene->kernel->name.find("no_ready_barrier") == std::string::npos) continue;
        workspace_.add_kernels({*scene->kernel});
        apply(show_command(*scene));
        EXPECT_TRUE(settle());
        return scene->kernel->name;
      }
    ADD_FAILURE() << "no lesson has a race";
    return {};
  }
  /// Beside the stage of a presentation.
  void present_with(std::set<std::string> panels) {
    apply(session::SetPresent{true});
    session::Room room;
    room.presented = std::move(panels);
    apply(session::SetRoom{room});
  }
  bool has_widget(const std::string& name) const { return widget(name) != nullptr; }
  void compare(const std::string& first, const std::string& second) {
    open(first);
    apply(session::SetCompare{true});
    open(second);
    ASSERT_TRUE(settle());
  }

  lesson::LessonRunner lessons_{lesson::load_course(data_folder() / "lessons", workspace_.catalogue()), runs_cache_, 0,
                                [] {}};
  static std::vector<std::shared_ptr<const Language>> two_languages() {
    return {std::make_shared<const Language>(Language{"en", "English", {"1", "*"}, {}}),
            std::make_shared<const Language>(Language{"xx", "Other", {"1", "*"}, {}})};
  }

  std::vector<std::shared_ptr<const Language>> languages_;
  FrameState kept_;
  std::vector<Ground> grounds_;
  bool on_paper_ = false;
};

TEST_F(Frames, WhatIsIllegalIsSaidWholeWithTheWaysOut) {
  for (const auto& [kernel, settings] :
       {std::pair<const char*, kernel::Settings>{"09_thread_tile_2d", {{"BM", "256"}, {"BN", "256"}}},
        {"11_warp_tile", {{"BM", "64"}, {"WM", "128"}}},
        {"11_warp_tile", {{"WM", "16"}, {"WN", "16"}, {"TM", "8"}, {"TN", "8"}}}}) {
    apply(session::ChooseKernel{kernel});
    ASSERT_TRUE(settle());
    for (const auto& [name, value] : settings) apply(session::SetParameter{name, std::stoi(value)});
    ASSERT_TRUE(settle());
    ASSERT_FALSE(workspace_.experiment(0).legality());
    for (int i = 0; i < 4; ++i) show(1600, 820, 1);
    ASSERT_TRUE(widget("legality"));
    EXPECT_LE(widget("legality")->bottom(), panel_of("legality").bottom())
        << kernel << fmt::format("{}", settings.size());
  }
}

TEST_F(Frames, WhyANumberIsRefusedLeavesRoomForWhatIsBelow) {
  open("11_warp_tile");
  ASSERT_TRUE(settle());
  kept_.parameters[0].refused = "12x is no number, and this sentence says at length on two lines of the panel why not.";
  kept_.parameters[0].refused_at = workspace_.state().inputs;
  for (const float height : {860.f, 900.f}) {
    for (int i = 0; i < 4; ++i) show(1600, height, 1);
    ASSERT_TRUE(widget("refused number"));
    EXPECT_LE(widget("legality")->bottom(), panel_of("legality").bottom()) << height;
  }
}

TEST_F(Frames, TheLanguageIsChosenFromThoseThereAre) {
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  EXPECT_FALSE(has_widget("language"));
  languages_ = two_languages();
  click<session::SetLanguage>("language", 1);
  show(1600, 900, 1);
  click<session::SetLanguage>("language xx", 1);
  ASSERT_TRUE(sent<session::SetLanguage>());
  EXPECT_EQ(sent<session::SetLanguage>()->language, "xx");
}

TEST_F(Frames, AButtonInTheTopBarListsTheKeysAndLeavesWhatIsBesideIt) {
  compare("09_thread_tile_2d", "04_shared_tile");
  for (const float width : {1280.0f, 1366.0f}) {
    show(width, 768, 1);
    const WidgetPlace* last = nullptr;
    for (const char* name : {"verdict", "Left", "Right", "Compare", "Light", "Present", "keys"}) {
      const auto here = std::ranges::find(widgets_, name, &WidgetPlace::name);
      ASSERT_NE(here, widgets_.end()) << name;
      EXPECT_TRUE(!last || here->box.x > last->box.right()) << name;
      last = &*here;
    }
    EXPECT_LE(last->box.right(), width);
  }
  click<ShowKeys>("keys", 1);
  EXPECT_TRUE(sent<ShowKeys>());
}

TEST_F(Frames, WhatIsInTheTopBarLeavesOneAnotherRoomInLargeType) {
  languages_ = two_languages();
  open("04_shared_tile");
  apply(session::ChooseLesson{"shared-tiles", 1});
  ASSERT_TRUE(settle());
  // The font of the tests does not grow: as many of its pixels as a window of 1366 or 1600 has at scale 2 or 1.5.
  for (const float width : {683.f, 800.f, 853.f, 911.f, 1024.f, 1067.f}) {
    for (int i = 0; i < 2; ++i) show(width, width * 9 / 16, 1);
    std::vector<WidgetPlace> row;
    for (const WidgetPlace& place : widgets_)
      if (place.box.bottom() < 44 && place.name != "language") row.push_back(place);  // Its word is there, too.
    std::ranges::sort(row, {}, [](const WidgetPlace& place) { return place.box.x; });
    ASSERT_GT(row.size(), 5u);
    for (size_t i = 1; i < row.size(); ++i)
      EXPECT_GE(row[i].box.x, row[i - 1].box.right()) << row[i].name << " " << row[i - 1].name << " " << width;
    EXPECT_GT(panel_of("stages").width, 0);
    EXPECT_GT(widget("stages")->width, 60) << width << ": of the kernel's name";
  }
}

TEST_F(Frames, TheTimelineIsOfTheSideWithTheFrame) {
  compare("09_thread_tile_2d", "04_shared_tile");
  const auto shown = [&](int experiment) {
    show(1600, 900, 1);
    return kept_.timeline.traced == Identity(workspace_.experiment(experiment).traced());
  };
  EXPECT_TRUE(shown(1)) << "it is the one that is changed";
  apply(session::ChooseExperiment{0});
  EXPECT_TRUE(shown(0));
}

TEST_F(Frames, TheTimelinesLegendHasAllItsEntriesOnTwoLines) {
  open("12_register_prefetch");
  ASSERT_TRUE(settle());
  apply(session::ChooseLesson{lessons_.course().lessons[13].slug, 8});
  show(1200, 900, 1);
  show(1200, 900, 1);
  TextReader reader;
  std::set<std::string> texts;
  for (const DrawnText& text : reader.read(*ImGui::GetDrawData())) texts.insert(text.text);
  for (const char* entry : {"load global", "store shared", "barrier", "load shared", "multiply-add", "store global"})
    EXPECT_TRUE(texts.contains(entry)) << entry;
}

TEST_F(Frames, TwoThatAreComparedAreToldApart) {
  compare("09_thread_tile_2d", "09_thread_tile_2d");
  const auto texts = [&] {
    for (int i = 0; i < 2; ++i) show(1920, 1080, 1);
    std::set<std::string> drawn;
    for (const DrawnText& text : TextReader().read(*ImGui::GetDrawData())) drawn.insert(text.text);
    return drawn;
  };
  const std::set<std::string> alike = texts();
  EXPECT_TRUE(alike.contains("Left  2-D thread tile"));
  EXPECT_TRUE(alike.contains("Right  2-D thread tile"));
  apply(session::SetParameter{"BK", 16});
  ASSERT_TRUE(settle());
  const std::set<std::string> different = texts();
  EXPECT_FALSE(different.contains("Left  2-D thread tile"));
  EXPECT_TRUE(different.contains("2-D thread tile  BK = 16"));
}

TEST_F(Frames, TheClocksOfTwoHaveTheTitlesOfTheStage) {
  compare("09_thread_tile_2d", "09_thread_tile_2d");
  apply(session::SetParameter{"BK", 16});
  ASSERT_TRUE(settle());
  apply(session::ShowClock{true});
  ASSERT_TRUE(wait_until([&] { return workspace_.poll(), workspace_.clock(0).run() && workspace_.clock(1).run(); }));
  for (int i = 0; i < 3; ++i) show(1600, 900, 1);
  const std::vector<DrawnText> drawn = TextReader().read(*ImGui::GetDrawData());
  for (const char* title : {"2-D thread tile  BK = 8", "2-D thread tile  BK = 16"})
    EXPECT_TRUE(std::ranges::any_of(drawn, [&](const DrawnText& text) {
      return text.window.find("/timeline_") != std::string::npos && text.text.starts_with(title);
    })) << title;
}

TEST_F(Frames, TheStripsWordsAreWholeOrSayThatTheQuestionIsAboutThem) {
  const auto words_at = [&](const char* slug, uint32_t step, float width, float height) {
    apply(session::ChooseLesson{slug, step});
    const lesson::Lesson& lesson = *lessons_.find(slug);
    workspace_.add_kernels({*lessons_.scene(lesson, step)->kernel});
    apply(show_command(*lessons_.scene(lesson, step)));
    EXPECT_TRUE(settle());
    for (int i = 0; i < 2; ++i) show(width, height, 1);
    std::string words;
    for (const DrawnText& text : TextReader().read(*ImGui::GetDrawData()))
      if (text.window.find("/strip_") != std::string::npos) words += text.text + '\n';
    return words;
  };
  const std::string whole = words_at("warp-tiles", 1, 1366, 768);
  EXPECT_NE(whole.find("wavefronts"), std::string::npos) << whole;
  EXPECT_EQ(whole.find("?\n"), std::string::npos) << "cut, with a sign that the tests' font lacks: " << whole;
  session::Room room;
  room.strip = 0.2f;  // No room for the picture, which says it otherwise.
  apply(session::SetRoom{room});
  const std::string covered = words_at("shared-tiles", 1, 800, 450);
  EXPECT_NE(covered.find("The question asks about this."), std::string::npos) << covered;
}

TEST_F(Frames, ATextThatIsNoEditOfTheUsersIsMarkedInTheTopBar) {
  session::State state = workspace_.state();
  state.inputs.kernel = "09_thread_tile_2d";
  state.inputs.source = workspace_.find("09_thread_tile_2d")->source + "// from a tour\n";
  apply(session::LoadState{state});
  ASSERT_TRUE(settle());
  const auto is_marked = [&] {
    show(1600, 900, 1);
    for (const DrawnText& text : TextReader().read(*ImGui::GetDrawData()))
      if (text.text.starts_with("9  2-D thread tile")) return text.text.ends_with("edited");
    return false;
  };
  EXPECT_TRUE(is_marked());
  apply(session::RestoreSource{});
  ASSERT_TRUE(settle());
  EXPECT_FALSE(is_marked());
}

TEST_F(Frames, ThePageThatIsTurnedTakesTheFocusAway) {
  const std::string lesson = lessons_.course().lessons.front().slug;
  apply(session::ChooseLesson{lesson, 0});
  ASSERT_TRUE(settle());
  const auto turn = [&](uint32_t step) {
    show(1600, 900, 1);
    kept_.keyboard.move(1);
    show(1600, 900, 1);
    apply(session::ChooseLesson{lesson, step});
    show(1600, 900, 1);
  };
  turn(1);
  EXPECT_FALSE(kept_.keyboard.clear());
  show(1600, 900, 1);
  kept_.keyboard.move(1);
  ASSERT_TRUE(kept_.keyboard.press());
  apply(session::ChooseLesson{lesson, 2});
  show(1600, 900, 1);
  EXPECT_TRUE(kept_.keyboard.clear()) << "the button that turned it keeps it";
}

TEST_F(Frames, AWrongRunIsSaidInTheTopBarWhichOpensTheFindings) {
  open("04_shared_tile");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  ASSERT_TRUE(has_widget("verdict"));
  const view::FindingList* right = findings_now(kept_context(), 0, kept_.plots.findings);
  ASSERT_TRUE(right);
  EXPECT_FALSE(right->wrong);
  show_racy();
  kept_.plots.tab = PlotTab::Ladder;
  show(1600, 900, 1);
  const view::FindingList* wrong = findings_now(kept_context(), 0, kept_.plots.findings);
  ASSERT_TRUE(wrong);
  EXPECT_TRUE(wrong->wrong);
  EXPECT_EQ(kept_.plots.tab, PlotTab::Ladder) << "another kernel, which was never right";
  click_through("verdict");
  EXPECT_EQ(kept_.plots.tab, PlotTab::Findings);
}

TEST_F(Frames, EveryPanelWithTheResultOfEarlierInputsIsDimmed) {
  open("09_thread_tile_2d");
  apply(session::SetParameter{"TM", 4});
  apply(session::SetParameter{"TN", 4});
  ASSERT_TRUE(settle());
  const auto dimmed = [&] {
    show(1600, 900, 1);
    return std::ranges::count(widgets_, "dimmed", &WidgetPlace::name);
  };
  EXPECT_EQ(dimmed(), 0);
  apply(session::SetParameter{"BK", 2});
  ASSERT_TRUE(settle());
  ASSERT_EQ(workspace_.current().progress(), session::Progress::Failed);
  EXPECT_EQ(dimmed(), 4) << "strip, timeline, resources, findings; the stage says why";
  apply(session::Undo{});
  ASSERT_TRUE(settle());
  EXPECT_EQ(dimmed(), 0);
}

TEST_F(Frames, TheFindingsComeForwardWhenAKernelTurnsWrong) {
  const std::string racy = show_racy();
  kept_.plots.tab = PlotTab::Ladder;
  kept_.right = racy;  // Before it was edited.
  show(1600, 900, 1);
  EXPECT_EQ(kept_.plots.tab, PlotTab::Findings);
  kept_.plots.tab = PlotTab::Ladder;
  show(1600, 900, 1);
  EXPECT_EQ(kept_.plots.tab, PlotTab::Ladder) << "once";
}

TEST_F(Frames, TheNextFindingIsGoneTo) {
  show_racy();
  kept_.wants_next_finding = true;
  show(1600, 900, 1);
  EXPECT_TRUE(sent<session::Pin>());
  show(1600, 900, 1);
  EXPECT_FALSE(sent<session::Pin>());
}

TEST_F(Frames, TheSwitchLeadsFromTheLessonToAllPanelsAndBack) {
  const lesson::Lesson& first = lessons_.course().lessons.front();
  for (const lesson::Step& step : first.steps)
    if (step.scene) workspace_.add_kernels({*step.scene->kernel});
  apply(session::ChooseLesson{first.slug, 0});
  apply(show_command(*lessons_.scene(first, 0)));
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  EXPECT_TRUE(has_widget("next step"));
  EXPECT_FALSE(has_widget("timeline"));
  click<session::SetExploring>("explore", 1);
  ASSERT_TRUE(sent<session::SetExploring>());
  apply(session::SetExploring{true});
  for (int i = 0; i < 2; ++i) show(1600, 900, 1);
  EXPECT_FALSE(has_widget("next step"));
  EXPECT_TRUE(has_widget("timeline"));
  EXPECT_TRUE(has_widget("size M"));
  click<session::SetExploring>("lesson", 1);
  ASSERT_TRUE(sent<session::SetExploring>());
  EXPECT_FALSE(sent<session::SetExploring>()->on);
}

TEST_F(Frames, WithoutALessonBeforeTheSwitchLeadsToTheFirstStep) {
  open("09_thread_tile_2d");
  const std::vector<Command> commands = lesson_switch(workspace_, &lessons_);
  ASSERT_EQ(commands.size(), 2u);
  const auto* lesson = command_as<session::ChooseLesson>(commands[0]);
  ASSERT_TRUE(lesson);
  EXPECT_EQ(lesson->slug, lessons_.course().lessons.front().slug);
  EXPECT_TRUE(command_as<session::ShowScene>(commands[1]));
}

TEST_F(Frames, TheFirstScreenHasThreeDoors) {
  ASSERT_TRUE(settle());
  kept_.doors.open = true;
  for (const auto& [width, height, scale] : {std::tuple{1600.f, 900.f, 1.f}, {1280.f, 720.f, 2.f}}) {
    show(width, height, scale);
    for (const char* door : {"door course", "door explore", "door own"}) {
      ASSERT_TRUE(has_widget(door));
      EXPECT_GE(widget(door)->y, 0);
      EXPECT_LE(widget(door)->bottom(), height) << door;
    }
    EXPECT_FALSE(has_widget("stages"));
  }
  click<session::SetExploring>("door explore", 1);
  EXPECT_TRUE(sent<session::SetExploring>());
  EXPECT_FALSE(kept_.doors.open);
}

TEST_F(Frames, AnEditedKernelIsMarkedInTheMenu) {
  apply(session::KeepEdit{"04_shared_tile", {"// mine", ""}});
  apply(session::ChooseKernel{"05_guarded_tile"});
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  const auto title = [this] { return widget("stages")->width; };
  const float before = title();
  apply(session::KeepEdit{"05_guarded_tile", {"// mine", ""}});
  show(1600, 900, 1);
  EXPECT_GT(title(), before + 20);
}

TEST_F(Frames, EveryControlSaysWhatItDoes) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  for (const WidgetPlace& place : widgets_) {
    const auto is = [&](std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* name) { return place.name.starts_with(name); });
    };
    const bool control =
        is({"step ",     "scale ",      "plot ",   "strip lanes", "strip warps", "code PTX", "code Both",
            "code SASS", "code Edit",   "play",    "stages",      "verdict",     "lesson",   "explore",
            "counted",   "compiled by", "Compare", "Light",       "Present",     "keys"});
    EXPECT_TRUE(!control || is_explained(place.name)) << place.name;
  }
}

TEST_F(Frames, TheFramesOfFieldsStandOutFromEveryGround) {
  for (const draw::Palette& palette :
       {draw::dark_palette(), draw::light_palette(), draw::present_palette(true), draw::present_palette(false)}) {
    apply_style(palette, 1);
    const ImGuiStyle& style = ImGui::GetStyle();
    EXPECT_GT(style.FrameBorderSize, 0);
    for (const ImGuiCol ground : {ImGuiCol_WindowBg, ImGuiCol_FrameBg, ImGuiCol_PopupBg}) {
      const ImVec4 under = style.Colors[ground], over = style.Colors[ImGuiCol_Border];
      const auto mixed = [&](float a, float b) { return a + (b - a) * over.w; };
      const ImVec4 seen{mixed(under.x, over.x), mixed(under.y, over.y), mixed(under.z, over.z), 1};
      EXPECT_GE(draw::contrast(ImGui::ColorConvertFloat4ToU32(seen), ImGui::ColorConvertFloat4ToU32(under)), 2.5);
    }
  }
}

TEST_F(Frames, EveryWhatIfSaysWhatItChanges) {
  for (const char* name : {"what if", "what if blocks", "what if DRAM", "no bank conflicts", "free barriers",
                           "no register conflicts", "as it is"})
    EXPECT_TRUE(is_explained(name)) << name;
}

TEST_F(Frames, WhatIfsDoNotMoveWhenOneIsChosen) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  apply(session::SetSize{{1024, 1024, 64}});
  ASSERT_TRUE(settle());
  apply(session::ShowClock{true});
  ASSERT_TRUE(wait_until([&] { return workspace_.poll(), workspace_.clock(0).run() != nullptr; }));
  for (const float width : {1280.0f, 1600.0f, 1920.0f}) {
    const auto places = [&](session::WhatIf what_if) {
      apply(session::SetWhatIf{what_if});
      for (int i = 0; i < 2; ++i) show(width, 900, 1);
      std::vector<std::pair<float, float>> found;
      for (const char* name : {"what if blocks", "what if DRAM", "no bank conflicts", "free barriers", "play"})
        found.emplace_back(widget(name)->x, widget(name)->y);
      return found;
    };
    const auto before = places({});
    session::WhatIf alone;
    alone.resident = 1;
    EXPECT_EQ(places(alone), before) << width;
    alone.dram = 1000;
    EXPECT_EQ(places(alone), before) << width;
  }
}

TEST_F(Frames, TheBlocksOfAWhatIfAreThoseThatTheSmGets) {
  open("06_padded_tile");
  ASSERT_TRUE(settle());
  apply(session::ShowClock{true});
  ASSERT_TRUE(wait_until([&] { return workspace_.poll(), workspace_.clock(0).run() != nullptr; }));
  EXPECT_THAT(picture_caption(workspace_, "stage"), testing::HasSubstr("warp 0 › instruction"));
  EXPECT_THAT(picture_caption(workspace_, "clock"), testing::ContainsRegex("warp 0 of block 0, clock [0-9]+$"));
  ASSERT_EQ(workspace_.clock(0).run()->resident, 1U);
  ASSERT_EQ(workspace_.clock(0).run()->fitting, 2U);
  for (int i = 0; i < 2; ++i) show(1600, 900, 1);
  const std::vector<DrawnText> drawn = TextReader().read(*ImGui::GetDrawData());
  EXPECT_TRUE(std::ranges::any_of(
      drawn, [](const DrawnText& text) { return text.text.find("1 (2 would fit)") != std::string::npos; }));
}

TEST_F(Frames, TheClocksOfAnotherLaunchOpenAtTheCursorsWarp) {
  const auto wait_for_clocks = [&](const char* kernel, session::WhatIf what_if) {
    open(kernel);
    apply(session::ShowClock{true});
    apply(session::SetWhatIf{what_if});
    ASSERT_TRUE(settle());
    const auto& run = workspace_.clock(0).run();
    ASSERT_TRUE(wait_until(
        [&] { return workspace_.poll(), run && run->what_if == what_if && !workspace_.clock(0).simulating(); }));
  };
  session::WhatIf alone;
  alone.resident = 1;
  wait_for_clocks("09_thread_tile_2d", alone);
  apply(session::GoToClock{{3, 900}});
  ASSERT_EQ(workspace_.cursor(0).warp, 3U);
  // The next launch has neither that place nor that what-if.
  wait_for_clocks("10_wide_loads", {});
  const uint32_t warps = workspace_.clock(0).run()->recording.warps_per_block;
  EXPECT_EQ(clock::warp_in_slot(workspace_.clock_place().slot, warps), workspace_.cursor(0).warp);
  EXPECT_NE(workspace_.clock_place().clock, 900);
}

TEST_F(Frames, TheClocksStayAtTheCursorsInstructionWhenAWhatIfMovesIt) {
  open("04_shared_tile");
  apply(session::ShowClock{true});
  const auto wait_for = [&](session::WhatIf what_if) {
    apply(session::SetWhatIf{what_if});
    ASSERT_TRUE(settle());
    const auto& run = workspace_.clock(0).run();
    ASSERT_TRUE(wait_until(
        [&] { return workspace_.poll(), run && run->what_if == what_if && !workspace_.clock(0).simulating(); }));
  };
  wait_for({});
  const session::ClockPlace before = workspace_.clock_place();
  apply(session::GoToClock{{before.slot, before.clock + 3000}});
  const auto line_there = [&] {
    const session::ClockRun& run = *workspace_.clock(0).run();
    const session::ClockPlace& place = workspace_.clock_place();
    return run.code[run.recording.slots[place.slot][run.recording.stretch_at(place.slot, place.clock)].pc].ptx_line;
  };
  workspace_.poll();
  apply(session::GoTo{workspace_.cursor(0)});
  const uint32_t line = line_there();
  const int32_t clock = workspace_.clock_place().clock;
  wait_for({.dram = 1400});
  EXPECT_EQ(line_there(), line);
  EXPECT_NE(workspace_.clock_place().clock, clock);
}

TEST_F(Frames, TheBlocksOfAWhatIfReachAsFarAsTheSideOfTwoThatHasMore) {
  compare("06_padded_tile", "06_padded_tile");
  apply(session::SetParameter{"TILE", 16});
  ASSERT_TRUE(settle());
  apply(session::ShowClock{true});
  ASSERT_TRUE(wait_until([&] { return workspace_.poll(), workspace_.clock(0).run() && workspace_.clock(1).run(); }));
  const auto left = workspace_.clock(0).run()->resident, right = workspace_.clock(1).run()->resident;
  ASSERT_LT(left, right);
  for (int i = 0; i < 3; ++i) show(1600, 900, 1);
  move_mouse_to("what if blocks");
  ImGui::GetIO().DeltaTime = 0.3f;
  for (int i = 0; i < 4; ++i) show(1600, 900, 1);
  const float top = widget("what if blocks")->y;
  bool has_both = false, explained = false;
  for (const DrawnText& text : TextReader().read(*ImGui::GetDrawData())) {
    has_both |= text.text.find(fmt::format("left {} (2 would fit), right {}", left, right)) != std::string::npos;
    if (text.window.find("##Tooltip") == std::string::npos) continue;
    explained = true;
    EXPECT_LE(text.y + text.line, top) << "the explanation covers the value: " << text.text;
  }
  EXPECT_TRUE(has_both);
  EXPECT_TRUE(explained);
  const auto texts_of_tooltips = [] {
    std::vector<DrawnText> drawn = TextReader().read(*ImGui::GetDrawData());
    std::erase_if(drawn, [](const DrawnText& text) { return text.window.find("##Tooltip") == std::string::npos; });
    return drawn;
  };
  for (const bool down : {true, false}) {
    ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = down;
    for (int i = 0; i < 4; ++i) show(1600, 900, 1);
    EXPECT_TRUE(texts_of_tooltips().empty()) << "who drags looks at what it changes, down: " << down;
  }
  move_mouse_to("Light");
  for (int i = 0; i < 4; ++i) show(1600, 900, 1);
  const std::vector<DrawnText> said = texts_of_tooltips();
  ASSERT_FALSE(said.empty());
  for (const DrawnText& text : said) EXPECT_GE(text.y, widget("Light")->bottom()) << "it covers the top bar";
}

TEST_F(Frames, AnElementIsDescribedInTheStageThatItIsPointedAtIn) {
  compare("01_naive_rows", "09_thread_tile_2d");
  ASSERT_EQ(workspace_.chosen(), 1);
  for (int i = 0; i < 3; ++i) show(1600, 900, 1);
  const view::Box left = *widget("stage");
  for (float x = left.x + 8; x < left.right() && hover_.array != "A"; x += 8) {
    move_mouse(x, left.y + left.height * 0.7f);
    for (int i = 0; i < 2; ++i) show(1600, 900, 1);
  }
  ASSERT_EQ(hover_.array, "A");
  ImGui::GetIO().DeltaTime = 0.3f;
  for (int i = 0; i < 4; ++i) show(1600, 900, 1);
  std::string said;
  for (const DrawnText& text : TextReader().read(*ImGui::GetDrawData()))
    if (text.window.find("##Tooltip") != std::string::npos) said += text.text + " ";
  session::Target ignored;
  const auto words = [&](int experiment) {
    view::ElementUses uses;
    return view::tooltip(hover_, focus_of(next_context(ignored), experiment), uses).lines.at(1);
  };
  ASSERT_NE(words(0), words(1));
  EXPECT_NE(said.find(words(0)), std::string::npos) << said;
}

TEST_F(Frames, TabReachesEveryControlAndEnterPressesIt) {
  languages_ = two_languages();
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  show(1600, 900, 1);
  const auto ring = [&] { return ImGui::GetForegroundDrawList()->VtxBuffer.Size; };
  EXPECT_EQ(ring(), 0);
  EXPECT_FALSE(kept_.keyboard.press()) << "nothing is in focus";
  std::set<std::string> reached;
  for (int i = 0; i < 120; ++i) {
    kept_.keyboard.move(1);
    show(1600, 900, 1);
    ASSERT_GT(ring(), 0);
    const ImVec2 corner = ImGui::GetForegroundDrawList()->VtxBuffer[0].pos;
    for (const WidgetPlace& place : widgets_)
      if (std::abs(place.box.x - corner.x) < 8 && std::abs(place.box.y - corner.y) < 8) reached.insert(place.name);
  }
  for (const char* name : {"explore", "stages", "language", "Present", "scale warp", "strip warps", "code PTX",
                           "parameter BM", "presets", "size M", "step forward", "play"})
    EXPECT_TRUE(reached.contains(name)) << name;
  EXPECT_FALSE(reached.contains("stage")) << "a picture is no control";
  EXPECT_TRUE(kept_.keyboard.clear());
  show(1600, 900, 1);
  EXPECT_EQ(ring(), 0);
  kept_.keyboard.move(1);  // "explore" comes second, "lesson" first.
  kept_.keyboard.move(1);
  kept_.keyboard.move(-1);
  show(1600, 900, 1);
  EXPECT_TRUE(kept_.keyboard.press());
  show(1600, 900, 1);
  EXPECT_FALSE(commands_.empty()) << "back to the course";
}

TEST_F(Frames, AWordOfTheWindowIsExplainedWhereTheMouseRests) {
  for (const WindowWord& word : window_words()) EXPECT_STRNE(word.meaning, "") << word.name;
  ASSERT_NE(find_window_word("ideal"), nullptr);
  EXPECT_EQ(find_window_word("another"), nullptr);
}

TEST(Shortcuts, AControlHasItsOwnKeyOfALine) {
  EXPECT_EQ(key_of("step to end"), "End");
  EXPECT_EQ(key_of("scale warp"), "W");
  EXPECT_EQ(key_of("lesson"), "Ctrl E");
  EXPECT_EQ(key_of("explore"), "Ctrl E");
  EXPECT_EQ(key_of("Light"), "");
  EXPECT_EQ(with_key("Present"), "Present  F11");
  EXPECT_EQ(with_key("Light"), "Light");
}

TEST(Shortcuts, TheirControlsAreExplained) {
  for (const Shortcut& shortcut : shortcuts())
    for (const auto part : std::views::split(std::string_view(shortcut.controls), '|')) {
      const std::string_view control(part.begin(), part.end());
      EXPECT_TRUE(control.empty() || is_explained(control)) << control;
    }
}

TEST_F(Frames, TheCompilerIsChosenFromThoseThereAre) {
  apply(session::ChooseKernel{"04_shared_tile"});
  ASSERT_TRUE(settle());
  click<session::FindCompilers>("compiled by", 1);
  ASSERT_TRUE(sent<session::FindCompilers>());
  apply(session::FindCompilers{});
  ASSERT_TRUE(wait_until([&] { return workspace_.poll(), workspace_.compilers(); }));
  show(1600, 900, 1);
  show(1600, 900, 1);
  EXPECT_FALSE(has_widget("compiler nvrtc"));
  EXPECT_FALSE(has_widget("compiler clang"));
  ASSERT_TRUE(has_widget("compiler prebuilt"));
  click<session::SetCompiler>("compiler prebuilt", 1);
  ASSERT_TRUE(sent<session::SetCompiler>());
  EXPECT_EQ(sent<session::SetCompiler>()->compiler, compile::Choice::Prebuilt);
}

TEST_F(Frames, EveryKernelAtEveryScaleAndSize) {
  for (const kernel::Kernel& kernel : workspace_.catalogue().kernels) {
    apply(session::ChooseKernel{kernel.name});
    ASSERT_TRUE(settle()) << kernel.name;
    for (const Scale scale : {Scale::Grid, Scale::Block, Scale::Warp, Scale::Thread}) {
      apply(session::SetScale{scale});
      for (int step = 0; step < 3; ++step) {
        apply(session::Move{analysis::Unit::Phase, 1});
        show(1600, 900, 1);
        EXPECT_TRUE(has_widget("stage")) << kernel.name;
      }
      show(1280, 720, 1);
      show(3200, 1800, 2);
    }
    for (const kernel::Parameter& parameter : kernel.description.parameters) {
      show(1600, 900, 1);
      EXPECT_TRUE(has_widget("parameter " + parameter.name)) << kernel.name << " " << parameter.name;
    }
  }
}

TEST_F(Frames, BeforeTheFirstSceneWithAProblemComparedAndPresented) {
  show(1600, 900, 1);
  open("09_thread_tile_2d");
  show(1600, 900, 1);
  ASSERT_TRUE(settle());
  apply(session::SetParameter{"TM", 1});
  show(1600, 900, 1);
  apply(session::SetParameter{"TM", 8});
  apply(session::SetCompare{true});
  apply(session::ChooseKernel{"04_shared_tile"});
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  EXPECT_TRUE(has_widget("second stage"));
  present_with({"parameters"});
  show(1280, 720, 1.2f);
  EXPECT_TRUE(has_widget("parameter TILE"));
  EXPECT_FALSE(has_widget("size M"));
}

TEST_F(Frames, TheTimelineStaysInItsPlaceWhereverTheWarpIs) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  for (float width = 1960; width < 2120; width += 10) {
    apply(session::GoToStart{});
    show(width, 900, 1);
    ASSERT_TRUE(has_widget("timeline"));
    const float top = widget("timeline")->y;
    for (const analysis::Unit unit : {analysis::Unit::Tile, analysis::Unit::Phase, analysis::Unit::Phase}) {
      apply(session::Move{unit, 1});
      show(width, 900, 1);
      EXPECT_EQ(widget("timeline")->y, top) << width;
    }
  }
}

TEST_F(Frames, ALowWindowHasTheSizeInTheTopBar) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  EXPECT_TRUE(has_widget("size M"));
  EXPECT_TRUE(has_widget("counted"));
  show(1280, 720, 1);
  EXPECT_FALSE(has_widget("size M"));
  ASSERT_TRUE(has_widget("counted"));
  move_mouse_to("counted");
  show(1280, 720, 1);
  ImGui::GetIO().MouseDown[0] = true;
  show(1280, 720, 1);
  ImGui::GetIO().MouseDown[0] = false;
  show(1280, 720, 1);
  show(1280, 720, 1);
  for (const char* field : {"size M", "size N", "size K", "size block x", "size y"})
    EXPECT_TRUE(has_widget(field)) << field;
}

TEST_F(Frames, APresentationOffersThePlotsAndAllSwitchesWhereTheMouseComesNearThem) {
  apply(session::ChooseKernel{"04_shared_tile"});
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  EXPECT_FALSE(has_widget("Plots"));
  EXPECT_TRUE(has_widget("Compare"));
  apply(session::SetPresent{true});
  show(1600, 900, 1.5f);
  for (const char* name : {"Plots", "Compare", "Light", "Present"}) EXPECT_FALSE(has_widget(name)) << name;
  EXPECT_TRUE(has_widget("stages"));
  ImGui::GetIO().MousePos = {700, 0};
  for (int i = 0; i < 2; ++i) show(1600, 900, 1.5f);
  for (const char* name : {"Plots", "Compare", "Light", "Present"}) EXPECT_TRUE(has_widget(name)) << name;
}

TEST_F(Frames, APresentationGoesFromStepToStepOfItsLesson) {
  apply(session::ChooseKernel{"04_shared_tile"});
  ASSERT_TRUE(settle());
  apply(session::SetPresent{true});
  show(1600, 900, 1.5f);
  EXPECT_FALSE(has_widget("next step")) << "no lesson is open";
  const lesson::Lesson& lesson = lessons_.course().lessons[1];
  apply(session::ChooseLesson{lesson.slug, 0});
  click<session::ChooseLesson>("next step", 1.5f);
  ASSERT_TRUE(sent<session::ChooseLesson>());
  EXPECT_EQ(sent<session::ChooseLesson>()->slug, lesson.slug);
  EXPECT_EQ(sent<session::ChooseLesson>()->step, 1u);
  EXPECT_TRUE(sent<session::ShowScene>());
  click<session::ChooseLesson>("previous step", 1.5f);
  EXPECT_EQ(sent<session::ChooseLesson>()->slug, lessons_.course().lessons[0].slug);
  EXPECT_EQ(sent<session::ChooseLesson>()->step, lessons_.course().lessons[0].steps.size() - 1);
}

TEST_F(Frames, APictureOnPaperHasNothingToPress) {
  open("04_shared_tile");
  ASSERT_TRUE(settle());
  apply(session::SetPresent{true});
  apply(session::SetScale{Scale::Warp});
  apply(session::ChooseLesson{lessons_.course().lessons[2].slug, 1});
  on_paper_ = true;
  for (const bool clock : {false, true}) {
    apply(session::ShowClock{clock});
    show(1600, 900, 1.5f);
    EXPECT_GE(grounds_.size(), clock ? 1U : 2U);
    for (const WidgetPlace& each : widgets_) {
      const bool in_picture =
          each.name.starts_with("stage") || each.name == "strip" || each.name.starts_with("strip lane ");
      EXPECT_TRUE(in_picture) << each.name;
    }
  }
}

TEST_F(Frames, AClickOnTheOccupancyShowsTheSm) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  kept_.plots.tab = PlotTab::Ladder;
  move_mouse_to("figure occupancy, limited by registers");
  for (const bool down : {false, true, false}) {
    ImGui::GetIO().MouseDown[0] = down;
    show(1600, 900, 1);
  }
  EXPECT_EQ(kept_.plots.tab, PlotTab::Sm);
}

TEST_F(Frames, FromNearTheArraysMoveToTheirPlacesInTheNextPhase) {
  open("09_thread_tile_2d");
  apply(session::SetScale{Scale::Warp});
  ASSERT_TRUE(settle());
  const run::TracedBlock& scene = *workspace_.current().traced();
  const auto load = run::find_access(scene, 39, 1, 0), read = run::find_access(scene, 51, 1, 0);
  ASSERT_TRUE(load && read);
  const auto go_and_count = [&](const analysis::StepRef& at) {
    apply(session::GoTo{at});
    int pictures = 0;
    uint64_t last = 0;
    for (int i = 0; i < 120; ++i) {
      show(1600, 900, 1);
      const uint64_t serial = kept_.stages[0].picture.last().serial;
      pictures += serial != last;
      last = serial;
    }
    EXPECT_EQ(kept_.stages[0].moved, 1) << "it comes to rest";
    return pictures;
  };
  go_and_count(*load);
  EXPECT_GT(go_and_count(*read), 5);
  EXPECT_EQ(go_and_count({read->warp, read->step + 1}), 1) << "in the same phase they stay";
}

TEST_F(Frames, AScaleLeavesNothingCutOff) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  for (const bool present : {false, true}) {
    if (present) present_with({"timeline", "parameters"});
    for (const float scale : {1.f, 1.5f, 1.8f, 2.f}) {
      for (int i = 0; i < 2; ++i) show(1600, 900, scale);
      for (const char* name : {"play", "step to end", "stage", "timeline"}) {
        const view::Box* box = widget(name);
        ASSERT_TRUE(box) << name << " at " << scale;
        EXPECT_LE(box->bottom(), 900) << name << " at " << scale;
        EXPECT_GT(box->height, 20) << name << " at " << scale;
      }
      EXPECT_TRUE(has_widget("parameter BK")) << scale;
    }
  }
}

TEST_F(Frames, AClickedSliderHasTheArrowsWhileTheMouseIsOnIt) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  move_mouse_to("parameter BM");
  show(1600, 900, 1);
  EXPECT_FALSE(takes_arrows_now(kept_)) << "it was not clicked";
  for (const bool down : {true, false, false}) {
    ImGui::GetIO().MouseDown[0] = down;
    show(1600, 900, 1);
  }
  EXPECT_TRUE(takes_arrows_now(kept_));
  move_mouse(800, 100);
  for (int i = 0; i < 2; ++i) show(1600, 900, 1);
  EXPECT_FALSE(takes_arrows_now(kept_));
}

TEST_F(Frames, AKeyGoesToTheFirstSliderAndTabFromThereToTheNext) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  const auto in_focus = [&]() -> std::string {
    for (int i = 0; i < 2; ++i) show(1600, 900, 1);
    if (!takes_arrows_now(kept_)) return "";
    const ImVec2 corner = ImGui::GetForegroundDrawList()->VtxBuffer[0].pos;
    for (const WidgetPlace& place : widgets_)
      if (std::abs(place.box.x - corner.x) < 8 && std::abs(place.box.y - corner.y) < 8) return place.name;
    return "";
  };
  EXPECT_EQ(in_focus(), "");
  kept_.parameters[0].wants_keyboard = true;
  EXPECT_EQ(in_focus(), "parameter BM");
  kept_.keyboard.move(1);
  EXPECT_EQ(in_focus(), "parameter BN");
  EXPECT_TRUE(kept_.keyboard.clear());
  EXPECT_EQ(in_focus(), "");
}

TEST_F(Frames, WhereThereIsNoRoomForTwoTextsTheProgramStandsAlone) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  const auto has_ptx = [&] {
    return std::any_of(widgets_.begin(), widgets_.end(), [](const auto& w) { return w.name.starts_with("PTX line "); });
  };
  for (int i = 0; i < 90; ++i) show(1600, 900, 1);
  EXPECT_TRUE(has_ptx());
  for (int i = 0; i < 90; ++i) show(1280, 720, 2);
  EXPECT_FALSE(has_ptx());
  EXPECT_TRUE(has_widget("Plots")) << "there is no room for them either";
}

TEST_F(Frames, APresentationShowsWhatIsNearWhenAChoiceIsIllegal) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  present_with({"timeline", "parameters"});
  apply(session::SetParameter{"TM", 1});
  ImGui::GetIO().FontGlobalScale = 1.6f;  // The font of these tests is as small in a presentation as elsewhere.
  for (int i = 0; i < 3; ++i) show(1600, 900, 1.5f);
  ASSERT_TRUE(has_widget("parameter BM"));
  ASSERT_TRUE(has_widget("Use TM = 2"));
  EXPECT_LT(widget("Use TM = 2")->bottom(), panel_of("play").y - 14 * 1.5f) << "above the timeline, with its padding";
}

TEST_F(Frames, StageAndStripHaveSixtyPercentOfAPresentationAtEverySizeAndScale) {
  const lesson::Lesson* asks = lessons_.find("bank-conflicts");
  ASSERT_TRUE(asks);
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  const std::set<std::string> beside[] = {{}, {"code"}, {"parameters"}, {"timeline"}};
  for (const bool question : {false, true})
    for (const auto& panels : beside)
      for (const auto& [width, height] :
           {std::pair{1600.f, 900.f}, {1366.f, 768.f}, {1280.f, 720.f}, {1024.f, 768.f}, {3840.f, 2160.f}})
        for (const float scale : {0.5f, 1.f, 1.5f, 2.f}) {
          if (question) apply(session::ChooseLesson{asks->slug, 1});
          present_with(panels);
          for (int i = 0; i < 2; ++i) show(width, height, std::min(width / 900, height / 600) * scale);
          const view::Box stage = panel_of("stage");
          const view::Box strip = has_widget("strip") ? panel_of("strip") : view::Box{};
          const float share = (stage.width * stage.height + strip.width * strip.height) / (width * height);
          EXPECT_GE(share, 0.6f) << width << "x" << height << " at " << scale << " with "
                                 << (panels.empty() ? "nothing" : *panels.begin())
                                 << (question ? " and a question" : "");
          EXPECT_GE(stage.height, height * 0.38f) << width << "x" << height << " at " << scale;
        }
}

TEST_F(Frames, EveryKernelHasSixtyPercentOfAPresentation) {
  present_with({});
  for (const kernel::Kernel& kernel : workspace_.catalogue().kernels) {
    apply(session::ChooseKernel{kernel.name});
    for (const auto& [width, height, asked] :
         {std::tuple{1366.f, 768.f, 1.f}, {1600.f, 900.f, 1.f}, {1280.f, 720.f, 1.f}, {3840.f, 2160.f, 1.5f}}) {
      Context context = kept_context();
      context.scale = std::min(width / 900, height / 600) * asked;
      const Layout layout = make_layout(context, width, height, {});
      const float share = layout.centre.width * layout.centre.height + layout.strip.width * layout.strip.height;
      EXPECT_GE(share, 0.85f * width * height) << kernel.name << " at " << width << "x" << height;
      EXPECT_GT(layout.strip.width, 0) << kernel.name << " at " << width << "x" << height;
    }
  }
}

TEST_F(Frames, APresentationAtTwiceTheScaleHasAStrip) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  present_with({});
  for (const auto& [width, height] : {std::pair{1600.f, 900.f}, {3840.f, 2160.f}}) {
    for (int i = 0; i < 2; ++i) show(width, height, std::min(width / 900, height / 600) * 2);
    EXPECT_TRUE(has_widget("strip")) << width;
  }
}

TEST_F(Frames, APanelFillsTheWindowAfterADoubleClickOnItsTitle) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  const view::Box stage = panel_of("stage");
  move_mouse(stage.x + stage.width / 2, stage.y + 12);
  for (const bool down : {false, true, false, true, false}) {
    ImGui::GetIO().MouseDown[0] = down;
    show(1600, 900, 1);
    if (sent<session::SetRoom>()) break;
  }
  ASSERT_TRUE(sent<session::SetRoom>());
  EXPECT_EQ(sent<session::SetRoom>()->room.enlarged, "stage");
  apply(*sent<session::SetRoom>());
  show(1600, 900, 1);
  EXPECT_GT(panel_of("stage").width * panel_of("stage").height, 1600 * 900 * 0.9f);
  EXPECT_FALSE(has_widget("timeline"));
  for (const char* name : {"strip", "code", "timeline", "plots", "parameters", "resources"}) {
    session::Room room;
    room.enlarged = name;
    apply(session::SetRoom{room});
    show(1600, 900, 1);
    EXPECT_FALSE(has_widget("stage")) << name;
  }
}

TEST_F(Frames, ADividerIsDraggedAndADoubleClickTakesItBack) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  const float before = panel_of("stage").width;
  move_mouse_to("divider right");
  show(1600, 900, 1);
  ImGui::GetIO().MouseDown[0] = true;
  show(1600, 900, 1);
  move_mouse(ImGui::GetIO().MousePos.x + 160, ImGui::GetIO().MousePos.y);
  show(1600, 900, 1);
  ASSERT_TRUE(sent<session::SetRoom>());
  apply(*sent<session::SetRoom>());
  ImGui::GetIO().MouseDown[0] = false;
  for (int i = 0; i < 40; ++i) show(1600, 900, 1);
  EXPECT_NEAR(panel_of("stage").width, before + 160, 8);
  move_mouse_to("divider right");
  for (const bool down : {false, true, false, true, false}) {
    ImGui::GetIO().MouseDown[0] = down;
    show(1600, 900, 1);
    if (sent<session::SetRoom>() && sent<session::SetRoom>()->room.right == 0) break;
  }
  ASSERT_TRUE(sent<session::SetRoom>());
  EXPECT_EQ(sent<session::SetRoom>()->room.right, 0);
}

TEST_F(Frames, TheLineBesideTheResourcesIsDragged) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1920, 1080, 1);
  move_mouse_to("divider resources");
  show(1920, 1080, 1);
  ImGui::GetIO().MouseDown[0] = true;
  show(1920, 1080, 1);
  move_mouse(ImGui::GetIO().MousePos.x - 100, ImGui::GetIO().MousePos.y);
  show(1920, 1080, 1);
  ASSERT_TRUE(sent<session::SetRoom>());
  EXPECT_NEAR(sent<session::SetRoom>()->room.resources, (312 + 100) / 1920.0f, 0.01f);
  const float before = widget("divider resources")->x;
  apply(*sent<session::SetRoom>());
  show(1920, 1080, 1);
  EXPECT_NEAR(widget("divider resources")->x, before - 100, 8);
  ImGui::GetIO().MouseDown[0] = false;
}

TEST_F(Frames, APanelThatHasNoRoomInAPresentationIsRefusedInWords) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  present_with({});
  show(1366, 768, 5);
  for (const char* name : {"timeline", "code", "parameters"}) {
    present_with({name});
    show(1366, 768, 5);
    EXPECT_NE(std::exchange(kept_.said, ""), "") << name;
    ASSERT_TRUE(sent<session::SetRoom>()) << name;
    EXPECT_TRUE(sent<session::SetRoom>()->room.presented.empty()) << name;
    apply(*sent<session::SetRoom>());
  }
  show(1366, 768, 1.3f);
  present_with({"timeline", "code"});
  show(1366, 768, 1.3f);
  EXPECT_EQ(kept_.said, "");
  EXPECT_FALSE(sent<session::SetRoom>());
}

/// Of the parts of A, B and the shared tiles: what no warp accesses now is faint, but not invisible to the last row.
TEST_F(Frames, ElementsThatAreNotAccessedCanBeSeen) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  const view::PlainMeasure measure;
  const view::Focus focus = focus_of(kept_context(), 0);
  for (const draw::Palette& palette :
       {draw::dark_palette(), draw::light_palette(), draw::present_palette(true), draw::present_palette(false)}) {
    const draw::Rgba ground = palette({Ink::Window});
    const auto over_ground = [&](draw::Rgba colour) {
      draw::Rgba mixed = 0xff000000u;
      const double part = (colour >> 24) / 255.0;
      for (const int shift : {0, 8, 16}) {
        const double from = ground >> shift & 0xff, to = colour >> shift & 0xff;
        mixed |= static_cast<draw::Rgba>(std::lround(from + (to - from) * part)) << shift;
      }
      return mixed;
    };
    const auto is_array = [](Ink ink) { return ink == Ink::ArrayA || ink == Ink::ArrayB || ink == Ink::ArrayC; };
    double least = 21;
    for (const float level : {0.f, 1.f, 2.f})
      for (const view::Shape& shape : view::stage_picture(focus, {900, 500, &measure, 14}, {level}).shapes)
        if (const auto* const cells = std::get_if<view::Cells>(&shape))
          for (const view::Colour& colour : cells->colours)
            if (is_array(colour.ink) && colour.strength > 0)
              least = std::min(least, draw::contrast(over_ground(palette(colour)), ground));
    EXPECT_GE(least, 1.3);
  }
}

TEST_F(Frames, TheProgramsTabsAreThoseOfWhatCanBeShown) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  const auto shows = [&](std::string_view kind) {
    return std::ranges::any_of(widgets_, [&](const WidgetPlace& place) { return place.name.starts_with(kind); });
  };
  for (const auto& [width, height] : {std::pair{1280.f, 720.f}, {1366.f, 768.f}, {1600.f, 900.f}, {1920.f, 1080.f}}) {
    for (int i = 0; i < 3; ++i) show(width, height, 1);
    EXPECT_EQ(has_widget("code Both"), shows("line ") && shows("PTX line ")) << width;
  }
  EXPECT_TRUE(has_widget("code Both"));
}

TEST_F(Frames, AProgramHasTwelveLinesInALowWindow) {
  for (const kernel::Kernel& kernel : workspace_.catalogue().kernels) {
    apply(session::ChooseKernel{kernel.name});
    ASSERT_TRUE(settle());
    kept_ = FrameState();
    for (int i = 0; i < 3; ++i) show(1366, 768, 1);
    const int rows = static_cast<int>((panel_of("code Edit").height - 2 * 14 - 56) / (ImGui::GetTextLineHeight() + 4));
    EXPECT_GE(rows, 12) << kernel.name;
  }
}

TEST_F(Frames, TwoThatAreComparedInAPresentationHaveTheirStrips) {
  compare("09_thread_tile_2d", "04_shared_tile");
  apply(session::SetPresent{true});
  show(1600, 900, 1.5f);
  EXPECT_TRUE(has_widget("strip"));
  EXPECT_TRUE(has_widget("strip 2"));
}

TEST_F(Frames, ALessonThatOpensTakesTheStageBackFromLargePlots) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  show(1600, 900, 1);
  kept_.plots.large = true;
  show(1600, 900, 1);
  EXPECT_FALSE(has_widget("stage"));
  apply(session::ChooseLesson{"bank-conflicts", 1});
  for (int i = 0; i < 2; ++i) show(1600, 900, 1);
  EXPECT_TRUE(has_widget("stage"));
}

TEST_F(Frames, TheSlidersOfTheOneThatIsChosenComeIntoSight) {
  compare("09_thread_tile_2d", "10_wide_loads");
  const auto expect_in_sight = [&](int chosen) {
    for (int i = 0; i < 3; ++i) show(1280, 720, 1);
    std::vector<view::Box> sliders;
    for (const WidgetPlace& place : widgets_)
      if (place.name == "parameter BM") sliders.push_back(place.box);
    ASSERT_EQ(sliders.size(), 2u);
    const view::Box code = panel_of("code Edit");
    const auto panel = std::find_if(grounds_.begin(), grounds_.end(), [&](const Ground& ground) {
      return ground.box.x == code.x && std::abs(ground.box.y - code.bottom()) < 1;
    });
    ASSERT_NE(panel, grounds_.end());
    const view::Box& of_chosen = sliders[static_cast<size_t>(chosen)];
    EXPECT_GT(of_chosen.y, panel->box.y) << chosen;
    EXPECT_LT(of_chosen.bottom(), panel->box.bottom()) << chosen;
  };
  for (const int chosen : {0, 1, 0, 1}) {
    apply(session::ChooseExperiment{chosen});
    expect_in_sight(chosen);
  }
  apply(session::SetCompare{false});
  show(1280, 720, 1);
  compare("09_thread_tile_2d", "10_wide_loads");
  EXPECT_EQ(workspace_.chosen(), 1);
  expect_in_sight(1);
}

TEST_F(Frames, TheCurrentLineStaysInSightWhenThingsChangeTheirSize) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  apply(session::Move{analysis::Unit::Phase, 3});
  const run::TracedBlock& scene = *workspace_.experiment(0).traced();
  const int current = scene.facts.line_of(scene.timeline.pc(workspace_.cursor(0)));
  ASSERT_GT(current, 30);
  for (const auto& [scale, present] : {std::pair{1.f, false},
                                       {1.5f, true},
                                       {1.f, false},
                                       {2.2f, false},
                                       {1.6f, true},
                                       {0.7f, true},
                                       {1.5f, true},
                                       {1.3f, false},
                                       {1.f, false}}) {
    present_with({"code"});
    apply(session::SetPresent{present});
    for (int i = 0; i < 90; ++i) show(1600, 900, scale);
    EXPECT_TRUE(has_widget("line " + std::to_string(current))) << scale << (present ? " presented" : "");
  }
}

TEST_F(Frames, TheCurrentLineComesIntoSightWhenATextThatFittedDoesNotAnyMore) {
  open("09_thread_tile_2d");
  ASSERT_TRUE(settle());
  apply(session::GoToEnd{});
  const run::TracedBlock& scene = *workspace_.experiment(0).traced();
  const std::string current = "line " + std::to_string(scene.facts.line_of(scene.timeline.pc(workspace_.cursor(0))));
  for (int i = 0; i < 90; ++i) show(1600, 6000, 1);
  ASSERT_TRUE(has_widget("line 1")) << "all of it is seen";
  ASSERT_TRUE(has_widget(current));
  for (int i = 0; i < 90; ++i) show(1600, 900, 1);
  EXPECT_TRUE(has_widget(current));
}

TEST_F(Frames, EveryStepOfEveryLessonIsLaidOut) {
  for (const lesson::Lesson& lesson : lessons_.course().lessons)
    for (uint32_t step = 0; step < lesson.steps.size(); ++step) {
      apply(session::ChooseLesson{lesson.slug, step});
      show(1600, 900, 1);
      EXPECT_TRUE(has_widget("next step")) << lesson.slug;
    }
}

}  // namespace
}  // namespace tilescope::ui
