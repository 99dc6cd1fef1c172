#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "ptx/module.h"

/// A module around the statements of one kernel; line 1 of the statements is line 2 of the module.
inline std::string kernel_text(std::string_view statements) {
  return fmt::format(".version 9.0 .target sm_90 .address_size 64 .visible .entry k(.param .b64 out) {{\n{}\n}}\n",
                     statements);
}

/// Reads a module that must be valid.
inline tilescope::ptx::Module module_of(std::string_view text) {
  auto module = tilescope::ptx::parse(text, "test.ptx");
  if (module) return std::move(*module);
  ADD_FAILURE() << to_string(module.errors()) << "\nin\n" << text;
  return {};
}

/// The kernel of a good module; an empty one when it is not good.
inline tilescope::ptx::Function kernel_of(std::string_view statements) {
  tilescope::ptx::Module module = module_of(kernel_text(statements));
  return module.functions.empty() ? tilescope::ptx::Function{} : std::move(module.functions[0]);
}

/// The errors of a module that must be invalid.
inline std::string errors_of(std::string_view text) {
  const auto module = tilescope::ptx::parse(text, "test.ptx");
  return module ? "no errors" : to_string(module.errors());
}

/// The module without anything that depends on the layout of its text.
inline tilescope::ptx::Module without_places(tilescope::ptx::Module module) {
  module.file_name.clear();
  module.lines.clear();
  for (auto& variable : module.variables) variable.line = 0;
  for (auto& function : module.functions) {
    function.line = 0;
    for (auto* list : {&function.parameters, &function.returns, &function.variables})
      for (auto& variable : *list) variable.line = 0;
    for (auto& instruction : function.instructions) instruction.line = instruction.column = 0;
  }
  return module;
}
