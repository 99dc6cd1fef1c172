#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "arch/arch.h"
#include "base/result.h"

/// How long a launch takes, predicted from what one run counted, without a GPU.
namespace tilescope::predict {

/// What one block does: means over the blocks that the emulator counted, sums over the block's warps.
struct BlockDemand {
  double fmas = 0;               ///< Warp instructions that multiply and add.
  double slots = 0;              ///< Instructions of its warps, a clock of a scheduler each.
  double issue = 0;              ///< Clocks of a scheduler for all instructions, registers' banks included.
  double alone = 0;              ///< Clocks of the block alone on an SM for each warp, if global loads came at once.
  double load_waits = 0;         ///< How often a warp waits for such a load.
  double wavefronts = 0;         ///< Of L1 and shared memory, which share one data path.
  double shared_wavefronts = 0;  ///< Those of shared memory among them.
  double barriers = 0;           ///< A barrier counts once for each warp.
  double spills = 0;             ///< Loads and stores of registers that ptxas spilled, in those of full warps.
  double fetches = 0;            ///< Lines of machine code that each warp's loops fetch anew in every turn.
};
/// All of them, to be carried on to another K.
inline constexpr std::array kBlockDemands{&BlockDemand::fmas,       &BlockDemand::issue,
                                          &BlockDemand::alone,      &BlockDemand::load_waits,
                                          &BlockDemand::wavefronts, &BlockDemand::barriers,
                                          &BlockDemand::spills,     &BlockDemand::slots,
                                          &BlockDemand::fetches,    &BlockDemand::shared_wavefronts};

/// Why there is no prediction.
enum class Gap : uint8_t { None, TensorCores, BulkCopies, UnlikeBlocks };
/// "", "the model knows nothing of tensor cores", ...
std::string_view to_string(Gap gap);

/// What a launch asks of a device.
struct Demand {
  BlockDemand block;
  uint64_t blocks = 0;                  ///< Of the grid.
  uint32_t warps = 0;                   ///< Per block.
  uint32_t blocks_per_sm = 0;           ///< By occupancy; 0: not known, or it cannot be launched.
  double l2_bytes = 0, dram_bytes = 0;  ///< The least that must cross, of all blocks together; 0: not known.
  bool atomics = false;                 ///< In global memory, of which the model knows nothing.
  Gap gap = Gap::None;
};

/// The constants, all in clocks of an SM where nothing else is said; assets/prediction.toml says where they come from.
struct Model {
  std::string device, date;  ///< On whose recordings they were fitted, and when.
  double global_load = 0;    ///< From a load from global memory to its value, on a busy device.
  double barrier = 0;        ///< Of each barrier, where nothing else hides it.
  double barrier_path = 0;   ///< Of the data path for each warp at a barrier, before which it runs empty.
  double spill = 0;          ///< Of the data path for a load or store of a spilled register.
  double banks = 0;          ///< Share of the clocks in which FMAs wait for registers' banks, beside other blocks.
  double fetch = 0;          ///< Of a line of machine code that the instruction cache does not have, for a lone warp.
  double straggler = 0;      ///< Share of a scheduler's warp, or of what a block waits if that is less, left uncovered.
  double late = 0;           ///< Share of a round by which SMs have drifted apart after two.
  double sharpness = 0;      ///< Exponent of the norm that joins the terms: larger is nearer to the slowest alone.
  double launch = 0;         ///< Seconds: the launch itself, and caches that are cold.
  double shortest = 0;       ///< Seconds: of the recordings that it was fitted to.
  double fewest_fmas = 0;    ///< Share of the issue slots, among the same.
  /// Eight of ten recordings lie between these parts of the prediction: launches that leave places for blocks empty,
  /// and those that fill all SMs.
  std::array<double, 2> low = {1, 1}, high = {1, 1};
};
/// Reads assets/prediction.toml. Errors name the file and the constant.
Result<Model> load_model(const std::filesystem::path& file);

enum class Term : uint8_t { Path, Fma, Issue, Latency, L2, Dram, LastRound, Launch };
constexpr size_t kTerms = 8;
/// "L1 and shared memory", "FMA issue", "issue slots", "latency", "L2", "DRAM", "last wave", "launch"
std::string_view to_string(Term term);

/// Why the model may be further off than its range says.
enum class Doubt : uint8_t { None, Atomics, FewFmas, Memory, Short };
/// "", "atomics are not in the model", "shorter than any launch that the model was fitted to", ...
std::string_view to_string(Doubt doubt);

/// `predicted`: never measured. Seconds.
struct Predicted {
  std::string device;     ///< For which.
  std::string fitted_on;  ///< On whose recordings the constants were fitted.
  double seconds = 0, low = 0, high = 0;
  /// Of each alone, if the others took nothing; they overlap. LastRound: how much longer the launch takes than if every
  /// round were full.
  std::array<double, kTerms> terms = {};
  Term limiting = Term::Path;  ///< The longest.
  Demand demand;               ///< What it was made from.
  Doubt doubt = Doubt::None;
};

/// Nothing where the demand has a gap, the device lacks its SMs or clock, or the blocks per SM are not known. Never
/// less than analysis::bound() of the same counts.
///
/// An SM takes its blocks in rounds of as many as it holds. A block alone takes its latency. A round of r blocks takes
/// the norm with exponent `sharpness` of that latency, of r times the wavefronts of a block and of the clocks of the
/// scheduler with most warps, but what the first block issues and moves is in its latency already. (FMAs are a part of
/// the issue slots, and shown by themselves; where an SM has fewer lanes than its schedulers issue to, they take longer
/// than those.) After two rounds blocks no longer end together, so that some SMs get more of the last round than
/// others. What L2 and DRAM take for the whole launch joins in with the same exponent.
std::optional<Predicted> predict(const Model& model, const arch::Device& device, const Demand& demand);

}  // namespace tilescope::predict
