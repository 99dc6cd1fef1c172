#include "predict/predict.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "store/store.h"

namespace tilescope::predict {
namespace {

const std::filesystem::path kRoot = TILESCOPE_SOURCE_DIR;

Model shipped_model() {
  const Result<Model> model = load_model(kRoot / "assets/prediction.toml");
  EXPECT_TRUE(model) << to_string(model.errors());
  return model ? *model : Model();
}

arch::Device h200() {
  const auto devices = arch::load_devices(kRoot / "assets/devices.toml");
  EXPECT_TRUE(devices) << to_string(devices.errors());
  return *arch::find_device(*devices, "H200");
}

// --- The model. ---

// No latency, no launch: terms as they are.
Model plain_model() {
  Model model;
  model.device = "NVIDIA H200";
  model.fma = model.other = 1;
  model.sharpness = 1000;
  return model;
}

// 2 SMs at 1 kHz: a clock is a millisecond.
arch::Device small_device() {
  arch::Device device;
  device.name = "Small";
  device.sms = arch::Figure{2, "a test", ""};
  device.clock_hz = arch::Figure{1000, "a test", ""};
  return device;
}

Demand demand_of(uint64_t blocks) {
  Demand demand;
  demand.block.wavefronts = 100;
  demand.block.fmas = 80;
  demand.blocks = blocks;
  demand.warps = 4;
  demand.blocks_per_sm = 3;
  return demand;
}

double seconds(const Demand& demand) { return predict(plain_model(), small_device(), demand).value().seconds; }

TEST(Predict, AnSmTakesItsBlocksInRounds) {
  EXPECT_NEAR(seconds(demand_of(1)), 0.1, 1e-9);
  EXPECT_NEAR(seconds(demand_of(2)), 0.1, 1e-9) << "one on each SM";
  EXPECT_NEAR(seconds(demand_of(3)), 0.2, 1e-9);
  EXPECT_NEAR(seconds(demand_of(6)), 0.3, 1e-9) << "a full round";
  EXPECT_NEAR(seconds(demand_of(13)), 0.7, 1e-9);
}

TEST(Predict, TheLongestTermLimits) {
  Demand demand = demand_of(6);
  const auto by_path = predict(plain_model(), small_device(), demand);
  EXPECT_EQ(by_path->limiting, Term::Path);
  EXPECT_NEAR(by_path->terms[static_cast<size_t>(Term::Fma)], 0.06, 1e-9);
  demand.block.others = 400;
  const auto by_issue = predict(plain_model(), small_device(), demand);
  EXPECT_EQ(by_issue->limiting, Term::Issue);
  EXPECT_NEAR(by_issue->seconds, 0.36, 1e-9) << "480 instructions on 4 schedulers, 3 blocks";
  EXPECT_EQ(by_issue->device, "Small");
  EXPECT_EQ(by_issue->fitted_on, "NVIDIA H200");
}

TEST(Predict, LatencyIsWaitedForOnceARound) {
  Model model = plain_model();
  model.step = 1000;
  Demand demand = demand_of(2);
  demand.block.barriers = 8;  // Two for each warp.
  EXPECT_NEAR(predict(model, small_device(), demand)->seconds, 1, 1e-6);
  demand.blocks = 6;
  EXPECT_NEAR(predict(model, small_device(), demand)->seconds, 1, 1e-6) << "the others' latency is hidden";
}

TEST(Predict, FewerWarpsThanSchedulersLeaveSomeIdle) {
  Demand demand = demand_of(2);
  demand.block.wavefronts = 0;
  const double with_four = seconds(demand);
  demand.warps = 1;
  EXPECT_NEAR(seconds(demand), 4 * with_four, 1e-9);
}

TEST(Predict, WhatIsNotKnownIsNotPredicted) {
  Demand demand = demand_of(2);
  demand.blocks_per_sm = 0;
  EXPECT_FALSE(predict(plain_model(), small_device(), demand));
  arch::Device device = small_device();
  device.clock_hz.reset();
  EXPECT_FALSE(predict(plain_model(), device, demand_of(2)));
}

TEST(Predict, AConstantThatIsMissingIsNamed) {
  const std::filesystem::path file = testing::TempDir() + "/prediction.toml";
  std::ofstream(file) << "fma = 1.2\n";
  const Result<Model> model = load_model(file);
  ASSERT_FALSE(model);
  EXPECT_THAT(to_string(model.errors()), testing::HasSubstr("There is no number for \"other\"."));
}

// --- Against the recordings. ---

/// A recorded configuration at a size, with what it asks for; a row of data/h200_demands.csv.
struct Row {
  std::string kernel;
  int64_t size = 0;
  bool fitted = false;  ///< The constants were fitted with it.
  double recorded = 0, predicted = 0, low = 0, high = 0;
  double error() const { return predicted / recorded - 1; }
};

using Key = std::tuple<std::string, std::string, int64_t>;

std::map<Key, double> recorded_seconds() {
  std::map<Key, double> seconds;
  for (const store::Measurement& m : store::load_recordings(kRoot / "assets/recordings").measurements)
    seconds[{m.subject.kernel, store::params_text(m.subject.params), m.subject.m}] = m.seconds.median;
  return seconds;
}

std::vector<Row> read_rows() {
  const std::map<Key, double> seconds = recorded_seconds();
  const Model model = shipped_model();
  const arch::Device device = h200();
  std::ifstream file(kRoot / "tests/predict/data/h200_demands.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    Row row{cells.at(0), std::stoll(cells.at(2)), cells.at(3) == "1", 0, 0, 0, 0};
    Demand demand{{},
                  std::stoull(cells.at(4)),
                  static_cast<uint32_t>(std::stoul(cells.at(5))),
                  static_cast<uint32_t>(std::stoul(cells.at(6)))};
    for (size_t i = 0; i < kBlockDemands.size(); ++i) demand.block.*kBlockDemands[i] = std::stod(cells.at(7 + i));
    row.recorded = seconds.at({row.kernel, cells.at(1), row.size});
    const Predicted predicted = predict(model, device, demand).value();
    row.predicted = predicted.seconds, row.low = predicted.low, row.high = predicted.high;
    rows.push_back(std::move(row));
  }
  return rows;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> read = read_rows();
  return read;
}

template <typename Keep>
std::vector<double> errors_of(Keep keep) {
  std::vector<double> errors;
  for (const Row& row : rows())
    if (!row.fitted && keep(row)) errors.push_back(std::abs(row.error()));
  std::sort(errors.begin(), errors.end());
  return errors;
}

double median(const std::vector<double>& sorted) { return sorted.at(sorted.size() / 2); }

double within(const std::vector<double>& sorted, double most) {
  return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), most) - sorted.begin()) /
         static_cast<double>(sorted.size());
}

// What docs/time.md says. A better model lowers these; nothing may raise them.
TEST(Prediction, ErrsNoMoreThanItDid) {
  ASSERT_EQ(rows().size(), 1021U);
  const std::vector<double> all = errors_of([](const Row&) { return true; });
  EXPECT_LE(median(all), 0.042);
  EXPECT_GE(within(all, 0.1), 0.845);
  const std::map<int64_t, double> medians{{1024, 0.067}, {2048, 0.035}, {4096, 0.037}, {8192, 0.036}, {16384, 0.033}};
  for (const auto& [size, most] : medians)
    EXPECT_LE(median(errors_of([&](const Row& row) { return row.size == size; })), most) << size;
}

TEST(Prediction, ErrsNoMoreThanItDidForAnyKernel) {
  const std::map<std::string, double> means{{"01", 0.01}, {"02", 0.01}, {"03", 0.02},  {"04", 0.065},
                                            {"05", 0.03}, {"06", 0.07}, {"07", 0.165}, {"08", 0.01},
                                            {"09", 0.03}, {"10", 0.02}, {"11", 0.02}};
  for (const auto& [kernel, most] : means) {
    double sum = 0, count = 0;
    for (const Row& row : rows())
      if (!row.fitted && row.kernel.starts_with(kernel)) sum += row.error(), ++count;
    EXPECT_LE(std::abs(sum / count), most) << kernel;
  }
}

TEST(Prediction, EightOfTenRecordingsLieInItsRange) {
  double inside = 0, count = 0;
  for (const Row& row : rows())
    if (!row.fitted) inside += row.low <= row.recorded && row.recorded <= row.high, ++count;
  EXPECT_GE(inside / count, 0.75);
  EXPECT_LE(inside / count, 0.9);
}

}  // namespace
}  // namespace tilescope::predict
