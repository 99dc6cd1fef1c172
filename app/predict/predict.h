#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "arch/arch.h"
#include "base/result.h"

/// How long a launch takes, predicted from the counts of one run, without a GPU.
namespace tilescope::predict {

/// The work of one block: means over the counted blocks, sums over the block's warps.
struct BlockDemand {
  double fmas = 0;               ///< FMAs, as warp instructions.
  double slots = 0;              ///< Instructions of its warps, one scheduler clock each.
  double issue = 0;              ///< Clocks of a scheduler for all instructions, including register bank conflicts.
  double alone = 0;              ///< Clocks of the block alone on an SM for each warp, if global loads took no time.
  double load_waits = 0;         ///< How often a warp waits for a global load.
  double wavefronts = 0;         ///< Of L1 and shared memory, which share one data path.
  double shared_wavefronts = 0;  ///< Those of shared memory among them.
  double barriers = 0;           ///< A barrier counts once for each warp.
  double spills = 0;             ///< Loads and stores of spilled registers, in units of full warps.
  double fetches = 0;            ///< Lines of machine code that each warp's loops fetch anew in every turn.
};
/// All of them, to extrapolate to another K.
inline constexpr std::array kBlockDemands{&BlockDemand::fmas,       &BlockDemand::issue,
                                          &BlockDemand::alone,      &BlockDemand::load_waits,
                                          &BlockDemand::wavefronts, &BlockDemand::barriers,
                                          &BlockDemand::spills,     &BlockDemand::slots,
                                          &BlockDemand::fetches,    &BlockDemand::shared_wavefronts};

/// Why there is no prediction.
enum class Gap : uint8_t { None, TensorCores, BulkCopies, UnlikeBlocks };
/// "", "the model knows nothing of tensor cores", ...
std::string_view to_string(Gap gap);

/// The work of a launch.
struct Demand {
  BlockDemand block;
  uint64_t blocks = 0;                  ///< Of the grid.
  uint32_t warps = 0;                   ///< Per block.
  uint32_t blocks_per_sm = 0;           ///< By occupancy; 0: unknown, or it cannot be launched.
  double l2_bytes = 0, dram_bytes = 0;  ///< The least traffic of all blocks together; 0: unknown.
  bool atomics = false;                 ///< In global memory; the model does not know them.
  Gap gap = Gap::None;
};

/// The constants, in clocks of an SM unless noted; assets/prediction.toml has their source.
struct Model {
  std::string device, date;  ///< The device of the recordings that they were fitted to, and the date of the fit.
  double global_load = 0;    ///< From a load from global memory to its value, on a busy device.
  double barrier = 0;        ///< Of each barrier, if nothing hides it.
  double barrier_path = 0;   ///< Of the data path for each warp at a barrier, before which it runs empty.
  double spill = 0;          ///< Of the data path for a load or store of a spilled register.
  double banks = 0;          ///< Share of the clocks in which FMAs wait for register banks, when other blocks run.
  double fetch = 0;          ///< Of a line of machine code outside the instruction cache, for a single warp.
  double straggler = 0;      ///< Share of a scheduler's warp, or of what a block waits if that is less, left uncovered.
  double late = 0;           ///< Share of a round by which SMs have drifted apart after two.
  double sharpness = 0;      ///< Exponent of the norm that joins the terms: larger is nearer to the slowest alone.
  double launch = 0;         ///< Seconds: the launch itself and cold caches.
  double shortest = 0;       ///< Seconds: of the fitted recordings.
  double fewest_fmas = 0;    ///< Share of the issue slots in those.
  /// Eight of ten recordings are between these multiples of the prediction: for launches that do not fill all SMs, and
  /// for those that do.
  std::array<double, 2> low = {1, 1}, high = {1, 1};
};
/// Reads assets/prediction.toml. Errors name the file and the constant.
Result<Model> load_model(const std::filesystem::path& file);

enum class Term : uint8_t { Path, Fma, Issue, Latency, L2, Dram, LastRound, Launch };
constexpr size_t kTerms = 8;
/// "L1 and shared memory", "FMA issue", "issue slots", "latency", "L2", "DRAM", "last wave", "launch"
std::string_view to_string(Term term);

/// Why the error may exceed the range.
enum class Doubt : uint8_t { None, Atomics, FewFmas, Memory, Short };
/// "", "atomics are not in the model", "shorter than any launch that the model was fitted to", ...
std::string_view to_string(Doubt doubt);

/// `predicted`: never measured. Seconds.
struct Predicted {
  std::string device;  ///< For which.
  /// The device of the recordings that the model's constants were fitted to. Empty: no model of counts, but the
  /// launch's machine code on a simulated SM.
  std::string fitted_on;
  double seconds = 0, low = 0, high = 0;
  /// Of each term alone; they overlap. Of a simulated launch: how long the unit is busy, and as latency how long not even
  /// the busiest one is. LastRound: how much longer the launch takes than if every round were full.
  std::array<double, kTerms> terms = {};
  Term limiting = Term::Path;  ///< The longest.
  Demand demand;               ///< The model's input.
  Doubt doubt = Doubt::None;
  bool simulated() const { return fitted_on.empty(); }
};

/// Nullopt if the demand has a gap, the device's SMs or clock are unknown, or the blocks per SM are. Never less than
/// analysis::bound() of the same counts.
///
/// An SM takes its blocks in rounds of as many as it holds. A block alone takes its latency. A round of r blocks takes
/// the norm with exponent `sharpness` of that latency, of r times the wavefronts of a block and of the clocks of the
/// scheduler with most warps, less what the first block issues and moves, which its latency includes. (FMAs are part of
/// the issue slots but shown separately; where an SM has fewer lanes than its schedulers issue to, they take longer
/// than those.) After two rounds blocks no longer end together, so that some SMs get more of the last round than
/// others. The times of L2 and DRAM for the whole launch are joined with the same exponent.
std::optional<Predicted> predict(const Model& model, const arch::Device& device, const Demand& demand);

}  // namespace tilescope::predict
