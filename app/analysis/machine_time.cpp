#include "analysis/machine_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/cubin.h"
#include "analysis/machine_loop.h"

namespace tilescope::analysis {
namespace {
using StepKind = MachineStep::Kind;

// Found by assembling PTX of known meaning with CUDA 13.0's ptxas, and by comparing with its disassembler.
constexpr uint64_t kFullOpcode = 0xfff, kPadding = 0x918;
constexpr struct {
  uint64_t opcode;
  StepKind kind;
} kOpcodeKinds[] = {{kMachineFfma, StepKind::Fma},       {0x02b, StepKind::Fma},
                    {0x181, StepKind::GlobalLoad},       {0x186, StepKind::GlobalStore},
                    {kMachineLds, StepKind::SharedLoad}, {0x188, StepKind::SharedStore},
                    {0x1ae, StepKind::AsyncCopy},        {0x183, StepKind::LocalLoad},
                    {0x187, StepKind::LocalStore},       {0x11d, StepKind::Barrier}};
constexpr int kControlFrom = 41;  // Of the high half: stall, yield, two scoreboards, those waited for, reuse.
constexpr size_t kScoreboards = 6;

// Clocks until a scoreboard is released: about what an H100 takes.
constexpr double kSharedLoad = 30, kSharedLoad64 = 2, kSharedLoad128 = 6, kOtherResult = 25, kOperandsRead = 12;
/// Of a load that L1 does not have, on a busy device. The clocks that remain of it are counted in its multiples.
constexpr double kGlobalLoad = 650;
/// A turn's clocks are the same from the third on.
constexpr double kTurnsWalked = 3;
/// More than this share off, and they do not explain what was counted.
constexpr double kMostUnexplained = 0.1;

MachineStep step_of(const MachineCode& code) {
  MachineStep step;
  for (const auto& [opcode, kind] : kOpcodeKinds)
    if ((code.low & kMachineOpcode) == opcode) step.kind = kind;
  const uint64_t width = code.high >> 9 & 7, control = code.high >> kControlFrom;
  step.bytes = width == 6 ? 16 : width == 5 ? 8 : 4;
  step.stall = static_cast<uint8_t>(std::max<uint64_t>(1, control & 15));
  step.sets = control >> 5 & 7;
  step.frees = control >> 8 & 7;
  step.waits = control >> 11 & 63;
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
    std::array<StepKind, 2> kinds;
  };
  const Counted all[] = {{work.fmas, {StepKind::Fma, StepKind::Fma}},
                         {work.global_loads, {StepKind::GlobalLoad, StepKind::AsyncCopy}},
                         {work.shared_loads, {StepKind::SharedLoad, StepKind::SharedLoad}},
                         {work.shared_stores, {StepKind::SharedStore, StepKind::AsyncCopy}},
                         {work.barriers, {StepKind::Barrier, StepKind::Barrier}},
                         {work.global_stores, {StepKind::GlobalStore, StepKind::GlobalStore}}};
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

/// A warp by itself, from the kernel's first instruction to its last.
class Walk {
 public:
  Walk(const MachineKernel& kernel, const Turns& turns, double global_load)
      : kernel_(kernel), turns_(turns), global_load_(global_load) {}

  double clocks() {
    if (!kernel_.steps.empty()) run(0, kernel_.steps.size() - 1, 0, 1);
    return clock_;
  }

 private:
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
    double before = clock_;
    for (double turn = 0; turn < walked; ++turn) {
      if (walked == kTurnsWalked) before = clock_;
      run(first, last, loop + 1, turns_[loop]);
    }
    const double of_a_turn = walked == kTurnsWalked ? clock_ - before : (clock_ - before) / walked;
    clock_ += of_a_turn * (turns - walked);
  }

  void step(const MachineStep& step) {
    for (size_t i = 0; i < kScoreboards; ++i)
      if (step.waits >> i & 1) clock_ = std::max(clock_, released_[i]);
    if (step.sets < kScoreboards) released_[step.sets] = std::max(released_[step.sets], clock_ + latency_of(step));
    if (step.frees < kScoreboards) released_[step.frees] = std::max(released_[step.frees], clock_ + kOperandsRead);
    clock_ += step.stall;
  }

  double latency_of(const MachineStep& step) const {
    switch (step.kind) {
      case StepKind::GlobalLoad: return global_load_;
      case StepKind::SharedLoad:
        return kSharedLoad + (step.bytes == 16 ? kSharedLoad128 : step.bytes == 8 ? kSharedLoad64 : 0);
      case StepKind::LocalLoad: return kSharedLoad;
      default: return kOtherResult;
    }
  }

  const MachineKernel& kernel_;
  const Turns& turns_;
  double global_load_;
  double clock_ = 0;
  std::array<double, kScoreboards> released_ = {};
};

std::vector<double> clocks_to_issue(const MachineKernel& kernel, std::span<const uint8_t> code) {
  const std::vector<MachineInstruction> instructions = read_instructions(code);
  std::vector<std::vector<MachineInstruction>> of_loop(kernel.loops.size() + 1);
  const std::vector<size_t> loop_of = loop_of_steps(kernel);
  for (size_t i = 0; i < kernel.steps.size(); ++i) of_loop[loop_of[i]].push_back(instructions[i]);
  std::vector<double> clocks;
  for (std::vector<MachineInstruction>& loop : of_loop) clocks.push_back(issue_clocks(loop));
  return clocks;
}

}  // namespace

std::optional<MachineKernel> read_machine_kernel(std::span<const uint8_t> cubin, std::string_view entry) {
  const std::span<const uint8_t> code = kernel_code(cubin, entry);
  size_t count = instruction_count(code);
  // Behind the kernel's end come a branch to itself and instructions that do nothing.
  while (count > 0 && (code_at(code, count - 1).low & kFullOpcode) == kPadding) --count;
  if (count > 0 && branch_target(code, count - 1) == count - 1) --count;
  if (count == 0) return std::nullopt;
  MachineKernel kernel;
  std::map<size_t, size_t> last_of_first;  // Several branches may lead back to one place.
  for (size_t i = 0; i < count; ++i) {
    kernel.steps.push_back(step_of(code_at(code, i)));
    if (const auto target = branch_target(code, i); target && *target < i) last_of_first[*target] = i;
  }
  kernel.loops = nested(last_of_first);
  kernel.issue = clocks_to_issue(kernel, code);
  return kernel;
}

std::optional<WarpTime> warp_time(const MachineKernel& kernel, const WarpWork& work) {
  const std::vector<size_t> loop_of = loop_of_steps(kernel);
  const std::optional<Turns> turns = solve(equations_of(kernel, loop_of, work), kernel.loops.size());
  if (!turns) return std::nullopt;
  WarpTime time;
  time.issue = kernel.issue.back();
  for (size_t i = 0; i < turns->size(); ++i) time.issue += kernel.issue[i] * (*turns)[i];
  time.alone = Walk(kernel, *turns, 0).clocks();
  time.load_waits = (Walk(kernel, *turns, kGlobalLoad).clocks() - time.alone) / kGlobalLoad;
  for (size_t i = 0; i < kernel.steps.size(); ++i) {
    const double times = loop_of[i] < turns->size() ? (*turns)[loop_of[i]] : 1;
    time.slots += times;
    if (kernel.steps[i].kind == StepKind::LocalLoad || kernel.steps[i].kind == StepKind::LocalStore)
      time.spills += times;
  }
  return time;
}

}  // namespace tilescope::analysis
