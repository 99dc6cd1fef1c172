#include "analysis/machine_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/machine_loop.h"
#include "arch/arch.h"
#include "sass/instruction.h"

namespace tilescope::analysis {
namespace {

constexpr size_t kScoreboards = 6;

// Clocks until a scoreboard is released, behind those of the data path: about what an H100 takes.
constexpr double kSharedLoad = 24, kOtherResult = 25, kOperandsRead = 12;
constexpr double kSchedulers = arch::kSchedulers;
/// How sharply what a warp takes between two barriers is joined with what its scheduler issues.
constexpr double kPhaseSharpness = 2.6;
/// An SM's instruction cache: loops of 32 KiB run at full speed, larger ones are fetched anew in every turn (measured
/// on an H200, docs/time.md).
constexpr size_t kCachedInstructions = 2048, kInstructionsPerLine = 8;
/// Of a load that L1 does not have, on a busy device. The clocks that remain of it are counted in its multiples.
constexpr double kGlobalLoad = 650;
/// A turn's clocks are the same from the third on.
constexpr double kTurnsWalked = 3;
/// More than this share off, and they do not explain what was counted.
constexpr double kMostUnexplained = 0.1;

MachineStep step_of(const sass::Instruction& in) {
  MachineStep step;
  step.kind = kind_of(in);
  step.stall = std::max<uint8_t>(1, in.control.stall);
  step.sets = in.control.write_scoreboard;
  step.frees = in.control.read_scoreboard;
  step.waits = in.control.wait_mask;
  return step;
}

/// In order; one that overlaps another in part is left out.
std::vector<MachineTurn> nested(const std::map<size_t, size_t>& last_of_first) {
  std::vector<MachineTurn> loops;
  for (const auto& [first, last] : last_of_first) {
    const auto overlaps = [first = first, last = last](const MachineTurn& loop) {
      return first <= loop.last && last > loop.last;
    };
    if (std::none_of(loops.begin(), loops.end(), overlaps)) loops.push_back({first, last});
  }
  return loops;
}

bool is_too_large(const MachineTurn& loop) { return loop.last - loop.first + 1 > kCachedInstructions; }

/// Executions of each loop's body.
using Turns = std::vector<double>;

/// The innermost loop of each instruction; loops.size() outside of all.
std::vector<size_t> loop_of_steps(const MachineKernel& kernel) {
  std::vector<size_t> loop_of(kernel.steps.size(), kernel.loops.size());
  for (size_t i = 0; i < kernel.loops.size(); ++i)
    for (size_t at = kernel.loops[i].first; at <= kernel.loops[i].last; ++at) loop_of[at] = i;
  return loop_of;
}

/// What was counted against how many such instructions each loop has.
struct Equation {
  std::vector<double> in_loop;  ///< Share of the counted in a turn of each loop, inner ones not included.
  double outside = 0;           ///< Share that is in no loop.
};

std::vector<Equation> equations_of(const MachineKernel& kernel, const std::vector<size_t>& loop_of,
                                   const WarpWork& work) {
  struct Counted {
    double executed;
    std::array<MachineKind, 2> kinds;
  };
  const Counted all[] = {{work.fmas, {MachineKind::Fma, MachineKind::DoubleFma}},
                         {work.global_loads, {MachineKind::GlobalLoad, MachineKind::AsyncCopy}},
                         {work.shared_loads, {MachineKind::SharedLoad, MachineKind::SharedLoad}},
                         {work.shared_stores, {MachineKind::SharedStore, MachineKind::AsyncCopy}},
                         {work.barriers, {MachineKind::Barrier, MachineKind::Barrier}},
                         {work.global_stores, {MachineKind::GlobalStore, MachineKind::GlobalStore}}};
  std::vector<Equation> equations;
  for (const auto& [executed, kinds] : all) {
    if (executed <= 0) continue;
    Equation equation{std::vector<double>(kernel.loops.size()), 0};
    bool any = false;
    for (size_t i = 0; i < kernel.steps.size(); ++i) {
      if (kernel.steps[i].kind != kinds[0] && kernel.steps[i].kind != kinds[1]) continue;
      any = true;
      (loop_of[i] < kernel.loops.size() ? equation.in_loop[loop_of[i]] : equation.outside) += 1 / executed;
    }
    if (any) equations.push_back(std::move(equation));
  }
  return equations;
}

double left_unexplained(const Equation& equation, const Turns& turns) {
  double left = 1 - equation.outside;
  for (size_t i = 0; i < turns.size(); ++i) left -= equation.in_loop[i] * turns[i];
  return left;
}

/// The turns, none negative, that come nearest to all equations: least squares, one loop after another until nothing
/// moves. Nothing where an equation stays unexplained.
std::optional<Turns> solve(const std::vector<Equation>& equations, size_t loops) {
  constexpr int kMostSweeps = 5000;
  constexpr double kStill = 1e-10;
  Turns turns(loops, 0);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double moved = 0;
    for (size_t i = 0; i < loops; ++i) {
      double along = 0, square = 0;
      for (const Equation& equation : equations) {
        along += equation.in_loop[i] * left_unexplained(equation, turns);
        square += equation.in_loop[i] * equation.in_loop[i];
      }
      if (square == 0) continue;
      const double turned = std::max(0.0, turns[i] + along / square);
      moved = std::max(moved, std::abs(turned - turns[i]) / std::max(1.0, turned));
      turns[i] = turned;
    }
    if (moved < kStill) break;
  }
  for (const Equation& equation : equations)
    if (std::abs(left_unexplained(equation, turns)) > kMostUnexplained) return std::nullopt;
  return turns;
}

/// A block by itself, from the kernel's first instruction to its last, by one of its warps.
class Walk {
 public:
  Walk(const MachineKernel& kernel, const Turns& turns, const BlockShare& share, double global_load)
      : kernel_(kernel),
        turns_(turns),
        share_(share),
        global_load_(global_load),
        per_scheduler_(std::ceil(share.warps / kSchedulers)) {}

  double clocks() {
    if (!kernel_.steps.empty()) run(0, kernel_.steps.size() - 1, 0, 1);
    end_phase();
    return clock_;
  }

 private:
  /// Until when, by clock: the scoreboards, the banks of registers and the data path.
  static constexpr size_t kBanksAt = kScoreboards, kPathAt = kBanksAt + 2;
  using Busy = std::array<double, kPathAt + 1>;

  /// Between two barriers.
  struct Phase {
    double start = 0;   ///< Clock.
    double issued = 0;  ///< Clocks of the scheduler, by the warp.
    double path = 0;    ///< Clocks of the data path, by all warps.
  };

  /// From first to last; loops from number `inner` on may lie in between. `times`: how often these are executed.
  void run(size_t first, size_t last, size_t inner, double times) {
    for (size_t at = first; at <= last; ++at) {
      while (inner < kernel_.loops.size() && kernel_.loops[inner].first < at) ++inner;
      if (inner < kernel_.loops.size() && kernel_.loops[inner].first == at && kernel_.loops[inner].last <= last) {
        repeat(inner, turns_[inner] / times);
        at = kernel_.loops[inner].last;
      } else {
        step(kernel_.steps[at]);
      }
    }
  }

  void repeat(size_t loop, double turns) {
    constexpr double kNever = 0.01;
    if (turns <= kNever) return;
    const size_t first = kernel_.loops[loop].first, last = kernel_.loops[loop].last;
    const double walked = std::clamp(std::round(turns), 1.0, kTurnsWalked);
    const bool settled = walked == kTurnsWalked;
    Busy busy = busy_;
    double before = clock_;
    Phase phase = phase_;
    for (double turn = 0; turn < walked; ++turn) {
      if (settled) {
        busy = busy_;
        before = clock_;
        phase = phase_;
      }
      run(first, last, loop + 1, turns_[loop]);
    }
    const double more = (turns - walked) / (settled ? 1 : walked), gained = (clock_ - before) * more;
    if (phase.start == phase_.start) {  // No barrier within.
      phase_.issued += (phase_.issued - phase.issued) * more;
      phase_.path += (phase_.path - phase.path) * more;
    } else {
      phase_.start += gained;
    }
    clock_ += gained;
    for (size_t i = 0; i < busy_.size(); ++i)
      if (busy_[i] != busy[i]) busy_[i] += gained;  // What was under way before the loop goes on beside it.
  }

  /// The warps that share a scheduler take turns, at its slots and at the data path; what the first of them takes is in
  /// its own time already.
  void end_phase() {
    const auto power = [](double time) { return std::pow(time, kPhaseSharpness); };
    const double own = clock_ - phase_.start, all_but_first = 1 - 1 / power(per_scheduler_);
    const double sum = power(own) + all_but_first * (power(per_scheduler_ * phase_.issued) + power(phase_.path));
    clock_ = phase_.start + std::pow(sum, 1 / kPhaseSharpness);
    phase_ = {clock_, 0, 0};
  }

  void step(const MachineStep& step) {
    for (size_t i = 0; i < kScoreboards; ++i)
      if (step.waits >> i & 1) clock_ = std::max(clock_, busy_[i]);
    if (step.kind == MachineKind::Barrier) end_phase();
    if (step.kind == MachineKind::Fma) {
      const double waited = std::max(0.0, std::max(busy_[kBanksAt], busy_[kBanksAt + 1]) - kBankSlack - clock_);
      clock_ += waited;
      phase_.issued += waited;
      for (size_t bank = 0; bank < step.bank_reads.size(); ++bank)
        if (step.bank_reads[bank] > 0)
          busy_[kBanksAt + bank] = std::max(busy_[kBanksAt + bank], clock_) + step.bank_reads[bank];
    }
    ++phase_.issued;
    const double of_path = share_.warps * path_clocks(step.kind);
    if (of_path > 0) {
      busy_[kPathAt] = std::max(busy_[kPathAt], clock_) + of_path / per_scheduler_;
      phase_.path += of_path;
    }
    const auto release = [&](uint8_t board, double clock) {
      if (board < kScoreboards) busy_[board] = std::max(busy_[board], clock);
    };
    release(step.sets, result_of(step));
    release(step.frees, std::max(clock_ + kOperandsRead, is_store(step.kind) ? busy_[kPathAt] : 0));
    clock_ += step.stall;
  }

  static bool is_store(MachineKind kind) {
    return kind == MachineKind::SharedStore || kind == MachineKind::GlobalStore || kind == MachineKind::AsyncCopy;
  }

  double path_clocks(MachineKind kind) const {
    switch (kind) {
      case MachineKind::SharedLoad: return share_.shared_load;
      case MachineKind::SharedStore: return share_.shared_store;
      case MachineKind::GlobalLoad: return share_.global_load;
      case MachineKind::GlobalStore: return share_.global_store;
      case MachineKind::AsyncCopy: return share_.copy;
      case MachineKind::LocalLoad:
      case MachineKind::LocalStore: return 1;
      default: return 0;
    }
  }

  double result_of(const MachineStep& step) const {
    switch (step.kind) {
      case MachineKind::GlobalLoad:
      case MachineKind::AsyncCopy: return busy_[kPathAt] + global_load_;
      case MachineKind::SharedLoad:
      case MachineKind::LocalLoad: return busy_[kPathAt] + kSharedLoad;
      default: return clock_ + kOtherResult;
    }
  }

  const MachineKernel& kernel_;
  const Turns& turns_;
  const BlockShare& share_;
  double global_load_, per_scheduler_;
  double clock_ = 0;
  Phase phase_;
  Busy busy_ = {};
};

/// Sets the kernel's clocks of issue, and what its FMAs read.
void read_issue(MachineKernel& kernel, std::span<const sass::Instruction> code) {
  const std::vector<MachineInstruction> instructions = read_instructions(code);
  std::vector<std::vector<MachineInstruction>> of_loop(kernel.loops.size() + 1);
  std::vector<std::vector<size_t>> places(of_loop.size());
  const std::vector<size_t> loop_of = loop_of_steps(kernel);
  for (size_t i = 0; i < kernel.steps.size(); ++i) {
    of_loop[loop_of[i]].push_back(instructions[i]);
    places[loop_of[i]].push_back(i);
  }
  for (size_t loop = 0; loop < of_loop.size(); ++loop) {
    kernel.issue.push_back(issue_clocks(of_loop[loop]));
    for (size_t i = 0; i < of_loop[loop].size(); ++i) kernel.steps[places[loop][i]].bank_reads = of_loop[loop][i].reads;
  }
}

}  // namespace

std::optional<MachineKernel> read_machine_kernel(std::span<const uint8_t> cubin, std::string_view entry) {
  const std::vector<sass::Instruction> all = read_machine_code(cubin, entry);
  std::span<const sass::Instruction> code(all);
  // Behind the kernel's end come a branch to itself and instructions that do nothing.
  while (!code.empty() && code.back().opcode == sass::Opcode::NOP) code = code.first(code.size() - 1);
  if (!code.empty() && code.back().opcode == sass::Opcode::BRA && code.back().target == code.back().offset)
    code = code.first(code.size() - 1);
  if (code.empty()) return std::nullopt;
  MachineKernel kernel;
  std::map<size_t, size_t> last_of_first;  // Several branches may lead back to one place.
  for (size_t i = 0; i < code.size(); ++i) {
    kernel.steps.push_back(step_of(code[i]));
    if (branches_back(code[i])) last_of_first[code[i].target / sass::kInstructionBytes] = i;
  }
  kernel.loops = nested(last_of_first);
  read_issue(kernel, code);
  return kernel;
}

std::optional<WarpTime> warp_time(const MachineKernel& kernel, const WarpWork& work, const BlockShare& share) {
  const std::vector<size_t> loop_of = loop_of_steps(kernel);
  const std::optional<Turns> turns = solve(equations_of(kernel, loop_of, work), kernel.loops.size());
  if (!turns) return std::nullopt;
  WarpTime time;
  time.issue = kernel.issue.back();
  for (size_t i = 0; i < turns->size(); ++i) time.issue += kernel.issue[i] * (*turns)[i];
  time.alone = Walk(kernel, *turns, share, 0).clocks();
  time.load_waits = (Walk(kernel, *turns, share, kGlobalLoad).clocks() - time.alone) / kGlobalLoad;
  for (size_t i = 0; i < kernel.steps.size(); ++i) {
    const double times = loop_of[i] < turns->size() ? (*turns)[loop_of[i]] : 1;
    time.slots += times;
    if (loop_of[i] < turns->size() && is_too_large(kernel.loops[loop_of[i]]))
      time.fetches += times / kInstructionsPerLine;
    if (kernel.steps[i].kind == MachineKind::LocalLoad || kernel.steps[i].kind == MachineKind::LocalStore)
      time.spills += times;
  }
  return time;
}

}  // namespace tilescope::analysis
