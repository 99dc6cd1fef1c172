#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/client.h"
#include "ui/context.h"
#include "ui/findings.h"
#include "ui/made.h"
#include "ui/picture_view.h"
#include "view/plots/plots.h"
#include "view/plots/registers_plot.h"
#include "view/plots/sm_plot.h"

namespace tilescope::ui {

enum class PlotTab : uint8_t {
  Ladder,
  Parameter,
  Size,
  Heat,
  Roofline,
  Bound,
  Counters,
  Sm,
  Registers,
  Resources,
  Findings
};
constexpr size_t kPlotTabs = 11;

/// What a plot depends on.
struct PlotKey {
  PlotTab tab{};
  std::string parameter, second;
  view::Quantity quantity{};
  bool log = false;
  view::PlotRange zoom;
  std::string configuration;  ///< On show.
  uint64_t figures = 0;       ///< Their version.
  std::string device;         ///< The agent's.
  uint64_t counted = 0;       ///< Version of what was counted.
  bool predicted = true;      ///< What is on show: see PlotData.
  CanvasKey canvas;
  bool operator==(const PlotKey&) const = default;
};

/// What the pictures of an SM and of the registers depend on.
struct SceneKey {
  Identity<run::TracedBlock> scene;
  session::HiddenFacts hidden;
  CanvasKey canvas;
  bool operator==(const SceneKey&) const = default;
};

/// What the plots keep from frame to frame.
struct PlotsState {
  PlotTab tab = PlotTab::Ladder;
  bool named = false;             ///< The tab was asked for by its name: the next scene leaves it on show.
  bool large = false;             ///< In place of the stage and the strip, for a lecture.
  bool live = true;               ///< What is on show is measured when it changes.
  std::string parameter, second;  ///< Over which the plots go; another where the kernel has none of that name.
  view::Quantity quantity = view::Quantity::Speed;
  bool log = false;  ///< The y axis over the size.

  std::map<std::string, std::string> digests;  ///< Of the catalogue's texts, by name.
  std::string source, digest;                  ///< Of the shown kernel.
  std::string measured;                        ///< The configuration that was submitted last, as text.
  std::string filled;                          ///< And the plot that is being filled about it.
  Made<PlotKey, view::Plot> plot;
  Made<SceneKey, view::Plot> sm, registers;
  FindingsState findings;
  Made<uint64_t, std::string> recorded_on;  ///< The newest recorded figure's device, by version of the figures.
  std::array<view::PlotRange, kPlotTabs> ranges;
};

/// What the GPU does; without one, on which device the figures were recorded that stand in for it.
std::string gpu_words(const measure::State& state, const std::string& recorded_on);

/// Has what is on show measured when it has changed and no slider is held. Every frame, whether or not plots are shown.
void follow_with_measurements(const Context& context, int experiment, PlotsState& kept);

/// Puts the tab of that name on show, as "ladder"; an empty name changes nothing. The error names the tabs.
Result<std::monostate> choose_plot(PlotsState& kept, const std::string& name);

/// Puts on show what the first of these names means, where one means a tab: "bound", "ladder", "findings", "occupancy",
/// ... ; "resources" where they are a tab.
void choose_emphasised(PlotsState& kept, const std::vector<std::string>& names, bool resources);

/// The plots as tabs, the findings last; before them the resources, where `show_resources` is given. Fills ImGui's
/// current window.
void show_plots(const Context& context, int experiment, PlotsState& kept,
                const std::function<void()>& show_resources = {});

}  // namespace tilescope::ui
