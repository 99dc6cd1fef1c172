#include "run/run_cache.h"

#include <fmt/format.h>

namespace tilescope::run {
namespace {

std::string key_of(const compile::Request& request) {
  std::string key =
      fmt::format("{} {} {} {}", request.arch, to_string(request.by), request.is_users, request.file_name);
  for (const compile::Macro& macro : request.macros) key.append(fmt::format(" {}={}", macro.name, macro.value));
  for (const std::string& option : request.options) key.append(" " + option);
  for (const std::string& instance : request.instances) key += " " + instance;
  for (const compile::Header& header : request.headers) key += "\n" + header.name + "\n" + header.text;
  return key + "\n" + request.source;
}

std::string key_of(const Prepared& prepared, const std::optional<BlockPosition>& block) {
  const std::string key = key_of(prepared.request);
  return block ? fmt::format("{},{},{} {}", block->x, block->y, block->z, key) : key;
}

}  // namespace

Control RunCache::control(const std::atomic<bool>* cancel) const {
  Control control = limits_;
  if (cancel) control.cancel = cancel;
  return control;
}

Result<PreparedPointer> RunCache::prepare(const Request& request, const std::atomic<bool>* cancel,
                                          std::optional<kernel::Configuration> configuration) {
  return prepared_.get(key_of(request), cancel, [&]() -> Result<PreparedPointer> {
    Result<kernel::Configuration> settled =
        configuration ? Result<kernel::Configuration>(std::move(*configuration)) : configure(request);
    if (!settled) return settled.errors();
    const compile::Request wanted = compile_request(request, *settled);
    const kernel::Description& description = request.kernel.description;
    // A build holds that of its reference.
    std::string reference = description.reference ? " reference " + description.reference->entry : "";
    if (request.kernel.referee) reference += "\n" + request.kernel.referee->source;
    Result<BuildPointer> built = builds_.get(key_of(wanted) + description.entry + reference, cancel,
                                             [&] { return build(request, wanted, *compiler_, cancel); });
    if (!built) return built.errors();
    return run::prepare(request, std::move(*settled), std::move(*built));
  });
}

Result<std::shared_ptr<const TracedBlock>> RunCache::trace_block(const PreparedPointer& prepared,
                                                                 const BlockPosition& block,
                                                                 const std::atomic<bool>* cancel) {
  return traced_.get(key_of(*prepared, block), cancel,
                     [&] { return run::trace_block(prepared, block, control(cancel)); });
}

Result<std::shared_ptr<const GridCounts>> RunCache::count_grid(const PreparedPointer& prepared,
                                                               const std::atomic<bool>* cancel) {
  return counted_.get(key_of(*prepared, std::nullopt), cancel,
                      [&] { return run::count_grid(prepared, control(cancel)); });
}

Result<std::shared_ptr<const CheckResult>> RunCache::check_blocks(const PreparedPointer& prepared,
                                                                  const std::optional<BlockPosition>& block,
                                                                  const std::atomic<bool>* cancel) {
  return checked_.get(key_of(*prepared, block), cancel,
                      [&] { return run::check_blocks(prepared, block, control(cancel)); });
}

Control window_limits() {
  Control control;
  control.seconds = 60;
  control.step_budget = 30'000'000;  // Some ten seconds.
  return control;
}

}  // namespace tilescope::run
