#include "kernel/model.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace tilescope::kernel {
namespace {

constexpr double kMostBytes = 9007199254740992.0;  // 2^53: sizes are exact below it, and no machine has as much

/// "4 - P = 0"; a number that is written down is not said twice.
std::string equation(const std::string& expression, double value) {
  const std::string number = fmt::format("{:.0f}", value);
  return expression == number ? number : fmt::format("{} = {}", expression, number);
}

bool is_word(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

double bytes_of(const ArrayShape& array) {
  double bytes = size_of(array.element);
  for (const uint64_t extent : array.shape) bytes *= static_cast<double>(extent);
  return bytes;
}

std::string option_with(const std::string& option, int64_t value) {
  return option.ends_with("=N") ? fmt::format("{}{}", option.substr(0, option.size() - 1), value) : option;
}

}  // namespace

Message join_with_and(const std::vector<Message>& items) {
  if (items.size() < 2) return items.empty() ? Message() : items.front();
  Message all = items.front();
  for (size_t i = 1; i + 1 < items.size(); ++i) all = Message("{}, {}", all, items[i]);
  return Message("{} and {}", all, items.back());
}

Message human_bytes(double bytes) {
  constexpr std::array<std::string_view, 9> units{"", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  if (unit == 0) return Message("{:.0f} bytes", bytes);
  return fmt::format("{:.1f} {}", bytes, units[unit]);
}

Model::Model(const Description& description, const Limits& limits) : description_(description), limits_(limits) {
  for (const char* name : {"M", "N", "K"}) scope_.set(name, 1);
  for (const Parameter& parameter : description.parameters) scope_.set(parameter.name, parameter.default_value);
  for (const Derived& derived : description.derived) scope_.set(derived.name, 0);
}

size_t Model::broken(Diagnostics* why) {
  why_ = why;
  broken_ = 0;
  state_ = {};
  if (!settle_derived() || !settle_arrays() || !check_threads()) return broken_;
  check_constraints();
  settle_launch();
  check_shared();
  settle_arguments();
  return broken_;
}

template <class Reason>
void Model::refuse(const std::string& about, Reason reason) {
  ++broken_;
  if (!why_) return;
  Diagnostic refusal = error(reason());
  const auto says_so = [&](const Diagnostic& other) { return other.message == refusal.message; };
  if (std::any_of(why_->begin(), why_->end(), says_so)) return;
  refusal.about = about;
  why_->push_back(std::move(refusal));
}

int64_t Model::value(const Expression& expression, const std::string& about) {
  const Result<int64_t> value = scope_.evaluate(expression);
  if (value) return *value;
  refuse(about, [&] { return value.errors().front().message; });
  return 1;
}

bool Model::settle_derived() {
  for (const Derived& derived : description_.derived) {
    const Result<int64_t> value = scope_.evaluate(derived.value);
    if (!value) {
      refuse("derived." + derived.name, [&] { return value.errors().front().message; });
      return false;
    }
    scope_.set(derived.name, *value);
  }
  return true;
}

// Comes before the constraints, whose products would overflow for sizes that no memory holds.
bool Model::settle_arrays() {
  double total = 0;
  std::vector<Message> parts;
  for (const Array& array : description_.arrays) {
    state_.arrays.push_back(settle_array(array));
    const double bytes = bytes_of(state_.arrays.back());
    if (bytes < kMostBytes) state_.arrays.back().bytes = static_cast<uint64_t>(bytes);
    if (array.space != Space::Global) continue;
    total += bytes;
    if (why_) parts.push_back(Message("{} {}", array.name, human_bytes(bytes)));
  }
  if (total < kMostBytes) {
    state_.global_bytes = static_cast<uint64_t>(total);
    return true;
  }
  refuse("size", [&] {
    return Message("The matrices need {} ({}); no machine has as much.", human_bytes(total), join_with_and(parts));
  });
  return false;
}

std::string Model::extents(const std::vector<Expression>& expressions) {
  std::vector<int64_t> values;
  for (const Expression& expression : expressions) {
    const Result<int64_t> extent = scope_.evaluate(expression);
    values.push_back(extent ? *extent : 1);
  }
  return fmt::format("{}", fmt::join(values, " x "));
}

ArrayShape Model::settle_array(const Array& array) {
  ArrayShape shape{array.name,    array.space,   array.element, array.role, {}, {},          0,
                   array.initial, array.content, array.within,  0,          0,  array.beside};
  const std::string about = "arrays." + array.name;
  const auto bytes = [&](const Expression& expression) {
    return static_cast<uint64_t>(std::max<int64_t>(0, value(expression, about)));
  };
  if (!array.within.empty()) {
    shape.at = bytes(array.at);
    shape.pitch = bytes(array.pitch);
  }
  bool exists = true, fits = true;
  for (size_t i = 0; i < array.shape.size(); ++i) {
    if (array.guessed) shape.guess += (i == 0 ? "" : " x ") + array.shape[i].text;
    const int64_t extent = value(array.shape[i], about), logical = value(array.logical[i], about);
    exists = exists && extent >= 1;
    fits = fits && logical >= 1 && logical <= extent;
    shape.shape.push_back(static_cast<uint64_t>(std::max<int64_t>(extent, 1)));
    shape.logical.push_back(static_cast<uint64_t>(std::max<int64_t>(logical, 1)));
  }
  if (!exists)
    refuse(about, [&] {
      return Message("The array {} has the extent {}; it must be at least 1 in every dimension.", array.name,
                     extents(array.shape));
    });
  else if (!fits)
    refuse(about, [&] {
      return Message("The array {} is {}, of which {} hold data; some must, and they must fit.", array.name,
                     extents(array.shape), extents(array.logical));
    });
  return shape;
}

// Comes before the constraints, since too many threads also break others that say less.
bool Model::check_threads() {
  double threads = 1;
  for (const Expression& extent : description_.block) {
    const Result<int64_t> value = scope_.evaluate(extent);
    threads *= value ? static_cast<double>(*value) : 1;
  }
  if (threads <= limits_.threads_per_block) return true;
  refuse("launch.block", [&] {
    return Message("{} threads; the limit is {}.", equation(threads_label(), threads), limits_.threads_per_block);
  });
  return false;
}

void Model::check_constraints() {
  for (const Constraint& constraint : description_.constraints) {
    const Result<int64_t> holds = scope_.evaluate(constraint.condition);
    if (!holds)
      refuse("constraints", [&] { return holds.errors().front().message; });
    else if (*holds == 0)
      refuse("constraints", [&] { return fill_in(constraint.message + ".", scope_); });
  }
}

void Model::settle_launch() {
  settle_extents(state_.block, description_.block, "block", limits_.block);
  settle_extents(state_.grid, description_.grid, "grid", limits_.grid);
}

void Model::settle_extents(Dim3& dim, const std::vector<Expression>& expressions, const std::string& what,
                           const Dim3& limit) {
  const std::array<uint32_t*, 3> extents{&dim.x, &dim.y, &dim.z};
  const std::array<uint32_t, 3> limits{limit.x, limit.y, limit.z};
  const std::string about = "launch." + what;
  for (size_t i = 0; i < expressions.size(); ++i) {
    const int64_t extent = value(expressions[i], about);
    const auto said = [&] { return equation(written_out(expressions[i]), static_cast<double>(extent)); };
    if (extent < 1 && broken_ > 0) continue;  // a consequence of an earlier error
    if (extent < 1)
      refuse(about, [&] { return Message("{} {} = {}; it must be at least 1.", Message(what), "xyz"[i], said()); });
    else if (extent > limits[i])
      refuse(about,
             [&] { return Message("{} {} = {}; the limit is {}.", Message(what), "xyz"[i], said(), limits[i]); });
    else
      *extents[i] = static_cast<uint32_t>(extent);
  }
}

void Model::check_shared() {
  std::vector<Message> parts;
  for (const ArrayShape& array : state_.arrays) {
    if (array.space != Space::Shared || !array.within.empty()) continue;
    state_.static_shared_bytes += array.bytes;
    if (why_) parts.push_back(fmt::format("{}[{}]", array.name, fmt::join(array.shape, "][")));
  }
  const std::string about = "launch.shared_bytes";
  const int64_t dynamic = value(description_.dynamic_shared_bytes, about);
  const uint64_t in_all = state_.static_shared_bytes + static_cast<uint64_t>(std::max<int64_t>(dynamic, 0));
  if (dynamic < 0) {
    refuse(about, [&] {
      return Message("shared_bytes = {}; it cannot be negative.",
                     equation(description_.dynamic_shared_bytes.text, static_cast<double>(dynamic)));
    });
  } else if (state_.static_shared_bytes > limits_.static_shared_bytes) {
    refuse("", [&] {
      return Message("{} need {} bytes of shared memory; the limit for __shared__ arrays is {}.", join_with_and(parts),
                     state_.static_shared_bytes, limits_.static_shared_bytes);
    });
  } else if (in_all > limits_.shared_bytes_per_block) {
    refuse(about, [&] {
      return Message("{} bytes of static and {} of dynamic shared memory; the limit for both together is {}.",
                     state_.static_shared_bytes, dynamic, limits_.shared_bytes_per_block);
    });
  } else {
    state_.dynamic_shared_bytes = static_cast<uint32_t>(dynamic);
  }
}

// A derived value's expression says more than its name.
std::string Model::written_out(const Expression& expression) const {
  for (const Derived& derived : description_.derived)
    if (derived.name == expression.text) return derived.value.text;
  return expression.text;
}

std::string Model::threads_label() const {
  std::vector<std::string> factors;
  for (const Expression& extent : description_.block)
    if (extent.text != "1") factors.push_back(written_out(extent));
  if (factors.size() > 1)
    for (std::string& factor : factors)
      if (!is_word(factor)) factor = "(" + factor + ")";
  return fmt::format("{}", fmt::join(factors, "*"));
}

// Reversed: a tensor map has its dimensions innermost first.
TensorMapValue Model::settle_tensor(const std::string& name, const TensorArgument& tensor) {
  const std::string about = "arguments." + name;
  TensorMapValue result{tensor.array, {}};
  TensorMap& map = result.map;
  map.element = description_.arrays[static_cast<size_t>(tensor.array)].element;
  map.dimensions = static_cast<uint8_t>(tensor.shape.size());
  map.swizzle = tensor.swizzle;
  map.rounds_to_tf32 = tensor.rounds_to_tf32;
  map.stride[0] = size_of(map.element);
  for (size_t d = 0; d < map.dimensions; ++d) {
    const size_t i = map.dimensions - 1u - d;
    map.extent[d] = static_cast<uint64_t>(std::max<int64_t>(0, value(tensor.shape[i], about)));
    map.box[d] = static_cast<uint64_t>(std::max<int64_t>(0, value(tensor.box[i], about)));
    if (d > 0 && tensor.strides.empty()) map.stride[d] = map.stride[d - 1] * map.extent[d - 1];
    if (d > 0 && !tensor.strides.empty())
      map.stride[d] = static_cast<uint64_t>(value(tensor.strides[i], about)) * map.stride[0];
  }
  if (const Message problem = problem_of(map, name); !problem.empty()) refuse(about, [&] { return problem; });
  return result;
}

void Model::settle_arguments() {
  for (const Argument& argument : description_.arguments) {
    const std::string about = "arguments." + argument.name;
    ArgumentValue passed{argument.name, argument.element, argument.array, 0, argument.real};
    if (argument.tensor) passed.tensor = settle_tensor(argument.name, *argument.tensor);
    const bool is_integer = argument.array < 0 && !argument.tensor && !argument.value.text.empty();
    if (is_integer) passed.integer = value(argument.value, about);
    if (is_integer && argument.element == Element::I32 && (passed.integer > INT32_MAX || passed.integer < INT32_MIN))
      refuse(about,
             [&] { return Message("The argument {} = {} does not fit an int.", argument.name, passed.integer); });
    if (argument.name == "alpha" && !is_integer) state_.alpha = argument.real;
    if (argument.name == "beta" && !is_integer) state_.beta = argument.real;
    state_.arguments.push_back(std::move(passed));
  }
}

Configuration Model::configuration() const {
  Configuration result = state_;
  result.cooperative = description_.cooperative;
  result.size = {get("M"), get("N"), get("K")};
  for (const Derived& derived : description_.derived) result.derived.emplace_back(derived.name, get(derived.name));
  for (const Parameter& parameter : description_.parameters) {
    const int64_t value = get(parameter.name);
    result.parameters.emplace_back(parameter.name, value);
    if (parameter.option.empty())
      result.macros.push_back(fmt::format("{}={}", parameter.name, value));
    else if (value != 0)
      result.options.push_back(option_with(parameter.option, value));
  }
  return result;
}

}  // namespace tilescope::kernel
