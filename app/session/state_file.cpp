#include "session/state_file.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/words.h"
#include "compile/compile.h"
#include "session/state_fields.h"

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

using FormArgument = kernel::FormArgument;
using LaunchForm = kernel::LaunchForm;
constexpr std::array<std::pair<const char*, std::string FormArgument::*>, 7> kArgumentTexts = {
    {{"parameter", &FormArgument::parameter},
     {"name", &FormArgument::name},
     {"element", &FormArgument::element},
     {"role", &FormArgument::role},
     {"shape", &FormArgument::shape},
     {"initial", &FormArgument::initial},
     {"value", &FormArgument::value}}};
constexpr std::array<std::pair<const char*, std::string LaunchForm::*>, 6> kFormTexts = {
    {{"title", &LaunchForm::title},
     {"entry", &LaunchForm::entry},
     {"block", &LaunchForm::block},
     {"grid", &LaunchForm::grid},
     {"shared_bytes", &LaunchForm::shared_bytes},
     {"reference", &LaunchForm::reference}}};

Json to_json(const LaunchForm& form) {
  Json json{{"square", form.square}, {"guessed", form.guessed}, {"size", nullptr}, {"arguments", Json::array()}};
  for (const auto& [name, text] : kFormTexts) json[name] = form.*text;
  if (form.size) json["size"] = *form.size;
  for (const FormArgument& argument : form.arguments) {
    Json& each = json["arguments"].emplace_back(Json{{"is_array", argument.is_array}, {"guessed", argument.guessed}});
    for (const auto& [name, text] : kArgumentTexts) each[name] = argument.*text;
  }
  return json;
}

LaunchForm read_form(const Json& json, JsonReader& parent) {
  JsonReader reader(json, "a launch form");
  LaunchForm form;
  for (const auto& [name, text] : kFormTexts) form.*text = reader.text(name);
  form.square = reader.flag("square");
  form.guessed = reader.flag("guessed");
  if (!reader.is_null("size")) {
    const Json& size = reader.list("size");
    const auto is_extent = [](const Json& each) {
      return each.is_number_integer() && each.get<int64_t>() > 0 && each.get<int64_t>() <= kLargestNumber;
    };
    if (size.size() == 3 && std::ranges::all_of(size, is_extent))
      form.size = size.get<std::array<int64_t, 3>>();
    else
      reader.report("the size of a launch form is not three extents");
  }
  for (const Json& each : reader.list("arguments")) {
    JsonReader of_argument(each, "an argument of a launch form");
    FormArgument& argument = form.arguments.emplace_back();
    for (const auto& [name, text] : kArgumentTexts) argument.*text = of_argument.text(name);
    argument.is_array = of_argument.flag("is_array");
    argument.guessed = of_argument.flag("guessed");
    reader.take(of_argument);
  }
  parent.take(reader);
  return form;
}

/// States of before have none.
void read_forms(JsonReader& reader, State& state) {
  if (reader.is_null("forms")) return;
  for (const auto& [key, json] : reader.object("forms").items()) state.forms[key] = read_form(json, reader);
}

bool is_source(const Json& json) {
  return json.is_string() && json.get_ref<const std::string&>().size() <= compile::kMaxSourceBytes;
}

/// States of before have no texts, or do not say what they were made from.
void read_edited(JsonReader& reader, State& state) {
  if (reader.is_null("edited")) return;
  for (const auto& [key, json] : reader.object("edited").items()) {
    const Json text = json.is_object() ? json.value("text", Json()) : json;
    const Json from = json.is_object() ? json.value("from", Json()) : Json("");
    if (is_source(text) && is_source(from))
      state.edited[key] = {text.get<std::string>(), from.get<std::string>()};
    else
      reader.report(fmt::format("the text of {} is not one of at most {} bytes", key, compile::kMaxSourceBytes));
  }
}

void read(JsonReader& reader, const StateField& field, std::string& value) { value = reader.text(field.key); }
void read(JsonReader& reader, const StateField& field, bool& value) { value = reader.flag(field.key); }

void read(JsonReader& reader, const StateField& field, uint32_t& value) {
  if (field.high == 0)
    value = reader.count<uint32_t>(field.key);
  else
    value = static_cast<uint32_t>(
        reader.integer(field.key, static_cast<int64_t>(field.low), static_cast<int64_t>(field.high)));
}

void read(JsonReader& reader, const StateField& field, float& value) {
  const double number = reader.number(field.key);
  if (number >= field.low && number <= field.high)
    value = static_cast<float>(number);
  else
    reader.report(fmt::format("{} is {}, which is not from {} to {}", field.key, number, field.low, field.high));
}

/// The name of an enumerator.
template <class Value>
void read(JsonReader& reader, const StateField& field, Value& value) {
  const std::string name = reader.text(field.key);
  const auto& all = names_of(value);
  const auto found = std::ranges::find_if(all, [&](Value each) { return to_string(each) == name; });
  if (found != all.end())
    value = *found;
  else
    reader.report(fmt::format("{} is \"{}\", which means nothing here", field.key, name));
}

template <class Value>
Json written(const Value& value) {
  if constexpr (std::is_enum_v<Value>)
    return to_string(value);
  else
    return value;
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

void read_breakpoints(JsonReader& reader, State& state) {
  for (const Json& line : reader.list("breakpoints")) {
    if (line.is_number_integer())
      state.breakpoints.insert(line.get<int>());
    else
      reader.report("a breakpoint is not a line number");
  }
}

/// What an older Tilescope did not write is as in a new state.
void read_fields(JsonReader& reader, State& state) {
  JsonReader cursor(reader.object("cursor"), "the cursor");
  JsonReader view(reader.object("view"), "the view");
  for_each_field(state, [&](const StateField& field, auto& value) {
    JsonReader& part = *field.part == 'c' ? cursor : *field.part == 'v' ? view : reader;
    if (!part.is_null(field.key)) read(part, field, value);
  });
  reader.take(cursor);
  reader.take(view);
}

constexpr std::array<std::pair<const char*, float Room::*>, 7> kParts = {{{"lesson", &Room::lesson},
                                                                          {"right", &Room::right},
                                                                          {"resources", &Room::resources},
                                                                          {"plots", &Room::plots},
                                                                          {"bottom", &Room::bottom},
                                                                          {"strip", &Room::strip},
                                                                          {"code", &Room::code}}};

Json to_json(const Room& room) {
  Json json{{"enlarged", room.enlarged}, {"presented", room.presented}};
  for (const auto& [name, part] : kParts) json[name] = room.*part;
  return json;
}

/// States of before have none.
void read_room(JsonReader& parent, Room& room) {
  if (parent.is_null("room")) return;
  JsonReader reader(parent.object("room"), "the room");
  for (const auto& [name, part] : kParts)
    if (!reader.is_null(name)) read(reader, {"room", name, "", 0, 1}, room.*part);
  room.enlarged = reader.text("enlarged");
  for (const Json& panel : reader.list("presented")) {
    if (panel.is_string())
      room.presented.insert(panel.get<std::string>());
    else
      reader.report("a presented panel is not a name");
  }
  parent.take(reader);
}

/// States of before have none.
void read_opened(JsonReader& reader, State& state) {
  if (reader.is_null("opened")) return;
  for (const Json& file : reader.list("opened")) {
    if (file.is_string())
      state.opened.push_back(file.get<std::string>());
    else
      reader.report("an opened file is not a path");
  }
}

/// States of before have the same in a lesson.
void read_explored(JsonReader& reader, State& state) {
  if (reader.is_null("explored_arch")) return;
  state.explored_arch = reader.text("explored_arch");
  state.explored_device = reader.text("explored_device");
}

State read_state(JsonReader& reader) {
  State state;
  state.inputs = read_inputs(reader.object("run"), reader);
  if (!reader.is_null("compared")) state.compared = read_inputs(reader.object("compared"), reader);
  state.lesson = reader.text("lesson");
  state.lesson_step = reader.count<uint32_t>("lesson_step");
  read_edited(reader, state);
  read_forms(reader, state);
  read_breakpoints(reader, state);
  read_fields(reader, state);
  read_explored(reader, state);
  read_opened(reader, state);
  read_room(reader, state.room);
  return state;
}

}  // namespace

std::string to_text(const State& state) {
  Json json{{"tilescope_state", kVersion}, {"run", to_json(state.inputs)}, {"compared", nullptr}};
  if (state.compared) json["compared"] = to_json(*state.compared);
  json["lesson"] = state.lesson;
  json["lesson_step"] = state.lesson_step;
  json["explored_arch"] = state.explored_arch;
  json["explored_device"] = state.explored_device;
  json["edited"] = Json::object();
  for (const auto& [key, edit] : state.edited) json["edited"][key] = {{"text", edit.text}, {"from", edit.from}};
  for (const auto& [key, form] : state.forms) json["forms"][key] = to_json(form);
  if (!state.opened.empty()) json["opened"] = state.opened;
  json["breakpoints"] = state.breakpoints;
  for_each_field(state, [&](const StateField& field, const auto& value) {
    (*field.part == '\0' ? json : json[field.part])[field.key] = written(value);
  });
  json["room"] = to_json(state.room);
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
