#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ptx/module.h"
#include "ptx/opcode_table.h"

/// A module as text, which parse() reads back as the same module.
namespace tilescope::ptx::printed {

// A placeholder for the function names that .loc directives refer to, which parse() does not keep.
constexpr std::string_view kFunctionNameLabel = "$L__function_name";

template <class... Parts>
inline void append(std::string& text, fmt::format_string<Parts...> format, Parts&&... parts) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Parts>(parts)...);
}

inline std::string declaration(const Variable& variable) {
  std::string text = fmt::format(".{} .align {} .{} {}", to_string(variable.space), variable.align,
                                 to_string(variable.type), variable.name);
  const uint32_t size = size_of(variable.type);
  if (variable.bytes == 0)
    text += "[]";
  else if (variable.bytes != size)
    append(text, "[{}]", variable.bytes / size);
  return text;
}

inline uint64_t element_bits(const Variable& variable, uint64_t offset) {
  uint64_t bits = 0;
  const uint32_t size = std::min(size_of(variable.type), 8u);
  for (uint32_t i = 0; i < size && offset + i < variable.initial.size(); ++i)
    bits |= uint64_t{variable.initial[offset + i]} << (8 * i);
  return bits;
}

inline std::string address_text(const Module& module, const AddressInitial& address) {
  const std::string& name = address.variable < 0 ? module.functions[static_cast<size_t>(address.function)].name
                                                 : module.variables[static_cast<size_t>(address.variable)].name;
  std::string text = address.generic ? fmt::format("generic({})", name) : name;
  if (address.addend) append(text, "{:+}", address.addend);
  return text;
}

inline std::string element_text(const Variable& variable, uint64_t offset) {
  const uint64_t bits = element_bits(variable, offset);
  if (variable.type == Type::F32) return fmt::format("0f{:08X}", bits);
  if (variable.type == Type::F64) return fmt::format("0d{:016X}", bits);
  return fmt::format("{}", bits);
}

inline std::string initial_values(const Module& module, const Variable& variable) {
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

inline void print_variable(std::string& text, const Module& module, const Variable& variable) {
  append(text, "{}{}", variable.is_extern ? ".extern " : "", declaration(variable));
  if (!variable.initial.empty()) append(text, " = {}", initial_values(module, variable));
  text += ";\n";
}

inline bool holds_a_function(const Variable& variable) {
  return std::any_of(variable.initial_addresses.begin(), variable.initial_addresses.end(),
                     [](const AddressInitial& initial) { return initial.function >= 0; });
}

inline std::string parameter_list(const std::vector<Variable>& parameters) {
  std::string text;
  for (const Variable& parameter : parameters) {
    if (!text.empty()) text += ", ";
    text += declaration(parameter);
  }
  return fmt::format("({})", text);
}

inline void print_head(std::string& text, const Function& function) {
  const bool is_extern = function.is_declaration && function.alias_of < 0;
  append(text, "{} {} ", is_extern ? ".extern" : ".visible", function.is_entry ? ".entry" : ".func");
  if (!function.returns.empty()) append(text, "{} ", parameter_list(function.returns));
  append(text, "{}{}", function.name, parameter_list(function.parameters));
  const auto threads = [&](std::string_view word, const std::array<uint32_t, 3>& extents) {
    if (extents[0]) append(text, "\n{} {}, {}, {}", word, extents[0], extents[1], extents[2]);
  };
  threads(".maxntid", function.max_threads);
  threads(".reqntid", function.required_threads);
  if (function.min_blocks) append(text, "\n.minnctapersm {}", function.min_blocks);
  if (function.max_registers) append(text, "\n.maxnreg {}", function.max_registers);
  if (function.no_return) text += "\n.noreturn";
}

inline void print_registers(std::string& text, const Function& function) {
  constexpr size_t kPerLine = 12;
  size_t in_line = 0;
  for (size_t i = 0; i < function.registers.size(); ++i) {
    const Register& reg = function.registers[i];
    const bool joins = in_line > 0 && in_line < kPerLine && function.registers[i - 1].type == reg.type;
    if (in_line > 0 && !joins) text += ";\n";
    in_line = joins ? in_line + 1 : 1;
    if (joins)
      append(text, ", {}", reg.name);
    else
      append(text, "\t.reg .{} {}", to_string(reg.type), reg.name);
  }
  if (in_line > 0) text += ";\n";
}

inline std::set<int32_t> labels_of(const Function& function) {
  std::set<int32_t> labels;
  for (const Instruction& instruction : function.instructions)
    for (const Operand& operand : instruction.operands)
      if (operand.kind == Operand::Kind::Label) labels.insert(operand.index);
  for (const std::vector<int32_t>& targets : function.branch_targets) labels.insert(targets.begin(), targets.end());
  return labels;
}

inline void print_places(std::string& text, const Instruction& instruction, SourceLine& source,
                         SourceLine& inlined_at) {
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

inline void print_body(std::string& text, const Module& module, const Function& function) {
  text += "{\n";
  print_registers(text, function);
  for (const Variable& variable : function.variables)
    append(text, "\t{}{};\n", variable.is_extern ? ".extern " : "", declaration(variable));
  for (size_t i = 0; i < function.branch_targets.size(); ++i) {
    append(text, "$L_targets_{}: .branchtargets ", i);
    std::string names;
    for (int32_t target : function.branch_targets[i])
      names += fmt::format("{}$L_{}", names.empty() ? "" : ", ", target);
    append(text, "{};\n", names);
  }
  for (size_t i = 0; i < function.prototypes.size(); ++i)
    append(text, "$L_prototype_{}: .callprototype {} _ {};\n", i, parameter_list(function.prototypes[i].returns),
           parameter_list(function.prototypes[i].parameters));
  const std::set<int32_t> labels = labels_of(function);
  SourceLine source, inlined_at;
  for (size_t i = 0; i < function.instructions.size(); ++i) {
    if (labels.contains(static_cast<int32_t>(i))) append(text, "$L_{}:\n", i);
    print_places(text, function.instructions[i], source, inlined_at);
    text += '\t';
    text += print(module, function, function.instructions[i]) + '\n';
  }
  const auto end = static_cast<int32_t>(function.instructions.size());
  if (labels.contains(end)) append(text, "$L_{}:\n", end);
  text += "}\n";
}

inline bool has_inlined_code(const Module& module) {
  for (const Function& function : module.functions)
    for (const Instruction& instruction : function.instructions)
      if (instruction.inlined_at != SourceLine{}) return true;
  return false;
}

}  // namespace tilescope::ptx::printed

namespace tilescope::ptx {

inline std::string print_module(const Module& module) {
  using namespace printed;
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
    print_head(text, function);
    if (function.is_entry && !function.is_declaration && !begins_with_functions)
      print_body(text += '\n', module, function);
    else
      text += "\n;\n";
  }
  if (begins_with_functions) variables();
  for (const Function& function : module.functions) {
    if (function.is_declaration || (function.is_entry && !begins_with_functions)) continue;
    print_head(text, function);
    print_body(text += '\n', module, function);
  }
  for (const Function& function : module.functions)
    if (function.alias_of >= 0)
      append(text, ".alias {}, {};\n", function.name, module.functions[static_cast<size_t>(function.alias_of)].name);
  for (size_t i = 0; i < module.files.size(); ++i) append(text, ".file {} \"{}\"\n", i + 1, module.files[i]);
  if (has_inlined_code(module)) append(text, ".section .debug_str\n{{\n{}:\n.b8 0\n}}\n", kFunctionNameLabel);
  return text;
}

}  // namespace tilescope::ptx
