#include "session/prepare.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/occupancy.h"
#include "base/words.h"

namespace tilescope::session {
namespace {

compile::Request compile_request(const Request& request, const kernel::Configuration& configuration) {
  compile::Request result;
  result.source = request.kernel.source;
  result.file_name = request.kernel.file.string();
  result.arch = request.arch;
  for (const std::string& macro : configuration.macros) {
    const size_t equals = macro.find('=');
    result.macros.push_back({macro.substr(0, equals), equals == std::string::npos ? "" : macro.substr(equals + 1)});
  }
  return result;
}

Result<std::shared_ptr<const emulator::Program>> build_program(const Request& request,
                                                               const compile::Output& compiled) {
  const Result<ptx::Module> module = ptx::parse(compiled.ptx, request.kernel.name + ".ptx");
  if (!module) return module.errors();
  if (const Diagnostics problems = ptx::verify(*module); has_errors(problems)) return problems;
  const Result<std::string> entry = find_entry(*module, request.kernel.description.entry);
  if (!entry) return entry.errors();
  return emulator::Program::build(*module, *entry);
}

void check_shared(const Prepared& prepared, Diagnostics& problems) {
  const uint64_t fixed = prepared.program->static_shared_bytes();
  if (fixed > prepared.limits.shared_per_block)
    problems.push_back(error(tr_format(
        "The kernel declares {} bytes of static shared memory a block; the limit is {}. Make its tiles smaller, or use "
        "dynamic shared memory, of which {} allows {} bytes.",
        fixed, prepared.limits.shared_per_block, target_name(prepared.limits),
        prepared.limits.shared_per_block_opt_in)));
  else if (prepared.shared_bytes() > prepared.limits.shared_per_block_opt_in)
    problems.push_back(error(tr_format("A block needs {} bytes of shared memory; {} allows {}. Make the tiles smaller.",
                                       prepared.shared_bytes(), target_name(prepared.limits),
                                       prepared.limits.shared_per_block_opt_in)));
}

void check_launch_bounds(const Prepared& prepared, Diagnostics& problems) {
  const ptx::Function& entry = prepared.program->function();
  const Dim3 block = prepared.configuration.block;
  const std::array<uint32_t, 3> wanted{block.x, block.y, block.z};
  if (entry.required_threads[0] != 0 && entry.required_threads != wanted)
    problems.push_back(error(tr_format("The kernel requires blocks of {} threads; its description launches {}.",
                                       fmt::join(entry.required_threads, " x "), fmt::join(wanted, " x "))));
  const uint64_t most =
      uint64_t{entry.max_threads[0]} * std::max(1U, entry.max_threads[1]) * std::max(1U, entry.max_threads[2]);
  if (most != 0 && block.count() > most)
    problems.push_back(error(tr_format(
        "__launch_bounds__ promises at most {} threads a block; its description launches {}.", most, block.count())));
}

void check_registers(const Prepared& prepared, Diagnostics& problems) {
  if (!prepared.resources) return;
  const uint64_t threads = prepared.configuration.block.count();
  const analysis::Occupancy occupancy = analysis::occupancy(
      prepared.limits, {threads, prepared.resources->registers, 0, 0, prepared.resources->barriers});
  if (occupancy.blocks_per_sm > 0) return;
  problems.push_back(error(
      tr_format("A block of {} threads with {} registers per thread does not fit on {}, which has {} registers per "
                "block. Use fewer threads, or __launch_bounds__({}).",
                threads, prepared.resources->registers, target_name(prepared.limits),
                prepared.limits.registers_per_block, threads)));
}

void check_arguments(const Request& request, const Prepared& prepared, Diagnostics& problems) {
  const auto& arguments = prepared.configuration.arguments;
  const auto& parameters = prepared.program->function().parameters;
  if (arguments.size() != parameters.size()) {
    problems.push_back(error(tr_format("{} takes {} arguments; its description passes {}.", request.kernel.name,
                                       parameters.size(), arguments.size())));
    return;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const uint64_t size = arguments[i].array >= 0 ? 8 : size_of(arguments[i].element);
    if (parameters[i].bytes != size)
      problems.push_back(error(tr_format("Argument {} of {} takes {} bytes; its description passes {}, which has {}.",
                                         i + 1, request.kernel.name, parameters[i].bytes, arguments[i].name, size)));
  }
}

}  // namespace

kernel::Limits configuration_limits(const arch::Limits& limits) {
  return {limits.threads_per_block, limits.max_block, limits.max_grid, limits.shared_per_block,
          limits.shared_per_block_opt_in};
}

std::string source_name(const std::string& ptx_name) {
  if (!ptx_name.starts_with("_Z")) return ptx_name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(ptx_name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !plain) return ptx_name;
  std::string name = plain.get();
  if (const size_t local = name.rfind(")::"); local != std::string::npos) name = name.substr(local + 3);
  name = name.substr(0, name.find_first_of("(<"));
  if (const size_t space = name.rfind(' '); space != std::string::npos) name = name.substr(space + 1);
  if (const size_t scope = name.rfind("::"); scope != std::string::npos) name = name.substr(scope + 2);
  return name;
}

Result<std::string> find_entry(const ptx::Module& module, const std::string& wanted) {
  std::vector<std::string> names;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry) continue;
    if (function.name == wanted || source_name(function.name) == wanted) return function.name;
    names.push_back(function.name);
  }
  if (names.empty())
    return error(tr("The source has no __global__ function. Add one; a template needs an explicit instantiation."));
  if (wanted.empty() && names.size() == 1) return names[0];
  for (std::string& name : names) name = source_name(name);
  if (wanted.empty())
    return error(tr_format("The source has {} __global__ functions ({}); say in the description which: entry = \"{}\".",
                           names.size(), fmt::join(names, ", "), names[0]));
  return error(tr_format("The source has no __global__ function {}; it has {}.", wanted, fmt::join(names, ", ")));
}

Request first_block_at(Request request, int64_t k) {
  constexpr int64_t kExtent = 512;
  request.size = {std::min(kExtent, request.size.m), std::min(kExtent, request.size.n), k};
  request.block = {0, 0};
  return request;
}

Result<Prepared> prepare(const Request& request, compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(request.arch));
  if (!limits) return limits.errors();
  const Result<kernel::Configuration> configuration =
      kernel::configure(request.kernel.description, request.settings, request.size, configuration_limits(*limits));
  if (!configuration) return configuration.errors();
  Result<compile::Output> compiled = compiler.compile(compile_request(request, *configuration), cancel);
  if (!compiled) return compiled.errors();
  Result<std::shared_ptr<const emulator::Program>> program = build_program(request, *compiled);
  if (!program) return program.errors();

  Prepared prepared{*limits, *configuration, std::move(*compiled), std::move(*program), std::nullopt};
  if (const auto* found = compile::find_resources(prepared.compiled, prepared.program->function().name))
    prepared.resources = *found;
  Diagnostics problems;
  check_arguments(request, prepared, problems);
  check_launch_bounds(prepared, problems);
  check_shared(prepared, problems);
  check_registers(prepared, problems);
  if (!problems.empty()) return problems;
  return prepared;
}

}  // namespace tilescope::session
