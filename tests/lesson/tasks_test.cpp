// A task is done by changing the step's kernel, and by nothing else.

#include <gtest/gtest.h>

#include "built_compiler.h"
#include "lesson/answer.h"
#include "lesson/course.h"
#include "shipped_kernels.h"

namespace tilescope::lesson {
namespace {

class Tasks : public testing::Test {
 protected:
  /// Calls `visit` with the context of each task and the run with which its step opens.
  template <class Visit>
  void for_each_task(Visit visit) {
    for (const Lesson& lesson : course_.lessons)
      for (size_t step = 0; step < lesson.steps.size(); ++step) {
        const auto& question = lesson.steps[step].question;
        if (!question || question->kind != QuestionKind::Task) continue;
        SCOPED_TRACE(lesson.slug + " " + std::to_string(step + 1));
        const AnswerContext context{&lesson, step, &runs_, sample_parameters(*question, 0)};
        visit(context, *question, with_parameters(*scene_of(lesson, step), context.sampled));
        ++tried_;
      }
  }

  const Course course_ = load_course(TILESCOPE_SOURCE_DIR "/lessons", shipped_kernels());
  run::RunCache cache_{built_compiler()};
  Runs runs_{cache_};
  size_t tried_ = 0;
};

TEST_F(Tasks, NoneIsDoneBeforeAnythingWasChanged) {
  for_each_task([](const AnswerContext& context, const Question&, const Scene& start) {
    const Result<Verdict> verdict = judge(context, start);
    EXPECT_FALSE(verdict && verdict->right);
  });
  EXPECT_GE(tried_, 30U);
}

TEST_F(Tasks, NoneIsDoneByAnotherKernel) {
  for_each_task([](const AnswerContext& context, const Question&, Scene scene) {
    const std::string own = scene.kernel->name;
    for (const kernel::Kernel& other : shipped_kernels().kernels) {
      if (other.name == own) continue;
      scene.kernel = std::make_shared<const kernel::Kernel>(other);
      const Result<Verdict> verdict = judge(context, scene);
      ASSERT_FALSE(verdict) << other.name;
      EXPECT_EQ(to_string(verdict.errors()),
                "error: The stage shows another kernel than this task is about. Go back to the step's run.");
    }
  });
}

TEST_F(Tasks, EachIsDoneByItsSolution) {
  if (const auto toolchain = built_compiler().toolchain(); !toolchain) GTEST_SKIP() << "A changed text has to be compiled.";
  for_each_task([](const AnswerContext& context, const Question& question, Scene scene) {
    if (question.edits_source) {
      kernel::Kernel edited = *scene.kernel;
      edited.source = question.solution_source->source;
      scene.kernel = std::make_shared<const kernel::Kernel>(std::move(edited));
    }
    for (const auto& [name, value] : question.solution) scene.settings[name] = value;
    const Result<Verdict> verdict = judge(context, scene);
    ASSERT_TRUE(verdict) << to_string(verdict.errors());
    EXPECT_TRUE(verdict->right) << verdict->failing.text();
  });
}

}  // namespace
}  // namespace tilescope::lesson
