#include "kernel/declaration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilescope::kernel {
namespace {

std::string_view cpp_type(Element element) {
  switch (element) {
    case Element::Byte:
    case Element::U8: return "unsigned char";
    case Element::I8: return "signed char";
    case Element::I16: return "short";
    case Element::U16: return "unsigned short";
    case Element::I32: return "int";
    case Element::U32: return "unsigned";
    case Element::I64: return "long long";
    case Element::U64: return "unsigned long long";
    case Element::F16: return "__half";
    case Element::BF16: return "__nv_bfloat16";
    case Element::F32: return "float";
    case Element::F64: return "double";
  }
  return {};
}

std::string parameter_text(const Description& description, const Argument& argument) {
  if (argument.tensor) return fmt::format("const __grid_constant__ CUtensorMap {}", argument.name);
  if (argument.array < 0) return fmt::format("{} {}", cpp_type(argument.element), argument.name);
  const Array& array = description.arrays[static_cast<size_t>(argument.array)];
  return fmt::format("{}{} *{}", array.role == Role::Input ? "const " : "", cpp_type(array.element), argument.name);
}

}  // namespace

std::string declaration(const Description& description, std::string_view name) {
  std::vector<std::string> parameters;
  for (const Argument& argument : description.arguments) parameters.push_back(parameter_text(description, argument));
  return fmt::format("__global__ void {}({})", name.substr(0, name.find('<')), fmt::join(parameters, ", "));
}

}  // namespace tilescope::kernel
