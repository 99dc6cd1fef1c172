#include "kernel/reference.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "kernel/configuration.h"
#include "kernel/launch_form.h"
#include "kernel/propose.h"

namespace tilescope::kernel {
namespace {

std::string without_arguments(const std::string& entry) { return entry.substr(0, entry.find('<')); }

/// Block, grid and shared memory of the file's launch of the entry; nullopt without such a launch.
void launch_as_in_file(const source::Program& program, const std::string& entry, Description& description) {
  const Result<Proposal> proposal = propose(program, description.title, entry);
  if (!proposal || proposal->form.guessed) return;
  Result<Description> launched = parse_description(to_toml(proposal->form), entry);
  if (!launched) return;
  description.block = std::move(launched->block);
  description.grid = std::move(launched->grid);
  description.dynamic_shared_bytes = std::move(launched->dynamic_shared_bytes);
}

bool take_the_same(const source::Kernel& a, const source::Kernel& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
                    [](const source::Parameter& x, const source::Parameter& y) {
                      return x.type == y.type && x.is_pointer == y.is_pointer;
                    });
}

}  // namespace

Result<Kernel> reference_kernel(const Kernel& kernel) {
  const Reference reference = *kernel.description.reference;
  const Kernel& home = kernel.referee ? *kernel.referee : kernel;
  const source::Program program = source::read_program(home.source, home.headers);
  std::vector<std::string> names;
  for (const source::Kernel& each : program.kernels) names.push_back(each.name);
  const std::string wanted = without_arguments(reference.entry);
  if (std::find(names.begin(), names.end(), wanted) == names.end())
    return error(Message("The reference {} is not a __global__ function of {}; it has {}.", reference.entry,
                         home.file.filename().string(), fmt::format("{}", fmt::join(names, ", "))));
  if (reference.entry == home.description.entry || (home.description.entry.empty() && names.size() == 1))
    return error(Message("The reference {} is the kernel itself; name another one.", reference.entry));
  Kernel result = home;
  result.description = kernel.description;
  Description& description = result.description;
  description.reference.reset();
  description.entry = reference.entry;
  if (!reference.arguments.empty()) description.arguments = reference.arguments;
  if (reference.block.empty()) {
    launch_as_in_file(program, reference.entry, description);
    return result;
  }
  description.block = reference.block;
  description.grid = reference.grid;
  description.dynamic_shared_bytes = reference.dynamic_shared_bytes;
  return result;
}

std::string extents_with_reference(const Kernel& kernel) {
  const std::string own = used_extents(kernel.description);
  if (!kernel.description.reference) return own;
  const Result<Kernel> reference = reference_kernel(kernel);
  if (!reference) return own;
  const std::string other = used_extents(reference->description);
  std::string all;
  for (const char extent : {'M', 'N', 'K'})
    if (own.find(extent) != std::string::npos || other.find(extent) != std::string::npos) all += extent;
  return all;
}

std::vector<std::string> possible_references(const source::Program& program, const source::Kernel& kernel) {
  std::vector<std::string> names;
  for (const source::Kernel& each : program.kernels)
    if (each.name != kernel.name && each.file == kernel.file && each.template_parameters.empty() &&
        take_the_same(each, kernel))
      names.push_back(each.name);
  return names;
}

}  // namespace tilescope::kernel
