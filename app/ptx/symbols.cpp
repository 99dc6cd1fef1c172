#include "ptx/symbols.h"

#include <array>

namespace tilescope::ptx {

void number_variables(Function& function) {
  constexpr int32_t kClass = 3 << 28;
  const auto own = static_cast<int32_t>(function.variables.size());
  const auto parameters = static_cast<int32_t>(function.parameters.size());
  const auto returns = static_cast<int32_t>(function.returns.size());
  const std::array<int32_t, 4> before{0, own, own + parameters, own + parameters + returns};
  const auto number = [&](Operand& operand) {
    if (operand.variable < 0) return;
    operand.variable = (operand.variable & ~kClass) + before[static_cast<size_t>(operand.variable >> 28)];
  };
  for (Instruction& instruction : function.instructions)
    for (Operand& operand : instruction.operands) {
      number(operand);
      for (Operand& element : operand.elements) number(element);
    }
}

}  // namespace tilescope::ptx
