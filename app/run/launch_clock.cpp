#include "run/launch_clock.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/arithmetic.h"
#include "base/file.h"
#include "run/count.h"
#include "run/launch_memory.h"

namespace tilescope::run {
namespace {

constexpr uint32_t kSimulatedCapability = 90;

predict::Predicted predicted_of(const LaunchClock& clock, const clock::SmModel& model, double clock_hz) {
  using predict::Term;
  predict::Predicted predicted;
  predicted.device = clock.device;
  predicted.seconds = clock.time.seconds;
  predicted.low = model.low * predicted.seconds;
  predicted.high = model.high * predicted.seconds;
  const auto set = [&](Term term, double clocks) { predicted.terms[static_cast<size_t>(term)] = clocks / clock_hz; };
  const clock::SmRun& run = clock.time.run;
  const double carried = clock.time.clocks / static_cast<double>(std::max<int64_t>(1, run.clocks));
  const std::pair<Term, double> busy[] = {{Term::Path, carried * run.data_path_busy},
                                          {Term::Fma, carried * run.fma_busy / arch::kSchedulers},
                                          {Term::Issue, clock.time.issue_active * clock.time.clocks},
                                          {Term::L2, carried * run.traffic.l2_busy},
                                          {Term::Dram, carried * run.traffic.dram_busy}};
  double most = 0;
  for (const auto& [term, clocks] : busy) {
    set(term, clocks);
    most = std::max(most, clocks);
  }
  set(Term::Latency, std::max(0.0, clock.time.clocks - most));
  set(Term::LastRound, clock.time.last_round + clock.time.last_sm);
  set(Term::Launch, model.launch * clock_hz);
  const auto longest = std::max_element(predicted.terms.begin(), predicted.terms.end());
  predicted.limiting = static_cast<Term>(longest - predicted.terms.begin());
  return predicted;
}

/// `before`: what of it was before the rate was steady.
CacheUse use_of(const LaunchClock& clock, const clock::ReadTraffic& read, const clock::ReadTraffic& before) {
  const auto bytes = [&](uint64_t clock::ReadTraffic::*sectors) {
    return clock.of_launch(read.*sectors, before.*sectors) * arch::kSectorBytes;
  };
  using clock::ReadTraffic;
  return {{},
          0,
          bytes(&ReadTraffic::sectors),
          bytes(&ReadTraffic::hits),
          bytes(&ReadTraffic::again),
          bytes(&ReadTraffic::l2),
          bytes(&ReadTraffic::dram)};
}

std::vector<CacheUse> readers_of(const LaunchClock& clock, const sass::LineTable& lines,
                                 const analysis::LaunchFacts& facts) {
  using ByLine = std::map<std::pair<int, uint32_t>, clock::ReadTraffic>;
  const auto by_line = [&](const clock::MemoryTraffic& traffic) {
    ByLine reads;
    for (const auto& [reader, read] : traffic.readers)
      reads[{reader.array, reader.pc < lines.size() ? lines[reader.pc].line : 0}] += read;
    return reads;
  };
  ByLine before = by_line(clock.time.run.traffic_before);
  std::vector<CacheUse> readers;
  for (const auto& [of, read] : by_line(clock.time.run.traffic)) {
    CacheUse& use = readers.emplace_back(use_of(clock, read, before[of]));
    if (of.first >= 0) use.array = facts.global[static_cast<size_t>(of.first)].allocation.name;
    use.line = of.second;
  }
  std::stable_sort(readers.begin(), readers.end(), [](const CacheUse& a, const CacheUse& b) {
    return std::max(a.asked, a.l2) > std::max(b.asked, b.l2);
  });
  return readers;
}

}  // namespace

Result<clock::SmModel> sm_model_of(const std::optional<arch::Device>& device, const arch::Limits& limits) {
  if (!device || device->capability != kSimulatedCapability)
    return error(Message("The clocks of {} are not known, only those of sm_{}: choose a device of that kind.",
                         arch::target_name(limits), kSimulatedCapability));
  static const Result<clock::SmModel> model = clock::load_sm_model(data_folder() / "assets" / "sm.toml");
  return model;
}

Result<LaunchClock> clock_of(const LaunchedKernel& launched, const MachineCode& code,
                             const std::optional<arch::Device>& device, const ClockSetup& setup) {
  const Result<clock::SmModel> model = sm_model_of(device, launched.limits);
  if (!model) return model.errors();
  if (!device->sms || !device->clock_hz || !launched.occupancy)
    return error(
        Message("Without ptxas's registers it is not known how many blocks an SM holds; tilescope doctor says what is "
                "missing."));
  // Loops that wait for other blocks end at once: what a block waits for, it mostly finds.
  if (launched.is_cooperative() && !code.program->polls())
    return error(Message("The clocks of blocks that wait for one another are not known: one SM alone is simulated."));

  clock::TimedLaunch launch;
  launch.program = code.program.get();
  launch.sources = &code.sources;
  launch.launch = &launched.shape;
  launch.memory = launched.memory;
  launch.cluster = launched.program->cluster();
  launch.parameter_offsets = launched.program->parameter_offsets();
  const uint32_t fitting = launched.occupancy->blocks_per_sm;
  launch.resident = setup.resident > 0 ? std::min(setup.resident, fitting) : fitting;
  launch.shared_bytes_per_block = launched.occupancy->shared_bytes_per_block;
  launch.carveouts = launched.limits.carveouts;
  launch.sms = static_cast<uint32_t>(device->sms->value);
  launch.clock_hz = device->clock_hz->value;
  launch.instructions = setup.instructions;
  launch.cancel = setup.cancel;
  const clock::SmModel& used = setup.model ? *setup.model : *model;
  auto time = clock::time_of(used, launch, setup.observer);
  if (!time) return time.errors();

  LaunchClock result;
  result.device = device->name;
  result.program = code.program;
  result.fitting = fitting;
  const auto mine = static_cast<double>(time->blocks), before = static_cast<double>(time->run.issued_before);
  result.sms = static_cast<double>(launched.blocks()) / mine;
  const double steady = static_cast<double>(time->run.issued) - before;
  result.carried = steady > 0 ? (time->block_instructions * mine - before) / steady : 1;
  result.time = std::move(*time);
  result.reads = use_of(result, result.time.run.traffic.read, result.time.run.traffic_before.read);
  result.readers = readers_of(result, code.sources, launched.facts);
  result.predicted = predicted_of(result, used, launch.clock_hz);
  return result;
}

Result<LaunchClock> clock_of(const Prepared& prepared, uint64_t seed, const ClockSetup& setup) {
  if (const auto model = sm_model_of(prepared.device, prepared.limits); !model) return model.errors();
  const auto code = machine_code(prepared);
  if (!code) return code.errors();
  auto memory = place_launch(prepared, seed, code->program->needs_contents());
  if (!memory) return memory.errors();
  return clock_of(launched(prepared, *memory), *code, prepared.device, setup);
}

void set_time(Report& report, const LaunchClock* clock, const Code& code, const std::optional<arch::Device>& device,
              uint64_t dram_bytes) {
  if (report.stopped) return;
  if (clock)
    report.predicted = clock->predicted;
  else if (device && report.counts.blocks_counted > 0)
    add_prediction(report, code, *device, dram_bytes);
}

Result<LaunchClock> add_time(Report& report, const Prepared& prepared, const std::atomic<bool>* cancel) {
  if (report.stopped)
    return error(Message(
        "The clocks of a launch that was stopped are not known: choose a smaller size, or see where it does not end."));
  Result<LaunchClock> clock = clock_of(prepared, prepared.request.seed, {.cancel = cancel});
  GlobalSectors requested = global_sectors(report.counts.memory);
  const double carried = ratio(report.counts.blocks_total, report.counts.blocks_counted);
  for (uint64_t* sectors : {&requested.read, &requested.written})
    *sectors = static_cast<uint64_t>(carried * static_cast<double>(*sectors));
  set_time(report, clock ? &*clock : nullptr, {prepared.program(), prepared.machine()}, prepared.device,
           dram_bytes(prepared.configuration, requested));
  return clock;
}

}  // namespace tilescope::run
