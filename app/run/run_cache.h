#pragma once

#include <memory>
#include <optional>

#include "run/memo.h"
#include "run/traced_block.h"

namespace tilescope::run {

/// The runs of one process, shared: a configuration wanted by several users is prepared and run once, as long as one of
/// them holds it. Thread-safe.
class RunCache {
 public:
  /// `compiler` must outlive it. `limits`: of every run; its cancel applies if a call has none.
  explicit RunCache(compile::Compiler& compiler, Control limits = {})
      : compiler_(&compiler), limits_(std::move(limits)) {}

  /// `configuration`: of the request, if the caller has it; else it is made here.
  Result<PreparedPointer> prepare(const Request& request, const std::atomic<bool>* cancel = nullptr,
                                  std::optional<kernel::Configuration> configuration = std::nullopt);
  /// As the functions of the same names. `cancel` may be null.
  Result<std::shared_ptr<const TracedBlock>> trace_block(const PreparedPointer& prepared, const BlockPosition& block,
                                                         const std::atomic<bool>* cancel = nullptr);
  Result<std::shared_ptr<const GridCounts>> count_grid(const PreparedPointer& prepared,
                                                       const std::atomic<bool>* cancel = nullptr);
  Result<std::shared_ptr<const CheckResult>> check_blocks(const PreparedPointer& prepared,
                                                          const std::optional<BlockPosition>& block,
                                                          const std::atomic<bool>* cancel = nullptr);

  compile::Compiler& compiler() const { return *compiler_; }
  /// With that cancel.
  Control control(const std::atomic<bool>* cancel) const;

 private:
  compile::Compiler* compiler_;
  Control limits_;
  Memo<Build> builds_;
  Memo<Prepared> prepared_;
  Memo<TracedBlock> traced_;
  Memo<GridCounts> counted_;
  Memo<CheckResult> checked_;
};

/// The limits of runs beside a window, so that none takes minutes.
Control window_limits();

}  // namespace tilescope::run
