#include "program/modules.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "program/parameter_names.h"
#include "run/prepare.h"

namespace tilescope::program {
namespace {

/// The __constant__ variables that the kernel reads and that the source gives no value.
std::vector<std::string> constants_without_value(const emulator::Program& program) {
  const ptx::Function& function = program.function();
  std::set<std::string> names;
  for (const ptx::Instruction& instruction : function.instructions)
    for (const ptx::Operand& operand : instruction.operands) {
      if (operand.variable < 0) continue;
      const ptx::Variable& variable = ptx::variable_of(program.module(), function, operand.variable);
      if (variable.space == Space::Const && variable.initial.empty() && variable.initial_addresses.empty())
        names.insert(variable.name);
    }
  return {names.begin(), names.end()};
}

Diagnostic no_ptx(const std::vector<Image>& images, uint32_t capability) {
  std::vector<std::string> names;
  bool has_ptx = false;
  for (const Image& image : images) {
    has_ptx |= image.kind == Image::Kind::Ptx;
    names.push_back(fmt::format("{}_{}", image.kind == Image::Kind::Ptx ? "compute" : "sm", image.capability));
  }
  if (has_ptx)
    return error(Message(
        "The program has PTX only for architectures above sm_{} ({}); run it with --arch, or build it with nvcc "
        "-gencode arch=compute_{},code=compute_{}.",
        capability, fmt::join(names, ", "), capability, capability));
  return error(Message(
      "The program has no PTX, only machine code ({}), which Tilescope cannot execute; build it with nvcc -gencode "
      "arch=compute_{},code=compute_{}, and without -rdc=true, which leaves no PTX.",
      fmt::join(names, ", "), capability, capability));
}

/// The CUDA file of the kernel, as named in the PTX.
std::string source_file(const ptx::Module& module, const ptx::Function& function) {
  for (const ptx::Instruction& instruction : function.instructions) {
    const int32_t file = instruction.called_from.file >= 0 ? instruction.called_from.file : instruction.source.file;
    if (file >= 0 && static_cast<size_t>(file) < module.files.size()) return module.files[static_cast<size_t>(file)];
  }
  return {};
}

void read_source(LoadedKernel& kernel) {
  kernel.file = source_file(kernel.program->module(), kernel.program->function());
  if (kernel.file.empty()) return;
  const Result<std::string> text = read_file(kernel.file);
  if (!text) return;
  std::istringstream stream(*text);
  for (std::string line; std::getline(stream, line);) kernel.source.push_back(line);
  kernel.parameters = parameter_names(*text, run::source_name(kernel.program->function().name));
}

std::span<const uint8_t> cubin_of(const Image& image) {
  return {reinterpret_cast<const uint8_t*>(image.bytes.data()), image.bytes.size()};
}

}  // namespace

void Modules::add(uint32_t number, std::string bytes) { registered_[number] = {std::move(bytes), nullptr}; }

Result<LoadedModule*> Modules::load(uint32_t number) {
  const auto at = registered_.find(number);
  if (at == registered_.end()) return error(Message("The program requests device code that it did not register."));
  Registered& registered = at->second;
  if (!registered.loaded) {
    registered.loaded = std::make_unique<LoadedModule>();
    LoadedModule& module = *registered.loaded;
    Result<std::vector<Image>> images = read_fat_binary(registered.bytes);
    registered.bytes.clear();
    if (!images) {
      module.problems = images.errors();
    } else if (module.images = std::move(*images); const Image* ptx = ptx_for(module.images, limits_.capability)) {
      module.capability = ptx->capability;
      Result<UsablePtx> parsed = parse_usable(ptx->bytes, "the program's PTX");
      if (parsed)
        module.ptx = std::move(*parsed);
      else
        module.problems = parsed.errors();
    } else {
      module.problems = {no_ptx(module.images, limits_.capability)};
    }
    for (const Image& image : module.images)
      if (image.kind == Image::Kind::Cubin && image.capability == limits_.capability) {
        module.registers.merge(registers_of(image.bytes));
        if (module.ptx) run::address_functions(module.ptx->module, cubin_of(image));
      }
    if (module.ptx) {
      Result<std::vector<Allocation>> variables = memory_->place_variables(module.ptx->module);
      if (variables)
        module.variables = std::move(*variables);
      else
        module.problems = variables.errors();
    }
  }
  if (!registered.loaded->problems.empty()) return registered.loaded->problems;
  return registered.loaded.get();
}

Result<LoadedKernel> Modules::build(LoadedModule& module, const std::string& name, Dim3 cluster) const {
  if (const auto at = module.ptx->left_out.find(name); at != module.ptx->left_out.end()) return at->second;
  Result<std::shared_ptr<const emulator::Program>> program =
      emulator::Program::build(module.ptx->module, name, cluster);
  if (!program) return program.errors();
  LoadedKernel kernel;
  kernel.name = run::instance_name(name);
  kernel.module = &module;
  kernel.program = std::move(*program);
  kernel.constants = constants_without_value(*kernel.program);
  kernel.merge_plan = std::make_shared<const analysis::MergePlan>(
      analysis::plan_load_merge(kernel.program->module(), kernel.program->function(), kernel.program->shared_arrays()));
  for (const Image& image : module.images)
    if (image.kind == Image::Kind::Cubin && image.capability == limits_.capability && !kernel.machine) {
      kernel.machine = analysis::read_machine_kernel(cubin_of(image), name);
      kernel.machine_code = run::machine_code(cubin_of(image), name);
    }
  if (const auto at = module.registers.find(name); at != module.registers.end()) kernel.registers = at->second;
  read_source(kernel);
  return kernel;
}

Result<const LoadedKernel*> Modules::kernel(uint32_t number, const std::string& name, Dim3 cluster) {
  const Result<LoadedModule*> module = load(number);
  if (!module) return module.errors();
  const std::string key = fmt::format("{} {} {} {}", name, cluster.x, cluster.y, cluster.z);
  auto at = (*module)->kernels.find(key);
  if (at == (*module)->kernels.end()) {
    Result<LoadedKernel> built = build(**module, name, cluster);
    if (!built) return built.errors();
    at = (*module)->kernels.emplace(key, std::move(*built)).first;
  }
  return &at->second;
}

Result<Allocation> Modules::variable(uint32_t number, std::string_view name) {
  const Result<LoadedModule*> module = load(number);
  if (!module) return module.errors();
  for (const Allocation& variable : (*module)->variables)
    if (variable.name == name) return variable;
  return error(Message("The program's PTX has no variable {}.", name));
}

}  // namespace tilescope::program
