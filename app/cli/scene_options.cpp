#include "cli/scene_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/words.h"
#include "cli/kernel_options.h"
#include "cli/launch_list.h"
#include "cli/option_checks.h"
#include "cli/program_launch.h"
#include "compile/compile.h"
#include "kernel/catalogue.h"
#include "lesson/course.h"
#include "lesson/link.h"
#include "lesson/tour.h"
#include "run/traced_block.h"

namespace tilescope::cli {
namespace {
using session::Scale;
using session::State;
using session::WarpOrder;

using session::kOrders;
using session::kScales;
constexpr int kSmallest = 320, kLargest = 16384;

Result<std::monostate> set_kernel(const SceneOptions& options, State& state) {
  if (options.kernel.empty()) return std::monostate{};
  const Result<kernel::Kernel> kernel =
      kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), options.kernel);
  if (!kernel) return kernel.errors();
  state.inputs.kernel = kernel->name;
  return std::monostate{};
}

Result<std::monostate> set_source(const SceneOptions& options, State& state) {
  if (options.source.empty()) return std::monostate{};
  const Result<std::string> text = read_file(options.source, compile::kMaxSourceBytes);
  if (!text) return text.errors();
  state.inputs.source = *text;
  return std::monostate{};
}

Result<std::monostate> set_values(const SceneOptions& options, State& state) {
  for (const std::string& text : options.settings)
    if (const auto added = kernel::add_setting(text, state.inputs.settings); !added) return added;
  if (options.size.empty()) return std::monostate{};
  const Result<kernel::Size> size = kernel::parse_size(options.size, state.inputs.size);
  if (!size) return size.errors();
  state.inputs.size = *size;
  return std::monostate{};
}

Result<std::monostate> set_lesson(const SceneOptions& options, State& state) {
  state.lesson_step = options.step.value_or(1) - 1;
  if (options.lesson.empty()) return std::monostate{};
  const lesson::Course course =
      lesson::load_course(data_folder() / "lessons", kernel::load_catalogue(data_folder() / "kernels"));
  const Result<const lesson::Lesson*> found = lesson::find_lesson(course, options.lesson);
  if (!found) return found.errors();
  if (state.lesson_step >= (*found)->steps.size())
    return error(fmt::format("--step {}: this lesson has the steps 1 to {}.", *options.step, (*found)->steps.size()));
  state.lesson = (*found)->slug;
  return std::monostate{};
}

bool parse_number(std::string_view text, uint32_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size();
}

Result<std::monostate> set_block(const SceneOptions& options, State& state) {
  if (options.block.empty()) return std::monostate{};
  std::string_view rest = options.block;
  size_t given = 0;
  bool fits = true;
  for (uint32_t* extent : {&state.inputs.block_x, &state.inputs.block_y, &state.inputs.block_z}) {
    if (rest.empty()) break;
    const size_t comma = std::min(rest.find(','), rest.size());
    fits = fits && parse_number(rest.substr(0, comma), *extent);
    rest = rest.substr(std::min(comma + 1, rest.size()));
    ++given;
  }
  if (fits && given >= 2 && rest.empty()) return std::monostate{};
  return error(fmt::format("--block {}: give its x and y, or x, y and z, for example --block 1,0.", options.block));
}

Result<std::monostate> set_view(const SceneOptions& options, State& state) {
  if (!options.view.empty()) {
    const auto found =
        std::find_if(kScales.begin(), kScales.end(), [&](Scale scale) { return to_string(scale) == options.view; });
    if (found == kScales.end())
      return error(fmt::format("--view {}: there are grid, block, warp and thread.", options.view));
    state.scale = *found;
  }
  if (options.order.empty()) return std::monostate{};
  const auto found =
      std::find_if(kOrders.begin(), kOrders.end(), [&](WarpOrder order) { return to_string(order) == options.order; });
  if (found == kOrders.end()) return error(fmt::format("--order {}: there are ahead and behind.", options.order));
  state.order = *found;
  return std::monostate{};
}

/// The launches that a file's program makes.
Result<std::monostate> open_launches(const SceneOptions& options, const run::Control& control, window::Options& result) {
  KernelOptions of_file;
  of_file.kernel = options.file;
  of_file.entry = options.entry;
  of_file.include = options.include;
  if (!options.arch.empty()) of_file.arch = options.arch;
  of_file.program = options.program;
  Result<program::ProgramRun> run = run_past_launch(of_file, control);
  if (!run) return run.errors();
  const size_t first = *run->captured_index;
  return show_launches(std::move(*run), first, options.file, result);
}

/// The user's own file, added to the window's catalogue.
Result<std::monostate> open_own(const SceneOptions& options, const run::Control& control, window::Options& result) {
  const Result<bool> of_program = asks_program(options.file, options.program);
  if (!of_program) return of_program.errors();
  if (options.file.empty()) return std::monostate{};
  if (!options.kernel.empty()) return error("Give a file or --kernel, not both.");
  result.include_folders.assign(options.include.begin(), options.include.end());
  if (*of_program) return open_launches(options, control, result);
  Result<kernel::Opened> opened = kernel::open_file(options.file, {options.entry, result.include_folders});
  if (!opened) return opened.errors();
  tell_assumed(*opened);
  kernel::set_apart(opened->kernel, kernel::load_catalogue(data_folder() / "kernels"));
  result.state.inputs.kernel = opened->kernel.name;
  result.state.inputs.size = kernel::default_size(opened->kernel.description);
  result.own = std::move(*opened);
  return std::monostate{};
}

/// An error if the grid has no such block. Kernels that cannot be launched are reported in the window.
Result<std::monostate> check_block(const SceneOptions& options, const window::Options& result) {
  if (options.block.empty()) return std::monostate{};
  const session::Inputs& inputs = result.state.inputs;
  run::Request request;
  if (result.own) {
    request.kernel = result.own->kernel;
  } else {
    Result<kernel::Kernel> found =
        kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), inputs.kernel);
    if (!found) return found.errors();
    request.kernel = std::move(*found);
  }
  request.settings = inputs.settings;
  request.size = inputs.size;
  request.arch = result.state.arch;
  const Result<kernel::Configuration> configuration = run::configure(request);
  if (!configuration) return std::monostate{};
  const Result<uint32_t> number =
      run::block_number({inputs.block_x, inputs.block_y, inputs.block_z}, configuration->grid);
  if (!number) return number.errors();
  return std::monostate{};
}

Result<std::monostate> set_look(const SceneOptions& options, window::Options& result) {
  result.present = options.present;
  if (const char* chosen = std::getenv("TILESCOPE_COMPILER")) result.compiler = compile::parse_choice(chosen);
  result.language = options.language;
  if (options.theme.empty()) return std::monostate{};
  if (options.theme != "dark" && options.theme != "light")
    return error(fmt::format("--theme {}: there are dark and light.", options.theme));
  result.theme = options.theme == "light" ? session::Theme::Light : session::Theme::Dark;
  return std::monostate{};
}

/// The first given option that says what to do with the kernel, and its name.
std::string first_of_run(const SceneOptions& options) {
  const std::pair<const char*, bool> given[] = {
      {"--source", !options.source.empty()}, {"--set", !options.settings.empty()}, {"--size", !options.size.empty()},
      {"--block", !options.block.empty()},   {"--arch", !options.arch.empty()},    {"--view", !options.view.empty()},
      {"--order", !options.order.empty()}};
  for (const auto& [name, is_given] : given)
    if (is_given) return name;
  return {};
}

/// An error about an option that has no effect together with the others.
Result<std::monostate> check_together(const SceneOptions& options) {
  const bool has_kernel = !options.file.empty() || !options.kernel.empty();
  const std::string of_run = first_of_run(options);
  const std::string beside = !options.state_file.empty() ? "--state"
                             : !options.kernel.empty()   ? "--kernel"
                             : !options.lesson.empty()   ? "--lesson"
                                                         : of_run;
  if (lesson::is_link(options.file) && !beside.empty())
    return error(fmt::format("The link says what is shown: leave out {}.", beside));
  if (options.file.empty() && (!options.entry.empty() || !options.include.empty()))
    return error(fmt::format("{} is for a .cu file: name one.", options.entry.empty() ? "--include" : "--entry"));
  if (options.step && options.lesson.empty()) return error("--step is for a lesson: add --lesson.");
  if (!options.state_file.empty() && (has_kernel || !options.lesson.empty() || !of_run.empty()))
    return error(fmt::format("--state says by its file what is shown: leave out {}.", has_kernel ? "the kernel"
                                                                                      : !options.lesson.empty()
                                                                                          ? "--lesson"
                                                                                          : of_run));
  if (has_kernel || of_run.empty()) return std::monostate{};
  if (options.lesson.empty()) return error(fmt::format("{} is for a kernel: name one.", of_run));
  return error(fmt::format(
      "{} changes nothing in a lesson, whose steps have runs of their own: leave it out, or name a kernel to "
      "show beside the lesson.",
      of_run));
}

/// The languages with a file of words.
Result<std::monostate> check_language(const SceneOptions& options) {
  if (options.language.empty()) return std::monostate{};
  std::vector<std::string> known;
  Diagnostics ignored;
  for (const auto& words : read_languages(data_folder() / "assets" / "words", ignored))
    known.push_back(words->language);
  if (std::find(known.begin(), known.end(), options.language) != known.end()) return std::monostate{};
  return error(fmt::format("--lang {}: there are {}.", options.language, fmt::join(known, " and ")));
}

/// A link in place of a kernel: it says all that is on show, and no option says it again.
Result<std::monostate> open_link(const SceneOptions& options, window::Options& result) {
  result.link = options.file;
  if (lesson::is_tour_link(options.file)) {
    if (const Result<lesson::Tour> tour = lesson::tour_of_link(options.file); !tour) return tour.errors();
    return std::monostate{};
  }
  const kernel::Catalogue kernels = kernel::load_catalogue(data_folder() / "kernels");
  const lesson::Course course = lesson::load_course(data_folder() / "lessons", kernels);
  Result<State> state = lesson::state_of_link(options.file, course, kernels);
  if (!state) return state.errors();
  result.state = std::move(*state);
  return std::monostate{};
}

Result<std::monostate> check_extent(const SceneOptions& options) {
  const auto fits = [](int value) { return value >= kSmallest && value <= kLargest; };
  if (!fits(options.width) || !fits(options.height))
    return error(fmt::format("A window is from {0} x {0} to {1} x {1}.", kSmallest, kLargest));
  return std::monostate{};
}

}  // namespace

void add_scene_options(CLI::App& command, SceneOptions& options) {
  command.add_option("kernel", options.file,
                     "As for trace: a number or name of the catalogue, or a .cu file; or a link, in quotes");
  add_program_choice(command, options.program);
  add_file_options(command, options.entry, options.include);
  command.add_option("--kernel", options.kernel, "A number or name of the catalogue");
  command.add_option("--source", options.source, "A .cu file to show in place of the kernel's own text");
  command.add_option("--set", options.settings, "Parameter values, for example BM=64 BN=64")->allow_extra_args(false);
  command.add_option("--size", options.size, "256, or M=256,N=128,K=64");
  command.add_option("--block", options.block, "The block to trace: x,y or x,y,z");
  command.add_option("--arch", options.arch, "Compile for this architecture (default sm_90)");
  command.add_option("--view", options.view, "How close the stage looks: grid, block, warp or thread");
  command.add_option("--order", options.order,
                     "Where the warp at the cursor is among the others, as far as barriers allow: ahead or behind "
                     "(default: in step)");
  command.add_option("--lesson", options.lesson, "Beside this lesson: its number or name, such as shared-tiles");
  command.add_option("--step", options.step, "Of the lesson, from 1")->check(whole_number(1, UINT32_MAX));
  command.add_option("--lang", options.language,
                     "Language of the window and the lessons: en, zh, ... (default: as last time)");
  command.add_option("--theme", options.theme, "dark or light");
  add_compiler_option(command);
  command.add_flag("--present", options.present, "Large type and high contrast");
  command.add_option("--state", options.state_file, "Show what this file keeps");
  command.add_option("--scale", options.scale, "Size of everything, 0.5 to 4 (default: the display's)")
      ->check(number_between(0.5, 4));
  command.add_option("--width", options.width, "Of the window (default 1600)");
  command.add_option("--height", options.height, "Of the window (default 900)");
  command.add_option("--widget-map", options.widget_map, "Write the places of the widgets to this file, for tests");
}

Result<window::Options> window_options(const SceneOptions& given, const run::Control& control) {
  window::Options result;
  SceneOptions options = given;
  // As `trace` takes it: a file, or a number or name of the catalogue. Or a link.
  const bool is_link = lesson::is_link(options.file);
  if (!is_link && options.kernel.empty() && !names_a_file(options.file))
    options.kernel = std::exchange(options.file, "");
  if (const auto together = check_together(options); !together) return together.errors();
  if (const auto opened = is_link ? open_link(options, result) : open_own(options, control, result); !opened)
    return opened.errors();
  if (const auto extent = check_extent(options); !extent) return extent.errors();
  if (const auto language = check_language(options); !language) return language.errors();
  for (const auto step : {set_kernel, set_source, set_values, set_block, set_view, set_lesson})
    if (const Result<std::monostate> done = is_link ? std::monostate{} : step(options, result.state); !done)
      return done.errors();
  if (!options.arch.empty()) result.state.arch = options.arch;
  if (const auto looked = set_look(options, result); !looked) return looked.errors();
  if (const auto block = check_block(options, result); !block) return block.errors();
  result.use_state = !options.file.empty() || !options.kernel.empty() || !options.lesson.empty();
  result.scale = options.scale;
  result.width = options.width;
  result.height = options.height;
  result.state_file = options.state_file;
  result.widget_map = options.widget_map;
  return result;
}

}  // namespace tilescope::cli
