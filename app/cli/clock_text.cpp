#include "cli/clock_text.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "arch/arch.h"
#include "base/words.h"

namespace tilescope::cli {
namespace {

using clock::kStalls;
using clock::Stall;
using Json = nlohmann::ordered_json;

/// In clocks of warps for each issued instruction.
double per_issue(const clock::SmRun& run, size_t stall) {
  return run.stalls[stall] / static_cast<double>(std::max<uint64_t>(1, run.issued));
}

/// Who asks the caches for what; nothing for a kernel that reads no global memory.
std::string cache_text(const run::LaunchClock& clock, const Style& style) {
  if (clock.readers.empty()) return {};
  Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right});
  table.row({"", "line", "asked of L1", "L1 hits", "evicted, again", "asked of L2", "from DRAM"});
  const auto add = [&](const std::string& name, const run::CacheUse& use) {
    table.row({name, use.line > 0 ? fmt::format("{}", use.line) : "", in_bytes(use.asked),
               use.asked > 0 ? fmt::format("{:.0f} %", 100 * use.l1_hit_rate()) : "", in_bytes(use.again),
               in_bytes(use.l2), in_bytes(use.dram)});
  };
  for (const run::CacheUse& use : clock.readers) add(use.array, use);
  if (clock.readers.size() > 1) add("all", clock.reads);
  return style.bold("What reads of global memory ask the caches for") + '\n' + table.text(2);
}

Json json_of(const run::CacheUse& use) {
  return {{"array", use.array},
          {"line", use.line},
          {"asked_bytes", use.asked},
          {"l1_hit_bytes", use.hits},
          {"evicted_again_bytes", use.again},
          {"l2_bytes", use.l2},
          {"dram_bytes", use.dram}};
}

}  // namespace

std::string clock_text(const Result<run::LaunchClock>& clock, const Style& style) {
  std::string text = style.bold("Where warps wait") + '\n';
  if (!clock) return text + wrapped(clock.errors().front().message.text(), kWidth) + '\n';
  const clock::SmRun& run = clock->time.run;
  text +=
      wrapped(fmt::format(
                  "{} clocks of an SM of {}; its schedulers issue in {:.0f} % of them. A warp's clocks for each of its "
                  "instructions:",
                  grouped(static_cast<uint64_t>(clock->time.clocks)), clock->device, 100 * clock->time.issue_active),
              kWidth) +
      '\n';
  std::array<size_t, kStalls> order;
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return run.stalls[a] > run.stalls[b]; });
  const double all = std::accumulate(run.stalls.begin(), run.stalls.end(), 0.0);
  Table table({Align::Left, Align::Right, Align::Right});
  for (const size_t stall : order) {
    const double share = all > 0 ? run.stalls[stall] / all : 0;
    if (share < 0.01) break;
    table.row({std::string(clock::words_of(static_cast<Stall>(stall))), fmt::format("{:.2f}", per_issue(run, stall)),
               fmt::format("{:.0f} %", 100 * share)});
  }
  return text + table.text(2) + cache_text(*clock, style);
}

Json clock_json(const Result<run::LaunchClock>& clock) {
  if (!clock) return {{"source", "simulated"}, {"not_known", clock.errors().front().message.text()}};
  const clock::SmRun& run = clock->time.run;
  Json stalls;
  for (size_t i = 0; i < kStalls; ++i) stalls[std::string(clock::to_string(static_cast<Stall>(i)))] = per_issue(run, i);
  Json readers = Json::array();
  for (const run::CacheUse& use : clock->readers) readers.push_back(json_of(use));
  return {{"source", "simulated"},
          {"device", clock->device},
          {"clocks", clock->time.clocks},
          {"issued", clock->of_launch(run.issued, run.issued_before)},
          {"issue_active", clock->time.issue_active},
          {"simulated", {{"clocks", run.clocks}, {"issued", run.issued}, {"blocks", run.blocks_done}}},
          {"stalls", std::move(stalls)},
          {"hit_rates", {{"l1", clock->reads.l1_hit_rate()}, {"l2", clock->reads.l2_hit_rate()}}},
          {"l2",
           {{"read_bytes", clock->reads.l2},
            {"written_bytes", clock->of_launch(run.traffic.l2_write_sectors, run.traffic_before.l2_write_sectors) *
                                  arch::kSectorBytes}}},
          {"dram", {{"read_bytes", clock->reads.dram}}},
          {"readers", std::move(readers)}};
}

}  // namespace tilescope::cli
