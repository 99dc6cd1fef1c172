#include "wording/stop.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::wording {
namespace {
using emulator::Outcome;

std::string budget_text(const run::Stop& stop, const std::string& block, const std::string& place, Advice advice) {
  if (advice == Advice::CommandLine)
    return fmt::format(
        "Block {} issued {} warp instructions without ending, most of them at {}: look for an endless loop "
        "there, or allow more with --max-instructions.",
        block, stop.step_budget, place);
  if (advice == Advice::Program)
    return fmt::format(
        "Block {} issued {} warp instructions without ending, most of them at {}: look for an endless loop there; if "
        "there is none, give the program a smaller problem.",
        block, stop.step_budget, place);
  if (advice == Advice::Grade)
    return fmt::format(
        "Block {} issued {} warp instructions without ending, most of them at {}: look for an endless loop there.",
        block, stop.step_budget, place);
  return tr_format(
      "Block {} issued {} warp instructions without ending, most of them at {}: look "
      "for an endless loop there; if there is none, choose a smaller K.",
      block, stop.step_budget, place);
}

std::string time_text(const run::Stop& stop, const std::string& block, const std::string& place, Advice advice) {
  if (stop.was_progressing && advice == Advice::CommandLine)
    return fmt::format(
        "The time limit of {:g} s passed with {} of {} blocks done, so the others are not checked: choose a smaller "
        "--size, or allow more with --max-seconds.",
        stop.seconds, stop.blocks_done, stop.blocks_total);
  if (advice == Advice::CommandLine)
    return fmt::format(
        "The time limit of {:g} s passed (blocks done: {} of {}), block {} mostly at {}: look for an endless loop "
        "there, choose a smaller --size, or allow more with --max-seconds.",
        stop.seconds, stop.blocks_done, stop.blocks_total, block, place);
  if (advice == Advice::Grade)
    return fmt::format(
        "The time limit of {:g} s passed (blocks done: {} of {}), block {} mostly at {}: look for an endless loop "
        "there, or allow more with --max-seconds.",
        stop.seconds, stop.blocks_done, stop.blocks_total, block, place);
  if (advice == Advice::Program)
    return fmt::format(
        "Block {} took more than {:g} s, mostly at {}: look for an endless loop there; if there is none, give the "
        "program a smaller problem.",
        block, stop.seconds, place);
  return tr_format(
      "The time limit of {:g} s passed (blocks done: {} of {}), block {} mostly at {}: "
      "look for an endless loop there; if there is none, choose a smaller size.",
      stop.seconds, stop.blocks_done, stop.blocks_total, block, place);
}

}  // namespace

std::string stop_text(const run::Stop& stop, Advice advice) {
  const std::string block = position_text(stop.block);
  const std::string place = stop.line > 0
                                ? fmt::format("{}:{}", std::filesystem::path(stop.file).filename().string(), stop.line)
                                : tr("a line that the PTX does not name");
  switch (stop.outcome) {
    case Outcome::Finished: return {};
    case Outcome::Deadlocked: return tr_format("Block {} deadlocked: its threads wait for one another.", block);
    case Outcome::Trapped: return tr_format("Block {} ended in a trap.", block);
    case Outcome::StepBudget: return budget_text(stop, block, place, advice);
    case Outcome::Cancelled: return time_text(stop, block, place, advice);
  }
  return {};
}

std::string unverified_text(const run::Report& report) {
  switch (*report.not_verified) {
    case run::Unverified::NotSaid:
      return tr(
          "the expected result is not known; a description can name a kernel that computes it: reference = \"...\"");
    case run::Unverified::BlocksInteract: return tr("blocks work on one another's elements, and not all of them ran");
    case run::Unverified::DidNotEnd: return tr("the run did not end by itself");
    case run::Unverified::LaunchGuessed: return tr("block and grid are guessed, and it may be written for others");
    case run::Unverified::ProductAssumed:
      return tr("C = A B was assumed, and does not hold; say what it computes, or let the program itself launch it");
    case run::Unverified::NothingWritten: return tr("the blocks that ran wrote no element of it");
    case run::Unverified::NoReference: return report.reference_problem.text();
  }
  return {};
}

}  // namespace tilescope::wording
