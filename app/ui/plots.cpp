#include "ui/plots.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "base/process.h"
#include "base/sha256.h"
#include "base/turns.h"
#include "base/words.h"
#include "measure/measurement_service.h"
#include "run/demand.h"
#include "run/hardware_counters.h"
#include "run/verify_launch.h"
#include "ui/dimmed.h"
#include "ui/picture_view.h"
#include "ui/scoped.h"
#include "ui/shortcut_list.h"
#include "ui/tabs.h"
#include "ui/text.h"
#include "ui/tooltip.h"
#include "view/plots/plot_axes.h"
#include "view/plots/plot_predicted.h"
#include "view/words.h"

namespace tilescope::ui {
namespace {
using store::Provenance;
using view::Ink;

constexpr float kLargeText = 18;
constexpr int64_t kLeastSize = 256, kMostSize = 8192;

struct TabWord {
  PlotTab tab;
  const char *word, *short_word;  ///< On the tab, depending on room.
  std::string_view name;          ///< Of its picture, too.
};
constexpr std::array<TabWord, kPlotTabs> kTabs{
    {{PlotTab::Ladder, tr_later("Ladder"), tr_later("Ladder"), "ladder"},
     {PlotTab::Parameter, tr_later("Parameter"), tr_later("Param."), "parameter"},
     {PlotTab::Size, tr_later("Size"), tr_later("Size"), "size"},
     {PlotTab::Heat, tr_later("Heat map"), tr_later("Heat"), "heat"},
     {PlotTab::Roofline, tr_later("Roofline"), tr_later("Roof"), "roofline"},
     {PlotTab::Bound, tr_later("Bound"), tr_later("Bound"), "bound"},
     {PlotTab::Counters, tr_later("Counters"), tr_later("Count."), "counters"},
     {PlotTab::Sm, tr_later("SM"), tr_later("SM"), "sm"},
     {PlotTab::Registers, tr_later("Registers"), tr_later("Regs."), "registers"},
     {PlotTab::Resources, tr_later("Resources"), tr_later("Resources"), "resources"},
     {PlotTab::Findings, tr_later("Findings"), tr_later("Findings"), "findings"}}};

struct TwoRows {
  std::vector<Tab> upper, lower;

  explicit TwoRows(const std::vector<Tab>& tabs)
      : upper(tabs.begin(), tabs.begin() + tabs.size() / 2), lower(tabs.begin() + tabs.size() / 2, tabs.end()) {}
  float width(const Context& context) const { return std::max(tabs_width(context, upper), tabs_width(context, lower)); }
};

int show_rows(const Context& context, const TwoRows& rows, int chosen) {
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(8 * context.scale, 0));
  const auto half = static_cast<int>(rows.upper.size());
  const int first = show_tabs(context, "plot", rows.upper, chosen);
  const int second = show_tabs(context, "plot", rows.lower, chosen - half);
  return second >= 0 ? half + second : first;
}

/// Against cuBLAS, and FLOP per byte.
bool is_of_products(PlotTab tab) { return tab == PlotTab::Ladder || tab == PlotTab::Roofline; }

/// Tabs side by side or in two rows, with short words if there is no room for others; the one for resources only if
/// they have no other place.
void choose_tab(const Context& context, bool resources, bool product, size_t wrong, PlotsState& kept) {
  std::vector<Tab> words, short_words;
  std::vector<PlotTab> tabs;
  int chosen = 0;
  if (kept.put_aside && product) kept.tab = *std::exchange(kept.put_aside, std::nullopt);
  if (is_of_products(kept.tab) && !product) kept.put_aside = std::exchange(kept.tab, PlotTab::Size);
  for (const TabWord& each : kTabs) {
    if (each.tab == PlotTab::Resources && !resources) continue;
    if (is_of_products(each.tab) && !product) continue;
    if (each.tab == kept.tab) chosen = static_cast<int>(tabs.size());
    const size_t count = each.tab == PlotTab::Findings ? wrong : 0;
    words.emplace_back(each.word, count);
    short_words.emplace_back(each.short_word, count);
    tabs.push_back(each.tab);
  }
  const float room = ImGui::GetContentRegionAvail().x;
  const TwoRows rows(words);
  int clicked = -1;
  if (tabs_width(context, words) <= room)
    clicked = show_tabs(context, "plot", words, chosen);
  else
    clicked = show_rows(context, rows.width(context) <= room ? rows : TwoRows(short_words), chosen);
  if (clicked >= 0) kept.put_aside.reset();
  kept.tab = tabs[static_cast<size_t>(clicked >= 0 ? clicked : chosen)];
}

/// The tab of a name in a scene's `emphasise`.
std::optional<PlotTab> tab_meant(std::string_view name) {
  if (name == "bound") return PlotTab::Bound;
  if (name == "counters") return PlotTab::Counters;
  if (name == "plot") return PlotTab::Roofline;
  if (name == "ladder") return PlotTab::Ladder;
  if (name == "findings") return PlotTab::Findings;
  if (name == "occupancy") return PlotTab::Sm;
  if (name == "register banks") return PlotTab::Registers;
  if (name == "registers" || name == "resources") return PlotTab::Resources;
  return std::nullopt;
}

/// Bounds need counts.
bool is_covered(const session::HiddenFacts& hidden, PlotTab tab) {
  return hidden.has(session::Fact::Speed) ||
         (hidden.figures() && (tab == PlotTab::Bound || tab == PlotTab::Counters || tab == PlotTab::Roofline));
}

// --- What is drawn from. ---

void keep_digests(const session::Workspace& workspace, const kernel::Kernel& shown, PlotsState& kept) {
  for (const kernel::Kernel& kernel : workspace.catalogue().kernels)
    if (!kept.digests.contains(kernel.name)) kept.digests[kernel.name] = digest_of(kernel.source);
  if (kept.source == shown.source) return;
  kept.source = shown.source;
  kept.digest = digest_of(shown.source);
}

/// The sliders' values; a text that is not a number is skipped.
view::Params params_of(const kernel::Description& description, const kernel::Settings& settings) {
  view::Params params = view::default_params(description);
  for (auto& [name, value] : params)
    if (const auto set = settings.find(name); set != settings.end())
      std::from_chars(set->second.data(), set->second.data() + set->second.size(), value);
  return params;
}

/// The device that recordings and bounds are shown of: the chosen one, by the name that its recordings have, if any.
std::string recorded_device(const Context& context) {
  const std::string& name = context.measuring->recorded_on();
  const session::State& state = context.workspace->state();
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(state.arch));
  const auto chosen = limits ? arch::device_of(*limits, state.device) : std::nullopt;
  if (!chosen) return name;
  const Result<arch::Device> recorded = arch::find_device(*arch::shipped_devices(), name);
  return recorded && recorded->name == chosen->name ? name : chosen->name;
}

/// Whether anything was recorded on a device.
bool has_recordings(const Context& context, const std::string& device) {
  return device == context.measuring->recorded_on();
}

/// Of every extent, in plots at one size.
int64_t measured_size(const Context& context, int experiment) {
  const kernel::Description& description = context.workspace->experiment(experiment).kernel().description;
  return view::plotted_size(description, context.measuring->size(kernel::used_extents(description)));
}

/// The shown configuration, at the measured size.
std::string configuration_text(const Context& context, int experiment, PlotsState& kept) {
  const session::Experiment& shown = context.workspace->experiment(experiment);
  keep_digests(*context.workspace, shown.kernel(), kept);
  const view::Params params = params_of(shown.kernel().description, shown.inputs().settings);
  return fmt::format("{} {} {} {}", shown.kernel().name, kept.digest, view::params_text(params),
                     measured_size(context, experiment));
}

/// Not if its result is wrong; nor while a question is about that, because a missing prediction would reveal it.
bool may_be_predicted(const Context& context, const session::Experiment& shown) {
  if (context.hidden.has(session::Fact::Findings) || !shown.traced())
    return !context.hidden.has(session::Fact::Findings);
  const run::Report& report = shown.counted() ? shown.counted()->report : shown.traced()->report;
  return !report.stopped && (!report.verified || report.verified->wrong == 0);
}

/// Of what is illegal only its extents are known.
bool is_product(const session::Experiment& shown) {
  const auto& configured = shown.legality();
  return configured ? run::is_matrix_product(*configured)
                    : kernel::used_extents(shown.kernel().description).size() == 3;
}

view::PlotData data_of(const Context& context, int experiment, PlotsState& kept) {
  const session::Workspace& workspace = *context.workspace;
  const session::Experiment& shown = workspace.experiment(experiment);
  const measure::MeasurementService& measuring = *context.measuring;
  view::PlotData data;
  for (const kernel::Kernel& kernel : workspace.catalogue().kernels)
    data.stages.push_back({&kernel, kept.digests[kernel.name]});
  data.shown = {&shown.kernel(), kept.digest};
  data.params = params_of(shown.kernel().description, shown.inputs().settings);
  data.shown_is_right = may_be_predicted(context, shown);
  data.figures = measuring.figures();
  data.history = measuring.history();
  data.devices = measuring.devices();
  data.size = measured_size(context, experiment);
  data.cpu = measuring.cpu();
  data.product = is_product(shown);
  data.extents = kernel::used_extents(shown.kernel().description);
  if (context.counter) data.counted = context.counter->counted();
  if (const auto& model = run::prediction_model()) data.model = &*model;
  data.measured_on = measuring.measured_on();
  data.recorded_on = recorded_device(context);
  if (!starts_programs() && shown.traced())
    data.shipped = [&](const kernel::Kernel& kernel) -> const std::vector<view::ParameterValues>& {
      const auto [found, is_new] = kept.shipped.try_emplace({kernel.name, workspace.state().arch});
      if (!is_new) return found->second;
      let_turns_pass();
      found->second = shown.shipped(kernel);
      return found->second;
    };
  return data;
}

// --- Counting. ---

/// The configurations of the tab's plot, the shown one first.
std::vector<view::PlotPoint> points_of(const view::PlotData& data, const PlotsState& kept) {
  switch (kept.tab) {
    case PlotTab::Parameter: return view::parameter_points(data, kept.parameter);
    case PlotTab::Size: return view::size_points(data);
    case PlotTab::Heat: return view::heat_points(data, kept.parameter, kept.second);
    case PlotTab::Bound:
    case PlotTab::Counters: return view::parameter_points(data, "");
    default: return view::ladder_points(data);
  }
}

/// A place of a plot as what is run there.
run::Request request_at(const view::PlotPoint& point) {
  run::Request request;
  request.kernel = *point.stage->kernel;
  for (const auto& [name, value] : point.params) request.settings[name] = std::to_string(value);
  request.size = {point.size, point.size, point.size};
  return request;
}

/// Has counted what a plot that has just come on show needs for its predictions and bounds: the ladder for stages
/// without a figure alone.
void ask_for_works(const Context& context, int experiment, const PlotKey& key, PlotsState& kept) {
  if (!context.counter || context.measuring->loading() || kept.counted_for == key) return;
  kept.counted_for = key;
  const view::PlotData data = data_of(context, experiment, kept);
  CountWork wanted;
  for (const view::PlotPoint& point : points_of(data, kept)) {
    if (kept.tab == PlotTab::Ladder && view::has_figure(data, point)) continue;
    wanted.requests.push_back(request_at(point));
    wanted.requests.back().arch = context.workspace->state().arch;
    wanted.requests.back().device = context.workspace->state().device;
  }
  context.send(std::move(wanted));
}

// --- Measuring. ---

measure::Job job_of(const Context& context, int experiment, const PlotsState& kept) {
  const session::Experiment& shown = context.workspace->experiment(experiment);
  const int64_t size = measured_size(context, experiment);
  measure::Job job;
  job.request.kernel = shown.kernel();
  job.request.settings = shown.inputs().settings;
  job.request.size = {size, size, size};
  if (kept.tab == PlotTab::Counters) job.counters = run::hardware_counter_names();
  return job;
}

/// The rest of the curve or map on show, nearest first, without what was measured before or would take long.
std::vector<measure::Job> jobs_to_fill(const Context& context, const view::PlotData& data, const PlotsState& kept) {
  constexpr double kMostSeconds = 0.5;  // Of one launch, as predicted.
  std::vector<measure::Job> jobs;
  const bool is_curve = kept.tab == PlotTab::Parameter || kept.tab == PlotTab::Size || kept.tab == PlotTab::Heat;
  if (!is_curve || is_covered(context.hidden, kept.tab)) return jobs;
  for (const view::PlotPoint& point : points_of(data, kept)) {
    const auto predicted = view::predicted_of(data, point);
    const bool known = view::find_figure(data, Provenance::Measured, *point.stage, point.params, point.size);
    if (known || (predicted && predicted->seconds > kMostSeconds)) continue;
    if (point.params == data.params && point.size == data.size) continue;  // It is measured first.
    jobs.push_back({request_at(point)});
  }
  return jobs;
}

void show_progress(const Context& context, const measure::Batch& batch) {
  const float height = ImGui::GetTextLineHeight() + 8 * context.scale, width = 120 * context.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float part = static_cast<float>(batch.done) / static_cast<float>(batch.total);
  ImGui::Dummy({width, height});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float top = at.y + height / 2 - 3 * context.scale, bottom = top + 6 * context.scale;
  list.AddRectFilled({at.x, top}, {at.x + width, bottom}, ink(context, Ink::Line), 3 * context.scale);
  list.AddRectFilled({at.x, top}, {at.x + width * part, bottom}, ink(context, Ink::Accent), 3 * context.scale);
}

void row_text(const Context& context, const std::string& words, Ink which) {
  need_characters(context, words);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({ImGui::CalcTextSize(words.c_str()).x, ImGui::GetTextLineHeight() + 8 * context.scale});
  ImGui::GetWindowDrawList()->AddText({at.x, at.y + 4 * context.scale}, ink(context, which), words.c_str());
}

void show_batch(const Context& context, const measure::MeasurementService& measuring) {
  const measure::Batch& batch = measuring.batch();
  show_progress(context, batch);
  next(context);
  row_text(context, tr_format("{} of {}", batch.done, batch.total), Ink::Text);
  next(context);
  if (show_chip(context, tr_later("Cancel"))) context.send(CancelMeasuring{});
}

/// The GPU's state, or why there is none, in the rest of the line; in a tooltip if that is too short.
void show_sentence(const Context& context) {
  const measure::MeasurementService& measuring = *context.measuring;
  // What went wrong, the latest first; not in the way of a measurement under way.
  std::vector<std::string> problems;
  if (!measuring.failure().empty()) problems.push_back(measuring.failure().text());
  for (const Diagnostic& problem : measuring.problems() | std::views::reverse) problems.push_back(text_of(problem));
  const bool warns = !problems.empty() && !measuring.state().running;
  const std::string device = recorded_device(context);
  const std::string words = warns                             ? problems.front()
                            : has_recordings(context, device) ? gpu_words(measuring.state(), measuring.recorded_on())
                                                              : tr_format("{}: bounds and predictions only", device);
  if (words.empty()) return;
  next(context, 12);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool is_brief = !warns && text_width(context, words) > room && !measuring.recorded_on().empty();
  const std::string part = shortened(context, is_brief ? gpu_words(measuring.state(), "") : words, room);
  row_text(context, part, warns ? Ink::Warning : Ink::Faint);
  if (const std::string& sentence = measuring.state().sentence.text(); !sentence.empty()) problems.push_back(sentence);
  if (!ImGui::IsItemHovered() || (problems.size() == 1 && problems.front() == part) || problems.empty()) return;
  const Tooltip tooltip;
  ImGui::PushTextWrapPos(420 * context.scale);
  for (const std::string& each : problems) show_text(context, each, Ink::Text);
  ImGui::PopTextWrapPos();
}

constexpr const char* kMeasureAll = tr_later("Measure all stages");

void show_measuring(const Context& context, PlotsState& kept) {
  const measure::MeasurementService& measuring = *context.measuring;
  next(context);
  if (show_chip(context, tr_later("large"), kept.large)) kept.large = !kept.large;
  if (measuring.batch().running()) return next(context), show_batch(context, measuring);
  if (measuring.can_measure()) {
    next(context);
    if (show_chip(context, tr_later("live"), kept.live)) kept.live = !kept.live;
    next(context);
    if (show_named_chip(context, kMeasureAll, with_key(kMeasureAll))) context.send(MeasureAll{});
  }
  show_sentence(context);
}

void show_sizes(const Context& context) {
  const measure::MeasurementService& measuring = *context.measuring;
  const kernel::Description& description = context.workspace->current().kernel().description;
  const std::string extents = kernel::used_extents(description);
  if (extents.empty()) return ImGui::Dummy({0, ImGui::GetFrameHeight()});  // The other choices follow on this line.
  const auto text_of_size = [&](int64_t side) {
    const int64_t n = view::plotted_size(description, side);
    return kernel::short_size_text(extents.substr(0, 1), {n, n, n});
  };
  const int64_t n = view::plotted_size(description, measuring.size(extents));
  const std::string named = extents.size() == 1 ? extents + " = " : "",
                    word = named + kernel::short_size_text(extents, {n, n, n});
  need_characters(context, word);
  const Popup popup("sizes", show_chip(context, fmt::format("{}##size", word)), context.scale);
  if (!popup) return;
  for (int64_t size = kLeastSize; size <= kMostSize; size *= 2) {
    if (ImGui::MenuItem(text_of_size(size).c_str(), nullptr, size == measuring.size(extents)))
      context.send(SetMeasuredSize{size, extents});
    context.note_widget(fmt::format("measured size {}", size));
  }
}

// --- What a plot lets choose. ---

/// The parameter of that name, else the first that is not `other`.
std::string known_parameter(const kernel::Description& description, const std::string& name,
                            const std::string& other = {}) {
  if (name != other && description.parameter(name)) return name;
  for (const kernel::Parameter& parameter : description.parameters)
    if (parameter.name != other) return parameter.name;
  return {};
}

void show_parameter_choice(const Context& context, const kernel::Description& description, const char* id,
                           std::string& chosen) {
  if (description.parameters.empty()) return;
  next(context);
  const Popup popup(id, show_chip(context, fmt::format("{}##{}", chosen, id)), context.scale);
  if (!popup) return;
  for (const kernel::Parameter& parameter : description.parameters) {
    if (ImGui::MenuItem(parameter.name.c_str(), nullptr, parameter.name == chosen)) chosen = parameter.name;
    context.note_widget(fmt::format("{} {}", id, parameter.name));
  }
}

void show_quantity(const Context& context, PlotsState& kept) {
  const bool time = kept.quantity == view::Quantity::Time;
  next(context);
  if (show_chip(context, tr_later("time"), time)) kept.quantity = time ? view::Quantity::Speed : view::Quantity::Time;
}

/// Times this machine's CPU, for the ladder.
void show_cpu_choice(const Context& context) {
  const measure::MeasurementService& measuring = *context.measuring;
  next(context);
  if (show_chip(context, tr_later("CPU"), measuring.measuring_cpu() || !measuring.cpu().empty()))
    context.send(MeasureCpu{});
}

void show_choices(const Context& context, const kernel::Description& description, PlotsState& kept) {
  kept.parameter = known_parameter(description, kept.parameter);
  kept.second = known_parameter(description, kept.second, kept.parameter);
  if (kept.tab == PlotTab::Parameter || kept.tab == PlotTab::Heat)
    show_parameter_choice(context, description, "over", kept.parameter);
  if (kept.tab == PlotTab::Heat) show_parameter_choice(context, description, "and over", kept.second);
  const bool over = kept.tab == PlotTab::Parameter || kept.tab == PlotTab::Size;
  if (over) show_quantity(context, kept);
  if (kept.tab == PlotTab::Ladder && starts_programs()) show_cpu_choice(context);
  if (kept.tab != PlotTab::Size) return;
  next(context);
  if (show_chip(context, tr_later("log"), kept.log)) kept.log = !kept.log;
}

// --- The plot. ---

view::Plot make_plot(const view::PlotData& data, const view::Canvas& canvas, const PlotsState& kept) {
  const view::PlotRange& zoom = kept.ranges[static_cast<size_t>(kept.tab)];
  switch (kept.tab) {
    case PlotTab::Parameter: return view::parameter_plot(data, canvas, kept.parameter, kept.quantity, zoom);
    case PlotTab::Size: return view::size_plot(data, canvas, kept.quantity, kept.log, zoom);
    case PlotTab::Heat: return view::heat_plot(data, canvas, kept.parameter, kept.second);
    case PlotTab::Roofline: return view::roofline_plot(data, canvas, zoom);
    case PlotTab::Bound: return view::bound_plot(data, canvas);
    case PlotTab::Counters: return view::counters_plot(data, canvas);
    default: return view::ladder_plot(data, canvas);
  }
}

PlotKey plot_key_of(const Context& context, int experiment, const view::Canvas& canvas, PlotsState& kept) {
  PlotKey key;
  key.tab = kept.tab;
  key.parameter = kept.parameter;
  key.second = kept.second;
  key.quantity = kept.quantity;
  key.log = kept.log;
  key.zoom = kept.ranges[static_cast<size_t>(kept.tab)];
  key.configuration = configuration_text(context, experiment, kept);
  key.has_run = context.workspace->experiment(experiment).traced() != nullptr;
  key.figures = context.measuring->version();
  key.device = context.measuring->state().device;
  key.arch = context.workspace->state().arch + context.workspace->state().device;
  key.predicted = may_be_predicted(context, context.workspace->experiment(experiment));
  key.counted = context.counter ? context.counter->version() : 0;
  key.canvas = CanvasKey(canvas);
  return key;
}

/// The wheel zooms about the mouse, dragging pans, a double click shows all again.
void zoom_and_pan(const PictureEvents& events, const view::Plot& plot, PlotsState& kept) {
  view::PlotRange& zoom = kept.ranges[static_cast<size_t>(kept.tab)];
  if (events.double_clicked) zoom = {};
  if (!plot.x || !plot.y || (events.wheel == 0 && !events.dragged)) return;
  view::Axis x = *plot.x, y = *plot.y;
  if (events.wheel != 0) {
    const double factor = std::pow(0.85, events.wheel);
    x = view::zoomed(x, factor, events.mouse.x);
    y = view::zoomed(y, factor, events.mouse.y);
  }
  if (events.dragged) x = view::panned(x, events.drag.x), y = view::panned(y, events.drag.y);
  zoom = {std::pair{x.low, x.high}, std::pair{y.low, y.high}};
}

void follow(const Context& context, const view::PlotSpot& spot) {
  for (const session::Command& command : spot.go) context.send(command);
  if (spot.size <= 0) return;
  const kernel::Description& description = context.workspace->current().kernel().description;
  context.send(SetMeasuredSize{view::plotted_side(description, spot.size), kernel::used_extents(description)});
}

void answer(const Context& context, const PictureEvents& events, const view::Plot& plot, PlotsState& kept) {
  zoom_and_pan(events, plot, kept);
  const view::PlotSpot* spot = events.hovered ? view::spot_at(plot, events.mouse) : nullptr;
  if (!spot) return;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) show_tooltip_text(context, {spot->title, Ink::Strong, spot->lines});
  if (!spot->go.empty() || spot->size > 0) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (events.clicked) follow(context, *spot);
}

/// One more entry in the menu that every picture has.
void offer_table(const Context& context, const char* id, const view::Plot& plot) {
  if (plot.csv.empty() || !ImGui::BeginPopup(id)) return;
  if (ImGui::MenuItem(tr("Save as CSV"))) context.send(SavePicture{id, {}, false, plot.csv});
  context.note_widget("save as CSV");
  ImGui::EndPopup();
}

/// The kernel's blocks on an SM; above, how many it holds.
void show_sm(const Context& context, int experiment, PlotsState& kept) {
  const auto& traced = context.workspace->experiment(experiment).traced();
  if (show_chip(context, tr_later("large"), kept.large)) kept.large = !kept.large;
  if (!traced) return;
  const session::HiddenFacts& hidden = context.hidden;
  const std::string heading = view::sm_heading(*traced, hidden);
  next(context, 12);
  if (text_width(context, heading) <= ImGui::GetContentRegionAvail().x) {
    row_text(context, heading, Ink::Text);
  } else {
    ImGui::NewLine();
    show_wrapped(context, heading, Ink::Text);
  }
  view::Canvas canvas = canvas_here(context);
  if (kept.large) canvas.text = kLargeText;
  const view::Plot& plot = kept.sm.get({traced, hidden, CanvasKey(canvas)}, [&, &run = *traced] {
    return view::sm_plot(run, canvas, hidden.has(session::Fact::Resources));
  });
  const PictureEvents events = show_picture(context, "sm", plot.picture);
  offer_table(context, "sm", plot);
  answer(context, events, plot, kept);
}

/// The main loop's instructions, and which of them wait for the register file.
void show_registers(const Context& context, int experiment, PlotsState& kept) {
  const auto& traced = context.workspace->experiment(experiment).traced();
  if (show_chip(context, tr_later("large"), kept.large)) kept.large = !kept.large;
  if (!traced) return;
  view::Canvas canvas = canvas_here(context);
  if (kept.large) canvas.text = kLargeText;
  const session::HiddenFacts& hidden = context.hidden;
  const view::Plot& plot = kept.registers.get(
      {traced, hidden, CanvasKey(canvas)}, [&, &run = *traced] { return view::registers_plot(run, canvas, hidden); });
  const PictureEvents events = show_picture(context, "registers", plot.picture);
  offer_table(context, "registers", plot);
  answer(context, events, plot, kept);
}

void show_plot(const Context& context, int experiment, PlotsState& kept) {
  view::Canvas canvas = canvas_here(context);
  if (kept.large) canvas.text = kLargeText;
  const PlotKey key = plot_key_of(context, experiment, canvas, kept);
  ask_for_works(context, experiment, key, kept);
  const view::Plot& plot =
      kept.plot.get(key, [&] { return make_plot(data_of(context, experiment, kept), canvas, kept); });
  const char* name = kTabs[static_cast<size_t>(kept.tab)].name.data();
  const PictureEvents events = show_picture(context, name, plot.picture);
  offer_table(context, name, plot);
  answer(context, events, plot, kept);
}

}  // namespace

std::string gpu_words(const measure::State& state, const std::string& recorded_on) {
  if (state.running)
    return fmt::format("{} {}", tr(std::string_view(to_string(state.running->phase))),
                       state.running->samples ? fmt::format("{}", state.running->samples) : "");
  if (state.agent != measure::State::Agent::Missing) return state.sentence.text();
  if (!starts_programs()) return recorded_on.empty() ? "" : tr_format("recordings of {}", recorded_on);
  return recorded_on.empty() ? tr("no GPU here") : tr_format("recordings of {}; no GPU here", recorded_on);
}

void follow_with_measurements(const Context& context, int experiment, PlotsState& kept) {
  if (!context.measuring || !kept.live || !context.measuring->can_measure()) return;
  std::string wanted = configuration_text(context, experiment, kept);
  if (kept.tab == PlotTab::Counters) wanted += " counters";
  if (wanted != kept.measured && !std::exchange(kept.filled, {}).empty()) context.send(FillPlot{});
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::GetIO().WantTextInput) return;
  if (wanted != kept.measured) context.send(Measure{job_of(context, experiment, kept)});
  std::string plot = fmt::format("{} {} {} {}", wanted, static_cast<int>(kept.tab), kept.parameter, kept.second);
  kept.measured = std::move(wanted);
  if (plot == kept.filled) return;
  kept.filled = std::move(plot);
  context.send(FillPlot{jobs_to_fill(context, data_of(context, experiment, kept), kept)});
}

std::vector<std::pair<PlotTab, const char*>> plot_tabs() {
  std::vector<std::pair<PlotTab, const char*>> tabs;
  for (const TabWord& each : kTabs) tabs.emplace_back(each.tab, each.word);
  return tabs;
}

Result<std::monostate> choose_plot(PlotsState& kept, const std::string& name) {
  std::string names;
  for (const TabWord& each : kTabs) {
    if (each.name == name) {
      kept.tab = each.tab;
      kept.named = true;
    }
    if (each.name == name || name.empty()) return std::monostate{};
    names.append(names.empty() ? "" : ", ").append(each.name);
  }
  return error(fmt::format("There is no plot called {}. There are: {}.", name, names));
}

std::string recorded_speed(const Context& context, int experiment, PlotsState& kept, const view::Params& params) {
  if (!context.measuring || context.hidden.has(session::Fact::Speed)) return {};
  keep_digests(*context.workspace, context.workspace->experiment(experiment).kernel(), kept);
  const view::PlotData data = data_of(context, experiment, kept);
  const store::Measurement* figure = view::find_figure(data, Provenance::Recorded, data.shown, params, data.size);
  if (!figure) return {};
  return view::with_unit(view::amount_of(data, params, figure->subject.m) / figure->seconds.median,
                         view::speed_unit(data));
}

void choose_emphasised(PlotsState& kept, const std::vector<std::string>& names, bool resources) {
  const auto chosen = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    const std::optional<PlotTab> tab = tab_meant(name);
    return tab && (resources || tab != PlotTab::Resources);
  });
  if (chosen != names.end() && !kept.named) kept.tab = *tab_meant(*chosen);
  kept.named = false;
}

void show_plots(const Context& context, int experiment, PlotsState& kept, const std::function<void()>& show_resources) {
  const ImVec2 top = ImGui::GetCursorScreenPos();
  if (!context.measuring) {
    show_findings(context, experiment, kept.findings);
    return dim_earlier_result(context, experiment, top);
  }
  const view::FindingList* findings = findings_now(context, experiment, kept.findings);
  const bool product = is_product(context.workspace->experiment(experiment));
  choose_tab(context, static_cast<bool>(show_resources), product, findings ? findings->count : 0, kept);
  if (kept.tab == PlotTab::Findings || kept.tab == PlotTab::Resources) {
    const Child child(kept.tab == PlotTab::Findings ? "findings" : "resources");
    if (!child) return;
    kept.tab == PlotTab::Findings ? show_findings(context, experiment, kept.findings) : show_resources();
    return dim_earlier_result(context, experiment, ImGui::GetWindowPos());
  }
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(8 * context.scale, 4 * context.scale));
  if (kept.tab == PlotTab::Sm || kept.tab == PlotTab::Registers) {
    kept.tab == PlotTab::Sm ? show_sm(context, experiment, kept) : show_registers(context, experiment, kept);
    return dim_earlier_result(context, experiment, from);
  }
  if (is_covered(context.hidden, kept.tab)) {
    const int later = context.hidden.has(session::Fact::Speed) ? context.hidden.asked_in(session::Fact::Speed)
                                                               : context.hidden.asked_in(session::Fact::Totals);
    show_wrapped(context, view::covered_text(later), Ink::Text);
    return context.note_place("covered plot");
  }
  show_sizes(context);
  show_choices(context, context.workspace->experiment(experiment).kernel().description, kept);
  show_measuring(context, kept);
  show_plot(context, experiment, kept);
}

}  // namespace tilescope::ui
