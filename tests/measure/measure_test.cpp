#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "measure/client.h"
#include "measure/launch_request.h"
#include "measure/stand_in_compiler.h"
#include "prebuilt_only.h"
#include "run/prepare.h"
#include "wait_until.h"

namespace tilescope::measure {
namespace {
namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

kernel::Kernel stage(const char* number) {
  return *kernel::find_kernel(kernel::load_catalogue(fs::path(TILESCOPE_SOURCE_DIR) / "kernels"), number);
}

const kernel::Kernel& stage_two() {
  static const kernel::Kernel kernel = stage("02");
  return kernel;
}

Job job(int64_t m = 64) { return {stage_two(), {}, {m, 64, 64}, {}, false}; }

size_t open_descriptors() {
  return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

class MeasureTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)compiler().compile({.source = stage_two().source});  // So that the compiler's own process is there.
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~MeasureTest() override { fs::remove_all(folder_); }

  Settings settings(const std::string& mode) const {
    Settings result;
    result.command = {TILESCOPE_BINARY_DIR "/tests/fake_agent", mode, (folder_ / "answers").string()};
    result.start_limit = milliseconds(5000);
    result.silence_limit = milliseconds(100);
    result.first_pause = milliseconds(1);
    result.longest_pause = milliseconds(4);
    result.log_file = folder_ / "log";
    return result;
  }

  std::vector<int64_t> answers() const {
    std::ifstream stream(folder_ / "answers");
    return {std::istream_iterator<int64_t>(stream), {}};
  }

  std::string problem(const std::string& mode) const {
    Measurer measurer(settings(mode), compiler());
    const Result<store::Measurement> result = measurer.measure(job());
    return result ? "" : result.errors()[0].message.text();
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("measure-{}", ::getpid());
};

TEST_F(MeasureTest, AReplyBecomesAMeasurement) {
  Measurer measurer(settings("good"), compiler());
  const Result<store::Measurement> result = measurer.measure(job(100));
  ASSERT_TRUE(result) << to_string(result.errors());
  EXPECT_EQ(result->subject.device, "Fake GPU");
  EXPECT_EQ(result->subject.kernel, "02_naive_swapped");
  EXPECT_EQ(result->subject.m, 100);
  EXPECT_EQ(result->driver, "1.2.3");
  EXPECT_DOUBLE_EQ(result->seconds.median, 100e-6);
  EXPECT_NEAR(result->gflops, 2.0 * 100 * 64 * 64 / 100e-6 * 1e-9, 1e-9);
  EXPECT_EQ(result->percent_of_cublas(), 50);
  EXPECT_EQ(result->clock_mhz, 1980);
  EXPECT_EQ(result->samples, 12U);
  EXPECT_EQ(result->dropped, 1U);
  EXPECT_EQ(result->date.size(), 20U);
}

TEST_F(MeasureTest, WhatALoginShellPrintsIsSkipped) { EXPECT_EQ(problem("noisy"), ""); }
TEST_F(MeasureTest, RepliesToOtherRequestsArePassedOver) {
  Measurer measurer(settings("stale"), compiler());
  for (const int64_t m : {64, 65, 66})
    EXPECT_EQ(measurer.measure(job(m))->seconds.median, 1e-6 * static_cast<double>(m));
}

TEST_F(MeasureTest, EachWayToFailIsSaid) {
  const std::string given_up = "The agent crashed 3 times on this request; giving up. The agent";
  EXPECT_EQ(problem("always-die"), given_up + " ended with exit status 7.");
  EXPECT_EQ(problem("always-crash"), given_up + " was ended by signal 6 (Aborted).");
  EXPECT_EQ(problem("always-hang"), given_up + " fell silent.");
  EXPECT_EQ(problem("always-garbage"), given_up + " printed something between its messages.");
  EXPECT_EQ(problem("always-half"), given_up + " fell silent.");
  EXPECT_EQ(problem("always-half-and-die"), given_up + " ended with exit status 0.");
  EXPECT_EQ(problem("always-giant"), given_up + " printed something between its messages.");
  EXPECT_EQ(problem("always-announce"), given_up + " announced a message of 99999999999 bytes.");
  EXPECT_EQ(problem("always-no-json"), given_up + "'s reply is not valid JSON-RPC.");
  EXPECT_EQ(problem("always-wrong-types"), "reference in the reply is not a string.");
  EXPECT_EQ(problem("wrong"), "The kernel's C is wrong.");
  EXPECT_EQ(problem("fault"),
            "The kernel faulted on the GPU. The emulator runs the same launch and names the line: "
            "see the window's findings, or tilescope check.");
  EXPECT_EQ(problem("no-gpu"), "No NVIDIA driver: install one.");
  EXPECT_EQ(problem("old"),
            "The agent speaks version 99 of the protocol and this Tilescope version 3. Use a "
            "tilescope-agent of the same version.");
  EXPECT_EQ(problem("dies-at-start"),
            "The agent ended with exit status 255. It said: ssh: connect to host gpu: refused");
  EXPECT_EQ(problem("throttled"),
            "All 13 samples were throttled: the GPU ran below 75 % of its clock. Let it cool down, "
            "or lower --throttle-threshold.");
  EXPECT_THAT(problem("too-fast"), HasSubstr("is faster than Fake GPU can be"));
}

TEST_F(MeasureTest, AProgramThatIsNotThereIsNamed) {
  Settings none = settings("good");
  none.command = {"no-such-agent"};
  Measurer measurer(none, compiler());
  EXPECT_THAT(measurer.connect().errors()[0].message.text(), HasSubstr("The agent was not found. It said: "));
}

TEST_F(MeasureTest, ASilentProgramIsGivenUpInTime) {
  Settings silent = settings("silent");
  silent.start_limit = milliseconds(100);
  Measurer measurer(silent, compiler());
  EXPECT_EQ(measurer.connect().errors()[0].message.text(), "The agent did not answer in time.");
}

TEST_F(MeasureTest, AnAgentThatDiedIsReplacedAndAskedAgain) {
  Measurer measurer(settings("die-once"), compiler());
  EXPECT_TRUE(measurer.measure(job()));
  EXPECT_EQ(answers(), std::vector<int64_t>{64});
}

TEST_F(MeasureTest, AHeartbeatKeepsALongRequestAlive) {
  Measurer measurer(settings("slow"), compiler());
  uint32_t most = 0;
  const auto progress = [&](const Progress& p) { most = std::max(most, p.samples); };
  EXPECT_TRUE(measurer.measure(job(), nullptr, progress)) << "300 ms, with a silence limit of 100";
  EXPECT_GT(most, 10U);
}

TEST_F(MeasureTest, ACancelEndsWhatDoesNotListen) {
  Measurer measurer(settings("beating"), compiler());
  std::atomic<bool> cancel = false;
  std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(100));
    cancel = true;
  });
  const auto start = steady_clock::now();
  const Result<store::Measurement> result = measurer.measure(job(), &cancel);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.errors()[0].message.text(), "Cancelled.");
  EXPECT_LT(steady_clock::now() - start, milliseconds(2500));
}

TEST_F(MeasureTest, TheStoreAnswersWhatWasMeasuredBefore) {
  Measurer measurer(settings("good"), compiler());
  Result<store::Opened> opened = store::open_store(folder_ / "measurements.db");
  ASSERT_TRUE(opened);
  EXPECT_FALSE(measure_once(measurer, &opened->store, job())->from_store);
  EXPECT_TRUE(measure_once(measurer, &opened->store, job())->from_store);
  Job again = job();
  again.again = true;
  EXPECT_FALSE(measure_once(measurer, &opened->store, again)->from_store);
  EXPECT_EQ(answers().size(), 2U);
}

/// Calls the client's functions and keeps the longest time that one of them took.
class Watched {
 public:
  explicit Watched(Client& client) : client_(client) {}
  template <class Call>
  auto operator()(Call call) {
    const auto start = steady_clock::now();
    auto result = call(client_);
    longest_ = std::max(longest_, steady_clock::now() - start);
    return result;
  }
  steady_clock::duration longest() const { return longest_; }

 private:
  Client& client_;
  steady_clock::duration longest_{};
};

std::map<uint64_t, Outcome> collect(Watched& watched, size_t count) {
  std::map<uint64_t, Outcome> all;
  const auto limit = steady_clock::now() + std::chrono::seconds(60);
  while (all.size() < count && steady_clock::now() < limit) {
    for (Outcome& outcome : watched([](Client& client) { return client.poll(); })) {
      const uint64_t id = outcome.id;
      EXPECT_TRUE(all.emplace(id, std::move(outcome)).second) << id << " came twice";
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  return all;
}

// Two calls in three meet a fault, of ten kinds in turn: 200 of them.
TEST_F(MeasureTest, TwoHundredFaultsLoseAndDoubleNothing) {
  const size_t descriptors = open_descriptors();
  constexpr size_t kJobs = 100;
  {
    Client client(settings("chaos"), compiler(), folder_ / "measurements.db");
    Watched watched(client);
    for (size_t i = 0; i < kJobs; ++i) watched([&](Client& c) { return c.submit(job(64 + static_cast<int64_t>(i))); });
    const std::map<uint64_t, Outcome> outcomes = collect(watched, kJobs);
    ASSERT_EQ(outcomes.size(), kJobs);
    for (const auto& [id, outcome] : outcomes) {
      const double m = static_cast<double>(63 + id);
      if (outcome.result)
        EXPECT_DOUBLE_EQ(outcome.result->seconds.median, 1e-6 * m);
      else
        EXPECT_THAT(outcome.result.errors()[0].message.text(), HasSubstr("giving up"));
    }
    EXPECT_LT(watched.longest(), milliseconds(100));
  }
  std::vector<int64_t> measured = answers();
  std::sort(measured.begin(), measured.end());
  EXPECT_EQ(std::adjacent_find(measured.begin(), measured.end()), measured.end()) << "measured twice";
  EXPECT_GE(measured.size(), 90U);
  EXPECT_EQ(open_descriptors(), descriptors);
}

TEST_F(MeasureTest, WhatIsAlwaysDisturbedIsGivenUpAsNoisyAndNotKept) {
  Measurer measurer(settings("good"), compiler());
  Result<store::Opened> opened = store::open_store(folder_ / "store.db");
  ASSERT_TRUE(opened);
  const auto always = [](const store::Measurement&) { return true; };
  const Result<Measured> spoilt = measure_once(measurer, &opened->store, job(), nullptr, {}, always);
  ASSERT_TRUE(spoilt) << to_string(spoilt.errors());
  EXPECT_TRUE(spoilt->measurement.is_noisy);
  EXPECT_EQ(answers(), std::vector<int64_t>(5, 64));
  const Result<Measured> undisturbed = measure_once(measurer, &opened->store, job());
  ASSERT_TRUE(undisturbed);
  EXPECT_FALSE(undisturbed->from_store);
  EXPECT_FALSE(undisturbed->measurement.is_noisy);
}

TEST_F(MeasureTest, UrgentRequestsComeFirstAndCancelledOnesComeBack) {
  Client client(settings("slow"), compiler(), {});
  Watched watched(client);
  const uint64_t first = client.submit(job(64)), second = client.submit(job(65)), third = client.submit(job(66));
  ASSERT_TRUE(wait_until([&] { return client.state().running == first; }));
  const uint64_t urgent = client.submit(job(67), true);
  client.cancel(second);
  const std::map<uint64_t, Outcome> outcomes = collect(watched, 4);
  EXPECT_TRUE(outcomes.at(second).cancelled);
  for (const uint64_t id : {first, third, urgent}) EXPECT_TRUE(outcomes.at(id).result) << id;
  EXPECT_EQ(answers(), (std::vector<int64_t>{64, 67, 66}));
}

TEST_F(MeasureTest, SamplesThatFramesFellIntoAreTakenAnew) {
  Client client(settings("slow"), compiler(), {});
  Watched watched(client);
  const uint64_t disturbed = client.submit(job(64));
  ASSERT_TRUE(wait_until([&] { return client.state().phase == "sampling"; }));
  for (int i = 0; i < 2; ++i) client.note_frame();
  const uint64_t once = client.submit(job(65));
  const std::map<uint64_t, Outcome> outcomes = collect(watched, 2);
  EXPECT_TRUE(outcomes.at(disturbed).result);
  EXPECT_TRUE(outcomes.at(once).result);
  EXPECT_EQ(answers(), (std::vector<int64_t>{64, 64, 65})) << "two frames among 12 samples";
}

TEST_F(MeasureTest, AFrameAmongManySamplesDisturbsNothing) {
  Client client(settings("slow"), compiler(), {});
  Watched watched(client);
  client.submit(job(64));
  ASSERT_TRUE(wait_until([&] { return client.state().phase == "sampling"; }));
  client.note_frame();
  collect(watched, 1);
  EXPECT_EQ(answers(), std::vector<int64_t>{64});
}

TEST_F(MeasureTest, TheClientSaysWhyNothingCanBeMeasured) {
  Client client(settings("no-gpu"), compiler(), {});
  ASSERT_TRUE(wait_until([&] { return client.state().agent != State::Agent::Starting; }));
  EXPECT_EQ(client.state().agent, State::Agent::Missing);
  EXPECT_EQ(client.state().sentence.text(), "No NVIDIA driver: install one.");
}

TEST_F(MeasureTest, AClientThatGoesTakesItsAgentWithIt) {
  {
    Client client(settings("beating"), compiler(), {});
    client.submit(job());
    ASSERT_TRUE(wait_until([&] { return client.state().phase == "sampling"; }));
  }
  int status = 0;
  pid_t left;
  while ((left = ::waitpid(-1, &status, WNOHANG)) > 0) ADD_FAILURE() << "a zombie, " << left;
}

/// A stage of the catalogue as it ships.
Result<run::PreparedPointer> prepared(const char* number, const kernel::Settings& settings = {}) {
  static compile::Compiler shipped(prebuilt_only());
  run::Request request;
  request.kernel = stage(number);
  request.settings = settings;
  request.size = {256, 512, 128};
  return run::prepare(request, shipped);
}

/// The agent's request for it, with bytes for the machine code, which does not ship.
protocol::MeasureRequest request_for(const char* number, const kernel::Settings& settings = {}) {
  const Result<run::PreparedPointer> ready = prepared(number, settings);
  EXPECT_TRUE(ready) << to_string(ready.errors());
  run::Build build = *(*ready)->build;
  build.compiled.cubin = {1};
  run::Prepared with_code = **ready;
  with_code.build = std::make_shared<const run::Build>(std::move(build));
  return *launch_request(with_code, 0, {});
}

TEST(LaunchRequest, SaysWhichTensorMapsTheAgentMakes) {
  const protocol::MeasureRequest request = request_for("17");
  ASSERT_TRUE(request.arguments[0].tensor);
  const TensorMap& map = *request.arguments[0].tensor;
  EXPECT_EQ(request.arrays[static_cast<size_t>(request.arguments[0].array)].name, "B");
  EXPECT_EQ(map.dimensions, 2);
  EXPECT_EQ(map.extent, (TensorMap::Extents{512, 128, 1, 1, 1}));
  EXPECT_EQ(map.stride, (TensorMap::Extents{4, 2048, 0, 0, 0}));
  EXPECT_EQ(map.box, (TensorMap::Extents{256, 16, 1, 1, 1}));
  EXPECT_EQ(request.dynamic_shared_bytes, 4u * 4 * 16 * (64 + 4 + 256));
  EXPECT_FALSE(request.arguments[1].tensor);
  EXPECT_EQ(request.precision, Precision::Fp32);
  EXPECT_FALSE(request.cooperative);
}

TEST(LaunchRequest, SaysPrecisionCooperationAndWhatArraysStartAt) {
  const protocol::MeasureRequest tf32 = request_for("24"), bf16 = request_for("23"), stream_k = request_for("20");
  EXPECT_EQ(tf32.precision, Precision::Tf32);
  EXPECT_TRUE(tf32.arguments[0].tensor->rounds_to_tf32);
  EXPECT_EQ(tf32.arguments[0].tensor->swizzle, Swizzle::Span128);
  EXPECT_EQ(bf16.precision, Precision::Bf16);
  EXPECT_EQ(bf16.arrays[0].element, Element::BF16);
  EXPECT_TRUE(stream_k.cooperative);
  EXPECT_EQ(stream_k.grid.x, 32u) << "no more blocks than steps";
  const auto ready = std::find_if(stream_k.arrays.begin(), stream_k.arrays.end(),
                                  [](const protocol::ArrayArgument& array) { return array.name == "ready"; });
  ASSERT_NE(ready, stream_k.arrays.end());
  EXPECT_EQ(ready->initial, 0);
}

TEST_F(MeasureTest, AStageThatTheGpuHasNoInstructionsForIsRefused) {
  Measurer measurer(settings("ampere"), compiler());
  const Result<store::Measurement> result = measurer.measure({stage("17"), {}, {256, 256, 64}, {}, false});
  ASSERT_FALSE(result);
  EXPECT_EQ(
      result.errors()[0].message.text(),
      "The kernel needs sm_90a: its instructions are those of compute capability 9.0 alone, and sm_80 lacks some of "
      "them.");
}

TEST_F(MeasureTest, WhatTheAgentCannotMakeATensorMapForIsSaid) {
  EXPECT_EQ(
      problem("no-tensor-maps"),
      "The NVIDIA driver is too old for tensor maps: it has no cuTensorMapEncodeTiled, which came with CUDA 12.0. "
      "Install a newer one.");
}

TEST(Roofline, IsTheLargerOfArithmeticAndColdReads) {
  const protocol::DeviceFacts h200{"NVIDIA H200", "", 90, 132, 1.98e9, 4.8e12, 0, 0};
  EXPECT_NEAR(roofline_seconds(h200, {4096, 4096, 4096}, Precision::Fp32, false, 0),
              4096.0 * 4096 * 4096 / (132 * 128 * 1.98e9), 1e-9);
  EXPECT_NEAR(roofline_seconds(h200, {1, 4096, 4096}, Precision::Fp32, false, 0), 4.0 * (4096 + 4096.0 * 4096) / 4.8e12,
              1e-9);
  EXPECT_LT(roofline_seconds(h200, {1, 4096, 4096}, Precision::Fp32, true, 0), 1e-6);
  EXPECT_LT(roofline_seconds(h200, {4096, 4096, 4096}, Precision::Fp32, false, 2.2e9),
            roofline_seconds(h200, {4096, 4096, 4096}, Precision::Fp32, false, 0));
  for (const auto& [precision, fmas] : {std::pair(Precision::Bf16, 2048.0), std::pair(Precision::Tf32, 1024.0)})
    EXPECT_NEAR(roofline_seconds(h200, {4096, 4096, 4096}, precision, false, 0),
                4096.0 * 4096 * 4096 / (132 * fmas * 1.98e9), 1e-9);
}

}  // namespace
}  // namespace tilescope::measure
