#include "ui/lesson_panel.h"

#include <gmock/gmock.h>
#include <imgui_internal.h>

#include "base/file.h"
#include "lesson/hidden_now.h"
#include "ui/code.h"
#include "ui/findings.h"
#include "ui/frame.h"
#include "ui/panel_fixture.h"
#include "wait_until.h"

namespace tilescope::ui {
namespace {
using lesson::Lesson;
using lesson::QuestionKind;
using testing::Contains;
using testing::ElementsAre;

/// Beside the lessons that ship.
class Lessons : public PanelFixture {
 protected:
  Context context() {
    Context result;
    result.workspace = &workspace_;
    result.lessons = &lessons_;
    return result;
  }
  template <class Done>
  void wait_for(Done done) {
    ASSERT_TRUE(wait_until([&] { return lessons_.poll(), done(); }));
  }
  void go_to(const std::string& slug, size_t step) {
    lesson_ = lessons_.find(slug);
    ASSERT_TRUE(lesson_) << slug;
    step_ = step;
    for (const lesson::Step& each : lesson_->steps)
      if (each.scene) workspace_.add_kernels({*each.scene->kernel});
    apply(session::ChooseLesson{slug, static_cast<uint32_t>(step)});
    apply(show_command(*lessons_.scene(*lesson_, step)));
    ASSERT_TRUE(settle());
    lessons_.open(*lesson_, step);
    wait_for([&] { return lessons_.page() != nullptr; });
  }
  /// The first step of a lesson with its own scene whose question `holds`.
  template <class Holds>
  void go_to_first(const std::string& slug, Holds holds) {
    const Lesson& lesson = *lessons_.find(slug);
    for (size_t i = 0; i < lesson.steps.size(); ++i)
      if (lesson.steps[i].scene && lesson.steps[i].question && holds(*lesson.steps[i].question)) return go_to(slug, i);
    FAIL() << "no such step in " << slug;
  }
  void go_to_sectors() {
    go_to_first("coalescing",
                [](const lesson::Question& question) { return question.answer.text == "at(\"load A\").sectors"; });
  }
  const lesson::Attempt& attempt() const { return lessons_.attempt(*lesson_, step_); }
  void answer(const std::string& text) {
    lessons_.answer(text);
    wait_for([&] { return !attempt().judging; });
  }
  void show_window() {
    frame([&](const Context& given) {
      Context with = given;
      with.lessons = &lessons_;
      show_frame(with, kept_);
    });
    answer_with_commands();
  }
  Services services() override { return {&workspace_, &lessons_}; }
  /// Applies the last frames' commands that are about the question.
  void answer_with_commands() {
    for (const Command& command : commands_)
      if (!std::holds_alternative<session::Command>(command)) apply(command);
  }

  lesson::LessonRunner lessons_{lesson::load_course(data_folder() / "lessons", workspace_.catalogue()), runs_cache_, 0,
                                [] {}};
  lesson::Runs runs_{runs_cache_};
  const Lesson* lesson_ = nullptr;
  size_t step_ = 0;
  FrameState kept_;
};

TEST_F(Lessons, TheCoverFallsWithTheAnswer) {
  EXPECT_EQ(hidden_now(context()), session::HiddenFacts{}) << "no lesson is open";
  go_to_sectors();
  const int step = hidden_now(context()).asked_in(session::Fact::Totals);
  EXPECT_GT(step, static_cast<int>(step_) + 1);
  session::HiddenFacts asked{session::Fact::Counts}, later;
  asked.add(session::Fact::Totals, step);
  later.add(session::Fact::Totals, step);
  EXPECT_EQ(hidden_now(context()), asked);
  answer("5");
  EXPECT_EQ(hidden_now(context()), asked);
  answer("8");
  EXPECT_TRUE(attempt().right);
  EXPECT_EQ(hidden_now(context()), later) << "the next steps ask for figures of the same kernel";
}

TEST_F(Lessons, AClassIsAskedAndShownTheAnswer) {
  go_to_sectors();
  EXPECT_FALSE(widget("Show the answer"));
  apply(session::SetPresent{true});
  EXPECT_TRUE(hidden_now(context()).has(session::Fact::Counts));
  for (int i = 0; i < 3; ++i) show_window();
  const float asked = question_to_class_height(context(), kept_.lesson);
  EXPECT_GT(asked, 30);
  ASSERT_TRUE(widget("Show the answer"));
  apply(GiveUp{});
  wait_for([&] { return attempt().done(); });
  EXPECT_TRUE(attempt().gave_up);
  EXPECT_EQ(attempt().answer.words, "8 sectors");
  EXPECT_FALSE(hidden_now(context()).has(session::Fact::Counts));
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_FALSE(widget("Show the answer"));
  EXPECT_TRUE(widget("answer to class"));
  EXPECT_TRUE(widget("reason to class"));
  const lesson::Lesson& hunt = *lessons_.find("bug-hunt");
  const uint32_t list = static_cast<uint32_t>(hunt.steps.size()) - 1;
  ASSERT_FALSE(hunt.steps[list].question);
  apply(session::ChooseLesson{hunt.slug, list});
  EXPECT_EQ(question_to_class_height(context(), kept_.lesson), 0);
}

TEST_F(Lessons, APresentationCoversWhatWasAnsweredWithItsPicture) {
  for (const Lesson& lesson : lessons_.course().lessons)
    for (size_t i = 0; i < lesson.steps.size() && !lesson_; ++i)
      if (const auto explains = revealed_scene(lesson, i);
          explains && lesson.steps[i].question && explains->view != scene_of(lesson, i)->view)
        go_to(lesson.slug, i);
  ASSERT_TRUE(lesson_);
  const auto view = [&] { return workspace_.state().scale; };
  const session::Scale covered = view();
  const auto answered = [&] { return poll(services()), attempt().done() && view() != covered; };
  apply(GiveUp{});
  ASSERT_TRUE(wait_until(answered));
  apply(session::SetPresent{true});
  EXPECT_FALSE(attempt().done());
  EXPECT_EQ(view(), covered);
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_FALSE(widget(kCoverAnswer));
  for (const Command& command : turn_page(workspace_, &lessons_, 1)) apply(command);
  ASSERT_TRUE(wait_until(answered));
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_FALSE(widget(kCoverAnswer)) << "a class sees only the answer";
  move_mouse_to("answer to class");
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_TRUE(widget(kCoverAnswer));
  apply(CoverAnswer{});
  EXPECT_FALSE(attempt().done());
  EXPECT_EQ(view(), covered);
  apply(session::SetPresent{false});
  EXPECT_TRUE(attempt().done());
  EXPECT_NE(view(), covered);
}

TEST_F(Lessons, TheLineThatWasAskedForIsPinnedWithItsPictureUntilItIsCovered) {
  const Lesson& lesson = *lessons_.find("bug-hunt");
  for (size_t i = 0; i < lesson.steps.size() && !lesson_; ++i)
    if (const auto& question = lesson.steps[i].question;
        question && question->target == lesson::ClickTarget::Line && revealed_scene(lesson, i))
      go_to(lesson.slug, i);
  ASSERT_TRUE(lesson_);
  apply(session::SetPresent{true});
  apply(GiveUp{});
  ASSERT_TRUE(wait_until([&] { return poll(services()), attempt().done() && workspace_.pinned(); }));
  EXPECT_EQ(workspace_.pinned().kind, session::Target::Kind::SourceLine);
  EXPECT_EQ(static_cast<int>(workspace_.pinned().index), attempt().answer.click->line);
  apply(CoverAnswer{});
  EXPECT_FALSE(workspace_.pinned());
}

TEST_F(Lessons, ACellThatAClassClicksIsCheckedAndTheRightOneMarked) {
  go_to_first("transpose", [](const lesson::Question& question) { return question.kind == QuestionKind::Click; });
  apply(session::SetPresent{true});
  const auto& arrays = workspace_.experiment(0).traced()->accesses.arrays();
  const auto tile =
      std::find_if(arrays.begin(), arrays.end(), [](const auto& each) { return each.allocation.name == "tile"; });
  ASSERT_NE(tile, arrays.end());
  const auto pin = [&](uint64_t element) {
    apply(session::Pin{{session::Target::Kind::Element, tile->allocation.space, "tile", element, 0}});
    for (int i = 0; i < 3; ++i) show_window();
  };
  pin(3);
  EXPECT_TRUE(widget("check answer"));
  apply(AnswerQuestion{lesson::Click{"tile", 0, 3}});
  ASSERT_TRUE(wait_until([&] { return poll(services()), attempt().wrong == 1; }));
  show_window();
  EXPECT_TRUE(widget("Show the answer"));
  apply(GiveUp{});
  ASSERT_TRUE(wait_until([&] { return poll(services()), attempt().done(); }));
  EXPECT_EQ(workspace_.pinned(), (session::Target{session::Target::Kind::Element, tile->allocation.space, "tile",
                                                  5 * tile->columns + 4, 0}));
}

TEST_F(Lessons, AnArrayHasTheColourOfItsSideOfTheStageInTheProgramToo) {
  go_to("attention", 7);
  const run::TracedBlock& traced = *workspace_.experiment(0).traced();
  const view::Listing listing = view::make_listing(traced, nullptr, nullptr);
  std::map<std::string, view::Ink> inks;
  const view::CodeText& text = listing.cuda.text;
  for (size_t line = 0; line < text.lines.size(); ++line)
    for (const view::Token& token : text.tokens[line])
      inks[text.lines[line].substr(token.begin, token.end - token.begin)] = token.ink;
  EXPECT_EQ(inks["queries"], view::Ink::ArrayA);
  EXPECT_EQ(inks["keys"], view::Ink::ArrayB);
  EXPECT_EQ(inks["key_tile"], view::Ink::ArrayB);
  EXPECT_EQ(inks["out"], view::Ink::ArrayC);
}

TEST_F(Lessons, EnterChecksTheAnswerThatWaits) {
  go_to_first("thread-tile-1d", [](const lesson::Question& question) {
    return question.kind == lesson::QuestionKind::Click && question.target == lesson::ClickTarget::Lane;
  });
  const auto press_enter = [&] {
    kept_.lesson.wants_check = true;
    show_window();
  };
  for (int i = 0; i < 3; ++i) show_window();
  press_enter();
  EXPECT_FALSE(attempt().judging) << "nothing was clicked";
  workspace_.apply(session::Pin{session::Target{session::Target::Kind::Lane, Space::None, "", 5, 0}});
  show_window();
  EXPECT_FALSE(attempt().judging) << "that key was pressed before";
  press_enter();
  wait_for([&] { return !attempt().judging && !attempt().given.empty(); });
}

TEST_F(Lessons, AKeyShowsTheAnswerToAnOpenQuestion) {
  apply(GiveUp{});
  go_to_sectors();
  answer("8");
  apply(GiveUp{});
  const lesson::Attempt& answered = attempt();
  go_to(lesson_->slug, step_ + 1);  // Earlier requests are done by then.
  lessons_.poll();
  EXPECT_FALSE(answered.gave_up) << "it was answered";
}

TEST_F(Lessons, TheSecondErrorUncoversWhatTheRightAnswerDoes) {
  go_to_sectors();
  answer("5");
  const session::HiddenFacts after_one = hidden_now(context());
  answer("6");
  EXPECT_FALSE(attempt().done());
  const session::HiddenFacts after_two = hidden_now(context());
  EXPECT_FALSE(after_two == after_one);
  answer("8");
  EXPECT_TRUE(attempt().done());
  EXPECT_EQ(after_two, hidden_now(context()));
}

TEST_F(Lessons, EachErrorSaysMoreBesideTheField) {
  go_to_sectors();
  const auto question_height = [&] {
    for (int i = 0; i < 3; ++i) show_window();
    return widget("question") ? widget("question")->height : 0;
  };
  const float asked = question_height(), at = widget("answer")->y;
  answer("5");
  const float hinted = question_height();
  const view::Box *said = widget("question wrong"), *field = widget("answer"), *box = widget("question");
  ASSERT_TRUE(said && field && box);
  EXPECT_NEAR(field->y, at, 1) << "what is clicked again stays under the mouse";
  EXPECT_LT(said->bottom(), field->y);
  EXPECT_GT(said->y, box->y);
  answer("6");
  EXPECT_GT(hinted, asked + 10);
  EXPECT_GT(question_height(), hinted + 10) << "where to look";
}

TEST_F(Lessons, WhatWasTriedIsMarked) {
  go_to_first("coalescing", [](const lesson::Question& question) { return question.kind == QuestionKind::Choice; });
  const auto solution = lesson::solve({lesson_, step_, &runs_, {}});
  ASSERT_TRUE(solution);
  const size_t wrong = solution->choices.front() == 0 ? 1 : 0;
  lessons_.answer(wrong);
  wait_for([&] { return !attempt().judging; });
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_TRUE(widget(std::string("choice ") + lesson::choice_letter(wrong) + " tried"));
  EXPECT_TRUE(widget(std::string("choice ") + lesson::choice_letter(solution->choices.front())));
}

TEST_F(Lessons, AnEmphasisLastsUntilTheRunIsAnother) {
  go_to_sectors();
  EXPECT_THAT(emphasised_now(context()), ElementsAre("A", "sectors"));
  apply(session::Move{analysis::Unit::Access, 1});
  apply(session::SetScale{session::Scale::Grid});
  EXPECT_THAT(emphasised_now(context()), ElementsAre("A", "sectors")) << "looking around changes no run";
  apply(session::SetParameter{"BLOCK", 16});
  EXPECT_THAT(emphasised_now(context()), ElementsAre());
  apply(show_command(*lessons_.scene(*lesson_, step_)));
  EXPECT_THAT(emphasised_now(context()), ElementsAre("A", "sectors"));
  apply(session::SetCompare{true});
  EXPECT_THAT(emphasised_now(context()), ElementsAre());
}

TEST_F(Lessons, TheWholeWindowKeepsToIt) {
  go_to_first("coalescing", [&](const lesson::Question& question) {
    return lesson::hidden_by(*lessons_.find("coalescing"), question).has(session::Fact::Accesses);
  });
  const auto stage_words = [&] {
    std::vector<std::string> words;
    for (const view::Shape& shape : kept_.stages[0].picture.last().shapes)
      if (const auto* label = std::get_if<view::Label>(&shape)) words.push_back(label->text);
    return words;
  };
  show_window();
  const auto cover = Contains("The question asks about");  // Its last word is on the next line.
  EXPECT_THAT(stage_words(), cover);
  lessons_.give_up();
  wait_for([&] { return attempt().done(); });
  show_window();
  EXPECT_THAT(stage_words(), testing::Not(cover)) << "it is gone in the next frame";
}

TEST_F(Lessons, FindingsAreCoveredInThePanelOfThem) {
  go_to_sectors();
  FindingsState kept;
  const auto panel = [&kept](bool covered) {
    return [&kept, covered](const Context& given) {
      Context with = given;
      if (covered) with.hidden.add(session::Fact::Findings);
      show_findings(with, 0, kept);
    };
  };
  frame(panel(true));
  EXPECT_TRUE(widget("covered findings"));
  EXPECT_FALSE(widget("verification"));
  frame(panel(false));
  EXPECT_FALSE(widget("covered findings"));
  EXPECT_TRUE(widget("verification"));
}

TEST_F(Lessons, ALineThatIsAskedForIsChosenByAClick) {
  go_to_first("bug-hunt", [](const lesson::Question& question) {
    return question.kind == QuestionKind::Click && question.target == lesson::ClickTarget::Line;
  });
  EXPECT_TRUE(picks_line_now(context()));
  CodeState code;
  const auto panel = [&](bool picks) {
    return [&, picks](const Context& given) {
      Context with = given;
      with.picks_line = picks;
      show_code(with, 0, code);
    };
  };
  for (int i = 0; i < 60; ++i) frame(panel(false));
  const auto line =
      std::find_if(widgets_.begin(), widgets_.end(), [](const auto& w) { return w.name.starts_with("line "); });
  ASSERT_NE(line, widgets_.end());
  const std::string name = line->name;
  click(panel(false), name);
  EXPECT_TRUE(sent<session::GoToLine>());
  EXPECT_FALSE(sent<session::Pin>()) << "else a click only goes there";
  click(panel(true), name);
  ASSERT_TRUE(sent<session::Pin>());
  EXPECT_EQ(sent<session::Pin>()->target.kind, session::Target::Kind::SourceLine);
  EXPECT_EQ("line " + std::to_string(sent<session::Pin>()->target.index), name);
  go_to_sectors();
  EXPECT_FALSE(picks_line_now(context()));
}

TEST_F(Lessons, ThePtxIsOnShowWhileASceneIsAboutIt) {
  const auto is_about_ptx = [](const lesson::Step& step) {
    return step.scene &&
           std::find(step.scene->emphasise.begin(), step.scene->emphasise.end(), "ptx") != step.scene->emphasise.end();
  };
  for (const Lesson& lesson : lessons_.course().lessons)
    for (size_t i = 0; i < lesson.steps.size() && !lesson_; ++i)
      if (is_about_ptx(lesson.steps[i])) go_to(lesson.slug, i);
  ASSERT_TRUE(lesson_) << "no scene is about the PTX";
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, CodeState::kPtx);
  go_to_sectors();
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, CodeState::kSource) << "as it was before";
  kept_.codes[0].tab = CodeState::kBoth;
  apply(session::ChooseLesson{lesson_->slug, static_cast<uint32_t>(step_ + 1)});
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, CodeState::kBoth) << "what the student chooses stays";
}

TEST_F(Lessons, TheSourceAloneUntilTheLessonIsClosed) {
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, CodeState::kBoth);
  go_to_sectors();
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, CodeState::kSource);
  apply(session::ChooseLesson{});
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, CodeState::kBoth);
}

TEST_F(Lessons, PanelsAppearAsTheLessonNamesThem) {
  const auto shown = [&](const std::string& slug, size_t step) {
    go_to(slug, step - 1);
    show_window();
    show_window();
    const auto has = [&](const char* name) { return widget(name) ? name : "-"; };
    return fmt::format("{} {} {} {}", has("stage"), has("play"), has("strip"), has("parameter BLOCK"));
  };
  EXPECT_EQ(shown("grid-and-roofline", 1), "stage - - -");
  EXPECT_EQ(shown("grid-and-roofline", 2), "stage play - -");
  EXPECT_EQ(shown("grid-and-roofline", 7), "stage play - parameter BLOCK");
  EXPECT_EQ(shown("coalescing", 2), "stage play - -");
  EXPECT_EQ(shown("coalescing", 3), "stage play strip -");
  EXPECT_EQ(shown("coalescing", 8), "stage play strip parameter BLOCK");
}

TEST_F(Lessons, WithoutAStageThePlotsHaveItsPlace) {
  const auto has_stage = [&](size_t step) {
    go_to("tuning", step - 1);
    for (int i = 0; i < 2; ++i) show_window();
    return widget("stage") != nullptr;
  };
  EXPECT_TRUE(has_stage(7));
  EXPECT_FALSE(has_stage(8));
  EXPECT_TRUE(has_stage(9));
  kept_.plots.large = true;
  EXPECT_FALSE(has_stage(10)) << "what the student chose stays";
}

TEST_F(Lessons, FragmentsAreOnShowUnlessTheirLanesAreAsked) {
  const auto has_fragments = [&](size_t step) {
    go_to("tensor-cores", step - 1);
    for (int i = 0; i < 2; ++i) show_window();
    return widget("fragments") != nullptr;
  };
  EXPECT_FALSE(has_fragments(5)) << "asks for the lane of an address";
  EXPECT_TRUE(has_fragments(6)) << "asks for wavefronts";
}

TEST_F(Lessons, TheClocksOfAnAnswerHoldTheBlocksThatItIsAbout) {
  go_to_first("who-waits",
              [](const lesson::Question& question) { return question.reveal && question.reveal->resident; });
  const uint32_t blocks = lesson_->steps[step_].question->reveal->resident;
  EXPECT_EQ(workspace_.what_if().resident, 0U);
  apply(GiveUp{});
  wait_for([&] { return attempt().done(); });
  ASSERT_TRUE(settle());
  const auto& run = workspace_.clock(0).run();
  ASSERT_TRUE(wait_until([&] { return poll(services()), run && run->resident == blocks; }));
  EXPECT_EQ(run->resident, blocks);
  EXPECT_GE(workspace_.clock_place().slot, (blocks - 1) * run->recording.warps_per_block)
      << "not where the launch begins";
  go_to_sectors();
  EXPECT_EQ(workspace_.what_if().resident, 0U) << "of another step";
}

TEST_F(Lessons, TheTitleOfTheClocksCoversWhatALaterQuestionAsks) {
  const auto hits_are_hidden = [&](const char* scene) {
    const Lesson& lesson = *lessons_.find("who-waits");
    for (size_t i = 0; i < lesson.steps.size(); ++i)
      if (lesson.steps[i].scene->name == scene) go_to("who-waits", i);
    apply(GiveUp{});
    wait_for([&] { return attempt().done(); });
    return hidden_now(context()).figures();
  };
  EXPECT_TRUE(hits_are_hidden("rows")) << "the next step asks for the hits";
  EXPECT_FALSE(hits_are_hidden("hits"));
  EXPECT_TRUE(hidden_now(context()).has(session::Fact::Speed)) << "the next step asks for the time";
}

TEST_F(Lessons, TheStripShowsTheWarpsWhereASceneIsAboutTheirOrder) {
  using session::WarpOrder;
  const auto shown_in = [&](const std::string& slug, size_t step) {
    go_to(slug, step - 1);
    for (int i = 0; i < 2; ++i) show_window();
    return workspace_.state().order;
  };
  EXPECT_EQ(shown_in("shared-tiles", 6), WarpOrder::Ahead);
  EXPECT_TRUE(widget("warps") && !widget("strip"));
  EXPECT_EQ(shown_in("shared-tiles", 8), WarpOrder::Behind);
  EXPECT_TRUE(widget("warps"));
  EXPECT_EQ(shown_in("coalescing", 3), WarpOrder::InStep);
  EXPECT_TRUE(widget("strip") && !widget("warps"));
}

TEST_F(Lessons, ATabOfTheStripChoosesLanesOrWarps) {
  go_to("shared-tiles", 5);
  for (int i = 0; i < 2; ++i) show_window();
  const auto click_tab = [&](const char* name) {
    click(
        [&](const Context& given) {
          Context with = given;
          with.lessons = &lessons_;
          show_frame(with, kept_);
        },
        name);
    show_window();
  };
  click_tab("strip lanes");
  EXPECT_TRUE(widget("strip") && !widget("warps"));
  click_tab("strip warps");
  EXPECT_TRUE(widget("warps") && !widget("strip"));
}

TEST_F(Lessons, ThePageHasTheWholeHeight) {
  go_to_sectors();
  show_window();
  ASSERT_TRUE(widget("previous step") && widget("play"));
  EXPECT_GT(widget("previous step")->y, widget("play")->y - 60) << "its lower end is beside the timeline's controls";
  EXPECT_LT(widget("previous step")->right(), widget("step to start")->x);
}

TEST_F(Lessons, ADigitBeginsTheAnswerWhereverTheKeyboardIs) {
  go_to_sectors();
  for (int i = 0; i < 3; ++i) show_window();
  ASSERT_TRUE(takes_digits_now(workspace_, &lessons_, kept_.lesson));
  for (const unsigned character : {'x', '3', '2'}) {
    ImGui::GetIO().AddInputCharacter(character);
    for (int i = 0; i < 4; ++i) show_window();
    EXPECT_EQ(ImGui::GetIO().WantTextInput, character != 'x');
  }
  EXPECT_EQ(kept_.lesson.typed, "32");
}

TEST_F(Lessons, AnAnswerThatIsTypedQuicklyDoesNotStayInTheField) {
  for (int frames = 0; frames < 4; ++frames) {
    go_to_sectors();
    for (int i = 0; i < 3; ++i) show_window();
    ImGui::GetIO().AddInputCharacter('7');
    for (int i = 0; i < frames; ++i) show_window();
    kept_.lesson.wants_check = true;
    for (int i = 0; i < 4; ++i) show_window();
    wait_for([&] { return !attempt().judging; });
    for (int i = 0; i < 4; ++i) show_window();
    EXPECT_EQ(kept_.lesson.typed, attempt().given.empty() ? "7" : "") << "Enter " << frames << " frames later";
    ImGui::ClearActiveID();
    kept_.lesson = {};
    lessons_.restore({});
  }
}

TEST_F(Lessons, TheLettersOfItsChoicesAreOfTheQuestion) {
  go_to_sectors();
  EXPECT_FALSE(takes_letter_now(workspace_, &lessons_, kept_.lesson, 'a')) << "a number has no letters";
  go_to_first("coalescing", [](const lesson::Question& question) { return question.kind == QuestionKind::Choice; });
  for (const char letter : {'a', 'b', 'c'}) EXPECT_TRUE(takes_letter_now(workspace_, &lessons_, kept_.lesson, letter));
  for (const char letter : {'\0', 'd', 't'})
    EXPECT_FALSE(takes_letter_now(workspace_, &lessons_, kept_.lesson, letter));
  kept_.lesson.gave_keys_back = true;
  EXPECT_FALSE(takes_letter_now(workspace_, &lessons_, kept_.lesson, 'b'));
}

TEST_F(Lessons, NothingElseTakesDigits) {
  go_to_sectors();
  apply(session::SetPresent{true});
  EXPECT_FALSE(takes_digits_now(workspace_, &lessons_, kept_.lesson)) << "a presentation has no field";
  apply(session::SetPresent{false});
  kept_.lesson.gave_keys_back = true;
  EXPECT_FALSE(takes_digits_now(workspace_, &lessons_, kept_.lesson)) << "until the next step";
  go_to("coalescing", step_ + 1);
  show_window();
  EXPECT_TRUE(takes_digits_now(workspace_, &lessons_, kept_.lesson));
  answer("12.5");
  EXPECT_FALSE(takes_digits_now(workspace_, &lessons_, kept_.lesson)) << "the question is answered";
  go_to_first("bug-hunt", [](const lesson::Question& question) { return question.kind == QuestionKind::Click; });
  EXPECT_FALSE(takes_digits_now(workspace_, &lessons_, kept_.lesson)) << "a click is no digit";
}

TEST_F(Lessons, ALetterChooses) {
  go_to_first("coalescing", [](const lesson::Question& question) { return question.kind == QuestionKind::Choice; });
  for (int i = 0; i < 3; ++i) show_window();
  const auto solution = lesson::solve({lesson_, step_, &runs_, {}});
  ASSERT_TRUE(solution);
  ImGui::GetIO().AddInputCharacter(static_cast<unsigned>('a' + solution->choices.front()));
  show_window();
  wait_for([&] { return !attempt().judging; });
  EXPECT_TRUE(attempt().right);
  EXPECT_EQ(attempt().answer.words, solution->words);
}

TEST_F(Lessons, AClassSeesWhichChoiceWasWrongAndWhichIsRight) {
  go_to_first("coalescing", [](const lesson::Question& question) { return question.kind == QuestionKind::Choice; });
  const auto solution = lesson::solve({lesson_, step_, &runs_, {}});
  ASSERT_TRUE(solution);
  const size_t right = solution->choices.front(), wrong = right == 0 ? 1 : 0;
  const auto name = [](size_t choice, const char* verdict) {
    return std::string("choice ") + lesson::choice_letter(choice) + " to class" + verdict;
  };
  apply(session::SetPresent{true});
  wait_for([&] { return lessons_.page() != nullptr; });
  for (int i = 0; i < 3; ++i) show_window();
  const auto window = [&](const Context& given) {
    Context with = given;
    with.lessons = &lessons_;
    show_frame(with, kept_);
  };
  click(window, name(wrong, ""), 0.5f, {4, 4});  // The fixture's own window must not cover the question.
  answer_with_commands();
  wait_for([&] { return attempt().wrong == 1; });
  show_window();
  EXPECT_TRUE(widget(name(wrong, " wrong")));
  EXPECT_TRUE(widget(name(right, ""))) << "it is not told yet";
  apply(GiveUp{});
  wait_for([&] { return attempt().done(); });
  show_window();
  EXPECT_TRUE(widget(name(wrong, " wrong")));
  EXPECT_TRUE(widget(name(right, " right")));
}

TEST_F(Lessons, WhatIsNoChoiceIsNoAnswer) {
  go_to_first("coalescing", [](const lesson::Question& question) { return question.kind == QuestionKind::Choice; });
  for (const unsigned character : {'0', '1', '2', '9', 'z', '?', 'A'}) {
    ImGui::GetIO().AddInputCharacter(character);
    show_window();
    EXPECT_FALSE(attempt().judging) << character;
  }
}

TEST_F(Lessons, AnOpenQuestionCanBeGivenUpAtOnce) {
  go_to_sectors();
  for (int i = 0; i < 3; ++i) show_window();
  ASSERT_TRUE(widget("Show the answer"));
  EXPECT_EQ(attempt().wrong, 0);
  const auto window = [&](const Context& given) {
    Context with = given;
    with.lessons = &lessons_;
    show_frame(with, kept_);
  };
  click(window, "Show the answer", 0.5f, {4, 4});  // The fixture's own window must not cover the lesson.
  answer_with_commands();
  wait_for([&] { return attempt().done(); });
  show_window();
  EXPECT_TRUE(widget("question given up"));
  EXPECT_FALSE(widget("Show the answer"));
}

TEST_F(Lessons, WhatIsSaidToAnAnswerIsSeenAtOnce) {
  ImGui::GetIO().DisplaySize = {1280, 400};
  go_to_sectors();
  for (int i = 0; i < 3; ++i) show_window();
  ASSERT_TRUE(widget("more below")) << "the page is longer than its room";
  answer("8");
  for (int i = 0; i < 4; ++i) show_window();
  const view::Box* const said = widget("question right");
  const view::Box* const page = widget("page coalescing " + std::to_string(step_ + 1));
  ASSERT_TRUE(said && page);
  EXPECT_GT(said->y, page->y);
  // In the upper half, or as high as the page's end allows.
  if (widget("more below")) {
    EXPECT_LT(said->bottom(), page->y + page->height / 2);
  }
  EXPECT_LT(said->bottom(), page->y + page->height);
}

TEST_F(Lessons, AnOpenQuestionIsOnScreenWhileItsTextScrolls) {
  ImGui::GetIO().DisplaySize = {1280, 400};
  go_to_sectors();
  for (int i = 0; i < 3; ++i) show_window();
  const auto inside = [&] {
    const view::Box *box = widget("question"), *field = widget("answer");
    return box && field && field->y > box->y && field->bottom() < box->bottom() && box->bottom() < 400;
  };
  EXPECT_TRUE(inside());
  ASSERT_TRUE(widget("more below")) << "the text is longer than its room";
  const float end = widget("page end")->y;
  click(
      [&](const Context& given) {
        Context with = given;
        with.lessons = &lessons_;
        show_frame(with, kept_);
      },
      "more below", 0.5f, {4, 4});  // The fixture's own window must not cover the lesson.
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_LT(widget("page end")->y, end);
  EXPECT_TRUE(inside());
}

TEST_F(Lessons, TheVerdictOnATaskIsOnShowWhileTheRunIsThatWhichWasJudged) {
  go_to_first("shared-tiles", [](const lesson::Question& question) { return question.edits_source; });
  for (int i = 0; i < 3; ++i) show_window();
  const auto window = [&](const Context& given) {
    Context with = given;
    with.lessons = &lessons_;
    show_frame(with, kept_);
  };
  click(window, "check answer", 0.5f, {4, 4});  // The fixture's own window must not cover the lesson.
  answer_with_commands();
  wait_for([&] { return attempt().wrong == 1 || !attempt().message.empty(); });
  show_window();
  EXPECT_TRUE(widget("question wrong"));
  apply(session::EditSource{{"// another", ""}});
  show_window();
  EXPECT_FALSE(widget("question wrong"));
  apply(session::RestoreSource{});
  show_window();
  EXPECT_TRUE(widget("question wrong"));
}

TEST_F(Lessons, AnotherRunOnTheStageIsSaidAndOneClickLeadsBack) {
  go_to_sectors();
  const auto window = [&](const Context& given) {
    Context with = given;
    with.lessons = &lessons_;
    show_frame(with, kept_);
  };
  const auto says_so = [&] {
    for (int i = 0; i < 3; ++i) show_window();
    return widget("Back to the step's run") != nullptr;
  };
  EXPECT_FALSE(says_so());
  apply(session::Move{analysis::Unit::Access, 1});
  apply(session::SetBlock{1, 0});
  EXPECT_FALSE(says_so()) << "looking around in the run";
  for (const session::Command& away :
       {session::Command(session::ChooseKernel{"09_thread_tile_2d"}),
        session::Command(session::SetParameter{"BLOCK", 16}), session::Command(session::SetSize{{32, 32, 32}}),
        session::Command(session::SetCompare{true}), session::Command(session::SetArch{"sm_80"})}) {
    apply(away);
    EXPECT_TRUE(says_so());
    click(window, "Back to the step's run", 0.5f, {4, 4});
    const std::vector<Command> commands = commands_;
    for (const Command& command : commands) apply(command);
    EXPECT_FALSE(says_so());
  }
}

TEST_F(Lessons, WhatATaskAsksForIsNoOtherRun) {
  go_to_first("edges", [](const lesson::Question& question) {
    return question.kind == QuestionKind::Task && !question.edits_source;
  });
  apply(session::SetParameter{"TILE", 8});
  EXPECT_FALSE(shows_other_scene(context()));
  open("09_thread_tile_2d");
  EXPECT_TRUE(shows_other_scene(context()));
  go_to_first("edges", [](const lesson::Question& question) { return question.edits_source; });
  apply(session::EditSource{{"__global__ void sgemm() {}", ""}});
  EXPECT_FALSE(shows_other_scene(context()));
  apply(session::SetParameter{"TILE", 16});
  EXPECT_TRUE(shows_other_scene(context())) << "the sliders are not what this task asks for";
}

TEST_F(Lessons, AnotherRunIsNotCheckedAndTheWayBackKeepsTheEdit) {
  go_to_first("edges", [](const lesson::Question& question) { return question.edits_source; });
  const auto window = [&](const Context& given) {
    Context with = given;
    with.lessons = &lessons_;
    show_frame(with, kept_);
  };
  ASSERT_TRUE(wait_until([&] { return lessons_.poll(), lessons_.page() != nullptr; }));
  const std::string edited = workspace_.experiment(0).kernel().source + "// mine\n";
  apply(session::EditSource{{edited, ""}});
  ASSERT_TRUE(settle());
  open("05_guarded_tile");
  for (int i = 0; i < 3; ++i) show_window();
  click(window, "check answer", 0.5f, {4, 4});
  EXPECT_TRUE(commands_.empty());
  click(window, "Back to the step's run", 0.5f, {4, 4});
  const std::vector<Command> commands = commands_;
  for (const Command& command : commands) apply(command);
  ASSERT_TRUE(settle());
  EXPECT_EQ(workspace_.experiment(0).kernel().source, edited);
  EXPECT_FALSE(shows_other_scene(context()));
}

TEST_F(Lessons, TheListOfStepsShowsTheWay) {
  go_to_sectors();
  const auto window = [&](const Context& given) {
    Context with = given;
    with.lessons = &lessons_;
    show_frame(with, kept_);
  };
  for (int i = 0; i < 3; ++i) show_window();
  click(window, "steps", 0.5f, {4, 4});
  for (int i = 0; i < 2; ++i) show_window();
  ASSERT_TRUE(widget("step 1"));
  click(window, "step 1", 0.5f, {4, 4});
  ASSERT_TRUE(sent<session::ChooseLesson>());
  EXPECT_EQ(sent<session::ChooseLesson>()->step, 0u);
}

TEST_F(Lessons, TheEndOfALessonSaysHowItWent) {
  const Lesson& lesson = *lessons_.find("coalescing");
  const size_t last = lesson.steps.size() - 1;
  go_to("coalescing", last);
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_FALSE(widget("lesson summary")) << "its last question is open";
  lessons_.give_up();
  wait_for([&] { return attempt().done(); });
  ImGui::GetIO().DisplaySize = {1600, 2400};
  for (int i = 0; i < 4; ++i) show_window();
  EXPECT_TRUE(widget("lesson summary"));
  EXPECT_TRUE(widget("open step 1"));
  EXPECT_FALSE(widget("open step " + std::to_string(last + 1)));
  ASSERT_TRUE(widget("Save my answers"));
  EXPECT_FALSE(sent<SaveAnswers>());
  const auto window = [&](const Context& given) {
    Context with = given;
    with.lessons = &lessons_;
    show_frame(with, kept_);
  };
  click(window, "Save my answers", 0.5f, {4, 4});
  EXPECT_TRUE(sent<SaveAnswers>());
  EXPECT_FALSE(widget("missed step 1")) << "it is open";
  click(window, "missed step " + std::to_string(last + 1), 0.5f, {4, 4});
  ASSERT_TRUE(sent<AskAgain>());
  apply(*sent<AskAgain>());
  EXPECT_TRUE(lessons_.asks_again(lesson, last));
  EXPECT_FALSE(attempt().done());
}

TEST_F(Lessons, AfterAShortTextALongOneShowsItsCurrentLine) {
  const auto current_line = [&] {
    const run::TracedBlock& scene = *workspace_.experiment(0).traced();
    return scene.facts.line_of(scene.timeline.pc(workspace_.cursor(0)));
  };
  go_to("bug-hunt", 6);
  for (int i = 0; i < 90; ++i) show_window();
  ASSERT_LT(workspace_.experiment(0).traced()->report.source.size(), 20u);
  ImGui::GetIO().DeltaTime = 0.1f;  // The text is in its final place at once.
  go_to("wide-loads", 2);
  ASSERT_GT(current_line(), 20);
  for (int i = 0; i < 90; ++i) show_window();
  EXPECT_TRUE(widget("line " + std::to_string(current_line())));
}

TEST_F(Lessons, AfterAPresentationTheProgramTextShowsTheCurrentLine) {
  go_to("shared-tiles", 4);
  const auto show = [&] {
    for (int i = 0; i < 90; ++i) show_window();
  };
  const run::TracedBlock& scene = *workspace_.experiment(0).traced();
  const std::string line = "line " + std::to_string(scene.facts.line_of(scene.timeline.pc(workspace_.cursor(0))));
  show();
  ASSERT_TRUE(widget(line)) << line;
  EXPECT_FALSE(widget("line 1")) << "the text is longer than its panel";
  apply(session::SetPresent{true});
  show();
  apply(session::SetPresent{false});
  show();
  EXPECT_TRUE(widget(line)) << line;
}

}  // namespace
}  // namespace tilescope::ui
