#include "kernel/description.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "kernel/toml_reader.h"

namespace tilescope::kernel {
namespace {

constexpr int64_t kMostListedValues = 4096;
constexpr int64_t kLargestValue = 2147483647;  // a macro is an int to the kernel
constexpr size_t kMostEntries = 64;  // of parameters, arrays, arguments and so on; far more than any kernel has
constexpr size_t kMostExtents = 5;
// Neither is 1 nor 0, so that a kernel that forgets to apply one gives a wrong C. Both are exact in f32.
constexpr double kAlpha = 2.0;
constexpr double kBeta = 0.5;

class DescriptionReader {
 public:
  DescriptionReader(std::string_view toml, const std::string& file_name) : reader_(toml, file_name) {}

  Result<Description> read() {
    if (has_errors(reader_.problems())) return reader_.problems();
    for (const char* name : {"M", "N", "K"}) scope_.set(name, 0);
    read_head();
    read_parameters();
    read_derived();
    read_constraints();
    read_launch();
    read_arrays();
    read_arguments();
    read_reference();
    read_presets();
    if (has_errors(reader_.problems())) return reader_.problems();
    return std::move(result_);
  }

 private:
  void read_head();
  void read_architecture(const toml::table& root);
  void read_size(const toml::node& node);
  void read_parameters();
  void read_parameter(const std::string& name, const toml::table& table);
  void read_values(Parameter& parameter, const toml::table& table, const std::string& what);
  void read_range(Parameter& parameter, const toml::table& table, const std::string& what);
  void read_derived();
  void read_constraints();
  void read_launch();
  void read_arrays();
  void read_array(const std::string& name, const toml::table& table);
  void read_part(Array& array, const toml::table& table, const std::string& what);
  void read_arguments();
  void read_argument(const toml::node& node);
  Argument named_argument(const toml::node& node, const std::string& name);
  void read_scalar(Argument& argument, const toml::table& table);
  void read_tensor_argument(const toml::table& table);
  void read_swizzle(TensorArgument& tensor, const toml::table& table, const std::string& what);
  int array_index(const std::string& name);
  void read_reference();
  void read_reference_table(const toml::table& table);
  void read_presets();
  void read_preset_setting(Preset& preset, const std::string& name, const toml::node& node);

  bool add_name(const toml::node& node, const std::string& name);
  Expression checked(const toml::node& where, Expression expression);
  std::vector<Expression> checked_list(const toml::node& node, size_t limit);
  std::optional<Element> element(const toml::table& table, const char* key);
  std::vector<std::pair<std::string, const toml::node*>> entries(const toml::table& table, const char* what);

  TomlReader reader_;
  std::set<std::string> names_{"M", "N", "K"};  // of all kinds
  Variables scope_;                             // those that an expression may use
  Description result_;
};

// A name is given once, whatever it names.
bool DescriptionReader::add_name(const toml::node& node, const std::string& name) {
  if (!is_name(name)) {
    reader_.report(node, fmt::format("\"{}\" cannot be a name: use letters, digits and _, a letter first, and not min, "
                                     "max or ceil_div.",
                                     name));
    return false;
  }
  if (!names_.insert(name).second) {
    reader_.report(node, fmt::format("{} is named twice; M, N and K are the matrix sizes.", name));
    return false;
  }
  return true;
}

Expression DescriptionReader::checked(const toml::node& where, Expression expression) {
  const Result<std::monostate> well_formed = scope_.check(expression);
  if (!well_formed) reader_.report(where, sentence_of(well_formed.errors().front()));
  return expression;
}

std::vector<Expression> DescriptionReader::checked_list(const toml::node& node, size_t limit) {
  std::vector<Expression> list = reader_.expressions(node, limit);
  for (const Expression& expression : list) checked(node, expression);
  return list;
}

std::vector<std::pair<std::string, const toml::node*>> DescriptionReader::entries(const toml::table& table,
                                                                                  const char* what) {
  auto list = in_file_order(table);
  if (list.size() > kMostEntries) {
    reader_.report(*list[kMostEntries].second, fmt::format("More than {} {}.", kMostEntries, what));
    list.resize(kMostEntries);
  }
  return list;
}

std::optional<Element> DescriptionReader::element(const toml::table& table, const char* key) {
  std::string name = reader_.text(table, key);
  if (name.empty()) return {};
  if (name == "int") name = "i32";
  if (name == "float") name = "f32";
  if (name == "double") name = "f64";
  Element found{};
  if (parse_element(name, found)) return found;
  reader_.report(*table.get(key),
                 fmt::format("\"{}\" is not an element type; use f32 (float), f64 (double), i32 (int), "
                             "u32, i64, u64, f16, bf16, i16, u16, i8, u8 or byte.",
                             name));
  return {};
}

void DescriptionReader::read_head() {
  const toml::table& root = reader_.root();
  reader_.refuse_other_keys(root, "A description",
                            {"title", "summary", "entry", "architecture", "size", "arguments", "parameters", "derived",
                             "constraints", "launch", "arrays", "computes", "reference", "presets"});
  reader_.require(root, "The description", "title");
  result_.title = reader_.text(root, "title");
  result_.summary = reader_.text(root, "summary");
  result_.entry = reader_.text(root, "entry");
  if (const toml::node* computes = root.get("computes"))
    reader_.report(*computes,
                   "\"computes\" is not read any more. Add a simple kernel to the .cu file that computes what is "
                   "expected, and name it: reference = \"naive\".");
  if (root.contains("architecture")) read_architecture(root);
  if (const toml::node* size = root.get("size")) read_size(*size);
}

void DescriptionReader::read_architecture(const toml::table& root) {
  const std::string name = reader_.text(root, "architecture");
  const bool is_specific = name.ends_with('a');
  const std::string plain = name.substr(0, name.size() - is_specific);
  const bool has_form =
      plain.size() == 5 && plain.starts_with("sm_") && plain.find_first_not_of("0123456789", 3) == plain.npos;
  result_.architecture_specific = has_form && is_specific;
  if (has_form)
    result_.capability = static_cast<uint32_t>(std::stoul(plain.substr(3)));
  else
    reader_.report(
        *root.get("architecture"),
        "\"architecture\" is the lowest that has the kernel's instructions, such as \"sm_80\" or \"sm_90a\".");
}

void DescriptionReader::read_size(const toml::node& node) {
  std::array<int64_t, 3> size{};
  const toml::array* array = node.as_array();
  bool fits = array && array->size() == size.size();
  for (size_t i = 0; fits && i < size.size(); ++i) {
    const auto* extent = array->get(i)->as_integer();
    fits = extent && extent->get() >= 1 && extent->get() <= kLargestValue;
    if (fits) size[i] = extent->get();
  }
  if (!fits)
    return reader_.report(
        node, fmt::format("\"size\" must be M, N and K, whole numbers from 1 to {}: [256, 256, 256].", kLargestValue));
  result_.size = size;
}

void DescriptionReader::read_parameters() {
  for (const auto& [name, node] : entries(reader_.sub_table(reader_.root(), "parameters"), "parameters")) {
    if (!add_name(*node, name)) continue;
    scope_.set(name, 0);
    if (const toml::table* table = node->as_table())
      read_parameter(name, *table);
    else
      reader_.report(*node, fmt::format("A parameter is a table: [parameters.{}].", name));
  }
}

void DescriptionReader::read_parameter(const std::string& name, const toml::table& table) {
  const std::string what = fmt::format("[parameters.{}]", name);
  reader_.refuse_other_keys(table, what, {"about", "option", "default", "values", "min", "max", "step"});
  Parameter parameter;
  parameter.name = name;
  parameter.about = reader_.text(table, "about");
  parameter.option = reader_.text(table, "option");
  reader_.require(table, what, "default");
  parameter.default_value = reader_.integer(table, "default").value_or(0);
  const size_t problems = reader_.problems().size();
  if (table.contains("values"))
    read_values(parameter, table, what);
  else
    read_range(parameter, table, what);
  const auto& values = parameter.values;
  if (problems == reader_.problems().size() &&
      !std::binary_search(values.begin(), values.end(), parameter.default_value))
    reader_.report(table,
                   fmt::format("{}: the default, {}, is not among its legal values.", what, parameter.default_value));
  result_.parameters.push_back(std::move(parameter));
}

void DescriptionReader::read_values(Parameter& parameter, const toml::table& table, const std::string& what) {
  for (const char* key : {"min", "max", "step"})
    if (table.contains(key)) reader_.report(table, fmt::format("{}: give \"values\" or \"{}\", not both.", what, key));
  const toml::array* array = table.get("values")->as_array();
  for (const toml::node& node : array ? *array : toml::array{}) {
    const auto* value = node.as_integer();
    if (value && std::abs(value->get()) <= kLargestValue)
      parameter.values.push_back(value->get());
    else
      reader_.report(node, fmt::format("{}: a value must be a whole number of at most {}.", what, kLargestValue));
  }
  auto& values = parameter.values;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (!array || values.empty() || values.size() > kMostListedValues)
    reader_.report(table, fmt::format("{}: \"values\" must list 1 to {} whole numbers.", what, kMostListedValues));
}

void DescriptionReader::read_range(Parameter& parameter, const toml::table& table, const std::string& what) {
  const std::optional<int64_t> min = reader_.integer(table, "min"), max = reader_.integer(table, "max");
  const int64_t step = reader_.integer(table, "step").value_or(1);
  parameter.is_range = true;
  parameter.step = step;
  if (!min || !max) return reader_.report(table, fmt::format("{} needs \"values\", or \"min\" and \"max\".", what));
  if (*min > *max || step < 1 || std::abs(*min) > kLargestValue || std::abs(*max) > kLargestValue)
    return reader_.report(
        table, fmt::format("{}: min must not exceed max, step must be at least 1, and none may exceed {}.", what,
                           kLargestValue));
  if ((*max - *min) / step >= kMostListedValues)
    return reader_.report(table, fmt::format("{} has {} values; at most {} are handled: raise \"step\".", what,
                                             (*max - *min) / step + 1, kMostListedValues));
  for (int64_t value = *min; value <= *max; value += step) parameter.values.push_back(value);
}

void DescriptionReader::read_derived() {
  for (const auto& [name, node] : entries(reader_.sub_table(reader_.root(), "derived"), "derived values")) {
    Expression value = checked(*node, reader_.expression(*node));
    if (!add_name(*node, name)) continue;
    scope_.set(name, 0);
    result_.derived.push_back({name, std::move(value)});
  }
}

void DescriptionReader::read_constraints() {
  for (const toml::table* table : reader_.tables(reader_.root(), "constraints")) {
    reader_.refuse_other_keys(*table, "[[constraints]]", {"expr", "message"});
    const toml::node* condition = reader_.require(*table, "[[constraints]]", "expr");
    const toml::node* message = reader_.require(*table, "[[constraints]]", "message");
    if (!condition || !message) continue;
    Constraint constraint{checked(*condition, reader_.expression(*condition)), reader_.text(*table, "message")};
    const Result<std::vector<std::string>> pieces = split_message(constraint.message);
    if (!pieces) reader_.report(*message, sentence_of(pieces.errors().front()));
    for (size_t i = 1; pieces && i < pieces->size(); i += 2) checked(*message, {(*pieces)[i], {}});
    result_.constraints.push_back(std::move(constraint));
  }
}

void DescriptionReader::read_launch() {
  if (!reader_.require(reader_.root(), "The description", "launch")) return;
  const toml::table& launch = reader_.sub_table(reader_.root(), "launch");
  reader_.refuse_other_keys(launch, "[launch]", {"block", "grid", "shared_bytes", "cooperative", "guessed"});
  if (const toml::node* block = reader_.require(launch, "[launch]", "block")) result_.block = checked_list(*block, 3);
  if (const toml::node* grid = reader_.require(launch, "[launch]", "grid")) result_.grid = checked_list(*grid, 3);
  if (const toml::node* guessed = launch.get("guessed")) {
    if (!guessed->is_boolean())
      reader_.report(*guessed, "\"guessed\" is true or false: whether block and grid are a guess.");
    result_.launch_guessed = guessed->value_or(false);
  }
  result_.dynamic_shared_bytes = {"0", {}};
  if (const toml::node* cooperative = launch.get("cooperative")) {
    if (!cooperative->is_boolean()) reader_.report(*cooperative, "[launch]: \"cooperative\" is true or false.");
    result_.cooperative = cooperative->value_or(false);
  }
  if (const toml::node* bytes = launch.get("shared_bytes"))
    result_.dynamic_shared_bytes = checked(*bytes, reader_.expression(*bytes));
}

void DescriptionReader::read_arrays() {
  for (const auto& [name, node] : entries(reader_.sub_table(reader_.root(), "arrays"), "arrays")) {
    if (!add_name(*node, name)) continue;
    if (const toml::table* table = node->as_table())
      read_array(name, *table);
    else
      reader_.report(*node, fmt::format("An array is a table: [arrays.{}].", name));
  }
}

void DescriptionReader::read_array(const std::string& name, const toml::table& table) {
  const std::string what = fmt::format("The array {}", name);
  reader_.refuse_other_keys(table, what,
                            {"space", "element", "role", "shape", "logical", "initial", "in", "at", "pitch", "beside"});
  Array array;
  array.name = name;
  array.element = element(table, "element").value_or(Element::F32);
  const std::string space = reader_.text(table, "space"), role = reader_.text(table, "role");
  if (space == "shared") array.space = Space::Shared;
  if (!space.empty() && space != "shared" && space != "global")
    reader_.report(*table.get("space"), fmt::format("{}: \"space\" must be \"global\" or \"shared\".", what));
  if (array.space == Space::Global && role == "output") array.role = Role::Output;
  if (array.space == Space::Global && role == "inout") array.role = Role::InOut;
  if (array.space == Space::Global ? role != "input" && role != "output" && role != "inout" : !role.empty())
    reader_.report(table,
                   fmt::format("{}: a global array needs the role \"input\", \"output\" or \"inout\"; a shared one "
                               "has none.",
                               what));
  if (const toml::node* shape = reader_.require(table, what, "shape")) array.shape = checked_list(*shape, kMostExtents);
  array.logical = array.shape;
  if (const toml::node* logical = table.get("logical")) array.logical = checked_list(*logical, kMostExtents);
  if (array.logical.size() != array.shape.size())
    reader_.report(table, fmt::format("{}: \"logical\" and \"shape\" must have as many extents.", what));
  if (const toml::node* initial = table.get("initial")) {
    if (!initial->is_number() || array.space == Space::Shared)
      reader_.report(*initial, fmt::format("{}: \"initial\" is the number that a global array starts at.", what));
    array.initial = initial->value<double>();
  }
  read_part(array, table, what);
  result_.arrays.push_back(std::move(array));
}

void DescriptionReader::read_part(Array& array, const toml::table& table, const std::string& what) {
  array.within = reader_.text(table, "in");
  for (const char* key : {"in", "at", "pitch", "beside"})
    if (const toml::node* node = table.get(key); node && array.space != Space::Shared)
      reader_.report(*node, fmt::format("{}: \"{}\" is for shared arrays.", what, key));
  for (const char* key : {"at", "pitch"}) {
    const toml::node* node = table.get(key);
    if (!node) continue;
    if (array.within.empty())
      reader_.report(*node,
                     fmt::format("{}: \"{}\" needs \"in\", the __shared__ array that this is a part of.", what, key));
    (key == std::string_view("at") ? array.at : array.pitch) = checked(*node, reader_.expression(*node));
  }
  const toml::node* beside = table.get("beside");
  const toml::array* list = beside ? beside->as_array() : nullptr;
  for (size_t i = 0; list && i < list->size(); ++i) {
    const auto extent = (*list)[i].value<int64_t>();
    if (extent && *extent >= 0 && static_cast<size_t>(*extent) + 2 < array.shape.size())
      array.beside.push_back(static_cast<size_t>(*extent));
  }
  if (beside && (!list || array.beside.size() != list->size()))
    reader_.report(*beside, fmt::format("{}: \"beside\" lists extents of \"shape\", 0 for the first, the last two not "
                                        "among them.",
                                        what));
}

// A, B and C need no table of their own: C = A * B, all of f32.
int DescriptionReader::array_index(const std::string& name) {
  for (size_t i = 0; i < result_.arrays.size(); ++i)
    if (result_.arrays[i].name == name) return result_.arrays[i].space == Space::Global ? static_cast<int>(i) : -1;
  Array array;
  array.name = name;
  if (name == "A") array.shape = {{"M", {}}, {"K", {}}};
  if (name == "B") array.shape = {{"K", {}}, {"N", {}}};
  if (name == "C") array.shape = {{"M", {}}, {"N", {}}};
  if (array.shape.empty() || scope_.has(name)) return -1;
  if (name == "C") array.role = Role::Output;
  array.logical = array.shape;
  result_.arrays.push_back(std::move(array));
  return static_cast<int>(result_.arrays.size()) - 1;
}

void DescriptionReader::read_arguments() {
  const toml::node* node = reader_.require(reader_.root(), "The description", "arguments");
  if (!node) return;
  const toml::array* array = node->as_array();
  if (!array || array->size() > kMostEntries)
    return reader_.report(*node,
                          "\"arguments\" must list the kernel's arguments in order: [\"A\", \"B\", \"C\", \"M\", "
                          "\"N\", \"K\"], [] where it has none.");
  for (const toml::node& argument : *array) read_argument(argument);
  const auto named = [&](std::string_view name) { return [name](const auto& each) { return each.name == name; }; };
  const bool adds_to_c = std::any_of(result_.arguments.begin(), result_.arguments.end(), named("beta"));
  const auto c = std::find_if(result_.arrays.begin(), result_.arrays.end(), named("C"));
  if (adds_to_c && c != result_.arrays.end() && c->role == Role::Output) c->role = Role::InOut;
}

void DescriptionReader::read_argument(const toml::node& node) {
  if (const auto* name = node.as_string()) {
    result_.arguments.push_back(named_argument(node, name->get()));
    return;
  }
  const toml::table* table = node.as_table();
  if (!table)
    return reader_.report(node, "An argument is a name in quotes, or { name = ..., type = ..., value = ... }.");
  if (table->contains("tensor")) return read_tensor_argument(*table);
  reader_.refuse_other_keys(*table, "An argument", {"name", "type", "value"});
  reader_.require(*table, "An argument", "name");
  Argument argument;
  argument.name = reader_.text(*table, "name");
  argument.element = element(*table, "type").value_or(Element::I32);
  read_scalar(argument, *table);
  result_.arguments.push_back(std::move(argument));
}

Argument DescriptionReader::named_argument(const toml::node& node, const std::string& name) {
  Argument argument;
  argument.name = name;
  argument.array = array_index(name);
  if (argument.array >= 0) return argument;
  const auto is_shared = [&](const Array& array) { return array.name == name; };
  if (std::any_of(result_.arrays.begin(), result_.arrays.end(), is_shared)) {
    reader_.report(node, fmt::format("{} is in shared memory and cannot be an argument.", name));
  } else if (scope_.has(name)) {
    argument.value = {name, reader_.at(node)};
  } else if (name == "alpha" || name == "beta") {
    argument.element = Element::F32;
    argument.real = name == "alpha" ? kAlpha : kBeta;
  } else {
    reader_.report(node,
                   fmt::format("The argument \"{}\" is not an array, parameter, derived value, M, N, K, alpha "
                               "or beta. A scalar: {{ name = \"{}\", type = \"i32\", value = ... }}; an array needs "
                               "[arrays.{}].",
                               name, name, name));
  }
  return argument;
}

void DescriptionReader::read_scalar(Argument& argument, const toml::table& table) {
  const toml::node* value = reader_.require(table, "A scalar argument", "value");
  if (!value) return;
  const bool is_real = is_floating(argument.element);
  if (is_real && value->is_number())
    argument.real = value->value_or(0.0);
  else if (is_real)
    reader_.report(*value, fmt::format("The value of {} must be a number, since it is {}.", argument.name,
                                       to_string(argument.element)));
  else if (argument.element == Element::Byte)
    reader_.report(table, "A scalar argument must be an integer or a floating-point number.");
  else
    argument.value = checked(*value, reader_.expression(*value));
}

void DescriptionReader::read_reference() {
  const toml::node* node = reader_.root().get("reference");
  if (!node) return;
  result_.reference.emplace().dynamic_shared_bytes = {"0", {}};
  if (const toml::table* table = node->as_table()) return read_reference_table(*table);
  if (const auto* name = node->as_string()) result_.reference->entry = name->get();
  if (result_.reference->entry.empty())
    reader_.report(*node, "\"reference\" names a __global__ function of the same file, or is a table [reference].");
}

void DescriptionReader::read_reference_table(const toml::table& table) {
  Reference& reference = *result_.reference;
  reader_.refuse_other_keys(table, "[reference]", {"entry", "block", "grid", "shared_bytes", "arguments"});
  reader_.require(table, "[reference]", "entry");
  reference.entry = reader_.text(table, "entry");
  const toml::node *block = table.get("block"), *grid = table.get("grid"), *shared = table.get("shared_bytes");
  if (!block != !grid) return reader_.report(table, "[reference] has block and grid, or neither.");
  if (!block && shared) return reader_.report(*shared, "[reference] has shared_bytes with a block and a grid only.");
  if (block) reference.block = checked_list(*block, 3);
  if (grid) reference.grid = checked_list(*grid, 3);
  if (shared) reference.dynamic_shared_bytes = checked(*shared, reader_.expression(*shared));
  const toml::node* arguments = table.get("arguments");
  if (!arguments) return;
  const toml::array* list = arguments->as_array();
  if (!list || list->empty() || list->size() > kMostEntries)
    return reader_.report(*arguments, "[reference] lists its kernel's arguments in order, as \"arguments\" does.");
  std::vector<Argument> own = std::exchange(result_.arguments, {});
  for (const toml::node& argument : *list) read_argument(argument);
  reference.arguments = std::exchange(result_.arguments, std::move(own));
}

void DescriptionReader::read_tensor_argument(const toml::table& table) {
  const std::string what = fmt::format("The tensor map {}", reader_.text(table, "name"));
  reader_.refuse_other_keys(table, "A tensor map", {"name", "tensor", "shape", "strides", "box", "swizzle", "type"});
  reader_.require(table, "A tensor map", "name");
  Argument argument;
  argument.name = reader_.text(table, "name");
  TensorArgument tensor;
  tensor.array = array_index(reader_.text(table, "tensor"));
  if (tensor.array < 0) {
    return reader_.report(*table.get("tensor"),
                          fmt::format("{}: \"tensor\" names an array in global memory, such as \"B\".", what));
  }
  tensor.shape = result_.arrays[static_cast<size_t>(tensor.array)].shape;
  if (const toml::node* shape = table.get("shape")) tensor.shape = checked_list(*shape, TensorMap::kMostDimensions);
  if (const toml::node* strides = table.get("strides"))
    tensor.strides = checked_list(*strides, TensorMap::kMostDimensions - 1);
  if (const toml::node* box = reader_.require(table, what, "box"))
    tensor.box = checked_list(*box, TensorMap::kMostDimensions);
  if (tensor.box.size() != tensor.shape.size())
    reader_.report(table, fmt::format("{}: \"box\" and \"shape\" must have as many extents.", what));
  if (!tensor.strides.empty() && tensor.strides.size() + 1 != tensor.shape.size())
    reader_.report(table, fmt::format("{}: \"strides\" are those of all dimensions but the last.", what));
  read_swizzle(tensor, table, what);
  const std::string type = reader_.text(table, "type");
  tensor.rounds_to_tf32 = type == "tf32";
  if (!type.empty() && type != "tf32")
    reader_.report(*table.get("type"), fmt::format("{}: \"type\" is the array's, or \"tf32\" of f32.", what));
  argument.tensor = std::move(tensor);
  result_.arguments.push_back(std::move(argument));
}

void DescriptionReader::read_swizzle(TensorArgument& tensor, const toml::table& table, const std::string& what) {
  const int64_t span = reader_.integer(table, "swizzle").value_or(0);
  for (const Swizzle swizzle : {Swizzle::None, Swizzle::Span32, Swizzle::Span64, Swizzle::Span128})
    if (span_of(swizzle) == span) tensor.swizzle = swizzle;
  if (span_of(tensor.swizzle) != span)
    reader_.report(*table.get("swizzle"), fmt::format("{}: \"swizzle\" is 32, 64 or 128 bytes.", what));
}

void DescriptionReader::read_presets() {
  for (const toml::table* table : reader_.tables(reader_.root(), "presets")) {
    reader_.refuse_other_keys(*table, "[[presets]]", {"name", "settings"});
    reader_.require(*table, "[[presets]]", "name");
    reader_.require(*table, "[[presets]]", "settings");
    Preset preset{reader_.text(*table, "name"), {}};
    for (const auto& [name, node] : entries(reader_.sub_table(*table, "settings"), "settings"))
      read_preset_setting(preset, name, *node);
    for (const Preset& other : result_.presets)
      if (other.name == preset.name) reader_.report(*table, fmt::format("There are two presets \"{}\".", preset.name));
    result_.presets.push_back(std::move(preset));
  }
}

void DescriptionReader::read_preset_setting(Preset& preset, const std::string& name, const toml::node& node) {
  const Parameter* parameter = result_.parameter(name);
  const auto* value = node.as_integer();
  if (!parameter) return reader_.report(node, fmt::format("The preset sets {}, which is not a parameter.", name));
  if (!value || !std::binary_search(parameter->values.begin(), parameter->values.end(), value->get()))
    return reader_.report(node, fmt::format("The preset sets {} to what is not among its legal values.", name));
  preset.settings[name] = value->get();
}

}  // namespace

const Parameter* Description::parameter(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

Result<Description> parse_description(std::string_view toml, const std::string& file_name) {
  Result<Description> description = DescriptionReader(toml, file_name).read();
  if (description) description->text = toml;
  return description;
}

}  // namespace tilescope::kernel
