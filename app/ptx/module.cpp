#include "ptx/module.h"

namespace tilescope::ptx {

uint32_t size_of(Type type) {
  switch (type) {
    case Type::None:
    case Type::Pred: return 0;
    case Type::B8:
    case Type::U8:
    case Type::S8: return 1;
    case Type::B16:
    case Type::U16:
    case Type::S16:
    case Type::F16:
    case Type::BF16: return 2;
    case Type::B32:
    case Type::U32:
    case Type::S32:
    case Type::F32: return 4;
    case Type::U16x2:
    case Type::S16x2:
    case Type::F16x2:
    case Type::BF16x2:
    case Type::TF32: return 4;
    case Type::B64:
    case Type::U64:
    case Type::S64:
    case Type::F64: return 8;
    case Type::B128: return 16;
  }
  return 0;
}

bool is_float(Type type) { return type >= Type::F16; }

bool is_signed(Type type) { return type >= Type::S8 && type <= Type::S64; }

const Variable& variable_of(const Module& module, const Function& function, int32_t index) {
  auto i = static_cast<size_t>(index);
  for (const std::vector<Variable>* list : {&function.variables, &function.parameters, &function.returns}) {
    if (i < list->size()) return (*list)[i];
    i -= list->size();
  }
  return module.variables[i];
}

size_t follow_aliases(const Module& module, size_t function) {
  for (size_t steps = 0; module.functions[function].alias_of >= 0 && steps < module.functions.size(); ++steps)
    function = static_cast<size_t>(module.functions[function].alias_of);
  return function;
}

// Where no array is, and no machine code.
uint64_t function_address(const Module& module, int32_t function) {
  constexpr uint64_t kFirst = 1u << 24, kApart = 16;
  const size_t index = follow_aliases(module, static_cast<size_t>(function));
  return module.functions[index].address ? module.functions[index].address : kFirst + kApart * index;
}

}  // namespace tilescope::ptx
