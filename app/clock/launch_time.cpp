#include "clock/launch_time.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "arch/arch.h"
#include "base/arithmetic.h"
#include "base/parallel.h"
#include "clock/data_path.h"
#include "clock/grid_work.h"
#include "clock/number_map.h"
#include "machine/fault.h"

namespace tilescope::clock {
namespace {

/// What one block does, run by itself without clocks.
struct BlockWork {
  double instructions = 0;
  std::vector<double> pairs;  ///< By array: distinct pairs of sectors of which it reads.
};

constexpr uint64_t kStepsBetweenTurns = 4096;
constexpr uint64_t kMostSteps = 24'000'000;  // Of a block: some two seconds.

struct Walked {
  uint64_t steps = 0;
  uint64_t longest = 0;  ///< Of one of its warps.
  bool done = false;
};

/// What a block reads of one sector of L2. Atomics read, too, each of their lanes by itself.
struct SectorRead {
  uint32_t block = 0;
  uint64_t sector = 0;
  uint64_t step = 0;  ///< Instructions that its warp has executed.
  bool updates = false;
};

/// Runs the blocks of a cluster, or a block without one, up to that many steps and reads of a sector of each. Tells
/// `see` these reads, some more than once.
template <class See>
Result<Walked> walk_cluster(const SmWork& work, uint64_t number, uint64_t most_steps, uint64_t most_reads, See see) {
  constexpr uint64_t kTurn = 65536;  // A warp that polls lets the others go on.
  const ClusterShape& shape = work.shape;
  const std::vector<std::unique_ptr<machine::Block>> blocks = machine::blocks_of_cluster(*work.launch, shape, number);
  for (const auto& block : blocks) block->follow_clock();
  machine::Issue issue;
  Walked walked;
  uint64_t reads = 0, last_sector = ~uint64_t{0};
  const auto note = [&](uint32_t block, uint64_t address, uint64_t step, bool updates) {
    if (address / arch::kSectorBytes == last_sector && !updates) return;
    last_sector = address / arch::kSectorBytes;
    ++reads;
    see(SectorRead{block, last_sector, step, updates});
  };
  const auto note_reads = [&](uint32_t block, uint64_t step) {
    if (issue.copies && issue.copy.to_shared)
      for (const machine::BulkCopy::Piece& piece : issue.copy.pieces)
        for (uint64_t at = 0; at < piece.bytes; at += arch::kSectorBytes) note(block, piece.global + at, step, false);
    const machine::Access& access = issue.access[0];
    if (issue.accesses == 0 || access.space != Space::Global || access.kind == machine::AccessKind::Store) return;
    for (uint32_t rest = access.lanes; rest; rest &= rest - 1)
      note(block, access.addresses[static_cast<size_t>(std::countr_zero(rest))], step,
           access.kind != machine::AccessKind::Load);
  };
  const auto is_done = [](const auto& block) { return block->done(); };
  const uint64_t most = most_steps * blocks.size();
  const auto goes_on = [&] { return walked.steps < most && reads < most_reads * blocks.size(); };
  struct Walker {
    machine::Block* block = nullptr;
    uint32_t warp = 0, number = 0;  ///< Of the block in the grid.
    uint64_t executed = 0;
  };
  std::vector<Walker> walkers;
  for (uint32_t rank = 0; rank < blocks.size(); ++rank)
    for (uint32_t w = 0; w < blocks[rank]->warps(); ++w)
      walkers.push_back({blocks[rank].get(), w, shape.block_in(number, rank)});
  uint64_t turn_due = kStepsBetweenTurns;
  while (!std::ranges::all_of(blocks, is_done) && goes_on()) {
    bool any = false;
    for (Walker& walker : walkers) {
      machine::Block& block = *walker.block;
      for (uint64_t turn = 0; turn < kTurn && block.state(walker.warp) == machine::WarpState::Ready && goes_on();) {
        const uint64_t passed = block.pass(walker.warp, std::min(kTurn - turn, most - walked.steps));
        if (passed == 0) block.step(walker.warp, issue);
        const uint64_t steps = std::max<uint64_t>(passed, 1);
        turn += steps;
        walked.steps += steps;
        walker.executed += steps;
        walked.longest = std::max(walked.longest, walker.executed);
        any = true;
        if (walked.steps >= turn_due) {
          turn_due = walked.steps + kStepsBetweenTurns;
          if (const auto turn_given = work.give_turn(); !turn_given) return turn_given.errors();
        }
        if (passed > 0) continue;
        if (block.fault()) return machine::error_of(*block.fault(), work.sources, work.memory);
        for (uint32_t to = issue.copies && issue.copy.to_shared ? issue.copy.blocks : 0; to; to &= to - 1)
          blocks[static_cast<size_t>(std::countr_zero(to))]->land(issue.copy);
        note_reads(walker.number, walker.executed);
        if (issue.awaits_phase) break;  // The other warps' turn.
      }
    }
    if (!any) return machine::error_of_deadlock();
  }
  walked.done = std::ranges::all_of(blocks, is_done);
  return walked;
}

/// What a block of the cluster does, on average.
Result<BlockWork> measure_block(const SmWork& sm, uint64_t number) {
  std::map<uint32_t, NumberMap<bool>> pairs;  // By block.
  BlockWork work;
  work.pairs.resize(sm.memory->allocations().size());
  const auto blocks = static_cast<double>(sm.shape.cluster.count());
  const Result<Walked> walked = walk_cluster(sm, number, kMostSteps, ~uint32_t{0}, [&](const SectorRead& read) {
    if (std::exchange(pairs[read.block][read.sector / kSectorsFromDram], true)) return;
    if (const int array = sm.memory->find(read.sector * arch::kSectorBytes, 1); array >= 0)
      work.pairs[static_cast<size_t>(array)] += 1 / blocks;
  });
  if (!walked) return walked.errors();
  if (!walked->done)
    return error(Message("A block takes more than {} instructions: choose a smaller size.", kMostSteps));
  work.instructions = static_cast<double>(walked->steps) / blocks;
  return work;
}

/// What some blocks of the launch say about an array.
struct ArrayUse {
  uint64_t first = ~uint64_t{0}, last = 0;  ///< Pairs of sectors of which they read.
  uint64_t readers = 0;                     ///< Those that read.
  /// Pairs of a block that another one of its round reads, too, and those that it has read long before.
  uint64_t shared = 0, early = 0;
  NumberMap<uint64_t> updates;  ///< By atomics, of each sector.

  double pairs() const { return first <= last ? static_cast<double>(last - first + 1) : 0; }
  /// What all of the launch's atomics access: what lies between those that were seen.
  Updates all_updates() const {
    Updates all;
    double times = 0, squares = 0, seen = 0;
    uint64_t from = ~uint64_t{0}, to = 0;
    updates.for_each([&](uint64_t sector, uint64_t count) {
      times += static_cast<double>(count);
      squares += static_cast<double>(count * count);
      ++seen;
      from = std::min(from, sector);
      to = std::max(to, sector);
    });
    if (seen == 0) return all;
    // The chance that two atomics choose the same of n sectors is 1 / n.
    const auto span = static_cast<double>(to - from + 1);
    all.choose(span / seen * times * times / std::max(1.0, squares - times), from, to);
    return all;
  }
  /// Of what a block reads, the part that none of so many other blocks which read it, too, has read long before. A
  /// few pairs say nothing of it: then half of the blocks are before.
  double fresh(double others) const {
    constexpr uint64_t kFew = 16;
    return std::pow(1 - (shared < kFew ? 0.5 : ratio(early, shared)), std::max(0.0, others));
  }
};

/// What blocks all over the grid do. Where there are clusters, these.
struct BlocksSeen {
  std::vector<ArrayUse> arrays;
  GridWork work;
  uint64_t blocks = 0;
};

/// A place in the grid: the first so many of these are all over it, at no regular distance. In some launches every
/// second block, or every fourth, has nothing to do.
uint64_t place_in(uint64_t clusters, uint64_t i) {
  return static_cast<uint64_t>(static_cast<double>(clusters) *
                               std::fmod(static_cast<double>(i) * std::numbers::phi, 1));
}

/// `round`: blocks, or clusters, that all SMs hold at first.
BlocksSeen look_at_blocks(const SmWork& work, uint64_t round) {
  constexpr uint64_t kSteps = 100'000, kReads = 50'000, kElsewhere = 16, kStepsElsewhere = 300'000;
  // Instructions of a warp in which what another block has asked DRAM for is there.
  constexpr uint64_t kLong = 32;
  BlocksSeen seen;
  seen.arrays.resize(work.memory->allocations().size());
  const auto use_of = [&](uint64_t pair) -> ArrayUse* {
    const int array = work.memory->find(pair * kSectorsFromDram * arch::kSectorBytes, 1);
    return array < 0 ? nullptr : &seen.arrays[static_cast<size_t>(array)];
  };
  using Firsts = NumberMap<uint64_t>;  // Of pairs: the instruction that loads first, counted from 1.
  uint64_t steps = 0;
  const auto firsts_of = [&](uint64_t number) {
    Firsts firsts;
    std::set<ArrayUse*> read;
    // What a block that stops has read counts, too.
    const auto walked = walk_cluster(work, number, kSteps, kReads, [&](const SectorRead& at) {
      const uint64_t pair = at.sector / kSectorsFromDram;
      uint64_t& first = firsts[pair];
      ArrayUse* use = first == 0 ? use_of(pair) : nullptr;
      first = first == 0 ? at.step : std::min(first, at.step);
      if (at.updates)
        if (ArrayUse* updated = use_of(pair)) ++updated->updates[at.sector];
      if (!use) return;
      use->first = std::min(use->first, pair);
      use->last = std::max(use->last, pair);
      read.insert(use);
    });
    for (ArrayUse* use : read) ++use->readers;
    ++seen.blocks;
    steps += walked ? walked->steps : kSteps;
    if (walked && walked->done) seen.work.add(number, ratio(walked->steps, work.shape.cluster.count()));
    return firsts;
  };
  const uint64_t middle = round / 2;
  const Firsts mine = firsts_of(middle);
  const uint64_t below = work.shape.number_of(work.shape.block_in(middle, 0) + uint64_t{work.shape.grid.x});
  for (const uint64_t number : {uint64_t{0}, round / 4, middle + 1, below, round * 3 / 4}) {
    if (number == middle || number >= round) continue;
    const Firsts others = firsts_of(number);
    mine.for_each([&](uint64_t pair, uint64_t step) {
      const uint64_t* other = others.find(pair);
      ArrayUse* use = other ? use_of(pair) : nullptr;
      if (!use) return;
      ++use->shared;
      if (*other + kLong < step) ++use->early;
    });
  }
  for (uint64_t i = 1; i <= 2 && i < work.clusters(); ++i) firsts_of(work.clusters() - i);
  const uint64_t most = steps + kStepsElsewhere;
  for (uint64_t i = 1; i <= kElsewhere && work.clusters() > kElsewhere && steps < most; ++i)
    firsts_of(place_in(work.clusters(), i));
  return seen;
}

/// Of what an SM asks L2 for of each array, the part that could become one with other SMs of its GPC. The first blocks
/// of a GPC follow one another. Warps that never meet drift apart, and their requests stay their own.
std::vector<double> joint_parts_of(const SmModel& model, const SmWork& work) {
  constexpr uint64_t kReads = 4096, kSteps = 8192;  // Enough to see which of a block's reads are its neighbours', too.
  const bool meets = std::ranges::any_of(work.launch->program().code(), [](const sass::Instruction& in) {
    return in.opcode == sass::Opcode::BAR || in.opcode == sass::Opcode::SYNCS_ARRIVE;
  });
  std::vector<double> parts(work.memory->allocations().size(), 0);
  if (!meets) return parts;
  struct Sector {
    uint64_t last = ~uint64_t{0};  // Block that loaded it.
    uint32_t blocks = 0;
  };
  NumberMap<Sector> sectors;
  const uint64_t clusters = work.clusters();
  const uint64_t of_gpc = std::max<uint64_t>(1, static_cast<uint64_t>(model.together_sms) / work.shape.cluster.count());
  const uint64_t first = clusters / 2 / of_gpc * of_gpc;
  for (uint64_t number = first; number < std::min(first + of_gpc, clusters); ++number) {
    const Result<Walked> walked = walk_cluster(work, number, kSteps, kReads, [&](const SectorRead& read) {
      Sector& sector = sectors[read.sector];
      if (std::exchange(sector.last, read.block) != read.block) ++sector.blocks;
    });
    if (!walked) return parts;
  }
  std::vector<double> asked(parts.size()), requests(parts.size());
  sectors.for_each([&](uint64_t at, const Sector& sector) {
    const int array = work.memory->find(at * arch::kSectorBytes, 1);
    if (array < 0) return;
    asked[static_cast<size_t>(array)] += sector.blocks;
    requests[static_cast<size_t>(array)] += std::ceil(sector.blocks / model.together_most);
  });
  for (size_t i = 0; i < parts.size(); ++i)
    if (asked[i] > 0) parts[i] = 1 - requests[i] / asked[i];
  return parts;
}

/// Runs more blocks all over the grid, as many as there is time for.
void look_at_more(GridWork& grid, const SmWork& work, machine::PreparedLaunch& launch) {
  constexpr uint64_t kSteps = 1'000'000;
  launch.undo_stores();
  const bool all = grid.mean() * static_cast<double>(work.clusters()) < static_cast<double>(kSteps);
  uint64_t steps = 0;
  for (uint64_t i = 0; i < work.clusters() && steps < kSteps; ++i) {
    const uint64_t number = all ? i : place_in(work.clusters(), i);
    const auto walked = walk_cluster(work, number, kMostSteps, ~uint32_t{0}, [](const SectorRead&) {});
    if (!walked) return;
    steps += walked->steps;
    if (walked->done) grid.add(number, ratio(walked->steps, work.shape.cluster.count()));
  }
}

/// The SM to simulate, by its place, where blocks are not alike. Where each gets all of its blocks at the start, the
/// one that has most to do ends the launch; else one whose first blocks do as much as others: if the SMs are a multiple
/// of the blocks in a row of the grid, all that one gets are in the same column.
uint64_t sm_to_simulate(const GridWork& grid, const SmWork& work) {
  const uint64_t at_a_time = work.clusters_at_a_time(), first = std::min(work.clusters(), at_a_time * work.resident);
  const bool gets_all = first == work.clusters();
  const double usual = grid.mean() * work.resident;
  uint64_t chosen = 0;
  double best = 0;
  for (uint64_t sm = 0; sm < std::min(at_a_time, first); ++sm) {
    double mine = 0;
    for (uint64_t number = sm; number < first; number += at_a_time) mine += grid.of(number);
    const double fit = gets_all ? mine : std::min(mine, usual) / std::max(mine, usual);
    if (fit > best) best = fit, chosen = sm;
  }
  return chosen;
}

/// What the SMs have in common of each array, whose first blocks, or clusters, are `round`. `joint`: see
/// joint_parts_of().
std::vector<ArraySharing> sharing_of(const SmWork& work, const BlockWork& block, const BlocksSeen& seen,
                                     const std::vector<double>& joint, uint64_t round) {
  std::vector<ArraySharing> arrays;
  for (size_t i = 0; i < seen.arrays.size(); ++i) {
    const ArrayUse& use = seen.arrays[i];
    const double pairs = use.pairs();
    const double reading = ratio(use.readers, seen.blocks);
    const double asked = block.pairs[i] * reading * static_cast<double>(work.shape.grid.count());
    const double cold = asked > 0 ? std::min(1.0, pairs / asked) : 1;
    const double others = block.pairs[i] * reading * static_cast<double>(round) / std::max(1.0, pairs) - 1;
    arrays.push_back({joint[i], cold, use.fresh(others), use.all_updates()});
  }
  return arrays;
}

/// What shared memory leaves: the smallest carve-out that holds the resident blocks' is taken from it.
uint64_t l1_bytes_of(const SmModel& model, const TimedLaunch& launch) {
  const uint64_t wanted = launch.shared_bytes_per_block * launch.resident;
  uint64_t carveout = launch.carveouts.empty() ? wanted : launch.carveouts.back();
  for (const uint32_t bytes : launch.carveouts)
    if (bytes >= wanted) {
      carveout = bytes;
      break;
    }
  return static_cast<uint64_t>(model.l1_bytes) -
         std::min<uint64_t>(carveout, static_cast<uint64_t>(model.l1_bytes) / 2 + (128u << 10) - 4096);
}

/// L2 and DRAM are shared by the SMs that have a block; one SM alone gets no more than its link to L2 carries.
SmModel shared_by(SmModel model, uint64_t active, uint32_t sms) {
  const double share = static_cast<double>(active) / sms;
  model.l2_line = std::max(model.l2_link, model.l2_line * share);
  model.l2_sector = std::max(model.l2_link, model.l2_sector * share);
  model.l2_write_sector = std::max(model.l2_write_link, model.l2_write_sector * share);
  model.dram_sector *= share;
  model.block_pace *= share;
  model.dram_write_sector *= share;
  return model;
}

/// Their power is what lowers the GPU's clock.
bool uses_tensor_cores(const std::vector<sass::Instruction>& code) {
  return std::ranges::any_of(code, [](const sass::Instruction& in) {
    return in.pipe == sass::Pipe::Tensor || in.opcode == sass::Opcode::HGMMA || in.opcode == sass::Opcode::HGMMA_R;
  });
}

double sum_of(const std::array<double, kStalls>& clocks) { return std::accumulate(clocks.begin(), clocks.end(), 0.0); }

/// Of a block, or cluster, that ran without clocks: instructions of its longest warp.
struct LongestWarp {
  uint64_t number = 0, instructions = 0;
};

/// When the last of these warps ends, if all take as long for an instruction as those of the SM that was simulated. The
/// first `round` blocks of all `blocks` start at once, the others at a pace.
double end_of_longest(const std::vector<LongestWarp>& warps, const LaunchTime& time, uint64_t round, uint64_t blocks) {
  if (warps.empty()) return 0;
  const SmRun& run = time.run;
  const double pace = sum_of(run.stalls) / static_cast<double>(run.issued);
  double sum = 0, end = 0;
  for (const LongestWarp& warp : warps) sum += static_cast<double>(warp.instructions);
  const double last_start = std::max(0.0, time.clocks - pace * sum / static_cast<double>(warps.size()));
  for (const LongestWarp& warp : warps) {
    const double place = warp.number < round ? 0 : ratio(warp.number - round, blocks - round);
    end = std::max(end, place * last_start + pace * static_cast<double>(warp.instructions));
  }
  return end;
}

/// How long after the SM that was simulated the last of `sms` ends: they start one after another, and blocks wait for
/// L2 and DRAM longer or shorter by chance.
double lateness_of_last_sm(const SmModel& model, const LaunchTime& time, double sms) {
  const auto of = [&](Stall stall) { return time.run.stalls[static_cast<size_t>(stall)]; };
  const ReadTraffic& read = time.run.traffic.read;
  const double missed = static_cast<double>(read.l2) * model.l2_hit;
  const double by_chance = read.hits > 0 ? ratio(missed, missed + static_cast<double>(read.hits) * model.l1_hit) : 1;
  const double waits = of(Stall::LongScoreboard) * by_chance + of(Stall::LgThrottle) + of(Stall::Drain);
  const double block = time.clocks * std::min(1.0, ratio(time.resident, time.blocks));
  return model.block_pace +
         model.slowest_sm * std::sqrt(std::log(sms) * block * waits / std::max(1.0, sum_of(time.run.stalls)));
}

/// Clocks for each instruction of a warp.
double mean_rate(const SmRun& run) { return static_cast<double>(run.clocks) / static_cast<double>(run.issued); }

/// The SM while it holds as many blocks as there are more than in full rounds, or half of what it can; none where it
/// has so many that the last ones do not count.
SmWork last_round_of(SmWork work) {
  constexpr uint64_t kManyRounds = 8;
  const uint64_t mine = work.blocks_of_sm(), over = mine % work.resident;
  const uint64_t blocks = over > 0 ? over : mine >= kManyRounds * work.resident ? 0 : work.resident / 2;
  work.resident = static_cast<uint32_t>(blocks);
  work.instructions /= 4;
  work.run_elsewhere = {};
  return work;
}

/// What an SM's blocks still take when the simulation has ended.
double clocks_of_rest(const SmRun& run, const Paces& paces, double instructions, uint64_t to_start, uint32_t resident) {
  if (run.paces.empty()) return 0;
  double clocks = 0;
  // Of many rounds only the last ones differ.
  if (const uint64_t last = 4 * uint64_t{resident}; to_start > last) {
    const double pace = paces.sum(resident);
    clocks = static_cast<double>(to_start - last) * instructions * (pace > 0 ? 1 / pace : mean_rate(run));
    to_start = last;
  }
  BlocksOfSm blocks(paces, mean_rate(run));
  for (const double issued : run.under_way) blocks.start(std::max(1.0, instructions - issued));
  for (;;) {
    for (; to_start > 0 && blocks.count() < resident; --to_start) blocks.start(instructions);
    if (blocks.count() == 0) return clocks;
    const double next = blocks.clocks_to_end();
    clocks += next;
    blocks.go_on(next);
  }
}

/// When the last SM ends its blocks, and all of them on average, for each clock of the one that was simulated.
GridEnds ends_beside(const LaunchTime& time, const GridWork& grid, const Paces& paces, const SmWork& work) {
  GridWork own;
  for (uint64_t i = 0; i < time.blocks; ++i) {
    const uint64_t issued = i < time.run.issued_by_block.size() ? time.run.issued_by_block[i] : 0;
    own.add(i, issued > 0 ? static_cast<double>(issued) : time.block_instructions);
  }
  const double own_end = ends_of_grid(own, paces, time.blocks, 1, time.resident).last;
  const GridEnds ends = ends_of_grid(grid, paces, work.clusters(), work.clusters_at_a_time(), time.resident);
  return {ends.last / own_end, ends.mean / own_end};
}

}  // namespace

Result<LaunchTime> time_of(const SmModel& model, const TimedLaunch& timed, SmObserver* observer) {
  machine::PreparedLaunch launch(*timed.program, *timed.launch, timed.parameter_offsets, *timed.memory);
  launch.set_clock_rate(timed.clock_hz * 1e-9);
  launch.undo_stores();
  const uint64_t blocks = timed.launch->grid.count();
  SmWork work;
  work.launch = &launch;
  work.memory = timed.memory;
  work.shape = {timed.launch->grid, timed.cluster};
  work.sms = timed.sms;
  work.sources = timed.sources;
  work.cancel = timed.cancel;
  uint64_t mine = work.blocks_of_sm();
  work.resident = static_cast<uint32_t>(std::clamp<uint64_t>(timed.resident, 1, mine));
  work.l1_bytes = l1_bytes_of(model, timed);
  const uint64_t round = std::min(work.clusters(), work.clusters_at_a_time() * work.resident);
  // Blocks that change nothing in memory can be run at the same time.
  const unsigned threads = timed.program->changes_contents() ? 1 : 2;
  Result<BlockWork> block = BlockWork();
  BlocksSeen seen;
  std::vector<double> joint;
  for_each_on(threads, 3, nullptr, [&](uint64_t part) {
    if (part == 0) block = measure_block(work, work.clusters() / 2);
    if (part == 1) seen = look_at_blocks(work, round);
    if (part == 2) joint = joint_parts_of(model, work);
  });
  if (!block) return block.errors();
  constexpr uint64_t kMostEnds = 50'000;  // Blocks whose ends are followed: 25 to 40 ms.
  // Where atomics decide what a block does, the order of all counts.
  const bool alike = timed.program->needs_updates() || seen.work.is_alike();
  const bool ends_apart = !alike && round < work.clusters() && work.clusters() <= kMostEnds;
  if (!alike) {
    look_at_more(seen.work, work, launch);
    work.first = sm_to_simulate(seen.work, work);
  }
  mine = work.blocks_of_sm();
  work.arrays = sharing_of(work, *block, seen, joint, round);
  work.instructions = timed.instructions / work.shape.cluster.count();
  launch.undo_stores();
  std::vector<LongestWarp> elsewhere;
  constexpr double kMostElsewhere = 8e6;  // Instructions of all other blocks: some half of a second.
  if (timed.program->needs_updates() && block->instructions * static_cast<double>(blocks) < kMostElsewhere)
    work.run_elsewhere = [&](uint64_t number) {
      // Where it stops, the SM that is simulated says why: it is cancelled, or does the same.
      if (const auto walked = walk_cluster(work, number, kMostSteps, ~uint32_t{0}, [](const SectorRead&) {}); walked)
        elsewhere.push_back({number, walked->longest});
    };
  const SmModel shared = shared_by(model, std::min<uint64_t>(blocks, timed.sms), timed.sms);
  if (ends_apart) work.first_round = static_cast<uint64_t>(seen.work.mean() * work.resident);
  const SmWork last_work = last_round_of(work);
  const bool differs = last_work.resident > 0;
  const bool ends_early =
      ends_apart || block->instructions * static_cast<double>(mine) > static_cast<double>(work.instructions);
  Result<SmRun> run = SmRun();
  std::optional<Result<SmRun>> last_round;
  for_each_on(2, threads > 1 && differs && ends_early ? 2 : 1, nullptr, [&](uint64_t part) {
    if (part == 0)
      run = run_sm(shared, work, observer);
    else
      last_round = run_sm(shared, last_work);
  });
  if (!run) return run.errors();

  LaunchTime time;
  time.run = std::move(*run);
  time.blocks = mine;
  time.resident = work.resident;
  time.block_instructions = block->instructions;
  if (ends_apart)
    time.block_instructions = seen.work.mean();
  else if (const std::vector<uint64_t>& issued = time.run.issued_by_block; time.run.blocks_done > 0)
    time.block_instructions = ratio(std::accumulate(issued.begin(), issued.end(), uint64_t{0}), time.run.blocks_done);
  time.clocks = static_cast<double>(time.run.clocks);
  const double all = time.block_instructions * static_cast<double>(mine);
  if (ends_early && differs && !last_round) {
    launch.undo_stores();
    last_round = run_sm(shared, last_work);
  }
  if (last_round && !*last_round) return last_round->errors();
  const Paces paces(time.run.paces, last_round ? (*last_round)->paces : std::vector<double>());
  if (!time.run.whole()) {
    const uint64_t to_start = mine - time.run.blocks_done - time.run.under_way.size();
    time.clocks += clocks_of_rest(time.run, paces, time.block_instructions, to_start, work.resident);
    const double pace = std::accumulate(time.run.paces.begin(), time.run.paces.end(), 0.0);
    time.last_round = std::max(0.0, time.clocks - static_cast<double>(time.run.clocks) -
                                        ratio(all - static_cast<double>(time.run.issued), pace));
  }
  double active_clocks = time.clocks;  // Of an SM, on average.
  if (ends_apart) {
    const GridEnds ends = ends_beside(time, seen.work, paces, work);
    active_clocks = time.clocks * ends.mean;
    time.clocks *= ends.last;
  }
  time.issue_active = std::max(all, static_cast<double>(time.run.issued)) / active_clocks / kSchedulers;
  const double clock_hz = timed.clock_hz * (uses_tensor_cores(timed.program->code()) ? model.tensor_clock : 1);
  const auto active = static_cast<double>(std::min<uint64_t>(blocks, timed.sms));
  // L2 works on what most SMs have stored while the last one still runs.
  time.last_sm =
      std::max({time.run.afterwards - (time.clocks - active_clocks), lateness_of_last_sm(shared, time, active),
                end_of_longest(elsewhere, time, round, work.clusters()) - time.clocks});
  time.seconds = (time.clocks + time.last_sm) / clock_hz + model.launch;
  return time;
}

}  // namespace tilescope::clock
