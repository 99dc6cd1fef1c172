#include "base/json_reader.h"

#include <cmath>

#include <fmt/format.h>

namespace tilescope {
namespace {
using Json = JsonReader::Json;

constexpr int kDeepest = 64;

bool is_text(const Json& json) { return json.is_string(); }
bool is_number(const Json& json) { return json.is_number(); }
bool is_flag(const Json& json) { return json.is_boolean(); }
bool is_whole(const Json& json) { return json.is_number_integer(); }
bool is_anything(const Json&) { return true; }
bool is_list(const Json& json) { return json.is_array(); }
bool is_object(const Json& json) { return json.is_object(); }

bool fits(const Json& json, int64_t low, int64_t high) {
  if (json.is_number_unsigned() && json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return false;
  const auto value = json.get<int64_t>();
  return value >= low && value <= high;
}

const Json& nothing() {
  static const Json empty = Json::array();
  return empty;
}

}  // namespace

JsonReader::JsonReader(const Json& json, std::string what) : json_(json), what_(std::move(what)) {
  if (!json.is_object()) report(fmt::format("{} is not an object", what_));
}

void JsonReader::report(const std::string& message) { problems_.push_back(error(message + ".")); }

void JsonReader::take(JsonReader& part) {
  problems_.insert(problems_.end(), part.problems_.begin(), part.problems_.end());
}

const Json* JsonReader::find(const char* key, const char* type, bool (*is_type)(const Json&)) {
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(key);
  if (found == json_.end()) {
    report(fmt::format("{} has no {}", what_, key));
    return nullptr;
  }
  if (is_type(*found)) return &*found;
  report(fmt::format("{} in {} is not {}", key, what_, type));
  return nullptr;
}

bool JsonReader::is_null(const char* key) const {
  if (!json_.is_object()) return true;
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null();
}

const Json& JsonReader::any(const char* key) {
  static const Json null;
  const Json* found = find(key, "anything", is_anything);
  return found ? *found : null;
}

std::string JsonReader::text(const char* key) {
  const Json* found = find(key, "a string", is_text);
  return found ? found->get<std::string>() : "";
}

double JsonReader::number(const char* key) {
  const Json* found = find(key, "a number", is_number);
  return found ? found->get<double>() : 0;
}

bool JsonReader::flag(const char* key) {
  const Json* found = find(key, "true or false", is_flag);
  return found && found->get<bool>();
}

int64_t JsonReader::integer(const char* key, int64_t low, int64_t high) {
  const Json* found = find(key, "a whole number", is_whole);
  if (!found) return 0;
  if (fits(*found, low, high)) return found->get<int64_t>();
  report(fmt::format("{} in {} is {}, which is out of range", key, what_, found->dump()));
  return 0;
}

const Json& JsonReader::list(const char* key) {
  const Json* found = find(key, "an array", is_list);
  return found ? *found : nothing();
}

const Json& JsonReader::object(const char* key) {
  const Json* found = find(key, "an object", is_object);
  return found ? *found : nothing();
}

namespace {

/// "parse error at line 3, column 7" of the library's "[json.exception.parse_error.101] parse error at line 3, column
/// 7: syntax error while ..."
std::string_view place_in(std::string_view words) {
  if (const size_t number = words.find("] "); number != std::string_view::npos) words.remove_prefix(number + 2);
  return words.substr(0, words.find(": "));
}

}  // namespace

Result<nlohmann::ordered_json> parse_json(std::string_view text) {
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  try {
    Json json = Json::parse(text, watch);
    if (too_deep) return error(fmt::format("The JSON is nested deeper than {} levels.", kDeepest));
    return json;
  } catch (const Json::exception& problem) {
    return error(fmt::format("This is not valid JSON: {}.", place_in(problem.what())));
  }
}

Result<Json> parse_versioned(std::string_view text, const char* key, int newest, const Message& foreign) {
  Result<Json> json = parse_json(text);
  if (!json) return json;
  JsonReader reader(*json, "the file");
  const int64_t version = reader.integer(key, 1);
  if (!reader.problems().empty()) return error(foreign);
  if (version > newest)
    return error(Message("A newer Tilescope wrote it (format {}; this one reads {}).", version, newest));
  return json;
}

}  // namespace tilescope
