#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/nearest.h"
#include "ptx/module.h"
#include "ptx/problem.h"
#include "ptx/symbols.h"

namespace tilescope::ptx {
namespace {

constexpr size_t kMaxInstructions = 2'000'000;
constexpr size_t kMaxCalls = 100'000;
constexpr size_t kMaxCallDepth = 256;
constexpr std::array<std::string_view, 4> kExecutedByName{"vprintf", "__assertfail", "malloc", "free"};

/// The variables visible to one copy of a function: indices with their class (symbols.h) in the flat function.
struct Frame {
  int32_t first_register = 0;
  std::vector<int32_t> variables, parameters, returns;
  SourceLine call;  ///< Where it is called; file -1 for the entry.

  int32_t variable(int32_t index) const {
    for (const std::vector<int32_t>* list : {&variables, &parameters, &returns}) {
      const auto size = static_cast<int32_t>(list->size());
      if (index < size) return (*list)[static_cast<size_t>(index)];
      index -= size;
    }
    return kModuleVariable + index;
  }
};

/// Argument list, callee and result list of a call.
struct Call {
  const std::vector<Operand>* results = nullptr;
  const std::vector<Operand>* arguments = nullptr;
  size_t callee = 0;
  const Operand* pointer = nullptr;  ///< The register that holds the callee, if it is called through one, ...
  size_t prototype = 0;              ///< ... with this prototype of the caller.
};

/// Where the instructions of one copy of a function went.
struct Placing {
  std::vector<size_t> places;    ///< Of each instruction, and of the function's end.
  std::vector<size_t> branches;  ///< Places of the branches to labels.
  std::vector<size_t> returns;   ///< Places of the branches to the end that replace its rets.
  size_t first_list = 0;         ///< Where its branch-target lists start.
};

class Flattener {
 public:
  explicit Flattener(const Module& module) : module_(module) {}
  Result<Function> flatten(size_t entry);

 private:
  Frame make_frame(size_t function);
  int32_t place_variable(size_t function, size_t index);
  int32_t add_variable(Variable variable);
  std::string unique(const std::string& name);
  bool copy(size_t function, const Frame& frame);
  bool copy_instruction(const Instruction& instruction, const Frame& frame, Placing& placing);
  Instruction renamed(const Instruction& instruction, const Frame& frame) const;
  void set_labels(const Function& function, const Placing& placing);
  bool copy_call(const Instruction& call, const Frame& frame);
  bool copy_callee(const Instruction& call, size_t callee);
  bool copy_callees(const Instruction& call, const Prototype& prototype);
  std::vector<size_t> functions_like(const Prototype& prototype) const;
  bool may_copy(const Instruction& call, size_t callee);
  void bind_arguments(const Instruction& call, const Function& callee, Frame& frame);
  void bind_results(const Instruction& call, const Function& callee, Frame& frame);
  void fetch_results(const Instruction& call, const Function& callee, const Frame& frame);
  void move_parameter(Op op, const Instruction& call, Type type, int32_t variable, const Operand& value);
  void end_with_ret();
  bool fail(const Instruction& at, std::string message);

  const Module& module_;
  Function flat_;
  std::vector<size_t> stack_;                            // The functions that are being copied, the entry first.
  std::map<std::pair<size_t, size_t>, int32_t> shared_;  // __shared__ variables: one for all copies of their function.
  std::unordered_map<std::string, int> names_;
  size_t calls_ = 0;
  Diagnostics errors_;
};

bool is_executed_by_name(const std::string& name) {
  return std::find(kExecutedByName.begin(), kExecutedByName.end(), name) != kExecutedByName.end();
}

Call read_call(const Instruction& instruction) {
  static const std::vector<Operand> kNothing;
  Call call{&kNothing, &kNothing};
  bool seen_callee = false;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == Operand::Kind::Function) {
      call.callee = static_cast<size_t>(operand.index);
      seen_callee = true;
    } else if (operand.kind == Operand::Kind::Register) {
      call.pointer = &operand;
      seen_callee = true;
    } else if (operand.kind == Operand::Kind::Prototype) {
      call.prototype = static_cast<size_t>(operand.index);
    } else {
      (seen_callee ? call.arguments : call.results) = &operand.elements;
    }
  }
  return call;
}

Operand label(size_t instruction) {
  Operand operand;
  operand.kind = Operand::Kind::Label;
  operand.index = static_cast<int32_t>(instruction);
  return operand;
}

Operand immediate(uint64_t bits) {
  Operand operand;
  operand.kind = Operand::Kind::Immediate;
  operand.bits = bits;
  return operand;
}

Operand register_operand(int32_t index) {
  Operand operand;
  operand.kind = Operand::Kind::Register;
  operand.index = index;
  return operand;
}

/// An instruction at the place of another and under its guard.
Instruction like(const Instruction& other, Op op) {
  Instruction instruction;
  instruction.op = op;
  instruction.guard = other.guard;
  instruction.guard_negated = other.guard_negated;
  instruction.line = other.line;
  instruction.column = other.column;
  instruction.source = other.source;
  instruction.inlined_at = other.inlined_at;
  instruction.called_from = other.called_from;
  return instruction;
}

Type bits_of_size(uint32_t bytes) {
  return bytes == 1 ? Type::B8 : bytes == 2 ? Type::B16 : bytes == 4 ? Type::B32 : Type::B64;
}

Result<Function> Flattener::flatten(size_t entry) {
  const Function& function = module_.functions[entry];
  flat_ = function;
  flat_.registers.clear();
  flat_.variables.clear();
  flat_.instructions.clear();
  flat_.branch_targets.clear();
  flat_.prototypes.clear();
  for (const Variable& parameter : function.parameters) unique(parameter.name);
  Frame frame = make_frame(entry);
  for (size_t i = 0; i < function.parameters.size(); ++i)
    frame.parameters.push_back(kParameter + static_cast<int32_t>(i));
  if (!copy(entry, frame)) return std::move(errors_);
  number_variables(flat_);
  end_with_ret();
  return std::move(flat_);
}

Frame Flattener::make_frame(size_t index) {
  const Function& function = module_.functions[index];
  Frame frame;
  frame.first_register = static_cast<int32_t>(flat_.registers.size());
  for (const Register& reg : function.registers) flat_.registers.push_back({unique(reg.name), reg.type});
  for (size_t i = 0; i < function.variables.size(); ++i) frame.variables.push_back(place_variable(index, i));
  return frame;
}

int32_t Flattener::place_variable(size_t function, size_t index) {
  const Variable& variable = module_.functions[function].variables[index];
  if (variable.space != Space::Shared) return add_variable(variable);
  const auto [found, is_new] = shared_.try_emplace({function, index}, 0);
  if (is_new) found->second = add_variable(variable);
  return found->second;
}

int32_t Flattener::add_variable(Variable variable) {
  variable.name = unique(variable.name);
  flat_.variables.push_back(std::move(variable));
  return kOwnVariable + static_cast<int32_t>(flat_.variables.size()) - 1;
}

std::string Flattener::unique(const std::string& name) {
  int& uses = names_[name];
  std::string result = name;
  while (uses++ > 0) {
    result = fmt::format("{}${}", name, uses);
    if (names_[result]++ == 0) break;
  }
  return result;
}

bool Flattener::copy(size_t index, const Frame& frame) {
  const Function& function = module_.functions[index];
  stack_.push_back(index);
  Placing placing;
  placing.first_list = flat_.branch_targets.size();
  for (const std::vector<int32_t>& targets : function.branch_targets) flat_.branch_targets.push_back(targets);
  for (const Instruction& instruction : function.instructions)
    if (!copy_instruction(instruction, frame, placing)) return false;
  placing.places.push_back(flat_.instructions.size());
  set_labels(function, placing);
  stack_.pop_back();
  return true;
}

bool Flattener::copy_instruction(const Instruction& instruction, const Frame& frame, Placing& placing) {
  const size_t place = flat_.instructions.size();
  if (place >= kMaxInstructions)
    return fail(instruction, fmt::format("with its calls written out this kernel has over {} instructions; "
                                         "let it call less",
                                         kMaxInstructions));
  placing.places.push_back(place);
  if (instruction.op == Op::Call) return copy_call(instruction, frame);
  const bool is_branch = instruction.op == Op::Bra || instruction.op == Op::BrxIdx;
  const bool returns_to_caller = instruction.op == Op::Ret && stack_.size() > 1;
  if (is_branch) placing.branches.push_back(place);
  if (returns_to_caller) placing.returns.push_back(place);
  Instruction copy = renamed(instruction, frame);
  flat_.instructions.push_back(returns_to_caller ? like(copy, Op::Bra) : std::move(copy));
  return true;
}

Instruction Flattener::renamed(const Instruction& instruction, const Frame& frame) const {
  Instruction copy = instruction;
  const auto rename = [&](Operand& operand) {
    const bool has_register = operand.kind == Operand::Kind::Register || operand.kind == Operand::Kind::Address;
    if (has_register && operand.index >= 0) operand.index += frame.first_register;
    if (operand.variable >= 0) operand.variable = frame.variable(operand.variable);
    if (operand.kind == Operand::Kind::Function && copy.op != Op::Call)
      operand = immediate(function_address(module_, operand.index));
  };
  if (copy.guard >= 0) copy.guard += frame.first_register;
  if (copy.inlined_at.file < 0) copy.inlined_at = frame.call;
  if (frame.call.file >= 0 && copy.called_from.file != frame.call.file) copy.called_from = frame.call;
  for (Operand& operand : copy.operands) {
    rename(operand);
    for (Operand& element : operand.elements) rename(element);
  }
  return copy;
}

void Flattener::set_labels(const Function& function, const Placing& placing) {
  const auto place = [&](int32_t index) { return placing.places[static_cast<size_t>(index)]; };
  for (size_t branch : placing.branches)
    for (Operand& operand : flat_.instructions[branch].operands) {
      if (operand.kind == Operand::Kind::Label) operand = label(place(operand.index));
      if (operand.kind == Operand::Kind::LabelList) operand.index += static_cast<int32_t>(placing.first_list);
    }
  for (size_t i = 0; i < function.branch_targets.size(); ++i)
    for (int32_t& target : flat_.branch_targets[placing.first_list + i]) target = static_cast<int32_t>(place(target));
  for (size_t branch : placing.returns) flat_.instructions[branch].operands = {label(placing.places.back())};
}

// A guarded call becomes a branch around the callee's instructions.
bool Flattener::copy_call(const Instruction& instruction, const Frame& frame) {
  Instruction call = renamed(instruction, frame);
  const Call parts = read_call(call);
  const size_t index = follow_aliases(module_, parts.callee);
  const Function& callee = module_.functions[index];
  if (!parts.pointer && callee.is_declaration && is_executed_by_name(callee.name)) {
    flat_.instructions.push_back(std::move(call));
    return true;
  }
  const bool is_guarded = call.guard >= 0;
  const size_t around = flat_.instructions.size();
  call.guard_negated = !call.guard_negated;
  if (is_guarded) flat_.instructions.push_back(like(call, Op::Bra));
  call.guard = -1;
  call.guard_negated = false;
  const bool copied = parts.pointer ? copy_callees(call, module_.functions[stack_.back()].prototypes[parts.prototype])
                                    : copy_callee(call, index);
  if (copied && is_guarded) flat_.instructions[around].operands = {label(flat_.instructions.size())};
  return copied;
}

bool Flattener::copy_callee(const Instruction& call, size_t index) {
  if (!may_copy(call, index)) return false;
  const Function& callee = module_.functions[index];
  Frame inner = make_frame(index);
  const bool in_the_kernels_file = call.called_from.file < 0 || call.called_from.file == call.source.file;
  inner.call = in_the_kernels_file ? call.source : call.called_from;
  bind_arguments(call, callee, inner);
  bind_results(call, callee, inner);
  if (!copy(index, inner)) return false;
  fetch_results(call, callee, inner);
  return true;
}

// Each function that the pointer may hold, behind a comparison of its address; none of them is a trap.
bool Flattener::copy_callees(const Instruction& call, const Prototype& prototype) {
  const auto other = static_cast<int32_t>(flat_.registers.size());
  flat_.registers.push_back({unique("%other"), Type::Pred});
  std::vector<size_t> ends;
  for (const size_t callee : functions_like(prototype)) {
    Instruction compare = like(call, Op::Setp);
    compare.type = Type::B64;
    compare.compare = Compare::Ne;
    compare.modifiers = ".ne.b64";
    compare.operands = {register_operand(other), *read_call(call).pointer,
                        immediate(function_address(module_, static_cast<int32_t>(callee)))};
    flat_.instructions.push_back(std::move(compare));
    const size_t past = flat_.instructions.size();
    flat_.instructions.push_back(like(call, Op::Bra));
    flat_.instructions.back().guard = other;
    if (!copy_callee(call, callee)) return false;
    ends.push_back(flat_.instructions.size());
    flat_.instructions.push_back(like(call, Op::Bra));
    flat_.instructions[past].operands = {label(flat_.instructions.size())};
  }
  flat_.instructions.push_back(like(call, Op::Trap));
  for (const size_t end : ends) flat_.instructions[end].operands = {label(flat_.instructions.size())};
  return true;
}

bool same_layout(const std::vector<Variable>& some, const std::vector<Variable>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const Variable& one, const Variable& other) { return one.bytes == other.bytes; });
}

std::vector<size_t> Flattener::functions_like(const Prototype& prototype) const {
  std::vector<size_t> found;
  const auto add = [&](int32_t index) {
    if (index < 0) return;
    const size_t function = follow_aliases(module_, static_cast<size_t>(index));
    const Function& callee = module_.functions[function];
    if (!callee.is_entry && !callee.is_declaration && same_layout(callee.parameters, prototype.parameters) &&
        same_layout(callee.returns, prototype.returns) &&
        std::find(found.begin(), found.end(), function) == found.end())
      found.push_back(function);
  };
  for (const Variable& variable : module_.variables)
    for (const AddressInitial& initial : variable.initial_addresses) add(initial.function);
  for (const Function& function : module_.functions)
    for (const Instruction& instruction : function.instructions)
      for (const Operand& operand : instruction.operands)
        if (operand.kind == Operand::Kind::Function && instruction.op != Op::Call) add(operand.index);
  return found;
}

bool Flattener::may_copy(const Instruction& call, size_t callee) {
  const std::string& name = module_.functions[callee].name;
  if (module_.functions[callee].is_declaration)
    return fail(call, fmt::format("'{}' has no body in this module; define it in the same source", name));
  const auto caller = std::find(stack_.begin(), stack_.end(), callee);
  if (caller != stack_.end()) {
    std::string chain;
    for (auto it = caller; it != stack_.end(); ++it) chain += module_.functions[*it].name + " -> ";
    return fail(call, fmt::format("'{}' calls itself ({}{}); recursion is not executed, write it as a loop", name,
                                  chain, name));
  }
  if (stack_.size() == kMaxCallDepth)
    return fail(call, fmt::format("calls are nested more than {} deep", kMaxCallDepth));
  if (++calls_ > kMaxCalls)
    return fail(call, fmt::format("written out, this kernel makes more than {} calls", kMaxCalls));
  return true;
}

// The callee reads an argument in param space directly. Others get a variable of their own.
void Flattener::bind_arguments(const Instruction& call, const Function& callee, Frame& frame) {
  const std::vector<Operand>& arguments = *read_call(call).arguments;
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    const Operand& argument = arguments[i];
    const bool in_place = argument.kind == Operand::Kind::Variable;
    frame.parameters.push_back(in_place ? argument.variable : add_variable(callee.parameters[i]));
    const Type type = bits_of_size(static_cast<uint32_t>(callee.parameters[i].bytes));
    if (!in_place) move_parameter(Op::St, call, type, frame.parameters.back(), argument);
  }
}

void Flattener::bind_results(const Instruction& call, const Function& callee, Frame& frame) {
  const std::vector<Operand>& results = *read_call(call).results;
  for (size_t i = 0; i < callee.returns.size(); ++i) {
    const bool in_place = results[i].kind == Operand::Kind::Variable;
    frame.returns.push_back(in_place ? results[i].variable : add_variable(callee.returns[i]));
  }
}

void Flattener::fetch_results(const Instruction& call, const Function& callee, const Frame& frame) {
  const std::vector<Operand>& results = *read_call(call).results;
  for (size_t i = 0; i < callee.returns.size(); ++i) {
    const Type type = bits_of_size(static_cast<uint32_t>(callee.returns[i].bytes));
    if (results[i].kind == Operand::Kind::Register) move_parameter(Op::Ld, call, type, frame.returns[i], results[i]);
  }
}

void Flattener::move_parameter(Op op, const Instruction& call, Type type, int32_t variable, const Operand& value) {
  Instruction move = like(call, op);
  move.type = type;
  move.space = Space::Param;
  move.modifiers = fmt::format(".param.{}", to_string(type));
  Operand address;
  address.kind = Operand::Kind::Address;
  address.variable = variable;
  move.operands = op == Op::St ? std::vector<Operand>{address, value} : std::vector<Operand>{value, address};
  flat_.instructions.push_back(std::move(move));
}

void Flattener::end_with_ret() {
  const auto end = static_cast<int32_t>(flat_.instructions.size());
  bool reached = flat_.instructions.empty();
  if (!reached) {
    const Instruction& last = flat_.instructions.back();
    const bool leaves =
        last.op == Op::Ret || last.op == Op::Exit || last.op == Op::Trap || last.op == Op::Bra || last.op == Op::BrxIdx;
    reached = !leaves || last.guard >= 0;
  }
  for (const Instruction& instruction : flat_.instructions)
    reached |= instruction.op == Op::Bra && instruction.operands[0].index == end;
  for (const std::vector<int32_t>& targets : flat_.branch_targets)
    reached |= std::find(targets.begin(), targets.end(), end) != targets.end();
  if (!reached) return;
  Instruction ret;
  if (end > 0) ret = like(flat_.instructions.back(), Op::Ret);
  ret.op = Op::Ret;
  ret.guard = -1;
  ret.guard_negated = false;
  flat_.instructions.push_back(std::move(ret));
}

bool Flattener::fail(const Instruction& at, std::string message) {
  errors_.push_back(problem_with(module_, at, std::move(message)));
  return false;
}

Diagnostic no_such_entry(const std::string& name, const std::vector<std::string>& entries) {
  if (entries.empty()) return error("this module has no kernel; mark one with __global__");
  if (name.empty())
    return error(fmt::format("this module has {} kernels; say which: {}", entries.size(), fmt::join(entries, ", ")));
  const std::string nearest = nearest_name(name, entries);
  if (!nearest.empty()) return error(fmt::format("there is no kernel '{}'; did you mean '{}'?", name, nearest));
  return error(fmt::format("there is no kernel '{}'; there is {}", name, fmt::join(entries, ", ")));
}

}  // namespace

Result<Function> flatten(const Module& module, std::string_view entry) {
  std::vector<std::string> entries;
  size_t chosen = module.functions.size();
  for (size_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    if (!function.is_entry || function.is_declaration) continue;
    entries.push_back(function.name);
    if (entry.empty() || function.name == entry) chosen = i;
  }
  const bool ambiguous = entry.empty() && entries.size() > 1;
  if (chosen == module.functions.size() || ambiguous) return no_such_entry(std::string(entry), entries);
  return Flattener(module).flatten(chosen);
}

}  // namespace tilescope::ptx
