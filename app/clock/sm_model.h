#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"

/// An SM simulated clock by clock, and from it how long a launch takes.
namespace tilescope::clock {

/// What an SM of one architecture takes, in clocks of the SM where nothing else is said. assets/sm.toml has each figure
/// with where it comes from.
struct SmModel {
  // From an instruction's issue, or from its turn in the data path, to its result.
  double shared_load = 0;  ///< LDS, from the last of its wavefronts.
  double shared_wide = 0;  ///< Where lanes load several words, for each wavefront after the first.
  double l1_hit = 0;       ///< LDG whose sectors are in L1, likewise.
  double l2_hit = 0;       ///< A sector from L2.
  double l2_spread = 0;    ///< The mean of what a line takes beyond the least.
  double dram = 0;         ///< What a sector that L2 does not have takes beyond that, and its mean likewise;
  double far_side = 0;     ///< where it is on the other side of L2, this besides.
  double dram_spread = 0;
  double shuffle = 0;
  double constant_load = 0;   ///< LDC
  double first_constant = 0;  ///< Until a line of the launch's parameters has come.
  double special = 0;         ///< S2R and its like.
  double xu = 0;              ///< MUFU, conversions.
  double fp64 = 0;
  double tensor = 0;           ///< HMMA
  double group_product = 0;    ///< HGMMA, from its last turn on.
  double bulk_copy = 0;        ///< A bulk copy, beyond what its sectors take.
  double barrier = 0;          ///< From when a barrier has its last arrival to the next issue.
  double barrier_warp = 0;     ///< Between two arrivals at barriers of the SM.
  double cluster_barrier = 0;  ///< From the last arrival at a cluster's barrier to the next issue.
  double cluster_load = 0;     ///< From shared memory of another SM of the cluster, from the last of its wavefronts.
  double branch = 0;           ///< From a taken branch to the next instruction.
  double converge = 0;         ///< From where lanes meet (BSYNC) to the next instruction.
  double membar = 0;           ///< A fence, once all is back that the SM has asked L2 for.
  double membar_warp = 0;      ///< Between two of them on the SM.
  double operand_read = 0;     ///< Until a queued instruction has read its registers, and for each of its words:
  double operand_word = 0;

  // Clocks for which an instruction keeps its pipe from the next of the same scheduler.
  double alu_pace = 0, heavy_pace = 0, wide_pace = 0, half_pace = 0, fp64_pace = 0, xu_pace = 0, special_pace = 0,
         uniform_pace = 0, queue_pace = 0, tensor_pace = 0;
  double constant_pace = 0;        ///< Of the whole SM: for each address of an LDC.
  double double_product_pace = 0;  ///< DMMA, for each product that it adds to an element.
  double address_dispatch = 0;     ///< A global access, whose address is two registers, keeps the scheduler so long.
  double wide_dispatch = 0;        ///< IMAD.WIDE or IMAD.HI likewise.
  double operand_window = 0;  ///< An arithmetic instruction reads its registers in so many clocks; 0: they never wait.
  double group_queue = 0;     ///< Products of warp groups that wait for the tensor cores.
  double group_column = 0;    ///< HGMMA, for each column of its product.

  // The data path of L1 and shared memory, beyond wavefronts.
  double barrier_path = 0;               ///< For each warp at a barrier.
  double shuffle_path = 0;               ///< A shuffle.
  double store_path = 0;                 ///< A store to global memory takes more than a load of its pattern by this.
  double global_request = 0;             ///< A load from global memory keeps the tags at least this long.
  double tag_line = 0;                   ///< And this for each line in the same bank of tags.
  double scheduler_pace = 0;             ///< Between wavefronts of a request, and after those of conflicts.
  double path_turn = 1, store_turn = 1;  ///< Requests of one scheduler's queue that it serves in a row.
  /// A wavefront that brings two registers waits so long if its scheduler issues an FMA in every clock, and not at all
  /// if it does in such a part of them.
  double pair_path = 0, pair_from = 0;
  double path_queue = 0;        ///< Requests that are past a scheduler's queue and wait for the data path.
  double cluster_path = 0;      ///< For each wavefront that goes to another SM of the cluster.
  double late_wavefronts = 0;   ///< A load of so many whose data comes late passes the data path when it has come.
  double load_ahead = 0;        ///< Clocks of the data path for which loads may wait when another's tags are looked up.
  double shared_conflicts = 1;  ///< Part of the wavefronts of bank conflicts that an access to shared memory takes.
  double split_line = 0;        ///< For each line that misses, beyond the wavefronts: its sectors come back apart.
  double enqueue = 0;           ///< From the issue until a request can be served.
  double shared_queue = 0;      ///< Instructions that a scheduler's queue to shared memory holds.
  double global_queue = 0;      ///< Instructions that its queue to global memory holds.

  // L2 as one SM has it while all are busy.
  double l2_line = 0;          ///< For each line asked for.
  double l2_sector = 0;        ///< For each sector read.
  double l2_write_sector = 0;  ///< For each sector written.
  double l2_write_part = 0;    ///< Where sectors are written in part, for each line and for each of its sectors.
  double store_lines = 0;      ///< Lines on their way to L2 that later stores may join.
  double l2_link = 0;          ///< What one SM needs for a sector, however few others are busy.
  double l2_write_link = 0;    ///< The same for a sector that it writes,
  double l2_bulk_link = 0;     ///< and for one of a bulk copy.
  double dram_sector = 0;      ///< For each sector that L2 does not have.
  double dram_write_sector = 0;
  double dram_write_batch = 0;  ///< A channel of DRAM reads until it has to write for so many clocks.
  double dram_channels = 1;     ///< Lines lie on so many channels, each of which serves its part.
  double period = 1;            ///< How long SMs ask for the same at the same time, or do not.
  double together = 0;          ///< Of the requests that SMs of a GPC could make as one, the share that they do.
  double bulk_together = 0;  ///< The same in the time that bulk copies take, whose sectors are counted by `together`.
  double together_sms = 0;   ///< SMs whose requests may become one: those of a GPC,
  double together_most = 0;  ///< and how many of them at most.
  double l2_backlog = 0;     ///< Clocks of work behind which L1 sends L2 no more.
  // The way back from L2 is taken for so many clocks by what atomics give, for each sector and for each word of 32
  // bits:
  double l2_answer_sector = 0, l2_answer_word = 0;
  // Atomics in one slice of L2, whichever SM they come from, follow each other at this distance:
  double atomic = 0;            ///< For each sector, times its lanes on the same word,
  double atomic_row = 0;        ///< but where four lanes and more have words of their own in it,
  double atomic_scattered = 0;  ///< and at least, where they are in many slices.
  double atomics_on_way = 0;    ///< An SM sends L2 so many sectors, or turns of one, before one is done.
  double atomic_word = 0;       ///< For each lane on a word to which all SMs add floating-point numbers.

  // The instruction cache.
  double code_bytes = 0;  ///< That it holds.
  double code_line = 0;   ///< For each line of 128 bytes that it does not hold.

  // Blocks and warps.
  double warp_code = 0;    ///< From a warp's start to its first instruction.
  double exit = 0;         ///< From a warp's exit to its end,
  double drain = 0;        ///< which is this after its last store has passed the data path, at the earliest.
  double block_pace = 0;   ///< Between the ends of two blocks of which the GPU knows, while blocks end on all SMs.
  double block_start = 0;  ///< From then to a new block's first instruction,
  double warp_pace = 0;    ///< and from its first warp's to the next one's.
  // The first blocks of an SM, one after another.
  double first_code = 0;        ///< Until the launch's first instruction has come from memory,
  double first_warp_pace = 0;   ///< Between the starts of two warps of a block,
  double first_block_pace = 0;  ///< and from after its last one's to the next block's.
  double quick_warps = 0;       ///< So many start at this pace,
  double later_warps = 0;       ///< and the next one not before this clock.

  double l1_bytes = 0;       ///< L1 and shared memory together.
  double slowest_sm = 0;     ///< The last SM ends later by this times the root of what blocks wait for memory.
  double tensor_clock = 1;   ///< Part of its clock that the SM keeps while its tensor cores work.
  double launch = 0;         ///< Seconds that a launch takes besides.
  double low = 1, high = 1;  ///< Eight of ten launches take between these multiples of the simulated time.
};

/// The figure of that name, to read or to change; null if there is none.
double* figure(SmModel& model, std::string_view name);

/// Reads assets/sm.toml. Errors: a figure that is missing, or not a number, with its line.
Result<SmModel> load_sm_model(const std::filesystem::path& file);

}  // namespace tilescope::clock
