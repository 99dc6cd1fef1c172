#include "predict/predict.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/bound.h"
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
  demand.block.fmas = demand.block.issue = demand.block.slots = 80;
  demand.blocks = blocks;
  demand.warps = 4;
  demand.blocks_per_sm = 3;
  return demand;
}

double seconds(const Demand& demand, const Model& model = plain_model()) {
  return predict(model, small_device(), demand).value().seconds;
}

TEST(Predict, AnSmTakesItsBlocksInRounds) {
  EXPECT_NEAR(seconds(demand_of(1)), 0.1, 1e-9);
  EXPECT_NEAR(seconds(demand_of(2)), 0.1, 1e-9) << "one on each SM";
  EXPECT_NEAR(seconds(demand_of(3)), 0.2, 1e-9);
  EXPECT_NEAR(seconds(demand_of(6)), 0.3, 1e-9) << "a full round";
  EXPECT_NEAR(seconds(demand_of(13)), 0.7, 1e-9);
}

TEST(Predict, AfterTwoRoundsSomeSmsGetMoreOfTheLast) {
  Model model = plain_model();
  model.late = 0.1;
  EXPECT_NEAR(seconds(demand_of(6 + 3), model), 0.5, 1e-9) << "two blocks on one of them";
  EXPECT_NEAR(seconds(demand_of(12 + 3), model), 0.8, 1e-9) << "1.5 blocks and 0.3 are two";
  EXPECT_NEAR(seconds(demand_of(12 + 4), model), 0.9, 1e-9) << "2 blocks and 0.3 are three";
  EXPECT_NEAR(seconds(demand_of(12), model), 0.6, 1e-9);
}

TEST(Predict, TheLongestTermLimits) {
  Demand demand = demand_of(6);
  const auto by_path = predict(plain_model(), small_device(), demand);
  EXPECT_EQ(by_path->limiting, Term::Path);
  EXPECT_NEAR(by_path->terms[static_cast<size_t>(Term::Fma)], 0.06, 1e-9);
  demand.block.issue = demand.block.slots = 480;
  const auto by_issue = predict(plain_model(), small_device(), demand);
  EXPECT_EQ(by_issue->limiting, Term::Issue);
  EXPECT_NEAR(by_issue->seconds, 0.36, 1e-9) << "480 clocks on 4 schedulers, 3 blocks";
  EXPECT_NEAR(by_issue->terms[static_cast<size_t>(Term::Fma)], 0.06, 1e-9) << "FMAs are a part of them";
  EXPECT_EQ(by_issue->device, "Small");
  EXPECT_EQ(by_issue->fitted_on, "NVIDIA H200");
}

TEST(Predict, WhatABlockWaitsIsNotQuiteCoveredByTheOthers) {
  Model model = plain_model();
  model.straggler = 0.5;
  Demand demand = demand_of(6);
  demand.block.issue = demand.block.slots = 480;
  EXPECT_NEAR(seconds(demand, model), 3 * 0.12, 1e-9) << "three warps of 120 clocks each, which never wait";
  demand.block.alone = 4 * 160;
  EXPECT_NEAR(seconds(demand, model), 3 * 0.12 + 0.5 * 0.04, 1e-9) << "a block by itself waits for 40 clocks";
  demand.block.alone = 4 * 300;
  EXPECT_NEAR(seconds(demand, model), 3 * 0.12 + 0.5 * 0.12, 1e-9) << "no more than a warp's issue";
  demand.blocks = 2;
  EXPECT_NEAR(seconds(demand, model), 0.3, 1e-9) << "a block alone on its SM";
}

TEST(Predict, ABlockAloneTakesItsLatency) {
  Model model = plain_model();
  model.sharpness = 2;
  Demand demand = demand_of(2);
  demand.block.alone = 4 * 150;
  EXPECT_NEAR(seconds(demand, model), 0.15, 1e-9) << "its 100 wavefronts are in it";
  demand.blocks = 4;
  EXPECT_NEAR(seconds(demand, model), std::sqrt(0.15 * 0.15 + 0.2 * 0.2 - 0.1 * 0.1 + 0.04 * 0.04 - 0.02 * 0.02), 1e-9)
      << "joined with what two move and issue, the first block's left out";
}

TEST(Predict, LatencyIsWaitedForOnceARound) {
  Model model = plain_model();
  model.global_load = 200;
  Demand demand = demand_of(2);
  demand.block.load_waits = 16;  // Four for each warp.
  demand.block.alone = 4 * 200;
  EXPECT_NEAR(seconds(demand, model), 1, 1e-6);
  demand.blocks = 6;
  EXPECT_NEAR(seconds(demand, model), 1, 1e-6) << "the others' latency is hidden";
}

TEST(Predict, WaitingForBanksCountsInPart) {
  Model model = plain_model();
  model.banks = 0.5;
  Demand demand = demand_of(6);
  demand.block.slots = 480, demand.block.issue = 640;
  EXPECT_NEAR(seconds(demand, model), 3 * 0.14, 1e-9);
}

TEST(Predict, ALoneWarpWaitsForTheInstructionsOfALargeLoop) {
  Model model = plain_model();
  model.fetch = 10;
  Demand demand = demand_of(2);
  demand.block.alone = 4 * 150;
  demand.block.fetches = 4 * 20;
  EXPECT_NEAR(seconds(demand, model), 0.15 + 0.2, 1e-9);
  demand.blocks = 4;
  EXPECT_NEAR(seconds(demand, model), 0.2, 1e-3) << "two blocks fetch for one another: a quarter";
}

TEST(Predict, AWarpAtABarrierTakesTimeOfTheDataPath) {
  Model model = plain_model();
  model.barrier_path = 2;
  Demand demand = demand_of(6);
  demand.block.barriers = 10;
  EXPECT_NEAR(seconds(demand, model), 0.3 + 3 * 10 * 2e-3, 1e-9) << "of each block of the round";
}

TEST(Predict, TheLastRoundCostsWhatItLeavesEmpty) {
  const auto last_round = [](uint64_t blocks) {
    return predict(plain_model(), small_device(), demand_of(blocks))->terms[static_cast<size_t>(Term::LastRound)];
  };
  EXPECT_NEAR(last_round(6), 0, 1e-9) << "all places are taken";
  EXPECT_NEAR(last_round(7), 0.4 - 0.3 * 7 / 6, 1e-9) << "one SM has a block more";
}

TEST(Predict, FewerWarpsThanSchedulersLeaveSomeIdle) {
  Demand demand = demand_of(2);
  demand.block.wavefronts = 0;
  const double with_four = seconds(demand);
  demand.warps = 1;
  EXPECT_NEAR(seconds(demand), 4 * with_four, 1e-9);
}

TEST(Predict, WhatNoFittedLaunchIsLikeIsDoubtful) {
  Model model = plain_model();
  EXPECT_EQ(predict(model, small_device(), demand_of(6))->doubt, Doubt::None);
  model.shortest = 0.4;
  EXPECT_EQ(predict(model, small_device(), demand_of(6))->doubt, Doubt::Short) << "0.3 s";
  EXPECT_EQ(predict(model, small_device(), demand_of(13))->doubt, Doubt::None) << "0.7 s";
  Demand with_atomics = demand_of(13);
  with_atomics.atomics = true;
  EXPECT_EQ(predict(model, small_device(), with_atomics)->doubt, Doubt::Atomics);
  model.fewest_fmas = 0.5;
  Demand demand = demand_of(13);
  EXPECT_EQ(predict(model, small_device(), demand)->doubt, Doubt::None);
  demand.block.fmas = 0.4 * demand.block.issue;
  EXPECT_EQ(predict(model, small_device(), demand)->doubt, Doubt::FewFmas);
}

TEST(Predict, DramTakesWhatMustCrossIt) {
  arch::Device device = small_device();
  device.dram_bytes_per_s = arch::Figure{1000, "a test", ""};
  Demand demand = demand_of(6);
  demand.dram_bytes = 2000;
  const auto predicted = predict(plain_model(), device, demand);
  EXPECT_NEAR(predicted->seconds, 2, 1e-9) << "0.3 s on the SMs";
  EXPECT_EQ(predicted->limiting, Term::Dram);
  EXPECT_EQ(predicted->doubt, Doubt::Memory);
  EXPECT_NEAR(predict(plain_model(), small_device(), demand)->seconds, 0.3, 1e-9) << "its bandwidth is not known";
}

TEST(Predict, WhatTheModelKnowsNothingOfHasNoTime) {
  Demand demand = demand_of(6);
  for (const Gap gap : {Gap::TensorCores, Gap::BulkCopies, Gap::UnlikeBlocks}) {
    demand.gap = gap;
    EXPECT_FALSE(predict(plain_model(), small_device(), demand));
    EXPECT_FALSE(to_string(gap).empty());
  }
}

TEST(Predict, HalfTheLanesAndHalfTheBanksTakeTwiceAsLong) {
  arch::Device device = small_device();
  device.fma_lanes_per_sm = arch::Figure{64, "a test", ""};
  device.shared_bytes_per_clock = arch::Figure{64, "a test", ""};
  Demand demand = demand_of(6);
  demand.block.shared_wavefronts = 40;
  EXPECT_NEAR(predict(plain_model(), device, demand)->seconds, 3 * 0.14, 1e-9);
  demand.block.wavefronts = demand.block.shared_wavefronts = 0;
  EXPECT_NEAR(predict(plain_model(), device, demand)->seconds, 3 * 2 * 0.02, 1e-9) << "80 FMAs on four schedulers";
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
  std::ofstream(file) << "global_load = 600\n";
  const Result<Model> model = load_model(file);
  ASSERT_FALSE(model);
  EXPECT_THAT(to_string(model.errors()), testing::HasSubstr("There is no number for \"barrier\"."));
}

// --- Against the recordings. ---

/// A recorded configuration at a size, with its demand; a row of data/h200_demands.csv.
struct Row {
  std::string kernel;
  int64_t size = 0;
  enum class Part { Fit, Judge, After } part = Part::Judge;  ///< After: recorded after the model was made.
  bool later = false;                                        ///< Of a kernel past 11: none of those was fitted.
  double recorded = 0, predicted = 0, low = 0, high = 0;
  Demand demand = {};
  double error() const { return predicted / recorded - 1; }
  /// Not a multiple of any tile: rows begin at different places in their lines.
  bool odd() const { return size % 2 != 0; }
  bool judged() const { return part == Part::Judge; }
  /// Judged apart.
  bool small() const { return size < 1024; }
};

Row::Part part_of(const std::string& word) {
  return word == "fit" ? Row::Part::Fit : word == "judge" ? Row::Part::Judge : Row::Part::After;
}

using Key = std::tuple<std::string, std::string, int64_t>;

std::map<Key, double> recorded_seconds() {
  std::map<Key, double> seconds;
  for (const store::Measurement& m : store::load_recordings(kRoot / "assets/recordings").measurements)
    seconds[{m.subject.kernel, store::params_text(m.subject.params), m.subject.m}] = m.seconds.median;
  return seconds;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

/// From that cell on: blocks, warps, blocks per SM, and the block's demand.
Demand demand_of_cells(const std::vector<std::string>& cells, size_t first) {
  Demand demand{{},
                std::stoull(cells.at(first)),
                static_cast<uint32_t>(std::stoul(cells.at(first + 1))),
                static_cast<uint32_t>(std::stoul(cells.at(first + 2)))};
  constexpr size_t kOnH200 = 9;  // The last does not matter there.
  for (size_t i = 0; i < kOnH200; ++i) demand.block.*kBlockDemands[i] = std::stod(cells.at(first + 3 + i));
  return demand;
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
    const std::vector<std::string> cells = cells_of(line);
    Row row{cells.at(0), std::stoll(cells.at(2)), part_of(cells.at(3)), cells.at(0) >= "12"};
    Demand demand = demand_of_cells(cells, 4);
    demand.l2_bytes = demand.dram_bytes = 12 * std::pow(static_cast<double>(row.size), 2);
    row.demand = demand;
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
    if (row.judged() && !row.small() && !row.later && keep(row)) errors.push_back(std::abs(row.error()));
  std::sort(errors.begin(), errors.end());
  return errors;
}

double median(const std::vector<double>& sorted) { return sorted.at(sorted.size() / 2); }

double within(const std::vector<double>& sorted, double most) {
  return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), most) - sorted.begin()) /
         static_cast<double>(sorted.size());
}

// The figures of docs/time.md. A better model lowers these; nothing may raise them.
TEST(Prediction, ErrsNoMoreThanItDid) {
  ASSERT_EQ(rows().size(), 3664U);
  const std::vector<double> all = errors_of([](const Row&) { return true; });
  EXPECT_LE(median(all), 0.0295);
  EXPECT_GE(within(all, 0.1), 0.949);
  const std::map<int64_t, double> medians{
      {1024, 0.0333}, {2048, 0.0316}, {4096, 0.03}, {8192, 0.0251}, {16384, 0.0226}};
  for (const auto& [size, most] : medians)
    EXPECT_LE(median(errors_of([&](const Row& row) { return row.size == size; })), most) << size;
}

double mean_error(const std::function<bool(const Row&)>& keep) {
  double sum = 0, count = 0;
  for (const Row& row : rows())
    if (row.judged() && !row.odd() && !row.small() && keep(row)) sum += row.error(), ++count;
  return sum / count;
}

TEST(Prediction, ErrsNoMoreThanItDidForAnyKernel) {
  const std::map<std::string, double> means{{"01", 0.0074}, {"02", 0.0234}, {"03", 0.03},   {"04", 0.0128},
                                            {"05", 0.0072}, {"06", 0.0031}, {"07", 0.0412}, {"08", 0.0047},
                                            {"09", 0.0073}, {"10", 0.0027}, {"11", 0.0052}};
  for (const auto& [kernel, most] : means)
    EXPECT_LE(std::abs(mean_error([&](const Row& row) { return row.kernel.starts_with(kernel); })), most) << kernel;
}

TEST(Prediction, ErrsNoMoreThanItDidForKernelsThatItWasNotFittedTo) {
  const std::map<std::string, double> means{
      {"12", 0.0018}, {"13", 0.0531}, {"14", 0.0084}, {"15", 0.0086}, {"16", 0.104}};
  for (const auto& [kernel, most] : means)
    EXPECT_LE(std::abs(mean_error([&](const Row& row) { return row.kernel.starts_with(kernel) && row.size > 1025; })),
              most)
        << kernel;
}

/// Median of the sizes of the errors, and the share within 10 %.
struct Errors {
  double median, within_ten_percent;
};

Errors errors_after_the_model(const std::function<bool(const Row&)>& keep) {
  std::vector<double> errors;
  for (const Row& row : rows())
    if (row.part == Row::Part::After && !row.small() && keep(row)) errors.push_back(std::abs(row.error()));
  std::sort(errors.begin(), errors.end());
  return {median(errors), within(errors, 0.1)};
}

// 1,230 recordings that had no part in the choice of the model.
TEST(Prediction, ErrsNoMoreThanItDidForWhatWasRecordedAfterIt) {
  const Errors all = errors_after_the_model([](const Row&) { return true; });
  EXPECT_LE(all.median, 0.0411);
  EXPECT_GE(all.within_ten_percent, 0.841);
  const std::map<std::string, Errors> limits{{"08", {0.0156, 1}},      {"09", {0.0259, 0.859}}, {"10", {0.0309, 0.926}},
                                             {"11", {0.0257, 0.947}},  {"12", {0.0426, 0.88}},  {"13", {0.0592, 0.812}},
                                             {"14", {0.036, 0.906}},   {"15", {0.0285, 0.945}}, {"16", {0.0907, 0.552}},
                                             {"bank", {0.0206, 0.98}}, {"coop", {0.0256, 1}}};
  for (const auto& [kernel, limit] : limits) {
    const Errors errors = errors_after_the_model(
        [&](const Row& row) { return row.kernel.starts_with(kernel) && row.size > 1025 && !row.odd(); });
    EXPECT_LE(errors.median, limit.median) << kernel;
    EXPECT_GE(errors.within_ten_percent, limit.within_ten_percent) << kernel;
  }
  EXPECT_LE(errors_after_the_model([](const Row& row) { return row.size == 1024; }).median, 0.0454);
}

TEST(Prediction, ErrsNoMoreThanItDidForSmallMatrices) {
  std::vector<double> errors;
  for (const Row& row : rows())
    if (row.small() && row.part != Row::Part::Fit) errors.push_back(std::abs(row.error()));
  ASSERT_EQ(errors.size(), 879U);
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(median(errors), 0.0524);
  EXPECT_GE(within(errors, 0.1), 0.751);
}

/// Kernels of other authors, none of which was fitted: rows of data/h200_foreign.csv.
std::vector<double> errors_of_foreign_kernels() {
  const Model model = shipped_model();
  const arch::Device device = h200();
  std::ifstream file(kRoot / "tests/predict/data/h200_foreign.csv");
  std::vector<double> errors;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Demand demand = demand_of_cells(cells, 5);
    demand.l2_bytes = demand.dram_bytes = 12 * std::pow(std::stod(cells.at(3)), 2);
    errors.push_back(predict(model, device, demand).value().seconds / std::stod(cells.at(4)) - 1);
  }
  return errors;
}

TEST(Prediction, ErrsNoMoreThanItDidForKernelsOfOtherAuthors) {
  std::vector<double> errors = errors_of_foreign_kernels();
  ASSERT_EQ(errors.size(), 174U);
  EXPECT_LE(std::abs(std::accumulate(errors.begin(), errors.end(), 0.0) / 174), 0.0131);
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(median(errors), 0.0327);
  EXPECT_GE(within(errors, 0.1), 0.908);
}

TEST(Prediction, ErrsNoMoreThanItDidWhereRowsBeginAnywhere) {
  double worst = 0;
  std::vector<double> errors;
  for (const Row& row : rows())
    if (row.odd()) errors.push_back(std::abs(row.error())), worst = std::max(worst, errors.back());
  ASSERT_EQ(errors.size(), 55U);
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(median(errors), 0.0682);
  EXPECT_LE(worst, 0.574);
}

std::vector<size_t> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size()), places(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  for (size_t rank = 0; rank < order.size(); ++rank) places[order[rank]] = rank;
  return places;
}

/// Spearman's.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<size_t> first = ranks(a), second = ranks(b);
  double distance = 0;
  for (size_t i = 0; i < first.size(); ++i)
    distance += std::pow(static_cast<double>(first[i]) - static_cast<double>(second[i]), 2);
  const auto n = static_cast<double>(first.size());
  return 1 - 6 * distance / (n * (n * n - 1));
}

TEST(Prediction, OrdersTheSettingsOfAKernelAt4096NoWorseThanItDid) {
  struct Limit {
    double least_correlation, most_lost;  ///< The loss from taking the predicted best for the best.
  };
  const auto check = [](const std::map<std::string, Limit>& limits, bool with_later_ones) {
    for (const auto& [kernel, limit] : limits) {
      std::vector<double> predicted, recorded;
      for (const Row& row : rows())
        if (row.size == 4096 && row.kernel.starts_with(kernel) && (with_later_ones || row.part != Row::Part::After))
          predicted.push_back(row.predicted), recorded.push_back(row.recorded);
      EXPECT_GE(rank_correlation(predicted, recorded), limit.least_correlation - 1e-9) << kernel;
      const auto called = std::min_element(predicted.begin(), predicted.end()) - predicted.begin();
      const double best = *std::min_element(recorded.begin(), recorded.end());
      EXPECT_LE(recorded[static_cast<size_t>(called)] / best - 1, limit.most_lost + 1e-9) << kernel;
    }
  };
  check({{"01", {1, 0}},
         {"02", {1, 0}},
         {"03", {1, 0}},
         {"04", {0.885, 0.021}},
         {"05", {1, 0}},
         {"06", {1, 0}},
         {"07", {0.936, 0}},
         {"08", {0.955, 0}},
         {"09", {0.96, 0}},
         {"10", {0.938, 0.014}},
         {"11", {0.929, 0}}},
        false);
  check({{"08", {0.975, 0}},
         {"09", {0.982, 0}},
         {"10", {0.969, 0.014}},
         {"11", {0.921, 0.002}},
         {"12", {0.802, 0.027}},
         {"13", {0.835, 0.105}},
         {"14", {0.896, 0.033}},
         {"15", {0.842, 0.032}},
         {"16", {0.664, 0.065}},
         {"bank", {0.882, 0}},
         {"coop", {1, 0}}},
        true);
}

analysis::Bound bound_of(const arch::Device& device, const Demand& demand) {
  const auto of_all = [&](double of_block) {
    return static_cast<uint64_t>(of_block * static_cast<double>(demand.blocks));
  };
  const BlockDemand& block = demand.block;
  analysis::Work work;
  work.fmas = of_all(block.fmas * arch::kWarpSize);
  work.shared_wavefronts = of_all(block.shared_wavefronts);
  work.l1_wavefronts = of_all(block.wavefronts - block.shared_wavefronts);
  work.dram_bytes = static_cast<uint64_t>(demand.dram_bytes);
  work.l2_sectors = work.dram_bytes / arch::kSectorBytes;
  return analysis::bound(device, work);
}

TEST(Prediction, IsNeverBelowTheBoundOnAnyDevice) {
  const auto devices = arch::load_devices(kRoot / "assets/devices.toml");
  ASSERT_TRUE(devices) << to_string(devices.errors());
  const Model model = shipped_model();
  for (const arch::Device& device : *devices)
    for (const Row& row : rows()) {
      const auto predicted = predict(model, device, row.demand);
      ASSERT_TRUE(predicted);
      ASSERT_GE(predicted->seconds, bound_of(device, row.demand).seconds) << device.name << row.kernel << row.size;
    }
}

// In their precision every product takes M * N * K FMAs.
TEST(Recordings, NoneIsFasterThanTheBoundOfItsArithmetic) {
  const arch::Device device = h200();
  size_t judged = 0, with_tensor_cores = 0;
  for (const store::Measurement& m : store::load_recordings(kRoot / "assets/recordings").measurements) {
    if (!m.is_product()) continue;
    analysis::Work work;
    const auto all =
        static_cast<uint64_t>(m.subject.m) * static_cast<uint64_t>(m.subject.n) * static_cast<uint64_t>(m.subject.k);
    const bool tf32 = m.subject.math == "tf32", fp32 = m.subject.math == "fp32";
    (fp32 ? work.fmas : work.tensor_fmas[static_cast<size_t>(tf32 ? arch::TensorType::Tf32 : arch::TensorType::F16)]) =
        all;
    const double least = analysis::bound(device, work).seconds;
    EXPECT_LT(least, m.seconds.median) << m.subject.kernel << m.subject.m;
    if (m.reference) {
      EXPECT_LT(least, m.reference->seconds.median) << "cuBLAS at " << m.subject.m;
    }
    ++judged, with_tensor_cores += fp32 ? 0 : 1;
  }
  EXPECT_GE(judged, 3000U);
  EXPECT_GE(with_tensor_cores, 50U);
}

TEST(Prediction, EightOfTenRecordingsLieInItsRange) {
  double inside = 0, count = 0;
  for (const Row& row : rows())
    if (row.judged() && !row.small() && !row.later)
      inside += row.low <= row.recorded && row.recorded <= row.high, ++count;
  EXPECT_GE(inside / count, 0.75);
  EXPECT_LE(inside / count, 0.9);
}

}  // namespace
}  // namespace tilescope::predict
