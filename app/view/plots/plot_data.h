#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/bound.h"
#include "arch/arch.h"
#include "kernel/catalogue.h"
#include "run/counted_work.h"
#include "session/command.h"
#include "store/cpu_product.h"
#include "store/measurement.h"
#include "view/parameters.h"

/// The data of plots, and which figures belong together.
namespace tilescope::view {

using Params = std::vector<std::pair<std::string, int64_t>>;

/// A kernel and the digest by which measurements name its text.
struct PlotStage {
  const kernel::Kernel* kernel = nullptr;
  std::string hash;  ///< 16 hexadecimal digits, as in store::Subject.
};

/// All data of the plots. Nothing is owned; valid for one frame.
struct PlotData {
  std::vector<PlotStage> stages;  ///< The catalogue, in its order.
  PlotStage shown;                ///< With the user's text; its kernel is never null.
  Params params;                  ///< The shown kernel's, every one.
  std::span<const store::Measurement> figures;
  std::span<const uint32_t> history;  ///< Indices of the figures that were measured in this session, the newest last.
  std::span<const store::CpuProduct> cpu;  ///< Of this machine, for the ladder.
  std::span<const arch::Device> devices;
  std::span<const run::CountedWork> counted;
  const predict::Model* model = nullptr;  ///< Null: nothing is predicted.
  /// The configurations of a kernel that ship, where only these can run; without it all can.
  std::function<const std::vector<ParameterValues>&(const kernel::Kernel&)> shipped;
  bool shown_is_right = true;  ///< Its result at `params` is right, as far as known: a wrong one has no time.
  /// The shown kernel multiplies matrices: its speed is in FLOP/s. That of others is in bytes of their arrays.
  bool product = true;
  std::string extents = "MNK";           ///< Those that the shown kernel has: kernel::used_extents().
  int64_t size = 4096;                   ///< Of every extent, in plots at one size.
  std::string measured_on, recorded_on;  ///< The devices that are shown; empty: none has any.
};

/// Which of the two devices a provenance has.
const std::string& device_of(const PlotData& data, store::Provenance provenance);

/// Whether the plots show a figure: of the stage's exact text, with cold caches, on the shown device.
bool belongs(const PlotData& data, const store::Measurement& figure, const PlotStage& stage,
             store::Provenance provenance);
/// The newest figure of that exact configuration, or null.
const store::Measurement* find_figure(const PlotData& data, store::Provenance provenance, const PlotStage& stage,
                                      const Params& params, int64_t size);
/// The counts of that exact configuration, best those for the device of the bounds; or null.
const run::CountedWork* find_counted(const PlotData& data, const PlotStage& stage, const Params& params, int64_t size);
/// The device of that name in assets/devices.toml, or null.
const arch::Device* find_device(const PlotData& data, std::string_view name);
/// The device that bounds are computed for: the measured one, else the recorded one, else H200.
const arch::Device* bound_device(const PlotData& data);

/// Whether the kernel's rules allow the values at M = N = K = `size`.
bool is_legal(const kernel::Description& description, const Params& params, int64_t size);

/// "4096³" of a product, "4096²" of a transpose.
std::string size_text(const PlotData& data, int64_t size);
/// What the shown kernel's speed counts at a configuration: the FLOP of a product, else the bytes of its arrays, or as
/// much of them as it requests where that has been counted.
double amount_of(const PlotData& data, const Params& params, int64_t size);
/// "FLOP/s" or "B/s"
std::string_view speed_unit(const PlotData& data);

Params default_params(const kernel::Description& description);
using store::params_text;
/// Those of `params` that differ from the defaults: "BM=64".
std::string changed_params(const kernel::Description& description, const Params& params);
/// "9 2-D thread tile"
std::string stage_name(const kernel::Kernel& kernel);

/// What a figure was timed beside: "cuBLAS", or "a copy of the same bytes".
std::string reference_name(const store::Measurement& figure);
/// GFLOPS of cuBLAS in the figure's run; 0 if it was not measured.
double reference_gflops(const store::Measurement& figure);

/// "measured", "recorded", "published", in the reader's language.
std::string provenance_text(store::Provenance provenance);

/// The words of a series: "recorded", "NVIDIA H200, 2026-11-21". `figures`: of one provenance and
/// device; the dates are theirs, first to last.
std::string source_text(const std::vector<const store::Measurement*>& figures);
/// Speed, time with its spread, share of cuBLAS, provenance with device, driver, toolkit, clock and date, doubts. A
/// figure of no product is of the shown kernel.
std::vector<std::string> figure_lines(const PlotData& data, const store::Measurement& figure);

/// The same of cuBLAS in the figure's run; the figure has a reference.
std::vector<std::string> reference_lines(const store::Measurement& figure);

/// Commands that set the sliders to a configuration; for another kernel that one is chosen first. None where it cannot
/// run.
std::vector<session::Command> go_to(const PlotData& data, const std::string& kernel, const Params& params);

}  // namespace tilescope::view
