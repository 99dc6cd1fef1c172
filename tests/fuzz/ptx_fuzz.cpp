// Any bytes as a PTX module: refused with diagnostics, or read; then printed and read back to the same text, and
// every kernel flattened. Never a crash or a hang.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/control_flow.h"
#include "../ptx/print_module.h"
#include "ptx/module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilescope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ptx::Module> module = ptx::parse(text, "fuzz.ptx");
  if (!module) {
    if (!has_errors(module.errors()) || to_string(module.errors()).empty()) __builtin_trap();
    return 0;
  }
  const std::string printed = ptx::print_module(*module);
  const Result<ptx::Module> again = ptx::parse(printed, "printed.ptx");
  if (!again || ptx::print_module(*again) != printed) __builtin_trap();
  for (const ptx::Function& function : module->functions) {
    const Result<ptx::Function> flat = ptx::flatten(*module, function.name);
    if (!flat) continue;
    const ptx::ControlFlow flow = ptx::control_flow(*flat);
    if (flow.block_of.size() != flat->instructions.size()) __builtin_trap();
  }
  return 0;
}
