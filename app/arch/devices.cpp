#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "arch/arch.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/text.h"

namespace tilescope::arch {
namespace {

struct Field {
  std::string_view key;
  std::optional<Figure>& (*figure)(Device&);
};
template <auto member>
std::optional<Figure>& plain(Device& device) {
  return device.*member;
}
template <TensorType type>
std::optional<Figure>& tensor(Device& device) {
  return device.tensor_fmas_per_sm[static_cast<size_t>(type)];
}
constexpr std::array<Field, 14> kFields{{{"sms", plain<&Device::sms>},
                                         {"clock_hz", plain<&Device::clock_hz>},
                                         {"fma_lanes_per_sm", plain<&Device::fma_lanes_per_sm>},
                                         {"tensor_f64_fmas_per_sm", tensor<TensorType::F64>},
                                         {"tensor_tf32_fmas_per_sm", tensor<TensorType::Tf32>},
                                         {"tensor_f16_fmas_per_sm", tensor<TensorType::F16>},
                                         {"tensor_f16_sums_fmas_per_sm", tensor<TensorType::F16Sums>},
                                         {"tensor_s8_fmas_per_sm", tensor<TensorType::S8>},
                                         {"memory_bytes", plain<&Device::memory_bytes>},
                                         {"dram_bytes_per_s", plain<&Device::dram_bytes_per_s>},
                                         {"dram_bus_bits", plain<&Device::dram_bus_bits>},
                                         {"l2_bytes", plain<&Device::l2_bytes>},
                                         {"l2_bytes_per_s", plain<&Device::l2_bytes_per_s>},
                                         {"shared_bytes_per_clock", plain<&Device::shared_bytes_per_clock>}}};
constexpr std::array<std::string_view, 3> kOtherKeys{"name", "aliases", "capability"};

const Field* find_field(std::string_view key) {
  const auto found = std::find_if(kFields.begin(), kFields.end(), [&](const Field& field) { return field.key == key; });
  return found == kFields.end() ? nullptr : &*found;
}

std::vector<std::string> device_keys() {
  std::vector<std::string> keys(kOtherKeys.begin(), kOtherKeys.end());
  for (const Field& field : kFields) keys.emplace_back(field.key);
  return keys;
}

/// Turns the tables of one file into devices and collects what is wrong with them.
class Reader {
 public:
  Reader(std::string_view text, std::string file_name) : file_name_(std::move(file_name)), lines_(lines_of(text)) {}

  void problem(const toml::source_region& where, Message message) {
    const int line = static_cast<int>(where.begin.line);
    const bool has_text = line > 0 && static_cast<size_t>(line) <= lines_.size();
    errors_.push_back(error_at({file_name_, line, static_cast<int>(where.begin.column)}, std::move(message),
                               has_text ? lines_[static_cast<size_t>(line) - 1] : std::string()));
  }

  Result<std::vector<Device>> read(const toml::table& root) {
    read_sources(root);
    const toml::array* entries = root["device"].as_array();
    if (!entries || entries->empty()) problem(root.source(), "there is no [[device]]; add at least one.");
    std::vector<Device> devices;
    for (size_t i = 0; entries && i < entries->size(); ++i)
      if (const toml::table* entry = entries->get(i)->as_table())
        devices.push_back(read_device(*entry));
      else
        problem(entries->get(i)->source(), "a device is a table: write [[device]].");
    if (!errors_.empty()) return errors_;
    return devices;
  }

  const Diagnostics& errors() const { return errors_; }

 private:
  void read_sources(const toml::table& root) {
    const toml::table* sources = root["sources"].as_table();
    if (!sources) return;
    for (const auto& [key, node] : *sources) {
      if (const auto text = node.value<std::string>(); text && !text->empty())
        sources_[std::string(key.str())] = *text;
      else
        problem(node.source(), fmt::format("source \"{}\" needs a text: title and address.", key.str()));
    }
  }

  Device read_device(const toml::table& entry) {
    Device device;
    device.name = entry["name"].value_or(std::string());
    if (device.name.empty()) problem(entry.source(), "a device needs a name.");
    read_aliases(entry, device);
    read_capability(entry, device);
    for (const auto& [key, node] : entry) read_field(key.str(), node, device);
    return device;
  }

  void read_aliases(const toml::table& entry, Device& device) {
    const toml::node* aliases = entry.get("aliases");
    if (!aliases) return;
    if (!aliases->as_array()) return problem(aliases->source(), "aliases is a list of names.");
    for (const toml::node& alias : *aliases->as_array())
      if (const auto name = alias.value<std::string>())
        device.aliases.push_back(*name);
      else
        problem(alias.source(), "an alias is a name in quotes.");
  }

  void read_capability(const toml::table& entry, Device& device) {
    const toml::node* node = entry.get("capability");
    const auto text = node ? node->value<std::string>() : std::nullopt;
    if (!text) return problem(node ? node->source() : entry.source(), "a device needs a capability, such as \"9.0\".");
    const Result<Limits> limits = find_limits(*text);
    if (limits)
      device.capability = limits->capability;
    else
      problem(node->source(), sentence_of(limits.errors().front()));
  }

  void read_field(std::string_view key, const toml::node& node, Device& device) {
    if (std::find(kOtherKeys.begin(), kOtherKeys.end(), key) != kOtherKeys.end()) return;
    if (const Field* field = find_field(key)) {
      field->figure(device) = read_figure(key, node);
      return;
    }
    const std::string nearest = nearest_name(key, device_keys());
    problem(node.source(), fmt::format("a device has no \"{}\"{}", key,
                                       nearest.empty() ? fmt::format("; it has {}.", fmt::join(device_keys(), ", "))
                                                       : fmt::format("; did you mean \"{}\"?", nearest)));
  }

  std::optional<Figure> read_figure(std::string_view key, const toml::node& node) {
    const toml::table* table = node.as_table();
    const auto value = table ? (*table)["value"].value<double>() : std::nullopt;
    const auto source = table ? (*table)["source"].value<std::string>() : std::nullopt;
    if (!value || !source) {
      problem(node.source(), fmt::format("{} needs a value and a source: {{ value = 1, source = \"...\" }}.", key));
      return std::nullopt;
    }
    if (!(*value > 0) || *value > 1e18)
      problem(node.source(), fmt::format("{} must be greater than 0 and at most 1e18.", key));
    const auto known = sources_.find(*source);
    if (known == sources_.end()) {
      problem(node.source(), fmt::format("source \"{}\" of {} is not in [sources].", *source, key));
      return std::nullopt;
    }
    return Figure{*value, known->second, (*table)["computed"].value_or(std::string())};
  }

  std::string file_name_;
  Diagnostics errors_;
  std::vector<std::string> lines_;
  std::map<std::string, std::string> sources_;
};

// Lower case, letters and digits only, without the maker's and the families' names at the front.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view front : {"nvidia", "geforce", "tesla"})
    if (plain.size() > front.size() && plain.starts_with(front)) plain.erase(0, front.size());
  return plain;
}

}  // namespace

std::string_view to_string(TensorType type) {
  constexpr std::array<std::string_view, kTensorTypes> names{"TF32", "F16/BF16", "F16 with F16 sums", "INT8", "FP64"};
  return names[static_cast<size_t>(type)];
}

Result<std::vector<Device>> parse_devices(std::string_view toml, std::string file_name) {
  Reader reader(toml, file_name);
  try {
    return reader.read(toml::parse(toml, file_name));
  } catch (const toml::parse_error& problem) {
    reader.problem(problem.source(), std::string(problem.description()));
    return reader.errors();
  }
}

Result<std::vector<Device>> load_devices(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.errors();
  return parse_devices(*text, path.string());
}

const Result<std::vector<Device>>& shipped_devices() {
  static const Result<std::vector<Device>> devices = load_devices(data_folder() / "assets/devices.toml");
  return devices;
}

std::optional<Device> device_of(const Limits& limits, std::string_view name) {
  if (!shipped_devices()) return std::nullopt;
  const Result<Device> named = name.empty() ? Result<Device>(Diagnostics{}) : find_device(*shipped_devices(), name);
  if (named && named->capability == limits.capability) return *named;
  for (const Device& device : *shipped_devices())
    if (device.capability == limits.capability) return device;
  return std::nullopt;
}

Result<Device> find_device(std::span<const Device> devices, std::string_view name) {
  const std::string wanted = plain_name(name);
  std::map<std::string, const Device*> by_name;
  for (const Device& device : devices) {
    by_name.emplace(plain_name(device.name), &device);
    for (const std::string& alias : device.aliases) by_name.emplace(plain_name(alias), &device);
  }
  if (const auto found = by_name.find(wanted); found != by_name.end()) return *found->second;
  std::vector<std::string> plain, known;
  for (const auto& entry : by_name) plain.push_back(entry.first);
  for (const Device& device : devices) known.push_back(device.name);
  const std::string nearest = nearest_name(wanted, plain);
  if (!nearest.empty())
    return error(fmt::format("\"{}\" is not a known device; did you mean {}?", name, by_name.at(nearest)->name));
  return error(fmt::format("\"{}\" is not a known device. Known: {}.", name, fmt::join(known, ", ")));
}

}  // namespace tilescope::arch
