#include "run/growth.h"

#include <algorithm>
#include <bit>

#include "run/count.h"
#include "run/demand.h"
#include "run/hardware_counters.h"
#include "run/traced_block.h"

namespace tilescope::run {
namespace {

constexpr int64_t kShortK = 128, kLongerK = 256;  // Multiples of every tile's depth.
constexpr int64_t kExtent = 512;                  // Of M and N, where short: one block is all that runs.
constexpr double kQuicker = 8;                    // What just fits takes some ten seconds.

int64_t shortened(int64_t size, Extent extent) {
  return extent == Extent::Whole || size <= kExtent ? size : kExtent + size % kExtent;
}

/// Sets the value that each line has at one K; the report is of one block.
void note(BlockGrowth& growth, double Growth::*which, const Report& report, const Prepared& prepared) {
  const analysis::Work work = work_of(report.counts, prepared.configuration);
  growth.warp_instructions.*which = static_cast<double>(report.counts.warp_instructions);
  growth.records.*which = static_cast<double>(report.trace->records);
  growth.fmas.*which = static_cast<double>(work.fmas);
  for (size_t i = 0; i < arch::kTensorTypes; ++i)
    growth.tensor_fmas[i].*which = static_cast<double>(work.tensor_fmas[i]);
  growth.shared_wavefronts.*which = static_cast<double>(work.shared_wavefronts);
  growth.l1_wavefronts.*which = static_cast<double>(work.l1_wavefronts);
  growth.l1_lines.*which = static_cast<double>(work.l1_lines);
  const GlobalSectors sectors = global_sectors(report.counts.memory);
  growth.sectors_read.*which = static_cast<double>(sectors.read);
  growth.sectors_written.*which = static_cast<double>(sectors.written);
  const std::vector<HardwareCounter>& counters = hardware_counters();
  growth.counters.resize(counters.size());
  for (size_t i = 0; i < counters.size(); ++i)
    if (counters[i].counted) growth.counters[i].*which = static_cast<double>(counters[i].counted(report.counts));
  (which == &Growth::at_short ? growth.demand_at_short : growth.demand_at_longer) =
      demand_of(report, {prepared.program(), prepared.machine()});
}

}  // namespace

double Growth::at(int64_t k) const {
  const double slope = (at_longer - at_short) / (kLongerK - kShortK);
  return std::max(0.0, at_short + slope * static_cast<double>(k - k % kShortK - kShortK));
}

double Growth::k_at(double value) const {
  const double slope = (at_longer - at_short) / (kLongerK - kShortK);
  return slope <= 0 ? 1e18 : static_cast<double>(kShortK) + (value - at_short) / slope;
}

std::optional<predict::Demand> BlockGrowth::demand_at(int64_t k, uint64_t blocks) const {
  if (!demand_at_short || !demand_at_longer) return std::nullopt;
  predict::Demand demand = *demand_at_short;
  demand.blocks = blocks;
  for (double predict::BlockDemand::*each : predict::kBlockDemands)
    demand.block.*each = Growth{demand_at_short->block.*each, demand_at_longer->block.*each}.at(k);
  return demand;
}

Result<BlockGrowth> growth_in_k(const Prepared& prepared, compile::Compiler& compiler, const Control& control,
                                Extent extent) {
  BlockGrowth growth;
  const bool grows = kernel::used_extents(prepared.request.kernel.description).find('K') != std::string::npos;
  for (const auto& [k, which] : {std::pair{kShortK, &Growth::at_short}, std::pair{kLongerK, &Growth::at_longer}}) {
    const kernel::Size& size = prepared.request.size;
    const kernel::Size shorter{shortened(size.m, extent), shortened(size.n, extent), k + size.k % kShortK};
    const Result<PreparedPointer> at_k = with_size(prepared, shorter, compiler, control.cancel);
    if (!at_k) return at_k.errors();
    const Result<Report> counted = count_block(*at_k, {0, 0}, control);
    if (!counted) return counted.errors();
    if (const auto problem = why_cut_off(*counted)) return *problem;
    note(growth, which, *counted, **at_k);
    if (!grows) {  // The second count would be the first again.
      note(growth, &Growth::at_longer, *counted, **at_k);
      break;
    }
  }
  return growth;
}

std::optional<int64_t> fitting_k(const Prepared& prepared, compile::Compiler& compiler, const Control& control) {
  const int64_t k = prepared.request.size.k;
  if (k < kLongK) return std::nullopt;
  const Result<BlockGrowth> growth = growth_in_k(prepared, compiler, control);
  if (!growth) return std::nullopt;
  const auto most_records = static_cast<double>(trace::RecorderOptions().record_limit);
  const double most_k = std::min(growth->warp_instructions.k_at(static_cast<double>(control.step_budget)),
                                 growth->records.k_at(most_records));
  if (static_cast<double>(k) <= most_k || most_k < kLongerK) return std::nullopt;
  const double quick = std::max(most_k / kQuicker, static_cast<double>(kLongerK));
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(quick)));
}

}  // namespace tilescope::run
