#include "run/verify_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "ptx/opcode_table.h"
#include "run/inputs.h"
#include "run/launch.h"

namespace tilescope::run {
namespace {
using kernel::ArrayShape;

/// Unit roundoff of an array's numbers, at least that of the arithmetic; 0 for whole numbers.
double unit_of(Element element, double arithmetic) {
  if (element == Element::F64 || !is_floating(element)) return unit_roundoff(element);
  return std::max(arithmetic, unit_roundoff(element));
}

/// How often a thread executed floating-point arithmetic, over all threads.
uint64_t float_operations(const ptx::Function& function, const emulator::Counts& counts) {
  uint64_t operations = 0;
  for (size_t pc = 0; pc < function.instructions.size(); ++pc) {
    const ptx::Instruction& instruction = function.instructions[pc];
    const ptx::OpClass kind = ptx::class_of(instruction.op);
    const bool computes = kind == ptx::OpClass::Arithmetic || kind == ptx::OpClass::MultiplyAdd ||
                          kind == ptx::OpClass::Atomic || kind == ptx::OpClass::MatrixMultiply;
    if (computes && (ptx::is_float(instruction.type) || ptx::kHalf.has(instruction.type)))
      operations += counts.thread_executions[pc] * std::max<uint64_t>(1, instruction.shape.k);
  }
  return operations;
}

/// One array after both launches, and how it began.
struct Compared {
  const ArrayShape& array;
  std::span<const std::byte> got, expected;
  std::vector<std::byte> before;

  bool is_untouched(std::span<const std::byte> bytes, uint64_t index) const {
    const size_t size = size_of(array.element);
    return std::memcmp(bytes.data() + index * size, before.data() + index * size, size) == 0;
  }
  double number(std::span<const std::byte> bytes, uint64_t index) const {
    return number_at(bytes.data() + index * size_of(array.element), array.element);
  }
};

std::vector<int64_t> indices(const ArrayShape& array, uint64_t dense) {
  std::vector<int64_t> index(array.logical.size());
  for (size_t d = index.size(); d-- > 0; dense /= array.logical[d])
    index[d] = static_cast<int64_t>(dense % array.logical[d]);
  return index;
}

/// Root mean square of the expected values of the elements that the reference writes.
double typical(const Compared& of) {
  double squares = 0;
  uint64_t count = 0;
  for_each_element(of.array, [&](uint64_t, uint64_t at) {
    const double number = of.number(of.expected, at);
    if (of.is_untouched(of.expected, at) || !std::isfinite(number)) return;
    squares += number * number;
    ++count;
  });
  return count ? std::sqrt(squares / static_cast<double>(count)) : 0;
}

/// An element that the kernel wrote and the reference did not, or nullopt.
std::optional<WrongElement> compare(const Compared& of, double relative, bool whole, Verification& result) {
  const double scale = typical(of);
  const bool begins_unset = of.array.role == kernel::Role::Output && !of.array.initial;
  std::optional<WrongElement> missing;
  for_each_element(of.array, [&](uint64_t dense, uint64_t at) {
    const bool untouched = of.is_untouched(of.got, at);
    if (!whole && untouched) return;
    const double got = of.number(of.got, at), expected = of.number(of.expected, at);
    if (begins_unset && of.is_untouched(of.expected, at)) {
      if (!untouched && !missing) missing = WrongElement{of.array.name, indices(of.array, dense)};
      return;
    }
    const bool both_are_nan = std::isnan(got) && std::isnan(expected);
    WrongElement element{of.array.name,
                         indices(of.array, dense),
                         expected,
                         both_are_nan ? expected : got,
                         relative * std::max(scale, std::fabs(expected)),
                         !(begins_unset && untouched)};
    if (both_are_nan) element.expected = element.got = 0;
    add_element(result, element, dense);
  });
  return missing;
}

/// What place_launch() puts there.
std::vector<std::byte> as_placed(uint64_t seed, const ArrayShape& array) {
  std::vector<std::byte> bytes(array.bytes, std::byte{0xff});
  if (array.role != kernel::Role::Output || array.initial) fill_array(seed, array, bytes.data());
  return bytes;
}

Message why_unfinished(const GridRun& run, const std::string& reference, const Control& control) {
  using emulator::Outcome;
  if (run.out_of_memory)
    return Message("there is too little memory to run the reference {}; choose a smaller size", reference);
  if (run.outcome == Outcome::Cancelled)
    return Message("the comparison is unfinished, since the reference {} took more than {:g} s; choose a smaller size",
                   reference, run.seconds_allowed);
  if (run.outcome == Outcome::StepBudget)
    return Message(
        "the comparison is unfinished, since a block of the reference {} issued {} warp instructions without "
        "ending; choose a smaller size",
        reference, control.step_budget);
  if (run.outcome == Outcome::Deadlocked)
    return Message("the reference {} deadlocked; try it alone: --entry {}", reference, reference);
  return Message("the reference {} ended in a trap; try it alone: --entry {}", reference, reference);
}

Result<GridRun> run_reference(const Prepared& reference, LaunchMemory& memory, const Control& control) {
  const std::string& name = reference.request.kernel.description.entry;
  GridRun run = run_launch(launched(reference, memory), {}, control);
  if (cancelled(control)) return error("Cancelled.");
  if (!run.finished()) return error(why_unfinished(run, name, control));
  if (!run.findings.empty())
    return error(Message("the reference {} has a finding of its own ({}, line {}); try it alone: --entry {}", name,
                         analysis::to_string(run.findings.front().kind), run.findings.front().site.line, name));
  return run;
}

}  // namespace

Result<Verification> verify_against_reference(const Prepared& prepared, const LaunchMemory& launch, uint64_t seed,
                                              bool whole, const Control& control) {
  const Prepared& reference = *prepared.reference;
  const std::string& name = reference.request.kernel.description.entry;
  Result<LaunchMemory> expected = place_launch(reference, seed);
  if (!expected) return expected.errors();
  const Result<GridRun> run = run_reference(reference, *expected, control);
  if (!run) return run.errors();
  const auto roundoff = [](const Prepared& of) {
    const std::string& ptx = of.build->compiled.ptx;
    return std::max(unit_roundoff(arithmetic_of(ptx)), taken_roundoff(ptx));
  };
  const double arithmetic = std::max(roundoff(prepared), roundoff(reference));
  Verification result;
  result.arrays.clear();
  result.reference = name;
  const std::vector<ArrayShape>& arrays = prepared.configuration.arrays;
  uint64_t written = 0;
  for (const ArrayShape& array : arrays)
    if (array.space == Space::Global && array.role != kernel::Role::Input)
      for_each_element(array, [&](uint64_t, uint64_t) { ++written; });
  const auto operations = static_cast<double>(float_operations(reference.program().function(), run->counts));
  const double growth = 4 * std::sqrt(operations > 0 ? std::max(1.0, operations / static_cast<double>(written)) : 0);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const ArrayShape& array = arrays[i];
    if (array.space != Space::Global || array.role == kernel::Role::Input) continue;
    const Compared compared{array, launch.memory.bytes(launch.array_index[i]),
                            expected->memory.bytes(expected->array_index[i]), as_placed(seed, array)};
    if (const auto missing = compare(compared, growth * unit_of(array.element, arithmetic), whole, result))
      return error(
          Message("the reference {} leaves {} unwritten; give it the block and grid that it needs: "
                  "[reference] entry, block, grid",
                  name, name_of(*missing)));
    result.arrays += (result.arrays.empty() ? "" : ", ") + array.name;
  }
  return result;
}

}  // namespace tilescope::run
