#include "session/state_file.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/words.h"
#include "compile/compile.h"

namespace tilescope::session {
namespace {
using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr size_t kLargestFile = size_t{16} << 20;
constexpr int64_t kLargestNumber = int64_t{1} << 40;

Json to_json(const Inputs& inputs) {
  Json json{{"kernel", inputs.kernel},
            {"source", nullptr},
            {"settings", Json::object()},
            {"size", {{"m", inputs.size.m}, {"n", inputs.size.n}, {"k", inputs.size.k}}},
            {"block", {{"x", inputs.block_x}, {"y", inputs.block_y}, {"z", inputs.block_z}}}};
  if (inputs.source) json["source"] = *inputs.source;
  for (const auto& [name, value] : inputs.settings) json["settings"][name] = value;
  return json;
}

/// States of before have no texts.
void read_edited(JsonReader& reader, State& state) {
  if (reader.is_null("edited")) return;
  for (const auto& [kernel, text] : reader.object("edited").items()) {
    if (text.is_string() && text.get_ref<const std::string&>().size() <= compile::kMaxSourceBytes)
      state.edited[kernel] = text.get<std::string>();
    else
      reader.report(fmt::format("the text of {} is not one of at most {} bytes", kernel, compile::kMaxSourceBytes));
  }
}

/// The one of `values` whose name the field holds.
template <class Values>
auto named(JsonReader& reader, const char* key, const Values& values) {
  const std::string name = reader.text(key);
  const auto found = std::find_if(values.begin(), values.end(), [&](auto value) { return to_string(value) == name; });
  if (found != values.end()) return *found;
  reader.report(fmt::format("{} is \"{}\", which means nothing here", key, name));
  return values.front();
}

float real(JsonReader& reader, const char* key, float low, float high) {
  const double value = reader.number(key);
  if (value >= low && value <= high) return static_cast<float>(value);
  reader.report(fmt::format("{} is {}, which is not from {} to {}", key, value, low, high));
  return low;
}

void read_settings(JsonReader& reader, kernel::Settings& settings) {
  for (const auto& [name, value] : reader.object("settings").items()) {
    if (value.is_string())
      settings[name] = value.get<std::string>();
    else
      reader.report(fmt::format("the setting {} is not a string", name));
  }
}

Inputs read_inputs(const Json& json, JsonReader& parent) {
  JsonReader reader(json, "the run");
  Inputs inputs;
  inputs.kernel = reader.text("kernel");
  if (!reader.is_null("source")) inputs.source = reader.text("source");
  if (inputs.source && inputs.source->size() > compile::kMaxSourceBytes)
    reader.report(
        fmt::format("its source has {} bytes; the limit is {}", inputs.source->size(), compile::kMaxSourceBytes));
  read_settings(reader, inputs.settings);
  JsonReader size(reader.object("size"), "its size");
  inputs.size = {size.integer("m", 1, kLargestNumber), size.integer("n", 1, kLargestNumber),
                 size.integer("k", 1, kLargestNumber)};
  JsonReader block(reader.object("block"), "its block");
  inputs.block_x = block.count<uint32_t>("x");
  inputs.block_y = block.count<uint32_t>("y");
  if (!block.is_null("z")) inputs.block_z = block.count<uint32_t>("z");  // The first states had none.
  for (JsonReader* part : {&reader, &size, &block}) parent.take(*part);
  return inputs;
}

void read_place(JsonReader& reader, State& state) {
  JsonReader cursor(reader.object("cursor"), "the cursor");
  state.cursor = {cursor.count<uint32_t>("warp"), cursor.count<uint32_t>("step")};
  state.lane = static_cast<uint32_t>(cursor.integer("lane", 0, 31));
  reader.take(cursor);
  for (const Json& line : reader.list("breakpoints")) {
    if (line.is_number_integer())
      state.breakpoints.insert(line.get<int>());
    else
      reader.report("a breakpoint is not a line number");
  }
}

void read_view(JsonReader& reader, State& state) {
  JsonReader view(reader.object("view"), "the view");
  state.scale = named(view, "scale", kScales);
  if (!view.is_null("order")) state.order = named(view, "order", kOrders);  // The first states had none.
  state.zoom = real(view, "zoom", 1e-3f, 1e6f);
  state.pan_x = real(view, "pan_x", -1e6f, 1e6f);
  state.pan_y = real(view, "pan_y", -1e6f, 1e6f);
  state.unit = named(view, "unit", analysis::kUnits);
  state.speed = real(view, "speed", 1e-3f, 1e6f);
  state.theme = named(view, "theme", kThemes);
  if (!view.is_null("language")) state.language = view.text("language");  // Likewise.
  if (!view.is_null("clock")) state.clock = view.flag("clock");  // Likewise.
  state.present = view.flag("present");
  state.ui_scale = real(view, "ui_scale", 0.1f, 16);
  reader.take(view);
}

State read_state(JsonReader& reader) {
  State state;
  state.inputs = read_inputs(reader.object("run"), reader);
  if (!reader.is_null("compared")) state.compared = read_inputs(reader.object("compared"), reader);
  state.arch = reader.text("arch");
  if (!reader.is_null("compiler"))
    state.compiler = named(reader, "compiler", compile::kChoices);  // The first states had none.
  state.lesson = reader.text("lesson");
  state.lesson_step = reader.count<uint32_t>("lesson_step");
  if (!reader.is_null("exploring")) state.exploring = reader.flag("exploring");  // Likewise.
  read_edited(reader, state);
  read_place(reader, state);
  read_view(reader, state);
  return state;
}

}  // namespace

std::string to_text(const State& state) {
  Json json{{"tilescope_state", kVersion}, {"run", to_json(state.inputs)}, {"compared", nullptr}};
  if (state.compared) json["compared"] = to_json(*state.compared);
  json["arch"] = state.arch;
  json["compiler"] = to_string(state.compiler);
  json["lesson"] = state.lesson;
  json["lesson_step"] = state.lesson_step;
  json["exploring"] = state.exploring;
  json["edited"] = Json::object();
  for (const auto& [kernel, text] : state.edited) json["edited"][kernel] = text;
  json["cursor"] = {{"warp", state.cursor.warp}, {"step", state.cursor.step}, {"lane", state.lane}};
  json["breakpoints"] = state.breakpoints;
  json["view"] = {{"scale", to_string(state.scale)},
                  {"order", to_string(state.order)},
                  {"zoom", state.zoom},
                  {"pan_x", state.pan_x},
                  {"pan_y", state.pan_y},
                  {"unit", to_string(state.unit)},
                  {"speed", state.speed},
                  {"theme", to_string(state.theme)},
                  {"language", state.language},
                  {"clock", state.clock},
                  {"present", state.present},
                  {"ui_scale", state.ui_scale}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<State> state_from(std::string_view text) {
  const Result<Json> json =
      parse_versioned(text, "tilescope_state", kVersion, Message("This is not a Tilescope state file."));
  if (!json) return json.errors();
  JsonReader reader(*json, "the state");
  State state = read_state(reader);
  if (!reader.problems().empty()) return error(Message("It is damaged: {}", reader.problems().front().message));
  return state;
}

Result<State> load_state(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, kLargestFile);
  if (!text) return text.errors();
  Result<State> state = state_from(*text);
  if (!state) return error(Message("{}: {}", file.string(), state.errors().front().message));
  return state;
}

Result<std::monostate> save_state(const State& state, const std::filesystem::path& file) {
  std::error_code problem;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), problem);
  return write_file(file, to_text(state));
}

}  // namespace tilescope::session
