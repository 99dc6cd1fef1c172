#include "run/verify_formula.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "run/inputs.h"

namespace tilescope::run {
namespace {
using kernel::ArrayShape;
using kernel::Formula;
using kernel::FormulaNode;
using kernel::FormulaOp;

constexpr double kSlack = 4;                // See verify_formulas().
constexpr double kMostSteps = 2e9;          // Nodes computed for one verification: some seconds.
constexpr uint64_t kChunk = 64;             // Elements that a thread takes at a time.
constexpr uint64_t kStepsToLook = 1 << 16;  // From one look at what cancels to the next.

/// A number in double precision and how far the kernel's arithmetic may be from it.
struct Rounded {
  double value = 0, error = 0;
};

/// How coarse the kernel's arithmetic is.
struct Precision {
  double unit = 0x1p-24;
  double sine = 0, tanh = 0;  ///< Errors of .approx instructions: absolute, relative.
};

/// An array as the kernel finds it, its data part dense and row-major.
struct Values {
  const ArrayShape* shape = nullptr;
  std::vector<double> before;
};

/// Everything that a formula names, by node.
struct Bound {
  const Formula* formula = nullptr;
  Precision precision;
  std::vector<const Values*> arrays;  ///< Of element nodes.
  std::vector<double> names;          ///< Of name nodes.
};

/// Computes one formula; one thread's.
class Evaluator {
 public:
  Evaluator(const Bound& bound, const std::atomic<bool>* cancel)
      : bound_(bound), cancel_(cancel), variables_(bound.formula->variable_count) {}

  void set(uint32_t variable, int64_t value) { variables_[variable] = value; }
  Rounded operator()(uint32_t node) { return value(node); }
  bool failed() const { return problem_.has_value(); }
  const std::optional<Message>& problem() const { return problem_; }
  uint64_t steps() const { return steps_; }

 private:
  Rounded fail(Message problem) {
    if (!problem_) problem_ = std::move(problem);
    return {};
  }
  bool stopped() {
    if (steps_ % kStepsToLook == 0 && cancel_ && cancel_->load(std::memory_order_relaxed)) fail(Message("Cancelled."));
    return failed();
  }

  Rounded value(uint32_t index) {
    ++steps_;
    const FormulaNode& node = bound_.formula->nodes[index];
    const auto of = [&](size_t child) { return value(node.of[child]); };
    const double unit = node.is_whole ? 0 : bound_.precision.unit;
    switch (node.op) {
      case FormulaOp::Number: return {node.number, node.is_whole ? 0 : constant_error(node.number)};
      case FormulaOp::Name: return {bound_.names[index], 0};
      case FormulaOp::Variable: return {static_cast<double>(variables_[node.index]), 0};
      case FormulaOp::Element: return element(index, node);
      case FormulaOp::Negate: {
        const Rounded a = of(0);
        return {-a.value, a.error};
      }
      case FormulaOp::Not: return {of(0).value == 0 ? 1.0 : 0.0, 0};
      case FormulaOp::Add:
      case FormulaOp::Subtract: {
        const Rounded a = of(0), b = of(1);
        const double result = node.op == FormulaOp::Add ? a.value + b.value : a.value - b.value;
        return {result, a.error + b.error + unit * std::fabs(result)};
      }
      case FormulaOp::Multiply: {
        const Rounded a = of(0), b = of(1);
        const double result = a.value * b.value;
        return {result, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error +
                            unit * std::fabs(result)};
      }
      case FormulaOp::Divide: return quotient(node, of(0), of(1), unit);
      case FormulaOp::Remainder: {
        const Rounded a = of(0), b = of(1);
        return b.value == 0 ? fail(Message("it divides by zero")) : Rounded{std::fmod(a.value, b.value), 0};
      }
      case FormulaOp::Less: return {of(0).value < of(1).value ? 1.0 : 0.0, 0};
      case FormulaOp::LessEqual: return {of(0).value <= of(1).value ? 1.0 : 0.0, 0};
      case FormulaOp::Equal: return {of(0).value == of(1).value ? 1.0 : 0.0, 0};
      case FormulaOp::Unequal: return {of(0).value != of(1).value ? 1.0 : 0.0, 0};
      case FormulaOp::And: return {of(0).value != 0 && of(1).value != 0 ? 1.0 : 0.0, 0};
      case FormulaOp::Or: return {of(0).value != 0 || of(1).value != 0 ? 1.0 : 0.0, 0};
      case FormulaOp::Choose: return of(0).value != 0 ? of(1) : of(2);
      case FormulaOp::Min:
      case FormulaOp::Max: return extreme(node);
      case FormulaOp::Sum:
      case FormulaOp::Largest:
      case FormulaOp::Smallest: return reduction(node, unit);
      default: return function(node, of(0));
    }
  }

  /// 0.1 is another number in the kernel's precision; 0.5 is not.
  double constant_error(double number) const {
    const bool is_exact = static_cast<double>(static_cast<float>(number)) == number;
    return is_exact ? 0 : bound_.precision.unit * std::fabs(number);
  }

  Rounded quotient(const FormulaNode& node, Rounded a, Rounded b, double unit) {
    if (node.is_whole)
      return b.value == 0 ? fail(Message("it divides by zero")) : Rounded{std::trunc(a.value / b.value), 0};
    const double result = a.value / b.value;
    return {result, (a.error + std::fabs(result) * b.error) / std::fabs(b.value) + unit * std::fabs(result)};
  }

  Rounded extreme(const FormulaNode& node) {
    Rounded result = value(node.of[0]);
    for (size_t i = 1; i < node.of.size(); ++i) {
      const Rounded other = value(node.of[i]);
      if (node.op == FormulaOp::Min ? other.value < result.value : other.value > result.value)
        result.value = other.value;
      result.error = std::max(result.error, other.error);
    }
    return result;
  }

  Rounded function(const FormulaNode& node, Rounded x) {
    const double unit = bound_.precision.unit;
    const auto rounded = [&](double result, double slope) {
      return Rounded{result, std::fabs(slope) * x.error + 4 * unit * std::fabs(result)};
    };
    switch (node.op) {
      case FormulaOp::Abs: return {std::fabs(x.value), x.error};
      case FormulaOp::Floor: return {std::floor(x.value), 0};
      case FormulaOp::Sqrt: return rounded(std::sqrt(x.value), x.error > 0 ? 0.5 / std::sqrt(x.value) : 0);
      case FormulaOp::Log: return rounded(std::log(x.value), 1 / x.value);
      case FormulaOp::Exp: {
        const double result = std::exp(x.value);
        return {result, result * (x.error + unit * (4 + 2 * std::fabs(x.value)))};
      }
      case FormulaOp::Sin:
      case FormulaOp::Cos: {
        Rounded result = rounded(node.op == FormulaOp::Sin ? std::sin(x.value) : std::cos(x.value), 1);
        result.error += bound_.precision.sine;
        return result;
      }
      case FormulaOp::Tanh: {
        const double result = std::tanh(x.value);
        return {result, x.error + std::fabs(result) * (4 * unit + bound_.precision.tanh)};
      }
      default: break;  // pow
    }
    const Rounded y = value(node.of[1]);
    const double result = std::pow(x.value, y.value);
    Rounded power = rounded(result, x.error > 0 ? y.value * result / x.value : 0);
    if (y.error > 0) power.error += std::fabs(result * std::log(std::fabs(x.value))) * y.error;
    return power;
  }

  /// In any order; see verify_formulas() for the square root.
  Rounded reduction(const FormulaNode& node, double unit) {
    const auto from = static_cast<int64_t>(value(node.of[0]).value), to = static_cast<int64_t>(value(node.of[1]).value);
    if (node.op != FormulaOp::Sum && from >= to) return fail(Message("it asks for the largest or smallest of nothing"));
    Rounded result;
    double magnitude = 0;
    int64_t& variable = variables_[node.index];
    for (variable = from; variable < to && !stopped(); ++variable) {
      const Rounded term = value(node.of[2]);
      if (node.op == FormulaOp::Sum) {
        result.value += term.value;
        result.error += term.error;
        magnitude += std::fabs(term.value);
      } else {
        const bool first = variable == from;
        const bool better = node.op == FormulaOp::Largest ? term.value > result.value : term.value < result.value;
        if (first || better) result.value = term.value;
        result.error = std::max(result.error, term.error);
      }
    }
    if (node.op == FormulaOp::Sum)
      result.error += std::sqrt(static_cast<double>(std::max<int64_t>(to - from - 1, 0))) * unit * magnitude;
    return result;
  }

  Rounded element(uint32_t index, const FormulaNode& node) {
    const Values& array = *bound_.arrays[index];
    uint64_t at = 0;
    for (size_t d = 0; d < node.of.size(); ++d) {
      const double wanted = value(node.of[d]).value;
      const uint64_t extent = array.shape->logical[d];
      if (failed()) return {};
      if (wanted < 0 || wanted >= static_cast<double>(extent)) return outside(node, array);
      at = at * extent + static_cast<uint64_t>(wanted);
    }
    return {array.before[at], 0};
  }

  Rounded outside(const FormulaNode& node, const Values& array) {
    std::string named = node.name;
    for (const uint32_t of : node.of) named += fmt::format("[{:.0f}]", value(of).value);
    return fail(Message("it reads {}, and {} is {}; guard it, as in (i > 0 ? in[i - 1] : 0)", named, node.name,
                        fmt::join(array.shape->logical, " x ")));
  }

  const Bound& bound_;
  const std::atomic<bool>* cancel_;
  std::vector<int64_t> variables_;
  uint64_t steps_ = 0;
  std::optional<Message> problem_;
};

Precision precision_of(const Prepared& prepared) {
  const std::string& ptx = prepared.build->compiled.ptx;
  Precision precision;
  const auto& arrays = prepared.configuration.arrays;
  const bool all_double = std::all_of(arrays.begin(), arrays.end(), [](const ArrayShape& array) {
    return array.space != Space::Global || !is_floating(array.element) || array.element == Element::F64;
  });
  const Element arithmetic = arithmetic_of(ptx);
  const bool is_double = arithmetic == Element::F32 && all_double && ptx.find(".f32") == std::string::npos;
  precision.unit = unit_roundoff(is_double ? Element::F64 : arithmetic);
  if (ptx.find("sin.approx") != std::string::npos || ptx.find("cos.approx") != std::string::npos)
    precision.sine = 0x1p-20;
  if (ptx.find("tanh.approx") != std::string::npos) precision.tanh = 0x1p-10;
  return precision;
}

double scalar_of(const kernel::ArgumentValue& argument) {
  if (!is_floating(argument.element)) return static_cast<double>(argument.integer);
  std::array<std::byte, 8> bytes{};
  put_scalar(bytes.data(), argument.element, argument.real);
  return number_at(bytes.data(), argument.element);
}

/// Sizes, parameters and derived values come before arguments, whose names may be the same.
double named_value(const kernel::Configuration& configuration, const std::string& name) {
  const std::pair<const char*, int64_t> sizes[] = {
      {"M", configuration.size.m}, {"N", configuration.size.n}, {"K", configuration.size.k}};
  for (const auto& [known, value] : sizes)
    if (name == known) return static_cast<double>(value);
  for (const auto* list : {&configuration.parameters, &configuration.derived})
    for (const auto& [known, value] : *list)
      if (name == known) return static_cast<double>(value);
  for (const kernel::ArgumentValue& argument : configuration.arguments)
    if (name == argument.name) return scalar_of(argument);
  return 0;
}

Bound resolve(const Formula& formula, const Prepared& prepared, const std::vector<Values>& arrays) {
  Bound bound{&formula, precision_of(prepared), {}, {}};
  for (const FormulaNode& node : formula.nodes) {
    const auto array =
        std::find_if(arrays.begin(), arrays.end(), [&](const Values& each) { return each.shape->name == node.name; });
    const bool is_element = node.op == FormulaOp::Element && array != arrays.end();
    bound.arrays.push_back(is_element ? &*array : nullptr);
    bound.names.push_back(node.op == FormulaOp::Name ? named_value(prepared.configuration, node.name) : 0);
  }
  return bound;
}

/// What the kernel wrote into the array on the left side.
struct Written {
  const ArrayShape* shape = nullptr;
  std::vector<double> now;
  std::vector<uint8_t> touched;  ///< By element: it is no longer what it was.
};

/// The elements that one formula is about, by number.
class Elements {
 public:
  Elements(const Bound& bound, const Written& written) : bound_(bound), written_(written) {
    for (size_t d = 0; d < bound.formula->variables.size(); ++d)
      if (bound.formula->variables[d] >= 0) count_ *= written.shape->logical[d];
  }
  uint64_t count() const { return count_; }

  /// Sets the variables of an element; its place in the array, or none where that has no such element.
  std::optional<std::vector<int64_t>> enter(Evaluator& evaluate, uint64_t number) const {
    const Formula& formula = *bound_.formula;
    std::vector<int64_t> place(formula.variables.size());
    for (size_t d = place.size(); d-- > 0;) {
      if (formula.variables[d] < 0) continue;
      place[d] = static_cast<int64_t>(number % written_.shape->logical[d]);
      number /= written_.shape->logical[d];
      evaluate.set(static_cast<uint32_t>(formula.variables[d]), place[d]);
    }
    for (size_t d = 0; d < place.size(); ++d) {
      if (formula.variables[d] < 0) place[d] = static_cast<int64_t>(evaluate(formula.at[d]).value);
      if (place[d] < 0 || place[d] >= static_cast<int64_t>(written_.shape->logical[d])) return std::nullopt;
    }
    return place;
  }

  uint64_t dense(const std::vector<int64_t>& place) const {
    uint64_t at = 0;
    for (size_t d = 0; d < place.size(); ++d) at = at * written_.shape->logical[d] + static_cast<uint64_t>(place[d]);
    return at;
  }

 private:
  const Bound& bound_;
  const Written& written_;
  uint64_t count_ = 1;
};

/// Every how many elements one is compared.
uint64_t stride_of(const Bound& bound, const Elements& elements, const std::atomic<bool>* cancel) {
  uint64_t most = 0;
  for (const uint64_t number : {uint64_t{0}, elements.count() / 2, elements.count() - 1}) {
    Evaluator evaluate(bound, cancel);
    if (elements.enter(evaluate, number)) evaluate(bound.formula->root);
    most = std::max(most, evaluate.steps());
  }
  return 1 + static_cast<uint64_t>(static_cast<double>(most) * static_cast<double>(elements.count()) / kMostSteps);
}

Result<Verification> verify_formula(const Bound& bound, const Written& written, bool whole, const Control& control) {
  const Elements elements(bound, written);
  const uint64_t stride = stride_of(bound, elements, control.cancel);
  const Element element = written.shape->element;
  const double stored = stored_roundoff(element);
  Verification result;
  std::optional<Message> problem;
  std::mutex mutex;
  std::atomic<uint64_t> next = 0;
  const auto work = [&] {
    Verification mine;
    Evaluator evaluate(bound, control.cancel);
    for (uint64_t first; !evaluate.failed() && (first = next.fetch_add(kChunk * stride)) < elements.count();)
      for (uint64_t number = first; number < std::min(first + kChunk * stride, elements.count()); number += stride) {
        const auto place = elements.enter(evaluate, number);
        if (!place || (!whole && !written.touched[elements.dense(*place)])) continue;
        const Rounded expected = evaluate(bound.formula->root);
        if (evaluate.failed()) break;
        const uint64_t at = elements.dense(*place);
        add_element(mine, {written.shape->name, *place, expected.value, written.now[at],
                           kSlack * expected.error + stored * std::fabs(expected.value), written.touched[at] != 0});
      }
    const std::lock_guard lock(mutex);
    if (evaluate.failed()) problem = evaluate.problem();
    merge(result, mine);
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 1; i < thread_count(control); ++i) workers.emplace_back(work);
  work();
  workers.clear();
  if (problem) return error(Message("computes = \"{}\": {}.", bound.formula->text, *problem));
  return result;
}

std::vector<double> dense_numbers(const ArrayShape& array, const std::byte* bytes) {
  std::vector<double> values;
  const size_t size = size_of(array.element);
  for_each_element(array,
                   [&](uint64_t, uint64_t index) { values.push_back(number_at(bytes + index * size, array.element)); });
  return values;
}

bool has_values(const ArrayShape& array) { return array.role != kernel::Role::Output || array.initial; }

Values values_of(const ArrayShape& array, uint64_t seed) {
  if (!has_values(array)) return {&array, {}};
  std::vector<std::byte> bytes(array.bytes);
  fill_array(seed, array, bytes.data());
  return {&array, dense_numbers(array, bytes.data())};
}

Written written_of(const Values& array, const LaunchMemory& launch, size_t index) {
  const std::byte* bytes = launch.memory.bytes(launch.array_index[index]).data();
  Written written{array.shape, dense_numbers(*array.shape, bytes), {}};
  const size_t size = size_of(array.shape->element);
  const bool had_values = has_values(*array.shape);
  for_each_element(*array.shape, [&](uint64_t dense, uint64_t at) {
    // What place_launch() puts into an output is all ones.
    const std::byte* element = bytes + at * size;
    const bool ones = std::all_of(element, element + size, [](std::byte byte) { return byte == std::byte{0xff}; });
    const double now = written.now[dense];
    written.touched.push_back(had_values ? std::bit_cast<uint64_t>(now) != std::bit_cast<uint64_t>(array.before[dense])
                                         : !ones);
  });
  return written;
}

}  // namespace

Result<Verification> verify_formulas(const Prepared& prepared, const LaunchMemory& launch, uint64_t seed, bool whole,
                                     const Control& control) {
  std::vector<Values> arrays;
  for (const ArrayShape& array : prepared.configuration.arrays)
    arrays.push_back(array.space == Space::Global ? values_of(array, seed) : Values{&array, {}});
  Verification all;
  std::vector<std::string> names;
  for (const Formula& formula : prepared.request.kernel.description.computes) {
    const auto array = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const Values& each) { return each.shape->name == formula.array; });
    const Written written = written_of(*array, launch, static_cast<size_t>(array - arrays.begin()));
    Result<Verification> one = verify_formula(resolve(formula, prepared, arrays), written, whole, control);
    if (!one) return one;
    merge(all, *one);
    if (std::find(names.begin(), names.end(), formula.array) == names.end()) names.push_back(formula.array);
  }
  all.arrays = fmt::format("{}", fmt::join(names, ", "));
  return all;
}

}  // namespace tilescope::run
