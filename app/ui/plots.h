#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/measurement_service.h"
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
  bool has_run = false;       ///< It: before, what ships may not be there, see ParametersKey.
  uint64_t figures = 0;       ///< Their version.
  std::string device;         ///< The agent's.
  std::string arch;
  uint64_t counted = 0;   ///< Version of the counts.
  bool predicted = true;  ///< Of the shown plot: see PlotData.
  CanvasKey canvas;
  bool operator==(const PlotKey&) const = default;
};

/// What the pictures of an SM and of the registers depend on.
struct TracedKey {
  Identity<run::TracedBlock> traced;
  session::HiddenFacts hidden;
  CanvasKey canvas;
  bool operator==(const TracedKey&) const = default;
};

/// State of the plots between frames.
struct PlotsState {
  PlotTab tab = PlotTab::Ladder;
  std::optional<PlotTab> put_aside;  ///< Of products: comes back with the next product.
  bool named = false;                ///< The tab was chosen by name: the next run keeps it.
  bool large = false;                ///< In place of the stage and the strip, for a lecture.
  bool asked_for = false;            ///< The tab was chosen where its plot may not be on show.
  bool live = true;                  ///< The shown configuration is measured when it changes.
  std::string parameter, second;     ///< The plots' parameters; others if the kernel has none of that name.
  view::Quantity quantity = view::Quantity::Speed;
  bool log = false;  ///< The y axis over the size.

  std::map<std::string, std::string> digests;  ///< Of the catalogue's texts, by name.
  std::string source, digest;                  ///< Of the shown kernel.
  /// Where only these can run, the configurations that ship, by kernel and architecture.
  std::map<std::pair<std::string, std::string>, std::vector<view::ParameterValues>> shipped;
  std::string measured;  ///< The last submitted configuration, as text.
  std::string filled;    ///< The plot being filled around it.
  Made<PlotKey, view::Plot> plot;
  std::optional<PlotKey> counted_for;  ///< The plot that counts were asked for.
  Made<TracedKey, view::Plot> sm, registers;
  FindingsState findings;
  std::array<view::PlotRange, kPlotTabs> ranges;
};

/// The GPU's state; without one, the device of the recordings used instead.
std::string gpu_words(const measure::State& state, const std::string& recorded_on);

/// How fast the shown kernel was recorded to be with these parameters, at the size of the plots: "37.7 TFLOP/s"; empty
/// if it was not, or while a question is about it.
std::string recorded_speed(const Context& context, int experiment, PlotsState& kept, const view::Params& params);

/// Requests a measurement of the shown configuration when it has changed and no slider is held. Call every frame.
void follow_with_measurements(const Context& context, int experiment, PlotsState& kept);

/// Every tab with its word, in English.
std::vector<std::pair<PlotTab, const char*>> plot_tabs();

/// Shows the tab of that name, such as "ladder"; an empty name changes nothing. The error lists the tabs.
Result<std::monostate> choose_plot(PlotsState& kept, const std::string& name);

/// Shows the tab of the first of these names that has one: "bound", "ladder", "findings", "occupancy", ...; "resources"
/// if they are a tab.
void choose_emphasised(PlotsState& kept, const std::vector<std::string>& names, bool resources);

/// The plots as tabs, the findings last; before them the resources, where `show_resources` is given. Fills ImGui's
/// current window.
void show_plots(const Context& context, int experiment, PlotsState& kept,
                const std::function<void()>& show_resources = {});

}  // namespace tilescope::ui
