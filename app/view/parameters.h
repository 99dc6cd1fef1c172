#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/configuration.h"
#include "kernel/nearest_legal.h"
#include "session/command.h"
#include "session/state.h"

namespace tilescope::view {

using ParameterValues = std::map<std::string, int64_t>;

/// One parameter as a slider: its values in order, which of them are legal with everything else unchanged, and its
/// place.
struct Slider {
  std::string name, about;
  std::vector<int64_t> values;
  std::vector<bool> legal;  ///< By value. Where only what ships can run, whether it ships.
  /// By value that ships: what is set with it, so that the whole configuration ships; the nearest to what is set now.
  /// Empty where a compiler runs any.
  std::vector<ParameterValues> shipped;
  int64_t value = 0;
  size_t index = 0;    ///< Of the value, or of the nearest one in the list.
  bool wrong = false;  ///< With another value of it, and of others where it takes several, the choice would be legal.
};

/// One way to become legal.
struct LegalWay {
  std::string label;  ///< "TM = 8"
  std::vector<session::Command> commands;
};

struct Legality {
  bool legal = false;
  std::vector<std::string> sentences;  ///< "legal: 128*128/(8*8) = 256 threads", or each broken constraint.
  std::string brief = {};              ///< "legal: 256 threads", where that has no room; empty when illegal.
  std::vector<LegalWay> ways = {};     ///< The nearest legal values, the best first; empty when legal.
};

struct PresetChoice {
  std::string name;
  std::string words;                                    ///< "BM 64 · BN 128": what differs between the presets.
  std::vector<std::pair<std::string, int64_t>> params;  ///< Every one, in the description's order.
  bool on = false;                                      ///< The settings are those of the preset.
};

/// All settings, for one choice of inputs.
struct ParameterPanel {
  std::vector<Slider> sliders;
  std::vector<PresetChoice> presets;
  kernel::Size size;
  std::string extents;              ///< Those of the size that mean something: kernel::used_extents().
  std::array<uint32_t, 3> block{};  ///< The traced block: x, y, z.
  Dim3 grid;                        ///< 1 x 1 while the inputs are illegal.
  Legality legality;
};
/// Whether a configuration is among those that ship.
bool ships(const ParameterValues& values, const std::vector<ParameterValues>& shipped);
/// Of those that ship with that value of a parameter the nearest to what is set now; null if there is none.
const ParameterValues* nearest_with(const std::string& parameter, int64_t value,
                                    const std::vector<ParameterValues>& shipped, const ParameterValues& now);
/// To the nearest of those that ship; nullopt if the settings ship, or nothing does.
std::optional<LegalWay> nearest_shipped(const kernel::Description& description, const session::Inputs& inputs,
                                        const std::vector<ParameterValues>& shipped);

/// Judges every value of every parameter: call it when the inputs change, not in every frame. `settled` is the result
/// of kernel::configure() for the same inputs. `shipped`: the configurations that can run, if these are not all.
ParameterPanel parameter_panel(const kernel::Description& description, const session::Inputs& inputs,
                               const kernel::Limits& limits, const Result<kernel::Configuration>& settled,
                               const std::optional<std::vector<ParameterValues>>& shipped = std::nullopt);

/// The threads of a block with values filled in: "128*128/(8*8) = 256 threads". `configuration` is legal.
std::string threads_sentence(const kernel::Description& description, const kernel::Configuration& configuration);

}  // namespace tilescope::view
