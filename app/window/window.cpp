#include "window/window.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <ranges>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "base/async.h"
#include "base/file.h"
#include "base/process.h"
#include "base/words.h"
#include "draw/gl.h"
#include "draw/svg.h"
#include "kernel/open_file.h"
#include "lesson/link.h"
#include "lesson/tour.h"
#include "measure/measurement_service.h"
#include "session/state_file.h"
#include "ui/frame.h"
#include "ui/lesson_panel.h"
#include "ui/overlays.h"
#include "ui/picture_view.h"
#include "window/answer_keeper.h"
#include "window/event_source.h"
#include "window/film.h"
#include "window/gl_window.h"
#include "window/languages.h"
#include "window/lessons.h"
#include "window/look.h"
#include "window/output_files.h"
#include "window/painter.h"
#include "window/shortcuts.h"
#include "window/state_keeper.h"
#include "window/system.h"
#include "window/widget_map.h"

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Frames after the last event: ImGui lays popups out in their second frame and shows them in the third.
constexpr int kFramesAfterEvent = 3;
constexpr double kIdleSeconds = 1;
constexpr double kLongestHold = 2;
// Between updates while playing. The display paces the frames; a wait after each one would halve its rate.
constexpr double kPlayingSeconds = 1.0 / 120;
constexpr int kMostBadFrames = 30;
constexpr double kSecondsBetweenReopens = 10;
constexpr float kScaleOfFiles = 2;  // Of pictures saved as files, for print.

void wake() { glfwPostEmptyEvent(); }

fs::path settings_file() {
  const fs::path folder = state_folder();
  std::error_code problem;
  if (folder.empty() || (fs::create_directories(folder, problem), problem)) return {};
  return folder / "imgui.ini";
}

Result<std::unique_ptr<Painter>> create_painter() { return Painter::create(settings_file(), wake); }

/// A chosen language until its course and its characters are loaded.
struct NextLanguage {
  std::string language;
  Async<lesson::Course> loading;
  std::optional<lesson::Course> course;
};

/// A file being written on another thread: a PNG of the whole window takes longer than a frame.
struct Save {
  std::string name;
  const char* extension = "";
  std::function<Result<std::monostate>(const fs::path&)> write;
};
struct Saved {
  fs::path file;
  Result<std::monostate> written;
};

std::function<Result<std::monostate>(const fs::path&)> as_png(draw::Image image) {
  return [image = std::move(image)](const fs::path& file) { return draw::write_png(image, file); };
}

std::function<Result<std::monostate>(const fs::path&)> as_text(std::string text) {
  return [text = std::move(text)](const fs::path& file) { return write_file(file, text); };
}

/// What is shown becomes a picture whenever it changes.
struct Recording {
  std::unique_ptr<Film> film;
  fs::path file;
  std::string last;  ///< A link to what the last picture shows.
};

struct OpenTour {
  fs::path file;  ///< Where it is kept once something is added.
  lesson::Tour tour;
  size_t at = 0;
};

Result<lesson::Tour> read_tour(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.errors();
  return lesson::parse_tour(*text, path);
}

/// A state in the window as it looks in another.
session::State with_look_of(session::State stop, const session::State& now) {
  stop.theme = now.theme;
  stop.language = now.language;
  stop.ui_scale = now.ui_scale;
  stop.present = now.present;
  stop.speed = now.speed;
  stop.compiler = now.compiler;
  stop.room = now.room;
  stop.still = now.still;
  return stop;
}

/// The open window: one frame after another as long as something changes.
class App {
 public:
  App(const Options& options, std::unique_ptr<GlWindow> window, std::unique_ptr<Painter> painter)
      : options_(options),
        window_(std::move(window)),
        painter_(std::move(painter)),
        events_(std::in_place, window_->handle()),
        keeper_(state_folder()),
        answers_(answers_file()),
        map_(options.widget_map),
        workspace_(runs_, wake),
        measuring_(measure::default_figure_files(), wake),
        counter_(runs_, wake) {}

  void start();
  /// Waits for what may happen and shows it; false once the window is closed.
  bool turn();
  /// The process's exit status.
  int status() const { return status_; }

 private:
  void finish();
  session::State first_state(const std::optional<lesson::Course>& course);
  void wait();
  bool disturbs() const { return measuring_.sampling() && window_->is_on_nvidia(); }
  /// The next frame waits: it answers nobody, and would disturb samples that are being taken. Never for long, or the
  /// window seems dead.
  bool holds() const { return disturbs() && user_frames_ == 0 && now() - drawn_ < kLongestHold; }
  void update();
  /// Takes over what is done; true if there was anything.
  bool poll();
  void tidy_at_rest(double time);
  ui::Services services() {
    return {&workspace_,
            lessons_ ? &*lessons_ : nullptr,
            &measuring_,
            &counter_,
            launches_ ? &*launches_ : nullptr,
            [this](const ui::FileCommand& command) { apply(command); },
            [this] { overlays_.toggle_help(); }};
  }
  void apply(const ui::FileCommand& command);
  bool take(const InputEvent& event, const KeyClaims& claims);
  void take_keys(const std::vector<InputEvent>& events);
  void act(Action action);
  void navigate_menus(bool menu);
  bool take_door_key(const InputEvent& event);
  bool take_focus_key(const InputEvent& event);
  void frame();
  void set_look();
  void set_language();
  void need_characters(const std::string& language, const lesson::Course& course);
  void build_frame();
  void finish_frame();
  bool is_broken();
  bool reopen();
  void save_picture(const ui::SavePicture& command);
  void save_screen();
  draw::Image screen() const;
  /// Of the shown kernel, without its folder: files are called after it.
  std::string shown_name() const { return workspace_.experiment(0).kernel().file.stem().string(); }
  void switch_film();
  void film_screen();
  void end_film();
  void film_ended(const std::string& why);
  void film_failed(const Diagnostics& problems);
  void save_answers();
  void open_again(const session::State& last);
  void add_own(kernel::Opened own, session::State& state);
  bool write_files();
  void save_state_copy();
  void copy(const std::string& text);
  void open_state(const std::string& path);
  void open_dropped(const std::string& path);
  void open_kernel(const fs::path& path, const std::string& entry = "");
  void open_launch(size_t index);
  void save_description(bool replaces);
  void turn_page(int way);
  void return_to_place();
  void show_stop();
  void open_tour(const fs::path& file, Result<lesson::Tour> tour);
  void add_to_tour(const std::string& text);
  void say(const Result<std::monostate>& written, const fs::path& file);
  void refuse(const fs::path& file, const Diagnostics& problems);
  double now() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  const Options options_;
  const std::unique_ptr<GlWindow> window_;
  std::unique_ptr<Painter> painter_;
  std::optional<EventSource> events_;
  StateKeeper keeper_;
  AnswerKeeper answers_;
  WidgetMap map_;
  compile::Compiler compiler_;
  run::RunCache runs_{compiler_, run::window_limits()};
  session::Workspace workspace_;
  Languages languages_{data_folder() / "assets" / "words"};
  std::optional<lesson::LessonRunner> lessons_;
  std::optional<session::LaunchList> launches_ = options_.launches;
  measure::MeasurementService measuring_;
  run::WorkCounter counter_;
  ui::FrameState kept_;
  ui::Overlays overlays_;
  FrameResult result_;
  Clock::time_point began_ = Clock::now();
  double last_update_ = 0, last_watch_ = 0, drawn_ = 0, framed_ = 0, reopened_ = -kSecondsBetweenReopens;
  int frames_left_ = kFramesAfterEvent, user_frames_ = 0, bad_frames_ = 0, status_ = 0;
  bool wants_screen_ = false, tidied_ = false;
  std::string said_, language_;
  std::optional<OpenTour> tour_;
  TakenKey taken_key_;
  TypedNumber typed_;
  std::optional<Recording> recording_;
  bool film_ended_ = false;  ///< By itself.
  bool said_ffmpeg_ = false;
  fs::path saved_state_;  ///< The last one that was saved here.
  std::optional<NextLanguage> next_;
  std::deque<Save> saves_;
  Async<Saved> saving_;
};

/// A run that was asked for, in the window as it was last time: its look, what was edited, and the lesson put aside.
session::State with_run_of(const session::State& asked, session::State last) {
  last.inputs = asked.inputs;
  if (const auto own = last.edited.find(asked.inputs.kernel); own != last.edited.end() && !last.inputs.source)
    last.inputs.source = own->second.text;
  last.compared.reset();
  last.arch = asked.arch;
  last.cursor = asked.cursor;
  last.lane = asked.lane;
  last.scale = asked.scale;
  last.order = asked.order;
  last.zoom = 1;
  last.pan_x = last.pan_y = 0;
  last.breakpoints.clear();
  last.present = false;
  last.exploring = asked.lesson.empty();
  if (last.exploring) return last;
  last.lesson = asked.lesson;
  last.lesson_step = asked.lesson_step;
  return last;
}

/// `course`: in any language; for a link.
session::State App::first_state(const std::optional<lesson::Course>& course) {
  session::State state = keeper_.start(session::State());
  const bool has_link = !options_.link.empty() && !lesson::is_tour_link(options_.link);
  if (options_.use_state && !has_link) return with_run_of(options_.state, std::move(state));
  kept_.doors.open = keeper_.is_first() && options_.state_file.empty() && !has_link;
  if (!has_link && (options_.state_file.empty() || lesson::is_tour_file(options_.state_file.string()))) return state;
  Result<session::State> loaded = has_link ? lesson::state_of_link(options_.link, *course, workspace_.catalogue())
                                           : session::load_state(options_.state_file);
  if (!loaded) {
    overlays_.warn(text_of(loaded.errors().front()));
    return state;
  }
  loaded->edited.merge(state.edited);
  loaded->forms.merge(state.forms);
  loaded->opened = std::move(state.opened);
  if (loaded->language.empty()) loaded->language = state.language;
  return *loaded;
}

void App::start() {
  const std::string own_language = environment_language();
  std::optional<lesson::Course> course;
  if (!options_.link.empty()) course = load_course(workspace_.catalogue(), own_language);
  std::error_code none;
  if (const fs::path folder = state_folder(); !folder.empty())
    workspace_.keep_copies_in(folder / "edited", fs::last_write_time(keeper_.file(), none));
  session::State state = first_state(course);
  apply_look(options_, state);
  if (state.language.empty()) state.language = own_language;
  language_ = state.language;
  if (!course || language_ != own_language) course = load_course(workspace_.catalogue(), language_);
  languages_.set_language(language_);
  lessons_.emplace(std::move(*course), runs_, 0, wake);
  lessons_->restore(answers_.start());
  if (!answers_.notice().empty()) overlays_.warn(answers_.notice());
  add_kernels(lessons_->course(), workspace_);
  open_again(state);
  if (options_.own) add_own(*options_.own, state);
  need_characters(language_, lessons_->course());
  show_state(workspace_, *lessons_, std::move(state));
  if (lesson::is_tour_file(options_.state_file.string()))
    open_tour(options_.state_file, read_tour(options_.state_file.string()));
  if (lesson::is_tour_link(options_.link)) open_tour(new_file("tour", "tour"), lesson::tour_of_link(options_.link));
  if (starts_programs()) measuring_.connect({}, runs_);
}

/// The user's files of last time that are still there, the last one first.
void App::open_again(const session::State& last) {
  if (!starts_programs()) return;
  for (const std::string& file : std::views::reverse(last.opened)) {
    const auto form = last.forms.find(file);
    const std::string entry = form == last.forms.end() ? "" : form->second.entry;
    Result<kernel::Opened> opened = kernel::open_file(file, {entry, options_.include_folders});
    if (!opened) opened = kernel::open_file(file, {"", options_.include_folders});
    if (!opened) continue;
    kernel::take_form(*opened, last.forms);
    workspace_.add(std::move(*opened));
  }
}

/// The file that was asked for, with the form of last time unless a program's launch filled it in.
void App::add_own(kernel::Opened own, session::State& state) {
  const kernel::Size proposed = kernel::default_size(own.kernel.description);
  if (!launches_) kernel::take_form(own, state.forms);
  if (state.inputs.size == proposed) state.inputs.size = kernel::default_size(own.kernel.description);
  workspace_.add(std::move(own));
}

bool App::turn() {
  if (glfwWindowShouldClose(window_->handle()) || end_was_asked()) {
    finish();
    return false;
  }
  wait();
  update();
  if (frames_left_ == 0 || holds()) return true;
  drawn_ = now();
  if (disturbs()) measuring_.note_frame();
  user_frames_ = std::max(0, user_frames_ - 1);
  frame();
  // In a browser, what the frame asked for begins at a poll.
  if (poll()) frames_left_ = kFramesAfterEvent;
  if (!is_broken()) return true;
  keeper_.save(workspace_.state());
  if (reopen()) return true;
  std::fprintf(stderr, "error: The graphics driver stopped working. What was on screen is saved; start again.\n");
  status_ = 2;
  return false;
}

void App::finish() {
  for (const ui::CodeState& code : kept_.codes)
    if (const auto keep = ui::text_to_keep(code.editor)) workspace_.apply(*keep);
  workspace_.watch_files();  // For what was saved in this second.
  keeper_.finish(workspace_.state());
  answers_.finish(lessons_->attempts());
  if (recording_) end_film();
  saving_ = {};  // Waits for the file that is being written.
  for (const Save& save : saves_)
    if (const auto written = save.write(new_file(save.name, save.extension)); !written) fail(written.errors());
}

/// Recovers a lost context; all but the painting is kept. Gives up if the driver fails again at once.
bool App::reopen() {
  if (now() - reopened_ < kSecondsBetweenReopens) return false;
  reopened_ = now();
  bad_frames_ = 0;
  events_.reset();
  painter_.reset();
  if (!window_->reopen()) return false;
  Result<std::unique_ptr<Painter>> painter = create_painter();
  if (!painter) return false;
  painter_ = std::move(*painter);
  need_characters(language_, lessons_->course());
  events_.emplace(window_->handle());
  overlays_.say(tr("The graphics driver had stopped; the window was opened anew."));
  return true;
}

void App::wait() {
  if (holds()) return glfwWaitEventsTimeout(kPlayingSeconds);
  if (frames_left_ > 0 || events_->has_events()) return glfwPollEvents();
  if (!workspace_.playing() && !measuring_.busy()) return glfwWaitEventsTimeout(kIdleSeconds);
  const double due = last_update_ + kPlayingSeconds - now();
  return due > 0 ? glfwWaitEventsTimeout(due) : glfwPollEvents();
}

bool App::poll() { return is_loaded() && ui::poll(services()); }

void App::update() {
  const double time = now();
  bool changed = events_->take_changed() || events_->has_events();
  if (changed) user_frames_ = kFramesAfterEvent;
  changed |= poll();
  changed |= painter_->fonts().made();
  changed |= next_ && next_->loading.is_made();
  changed |= write_files();
  // ImGui needs no further frames for this: it opens no popup.
  if (workspace_.advance(time - last_update_)) frames_left_ = std::max(frames_left_, 1);
  last_update_ = time;
  if (time - last_watch_ >= kIdleSeconds) {
    last_watch_ = time;
    changed |= workspace_.watch_files();
  }
  keeper_.note(workspace_.state(), time);
  if (changed) answers_.note(lessons_->attempts());
  if (keeper_.notice() != said_) {
    overlays_.warn(said_ = keeper_.notice());
    changed = true;
  }
  // While a film is made no sentence is shown.
  if (!recording_) changed |= overlays_.let_pass(time, workspace_.state().inputs.kernel);
  if (changed) frames_left_ = kFramesAfterEvent;
  tidy_at_rest(time);
}

/// Once, a second after the last frame.
void App::tidy_at_rest(double time) {
  if (frames_left_ > 0) {
    framed_ = time;
    tidied_ = false;
  } else if (!tidied_ && time - framed_ >= kIdleSeconds) {
    give_memory_back();
    tidied_ = true;
  }
}

void App::act(Action action) {
  switch (action) {
    case Action::None: return;
    case Action::Screenshot: wants_screen_ = true; return;
    case Action::Film: return switch_film();
    case Action::Find: kept_.doors.open = false; return ui::switch_finder(kept_.finder);
    case Action::SaveState: return save_state_copy();
    case Action::OpenState: return overlays_.ask(ui::Asked::Path, saved_state_.string());
    case Action::AddToTour: return overlays_.ask(ui::Asked::TourText, "");
    case Action::TurnOn: return turn_page(1);
    case Action::TurnBack: return turn_page(-1);
    case Action::Return: return return_to_place();
    case Action::Pen: kept_.pen.draws = !kept_.pen.draws; return;
    case Action::Light: kept_.pen.light = !kept_.pen.light; return;
    case Action::CopyCommand: return copy(fmt::format("tilescope window '{}'", link_to(workspace_, *lessons_)));
    case Action::LargePlots: kept_.plots.large = !kept_.plots.large; return;
    case Action::NextFinding: kept_.wants_next_finding = true; return;
    case Action::ToSliders: kept_.parameters[static_cast<size_t>(workspace_.chosen())].wants_keyboard = true; return;
    case Action::SwitchLesson:
      for (const ui::Command& command : ui::lesson_switch(workspace_, &*lessons_)) ui::apply(command, services());
      return;
    case Action::Help: return overlays_.toggle_help();
    case Action::CopyLink: return copy(tour_ ? link_to(tour_->tour) : link_to(workspace_, *lessons_));
  }
}

/// A clicker's key: the tour's next stop, the lesson's next page in a presentation, else a step.
void App::turn_page(int way) {
  if (tour_) {
    const size_t last = tour_->tour.stops.size() - 1;
    if (way > 0 ? tour_->at == last : tour_->at == 0) return;
    tour_->at += way > 0 ? 1 : -1;
    return show_stop();
  }
  const session::State& state = workspace_.state();
  if (!state.present || !state.in_lesson())
    return ui::apply(ui::Command(session::Command(session::Move{state.unit, way})), services());
  for (const ui::Command& command : ui::turn_page(workspace_, &*lessons_, way)) ui::apply(command, services());
}

/// At a tour's stop or in a presentation; a student's answer that waits is checked.
void App::return_to_place() {
  if (tour_) return show_stop();
  if (!workspace_.state().present) {
    kept_.lesson.wants_check = true;
    return;
  }
  for (const ui::Command& command : ui::scene_again(workspace_, &*lessons_)) ui::apply(command, services());
}

void App::show_stop() {
  const lesson::TourStop& stop = tour_->tour.stops[tour_->at];
  kept_.caption = tr_format("{} of {}", tour_->at + 1, tour_->tour.stops.size()) + "   " + stop.text;
  painter_->fonts().need(kept_.caption);
  Result<session::State> state = lesson::state_of_link(stop.link, lessons_->course(), workspace_.catalogue());
  if (!state) return overlays_.warn(text_of(state.errors().front()));
  if (const std::string& kernel = state->inputs.kernel; !kernel.empty() && !workspace_.knows(kernel))
    overlays_.warn(
        tr_format("This stop shows {}, which is not here. Open its file, then come back to the stop.", kernel));
  session::State shown = with_look_of(std::move(*state), workspace_.state());
  if (shown.lesson.empty()) {
    shown.lesson = workspace_.state().lesson;
    shown.lesson_step = workspace_.state().lesson_step;
    shown.exploring = true;
  }
  show_state(workspace_, *lessons_, std::move(shown));
}

void App::open_tour(const fs::path& file, Result<lesson::Tour> tour) {
  if (!tour) return refuse(file, tour.errors());
  kept_.doors.open = false;
  tour_ = {file, std::move(*tour), 0};
  show_stop();
}

/// After the open tour's stop, or as the first of a new file.
void App::add_to_tour(const std::string& text) {
  if (!tour_) tour_ = OpenTour{new_file("tour", "tour"), {}, 0};
  auto& stops = tour_->tour.stops;
  if (!stops.empty()) ++tour_->at;
  stops.insert(stops.begin() + static_cast<std::ptrdiff_t>(tour_->at), {text, link_to(workspace_, *lessons_)});
  say(write_file(tour_->file, to_toml(tour_->tour)), tour_->file);
  kept_.caption = tr_format("{} of {}", tour_->at + 1, stops.size()) + "   " + text;
}

/// While a menu is open, arrows, Enter and Space choose in it; at other times they are shortcuts.
void App::navigate_menus(bool menu) {
  ImGuiIO& io = ImGui::GetIO();
  if (menu)
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  else
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  // ImGui 1.86 has Enter for text fields only.
  if (menu && !io.WantTextInput && ImGui::IsKeyDown(GLFW_KEY_ENTER)) io.NavInputs[ImGuiNavInput_Activate] = 1;
}

/// On the first screen: numbers, arrows and Enter. Escape takes the first door.
bool App::take_door_key(const InputEvent& event) {
  ui::DoorsState& doors = kept_.doors;
  if (event.kind != InputEvent::Kind::Key || event.action != GLFW_PRESS) return event.kind != InputEvent::Kind::Button;
  const bool on = event.key == GLFW_KEY_RIGHT || event.key == GLFW_KEY_DOWN || event.key == GLFW_KEY_TAB;
  const bool back = event.key == GLFW_KEY_LEFT || event.key == GLFW_KEY_UP;
  if (on || back) doors.chosen = (doors.chosen + (on ? 1 : ui::door_count() - 1)) % ui::door_count();
  int door = -1;
  if (event.key >= GLFW_KEY_1 && event.key < GLFW_KEY_1 + ui::door_count()) door = event.key - GLFW_KEY_1;
  if (event.key == GLFW_KEY_ENTER || event.key == GLFW_KEY_KP_ENTER || event.key == GLFW_KEY_SPACE) door = doors.chosen;
  if (event.key == GLFW_KEY_ESCAPE) door = 0;
  if (door < 0) return !(event.mods & GLFW_MOD_CONTROL) && (event.key < GLFW_KEY_F1 || event.key > GLFW_KEY_F12);
  doors.open = false;
  for (const ui::Command& command : ui::commands_of_door(door)) ui::apply(command, services());
  return true;
}

/// Tab moves the keyboard's focus, Enter and Space press what is in it.
bool App::take_focus_key(const InputEvent& event) {
  if (event.kind != InputEvent::Kind::Key || event.action == GLFW_RELEASE) return false;
  if (event.mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) return false;
  if (event.key == GLFW_KEY_TAB) {
    kept_.keyboard.move(event.mods & GLFW_MOD_SHIFT ? -1 : 1);
    return true;
  }
  const bool presses = event.key == GLFW_KEY_ENTER || event.key == GLFW_KEY_KP_ENTER || event.key == GLFW_KEY_SPACE;
  const bool pressed = presses && event.action == GLFW_PRESS && kept_.keyboard.press();
  if (pressed) events_->hold();  // It may be a field.
  return pressed;
}

/// Whether the window takes the key or the character, rather than a widget or a question.
bool App::take(const InputEvent& event, const KeyClaims& claims) {
  const bool escape = event.kind == InputEvent::Kind::Key && event.key == GLFW_KEY_ESCAPE && event.action == GLFW_PRESS;
  if (escape && claims.menu) {
    ImGui::ClosePopupToLevel(0, true);
    return true;
  }
  if (escape && (ui::close_finder(kept_.finder) || kept_.pen.clear() || overlays_.close())) return true;
  if (kept_.doors.open && !overlays_.asks() && take_door_key(event)) return true;
  if (belongs_to_widget(event, claims)) return false;
  if (take_focus_key(event) || (escape && kept_.keyboard.clear())) return true;
  if (is_digit(event) && ui::takes_digits_now(workspace_, &*lessons_, kept_.lesson)) return false;
  if (ui::takes_letter_now(workspace_, &*lessons_, kept_.lesson, letter_of(event))) return false;
  typed_.note(event, glfwGetTime());
  const KeyAction wish = wish_of(event, workspace_, typed_);
  if (escape && !wish.command && tour_) {
    tour_.reset();
    kept_.caption.clear();
  }
  act(wish.action);
  if (wish.command) ui::apply(*wish.command, services());
  return wish.command || wish.action != Action::None;
}

void App::take_keys(const std::vector<InputEvent>& events) {
  const bool menu = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  const auto has_field = [&] { return kept_.finder.open || overlays_.asks(); };
  const bool had_field = has_field();
  const KeyClaims claims{ImGui::GetIO().WantTextInput || had_field, ui::takes_arrows_now(kept_), menu,
                         ui::edits_now(kept_)};
  navigate_menus(menu);
  for (const InputEvent& event : events) {
    if (event.kind == InputEvent::Kind::Character) painter_->fonts().need(event.character);
    if (taken_key_.drops(event)) continue;
    const bool taken = take(event, claims);
    taken_key_.note(event, taken);
    if (event.kind == InputEvent::Kind::Character && !taken) ImGui::GetIO().AddInputCharacter(event.character);
  }
  if (has_field() && !had_field) events_->hold();
}

void App::frame() {
  --frames_left_;
  for (const ui::Command& command : result_.commands) ui::apply(command, services());
  ImGui_ImplOpenGL3_NewFrame();
  take_keys(events_->new_frame());
  for (const std::string& file : events_->take_dropped()) open_dropped(file);
  set_look();
  set_language();
  build_frame();
  painter_->paint();
  finish_frame();
  glfwSwapBuffers(window_->handle());
}

void App::need_characters(const std::string& language, const lesson::Course& course) {
  languages_.need_characters(language, painter_->fonts());
  window::need_characters(course, painter_->fonts());
}

void App::set_look() {
  const session::State& state = workspace_.state();
  window_->set_fullscreen(state.present);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  painter_->set_look(palette_of(state), scale_of(state, {size.x, size.y, window_->content_scale(), options_.scale}));
  painter_->prepare();
}

// The words change once their characters are loaded: until then they would be boxes.
void App::set_language() {
  const std::string& wanted = workspace_.state().language;
  if (wanted == language_) return next_.reset();
  if (!next_ || next_->language != wanted) {
    const auto load = [this, wanted] { return load_course(workspace_.catalogue(), wanted); };
    next_ = {wanted, Async<lesson::Course>(load, wake), std::nullopt};
  }
  if (next_->loading.is_made()) {
    next_->course = next_->loading.take();
    add_kernels(*next_->course, workspace_);
    painter_->fonts().forget_characters();
    need_characters(wanted, *next_->course);
  }
  if (!next_->course || painter_->fonts().outdated()) return;
  language_ = wanted;
  languages_.set_language(language_);
  lessons_->use_course(std::move(*next_->course));
  next_.reset();
}

void App::build_frame() {
  result_ = painter_->frame(services(), &languages_.all(), [this](const ui::Context& context) {
    ui::Context panels = context;
    if (kept_.finder.open || overlays_.covers()) panels.hover_next = nullptr;
    ui::show_frame(panels, kept_);
    if (!kept_.said.empty()) overlays_.say(std::exchange(kept_.said, {}));
    if (const auto press = std::exchange(kept_.finder.press, std::nullopt)) events_->press(event_of(*press));
    if (const auto entered = overlays_.show(context, recording_ || wants_screen_))
      entered->first == ui::Asked::Path ? open_state(entered->second) : add_to_tour(entered->second);
    ui::show_pen(context, kept_.pen, kept_.finder.open || overlays_.asks());
  });
  if (result_.again) frames_left_ = std::max(frames_left_, kFramesAfterEvent);
}

void App::finish_frame() {
  if (wants_screen_) save_screen();
  if (recording_ && (frames_left_ == 0 || workspace_.playing())) film_screen();
  if (recording_) painter_->mark_filming();
  // ImGui does not show a popup in its first frame; a widget without its final layout is not clickable.
  if (frames_left_ == 0 || workspace_.playing()) map_.write(result_.widgets);
}

bool App::is_broken() {
  bad_frames_ = draw::take_gl_errors() ? bad_frames_ + 1 : 0;
  return bad_frames_ >= kMostBadFrames || window_->is_lost();
}

void App::say(const Result<std::monostate>& written, const fs::path& file) {
  written ? overlays_.say(tr_format("Saved as {}", file.string())) : overlays_.warn(text_of(written.errors().front()));
  frames_left_ = kFramesAfterEvent;
}

void App::apply(const ui::FileCommand& command) {
  if (const auto* picture = std::get_if<ui::SavePicture>(&command)) save_picture(*picture);
  if (std::holds_alternative<ui::SaveAnswers>(command)) save_answers();
  if (const auto* description = std::get_if<ui::SaveDescription>(&command)) save_description(description->replaces);
  if (const auto* entry = std::get_if<ui::OpenEntry>(&command))
    open_kernel(workspace_.current().kernel().file, entry->name);
  if (const auto* launch = std::get_if<ui::OpenLaunch>(&command)) open_launch(launch->index);
  if (const auto* file = std::get_if<ui::OpenFile>(&command)) open_kernel(file->file);
  if (const auto* outside = std::get_if<ui::EditOutside>(&command)) {
    const auto written = workspace_.write_copy(outside->kernel);
    written ? copy(workspace_.file_to_edit(outside->kernel).string())
            : overlays_.warn(text_of(written.errors().front()));
  }
  if (std::holds_alternative<ui::AskForFile>(command)) overlays_.ask(ui::Asked::Path, "");
}

void App::save_picture(const ui::SavePicture& command) {
  const std::string name = fmt::format("{}-{}", shown_name(), command.name);
  if (!command.csv.empty()) {
    saves_.push_back({name, "csv", as_text(command.csv)});
    return;
  }
  const view::Picture picture = ui::with_caption(command.picture, workspace_, command.name, painter_->measure());
  if (command.svg)
    saves_.push_back({name, "svg", as_text(draw::to_svg(picture, draw::light_palette()))});
  else
    saves_.push_back(
        {name, "png", as_png(painter_->image_of(picture, draw::light_palette(), kScaleOfFiles * painter_->scale()))});
}

/// One after another, so that each gets a free name. True if one is done.
bool App::write_files() {
  const bool done = saving_.is_made();
  if (done) {
    const Saved saved = saving_.take();
    say(saved.written, saved.file);
  }
  if (saving_.is_pending() || saves_.empty()) return done;
  const auto write = [save = std::move(saves_.front())]() -> Saved {
    const fs::path file = new_file(save.name, save.extension);
    Saved saved{file, save.write(file)};
    if (saved.written) hand_over(file);
    return saved;
  };
  saves_.pop_front();
  saving_ = Async<Saved>(write, wake);
  return done;
}

draw::Image App::screen() const {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_->handle(), &width, &height);
  return draw::read_framebuffer(width, height);
}

void App::save_screen() {
  wants_screen_ = false;
  saves_.push_back({shown_name(), "png", as_png(screen())});
}

/// Begins a film of the window, or ends it. The title says so, and a disc that is painted after each picture is taken.
void App::switch_film() {
  if (std::exchange(film_ended_, false)) {
    glfwSetWindowTitle(window_->handle(), "Tilescope");
    return overlays_.say(tr("The film had already ended. The same keys begin the next one."));
  }
  if (recording_) return end_film();
  recording_.emplace();
  glfwSetWindowTitle(window_->handle(), tr("Tilescope: filming"));
}

void App::end_film() {
  glfwSetWindowTitle(window_->handle(), "Tilescope");
  const Recording done = std::move(*recording_);
  recording_.reset();
  if (!done.film) return;
  const Result<std::monostate> finished = done.film->finish();
  say(finished, done.file);
  if (!finished) return;
  if (has_mp4())
    saves_.push_back({shown_name(), "mp4", [gif = done.file](const fs::path& file) { return make_mp4(gif, file); }});
  else if (!std::exchange(said_ffmpeg_, true))
    overlays_.say(tr_format("Saved as {}", done.file.string()) + "\n" + tr("For an MP4 install ffmpeg."));
}

/// The film ended by itself: the next keys are meant to end it and begin none.
void App::film_ended(const std::string& why) {
  recording_.reset();
  film_ended_ = true;
  glfwSetWindowTitle(window_->handle(), tr_format("Tilescope: the film ended. {}", why).c_str());
  frames_left_ = kFramesAfterEvent;
}

void App::film_failed(const Diagnostics& problems) {
  overlays_.warn(text_of(problems.front()));
  film_ended(text_of(problems.front()));
}

/// The screen as the film's next picture, if it shows something new.
void App::film_screen() {
  std::string now = link_to(workspace_, *lessons_);
  if (std::exchange(recording_->last, now) == now) return;
  const draw::Image image = screen();
  if (!recording_->film) {
    recording_->file = new_file(shown_name(), "gif");
    Result<std::unique_ptr<Film>> film = Film::open(recording_->file, image.width, image.height, kSecondsOfPicture);
    if (!film) return film_failed(film.errors());
    recording_->film = std::move(*film);
  }
  if (!recording_->film->fits(image)) {
    end_film();
    return film_ended(tr("The window has another size."));
  }
  if (const auto added = recording_->film->add(image); !added) film_failed(added.errors());
}

/// The file to hand in, and one to print.
void App::save_answers() {
  const lesson::Answers answers{"", lessons_->attempts()};
  saves_.push_back({"answers", "md", as_text(to_markdown(answers, lessons_->course()))});
  saves_.push_back({"answers", "json", as_text(to_json(answers))});
}

void App::save_state_copy() {
  const auto& editor = kept_.codes[static_cast<size_t>(workspace_.chosen())].editor;
  if (const auto keep = ui::text_to_keep(editor)) ui::apply(session::EditSource{keep->edit}, services());
  const fs::path file = new_file(shown_name(), "json");
  session::State copy = workspace_.state();
  copy.opened.clear();  // Others do not have these files.
  const Result<std::monostate> saved = session::save_state(copy, file);
  if (saved) {
    saved_state_ = file;
    hand_over(file);
  }
  say(saved, file);
}

/// Says what is wrong with a file that was to be opened, and where.
void App::refuse(const fs::path& file, const Diagnostics& problems) {
  const Diagnostic& first = problems.front();
  const std::string name = file.filename().string(), line = first.at.line > 0 ? fmt::format(":{}", first.at.line) : "";
  overlays_.warn(fmt::format("{}{}: {}", name, line, text_of(first)), workspace_.state().inputs.kernel);
}

void App::copy(const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
  constexpr size_t kMost = 120;  // A tour's link is long.
  overlays_.say(tr_format("Copied: {}", text.size() > kMost ? text.substr(0, kMost) + "…" : text));
}

/// Answers, or what may be opened by its name.
void App::open_dropped(const std::string& path) {
  Result<lesson::Answers> answers = lesson::load_answers(path);
  if (answers) return lessons_->restore(std::move(answers->attempts));
  open_state(path);
}

void App::open_kernel(const fs::path& path, const std::string& entry) {
  Result<kernel::Opened> opened = kernel::open_file(path, {entry, options_.include_folders});
  if (!opened) return refuse(path, opened.errors());
  overlays_.say("");
  kernel::take_form(*opened, workspace_.state().forms);
  kept_.doors.open = false;
  kept_.form = {};
  launches_.reset();
  workspace_.open(std::move(*opened));
}

void App::open_launch(size_t index) {
  Result<kernel::Opened> opened = options_.open_launch(index);
  if (!opened) return overlays_.warn(text_of(opened.errors().front()));
  kept_.form = {};
  launches_->shown = index;
  workspace_.open(std::move(*opened));
}

/// Saves the launch form as NAME.toml beside the kernel's file. Another author's file is kept until the user confirms.
void App::save_description(bool replaces) {
  ui::LaunchFormState& form = kept_.form;
  const session::OpenForm* open = workspace_.form();
  if (!open) return;
  const fs::path file = kernel::description_file(workspace_.current().kernel());
  const std::string text = to_toml(open->form);
  std::error_code ignored;
  if (!replaces && fs::exists(file, ignored)) {
    const Result<std::string> there = read_file(file);
    form.asks = !there || (*there != form.saved && *there != text);
    if (form.asks) return;
  }
  const Result<std::monostate> written = write_file(file, text);
  form.asks = false;
  if (written) form.saved = text;
  say(written, file);
}

/// A kernel's text, a tour, or a saved state.
void App::open_state(const std::string& path) {
  if (lesson::is_tour_file(path)) return open_tour(path, read_tour(path));
  if (kernel::is_kernel_file(path)) return open_kernel(path);
  Result<session::State> state = session::load_state(path);
  if (!state) return refuse(path, state.errors());
  kept_.doors.open = false;
  workspace_.apply(session::LoadState{std::move(*state)});
}

}  // namespace

bool has_display() {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value && *value;
  };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

int fail(const Diagnostics& problems) {
  std::fprintf(stderr, "%s\n", to_string(problems).c_str());
  return 2;
}

void apply_look(const Options& options, session::State& state) {
  if (!options.language.empty()) state.language = options.language;
  if (options.theme) state.theme = *options.theme;
  state.present = state.present || options.present;
  if (options.compiler) state.compiler = *options.compiler;
}

int run_window(const Options& options) {
  set_up_process();
  Result<std::unique_ptr<GlWindow>> window = GlWindow::open(options.width, options.height, true);
  if (!window) return fail(window.errors());
  Result<std::unique_ptr<Painter>> painter = create_painter();
  if (!painter) return fail(painter.errors());
  const auto app = std::make_shared<App>(options, std::move(*window), std::move(*painter));
  app->start();
  run_turns([app] { return app->turn(); });
  return app->status();
}

}  // namespace tilescope::window
