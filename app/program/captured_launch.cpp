#include "program/captured_launch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "run/inputs.h"
#include "run/verify_launch.h"

namespace tilescope::program {
namespace {
using kernel::FormArgument;
using kernel::LaunchForm;

std::string extents_text(const Dim3& dim) {
  if (dim.z > 1) return fmt::format("{}, {}, {}", dim.x, dim.y, dim.z);
  return dim.y > 1 ? fmt::format("{}, {}", dim.x, dim.y) : fmt::format("{}", dim.x);
}

/// Which of M, N and K a scalar's proposed value is; -1 for others.
int size_index(const std::string& value) {
  const size_t at = std::string_view("MNK").find(value);
  return value.size() == 1 && at != std::string_view::npos ? static_cast<int>(at) : -1;
}

/// The passed value. The first that is proposed as M is M; likewise N and K.
void fill_scalar(FormArgument& argument, const CapturedLaunch::Argument& passed,
                 std::array<std::optional<int64_t>, 3>& sizes) {
  Element element{};
  if (!parse_element(argument.element, element) || passed.bytes.size() < size_of(element)) return;
  const double number = run::number_at(reinterpret_cast<const std::byte*>(passed.bytes.data()), element);
  const int size = is_floating(element) ? -1 : size_index(argument.value);
  const bool fits = number >= 1 && number <= kernel::kLargestSize;
  if (size >= 0 && fits) {
    std::optional<int64_t>& known = sizes[static_cast<size_t>(size)];
    if (!known) known = static_cast<int64_t>(number);
    if (*known == static_cast<int64_t>(number)) return;
  }
  argument.value = is_floating(element) ? fmt::format("{}", number) : fmt::format("{:.0f}", number);
}

/// The configuration of the form; nullopt while it cannot be launched.
std::optional<kernel::Configuration> configured(const LaunchForm& form) {
  const Result<kernel::Description> description = kernel::parse_description(to_toml(form), "");
  if (!description) return std::nullopt;
  Result<kernel::Configuration> settled = kernel::configure(*description, {}, kernel::default_size(*description));
  return settled ? std::optional(std::move(*settled)) : std::nullopt;
}

/// The proposed extents if they match the allocation, else a row of that many elements.
void fill_array(FormArgument& argument, uint64_t bytes, const std::optional<kernel::Configuration>& proposed) {
  if (proposed)
    for (const kernel::ArrayShape& array : proposed->arrays)
      if (array.name == argument.name && array.bytes == bytes) return;
  Element element = Element::F32;
  parse_element(argument.element, element);
  argument.shape = fmt::format("{}", bytes / size_of(element));
}

/// Writes the numbers for M, N and K: block, grid and contents are those of this size alone.
void fix_size(LaunchForm& form, const kernel::Configuration& filled) {
  for (FormArgument& argument : form.arguments)
    if (const int size = size_index(argument.value); size >= 0)
      argument.value = fmt::format("{}", (*form.size)[static_cast<size_t>(size)]);
  for (const kernel::ArrayShape& array : filled.arrays)
    for (FormArgument& argument : form.arguments)
      if (argument.name == array.name) argument.shape = fmt::format("{}", fmt::join(array.shape, ", "));
}

void fill_in(LaunchForm& form, const CapturedLaunch& launch) {
  std::array<std::optional<int64_t>, 3> sizes;
  for (size_t i = 0; i < form.arguments.size(); ++i)
    if (!form.arguments[i].is_array) fill_scalar(form.arguments[i], launch.arguments[i], sizes);
  form.size = {sizes[0].value_or(1), sizes[1].value_or(1), sizes[2].value_or(1)};
  form.block = extents_text(launch.block);
  form.grid = extents_text(launch.grid);
  form.shared_bytes = launch.dynamic_shared_bytes ? fmt::format("{}", launch.dynamic_shared_bytes) : "";
  form.guessed = form.square = false;
  form.line = 0;
  for (FormArgument& argument : form.arguments) argument.guessed = false;
  const std::optional<kernel::Configuration> proposed = configured(form);
  for (size_t i = 0; i < form.arguments.size(); ++i)
    if (form.arguments[i].is_array && launch.arguments[i].content)
      fill_array(form.arguments[i], launch.arguments[i].content->bytes.size(), proposed);
  if (const auto filled = configured(form); filled && !run::is_matrix_product(*filled)) fix_size(form, *filled);
}

}  // namespace

std::shared_ptr<const kernel::ArrayContent> Captor::content_at(DeviceMemory& memory, uint64_t address) {
  const auto& allocations = memory.global().allocations();
  const auto at = std::find_if(allocations.begin(), allocations.end(),
                               [&](const Allocation& allocation) { return allocation.contains(address); });
  if (at == allocations.end()) return nullptr;
  const uint64_t contents = memory.contents(at->base);  // 0: the host may have changed it.
  Known& known = known_[address];
  if (known.content && contents != 0 && known.contents == contents) return known.content;
  const auto bytes = memory.global().bytes(static_cast<int>(at - allocations.begin())).subspan(address - at->base);
  bytes_ += bytes.size();
  kernel::ArrayContent content{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, memory.unwritten(address)};
  known = {contents, std::make_shared<const kernel::ArrayContent>(std::move(content))};
  return known.content;
}

CapturedLaunch Captor::capture(const LoadedKernel& kernel, const LaunchShape& shape, DeviceMemory& memory) {
  CapturedLaunch result{kernel.name, kernel.file, shape.grid, shape.block, shape.dynamic_shared_bytes, {}};
  const std::vector<uint32_t>& offsets = kernel.program->parameter_offsets();
  const std::vector<ptx::Variable>& parameters = kernel.program->function().parameters;
  for (size_t i = 0; i < offsets.size(); ++i) {
    CapturedLaunch::Argument argument;
    const size_t end = std::min<size_t>(offsets[i] + parameters[i].bytes, shape.parameters.size());
    if (offsets[i] < end)
      argument.bytes.assign(shape.parameters.begin() + offsets[i],
                            shape.parameters.begin() + static_cast<std::ptrdiff_t>(end));
    uint64_t address = 0;
    if (argument.bytes.size() == sizeof address) {
      std::memcpy(&address, argument.bytes.data(), sizeof address);
      argument.content = content_at(memory, address);
    }
    result.arguments.push_back(std::move(argument));
  }
  return result;
}

Result<kernel::Opened> open_launch(const CapturedLaunch& launch) {
  if (launch.file.empty())
    return error(Message("The source of {} is not known; compile the program with -lineinfo.", launch.kernel));
  Result<kernel::Opened> opened = kernel::open_file(launch.file, {launch.kernel, {}, true});
  if (!opened) return opened;
  LaunchForm& form = *opened->form;
  if (form.arguments.size() != launch.arguments.size())
    return error(
        Message("The number of parameters of {} in {} is {}, that of arguments passed {}; compile the program again.",
                launch.kernel, launch.file, form.arguments.size(), launch.arguments.size()));
  fill_in(form, launch);
  Result<kernel::Description> description =
      kernel::parse_description(to_toml(form), kernel::description_file(opened->kernel).string());
  if (!description) return description.errors();
  for (kernel::Array& array : description->arrays)
    for (size_t i = 0; i < form.arguments.size(); ++i)
      if (form.arguments[i].is_array && form.arguments[i].name == array.name)
        array.content = launch.arguments[i].content;
  opened->kernel.description = std::move(*description);
  opened->assumed.clear();
  return opened;
}

}  // namespace tilescope::program
