#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "measure/launch_request.h"
#include "measure/measurement_service.h"
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

Job job(int64_t m = 64) { return {run::Request{stage_two(), {}, {m, 64, 64}}}; }

size_t open_descriptors() {
  return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

class MeasureTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)runs().compiler().compile({.source = stage_two().source});  // So that the compiler's own process is there.
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
    Measurer measurer(settings(mode), runs());
    const Result<Measured> result = measurer.measure(job());
    return result ? "" : result.errors()[0].message.text();
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("measure-{}", ::getpid());
};

TEST_F(MeasureTest, AReplyBecomesAMeasurement) {
  Measurer measurer(settings("good"), runs());
  const Result<Measured> measured = measurer.measure(job(100));
  ASSERT_TRUE(measured) << to_string(measured.errors());
  const store::Measurement* result = &measured->measurement;
  EXPECT_EQ(result->subject.device, "Fake GPU");
  EXPECT_EQ(result->subject.kernel, "02_naive_swapped");
  EXPECT_EQ(result->subject.m, 100);
  EXPECT_EQ(result->driver, "1.2.3");
  EXPECT_DOUBLE_EQ(result->seconds.median, 100e-6);
  EXPECT_NEAR(result->gflops, 2.0 * 100 * 64 * 64 / 100e-6 * 1e-9, 1e-9);
  EXPECT_EQ(result->percent_of_reference(), 50);
  EXPECT_EQ(result->clock_mhz, 1980);
  EXPECT_EQ(result->samples, 12U);
  EXPECT_EQ(result->dropped, 1U);
  EXPECT_EQ(result->date.size(), 20U);
}

TEST_F(MeasureTest, WhatALoginShellPrintsIsSkipped) { EXPECT_EQ(problem("noisy"), ""); }
TEST_F(MeasureTest, RepliesToOtherRequestsArePassedOver) {
  Measurer measurer(settings("stale"), runs());
  for (const int64_t m : {64, 65, 66})
    EXPECT_EQ(measurer.measure(job(m))->measurement.seconds.median, 1e-6 * static_cast<double>(m));
}

TEST_F(MeasureTest, WithoutNvrtcWhatShipsIsMeasuredAndFoundAgain) {
  run::RunCache shipped(prebuilt_compiler());
  Measurer measurer(settings("good"), shipped, folder_ / "store.db");
  const Result<Measured> first = measurer.measure(job());
  ASSERT_TRUE(first) << to_string(first.errors());
  EXPECT_EQ(first->measurement.subject.toolkit, "13.0");
  const Result<Measured> again = measurer.measure(job());
  ASSERT_TRUE(again) << to_string(again.errors());
  EXPECT_TRUE(again->from_store);
}

TEST_F(MeasureTest, EachWayToFailIsSaid) {
  const std::string given_up = "The agent crashed 3 times on this request; giving up. The agent";
  EXPECT_EQ(problem("always-die"), given_up + " ended with exit status 7.");
  EXPECT_EQ(problem("always-crash"), given_up + " was ended by signal 6 (Aborted).");
  EXPECT_EQ(problem("always-hang"), given_up + " stopped answering.");
  EXPECT_EQ(problem("always-garbage"), given_up + " printed something between its messages.");
  EXPECT_EQ(problem("always-half"), given_up + " stopped answering.");
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
  EXPECT_EQ(
      problem("old"),
      fmt::format("The agent speaks version 99 of the protocol and this Tilescope version {}. Use a tilescope-agent "
                  "of the same version.",
                  protocol::kVersion));
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
  Measurer measurer(none, runs());
  EXPECT_THAT(measurer.connect().errors()[0].message.text(), HasSubstr("The agent was not found. It said: "));
}

TEST_F(MeasureTest, ASilentProgramIsGivenUpInTime) {
  Settings silent = settings("silent");
  silent.start_limit = milliseconds(100);
  Measurer measurer(silent, runs());
  EXPECT_EQ(measurer.connect().errors()[0].message.text(), "The agent did not answer in time.");
}

TEST_F(MeasureTest, AnAgentThatDiedIsReplacedAndAskedAgain) {
  Measurer measurer(settings("die-once"), runs());
  EXPECT_TRUE(measurer.measure(job()));
  EXPECT_EQ(answers(), std::vector<int64_t>{64});
}

TEST_F(MeasureTest, AHeartbeatKeepsALongRequestAlive) {
  Measurer measurer(settings("slow"), runs());
  uint32_t most = 0;
  const auto progress = [&](const Progress& p) { most = std::max(most, p.samples); };
  EXPECT_TRUE(measurer.measure(job(), {.progress = progress})) << "300 ms, with a silence limit of 100";
  EXPECT_GT(most, 10U);
}

TEST_F(MeasureTest, ACancelEndsWhatDoesNotListen) {
  Measurer measurer(settings("beating"), runs());
  std::atomic<bool> cancel = false;
  std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(100));
    cancel = true;
  });
  const auto start = steady_clock::now();
  const Result<Measured> result = measurer.measure(job(), {.cancel = &cancel});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.errors()[0].message.text(), "Cancelled.");
  EXPECT_LT(steady_clock::now() - start, milliseconds(2500));
}

TEST_F(MeasureTest, TheStoreAnswersWhatWasMeasuredBefore) {
  Measurer measurer(settings("good"), runs(), folder_ / "measurements.db");
  Job unkept = job();
  unkept.keep = false;
  EXPECT_FALSE(measurer.measure(unkept)->from_store);
  EXPECT_FALSE(measurer.measure(job())->from_store) << "the one before was not to be kept";
  EXPECT_TRUE(measurer.measure(job())->from_store);
  Job again = job();
  again.again = true;
  EXPECT_FALSE(measurer.measure(again)->from_store);
  EXPECT_EQ(answers().size(), 3U);
}

TEST_F(MeasureTest, ADamagedStoreIsSaidAndTheNextMeasurementStartsAnother) {
  const fs::path file = folder_ / "measurements.db";
  ASSERT_TRUE(write_file(file, std::string(8192, 'x')));
  Measurer measurer(settings("good"), runs(), file);
  const Result<Measured> first = measurer.measure(job());
  ASSERT_TRUE(first) << to_string(first.errors());
  EXPECT_FALSE(first->from_store);
  ASSERT_EQ(first->notes.size(), 1U);
  EXPECT_EQ(first->notes[0].message.text(),
            fmt::format("{} is damaged (file is not a database). It was kept as measurements.db.damaged, and a new one "
                        "was started.",
                        file.string()));
  const Result<Measured> second = measurer.measure(job());
  EXPECT_TRUE(second->from_store);
  EXPECT_TRUE(second->notes.empty());
}

TEST_F(MeasureTest, AStoreThatCannotBeWrittenCostsNoMeasurement) {
  ASSERT_TRUE(write_file(folder_ / "no-folder", "x"));
  Measurer measurer(settings("good"), runs(), folder_ / "no-folder/measurements.db");
  for (int i = 0; i < 2; ++i) {
    const Result<Measured> measured = measurer.measure(job());
    ASSERT_TRUE(measured) << to_string(measured.errors());
    EXPECT_DOUBLE_EQ(measured->measurement.seconds.median, 64e-6);
    ASSERT_EQ(measured->notes.size(), 1U);
    EXPECT_EQ(
        measured->notes[0].message.text(),
        fmt::format("The measurement was not kept: {}/no-folder/measurements.db cannot be used: the folder cannot "
                    "be made: Not a directory. Set TILESCOPE_STORE to another file.",
                    folder_.string()));
  }
}

TEST_F(MeasureTest, WhatIsAlwaysDisturbedIsGivenUpAsNoisyAndNotKept) {
  Measurer measurer(settings("good"), runs(), folder_ / "store.db");
  const auto always = [](const store::Measurement&) { return true; };
  const Result<Measured> spoilt = measurer.measure(job(), {.disturbed = always});
  ASSERT_TRUE(spoilt) << to_string(spoilt.errors());
  EXPECT_TRUE(spoilt->measurement.is_noisy);
  EXPECT_EQ(answers(), std::vector<int64_t>(5, 64));
  const Result<Measured> undisturbed = measurer.measure(job());
  ASSERT_TRUE(undisturbed);
  EXPECT_FALSE(undisturbed->from_store);
  EXPECT_FALSE(undisturbed->measurement.is_noisy);
}

/// A service without files, connected, that is polled until a condition holds; the longest call is kept.
class Watched {
 public:
  Watched(const Settings& settings, const fs::path& store)
      : service(FigureFiles{.recordings = {}, .published = {}, .devices = {}, .store = store}, [] {}) {
    service.connect(settings, runs());
  }
  template <class Condition>
  bool wait(Condition condition) {
    return wait_until([&] {
      const auto start = steady_clock::now();
      service.poll();
      longest = std::max(longest, steady_clock::now() - start);
      return condition();
    });
  }
  bool wait_for_gpu() {
    return wait([&] { return service.can_measure(); });
  }
  bool wait_for_samples() {
    return wait([&] { return service.sampling(); });
  }
  bool wait_for_all() {
    return wait([&] { return !service.busy(); });
  }

  MeasurementService service;
  steady_clock::duration longest{};
};

// Two calls in three meet a fault, of ten kinds in turn: 200 of them.
TEST_F(MeasureTest, TwoHundredFaultsLoseAndDoubleNothing) {
  const size_t descriptors = open_descriptors();
  constexpr size_t kJobs = 100;
  {
    Watched watched(settings("chaos"), folder_ / "measurements.db");
    ASSERT_TRUE(watched.wait_for_gpu());
    std::vector<Job> jobs;
    for (size_t i = 0; i < kJobs; ++i) jobs.push_back(job(64 + static_cast<int64_t>(i)));
    watched.service.fill(jobs);
    ASSERT_TRUE(watched.wait_for_all());
    for (const store::Measurement& figure : watched.service.figures())
      EXPECT_DOUBLE_EQ(figure.seconds.median, 1e-6 * static_cast<double>(figure.subject.m));
    EXPECT_EQ(watched.service.figures().size(), answers().size());
    EXPECT_LT(watched.longest, milliseconds(100));
  }
  std::vector<int64_t> measured = answers();
  std::sort(measured.begin(), measured.end());
  EXPECT_EQ(std::adjacent_find(measured.begin(), measured.end()), measured.end()) << "measured twice";
  EXPECT_GE(measured.size(), 90U);
  EXPECT_EQ(open_descriptors(), descriptors);
}

TEST_F(MeasureTest, SamplesThatFramesFellIntoAreTakenAnew) {
  Watched watched(settings("slow"), {});
  ASSERT_TRUE(watched.wait_for_gpu());
  watched.service.measure(job(64));
  ASSERT_TRUE(watched.wait_for_samples());
  for (int i = 0; i < 2; ++i) watched.service.note_frame();
  ASSERT_TRUE(watched.wait_for_all());
  watched.service.measure(job(65));
  ASSERT_TRUE(watched.wait_for_all());
  EXPECT_EQ(watched.service.figures().size(), 2U);
  EXPECT_EQ(answers(), (std::vector<int64_t>{64, 64, 65})) << "two frames among 12 samples";
}

TEST_F(MeasureTest, AFrameAmongManySamplesDisturbsNothing) {
  Watched watched(settings("slow"), {});
  ASSERT_TRUE(watched.wait_for_gpu());
  watched.service.measure(job(64));
  ASSERT_TRUE(watched.wait_for_samples());
  watched.service.note_frame();
  ASSERT_TRUE(watched.wait_for_all());
  EXPECT_EQ(answers(), std::vector<int64_t>{64});
}

TEST_F(MeasureTest, TheServiceSaysWhyNothingCanBeMeasured) {
  Watched watched(settings("no-gpu"), {});
  ASSERT_TRUE(watched.wait([&] { return watched.service.state().agent == State::Agent::Missing; }));
  EXPECT_EQ(watched.service.state().sentence.text(), "No NVIDIA driver: install one.");
}

TEST_F(MeasureTest, AServiceThatGoesTakesItsAgentWithIt) {
  {
    Watched watched(settings("beating"), {});
    ASSERT_TRUE(watched.wait_for_gpu());
    watched.service.measure(job());
    ASSERT_TRUE(watched.wait_for_samples());
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

/// The agent's request for it, with bytes for the machine code.
protocol::MeasureRequest request_for(const char* number, const kernel::Settings& settings = {}) {
  const Result<run::PreparedPointer> ready = prepared(number, settings);
  EXPECT_TRUE(ready) << to_string(ready.errors());
  run::Build build = *(*ready)->build;
  build.compiled.cubin = {1};
  run::Prepared with_code = **ready;
  with_code.build = std::make_shared<const run::Build>(std::move(build));
  return *launch_request(with_code, 0, {});
}

TEST(LaunchRequest, AnotherProblemBringsItsReference) {
  run::Prepared transpose = **prepared("4");
  run::Build build = *transpose.build;
  build.compiled.cubin = {1};
  transpose.build = std::make_shared<const run::Build>(std::move(build));
  std::erase_if(transpose.configuration.arrays, [](const kernel::ArrayShape& array) { return array.name == "C"; });
  transpose.configuration.arguments.clear();
  const Result<protocol::MeasureRequest> alone = launch_request(transpose, 0, {});
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.errors().front().message.text(), testing::HasSubstr("is no matrix product and has no reference"));
  transpose.reference = std::make_shared<const run::Prepared>(transpose);
  const Result<protocol::MeasureRequest> request = launch_request(transpose, 0, {});
  ASSERT_TRUE(request);
  ASSERT_TRUE(request->reference);
  EXPECT_EQ(request->reference->grid.x, request->kernel.grid.x);
}

TEST(LaunchRequest, SaysWhichTensorMapsTheAgentMakes) {
  const protocol::MeasureRequest request = request_for("17");
  ASSERT_TRUE(request.kernel.arguments[0].tensor);
  const TensorMap& map = *request.kernel.arguments[0].tensor;
  EXPECT_EQ(request.arrays[static_cast<size_t>(request.kernel.arguments[0].array)].name, "B");
  EXPECT_EQ(map.dimensions, 2);
  EXPECT_EQ(map.extent, (TensorMap::Extents{512, 128, 1, 1, 1}));
  EXPECT_EQ(map.stride, (TensorMap::Extents{4, 2048, 0, 0, 0}));
  EXPECT_EQ(map.box, (TensorMap::Extents{256, 16, 1, 1, 1}));
  EXPECT_EQ(request.kernel.dynamic_shared_bytes, 4u * 4 * 16 * (64 + 4 + 256));
  EXPECT_FALSE(request.kernel.arguments[1].tensor);
  EXPECT_EQ(request.precision, Precision::Fp32);
  EXPECT_FALSE(request.kernel.cooperative);
}

TEST(LaunchRequest, SaysPrecisionCooperationAndWhatArraysStartAt) {
  const protocol::MeasureRequest tf32 = request_for("24"), bf16 = request_for("23"), stream_k = request_for("20");
  EXPECT_EQ(tf32.precision, Precision::Tf32);
  EXPECT_TRUE(tf32.kernel.arguments[0].tensor->rounds_to_tf32);
  EXPECT_EQ(tf32.kernel.arguments[0].tensor->swizzle, Swizzle::Span128);
  EXPECT_EQ(bf16.precision, Precision::Bf16);
  EXPECT_EQ(bf16.arrays[0].element, Element::BF16);
  EXPECT_TRUE(stream_k.kernel.cooperative);
  EXPECT_EQ(stream_k.kernel.grid.x, 32u) << "no more blocks than steps";
  const auto ready = std::find_if(stream_k.arrays.begin(), stream_k.arrays.end(),
                                  [](const protocol::ArrayArgument& array) { return array.name == "ready"; });
  ASSERT_NE(ready, stream_k.arrays.end());
  EXPECT_EQ(ready->initial, 0);
}

TEST_F(MeasureTest, AStageThatTheGpuHasNoInstructionsForIsRefused) {
  Measurer measurer(settings("ampere"), runs());
  const Result<Measured> result = measurer.measure({run::Request{stage("17"), {}, {256, 256, 64}}});
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
