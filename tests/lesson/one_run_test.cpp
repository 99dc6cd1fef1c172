// What a step of a slider does, counted: the linker hands the calls of these functions to the __wrap_ ones here (see
// tests/CMakeLists.txt).
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "kernel/configuration.h"
#include "lesson/runs.h"
#include "prebuilt_only.h"
#include "session/workspace.h"

namespace {
struct Calls {
  std::atomic<int> configured = 0, looked_up = 0, parsed = 0, verified = 0, flattened = 0;
};
Calls calls;
}  // namespace

namespace tilescope {
using Configured = Result<kernel::Configuration>;
using Compiled = Result<compile::Output>;
using Parsed = Result<ptx::Module>;
using Flattened = Result<std::shared_ptr<const emulator::Program>>;

// NOLINTBEGIN
extern "C" {
Configured
__real__ZN9tilescope6kernel9configureERKNS0_11DescriptionERKSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESA_St4lessISA_ESaISt4pairIKSA_SA_EEERKNS0_4SizeERKNS0_6LimitsE(
    const kernel::Description&, const kernel::Settings&, const kernel::Size&, const kernel::Limits&);
Configured
__wrap__ZN9tilescope6kernel9configureERKNS0_11DescriptionERKSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESA_St4lessISA_ESaISt4pairIKSA_SA_EEERKNS0_4SizeERKNS0_6LimitsE(
    const kernel::Description& description, const kernel::Settings& settings, const kernel::Size& size,
    const kernel::Limits& limits) {
  ++calls.configured;
  return __real__ZN9tilescope6kernel9configureERKNS0_11DescriptionERKSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESA_St4lessISA_ESaISt4pairIKSA_SA_EEERKNS0_4SizeERKNS0_6LimitsE(
      description, settings, size, limits);
}
Compiled __real__ZN9tilescope7compile8Compiler7compileERKNS0_7RequestEPKSt6atomicIbE(compile::Compiler*,
                                                                                     const compile::Request&,
                                                                                     const std::atomic<bool>*);
Compiled __wrap__ZN9tilescope7compile8Compiler7compileERKNS0_7RequestEPKSt6atomicIbE(compile::Compiler* compiler,
                                                                                     const compile::Request& request,
                                                                                     const std::atomic<bool>* cancel) {
  ++calls.looked_up;
  return __real__ZN9tilescope7compile8Compiler7compileERKNS0_7RequestEPKSt6atomicIbE(compiler, request, cancel);
}
Parsed
__real__ZN9tilescope3ptx5parseESt17basic_string_viewIcSt11char_traitsIcEENSt7__cxx1112basic_stringIcS3_SaIcEEEPSt6vectorINS_10DiagnosticESaISA_EE(
    std::string_view, std::string, Diagnostics*);
Parsed
__wrap__ZN9tilescope3ptx5parseESt17basic_string_viewIcSt11char_traitsIcEENSt7__cxx1112basic_stringIcS3_SaIcEEEPSt6vectorINS_10DiagnosticESaISA_EE(
    std::string_view text, std::string file, Diagnostics* warnings) {
  ++calls.parsed;
  return __real__ZN9tilescope3ptx5parseESt17basic_string_viewIcSt11char_traitsIcEENSt7__cxx1112basic_stringIcS3_SaIcEEEPSt6vectorINS_10DiagnosticESaISA_EE(
      text, std::move(file), warnings);
}
Diagnostics __real__ZN9tilescope3ptx6verifyERKNS0_6ModuleE(const ptx::Module&);
Diagnostics __wrap__ZN9tilescope3ptx6verifyERKNS0_6ModuleE(const ptx::Module& module) {
  ++calls.verified;
  return __real__ZN9tilescope3ptx6verifyERKNS0_6ModuleE(module);
}
Flattened __real__ZN9tilescope8emulator7Program5buildERKNS_3ptx6ModuleESt17basic_string_viewIcSt11char_traitsIcEE(
    const ptx::Module&, std::string_view);
Flattened __wrap__ZN9tilescope8emulator7Program5buildERKNS_3ptx6ModuleESt17basic_string_viewIcSt11char_traitsIcEE(
    const ptx::Module& module, std::string_view entry) {
  ++calls.flattened;
  return __real__ZN9tilescope8emulator7Program5buildERKNS_3ptx6ModuleESt17basic_string_viewIcSt11char_traitsIcEE(module,
                                                                                                                 entry);
}
}
// NOLINTEND

namespace lesson {
namespace {
using session::Progress;

/// A window's workspace, and lessons beside it.
class OneRun : public testing::Test {
 protected:
  void SetUp() override {
    session::State state;
    state.inputs.kernel = "09_thread_tile_2d";
    state.inputs.size = {128, 128, 32};
    apply(session::LoadState{state});
  }
  void apply(const session::Command& command) {
    workspace_.apply(command);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto& shown = workspace_.experiment(0);
    while (workspace_.poll(), shown.progress() != Progress::Idle && shown.progress() != Progress::Failed) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  /// The scene on screen, as a lesson requests it.
  Scene scene() const {
    Scene scene;
    scene.kernel = std::make_shared<const kernel::Kernel>(workspace_.experiment(0).kernel());
    scene.settings = workspace_.state().inputs.settings;
    scene.size = workspace_.state().inputs.size;
    return scene;
  }
  /// `parsed`, which verifies, and everything else done as often.
  static void expect_calls(int configured, int parsed) {
    EXPECT_EQ(calls.configured, configured);
    EXPECT_EQ(calls.looked_up, parsed);
    EXPECT_EQ(calls.parsed, parsed);
    EXPECT_EQ(calls.flattened, parsed);
    // parse() verifies: where both are in one translation unit its call is not seen.
    EXPECT_LE(calls.verified, parsed) << "once is enough";
  }
  static void forget_calls() {
    for (std::atomic<int>* count :
         {&calls.configured, &calls.looked_up, &calls.parsed, &calls.verified, &calls.flattened})
      *count = 0;
  }

  compile::Compiler compiler_{prebuilt_only()};
  run::RunCache cache_{compiler_, run::window_limits()};
  session::Workspace workspace_{cache_};
};

TEST_F(OneRun, AStepOfASliderConfiguresLooksUpParsesAndFlattensOnce) {
  forget_calls();
  apply(session::UsePreset{"64x64x8-4x4"});
  ASSERT_EQ(workspace_.experiment(0).progress(), Progress::Idle);
  ASSERT_TRUE(workspace_.experiment(0).counted() && workspace_.experiment(0).checked());
  expect_calls(1, 1);
}

TEST_F(OneRun, AnotherSizeIsNotParsedAgain) {
  forget_calls();
  apply(session::SetSize{{128, 128, 64}});
  ASSERT_EQ(workspace_.experiment(0).progress(), Progress::Idle);
  expect_calls(1, 0);
}

TEST_F(OneRun, AForecastPreparesNothingAgain) {
  forget_calls();
  apply(session::SetSize{{128, 128, 1 << 20}});
  EXPECT_GT(workspace_.experiment(0).fitting_k(), 0);
  expect_calls(3, 0);
}

TEST_F(OneRun, ALessonReadsTheRunThatIsOnShow) {
  Runs runs(cache_);
  forget_calls();
  const auto read = runs.run(scene());
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)->traced, workspace_.experiment(0).scene());
  EXPECT_EQ((*read)->grid, workspace_.experiment(0).counted());
  expect_calls(0, 0);
}

TEST_F(OneRun, WhatNobodyShowsAnyMoreIsGone) {
  const std::weak_ptr<const run::TracedBlock> before = workspace_.experiment(0).scene();
  apply(session::SetSize{{128, 128, 64}});
  workspace_.apply(session::Move{analysis::Unit::Access, 1});
  workspace_.poll();
  EXPECT_TRUE(before.expired());
}

}  // namespace
}  // namespace lesson
}  // namespace tilescope
