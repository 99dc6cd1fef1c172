#include "measure/measurement_service.h"

#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "kernel/catalogue.h"
#include "measure/stand_in_compiler.h"
#include "shipped_kernels.h"
#include "wait_until.h"
#include "wordless.h"

namespace tilescope::measure {
namespace {
namespace fs = std::filesystem;
using std::chrono::milliseconds;

class MeasurementServiceTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  FigureFiles files() const {
    const fs::path assets = TILESCOPE_SOURCE_DIR "/assets";
    return {folder_, assets / "published.toml", assets / "devices.toml", folder_ / "store.db"};
  }
  Settings settings(const std::string& mode) const {
    Settings result;
    result.command = {TILESCOPE_BINARY_DIR "/tests/fake_agent", mode, (folder_ / "answers").string()};
    result.first_pause = milliseconds(1);
    return result;
  }
  /// Polls until that holds; false when it takes too long.
  template <class Condition>
  static bool wait(MeasurementService& service, Condition condition) {
    return wait_until([&] { return service.poll(), condition(); });
  }
  static Job job(int64_t size) { return {run::Request{shipped_kernels().kernels[1], {}, {size, size, size}}}; }

  const fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("service-{}", ::getpid());
};

TEST_F(MeasurementServiceTest, WithoutAnAgentThereAreTheFilesAndNoWord) {
  MeasurementService service(files(), [] {});
  ASSERT_TRUE(wait(service, [&] { return !service.loading(); }));
  EXPECT_FALSE(service.figures().empty());
  EXPECT_FALSE(service.devices().empty());
  EXPECT_TRUE(service.problems().empty());
  EXPECT_FALSE(service.can_measure());
  EXPECT_EQ(service.state().sentence.text(), "");
  service.measure(job(64));
  service.measure_all(shipped_kernels());
  EXPECT_FALSE(service.busy());
}

TEST_F(MeasurementServiceTest, AFileThatCannotBeReadIsAProblemAndTheOthersAreThere) {
  std::ofstream(folder_ / "bad.csv") << "not,a,recording\n";
  MeasurementService service(files(), [] {});
  ASSERT_TRUE(wait(service, [&] { return !service.loading(); }));
  EXPECT_EQ(service.problems().size(), 1U);
  EXPECT_FALSE(service.figures().empty());
}

TEST_F(MeasurementServiceTest, AMeasurementJoinsTheFiguresAndTheHistory) {
  MeasurementService service(files(), [] {});
  service.connect(settings("good"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  EXPECT_EQ(service.state().device, "Fake GPU");
  const uint64_t version = service.version();
  service.measure(job(64));
  ASSERT_TRUE(wait(service, [&] { return service.history().size() == 1; })) << service.failure().text();
  EXPECT_GT(service.version(), version);
  EXPECT_EQ(service.figures()[service.history()[0]].subject.device, "Fake GPU");
  // Once more: from the store, and no second figure.
  const size_t figures = service.figures().size();
  service.measure(job(128));
  ASSERT_TRUE(wait(service, [&] { return service.history().size() == 2; })) << service.failure().text();
  service.measure(job(64));
  ASSERT_TRUE(wait(service, [&] { return service.figures()[service.history().back()].subject.m == 64; }));
  EXPECT_EQ(service.figures().size(), figures + 1);
  EXPECT_EQ(service.history().size(), 2U);
}

TEST_F(MeasurementServiceTest, WhatWasMeasuredInOneLanguageIsReadInAnother) {
  MeasurementService service(files(), [] {});
  service.connect(settings("good"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  service.measure(job(64));
  ASSERT_TRUE(wait(service, [&] { return !service.history().empty(); })) << service.failure().text();
  EXPECT_THAT(service.state().sentence.text(), testing::HasSubstr("driver"));
  set_language(wordless());
  EXPECT_THAT(service.state().sentence.text(), testing::Not(testing::HasSubstr("driver")));
  set_language(nullptr);
}

TEST_F(MeasurementServiceTest, WhatWasMeasuredIsThereTheNextTime) {
  size_t count = 0;
  {
    MeasurementService service(files(), [] {});
    service.connect(settings("good"), runs());
    ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
    service.measure(job(64));
    ASSERT_TRUE(wait(service, [&] { return !service.history().empty(); }));
    count = service.figures().size();
  }
  MeasurementService again(files(), [] {});
  ASSERT_TRUE(wait(again, [&] { return !again.loading(); }));
  EXPECT_EQ(again.figures().size(), count);
  EXPECT_TRUE(again.history().empty());
}

TEST_F(MeasurementServiceTest, WhatIsOnShowIsMeasuredFirstAndTheRestInItsOrder) {
  MeasurementService service(files(), [] {});
  service.connect(settings("good"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  const size_t before = service.figures().size();
  service.measure(job(64));
  service.fill({job(128), job(256)});
  ASSERT_TRUE(wait(service, [&] { return service.figures().size() == before + 3; })) << service.failure().text();
  std::vector<int64_t> sizes;
  for (size_t i = before; i < service.figures().size(); ++i) sizes.push_back(service.figures()[i].subject.m);
  EXPECT_THAT(sizes, testing::ElementsAre(64, 128, 256));
  EXPECT_EQ(service.history().size(), 1U) << "only what was on show is what the sliders had before";
  EXPECT_TRUE(wait(service, [&] { return !service.busy(); }));
}

TEST_F(MeasurementServiceTest, TheNextChangeDropsWhatWasStillToFill) {
  MeasurementService service(files(), [] {});
  service.connect(settings("good"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  const size_t before = service.figures().size();
  service.fill({job(128), job(256), job(512), job(1024)});
  service.measure(job(64));
  ASSERT_TRUE(wait(service, [&] { return service.history().size() == 1; })) << service.failure().text();
  ASSERT_TRUE(wait(service, [&] { return !service.busy(); }));
  EXPECT_EQ(service.figures().size(), before + 1);
  EXPECT_EQ(service.failure().text(), "") << "nobody asked for what was dropped";
}

TEST_F(MeasurementServiceTest, ANewerConfigurationTakesThePlaceOfTheOneBefore) {
  MeasurementService service(files(), [] {});
  service.connect(settings("slow"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  for (const int64_t size : {64, 96, 128, 160, 192}) service.measure(job(size));
  ASSERT_TRUE(wait(service, [&] { return !service.busy() && !service.history().empty(); }));
  EXPECT_EQ(service.figures()[service.history().back()].subject.m, 192);
  EXPECT_LE(service.history().size(), 2U) << "the first may have been running";
}

TEST_F(MeasurementServiceTest, WhatIsOnShowComesBeforeTheStagesThatWait) {
  MeasurementService service(files(), [] {});
  service.set_size(1024);
  service.connect(settings("slow"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  const size_t before = service.figures().size();
  service.measure_all(shipped_kernels());
  service.measure(job(64));
  ASSERT_TRUE(wait(service, [&] { return service.figures().size() >= before + 2; })) << service.failure().text();
  EXPECT_EQ(service.figures()[before].subject.m, 1024) << "the stage that was running went on";
  EXPECT_EQ(service.figures()[before + 1].subject.m, 64);
  service.cancel();
  EXPECT_FALSE(service.busy());
}

TEST_F(MeasurementServiceTest, AStoreThatFailsIsSaidOnceAndTheMeasurementsAreThere) {
  std::ofstream(folder_ / "no-folder") << "x";
  FigureFiles bad = files();
  bad.store = folder_ / "no-folder/store.db";
  MeasurementService service(bad, [] {});
  service.connect(settings("good"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  EXPECT_TRUE(service.problems().empty());
  for (const int64_t size : {64, 128}) {
    service.measure(job(size));
    ASSERT_TRUE(wait(service, [&] { return !service.busy(); }));
    EXPECT_EQ(service.figures()[service.history().back()].subject.m, size);
  }
  EXPECT_EQ(service.failure().text(), "");
  ASSERT_EQ(service.problems().size(), 1U);
  EXPECT_THAT(service.problems()[0].message.text(), testing::StartsWith("The measurement was not kept: "));
}

TEST_F(MeasurementServiceTest, ADamagedStoreIsSaidAndLeftAloneUntilSomethingIsKept) {
  const std::string noise(8192, 'x');
  std::ofstream(folder_ / "store.db") << noise;
  MeasurementService service(files(), [] {});
  service.connect(settings("good"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  ASSERT_EQ(service.problems().size(), 1U);
  EXPECT_THAT(service.problems()[0].message.text(), testing::HasSubstr("is damaged (file is not a database), so"));
  EXPECT_EQ(*read_file(folder_ / "store.db"), noise);
  EXPECT_FALSE(fs::exists(folder_ / "store.db.damaged"));
  service.measure(job(64));
  ASSERT_TRUE(wait(service, [&] { return !service.busy(); }));
  ASSERT_EQ(service.problems().size(), 2U);
  EXPECT_THAT(service.problems()[1].message.text(), testing::HasSubstr("It was kept as store.db.damaged"));
  EXPECT_EQ(*read_file(folder_ / "store.db.damaged"), noise);
}

TEST_F(MeasurementServiceTest, AGpuThatIsThereLaterIsSeenWithTheNextMeasurement) {
  MeasurementService service(files(), [] {});
  service.connect(settings("no-gpu-yet"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.state().agent == State::Agent::Missing; }));
  service.measure(job(64));
  ASSERT_TRUE(wait(service, [&] { return !service.busy(); }));
  EXPECT_EQ(service.history().size(), 1U) << service.failure().text();
  EXPECT_TRUE(service.can_measure());
}

TEST_F(MeasurementServiceTest, WithoutAGpuTheStateSaysSoAndNotEachStage) {
  MeasurementService service(files(), [] {});
  service.connect(settings("no-gpu"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.state().agent == State::Agent::Missing; }));
  service.measure_all(shipped_kernels());
  ASSERT_TRUE(wait(service, [&] { return !service.busy(); }));
  EXPECT_FALSE(service.batch().running());
  EXPECT_EQ(service.failure().text(), "");
  EXPECT_NE(service.state().sentence.text(), "");
}

TEST_F(MeasurementServiceTest, AllStagesCountUpAndCanBeGivenUp) {
  MeasurementService service(files(), [] {});
  service.set_size(1024);
  service.connect(settings("slow"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  service.measure_all(shipped_kernels());
  EXPECT_EQ(service.batch().total, shipped_kernels().kernels.size());
  ASSERT_TRUE(wait(service, [&] { return service.batch().done >= 1; }));
  service.cancel();
  ASSERT_TRUE(wait(service, [&] { return !service.batch().running(); }));
  EXPECT_LT(service.history().size(), shipped_kernels().kernels.size());
  EXPECT_EQ(service.failure().text(), "") << "what was cancelled is no failure";
}

TEST_F(MeasurementServiceTest, AWrongKernelIsSaidWithItsName) {
  MeasurementService service(files(), [] {});
  service.connect(settings("wrong"), runs());
  ASSERT_TRUE(wait(service, [&] { return service.can_measure(); }));
  service.measure(job(64));
  ASSERT_TRUE(wait(service, [&] { return !service.failure().empty(); }));
  EXPECT_EQ(service.failure().text().substr(0, 18), "02_naive_swapped: ");
  EXPECT_TRUE(service.history().empty());
}

}  // namespace
}  // namespace tilescope::measure
