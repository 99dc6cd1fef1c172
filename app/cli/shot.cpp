#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/option_checks.h"
#include "cli/scene_options.h"

namespace tilescope::cli {
namespace {

struct ShotOptions {
  SceneOptions scene;
  std::string output, svg, picture, plot;
  bool large_plot = false, answered = false, clock = false;
  std::optional<int> line;
  std::optional<uint32_t> step;
  std::optional<uint32_t> warp;
  uint32_t lane = 0, frames = 1;
};

void add_shot_options(CLI::App& command, ShotOptions& options) {
  add_scene_options(command, options.scene);
  command.add_option("-o,--output", options.output, "The PNG to write; with --frames the GIF or MP4");
  command.add_option("--svg", options.svg, "Write one picture of the window as SVG");
  command.add_option("--picture", options.picture, "Which picture (default stage)");
  command.add_option("--plot", options.plot,
                     "Which plot to show: ladder (default), parameter, size, heat, roofline, bound, counters, sm, "
                     "registers, resources, findings");
  command.add_flag("--large-plot", options.large_plot, "Show the plot in place of the stage");
  command.add_flag("--clock", options.clock, "Show the warps of an SM clock by clock in place of the instructions");
  command.add_flag("--answered", options.answered,
                   "Show the lesson's step with the right answer, and what stays covered until then");
  command.add_option("--line", options.line, "Go to the first instruction of this line of the source")
      ->check(whole_number(1, INT32_MAX));
  command.add_option("--at", options.step, "Go to this instruction of the warp, counted from 0")
      ->check(whole_number(0, UINT32_MAX));
  command.add_option("--warp", options.warp, "The warp to look at (default: 0, or the first that multiplies)")
      ->check(whole_number(0, 31));
  command.add_option("--lane", options.lane, "The lane to look at (default 0)")->check(whole_number(0, 31));
  command.add_option("--frames", options.frames, "Step that often and write a film; MP4 needs ffmpeg")
      ->check(whole_number(1, 1000));
}

/// `tilescope shot`: renders the window into a PNG, or one of its pictures into an SVG, without showing it.
int run_shot(const ShotOptions& options) {
  if (options.output.empty() && options.svg.empty()) return fail("Name the file to write: -o x.png or --svg x.svg.");
  if (options.answered && options.scene.lesson.empty())
    return fail("--answered is for a step of a lesson: add --lesson and --step.");
  if (!options.picture.empty() && options.svg.empty()) return fail("--picture is for --svg: add --svg x.svg.");
  const bool film = options.output.ends_with(".gif") || options.output.ends_with(".mp4");
  if (film != (options.frames > 1)) return fail("A film is --frames 2 or more, and -o x.gif or x.mp4.");
  if (options.line && options.step) return fail("--line and --at are two places: leave one of them out.");
  ProgressLine line;
  Result<window::Options> parsed = window_options(options.scene, control_for(line));
  line.clear();
  if (!parsed) return fail(parsed.errors());
  window::Shot shot;
  shot.options = std::move(*parsed);
  shot.output = options.output;
  shot.svg = options.svg;
  if (!options.picture.empty()) shot.picture = options.picture;
  shot.plot = options.plot;
  shot.large_plot = options.large_plot;
  shot.answered = options.answered;
  shot.frames = options.frames;
  if (options.warp || options.step)
    shot.commands.push_back(session::GoTo{{options.warp.value_or(0), options.step.value_or(0)}});
  if (options.line) shot.commands.push_back(session::GoToLine{*options.line});
  if (options.clock) shot.commands.push_back(session::ShowClock{true});
  if (options.lane > 0) shot.commands.push_back(session::ChooseLane{options.lane});
  return window::take_shot(shot);
}

}  // namespace

void add_shot(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "shot", "Render the window into a PNG without showing it", add_shot_options, run_shot);
}

}  // namespace tilescope::cli
