#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "statistics/statistics.h"

namespace tilescope::store {

/// The source of a figure. Series of different provenance are never joined.
enum class Provenance : uint8_t {
  Measured,   ///< With this program, on a GPU through an agent.
  Recorded,   ///< Earlier with this program; ships in assets/recordings.
  Published,  ///< Printed in a document; ships in assets/published.toml.
};
/// "measured", "recorded", "published"
std::string_view to_string(Provenance provenance);

/// What makes two measurements comparable: everything but the outcome.
struct Subject {
  std::string device;                                   ///< As the driver names it: "NVIDIA H200".
  std::string kernel;                                   ///< "09_thread_tile_2d"; "cuBLAS" for published figures of it.
  std::string kernel_hash;                              ///< digest_of() of the kernel's text; empty if published.
  std::vector<std::pair<std::string, int64_t>> params;  ///< Every one, in the description's order.
  int64_t m = 0, n = 0, k = 0;                          ///< C is m x n.
  std::string math = "fp32";  ///< Of the kernel and of cuBLAS: "fp32", without TF32; "tf32", "bf16", "fp16".
  std::string toolkit;        ///< What compiled the kernel: "13.0" of NVRTC, "nvcc 13.0".
  bool hot = false;           ///< The L2 cache was not flushed between samples.
  bool operator==(const Subject&) const = default;
};

/// cuBLAS in the same run, sample by sample beside the kernel; for other problems a copy of as many bytes as the arrays
/// have, half of them read and half written.
struct Reference {
  std::string name;  ///< "cublasGemmEx" or "cublasLt heuristic 2": whichever was fastest; or "copy of the same bytes".
  statistics::Quartiles seconds;
  statistics::Interval relative;  ///< Its time over the kernel's, pair by pair: 1 is as fast.
  bool operator==(const Reference&) const = default;
};

/// The speed of one configuration of one kernel at one size.
struct Measurement {
  Provenance provenance = Provenance::Measured;
  std::string source;  ///< Of a recorded one the file's name; of a published one the document's title.
  Subject subject;
  std::string driver;             ///< "580.159.04"; empty if published.
  std::string date;               ///< UTC: "2026-11-21T20:52:31Z"; empty if published.
  double clock_mhz = 0;           ///< Median SM clock while it ran; 0: not known.
  statistics::Quartiles seconds;  ///< Of one launch. Published figures have a median alone: all three are equal.
  double gflops = 0;              ///< 2 m n k over the median time; 0: no matrix product.
  std::optional<Reference> reference;
  double noise = 0;       ///< Standard deviation over mean of the times.
  bool is_noisy = false;  ///< The noise stayed above the limit until the time was up.
  uint32_t samples = 0;   ///< Pairs that count; 0 if published.
  uint32_t dropped = 0;   ///< Pairs left out because the clock was throttled.
  /// Hardware counters of one launch, by Nsight Compute's names; empty if none was read.
  std::vector<std::pair<std::string, double>> counters = {};
  std::string no_counters = {};  ///< Why requested ones could not be read, as a sentence.

  bool is_product() const { return gflops > 0; }
  /// Percent of the reference's speed; nullopt if it was not measured.
  std::optional<double> percent_of_reference() const;
};

/// Whether a beats b: by their speed relative to cuBLAS in the same run if both have it, else by time.
statistics::Comparison compare(const Measurement& a, const Measurement& b);

/// "BM=64 BN=32"
std::string params_text(const std::vector<std::pair<std::string, int64_t>>& params);

/// What compiled the kernel: "NVRTC 13.0", "nvcc 13.0"; empty if that is not known.
std::string compiler_text(const Subject& subject);

/// One object, as `tilescope measure --json` prints it and the store keeps it. Absent figures are null.
nlohmann::ordered_json to_json(const Measurement& measurement);
/// The inverse. The error names the field that is missing or of the wrong type.
Result<Measurement> from_json(const nlohmann::ordered_json& json);

/// A table with a header line; RFC 4180.
std::string to_csv(const std::vector<Measurement>& measurements);
/// The inverse, with `provenance` and `source` for each. Errors name the file, the line and the column.
Result<std::vector<Measurement>> from_csv(std::string_view text, const std::string& file_name, Provenance provenance);

/// A table of the measurements' hardware counters: the subject's columns, then a column for each counter. Measurements
/// without any are left out.
std::string counters_to_csv(const std::vector<Measurement>& measurements);
/// Adds the counters of such a table to the measurements of the same subject. Errors name the file and the line.
Result<std::monostate> add_counters(std::string_view text, const std::string& file_name,
                                    std::vector<Measurement>& measurements);

/// The shape of nvbench's --json files: devices, benchmarks, states with axis values and summaries.
nlohmann::ordered_json to_nvbench_json(const std::vector<Measurement>& measurements);

}  // namespace tilescope::store
