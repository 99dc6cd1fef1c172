#include "ui/plots.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "compile/hash.h"
#include "measure/desk.h"
#include "ui/findings.h"
#include "ui/picture_view.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using store::Provenance;
using view::Ink;

constexpr size_t kDigestDigits = 16;
constexpr int kFramesToSettle = 4;  ///< Glyphs that were missing have their width by then.
constexpr float kLargeText = 18;
constexpr int64_t kLeastSize = 256, kMostSize = 8192;

struct TabWord {
  PlotTab tab;
  const char *word, *short_word;  ///< On the tab, as there is room.
  std::string_view name;          ///< Of its picture, too.
};
constexpr std::array<TabWord, kPlotTabs> kTabs{
    {{PlotTab::Ladder, tr_later("Ladder"), tr_later("Ladder"), "ladder"},
     {PlotTab::Parameter, tr_later("Parameter"), tr_later("Param."), "parameter"},
     {PlotTab::Size, tr_later("Size"), tr_later("Size"), "size"},
     {PlotTab::Heat, tr_later("Heat map"), tr_later("Heat"), "heat"},
     {PlotTab::Roofline, tr_later("Roofline"), tr_later("Roof"), "roofline"},
     {PlotTab::Bound, tr_later("Bound"), tr_later("Bound"), "bound"},
     {PlotTab::Resources, tr_later("Resources"), tr_later("Usage"), "resources"},
     {PlotTab::Findings, tr_later("Findings"), tr_later("Checks"), "findings"}}};

int show_tabs_in_two_rows(const Context& context, const std::vector<std::string>& words, int chosen) {
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(8 * context.scale, 0));
  const auto half = static_cast<int>(words.size() / 2);
  const int first = show_tabs(context, "plot", {words.begin(), words.begin() + half}, chosen);
  const int second = show_tabs(context, "plot", {words.begin() + half, words.end()}, chosen - half);
  return second >= 0 ? half + second : first;
}

/// Tabs side by side; the one for resources only where they have no place of their own.
void choose_tab(const Context& context, bool resources, PlotsKept& kept) {
  std::vector<std::string> words, short_words;
  std::vector<PlotTab> tabs;
  int chosen = 0;
  for (const TabWord& each : kTabs) {
    if (each.tab == PlotTab::Resources && !resources) continue;
    if (each.tab == kept.tab) chosen = static_cast<int>(tabs.size());
    words.emplace_back(each.word);
    short_words.emplace_back(each.short_word);
    tabs.push_back(each.tab);
  }
  const float room = ImGui::GetContentRegionAvail().x;
  if (tabs_width(context, words) > room) words = short_words;
  int clicked = -1;
  if (tabs_width(context, words) <= room)
    clicked = show_tabs(context, "plot", words, chosen);
  else
    clicked = show_tabs_in_two_rows(context, words, chosen);
  kept.tab = tabs[static_cast<size_t>(clicked >= 0 ? clicked : chosen)];
}

/// The tab that a name in a scene's `emphasise` means.
std::optional<PlotTab> tab_meant(std::string_view name) {
  if (name == "bound") return PlotTab::Bound;
  if (name == "plot") return PlotTab::Roofline;
  if (name == "ladder") return PlotTab::Ladder;
  if (name == "findings") return PlotTab::Findings;
  if (name == "registers" || name == "occupancy" || name == "resources") return PlotTab::Resources;
  return std::nullopt;
}

/// Bounds are made of counts.
bool is_covered(const session::Cover& cover, PlotTab tab) {
  return cover.speed || (cover.counts && (tab == PlotTab::Bound || tab == PlotTab::Roofline));
}

// --- What is drawn from. ---

std::string digest_of(const std::string& source) { return compile::sha256(source).substr(0, kDigestDigits); }

void keep_digests(const session::Workspace& workspace, const kernel::Kernel& shown, PlotsKept& kept) {
  for (const kernel::Kernel& kernel : workspace.catalogue().kernels)
    if (!kept.digests.contains(kernel.name)) kept.digests[kernel.name] = digest_of(kernel.source);
  if (kept.source == shown.source) return;
  kept.source = shown.source;
  kept.digest = digest_of(shown.source);
}

/// The values that the sliders stand at; a text that is no number is passed over.
view::Params params_of(const kernel::Description& description, const kernel::Settings& settings) {
  view::Params params = view::default_params(description);
  for (auto& [name, value] : params)
    if (const auto set = settings.find(name); set != settings.end())
      std::from_chars(set->second.data(), set->second.data() + set->second.size(), value);
  return params;
}

/// The device of the newest figure of a provenance; the agent's own where there is one.
std::string device_of(const measure::Desk& desk, Provenance provenance) {
  if (provenance == Provenance::Measured && !desk.state().device.empty()) return desk.state().device;
  const store::Measurement* newest = nullptr;
  for (const store::Measurement& figure : desk.figures())
    if (figure.provenance == provenance && (!newest || figure.date > newest->date)) newest = &figure;
  return newest ? newest->subject.device : "";
}

view::PlotData data_of(const Context& context, int experiment, PlotsKept& kept) {
  const session::Workspace& workspace = *context.workspace;
  const session::Experiment& shown = workspace.experiment(experiment);
  const measure::Desk& desk = *context.measuring;
  keep_digests(workspace, shown.kernel(), kept);
  view::PlotData data;
  for (const kernel::Kernel& kernel : workspace.catalogue().kernels)
    data.stages.push_back({&kernel, kept.digests[kernel.name]});
  data.shown = {&shown.kernel(), kept.digest};
  data.params = params_of(shown.kernel().description, shown.inputs().settings);
  data.figures = desk.figures();
  data.history = desk.history();
  data.devices = desk.devices();
  data.size = desk.size();
  if (context.counter) data.counted = context.counter->counted();
  data.measured_on = device_of(desk, Provenance::Measured);
  data.recorded_on = device_of(desk, Provenance::Recorded);
  return data;
}

// --- Counting. ---

void ask_for_work(const Context& context, const view::PlotData& data, const kernel::Kernel& kernel,
                  const view::Params& params) {
  session::Request request;
  request.kernel = kernel;
  for (const auto& [name, value] : params) request.settings[name] = std::to_string(value);
  request.size = {data.size, data.size, data.size};
  request.arch = context.workspace->state().arch;
  context.counter->ask(request);
}

bool has_figure(const view::PlotData& data, const view::PlotStage& stage, const view::Params& params) {
  return view::find_figure(data, Provenance::Measured, stage, params, data.size) ||
         view::find_figure(data, Provenance::Recorded, stage, params, data.size);
}

/// Has counted what the plot that is on show needs: the ladder for stages without a figure alone.
void ask_for_works(const Context& context, const view::PlotData& data, PlotTab tab) {
  if (!context.counter || context.measuring->loading()) return;
  const auto ask = [&](const view::PlotStage& stage, const view::Params& params) {
    if (tab != PlotTab::Ladder || !has_figure(data, stage, params)) ask_for_work(context, data, *stage.kernel, params);
  };
  if (tab == PlotTab::Ladder || tab == PlotTab::Bound || tab == PlotTab::Roofline) ask(data.shown, data.params);
  if (tab != PlotTab::Ladder && tab != PlotTab::Roofline) return;
  for (const view::PlotStage& stage : data.stages) ask(stage, view::default_params(stage.kernel->description));
}

// --- Measuring. ---

std::string configuration_text(const view::PlotData& data) {
  return fmt::format("{} {} {} {}", data.shown.kernel->name, data.shown.hash, view::params_text(data.params),
                     data.size);
}

measure::Job job_of(const Context& context, int experiment) {
  const session::Experiment& shown = context.workspace->experiment(experiment);
  const int64_t size = context.measuring->size();
  measure::Job job;
  job.kernel = shown.kernel();
  job.settings = shown.inputs().settings;
  job.size = {size, size, size};
  return job;
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

void show_batch(const Context& context, measure::Desk& desk) {
  const measure::Batch& batch = desk.batch();
  show_progress(context, batch);
  next(context);
  row_text(context, tr_format("{} of {}", batch.done, batch.total), Ink::Text);
  next(context);
  if (show_chip(context, tr_later("Cancel"))) desk.cancel();
}

/// What the GPU does, or why there is none, in what room is left of the line.
void show_sentence(const Context& context, const measure::Desk& desk) {
  const measure::State& state = desk.state();
  const std::string words = !desk.failure().empty() ? desk.failure().text()
                            : state.running != 0    ? fmt::format("{} {}", tr(std::string_view(state.phase)),
                                                               state.samples ? fmt::format("{}", state.samples) : "")
                                                    : state.sentence.text();
  if (words.empty()) return;
  next(context, 12);
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string part = shortened(context, words, room);
  row_text(context, part, desk.failure().empty() ? Ink::Faint : Ink::Warning);
  if (ImGui::IsItemHovered() && part != words) {
    const Tooltip tooltip;
    ImGui::PushTextWrapPos(420 * context.scale);
    show_text(context, words, Ink::Text);
    ImGui::PopTextWrapPos();
  }
}

void show_measuring(const Context& context, PlotsKept& kept) {
  measure::Desk& desk = *context.measuring;
  next(context);
  if (show_chip(context, tr_later("large"), kept.large)) kept.large = !kept.large;
  if (desk.batch().running()) return next(context), show_batch(context, desk);
  if (desk.can_measure()) {
    next(context);
    if (show_chip(context, tr_later("live"), kept.live)) kept.live = !kept.live;
    next(context);
    if (show_chip(context, tr_later("Measure all stages  F5"))) desk.measure_all(context.workspace->catalogue());
  }
  show_sentence(context, desk);
}

void show_sizes(const Context& context) {
  measure::Desk& desk = *context.measuring;
  const std::string word = fmt::format("{}³", desk.size());
  need_characters(context, word);
  const Popup popup("sizes", show_chip(context, fmt::format("{}##size", word)), context.scale);
  if (!popup) return;
  for (int64_t size = kLeastSize; size <= kMostSize; size *= 2) {
    if (ImGui::MenuItem(fmt::format("{}", size).c_str(), nullptr, size == desk.size())) desk.set_size(size);
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

void show_quantity(const Context& context, PlotsKept& kept) {
  const bool time = kept.quantity == view::Quantity::Time;
  next(context);
  if (show_chip(context, tr_later("time"), time)) kept.quantity = time ? view::Quantity::Speed : view::Quantity::Time;
}

void show_choices(const Context& context, const kernel::Description& description, PlotsKept& kept) {
  kept.parameter = known_parameter(description, kept.parameter);
  kept.second = known_parameter(description, kept.second, kept.parameter);
  if (kept.tab == PlotTab::Parameter || kept.tab == PlotTab::Heat)
    show_parameter_choice(context, description, "over", kept.parameter);
  if (kept.tab == PlotTab::Heat) show_parameter_choice(context, description, "and over", kept.second);
  if (kept.tab == PlotTab::Parameter || kept.tab == PlotTab::Size) show_quantity(context, kept);
  if (kept.tab != PlotTab::Size) return;
  next(context);
  if (show_chip(context, tr_later("log"), kept.log)) kept.log = !kept.log;
}

// --- The plot. ---

view::Plot make_plot(const view::PlotData& data, const view::Canvas& canvas, const PlotsKept& kept) {
  const view::PlotRange& zoom = kept.ranges[static_cast<size_t>(kept.tab)];
  switch (kept.tab) {
    case PlotTab::Parameter: return view::parameter_plot(data, canvas, kept.parameter, kept.quantity, zoom);
    case PlotTab::Size: return view::size_plot(data, canvas, kept.quantity, kept.log, zoom);
    case PlotTab::Heat: return view::heat_plot(data, canvas, kept.parameter, kept.second);
    case PlotTab::Roofline: return view::roofline_plot(data, canvas, zoom);
    case PlotTab::Bound: return view::bound_plot(data, canvas);
    default: return view::ladder_plot(data, canvas);
  }
}

std::string range_text(const std::optional<std::pair<double, double>>& range) {
  return range ? fmt::format("{}-{}", range->first, range->second) : "";
}

/// What the choices above the plot come to.
std::string choice_text(const PlotsKept& kept) {
  const view::PlotRange& zoom = kept.ranges[static_cast<size_t>(kept.tab)];
  return fmt::format("{} {} {} {} {} {} {}", static_cast<int>(kept.tab), kept.parameter, kept.second,
                     static_cast<int>(kept.quantity), kept.log, range_text(zoom.x), range_text(zoom.y));
}

/// Made anew when what it shows is another.
void keep_plot(const Context& context, const view::PlotData& data, const view::Canvas& canvas, PlotsKept& kept) {
  std::string key =
      fmt::format("{} {} {} {} {} {} {} {}", choice_text(kept), context.measuring->version(), data.counted.size(),
                  configuration_text(data), canvas.width, canvas.height, context.scale, data.measured_on);
  kept.age = key == kept.key ? kept.age + 1 : 0;
  if (kept.age > kFramesToSettle) return;
  kept.key = std::move(key);
  ask_for_works(context, data, kept.tab);
  kept.plot = make_plot(data, canvas, kept);
}

void show_spot(const Context& context, const view::PlotSpot& spot) {
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2(12 * context.scale, 9 * context.scale));
  const Tooltip tooltip;
  need_characters(context, spot.title);
  show_text(context, spot.title, Ink::Strong, context.fonts.bold);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * context.scale);
  for (const std::string& line : spot.lines) {
    need_characters(context, line);
    show_text(context, line, Ink::Text);
  }
  ImGui::PopTextWrapPos();
}

/// The wheel zooms about the mouse, dragging pans, a double click shows all again.
void zoom_and_pan(const PictureEvents& events, PlotsKept& kept) {
  view::PlotRange& zoom = kept.ranges[static_cast<size_t>(kept.tab)];
  if (events.double_clicked) zoom = {};
  if (!kept.plot.x || !kept.plot.y || (events.wheel == 0 && !events.dragged)) return;
  view::Axis x = *kept.plot.x, y = *kept.plot.y;
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
  if (spot.size > 0) context.measuring->set_size(spot.size);
}

void answer(const Context& context, const PictureEvents& events, PlotsKept& kept) {
  zoom_and_pan(events, kept);
  const view::PlotSpot* spot = events.hovered ? view::spot_at(kept.plot, events.mouse) : nullptr;
  if (!spot) return;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) show_spot(context, *spot);
  if (!spot->go.empty() || spot->size > 0) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (events.clicked) follow(context, *spot);
}

/// One more entry in the menu that every picture has.
void offer_table(const Context& context, const char* id, const view::Plot& plot) {
  if (plot.csv.empty() || !context.pictures || !context.pictures->saved || !ImGui::BeginPopup(id)) return;
  if (ImGui::MenuItem(tr("Save as CSV"))) context.pictures->saved->push_back({id, {}, false, plot.csv});
  context.note_widget("save as CSV");
  ImGui::EndPopup();
}

void show_plot(const Context& context, int experiment, PlotsKept& kept) {
  const view::PlotData data = data_of(context, experiment, kept);
  view::Canvas canvas = canvas_here(context);
  if (kept.large) canvas.text = kLargeText;
  keep_plot(context, data, canvas, kept);
  const char* name = kTabs[static_cast<size_t>(kept.tab)].name.data();
  const PictureEvents events = show_picture(context, name, kept.plot.picture);
  offer_table(context, name, kept.plot);
  answer(context, events, kept);
}

}  // namespace

void follow_with_measurements(const Context& context, int experiment, PlotsKept& kept) {
  if (!context.measuring || !kept.live || !context.measuring->can_measure()) return;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::GetIO().WantTextInput) return;
  std::string wanted = configuration_text(data_of(context, experiment, kept));
  if (wanted == kept.measured) return;
  kept.measured = std::move(wanted);
  context.measuring->measure(job_of(context, experiment));
}

Result<std::monostate> choose_plot(PlotsKept& kept, const std::string& name) {
  std::string names;
  for (const TabWord& each : kTabs) {
    if (each.name == name) kept.tab = each.tab, kept.named = true;
    if (each.name == name || name.empty()) return std::monostate{};
    names.append(names.empty() ? "" : ", ").append(each.name);
  }
  return error(fmt::format("There is no plot called {}. There are: {}.", name, names));
}

void choose_emphasised(PlotsKept& kept, const std::vector<std::string>& names, bool resources) {
  const auto chosen = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    const std::optional<PlotTab> tab = tab_meant(name);
    return tab && (resources || tab != PlotTab::Resources);
  });
  if (chosen != names.end() && !kept.named) kept.tab = *tab_meant(*chosen);
  kept.named = false;
}

void show_plots(const Context& context, int experiment, PlotsKept& kept, const std::function<void()>& show_resources) {
  if (!context.measuring) return show_findings(context, experiment);
  choose_tab(context, static_cast<bool>(show_resources), kept);
  if (kept.tab == PlotTab::Findings || kept.tab == PlotTab::Resources) {
    const Child child(kept.tab == PlotTab::Findings ? "findings" : "resources");
    if (child) kept.tab == PlotTab::Findings ? show_findings(context, experiment) : show_resources();
    return;
  }
  if (is_covered(context.cover, kept.tab)) {
    show_wrapped(context, tr("This plot will be here once you have answered."), Ink::Text);
    return context.note_widget("covered plot");
  }
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(8 * context.scale, 4 * context.scale));
  show_sizes(context);
  show_choices(context, context.workspace->experiment(experiment).kernel().description, kept);
  show_measuring(context, kept);
  show_plot(context, experiment, kept);
}

}  // namespace tilescope::ui
