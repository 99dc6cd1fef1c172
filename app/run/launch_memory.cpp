#include "run/launch_memory.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/turns.h"
#include "base/words.h"
#include "run/count.h"
#include "run/inputs.h"

namespace tilescope::run {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

template <class T>
void put(std::vector<uint8_t>& target, size_t offset, T value) {
  std::memcpy(target.data() + offset, &value, sizeof value);
}

void put_argument(std::vector<uint8_t>& target, size_t offset, const kernel::ArgumentValue& argument) {
  if (is_floating(argument.element))
    return put_scalar(reinterpret_cast<std::byte*>(target.data() + offset), argument.element, argument.real);
  std::memcpy(target.data() + offset, &argument.integer, std::min<size_t>(8, size_of(argument.element)));
}

Result<int> place_array(const kernel::ArrayShape& array, uint64_t seed, bool contents, emulator::GlobalMemory& memory) {
  Allocation allocation{array.name, Space::Global, 0, array.bytes, array.element, array.shape};
  contents |= array.content != nullptr;
  const bool is_filled = contents && (array.role != kernel::Role::Output || array.initial);
  const Result<uint64_t> base = contents && !is_filled ? memory.allocate(std::move(allocation))
                                                       : memory.allocate(std::move(allocation), std::nullopt);
  if (!base) return base.errors();
  let_turns_pass();
  const int index = static_cast<int>(memory.allocations().size()) - 1;
  if (is_filled) fill_array(seed, array, memory.bytes(index).data());
  return index;
}

void set_parameters(const Prepared& prepared, LaunchMemory& result) {
  const auto& offsets = prepared.program().parameter_offsets();
  result.launch.parameters.assign(prepared.program().parameter_bytes(), 0);
  for (size_t i = 0; i < offsets.size(); ++i) {
    const kernel::ArgumentValue& argument = prepared.configuration.arguments[i];
    if (argument.tensor) {
      TensorMap map = argument.tensor->map;
      const auto index = static_cast<size_t>(result.array_index[static_cast<size_t>(argument.tensor->array)]);
      map.address = result.memory.allocations()[index].base;
      put(result.launch.parameters, offsets[i], pack(map));
      continue;
    }
    if (argument.array < 0) {
      put_argument(result.launch.parameters, offsets[i], argument);
      continue;
    }
    const auto index = static_cast<size_t>(result.array_index[static_cast<size_t>(argument.array)]);
    put(result.launch.parameters, offsets[i], result.memory.allocations()[index].base);
  }
}

// The description's shape for an array of the source; else a row of elements of the PTX's type.
Allocation named(Allocation allocation, const kernel::Configuration& configuration) {
  allocation.name = source_name(allocation.name);
  for (const kernel::ArrayShape& array : configuration.arrays)
    if (array.space == Space::Shared && array.name == allocation.name) {
      allocation.element = array.element;
      allocation.shape = array.shape;
      return allocation;
    }
  if (allocation.shape.empty()) allocation.shape = {allocation.bytes / std::max(1U, size_of(allocation.element))};
  return allocation;
}

// The parts of an array of the source named by the description, else the array itself.
void add_shared(const Allocation& whole, const kernel::Configuration& configuration, std::vector<Allocation>& shared) {
  const size_t before = shared.size();
  for (const kernel::ArrayShape& array : configuration.arrays)
    if (array.within == source_name(whole.name)) shared.push_back(part_of(whole, array));
  if (shared.size() == before) shared.push_back(named(whole, configuration));
}

// One another's shared memory of the blocks of a cluster: "As@1" is As of the block of rank 1.
void add_mates(const emulator::Program& program, std::vector<Allocation>& shared) {
  const uint64_t blocks = program.cluster().count();
  const size_t own = shared.size();
  for (uint64_t rank = 0; rank < blocks && blocks > 1; ++rank)
    for (size_t i = 0; i < own; ++i) {
      Allocation array = shared[i];
      array.name += fmt::format("@{}", rank);
      array.base += (rank + 1) << trace::kRankShift;
      shared.push_back(std::move(array));
    }
}

uint64_t number_in(const char* file, const char* key) {
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    uint64_t number = 0;
    if (!*key)
      return std::isdigit(static_cast<unsigned char>(word[0])) ? std::strtoull(word.c_str(), nullptr, 10)
                                                               : std::numeric_limits<uint64_t>::max();
    if (word == key && stream >> number) return number * 1024;
  }
  return std::numeric_limits<uint64_t>::max();
}

// The rest of the process's `ulimit -v`.
uint64_t address_space_left() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<uint64_t>::max();
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const uint64_t used = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

Allocation part_of(const Allocation& whole, const kernel::ArrayShape& array) {
  Allocation part{array.name,  Space::Shared, whole.base + array.at, array.bytes, array.element,
                  array.shape, array.pitch};
  if (array.pitch > 0) part.bytes = (array.shape.front() - 1) * array.pitch + part.part_bytes();
  return part;
}

uint64_t bytes_needed(const kernel::Configuration& configuration) { return 2 * configuration.global_bytes; }

uint64_t bytes_available() {
  return std::min(
      {number_in("/proc/meminfo", "MemAvailable:"), number_in("/sys/fs/cgroup/memory.max", ""), address_space_left()});
}

Message memory_problem(const kernel::Configuration& configuration, uint64_t available) {
  const uint64_t needed = bytes_needed(configuration);
  if (needed <= available) return {};
  const kernel::Size& size = configuration.size;
  return Message(
      "M={} N={} K={} needs {:.1f} GiB: {:.1f} GiB for the kernel's arrays and as much again to verify its result; "
      "{:.1f} GiB is available on this machine. Choose a smaller size.",
      size.m, size.n, size.k, static_cast<double>(needed) / kGiB,
      static_cast<double>(configuration.global_bytes) / kGiB, static_cast<double>(available) / kGiB);
}

Result<LaunchMemory> place_launch(const Prepared& prepared, uint64_t seed, bool contents) {
  LaunchMemory result;
  const kernel::Configuration& configuration = prepared.configuration;
  for (const kernel::ArrayShape& array : configuration.arrays) {
    result.array_index.push_back(-1);
    if (array.space != Space::Global) continue;
    const Result<int> index = place_array(array, seed, contents, result.memory);
    if (!index) return index.errors();
    result.array_index.back() = *index;
  }
  const Result<std::monostate> placed = emulator::place_module_variables(prepared.program(), result.memory);
  if (!placed) return placed.errors();
  result.launch.grid = configuration.grid;
  result.launch.block = configuration.block;
  result.launch.dynamic_shared_bytes = configuration.dynamic_shared_bytes;
  result.launch.cooperative = prepared.is_cooperative();
  if (prepared.device && prepared.device->sms) result.launch.sms = static_cast<uint32_t>(prepared.device->sms->value);
  set_parameters(prepared, result);
  return result;
}

namespace {

/// Whether an array holds data at launch, and which parts of it.
void set_initialised(const kernel::ArrayShape& array, analysis::LaunchFacts::GlobalArray& fact) {
  if (!array.content || array.initial) {
    fact.initialised = array.role != kernel::Role::Output || array.initial.has_value();
    return;
  }
  fact.initialised = array.content->unwritten.empty();
  if (fact.initialised) return;
  fact.written = std::make_shared<analysis::WrittenBytes>();
  uint64_t end = 0;
  for (const auto& [first, bytes] : array.content->unwritten) {
    fact.written->set_range(end, first - end);
    end = first + bytes;
  }
  if (end < array.bytes) fact.written->set_range(end, array.bytes - end);
}

analysis::LaunchFacts launch_facts(const Prepared& prepared, const LaunchMemory& launch) {
  analysis::LaunchFacts facts;
  facts.module = &prepared.program().module();
  facts.function = &prepared.program().function();
  facts.grid = launch.launch.grid;
  facts.block = launch.launch.block;
  facts.cluster = prepared.program().cluster();
  for (Allocation allocation : launch.memory.allocations()) {
    allocation.name = source_name(allocation.name);
    facts.global.push_back({std::move(allocation), true});
  }
  for (size_t i = 0; i < launch.array_index.size(); ++i)
    if (launch.array_index[i] >= 0) {
      auto& fact = facts.global[static_cast<size_t>(launch.array_index[i])];
      set_initialised(prepared.configuration.arrays[i], fact);
      fact.guess = prepared.configuration.arrays[i].guess;
    }
  for (Allocation shared : prepared.program().shared_arrays()) {
    if (shared.bytes == 0) shared.bytes = launch.launch.dynamic_shared_bytes;
    add_shared(shared, prepared.configuration, facts.shared);
  }
  add_mates(prepared.program(), facts.shared);
  return facts;
}

Resources resources_of(const Build& build) {
  Resources resources;
  resources.shared_bytes = build.program->static_shared_bytes();
  if (build.loop) resources.loop_loads = build.loop->shared_loads;
  if (!build.resources) return resources;
  resources.registers = build.resources->registers;
  resources.spill_bytes = build.resources->spill_store_bytes + build.resources->spill_load_bytes;
  return resources;
}

}  // namespace

LaunchedKernel launched(const Prepared& prepared, LaunchMemory& memory) {
  return {.name = prepared.request.kernel.name,
          .file = prepared.request.kernel.file.string(),
          .program = prepared.build->program,
          .merge_plan = prepared.build->merge_plan,
          .shape = memory.launch,
          .memory = &memory.memory,
          .facts = launch_facts(prepared, memory),
          .limits = prepared.limits,
          .resources = resources_of(*prepared.build),
          .occupancy = prepared.occupancy};
}

}  // namespace tilescope::run
