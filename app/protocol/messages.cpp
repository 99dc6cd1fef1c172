#include "protocol/messages.h"

#include <algorithm>
#include <array>

#include "base/json_reader.h"
#include "base/words.h"
#include "protocol/base64.h"

namespace tilescope::protocol {
namespace {
using Json = nlohmann::ordered_json;

/// By Phase.
constexpr std::array<const char*, 6> kPhases{tr_later("starting"),   tr_later("compiling"),
                                             tr_later("restarting"), tr_later("verifying"),
                                             tr_later("sampling"),   tr_later("reading counters")};

Json extents_json(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

Json device_json(const DeviceFacts& device) {
  return {{"name", device.name},
          {"uuid", device.uuid},
          {"capability", device.capability},
          {"sms", device.sms},
          {"clock_hz", device.clock_hz},
          {"dram_bytes_per_s", device.dram_bytes_per_s},
          {"memory_bytes", device.memory_bytes},
          {"l2_bytes", device.l2_bytes}};
}

DeviceFacts read_device(const Json& json, JsonReader& whole) {
  JsonReader reader(json, "a device");
  DeviceFacts device;
  device.name = reader.text("name");
  device.uuid = reader.text("uuid");
  device.capability = reader.count<uint32_t>("capability");
  device.sms = reader.count<uint32_t>("sms");
  device.clock_hz = reader.number("clock_hz");
  device.dram_bytes_per_s = reader.number("dram_bytes_per_s");
  device.memory_bytes = reader.count<uint64_t>("memory_bytes");
  device.l2_bytes = reader.count<uint64_t>("l2_bytes");
  whole.take(reader);
  return device;
}

Json options_json(const MeasureOptions& options) {
  return {{"min_samples", options.stop.min_samples},
          {"max_samples", options.stop.max_samples},
          {"min_time", options.stop.min_time},
          {"max_noise", options.stop.max_noise},
          {"timeout", options.stop.timeout},
          {"hot", options.hot},
          {"throttle_threshold", options.throttle_threshold},
          {"launch_limit", options.launch_limit},
          {"seed", options.seed}};
}

MeasureOptions read_options(const Json& json, JsonReader& whole) {
  JsonReader reader(json, "the options");
  MeasureOptions options;
  options.stop.min_samples = reader.count<size_t>("min_samples");
  options.stop.max_samples = reader.count<size_t>("max_samples");
  options.stop.min_time = reader.number("min_time");
  options.stop.max_noise = reader.number("max_noise");
  options.stop.timeout = reader.number("timeout");
  options.hot = reader.flag("hot");
  options.throttle_threshold = reader.number("throttle_threshold");
  options.launch_limit = reader.number("launch_limit");
  options.seed = reader.count<uint64_t>("seed");
  whole.take(reader);
  return options;
}

Json array_json(const ArrayArgument& array) {
  return {{"name", array.name},       {"element", to_string(array.element)},
          {"input", array.is_input},  {"output", array.is_output},
          {"bytes", array.bytes},     {"shape", array.shape},
          {"logical", array.logical}, {"initial", array.initial ? Json(*array.initial) : Json()}};
}

std::vector<uint64_t> read_extents(const Json& json, JsonReader& whole) {
  std::vector<uint64_t> extents;
  for (const Json& extent : json)
    if (extent.is_number_unsigned() && extents.size() < 8)
      extents.push_back(extent.get<uint64_t>());
    else
      whole.report("an extent is not a number");
  return extents;
}

Element read_element(JsonReader& reader) {
  Element element = Element::F32;
  if (!parse_element(reader.text("element"), element)) reader.report("an element type is unknown");
  return element;
}

ArrayArgument read_array(const Json& json, JsonReader& whole) {
  JsonReader reader(json, "an array");
  ArrayArgument array;
  array.name = reader.text("name");
  array.element = read_element(reader);
  array.is_input = reader.flag("input");
  array.is_output = reader.flag("output");
  array.bytes = reader.count<uint64_t>("bytes");
  array.shape = read_extents(reader.list("shape"), reader);
  array.logical = read_extents(reader.list("logical"), reader);
  if (const Json initial = json.value("initial", Json()); initial.is_number())
    array.initial = initial.get<double>();
  else if (!initial.is_null())
    reader.report("an array's initial value is not a number");
  whole.take(reader);
  return array;
}

// The 128 bytes of pack(): everything of a tensor map except its address.
std::string tensor_text(const TensorMap& map) {
  const auto bytes = pack(map);
  return to_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::optional<TensorMap> read_tensor(const std::string& text) {
  const std::optional<std::string> bytes = from_base64(text);
  if (!bytes || bytes->size() != TensorMap::kBytes) return std::nullopt;
  std::optional<TensorMap> map = unpack_tensor_map(reinterpret_cast<const std::byte*>(bytes->data()));
  const bool is_one = map && map->dimensions >= 1 && map->dimensions <= TensorMap::kMostDimensions &&
                      map->element <= Element::F64 && map->swizzle <= Swizzle::Span128;
  return is_one ? map : std::nullopt;
}

Json argument_json(const Argument& argument) {
  return {{"array", argument.array},
          {"element", to_string(argument.element)},
          {"integer", argument.integer},
          {"real", argument.real},
          {"tensor", argument.tensor ? tensor_text(*argument.tensor) : ""}};
}

Argument read_argument(const Json& json, JsonReader& whole) {
  JsonReader reader(json, "an argument");
  Argument argument;
  argument.array = static_cast<int>(reader.integer("array", -1, 1000));
  argument.element = read_element(reader);
  argument.integer = reader.integer("integer");
  argument.real = reader.number("real");
  if (const std::string tensor = reader.text("tensor"); !tensor.empty()) {
    argument.tensor = read_tensor(tensor);
    if (!argument.tensor || argument.array < 0) reader.report("a tensor map cannot be read");
  }
  whole.take(reader);
  return argument;
}

Dim3 read_dim(const Json& json, JsonReader& whole) {
  const std::vector<uint64_t> extents = read_extents(json, whole);
  if (extents.size() != 3 || extents[0] > UINT32_MAX || extents[1] > UINT32_MAX || extents[2] > UINT32_MAX) {
    whole.report("a launch shape does not have three extents");
    return {};
  }
  return {static_cast<uint32_t>(extents[0]), static_cast<uint32_t>(extents[1]), static_cast<uint32_t>(extents[2])};
}

KernelLaunch read_launch(const Json& json, const std::string& what, size_t arrays, JsonReader& whole) {
  JsonReader reader(json, what);
  KernelLaunch launch;
  if (std::optional<std::string> cubin = from_base64(reader.text("cubin")))
    launch.cubin = std::move(*cubin);
  else
    reader.report("the cubin is not base64");
  launch.entry = reader.text("entry");
  launch.grid = read_dim(reader.list("grid"), reader);
  launch.block = read_dim(reader.list("block"), reader);
  launch.dynamic_shared_bytes = reader.count<uint32_t>("dynamic_shared_bytes");
  launch.cooperative = reader.flag("cooperative");
  for (const Json& argument : reader.list("arguments")) {
    launch.arguments.push_back(read_argument(argument, reader));
    if (launch.arguments.back().array >= static_cast<int>(arrays))
      reader.report("an argument names an array that is not there");
  }
  whole.take(reader);
  return launch;
}

Json launch_json(const KernelLaunch& launch) {
  Json arguments = Json::array();
  for (const Argument& argument : launch.arguments) arguments.push_back(argument_json(argument));
  return {{"cubin", to_base64(launch.cubin)},
          {"entry", launch.entry},
          {"grid", extents_json(launch.grid)},
          {"block", extents_json(launch.block)},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"cooperative", launch.cooperative},
          {"arguments", arguments}};
}

// [ours, reference, clock, throttled]: a reply may have a thousand of them.
Json pair_json(const SamplePair& pair) { return {pair.ours, pair.reference, pair.clock_hz, pair.throttled}; }

SamplePair read_pair(const Json& json, JsonReader& whole) {
  if (json.is_array() && json.size() == 4 && json[0].is_number() && json[1].is_number() && json[2].is_number() &&
      json[3].is_boolean())
    return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>(), json[3].get<bool>()};
  whole.report("a sample cannot be read");
  return {};
}

Json counters_json(const std::vector<CounterValue>& counters) {
  Json json = Json::array();
  for (const CounterValue& counter : counters) json.push_back({{"name", counter.name}, {"value", counter.value}});
  return json;
}

CounterValue read_counter(const Json& json, JsonReader& whole) {
  JsonReader reader(json, "a counter");
  CounterValue counter{reader.text("name"), reader.number("value")};
  whole.take(reader);
  return counter;
}

}  // namespace

const char* to_string(Phase phase) { return kPhases[static_cast<size_t>(phase)]; }

std::optional<Phase> parse_phase(std::string_view text) {
  const auto found = std::find(kPhases.begin(), kPhases.end(), text);
  if (found == kPhases.end()) return std::nullopt;
  return static_cast<Phase>(found - kPhases.begin());
}

Json to_json(const AgentFacts& facts) {
  Json devices = Json::array();
  for (const DeviceFacts& device : facts.devices) devices.push_back(device_json(device));
  return {{"protocol", facts.protocol}, {"build", facts.build}, {"cuda", facts.cuda},      {"driver", facts.driver},
          {"cublas", facts.cublas},     {"devices", devices},   {"problem", facts.problem}};
}

Result<AgentFacts> agent_facts(const Json& json) {
  JsonReader reader(json, "what the agent says of itself");
  AgentFacts facts;
  facts.protocol = static_cast<int>(reader.integer("protocol", 0, 1 << 20));
  facts.build = reader.text("build");
  facts.cuda = reader.text("cuda");
  facts.driver = reader.text("driver");
  facts.cublas = reader.text("cublas");
  for (const Json& device : reader.list("devices")) facts.devices.push_back(read_device(device, reader));
  facts.problem = reader.text("problem");
  if (!reader.problems().empty()) return reader.problems();
  return facts;
}

Json to_json(const MeasureRequest& request) {
  Json arrays = Json::array();
  for (const ArrayArgument& array : request.arrays) arrays.push_back(array_json(array));
  return {{"device", request.device},
          {"kernel", launch_json(request.kernel)},
          {"reference", request.reference ? launch_json(*request.reference) : Json()},
          {"arrays", arrays},
          {"m", request.m},
          {"n", request.n},
          {"k", request.k},
          {"alpha", request.alpha},
          {"beta", request.beta},
          {"precision", to_string(request.precision)},
          {"options", options_json(request.options)},
          {"counters", request.counters}};
}

Result<MeasureRequest> measure_request(const Json& json) {
  JsonReader reader(json, "the request");
  MeasureRequest request;
  request.device = static_cast<int>(reader.integer("device", 0, 1000));
  for (const Json& array : reader.list("arrays")) request.arrays.push_back(read_array(array, reader));
  request.kernel = read_launch(reader.object("kernel"), "the kernel", request.arrays.size(), reader);
  if (const Json& reference = reader.any("reference"); !reference.is_null())
    request.reference = read_launch(reference, "the reference", request.arrays.size(), reader);
  constexpr int64_t kMost = int64_t{1} << 31;
  request.m = reader.integer("m", 1, kMost);
  request.n = reader.integer("n", 1, kMost);
  request.k = reader.integer("k", 1, kMost);
  request.alpha = reader.number("alpha");
  request.beta = reader.number("beta");
  const std::optional<Precision> precision = parse_precision(reader.text("precision"));
  if (!precision) reader.report("the precision is unknown");
  request.precision = precision.value_or(Precision::Fp32);
  request.options = read_options(reader.object("options"), reader);
  for (const Json& name : reader.list("counters"))
    if (name.is_string())
      request.counters.push_back(name.get<std::string>());
    else
      reader.report("a counter's name is not a text");
  if (!reader.problems().empty()) return reader.problems();
  return request;
}

Json to_json(const MeasureReply& reply) {
  Json samples = Json::array();
  for (const SamplePair& pair : reply.samples) samples.push_back(pair_json(pair));
  return {{"reference", reply.reference},
          {"samples", samples},
          {"noisy", reply.is_noisy},
          {"worst_ratio", reply.worst_ratio},
          {"counters", counters_json(reply.counters)},
          {"no_counters", reply.no_counters}};
}

Result<MeasureReply> measure_reply(const Json& json) {
  JsonReader reader(json, "the reply");
  MeasureReply reply;
  reply.reference = reader.text("reference");
  for (const Json& pair : reader.list("samples")) reply.samples.push_back(read_pair(pair, reader));
  reply.is_noisy = reader.flag("noisy");
  reply.worst_ratio = reader.number("worst_ratio");
  for (const Json& counter : reader.list("counters")) reply.counters.push_back(read_counter(counter, reader));
  reply.no_counters = reader.text("no_counters");
  if (!reader.problems().empty()) return reader.problems();
  return reply;
}

}  // namespace tilescope::protocol
