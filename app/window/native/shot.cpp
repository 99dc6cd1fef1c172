#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <ranges>
#include <utility>

#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include "base/file.h"
#include "draw/png.h"
#include "draw/svg.h"
#include "measure/measurement_service.h"
#include "session/state_file.h"
#include "ui/frame.h"
#include "ui/picture_view.h"
#include "window/film.h"
#include "window/gl_window.h"
#include "window/languages.h"
#include "window/lessons.h"
#include "window/look.h"
#include "window/offscreen.h"
#include "window/painter.h"
#include "window/surfaceless.h"
#include "window/widget_map.h"
#include "window/window.h"

namespace tilescope::window {
namespace {
using session::Progress;

constexpr std::chrono::seconds kPatience{300};
constexpr int kFewestFrames = 3, kMostFrames = 300;

/// A current context: without a display if EGL can, else of a hidden window.
struct GlContext {
  std::unique_ptr<Surfaceless> surfaceless;
  std::unique_ptr<GlWindow> window;
};

Result<GlContext> open_context(const Options& options) {
  GlContext context;
  if (Result<std::unique_ptr<Surfaceless>> surfaceless = Surfaceless::open()) {
    context.surfaceless = std::move(*surfaceless);
    return context;
  }
  Result<std::unique_ptr<GlWindow>> window = GlWindow::open(options.width, options.height, false);
  if (!window) return window.errors();
  context.window = std::move(*window);
  return context;
}

/// Wakes the thread that waits for the workers.
class Bell {
 public:
  void ring() {
    const std::scoped_lock lock(mutex_);
    rung_ = true;
    changed_.notify_all();
  }
  void wait(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, most, [&] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

bool is_done(const session::Workspace& workspace) {
  for (int i = 0; i < workspace.experiments(); ++i) {
    const Progress progress = workspace.experiment(i).progress();
    if (progress != Progress::Idle && progress != Progress::Failed) return false;
  }
  return true;
}

Result<std::monostate> wait_for_results(session::Workspace& workspace, Bell& bell) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (workspace.poll(), !is_done(workspace)) {
    if (std::chrono::steady_clock::now() > until)
      return error(fmt::format("The run takes more than {} s; choose a smaller --size.", kPatience.count()));
    bell.wait(std::chrono::milliseconds(500));
  }
  return std::monostate{};
}

Result<session::State> state_of(const Shot& shot) {
  session::State state = shot.options.state;
  if (!shot.options.state_file.empty()) {
    Result<session::State> loaded = session::load_state(shot.options.state_file);
    if (!loaded) return loaded;
    state = std::move(*loaded);
  }
  apply_look(shot.options, state);
  return state;
}

Result<std::monostate> write_svg(const Shot& shot, const FrameResult& frame, const session::Workspace& workspace,
                                 Painter& painter) {
  if (shot.svg.empty()) return std::monostate{};
  std::string names;
  for (const ui::NamedPicture& picture : frame.shown) {
    if (picture.name == shot.picture)
      return write_file(shot.svg,
                        draw::to_svg(ui::with_caption(picture.picture, workspace, picture.name, painter.measure()),
                                     painter.palette()));
    names.append(names.empty() ? "" : ", ").append(picture.name);
  }
  return error(fmt::format("There is no picture called {} on screen. There are: {}.", shot.picture,
                           names.empty() ? "none" : names));
}

/// The window's contents; without an agent, because a picture must not depend on a GPU.
struct Subject {
  session::Workspace& workspace;
  lesson::LessonRunner& lessons;
  const Languages& languages;
  measure::MeasurementService& measuring;
  run::WorkCounter& counter;
  const session::LaunchList* launches = nullptr;
  bool answered = false;  ///< As in Shot.
  bool on_paper = false;  ///< As in Shot.
  bool given_up = false;  ///< To answer the open page's question.
  ui::FrameState kept = {};
  ui::Services services() const { return {&workspace, &lessons, &measuring, &counter, launches}; }
};

/// Frames until nothing changes any more; at least kFewestFrames after the last result, since a frame's requests are
/// only done before the next one.
FrameResult settle(Painter& painter, Subject& subject, const Options& options) {
  session::Workspace& workspace = subject.workspace;
  const ui::Services services = subject.services();
  const Surface surface{static_cast<float>(options.width), static_cast<float>(options.height), 1, options.scale};
  FrameResult result;
  int fewest = kFewestFrames;
  for (int i = 0; i < kMostFrames && (i < fewest || result.again); ++i) {
    for (const ui::Command& command : result.commands) ui::apply(command, services);
    if (ui::poll(services)) fewest = i + kFewestFrames;
    painter.set_look(palette_of(workspace.state()), scale_of(workspace.state(), surface));
    painter.prepare();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::GetIO().DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    result = painter.frame(services, &subject.languages.all(), [&](ui::Context shown) {
      shown.on_paper = subject.on_paper;
      ui::show_frame(shown, subject.kept);
    });
  }
  return result;
}

bool looks_closer(const session::Workspace& workspace) {
  for (int i = 0; i < workspace.experiments(); ++i)
    if (workspace.experiment(i).reading() || workspace.clock(i).simulating()) return true;
  return false;
}

/// Marks the lesson's questions before the step as answered right.
std::map<lesson::StepPlace, lesson::Attempt> attempts_before(const lesson::Lesson& lesson, size_t step) {
  std::map<lesson::StepPlace, lesson::Attempt> attempts;
  for (size_t i = 0; i < step; ++i)
    if (lesson.steps[i].question) attempts[{lesson.slug, i}].right = true;
  return attempts;
}

/// Answers the open page's question if the picture is to show that; true while the answer is pending.
bool answer_question(Subject& subject) {
  const lesson::Page* page = subject.lessons.page();
  if (!subject.answered || !page || !page->lesson->steps[page->step].question) return false;
  if (subject.lessons.attempt(*page->lesson, page->step).done()) return false;
  if (!std::exchange(subject.given_up, true)) subject.lessons.give_up();
  return true;
}

/// Takes over results for the picture; true if there were any, or more are pending.
bool take_over(Subject& subject) {
  const bool changed = ui::poll(subject.services()), answers = answer_question(subject);
  const bool page = subject.lessons.find(subject.workspace.state().lesson) && !subject.lessons.page();
  return changed || answers || page || !is_done(subject.workspace) || looks_closer(subject.workspace) ||
         subject.measuring.loading() || subject.counter.busy();
}

/// The frame once all its contents are there; a frame's requests arrive in a later one.
FrameResult last_frame(Painter& painter, Subject& subject, const Options& options, Bell& bell) {
  FrameResult frame = settle(painter, subject, options);
  while (take_over(subject)) {
    bell.wait(std::chrono::milliseconds(100));
    frame = settle(painter, subject, options);
  }
  return frame;
}

/// Step after step until the run ends, as a GIF; or as MP4, by way of a GIF beside it.
Result<std::monostate> film(const Shot& shot, Painter& painter, Subject& subject, Bell& bell) {
  const bool mp4 = shot.output.extension() == ".mp4";
  std::filesystem::path gif = shot.output;
  if (mp4) gif += ".gif";  // No name that a file of the user's has.
  const Result<std::unique_ptr<Film>> opened =
      Film::open(gif, shot.options.width, shot.options.height, kSecondsOfPicture);
  if (!opened) return opened.errors();
  session::Workspace& workspace = subject.workspace;
  for (uint32_t i = 0; i < shot.frames; ++i) {
    if (i > 0) {
      const analysis::StepRef before = workspace.state().cursor;
      workspace.apply(session::Move{workspace.state().unit, 1});
      if (workspace.state().cursor == before) break;
      last_frame(painter, subject, shot.options, bell);
      painter.paint();
    }
    if (const auto added = (*opened)->add(draw::read_framebuffer(shot.options.width, shot.options.height)); !added)
      return added;
  }
  const Result<std::monostate> finished = (*opened)->finish();
  if (!finished || !mp4) return finished;
  const Result<std::monostate> made = make_mp4(gif, shot.output);
  std::error_code ignored;
  std::filesystem::remove(gif, ignored);
  return made;
}

Result<std::monostate> shoot(const Shot& shot, Painter& painter, Subject& subject, Bell& bell) {
  if (const auto chosen = ui::choose_plot(subject.kept.plots, shot.plot); !chosen) return chosen;
  subject.kept.plots.large = shot.large_plot;
  painter.keep_pictures();
  const FrameResult frame = last_frame(painter, subject, shot.options, bell);
  const int width = shot.options.width, height = shot.options.height;
  const Offscreen target(width, height);
  if (!target.complete()) return error(fmt::format("The graphics driver paints no {} x {} pixels.", width, height));
  painter.paint();
  WidgetMap(shot.options.widget_map).write(frame.widgets);
  const Result<std::monostate> svg = write_svg(shot, frame, subject.workspace, painter);
  if (!svg || shot.output.empty()) return svg;
  if (shot.frames > 1) return film(shot, painter, subject, bell);
  return draw::write_png(draw::read_framebuffer(width, height), shot.output);
}

/// An error if the traced block has no such warp, instruction or line.
Result<std::monostate> check_place(const session::Workspace& workspace, const session::Command& command) {
  const auto& traced = workspace.experiment(0).traced();
  if (!traced) return std::monostate{};
  if (const auto* go = std::get_if<session::GoTo>(&command)) {
    const auto [warp, step] = go->moment;
    if (warp >= traced->timeline.warps())
      return error(fmt::format("--warp {}: the block has the warps 0 to {}.", warp, traced->timeline.warps() - 1));
    if (step >= std::max(1U, traced->timeline.steps(warp)))
      return error(fmt::format("--at {}: warp {} issues the instructions 0 to {}.", step, warp,
                               traced->timeline.last(warp).step));
  }
  if (const auto* go = std::get_if<session::GoToLine>(&command)) {
    const int line = run::line_with_instructions(*traced, go->line);
    const auto comes_from = [&](uint32_t pc) { return traced->facts.line_of(pc) == line; };
    const auto pcs = std::views::iota(0U, static_cast<uint32_t>(traced->function().instructions.size()));
    if (std::ranges::none_of(pcs, comes_from))
      return error(fmt::format("--line {}: no instruction of the kernel comes from that line.", go->line));
  }
  return std::monostate{};
}

Result<std::monostate> try_shot(const Shot& shot) {
  const Result<GlContext> context = open_context(shot.options);
  if (!context) return context.errors();
  const Result<std::unique_ptr<Painter>> painter = Painter::create({});
  if (!painter) return painter.errors();
  Bell bell;
  compile::Compiler compiler;
  run::RunCache runs(compiler, run::window_limits());
  session::Workspace workspace(runs, [&] { bell.ring(); });
  const Result<session::State> state = state_of(shot);
  if (!state) return state.errors();
  const Languages languages(data_folder() / "assets" / "words");
  languages.set_language(state->language);
  lesson::LessonRunner lessons(load_course(workspace.catalogue(), state->language), runs, 0, [&] { bell.ring(); });
  add_kernels(lessons.course(), workspace);
  if (shot.options.own) workspace.add(*shot.options.own);
  languages.need_characters(state->language, (*painter)->fonts());
  need_characters(lessons.course(), (*painter)->fonts());
  show_state(workspace, lessons, *state);
  const lesson::Lesson* lesson = lessons.find(workspace.state().lesson);
  if (shot.answered && lesson) lessons.restore(attempts_before(*lesson, workspace.state().lesson_step));
  if (const auto waited = wait_for_results(workspace, bell); !waited) return waited;
  for (const session::Command& command : shot.commands) {
    if (const auto place = check_place(workspace, command); !place) return place;
    workspace.apply(command);
  }
  if (const auto waited = wait_for_results(workspace, bell); !waited) return waited;
  measure::MeasurementService measuring(measure::default_figure_files(), [&] { bell.ring(); });
  run::WorkCounter counter(runs, [&] { bell.ring(); });
  Subject subject{workspace,     lessons,      languages,
                  measuring,     counter,      shot.options.launches ? &*shot.options.launches : nullptr,
                  shot.answered, shot.on_paper};
  const Result<std::monostate> taken = shoot(shot, **painter, subject, bell);
  if (!measuring.problems().empty()) std::fprintf(stderr, "%s\n", to_string(measuring.problems()).c_str());
  return taken;
}

}  // namespace

int take_shot(const Shot& shot) {
  const Result<std::monostate> taken = try_shot(shot);
  return taken ? 0 : fail(taken.errors());
}

}  // namespace tilescope::window
