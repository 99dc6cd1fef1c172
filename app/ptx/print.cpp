#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "ptx/module.h"
#include "ptx/opcode_table.h"

namespace tilescope::ptx {
namespace {

// A placeholder for the function names that .loc directives refer to, which parse() does not keep.
constexpr std::string_view kFunctionNameLabel = "$L__function_name";

template <class... Parts>
void append(std::string& text, fmt::format_string<Parts...> format, Parts&&... parts) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Parts>(parts)...);
}

/// Prints one function; labels are named after the instruction that follows.
class FunctionPrinter {
 public:
  FunctionPrinter(const Module& module, const Function& function) : module_(module), function_(function) {}
  void head(std::string& text) const;
  void body(std::string& text) const;
  void instruction(std::string& text, const Instruction& instruction) const;

 private:
  void registers(std::string& text) const;
  void locations(std::string& text, const Instruction& instruction, SourceLine& source, SourceLine& inlined_at) const;
  void operand(std::string& text, const Instruction& instruction, const Operand& operand, Type type,
               Type element_type) const;
  void address(std::string& text, const Instruction& instruction, const Operand& operand, Type element_type) const;
  void vector(std::string& text, const Instruction& instruction, const Operand& vector, Type type) const;
  void immediate(std::string& text, uint64_t bits, Type type) const;
  const std::string& variable_name(const Operand& operand) const {
    return variable_of(module_, function_, operand.variable).name;
  }
  const std::string& register_name(int32_t index) const { return function_.registers[static_cast<size_t>(index)].name; }

  const Module& module_;
  const Function& function_;
};

std::string label_name(int32_t instruction) { return fmt::format("$L_{}", instruction); }
std::string list_name(size_t list) { return fmt::format("$L_targets_{}", list); }
std::string prototype_name(size_t prototype) { return fmt::format("$L_prototype_{}", prototype); }

std::string declaration(const Variable& variable) {
  std::string text = fmt::format(".{} .align {} .{} {}", to_string(variable.space), variable.align,
                                 to_string(variable.type), variable.name);
  const uint32_t size = size_of(variable.type);
  if (variable.bytes == 0)
    text += "[]";
  else if (variable.bytes != size)
    append(text, "[{}]", variable.bytes / size);
  return text;
}

uint64_t element_bits(const Variable& variable, uint64_t offset) {
  uint64_t bits = 0;
  const uint32_t size = std::min(size_of(variable.type), 8u);
  for (uint32_t i = 0; i < size && offset + i < variable.initial.size(); ++i)
    bits |= uint64_t{variable.initial[offset + i]} << (8 * i);
  return bits;
}

std::string address_text(const Module& module, const AddressInitial& address) {
  const std::string& name = address.variable < 0 ? module.functions[static_cast<size_t>(address.function)].name
                                                 : module.variables[static_cast<size_t>(address.variable)].name;
  std::string text = address.generic ? fmt::format("generic({})", name) : name;
  if (address.addend) append(text, "{:+}", address.addend);
  return text;
}

std::string element_text(const Variable& variable, uint64_t offset) {
  const uint64_t bits = element_bits(variable, offset);
  if (variable.type == Type::F32) return fmt::format("0f{:08X}", bits);
  if (variable.type == Type::F64) return fmt::format("0d{:016X}", bits);
  return fmt::format("{}", bits);
}

std::string initial_values(const Module& module, const Variable& variable) {
  std::map<uint64_t, const AddressInitial*> addresses;
  for (const AddressInitial& address : variable.initial_addresses) addresses[address.offset] = &address;
  std::string text;
  const uint32_t size = std::max(1u, size_of(variable.type));
  for (uint64_t offset = 0; offset < variable.initial.size(); offset += size) {
    if (offset) text += ", ";
    const auto found = addresses.find(offset);
    text += found != addresses.end() ? address_text(module, *found->second) : element_text(variable, offset);
  }
  return variable.bytes == size ? text : fmt::format("{{{}}}", text);
}

void print_variable(std::string& text, const Module& module, const Variable& variable) {
  append(text, "{}{}", variable.is_extern ? ".extern " : "", declaration(variable));
  if (!variable.initial.empty()) append(text, " = {}", initial_values(module, variable));
  text += ";\n";
}

bool holds_a_function(const Variable& variable) {
  return std::any_of(variable.initial_addresses.begin(), variable.initial_addresses.end(),
                     [](const AddressInitial& initial) { return initial.function >= 0; });
}

std::string parameter_list(const std::vector<Variable>& parameters) {
  std::string text;
  for (const Variable& parameter : parameters) {
    if (!text.empty()) text += ", ";
    text += declaration(parameter);
  }
  return fmt::format("({})", text);
}

void FunctionPrinter::head(std::string& text) const {
  const bool is_extern = function_.is_declaration && function_.alias_of < 0;
  append(text, "{} {} ", is_extern ? ".extern" : ".visible", function_.is_entry ? ".entry" : ".func");
  if (!function_.returns.empty()) append(text, "{} ", parameter_list(function_.returns));
  append(text, "{}{}", function_.name, parameter_list(function_.parameters));
  const auto threads = [&](std::string_view word, const std::array<uint32_t, 3>& extents) {
    if (extents[0]) append(text, "\n{} {}, {}, {}", word, extents[0], extents[1], extents[2]);
  };
  threads(".maxntid", function_.max_threads);
  threads(".reqntid", function_.required_threads);
  if (function_.min_blocks) append(text, "\n.minnctapersm {}", function_.min_blocks);
  if (function_.max_registers) append(text, "\n.maxnreg {}", function_.max_registers);
  if (function_.no_return) text += "\n.noreturn";
}

void FunctionPrinter::registers(std::string& text) const {
  constexpr size_t kPerLine = 12;
  size_t in_line = 0;
  for (size_t i = 0; i < function_.registers.size(); ++i) {
    const Register& reg = function_.registers[i];
    const bool joins = in_line > 0 && in_line < kPerLine && function_.registers[i - 1].type == reg.type;
    if (in_line > 0 && !joins) text += ";\n";
    in_line = joins ? in_line + 1 : 1;
    if (joins)
      append(text, ", {}", reg.name);
    else
      append(text, "\t.reg .{} {}", to_string(reg.type), reg.name);
  }
  if (in_line > 0) text += ";\n";
}

std::set<int32_t> labels_of(const Function& function) {
  std::set<int32_t> labels;
  for (const Instruction& instruction : function.instructions)
    for (const Operand& operand : instruction.operands)
      if (operand.kind == Operand::Kind::Label) labels.insert(operand.index);
  for (const std::vector<int32_t>& targets : function.branch_targets) labels.insert(targets.begin(), targets.end());
  return labels;
}

void FunctionPrinter::body(std::string& text) const {
  text += "{\n";
  registers(text);
  for (const Variable& variable : function_.variables)
    append(text, "\t{}{};\n", variable.is_extern ? ".extern " : "", declaration(variable));
  for (size_t i = 0; i < function_.branch_targets.size(); ++i) {
    append(text, "{}: .branchtargets ", list_name(i));
    std::string names;
    for (int32_t target : function_.branch_targets[i]) names += (names.empty() ? "" : ", ") + label_name(target);
    append(text, "{};\n", names);
  }
  for (size_t i = 0; i < function_.prototypes.size(); ++i)
    append(text, "{}: .callprototype {} _ {};\n", prototype_name(i), parameter_list(function_.prototypes[i].returns),
           parameter_list(function_.prototypes[i].parameters));
  const std::set<int32_t> labels = labels_of(function_);
  SourceLine source, inlined_at;
  for (size_t i = 0; i < function_.instructions.size(); ++i) {
    if (labels.contains(static_cast<int32_t>(i))) append(text, "{}:\n", label_name(static_cast<int32_t>(i)));
    locations(text, function_.instructions[i], source, inlined_at);
    text += '\t';
    instruction(text, function_.instructions[i]);
    text += '\n';
  }
  const auto end = static_cast<int32_t>(function_.instructions.size());
  if (labels.contains(end)) append(text, "{}:\n", label_name(end));
  text += "}\n";
}

void FunctionPrinter::locations(std::string& text, const Instruction& instruction, SourceLine& source,
                                SourceLine& inlined_at) const {
  if (instruction.source == source && instruction.inlined_at == inlined_at) return;
  source = instruction.source;
  inlined_at = instruction.inlined_at;
  const auto place = [](const SourceLine& line) {
    return fmt::format("{} {} {}", line.file + 1, line.line, line.column);
  };
  // ptxas requires the place that inlined_at names to come first.
  const SourceLine& outer = instruction.called_from;
  const bool deeper = outer != SourceLine{} && outer != inlined_at;
  if (deeper) append(text, "\t.loc {}\n", place(outer));
  if (inlined_at != SourceLine{}) append(text, "\t.loc {}", place(inlined_at));
  if (deeper) append(text, ", function_name {}, inlined_at {}", kFunctionNameLabel, place(outer));
  if (inlined_at != SourceLine{}) text += '\n';
  append(text, "\t.loc {}", place(source));
  if (inlined_at != SourceLine{})
    append(text, ", function_name {}, inlined_at {}", kFunctionNameLabel, place(inlined_at));
  text += '\n';
}

void FunctionPrinter::instruction(std::string& text, const Instruction& instruction) const {
  if (instruction.guard >= 0)
    append(text, "@{}{} ", instruction.guard_negated ? "!" : "", register_name(instruction.guard));
  append(text, "{}{}", mnemonic(instruction.op), instruction.modifiers);
  OperandKinds kinds;
  operand_kinds(instruction, kinds);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const bool second_of_pair = i == 1 && kinds.kinds[1] == SlotKind::Dp;
    text += i == 0 ? " " : second_of_pair ? "|" : ", ";
    const SlotKind kind = i < kinds.count ? kinds.kinds[i] : SlotKind::List;
    operand(text, instruction, instruction.operands[i], operand_type(instruction, kind),
            element_type(instruction, kind, instruction.operands[i].elements.size()));
  }
  text += ';';
}

void FunctionPrinter::operand(std::string& text, const Instruction& instruction, const Operand& operand, Type type,
                              Type element_type) const {
  if (operand.negated) text += '!';
  switch (operand.kind) {
    case Operand::Kind::Register: text += register_name(operand.index); break;
    case Operand::Kind::Immediate: immediate(text, operand.bits, type); break;
    case Operand::Kind::Special:
      text += to_string(operand.special);
      if (has_components(operand.special)) append(text, ".{}", "xyz"[operand.component]);
      break;
    case Operand::Kind::Address: address(text, instruction, operand, element_type); break;
    case Operand::Kind::Variable:
      text += variable_name(operand);
      if (operand.offset) append(text, "{:+}", operand.offset);
      break;
    case Operand::Kind::Label: text += label_name(operand.index); break;
    case Operand::Kind::LabelList: text += list_name(static_cast<size_t>(operand.index)); break;
    case Operand::Kind::Function: text += module_.functions[static_cast<size_t>(operand.index)].name; break;
    case Operand::Kind::Prototype: text += prototype_name(static_cast<size_t>(operand.index)); break;
    case Operand::Kind::Vector: vector(text, instruction, operand, element_type); break;
    case Operand::Kind::Sink: text += '_'; break;
  }
}

void FunctionPrinter::address(std::string& text, const Instruction& instruction, const Operand& operand,
                              Type element_type) const {
  text += '[';
  if (operand.index >= 0) text += register_name(operand.index);
  if (operand.variable >= 0) text += variable_name(operand);
  const bool has_base = operand.index >= 0 || operand.variable >= 0;
  if (!has_base)
    append(text, "{}", operand.offset);
  else if (operand.offset)
    append(text, "+{}", operand.offset);  // "+-4": ptxas does not accept "-4" here.
  if (!operand.elements.empty()) {
    text += ", ";
    vector(text, instruction, operand, element_type);
  }
  text += ']';
}

void FunctionPrinter::vector(std::string& text, const Instruction& instruction, const Operand& vector,
                             Type type) const {
  const bool is_list = instruction.op == Op::Call;
  text += is_list ? '(' : '{';
  for (size_t i = 0; i < vector.elements.size(); ++i) {
    if (i) text += ", ";
    operand(text, instruction, vector.elements[i], type, Type::None);
  }
  text += is_list ? ')' : '}';
}

void FunctionPrinter::immediate(std::string& text, uint64_t bits, Type type) const {
  if (type == Type::F32)
    append(text, "0f{:08X}", bits);
  else if (type == Type::F64)
    append(text, "0d{:016X}", bits);
  else
    append(text, "{}", static_cast<int64_t>(bits));
}

bool has_inlined_code(const Module& module) {
  for (const Function& function : module.functions)
    for (const Instruction& instruction : function.instructions)
      if (instruction.inlined_at != SourceLine{}) return true;
  return false;
}

}  // namespace

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  std::string text;
  FunctionPrinter(module, function).instruction(text, instruction);
  return text;
}

std::string print(const Module& module) {
  std::string text = fmt::format(".version {}\n.target {}\n.address_size 64\n", module.version, module.target);
  const auto variables = [&] {
    for (const Variable& variable : module.variables) print_variable(text, module, variable);
  };
  // Functions whose addresses are in variables come before these.
  const bool begins_with_functions = std::any_of(module.variables.begin(), module.variables.end(), holds_a_function);
  if (!begins_with_functions) variables();
  // Functions are declared in the order of the list and get their bodies later, so that every callee is declared before
  // its call.
  for (const Function& function : module.functions) {
    FunctionPrinter(module, function).head(text);
    if (function.is_entry && !function.is_declaration && !begins_with_functions)
      FunctionPrinter(module, function).body(text += '\n');
    else
      text += "\n;\n";
  }
  if (begins_with_functions) variables();
  for (const Function& function : module.functions) {
    if (function.is_declaration || (function.is_entry && !begins_with_functions)) continue;
    FunctionPrinter(module, function).head(text);
    FunctionPrinter(module, function).body(text += '\n');
  }
  for (const Function& function : module.functions)
    if (function.alias_of >= 0)
      append(text, ".alias {}, {};\n", function.name, module.functions[static_cast<size_t>(function.alias_of)].name);
  for (size_t i = 0; i < module.files.size(); ++i) append(text, ".file {} \"{}\"\n", i + 1, module.files[i]);
  if (has_inlined_code(module)) append(text, ".section .debug_str\n{{\n{}:\n.b8 0\n}}\n", kFunctionNameLabel);
  return text;
}

}  // namespace tilescope::ptx
