#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/scene_options.h"

namespace tilescope::cli {

struct ShotOptions {
  SceneOptions scene;
  std::string output, svg, picture = "stage", plot;
  bool large_plot = false;
  std::optional<int> line;
  std::optional<uint32_t> step;
  uint32_t warp = 0, lane = 0;
};

void add_shot_options(CLI::App& command, ShotOptions& options);

/// `tilescope shot`: renders the window into a PNG, or one of its pictures into an SVG, without showing it.
int run_shot(const ShotOptions& options);

}  // namespace tilescope::cli
