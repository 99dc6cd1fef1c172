#include "ui/lesson_panel.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "lesson/cover.h"
#include "ui/code.h"
#include "ui/findings.h"
#include "ui/frame.h"
#include "ui/panel_fixture.h"

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
    result.desk = &desk_;
    return result;
  }
  template <class Done>
  void wait_for(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (desk_.poll(), !done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void go_to(const std::string& slug, size_t step) {
    lesson_ = desk_.find(slug);
    ASSERT_TRUE(lesson_) << slug;
    step_ = step;
    for (const lesson::Step& each : lesson_->steps)
      if (each.scene) workspace_.add_kernels({*each.scene->kernel});
    apply(session::ChooseLesson{slug, static_cast<uint32_t>(step)});
    apply(show_command(*desk_.scene(*lesson_, step)));
    ASSERT_TRUE(settle());
    desk_.open(*lesson_, step);
    wait_for([&] { return desk_.page() != nullptr; });
  }
  /// The first step of a lesson with its own scene whose question `holds`.
  template <class Holds>
  void go_to_first(const std::string& slug, Holds holds) {
    const Lesson& lesson = *desk_.find(slug);
    for (size_t i = 0; i < lesson.steps.size(); ++i)
      if (lesson.steps[i].scene && lesson.steps[i].question && holds(*lesson.steps[i].question)) return go_to(slug, i);
    FAIL() << "no such step in " << slug;
  }
  void go_to_sectors() {
    go_to_first("coalescing",
                [](const lesson::Question& question) { return question.answer.text == "at(\"load A\").sectors"; });
  }
  const lesson::Attempt& attempt() const { return desk_.attempt(*lesson_, step_); }
  void answer(const std::string& text) {
    desk_.answer(text);
    wait_for([&] { return !attempt().judging; });
  }
  void show_window() {
    frame([&](const Context& given) {
      Context with = given;
      with.desk = &desk_;
      show_frame(with, kept_);
    });
  }

  compile::Compiler lesson_compiler_{prebuilt_only()};
  lesson::Desk desk_{lesson::load_course(data_folder() / "lessons", workspace_.catalogue()), lesson_compiler_, 0,
                     [] {}};
  lesson::Runs runs_{lesson_compiler_, session::Control{}};
  const Lesson* lesson_ = nullptr;
  size_t step_ = 0;
  FrameKept kept_;
};

TEST_F(Lessons, TheCoverFallsWithTheAnswer) {
  EXPECT_EQ(cover_now(context()), session::Cover{}) << "no lesson is open";
  go_to_sectors();
  EXPECT_EQ(cover_now(context()), session::Cover{.counts = true});
  answer("5");
  EXPECT_EQ(cover_now(context()), session::Cover{.counts = true});
  answer("8");
  EXPECT_TRUE(attempt().right);
  EXPECT_EQ(cover_now(context()), session::Cover{});
}

TEST_F(Lessons, AClassIsAskedAndShownTheAnswer) {
  go_to_sectors();
  EXPECT_FALSE(widget("Show the answer"));
  apply(session::SetPresent{true});
  EXPECT_EQ(cover_now(context()), session::Cover{.counts = true});
  for (int i = 0; i < 3; ++i) show_window();
  const float asked = question_to_class_height(context(), kept_.lesson);
  EXPECT_GT(asked, 30);
  ASSERT_TRUE(widget("Show the answer"));
  show_answer(context());
  wait_for([&] { return attempt().done(); });
  EXPECT_TRUE(attempt().gave_up);
  EXPECT_EQ(attempt().answer.text(), "8 sectors");
  EXPECT_EQ(cover_now(context()), session::Cover{});
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_FALSE(widget("Show the answer"));
  EXPECT_TRUE(widget("answer to class"));
  const lesson::Lesson& hunt = *desk_.find("bug-hunt");
  const uint32_t list = static_cast<uint32_t>(hunt.steps.size()) - 1;
  ASSERT_FALSE(hunt.steps[list].question);
  apply(session::ChooseLesson{hunt.slug, list});
  EXPECT_EQ(question_to_class_height(context(), kept_.lesson), 0);
}

TEST_F(Lessons, AKeyShowsTheAnswerToAnOpenQuestion) {
  show_answer(context());
  go_to_sectors();
  answer("8");
  show_answer(context());
  const lesson::Attempt& answered = attempt();
  go_to(lesson_->slug, step_ + 1);  // What was asked for before is done by then.
  desk_.poll();
  EXPECT_FALSE(answered.gave_up) << "it was answered";
}

TEST_F(Lessons, TheSecondErrorUncoversWhatToLookAt) {
  go_to_sectors();
  answer("5");
  answer("6");
  EXPECT_FALSE(attempt().done());
  EXPECT_EQ(cover_now(context()), session::Cover{});
}

TEST_F(Lessons, EachErrorSaysMore) {
  go_to_sectors();
  const auto page_end = [&] {
    for (int i = 0; i < 2; ++i) show_window();
    return widget("page end") ? widget("page end")->y : 0;
  };
  const float asked = page_end();
  answer("5");
  const float hinted = page_end();
  answer("6");
  EXPECT_GT(hinted, asked + 10);
  EXPECT_GT(page_end(), hinted + 10) << "where to look";
}

TEST_F(Lessons, AnEmphasisLastsUntilTheRunIsAnother) {
  go_to_sectors();
  EXPECT_THAT(emphasised_now(context()), ElementsAre("A", "sectors"));
  apply(session::Move{analysis::Unit::Access, 1});
  apply(session::SetScale{session::Scale::Grid});
  EXPECT_THAT(emphasised_now(context()), ElementsAre("A", "sectors")) << "looking around changes no run";
  apply(session::SetParameter{"BLOCK", 16});
  EXPECT_THAT(emphasised_now(context()), ElementsAre());
  apply(show_command(*desk_.scene(*lesson_, step_)));
  EXPECT_THAT(emphasised_now(context()), ElementsAre("A", "sectors"));
  apply(session::SetCompare{true});
  EXPECT_THAT(emphasised_now(context()), ElementsAre());
}

TEST_F(Lessons, TheWholeWindowKeepsToIt) {
  go_to_first("coalescing", [&](const lesson::Question& question) {
    return lesson::cover_of(*desk_.find("coalescing"), question).accesses;
  });
  const auto stage_words = [&] {
    std::vector<std::string> words;
    for (const view::Shape& shape : kept_.stages[0].picture.shapes)
      if (const auto* label = std::get_if<view::Label>(&shape)) words.push_back(label->text);
    return words;
  };
  show_window();
  EXPECT_THAT(stage_words(), Contains("you have answered."));
  desk_.give_up();
  wait_for([&] { return attempt().done(); });
  show_window();
  EXPECT_THAT(stage_words(), testing::Not(Contains("you have answered."))) << "it is gone in the next frame";
}

TEST_F(Lessons, FindingsAreCoveredInThePanelOfThem) {
  go_to_sectors();
  const auto panel = [](bool covered) {
    return [covered](const Context& given) {
      Context with = given;
      with.cover.findings = covered;
      show_findings(with, 0);
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
  CodeKept code;
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
  for (const Lesson& lesson : desk_.course().lessons)
    for (size_t i = 0; i < lesson.steps.size() && !lesson_; ++i)
      if (is_about_ptx(lesson.steps[i])) go_to(lesson.slug, i);
  ASSERT_TRUE(lesson_) << "no scene is about the PTX";
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, 1);
  go_to_sectors();
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, 2) << "as it was before";
  kept_.codes[0].tab = 0;
  show_window();
  EXPECT_EQ(kept_.codes[0].tab, 0) << "what the student chooses stays";
}

TEST_F(Lessons, ADigitBeginsTheAnswerWhereverTheKeyboardIs) {
  go_to_sectors();
  for (int i = 0; i < 3; ++i) show_window();
  ASSERT_TRUE(takes_digits_now(context(), kept_.lesson));
  for (const unsigned character : {'x', '3', '2'}) {
    ImGui::GetIO().AddInputCharacter(character);
    for (int i = 0; i < 4; ++i) show_window();
    EXPECT_EQ(ImGui::GetIO().WantTextInput, character != 'x');
  }
  EXPECT_EQ(kept_.lesson.typed, "32");
}

TEST_F(Lessons, NothingElseTakesDigits) {
  go_to_sectors();
  apply(session::SetPresent{true});
  EXPECT_FALSE(takes_digits_now(context(), kept_.lesson)) << "a presentation has no field";
  apply(session::SetPresent{false});
  kept_.lesson.gave_keys_back = true;
  EXPECT_FALSE(takes_digits_now(context(), kept_.lesson)) << "until the next step";
  go_to("coalescing", step_ + 1);
  show_window();
  EXPECT_TRUE(takes_digits_now(context(), kept_.lesson));
  answer("12.5");
  EXPECT_FALSE(takes_digits_now(context(), kept_.lesson)) << "the question is answered";
  go_to_first("bug-hunt", [](const lesson::Question& question) { return question.kind == QuestionKind::Click; });
  EXPECT_FALSE(takes_digits_now(context(), kept_.lesson)) << "a click is no digit";
}

TEST_F(Lessons, ALetterOrADigitChooses) {
  const auto is_choice = [](const lesson::Question& question) { return question.kind == QuestionKind::Choice; };
  for (const bool by_letter : {true, false}) {
    go_to_first(by_letter ? "coalescing" : "shared-tiles", is_choice);
    for (int i = 0; i < 3; ++i) show_window();
    const auto solution = lesson::solve({lesson_, step_, &runs_, {}});
    ASSERT_TRUE(solution);
    const size_t right = solution->choices.front();
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>((by_letter ? 'a' : '1') + right));
    show_window();
    wait_for([&] { return !attempt().judging; });
    EXPECT_TRUE(attempt().right);
    EXPECT_EQ(attempt().answer.text(), solution->words);
  }
}

TEST_F(Lessons, WhatIsNoChoiceIsNoAnswer) {
  go_to_first("coalescing", [](const lesson::Question& question) { return question.kind == QuestionKind::Choice; });
  for (const unsigned character : {'0', '9', 'z', '?', 'A'}) {
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
    with.desk = &desk_;
    show_frame(with, kept_);
  };
  click(window, "Show the answer", 0.5f, {4, 4});  // The fixture's own window is not to lie over the lesson.
  wait_for([&] { return attempt().done(); });
  show_window();
  EXPECT_TRUE(widget("question given up"));
  EXPECT_FALSE(widget("Show the answer"));
}

TEST_F(Lessons, WhatIsSaidToAnAnswerIsSeenAtOnce) {
  ImGui::GetIO().DisplaySize = {1280, 720};
  go_to_sectors();
  for (int i = 0; i < 3; ++i) show_window();
  ASSERT_TRUE(widget("more below")) << "the page is longer than its room";
  answer("8");
  for (int i = 0; i < 4; ++i) show_window();
  const view::Box* const said = widget("question right");
  const view::Box* const page = widget("page coalescing " + std::to_string(step_ + 1));
  ASSERT_TRUE(said && page);
  EXPECT_GT(said->y, page->y);
  // In the upper half, or as high as the page's end lets it.
  if (widget("more below")) {
    EXPECT_LT(said->bottom(), page->y + page->height / 2);
  }
  EXPECT_LT(said->bottom(), page->y + page->height);
}

TEST_F(Lessons, AQuestionBelowWhatIsSeenIsPointedAt) {
  ImGui::GetIO().DisplaySize = {1280, 720};
  go_to_sectors();
  for (int i = 0; i < 3; ++i) show_window();
  ASSERT_TRUE(widget("more below"));
  const float before = widget("answer")->y;
  click(
      [&](const Context& given) {
        Context with = given;
        with.desk = &desk_;
        show_frame(with, kept_);
      },
      "more below", 0.5f, {4, 4});  // The fixture's own window is not to lie over the lesson.
  for (int i = 0; i < 3; ++i) show_window();
  EXPECT_LT(widget("answer")->y, before);
  EXPECT_FALSE(widget("more below"));
}

TEST_F(Lessons, AfterAShortTextALongOneShowsItsCurrentLine) {
  const auto current_line = [&] {
    const session::Scene& scene = *workspace_.experiment(0).scene();
    return scene.facts.line_of(scene.timeline->pc(workspace_.cursor(0)));
  };
  go_to("bug-hunt", 6);
  for (int i = 0; i < 90; ++i) show_window();
  ASSERT_LT(workspace_.experiment(0).scene()->report.source.size(), 20u);
  ImGui::GetIO().DeltaTime = 0.1f;  // The text is where it is to be at once.
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
  const session::Scene& scene = *workspace_.experiment(0).scene();
  const std::string line = "line " + std::to_string(scene.facts.line_of(scene.timeline->pc(workspace_.cursor(0))));
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
