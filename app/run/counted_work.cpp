#include "run/counted_work.h"

#include "run/count.h"
#include "run/growth.h"

namespace tilescope::run {

Result<CountedWork> count_work(const Prepared& prepared, compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  Control control;
  control.cancel = cancel;
  control.threads = 1;
  const Result<BlockGrowth> growth = growth_in_k(prepared, compiler, control);
  if (!growth) return growth.errors();
  const kernel::Configuration& whole = prepared.configuration;
  const Request& request = prepared.request;
  CountedWork counted{request.kernel.name, request.kernel.source, whole.parameters, request.size.m, {},
                      whole.grid.count(), growth->demand_at(request.size.k, whole.grid.count())};
  const auto of_all_blocks = [&](const Growth& of_one) {
    return static_cast<uint64_t>(of_one.at(request.size.k) * static_cast<double>(counted.blocks));
  };
  counted.work = work_of({}, whole);  // What must cross DRAM follows from the sizes.
  counted.work.fmas = of_all_blocks(growth->fmas);
  counted.work.shared_wavefronts = of_all_blocks(growth->shared_wavefronts);
  counted.work.l1_wavefronts = of_all_blocks(growth->l1_wavefronts);
  counted.work.l1_lines = of_all_blocks(growth->l1_lines);
  return counted;
}

void WorkCounter::ask(const Request& request) {
  const auto [place, is_new] = asked_.insert(key_of(request));
  if (!is_new) return;
  order_.push_back(place);
  if (order_.size() > kMostKept) {
    asked_.erase(order_.front());
    order_.pop_front();
  }
  worker_.append([this, request, runs = runs_](const Worker::Turn& turn) {
    const Result<PreparedPointer> prepared = runs->prepare(request, &turn.cancel());
    if (!prepared) return;
    Result<CountedWork> counted = count_work(**prepared, runs->compiler(), &turn.cancel());
    if (counted) turn.deliver([this, counted = std::move(*counted)] { keep(counted); });
  });
}

void WorkCounter::keep(CountedWork counted) {
  counted_.push_back(std::move(counted));
  if (counted_.size() > kMostKept) counted_.erase(counted_.begin());
}

}  // namespace tilescope::run
