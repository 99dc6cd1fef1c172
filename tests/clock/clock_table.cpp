// Simulates the measured launches and prints how far off the simulation is:
//   clock_table [FILTER] [NAME=VALUE]...
// FILTER: part of "kernel.preset.size". NAME: a figure of assets/sm.toml, to try another value; or
//   budget=N   instructions to simulate, 200,000 if not given
//   fitted=1   only the launches by which constants may be chosen; fitted=0: only those that judge
//   stalls=1   each stall reason in clocks per issue, simulated/measured
//   code=1     what each machine instruction waits for
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "arch/arch.h"
#include "base/file.h"
#include "clock/measured_launches.h"
#include "sass/decode.h"

using namespace tilescope;
using clock::kStalls;
using clock::Stall;

namespace {

struct Options {
  std::string filter;
  uint64_t budget = 200'000;
  std::optional<bool> fitted;
  bool stalls = false, code = false;
};

/// How far off one launch is.
struct Distance {
  double time = 0;     ///< Of the measured time.
  double issue = 0;    ///< Points of issue-active.
  double hits = 0;     ///< Points of L1's hit rate.
  double l2 = 0;       ///< Of the sectors read from L2.
  double stalls = 0;   ///< Points, of the reason's share that is furthest off.
  bool leads = false;  ///< The largest reason is the measured one.
  double wall = 0;
};

double sectors_from_l2(const test::MeasuredLaunch& measured) {
  // lts__t_sectors_op_read counts a sector that crosses from the other partition twice; what L1 asks for does not.
  return measured["l2_tex_sectors"] - measured["global_st_sectors"];
}

Distance distance(const test::MeasuredLaunch& measured, const test::SimulatedLaunch& simulated) {
  Distance d;
  d.time = simulated.time.seconds * 1e9 / measured["ncu_time_ns"] - 1;
  // The hardware's figure leaves out schedulers without warps.
  const double with_warps = static_cast<double>(simulated.schedulers) / arch::kSchedulers;
  d.issue = simulated.time.issue_active / with_warps * 100 - measured["issue_active_pct"];
  const double sectors = measured["global_ld_sectors"];
  d.hits = 100 * simulated.reads.l1_hit_rate() - (sectors > 0 ? 100 * measured["global_ld_sector_hits"] / sectors : 0);
  const double l2 = sectors_from_l2(measured);
  const double ours = simulated.reads.l2 / arch::kSectorBytes;
  d.l2 = l2 > 1000 ? ours / l2 - 1 : 0;
  const auto a = simulated.stall_shares(), b = measured.stall_shares();
  for (size_t i = 0; i < kStalls; ++i) d.stalls = std::max(d.stalls, 100 * std::fabs(a[i] - b[i]));
  d.leads =
      std::max_element(a.begin() + 1, a.end()) - a.begin() == std::max_element(b.begin() + 1, b.end()) - b.begin();
  d.wall = simulated.wall;
  return d;
}

void print_stalls(const test::MeasuredLaunch& measured, const test::SimulatedLaunch& simulated) {
  for (size_t i = 0; i < kStalls; ++i) {
    const auto name = clock::to_string(static_cast<Stall>(i));
    const double ours = simulated.time.run.stalls[i] / static_cast<double>(simulated.time.run.issued);
    const double theirs = measured[fmt::format("stalled_{}_per_issue", name)];
    if (ours > 0.3 || theirs > 0.3) std::cout << fmt::format("      {} {:.2f}/{:.2f}", name, ours, theirs);
  }
  std::cout << '\n';
}

void print_code(const test::SimulatedLaunch& simulated) {
  for (size_t pc = 0; pc < simulated.program->code().size(); ++pc) {
    const sass::Instruction& in = simulated.program->code()[pc];
    const uint64_t* clocks = &simulated.time.run.stalls_by_pc[pc * kStalls];
    std::cout << fmt::format("{:4} {:8} s{:2} w{} r{} m{:02x} {:60}", pc, clocks[0], in.control.stall,
                             in.control.write_scoreboard, in.control.read_scoreboard, in.control.wait_mask,
                             sass::to_string(in));
    for (size_t i = 1; i < kStalls; ++i) {
      const double each = static_cast<double>(clocks[i]) / std::max<double>(1, static_cast<double>(clocks[0]));
      if (each > 0.5) std::cout << fmt::format(" {} {:.1f}", clock::to_string(static_cast<Stall>(i)), each);
    }
    std::cout << '\n';
  }
}

/// The value below which that share of the launches lies.
template <class Value>
double quantile(const std::vector<Distance>& all, double share, Value value) {
  std::vector<double> values;
  for (const Distance& d : all) values.push_back(std::fabs(value(d)));
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())))];
}
template <class Holds>
double share(const std::vector<Distance>& all, Holds holds) {
  return 100.0 * static_cast<double>(std::count_if(all.begin(), all.end(), holds)) / static_cast<double>(all.size());
}

void print_summary(const std::string& title, const std::vector<Distance>& all) {
  if (all.empty()) return;
  const auto within = [&](auto member, double most) {
    return share(all, [&](const Distance& d) { return std::fabs(d.*member) <= most; });
  };
  std::cout << fmt::format(
      "{:22} {:3}: time {:4.1f} %, nine of ten {:4.1f} %, in 10 % {:3.0f}, in 12 % {:3.0f}, worst {:3.0f} %; issue "
      "{:4.1f}, in 4 {:3.0f}; "
      "hits in 5 {:3.0f}; L2 in 10 % {:3.0f}; leads {:3.0f}, shares {:4.1f}, in 10 {:3.0f}; {:3.0f} ms, most {:.0f}\n",
      title, all.size(), 100 * quantile(all, .5, [](auto& d) { return d.time; }),
      100 * quantile(all, .9, [](auto& d) { return d.time; }), within(&Distance::time, .10),
      within(&Distance::time, .12), 100 * quantile(all, 1, [](auto& d) { return d.time; }),
      quantile(all, .5, [](auto& d) { return d.issue; }), within(&Distance::issue, 4), within(&Distance::hits, 5),
      within(&Distance::l2, .10), share(all, [](const Distance& d) { return d.leads; }),
      quantile(all, .5, [](auto& d) { return d.stalls; }), within(&Distance::stalls, 10),
      1000 * quantile(all, .5, [](auto& d) { return d.wall; }),
      1000 * quantile(all, 1, [](auto& d) { return d.wall; }));
}

}  // namespace

int main(int argc, char** argv) {
  auto model = clock::load_sm_model(data_folder() / "assets" / "sm.toml");
  if (!model) return std::cerr << to_string(model.errors()) << '\n', 2;
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      options.filter = argument;
      continue;
    }
    const std::string key = argument.substr(0, equals);
    const double value = std::strtod(argument.c_str() + equals + 1, nullptr);
    if (key == "budget")
      options.budget = static_cast<uint64_t>(value);
    else if (key == "fitted")
      options.fitted = value != 0;
    else if (key == "stalls")
      options.stalls = value != 0;
    else if (key == "code")
      options.code = value != 0;
    else if (double* figure = clock::figure(*model, key))
      *figure = value;
    else
      return std::cerr << fmt::format("assets/sm.toml has no figure {}\n", key), 2;
  }

  test::LaunchSimulator simulator;
  std::vector<Distance> by_group[2][2];  // Of the ladder or not, fitted or not.
  std::map<std::string, int> refused;
  for (const test::MeasuredLaunch& measured : test::read_measured_launches()) {
    if (measured.name().find(options.filter) == std::string::npos) continue;
    if (options.fitted && *options.fitted != measured.is_fitted) continue;
    const auto simulated = simulator.simulate(measured, *model, options.budget);
    if (!simulated) {
      ++refused[measured.kernel + ": " + to_string(simulated.errors())];
      continue;
    }
    const Distance d = distance(measured, *simulated);
    by_group[measured.is_of_the_ladder()][measured.is_fitted].push_back(d);
    std::cout << fmt::format(
        "{:44} {:9.0f} ns {:9.0f} measured {:+6.1f} %  issue {:+5.1f}  hits {:+5.1f}  L2 {:+6.1f} %  shares {:4.1f} {} "
        " "
        "instructions {:.3f}  {:3.0f} ms\n",
        measured.name(), simulated->time.seconds * 1e9, measured["ncu_time_ns"], 100 * d.time, d.issue, d.hits,
        100 * d.l2, d.stalls, d.leads ? "leads" : "     ", simulated->instructions() / measured["inst_executed"],
        1000 * d.wall);
    if (options.stalls) print_stalls(measured, *simulated);
    if (options.code) print_code(*simulated);
    std::cout.flush();
  }
  for (const auto& [what, launches] : refused) std::cout << launches << " not simulated: " << what << '\n';
  print_summary("01 to 16, fitted", by_group[1][1]);
  print_summary("01 to 16, judged", by_group[1][0]);
  print_summary("others, fitted", by_group[0][1]);
  print_summary("others, judged", by_group[0][0]);
  return 0;
}
