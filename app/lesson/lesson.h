#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "lesson/text.h"
#include "session/state.h"

/// Lessons as data: the contents of lessons/NN-slug/lesson.md. docs/teaching.md documents the file format.
namespace tilescope::lesson {

/// An expression of a lesson and its place; expression.h reads it.
struct Formula {
  std::string text;
  Location at;
  bool empty() const { return text.empty(); }
};

/// How much of the launch the stage shows.
enum class View : uint8_t { Grid, Block, Warp, Thread };
std::string_view to_string(View view);  ///< "grid", "block", "warp", "thread"

/// A moment of the run: the `occurrence`th access, from 1, of `warp` on the line `anchor` to `array`.
struct Cursor {
  std::string anchor;  ///< "load A"; empty: the start of the block.
  int occurrence = 1;
  int warp = 0;
  int lane = 0;
  std::string array = {};  ///< Empty: the one that the line accesses first.
  Location at;
};

/// A run and how it is shown.
struct Scene {
  std::string name;  ///< Expressions call the run by it; may be empty.
  std::shared_ptr<const kernel::Kernel> kernel;
  kernel::Settings settings;
  kernel::Size size{64, 64, 64};
  std::string arch = "sm_90";
  std::optional<uint64_t> seed;       ///< Of the inputs; nullopt: the usual one.
  uint32_t block_x = 0, block_y = 0;  ///< The block that is traced and shown.
  bool check = false;                 ///< Run under all four checkers.
  View view = View::Block;
  Cursor cursor;
  session::WarpOrder order = session::WarpOrder::InStep;  ///< Where the cursor's warp is among the others.
  std::vector<std::string>
      emphasise;                    ///< "A", "sectors", "banks", "registers", "ptx", "occupancy", ...: panels, arrays
  std::vector<std::string> panels;  ///< Shown beside the lesson: "stage", "code", "timeline", ...; empty: all.
  bool clock = false;               ///< The timeline shows the SM clock by clock.
  uint32_t resident = 0;            ///< Blocks that the SM holds at a time there; 0: as many as fit.
  Location at;
};

/// The picture that explains an answer, on show from then on: the step's scene, or another one, in another place.
struct Reveal {
  std::string scene;  ///< A scene's name; empty: the step's own.
  std::optional<View> view;
  std::optional<Cursor> cursor;
  std::optional<session::WarpOrder> order;
  std::optional<std::pair<uint32_t, uint32_t>> block;
  std::vector<std::string> emphasise, panels;  ///< Empty: the scene's.
  bool clock = false;
  uint32_t resident = 0;
  Location at;
};

enum class QuestionKind : uint8_t {
  Number,  ///< `answer` is the number.
  Choice,  ///< Any choice whose condition holds is right.
  Click,   ///< A cell, lane or line for which `answer` holds.
  Task,    ///< Change settings or source until `answer` holds of the new run.
};
std::string_view to_string(QuestionKind kind);  ///< "number", "choice", "click", "task"

enum class ClickTarget : uint8_t { Cell, Lane, Line };
std::string_view to_string(ClickTarget target);  ///< "cell", "lane", "line"

struct Choice {
  Spans text;
  Formula when;
  Text hint = {};  ///< After this choice, if it is wrong; empty: the question's.
};
/// A choice's letter: 'a' for the first.
constexpr char choice_letter(size_t index) { return static_cast<char>('a' + index); }

/// A name that is drawn from a list. M, N, K and the parameters of the scene's kernel change the scene; every name can
/// be used in expressions.
struct RandomParameter {
  std::string name;
  std::vector<int64_t> values;
};

/// A question before the step shows more.
struct Question {
  QuestionKind kind = QuestionKind::Number;
  ClickTarget target = ClickTarget::Cell;
  Text prompt;
  std::vector<Choice> choices;
  Formula answer;
  std::optional<double> tolerance;  ///< Largest |given - answer|; absent: see grade_number().
  std::string unit;                 ///< "sectors"
  Text hint;                        ///< After the first wrong answer.
  Text look;                        ///< After the second: what to look at in the picture.
  std::optional<Reveal> reveal;
  std::string unmoved;  ///< Why the picture stays as it is when the answer is shown; empty: it changes.
  /// A task's solution, one way to do it, which the check runs. Not shown.
  bool edits_source = false;
  kernel::Settings solution;
  std::shared_ptr<const kernel::Kernel> solution_source;  ///< If it edits the source.
  std::vector<RandomParameter> random;
  Location at;
};

/// One step: text, a picture, a question, and text after its answer.
struct Step {
  std::string title;
  Text text;  ///< Before the question.
  std::optional<Scene> scene;
  std::vector<Scene> others;  ///< Named runs beside the scene, to compare with.
  std::optional<Question> question;
  Text after;  ///< Shown after the answer, or after giving up; empty without a question.
  Location at;
};

/// A requirement of `tilescope grade`.
struct Requirement {
  std::string name;  ///< "reads each tile once"
  Formula holds;     ///< Over the run of the student's kernel.
  /// In place of `holds`, whole numbers by array: the result is right, too, with these added to the inputs.
  kernel::Settings added;
  std::string message;
};
struct GradeRules {
  std::shared_ptr<const kernel::Kernel> like;  ///< Its description is used.
  std::vector<kernel::Size> sizes;             ///< Marked at each of them, and at one more; see drawn_size().
  kernel::Settings settings;
  std::string task;      ///< One sentence.
  bool atomics = false;  ///< Atomic instructions on what the kernel computes are allowed.
  std::vector<Requirement> requirements;
  Location at;
};

struct Lesson {
  int number = 0;    ///< 3
  std::string slug;  ///< "shared-tiles"
  std::string title;
  std::string summary;
  std::string language;  ///< "en", "zh", ...: of the text that was loaded.
  int minutes = 0;       ///< In a lecture.
  std::vector<Step> steps;
  std::optional<GradeRules> grade;
  std::filesystem::path file;
};

/// The scene in view at a step: its own, else that of the nearest earlier step. Null if there is none.
const Scene* scene_of(const Lesson& lesson, size_t step);
/// The scene on show once the step's question is answered; nullopt: the step's own stays.
std::optional<Scene> revealed_scene(const Lesson& lesson, size_t step);
/// The scene with its sampled values: see sample_parameters().
Scene with_parameters(Scene scene, const std::map<std::string, int64_t>& sampled);
/// A value for each random parameter, the same for one seed; seed 0 draws the first of each list.
std::map<std::string, int64_t> sample_parameters(const Question& question, uint64_t seed);
/// Puts the choices of each question in an order that depends on the seed, the lesson and the step: the same in every
/// language. Their order in the file reveals nothing.
void shuffle_choices(Lesson& lesson, uint64_t seed);
/// Every scene that the lesson can run: those of its steps, with each value that can be sampled and with the questions'
/// solutions, and launches of its rules for marking. Some may occur twice.
std::vector<Scene> all_scenes(const Lesson& lesson);
/// The named scene of any step, or null.
const Scene* find_scene(const Lesson& lesson, std::string_view name);

}  // namespace tilescope::lesson
