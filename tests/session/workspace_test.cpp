#include "session/workspace.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "prebuilt_only.h"
#include "session/state_file.h"
#include "textbook.h"
#include "wait_until.h"

namespace tilescope::session {
namespace {
namespace fs = std::filesystem;
using analysis::StepKind;
using analysis::StepRef;
using analysis::Unit;

class Workspaces : public testing::Test {
 protected:
  void start(const std::string& kernel, int64_t size = 128, int64_t k = 32) {
    State state;
    state.inputs.kernel = kernel;
    state.inputs.settings = textbook_settings(kernel);
    state.inputs.size = {size, size, k};
    workspace_.apply(LoadState{state});
    settle();
  }
  void settle() {
    const auto done = [&](const Experiment& e) {
      return e.progress() == Progress::Idle || e.progress() == Progress::Failed;
    };
    ASSERT_TRUE(wait_until([&] {
      workspace_.poll();
      bool all = true;
      for (int i = 0; i < workspace_.experiments(); ++i) all = all && done(workspace_.experiment(i));
      return all;
    })) << "the worker is not done";
  }
  const run::TracedBlock& scene() const { return *workspace_.experiment(0).traced(); }
  StepKind kind() const { return scene().timeline.kind(workspace_.cursor(0)); }

  compile::Compiler compiler_{prebuilt_only()};
  run::RunCache runs_{compiler_, run::window_limits()};
  Workspace workspace_{runs_};
};

TEST_F(Workspaces, BeginsAtTheFirstAccess) {
  start("04_shared_tile");
  EXPECT_EQ(kind(), StepKind::LoadGlobal);
  EXPECT_EQ(workspace_.experiment(0).progress(), Progress::Idle);
  EXPECT_TRUE(workspace_.experiment(0).counted()->report.counts.blocks.empty());
  EXPECT_TRUE(workspace_.experiment(0).checked()->report.findings.empty());
}

// Warps 0 to 3 of kernel 23 copy, the others multiply.
TEST_F(Workspaces, ASceneOpensOnAWarpThatMultiplies) {
  start("23_bf16_wgmma", 256, 64);
  EXPECT_EQ(workspace_.cursor(0).warp, 4u);
  start("04_shared_tile", 256, 64);
  EXPECT_EQ(workspace_.cursor(0).warp, 0u);
  workspace_.apply(ChooseKernel{"23_bf16_wgmma"});
  settle();
  EXPECT_EQ(workspace_.cursor(0).warp, 4u) << "from one that multiplies to another";
  workspace_.apply(GoTo{{0, 0}});
  workspace_.apply(ChooseKernel{"24_tf32_wgmma"});
  settle();
  EXPECT_EQ(workspace_.cursor(0).warp, 0u) << "who looks at copies stays with them";
}

TEST_F(Workspaces, TheCompilerIsChosenForWhatIsOnShow) {
  start("04_shared_tile");
  const auto before = workspace_.experiment(0).traced();
  workspace_.apply(SetCompiler{compile::Choice::Clang});  // There is none here.
  settle();
  EXPECT_EQ(workspace_.experiment(0).progress(), Progress::Failed);
  EXPECT_EQ(workspace_.experiment(0).traced(), before);
  workspace_.apply(SetCompiler{compile::Choice::Prebuilt});
  settle();
  EXPECT_EQ(workspace_.experiment(0).progress(), Progress::Idle);
  EXPECT_EQ(workspace_.state().compiler, compile::Choice::Prebuilt);
}

TEST_F(Workspaces, CompilersAreLookedForWhenAskedFor) {
  EXPECT_EQ(workspace_.compilers(), nullptr);
  workspace_.apply(FindCompilers{});
  ASSERT_TRUE(wait_until([&] { return workspace_.poll(), workspace_.compilers(); }));
  EXPECT_EQ(workspace_.compilers()->nvrtc, "");
  EXPECT_EQ(workspace_.compilers()->clang, "");
}

TEST_F(Workspaces, BackToTheStartIsExactlyTheStart) {
  start("09_thread_tile_2d");
  workspace_.apply(GoToStart{});
  const StepRef begin = workspace_.cursor(0);
  for (const Unit unit : {Unit::Instruction, Unit::Access, Unit::Phase, Unit::Tile}) workspace_.apply(Move{unit, 3});
  EXPECT_NE(workspace_.cursor(0), begin);
  workspace_.apply(GoToStart{});
  EXPECT_EQ(workspace_.cursor(0), begin);
  EXPECT_EQ(begin, (StepRef{0, 0}));
}

TEST_F(Workspaces, AnIllegalValueKeepsTheLastSceneAndSaysWhy) {
  start("09_thread_tile_2d");
  const auto before = workspace_.experiment(0).traced();
  workspace_.apply(SetParameter{"TM", 1});
  EXPECT_TRUE(workspace_.experiment(0).stale());
  EXPECT_EQ(workspace_.experiment(0).traced(), before);
  ASSERT_FALSE(workspace_.experiment(0).problems().empty());
  EXPECT_NE(workspace_.experiment(0).problems().front().message.text().find("2048 threads; the limit is 1024"),
            std::string::npos)
      << workspace_.experiment(0).problems().front().message.text();
  workspace_.apply(SetParameter{"TM", 8});
  settle();
  EXPECT_FALSE(workspace_.experiment(0).stale());
}

TEST_F(Workspaces, OtherParametersKeepThePlaceInTheStory) {
  start("09_thread_tile_2d", 128, 64);
  workspace_.apply(Move{Unit::Tile, 3});
  workspace_.apply(Move{Unit::Phase, 2});
  ASSERT_EQ(kind(), StepKind::LoadShared);
  const int32_t tile = scene().timeline.tile(workspace_.cursor(0));
  workspace_.apply(UsePreset{"64x64x8-4x4"});
  settle();
  EXPECT_EQ(kind(), StepKind::LoadShared);
  EXPECT_EQ(scene().timeline.tile(workspace_.cursor(0)), tile);
}

TEST_F(Workspaces, OtherParametersKeepTheInstructionOfItsKindInThePhase) {
  start("09_thread_tile_2d", 128, 64);
  const auto earlier_loads = [&] {
    const analysis::Timeline& timeline = scene().timeline;
    const StepRef at = workspace_.cursor(0);
    int count = 0;
    for (uint32_t step = timeline.phase(at).begin; step < at.step; ++step)
      count += timeline.kind({at.warp, step}) == StepKind::LoadShared;
    return count;
  };
  workspace_.apply(Move{Unit::Tile, 1});
  while (kind() != StepKind::LoadShared) workspace_.apply(Move{Unit::Access, 1});
  workspace_.apply(Move{Unit::Access, 3});
  ASSERT_EQ(kind(), StepKind::LoadShared);
  ASSERT_EQ(earlier_loads(), 3);
  workspace_.apply(UsePreset{"64x64x8-4x4"});
  settle();
  EXPECT_EQ(kind(), StepKind::LoadShared);
  EXPECT_EQ(earlier_loads(), 3);
}

TEST_F(Workspaces, AMoveBackUndoesAMoveOn) {
  start("04_shared_tile");
  const StepRef begin = workspace_.cursor(0);
  workspace_.apply(Move{Unit::Access, 3});
  EXPECT_NE(workspace_.cursor(0), begin);
  workspace_.apply(Move{Unit::Access, -3});
  EXPECT_EQ(workspace_.cursor(0), begin);
}

TEST_F(Workspaces, ALineChosenAgainLeadsToItsNextInstruction) {
  start("04_shared_tile");
  workspace_.apply(GoToStart{});
  workspace_.apply(GoToLine{30});  // As[...] = A[...]
  EXPECT_EQ(kind(), StepKind::LoadGlobal);
  workspace_.apply(GoToLine{30});
  EXPECT_EQ(kind(), StepKind::StoreShared);
}

TEST_F(Workspaces, TwoAreSteppedTogether) {
  start("04_shared_tile");
  workspace_.apply(SetCompare{true});
  workspace_.apply(ChooseKernel{"06_padded_tile"});
  settle();
  ASSERT_EQ(workspace_.experiments(), 2);
  workspace_.apply(Move{Unit::Phase, 4});
  const run::TracedBlock& second = *workspace_.experiment(1).traced();
  EXPECT_EQ(second.timeline.kind(workspace_.cursor(1)), kind());
  EXPECT_EQ(second.timeline.tile(workspace_.cursor(1)), scene().timeline.tile(workspace_.cursor(0)));
  workspace_.apply(SetCompare{false});
  EXPECT_EQ(workspace_.experiments(), 1);
  EXPECT_EQ(workspace_.chosen(), 0);
}

TEST_F(Workspaces, ACopyToSharedMemoryIsSteppedWithTheLoadsOfTheOther) {
  start("11_warp_tile");
  workspace_.apply(SetCompare{true});
  workspace_.apply(ChooseKernel{"13_async_stages"});
  settle();
  const run::TracedBlock& second = *workspace_.experiment(1).traced();
  workspace_.apply(GoToStart{});
  EXPECT_EQ(workspace_.cursor(1).step, 0u) << "both begin with their first load of the k-tile";
  workspace_.apply(SetUnit{Unit::Access});
  uint32_t last = 0;
  int loads = 0;
  for (int i = 0; i < 40 && scene().timeline.phase(workspace_.cursor(0)).begin == 0; ++i) {
    workspace_.apply(Move{Unit::Access, 1});
    const StepRef other = workspace_.cursor(1);
    if (kind() == StepKind::LoadGlobal) {
      ++loads;
      EXPECT_EQ(second.timeline.kind(other), StepKind::AsyncCopy) << i;
      EXPECT_GT(other.step, last) << i;
    }
    if (kind() == StepKind::StoreShared) {
      EXPECT_EQ(other.step, last) << "it stores nothing itself: " << i;
    }
    last = other.step;
  }
  EXPECT_GE(loads, 4);
}

TEST_F(Workspaces, PlayingGoesOnAndStopsAtABreakpointAndAtTheEnd) {
  start("04_shared_tile");
  workspace_.apply(SetUnit{Unit::Instruction});
  workspace_.apply(SetSpeed{10});
  const int line = scene().facts.line_of(scene().timeline.pc(scene().timeline.last(0)));
  workspace_.apply(ToggleBreakpoint{32});
  workspace_.apply(Play{});
  const StepRef before = workspace_.cursor(0);
  EXPECT_TRUE(workspace_.advance(0.2));
  EXPECT_EQ(workspace_.cursor(0).step, before.step + 2);
  while (workspace_.playing()) workspace_.advance(100);
  EXPECT_EQ(scene().facts.line_of(scene().timeline.pc(workspace_.cursor(0))), 32);
  workspace_.apply(ToggleBreakpoint{32});
  workspace_.apply(Play{});
  while (workspace_.playing()) workspace_.advance(1000);
  EXPECT_EQ(scene().facts.line_of(scene().timeline.pc(workspace_.cursor(0))), line);
}

TEST_F(Workspaces, ALessonsSceneIsShownAtItsPlace) {
  ShowScene shown;
  shown.inputs.kernel = "04_shared_tile";
  shown.inputs.size = {128, 128, 64};
  shown.line = 30;  // As[...] = A[...]: a load and a store. The loads count.
  shown.occurrence = 2;
  shown.warp = 2;
  shown.scale = Scale::Warp;
  workspace_.apply(shown);
  settle();
  EXPECT_EQ(workspace_.cursor(0).warp, 2u);
  EXPECT_EQ(kind(), StepKind::LoadGlobal);
  EXPECT_EQ(scene().timeline.tile(workspace_.cursor(0)), 1);
  EXPECT_EQ(workspace_.state().scale, Scale::Warp);
  const StepRef& at = workspace_.cursor(0);
  EXPECT_EQ(run::find_access(scene(), 30, 2, 2), at);
  EXPECT_EQ(run::find_access(scene(), 30, 2, 2, "A"), at);
  const std::optional<StepRef> store = run::find_access(scene(), 30, 2, 2, "As");
  ASSERT_TRUE(store);
  EXPECT_EQ(scene().timeline.kind(*store), StepKind::StoreShared);
  EXPECT_EQ(scene().timeline.tile(*store), 1);
  EXPECT_EQ(run::find_access(scene(), 30, 3, 2), std::nullopt) << "K = 64 has two tiles of 32";
  EXPECT_EQ(run::find_access(scene(), 30, 1, 99), std::nullopt) << "the block has no warp 99";
}

TEST_F(Workspaces, ALineThatCallsAFunctionHasTheAccessesOfThatFunction) {
  start("13_async_stages");
  constexpr int kCall = 73, kCallee = 41;  // copyAsync<4>(&As[...], &A[...]) and the cp.async in it.
  const std::optional<StepRef> copy = run::find_access(scene(), kCall, 1, 0);
  ASSERT_TRUE(copy);
  const uint32_t pc = scene().timeline.pc(*copy);
  EXPECT_EQ(scene().facts.line_of(pc), kCallee);
  EXPECT_EQ(scene().facts.caller_of(pc), kCall);
  EXPECT_LT(copy->step, run::find_access(scene(), kCall, 2, 0)->step);
  EXPECT_EQ(run::find_moment(scene(), kCall, 2, 0), run::find_access(scene(), kCall, 2, 0));
  workspace_.apply(GoToStart{});
  workspace_.apply(GoToLine{kCall});
  EXPECT_EQ(workspace_.cursor(0), *copy);
  const run::Counts& counts = workspace_.experiment(0).counted()->report.counts;
  EXPECT_GT(run::counts_of_line(counts, kCall).memory.global_load.requests, 0u);
  EXPECT_EQ(
      run::counts_of_line(counts, kCallee).warp_instructions,
      std::find_if(counts.lines.begin(), counts.lines.end(), [](const auto& line) { return line.line == kCallee; })
          ->warp_instructions)
      << "a line with accesses has its own alone";
}

TEST_F(Workspaces, AnEditedTextThatDoesNotCompileKeepsTheLastScene) {
  start("01_naive_rows");
  const auto before = workspace_.experiment(0).traced();
  workspace_.apply(EditSource{{"__global__ void f() { int x = ; }", ""}});
  settle();
  EXPECT_EQ(workspace_.experiment(0).progress(), Progress::Failed);
  EXPECT_EQ(workspace_.experiment(0).traced(), before);
  EXPECT_TRUE(workspace_.experiment(0).edited());
  workspace_.apply(RestoreSource{});
  settle();
  EXPECT_EQ(workspace_.experiment(0).progress(), Progress::Idle);
  EXPECT_FALSE(workspace_.experiment(0).edited());
}

TEST_F(Workspaces, AKernelThatDoesNotTakeTheSizeGetsTheUsualOne) {
  start("05_guarded_tile", 65, 65);
  workspace_.apply(ChooseKernel{"09_thread_tile_2d"});
  settle();
  EXPECT_EQ(workspace_.state().inputs.size, (kernel::Size{256, 256, 64}));
  workspace_.apply(SetSize{{128, 128, 128}});
  workspace_.apply(ChooseKernel{"04_shared_tile"});
  settle();
  EXPECT_EQ(workspace_.state().inputs.size, (kernel::Size{128, 128, 128}));
}

TEST_F(Workspaces, ProductsShareASizeAndAKernelOfAnotherProblemHasItsOwn) {
  start("25_any_size", 65, 65);
  workspace_.apply(SetSize{{65, 66, 67}});
  workspace_.open(*kernel::open_file(TILESCOPE_SOURCE_DIR "/examples/reduction.cu"));
  EXPECT_EQ(workspace_.state().inputs.size, (kernel::Size{1, 4096, 1}));
  workspace_.apply(SetSize{{1, 512, 1}});
  workspace_.open(*kernel::open_file(TILESCOPE_SOURCE_DIR "/examples/scan.cu"));
  EXPECT_EQ(workspace_.state().inputs.size, (kernel::Size{1, 1024, 1}));
  workspace_.apply(ChooseKernel{"05_guarded_tile"});
  EXPECT_EQ(workspace_.state().inputs.size, (kernel::Size{65, 66, 67}));
  workspace_.apply(ChooseKernel{"reduction"});
  EXPECT_EQ(workspace_.state().inputs.size, (kernel::Size{1, 512, 1}));
}

/// A kernel whose file other programs write.
class WatchedFiles : public Workspaces {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    watched_ = *kernel::find_kernel(workspace_.catalogue(), "01_naive_rows");
    watched_.name = "watched";
    watched_.file = folder_ / "01_naive_rows.cu";  // The prebuilt PTX goes by this name.
    write(watched_.source);
    workspace_.add_kernels({watched_});
    start("watched");
    EXPECT_FALSE(workspace_.watch_files());
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& text) {
    std::ofstream(watched_.file) << text;
    fs::last_write_time(watched_.file, fs::file_time_type() + std::chrono::seconds(++second_));
  }
  std::string problem(int experiment = 0) {
    return workspace_.experiment(experiment).problems().front().message.text();
  }
  void expect_refused(const std::string& reason) {
    EXPECT_TRUE(workspace_.experiment(0).stale());
    EXPECT_EQ(problem(), watched_.file.string() + ": " + reason +
                             " The earlier version is still shown. Save a kernel of at most 1024 KiB there.");
  }
  void expect_well_again() {
    write(watched_.source);
    EXPECT_TRUE(workspace_.watch_files());
    settle();
    EXPECT_FALSE(workspace_.experiment(0).stale());
    EXPECT_EQ(to_string(workspace_.experiment(0).problems()), "");
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("workspace_test." + std::to_string(::getpid()));
  kernel::Kernel watched_;
  int second_ = 0;
};

TEST_F(WatchedFiles, OneThatGrewTooLargeIsRefusedAndWhatIsOnShowStays) {
  const auto before = workspace_.experiment(0).traced();
  ASSERT_TRUE(before);
  write(watched_.source + std::string(compile::kMaxSourceBytes, ' '));
  EXPECT_TRUE(workspace_.watch_files());
  EXPECT_EQ(workspace_.experiment(0).traced(), before);
  expect_refused(std::to_string(watched_.source.size() + compile::kMaxSourceBytes) + " bytes; the limit is 1048576.");
  expect_well_again();
}

TEST_F(WatchedFiles, OneThatIsGoneIsMissedAtTheSecondLook) {
  fs::remove(watched_.file);
  EXPECT_FALSE(workspace_.watch_files()) << "an editor may be about to rename another file to it";
  EXPECT_TRUE(workspace_.watch_files());
  expect_refused("no such file.");
  EXPECT_FALSE(workspace_.watch_files()) << "it is said once";
  expect_well_again();
}

TEST_F(WatchedFiles, AFolderInItsPlaceIsRefused) {
  fs::remove(watched_.file);
  fs::create_directory(watched_.file);
  fs::last_write_time(watched_.file, fs::file_time_type() + std::chrono::seconds(++second_));
  EXPECT_TRUE(workspace_.watch_files());
  expect_refused("not a regular file.");
  fs::remove(watched_.file);
  expect_well_again();
}

TEST_F(WatchedFiles, BothExperimentsThatShowOneAreReloaded) {
  workspace_.apply(SetCompare{true});
  settle();
  write(watched_.source + "// more\n");
  EXPECT_TRUE(workspace_.watch_files());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(workspace_.experiment(i).kernel().source, watched_.source + "// more\n") << i;
  write(watched_.source + std::string(compile::kMaxSourceBytes, ' '));
  EXPECT_TRUE(workspace_.watch_files());
  EXPECT_EQ(problem(0), problem(1));
}

TEST_F(WatchedFiles, ANewerFileDoesNotHideWhatWasEditedNorTheEditTheNewerFile) {
  const std::string mine = watched_.source + "// mine\n", theirs = watched_.source + "// theirs\n";
  workspace_.apply(EditSource{{mine, watched_.source}});
  const auto edit = [&] { return workspace_.edit_of("watched"); };
  EXPECT_FALSE(workspace_.is_newer_than(*edit(), "watched"));
  write(theirs);
  EXPECT_TRUE(workspace_.watch_files());
  EXPECT_EQ(workspace_.current().kernel().source, mine);
  EXPECT_TRUE(workspace_.is_newer_than(*edit(), "watched"));
  workspace_.apply(RestoreSource{});
  EXPECT_EQ(workspace_.current().kernel().source, theirs);
  workspace_.apply(Undo{});
  EXPECT_EQ(workspace_.current().kernel().source, mine);
  EXPECT_FALSE(workspace_.is_newer_than(*edit(), "watched")) << "the user has seen it";
}

TEST_F(WatchedFiles, OneThatBecomesWhatWasEditedIsNoEditAnyMore) {
  const std::string mine = watched_.source + "// mine\n";
  workspace_.apply(EditSource{{mine, watched_.source}});
  write(mine);
  EXPECT_TRUE(workspace_.watch_files());
  EXPECT_EQ(workspace_.current().kernel().source, mine);
  EXPECT_TRUE(workspace_.state().edited.empty());
}

TEST_F(WatchedFiles, OneThatChangedWithoutAnEditIsNoEdit) {
  write(watched_.source + "// theirs\n");
  EXPECT_TRUE(workspace_.watch_files());
  EXPECT_FALSE(workspace_.current().edited());
  workspace_.apply(ChooseKernel{"02_naive_swapped"});
  workspace_.apply(ChooseKernel{"watched"});
  EXPECT_EQ(workspace_.current().kernel().source, watched_.source + "// theirs\n");
}

TEST_F(Workspaces, TwoFilesOfAUserMayHaveOneName) {
  kernel::Kernel one = *kernel::find_kernel(workspace_.catalogue(), "01_naive_rows");
  one.name = "main";
  one.file = "/one/main.cu";
  one.is_users = true;
  kernel::Kernel other = one;
  other.file = "/other/main.cu";
  workspace_.open({one, {}, {}, {}});
  workspace_.apply(EditSource{{"mine", one.source}});
  workspace_.open({other, {}, {}, {}});
  EXPECT_EQ(workspace_.current().kernel().source, other.source);
  workspace_.open({one, {}, {}, {}});
  EXPECT_EQ(workspace_.current().kernel().source, "mine");
  workspace_.apply(LoadState{State()});
  const std::vector<std::string> both{"/one/main.cu", "/other/main.cu"};
  EXPECT_EQ(workspace_.state().opened, both);
  EXPECT_EQ(workspace_.opened(), both);
  workspace_.apply(ChooseKernel{"/other/main.cu"});
  EXPECT_EQ(workspace_.current().kernel().source, other.source);
}

TEST_F(Workspaces, ALoadedStatesCursorStaysInTheSceneThatIsStillOnShow) {
  start("01_naive_rows", 64, 32);
  const analysis::Timeline& shown = scene().timeline;
  State state;
  state.inputs.kernel = "09_thread_tile_2d";
  state.inputs.settings = textbook_settings("09_thread_tile_2d");
  state.inputs.size = {256, 256, 512};
  state.cursor = {7, 20000};
  workspace_.apply(LoadState{state});
  ASSERT_TRUE(workspace_.experiment(0).stale());
  EXPECT_EQ(workspace_.cursor(0), shown.last(7));
  workspace_.apply(GoToLine{12});
  workspace_.apply(LoadState{state});
  workspace_.apply(Play{});
  EXPECT_EQ(workspace_.cursor(0), (StepRef{7, 0})) << "from the start: it stood at the end";
  workspace_.apply(LoadState{state});
  settle();
  EXPECT_EQ(workspace_.cursor(0), (StepRef{7, 20000}));

  // A place that both runs have is not carried from one to the other.
  start("01_naive_rows", 64, 32);
  state.cursor = {0, 39};
  workspace_.apply(LoadState{state});
  settle();
  EXPECT_EQ(workspace_.cursor(0), (StepRef{0, 39}));
  state.cursor = {0, 50};
  workspace_.apply(LoadState{state});
  EXPECT_EQ(workspace_.cursor(0), (StepRef{0, 50})) << "the same run";
}

TEST_F(Workspaces, AStateWithAnAbsurdLookIsShownLegibly) {
  State state;
  state.inputs.kernel = "01_naive_rows";
  state.ui_scale = 15;
  state.speed = 1e6f;
  workspace_.apply(LoadState{state});
  EXPECT_EQ(workspace_.state().ui_scale, 4);
  EXPECT_EQ(workspace_.state().speed, kFastest);
}

TEST_F(Workspaces, AnEditedTextIsKeptForItsKernelUntilRestored) {
  start("04_shared_tile");
  const std::string text = workspace_.current().kernel().source + "// mine\n";
  workspace_.apply(EditSource{{text, ""}});
  workspace_.apply(ChooseKernel{"05_guarded_tile"});
  EXPECT_FALSE(workspace_.current().edited());
  EXPECT_TRUE(workspace_.state().edited.contains("04_shared_tile"));
  workspace_.apply(ChooseKernel{"04_shared_tile"});
  EXPECT_EQ(workspace_.current().kernel().source, text);
  workspace_.apply(RestoreSource{});
  EXPECT_FALSE(workspace_.current().edited());
  EXPECT_TRUE(workspace_.state().edited.empty());
  workspace_.apply(Undo{});
  EXPECT_EQ(workspace_.current().kernel().source, text) << "Restore can be undone";
  EXPECT_EQ(workspace_.state().edited.at("04_shared_tile").text, text);
}

TEST_F(Workspaces, ATextLikeTheKernelsOwnIsNoEdit) {
  start("04_shared_tile");
  const std::string own = workspace_.current().kernel().source;
  workspace_.apply(EditSource{{own + "// mine\n", own}});
  workspace_.apply(EditSource{{own, own}});
  EXPECT_TRUE(workspace_.state().edited.empty());
}

/// A shipped kernel's copy for another editor.
class Copies : public Workspaces {
 protected:
  void SetUp() override {
    workspace_.keep_copies_in(folder_, fs::file_time_type() + std::chrono::seconds(1));
    own_ = workspace_.find("04_shared_tile")->source;
    copy_ = workspace_.file_to_edit("04_shared_tile");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void save(const std::string& text, int second) {
    fs::create_directories(folder_);
    std::ofstream(copy_) << text;
    fs::last_write_time(copy_, fs::file_time_type() + std::chrono::seconds(second));
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("copies." + std::to_string(::getpid()));
  std::string own_;
  fs::path copy_;
};

TEST_F(Copies, WhatIsSavedThereIsTheUsersEditAndTheShippedFileStays) {
  start("04_shared_tile");
  workspace_.apply(EditSource{{own_ + "// mine\n", own_}});
  EXPECT_FALSE(fs::exists(copy_)) << "nobody asked for it";
  ASSERT_TRUE(workspace_.write_copy("04_shared_tile"));
  EXPECT_EQ(*read_file(copy_), own_ + "// mine\n");
  EXPECT_FALSE(workspace_.watch_files());
  save(own_ + "// theirs\n", 2);
  EXPECT_TRUE(workspace_.watch_files());
  EXPECT_EQ(workspace_.current().kernel().source, own_ + "// theirs\n");
  EXPECT_EQ(workspace_.edit_of("04_shared_tile")->text, own_ + "// theirs\n");
  EXPECT_EQ(*read_file(workspace_.find("04_shared_tile")->file), own_);
  workspace_.apply(Undo{});
  EXPECT_EQ(*read_file(copy_), own_ + "// mine\n") << "both have the same text";
  workspace_.apply(RestoreSource{});
  EXPECT_EQ(*read_file(copy_), own_);
  EXPECT_FALSE(workspace_.watch_files());
}

TEST_F(Copies, WhatWasSavedWhileNoWindowWasOpenIsTakenOver) {
  save(own_ + "// before the last end\n", 0);
  start("04_shared_tile");
  EXPECT_FALSE(workspace_.watch_files());
  EXPECT_FALSE(workspace_.current().edited());
  workspace_.apply(ChooseKernel{"05_guarded_tile"});
  copy_ = workspace_.file_to_edit("05_guarded_tile");
  save("// after it\n", 2);
  EXPECT_TRUE(workspace_.watch_files());
  EXPECT_EQ(workspace_.current().kernel().source, "// after it\n");
  copy_ = workspace_.file_to_edit("06_padded_tile");
  save("// of one that is not on show\n", 2);
  EXPECT_TRUE(workspace_.watch_files());
  EXPECT_EQ(workspace_.edit_of("06_padded_tile")->text, "// of one that is not on show\n");
  EXPECT_EQ(workspace_.current().kernel().source, "// after it\n");
}

TEST_F(Workspaces, ALoadedStateKeepsWhatWasEditedBefore) {
  start("04_shared_tile");
  workspace_.apply(KeepEdit{"04_shared_tile", {"mine", ""}});
  workspace_.apply(KeepEdit{"06_padded_tile", {"mine", ""}});
  State other;
  other.inputs.kernel = "06_padded_tile";
  other.edited["06_padded_tile"] = {"theirs", ""};
  workspace_.apply(LoadState{other});
  EXPECT_EQ(workspace_.state().edited.at("04_shared_tile").text, "mine");
  EXPECT_EQ(workspace_.state().edited.at("06_padded_tile").text, "theirs");
}

TEST_F(Workspaces, KernelsParametersAndSizesAreUndoneAndRedone) {
  start("09_thread_tile_2d");
  const Inputs first = workspace_.state().inputs;
  workspace_.apply(SetParameter{"BM", 32});
  workspace_.apply(SetParameter{"BM", 64});
  const Inputs dragged = workspace_.state().inputs;
  workspace_.apply(SetSize{{64, 64, 64}});
  workspace_.apply(ChooseKernel{"04_shared_tile"});
  const Inputs last = workspace_.state().inputs;
  workspace_.apply(Undo{});
  EXPECT_EQ(workspace_.state().inputs.kernel, "09_thread_tile_2d");
  EXPECT_EQ(workspace_.state().inputs.size.m, 64);
  workspace_.apply(Undo{});
  EXPECT_EQ(workspace_.state().inputs, dragged);
  workspace_.apply(Undo{});
  EXPECT_EQ(workspace_.state().inputs, first) << "one drag is one change";
  workspace_.apply(Undo{});
  EXPECT_EQ(workspace_.state().inputs, first);
  for (int i = 0; i < 4; ++i) workspace_.apply(Redo{});
  EXPECT_EQ(workspace_.state().inputs, last);
  workspace_.apply(Undo{});
  workspace_.apply(SetSize{{32, 32, 32}});
  const Inputs changed = workspace_.state().inputs;
  workspace_.apply(Redo{});
  EXPECT_EQ(workspace_.state().inputs, changed) << "a new change forgets what was undone";
}

TEST_F(Workspaces, WhatIfsAreUndoneAndRedone) {
  start("09_thread_tile_2d");
  workspace_.apply(SetWhatIf{{.dram = 100}});
  workspace_.apply(SetWhatIf{{.dram = 200}});
  workspace_.apply(SetWhatIf{{.dram = 200, .no_register_conflicts = true}});
  workspace_.apply(ChooseKernel{"04_shared_tile"});
  EXPECT_EQ(workspace_.what_if(), WhatIf{});
  workspace_.apply(Undo{});
  EXPECT_TRUE(workspace_.what_if().no_register_conflicts) << "of that kernel";
  workspace_.apply(Undo{});
  EXPECT_EQ(workspace_.what_if(), (WhatIf{.dram = 200}));
  EXPECT_EQ(workspace_.state().inputs.kernel, "09_thread_tile_2d");
  workspace_.apply(Undo{});
  EXPECT_EQ(workspace_.what_if(), WhatIf{}) << "one drag is one change";
  for (int i = 0; i < 3; ++i) workspace_.apply(Redo{});
  EXPECT_EQ(workspace_.state().inputs.kernel, "04_shared_tile");
  EXPECT_EQ(workspace_.what_if(), WhatIf{});
}

TEST_F(Workspaces, BackInTheLessonEverythingIsAsItWasLeft) {
  start("04_shared_tile");
  workspace_.apply(ChooseLesson{"shared-tiles", 2});
  workspace_.apply(SetScale{Scale::Warp});
  workspace_.apply(Move{Unit::Phase, 3});
  const State left = workspace_.state();
  workspace_.apply(SetExploring{true});
  EXPECT_FALSE(workspace_.state().in_lesson());
  EXPECT_EQ(workspace_.state().inputs, left.inputs) << "the run stays on screen";
  workspace_.apply(ChooseKernel{"09_thread_tile_2d"});
  workspace_.apply(SetScale{Scale::Grid});
  settle();
  ASSERT_TRUE(workspace_.remembers_lesson());
  workspace_.apply(SetExploring{false});
  settle();
  EXPECT_EQ(workspace_.state(), left);
}

/// A lesson's scene has its own architecture: outside of the lesson the chosen one is back.
TEST_F(Workspaces, ALessonGivesTheDeviceBack) {
  start("04_shared_tile");
  workspace_.apply(SetArch{"sm_80", "NVIDIA A100"});
  workspace_.apply(ChooseLesson{"occupancy", 0});
  ShowScene scene;
  scene.inputs = workspace_.state().inputs;
  scene.arch = "sm_89";
  workspace_.apply(scene);
  settle();
  EXPECT_EQ(workspace_.state().arch, "sm_89");
  EXPECT_EQ(workspace_.state().device, "");
  const Result<State> kept = state_from(to_text(workspace_.state()));
  ASSERT_TRUE(kept);
  workspace_.apply(LoadState{*kept});  // As after a restart.
  workspace_.apply(SetExploring{true});
  EXPECT_EQ(workspace_.state().arch, "sm_80");
  EXPECT_EQ(workspace_.state().device, "NVIDIA A100");
  settle();
  EXPECT_EQ(workspace_.current().traced()->request().arch, "sm_80");
}

TEST_F(Workspaces, WhatIsChosenInALessonStays) {
  start("04_shared_tile");
  workspace_.apply(ChooseLesson{"occupancy", 0});
  workspace_.apply(SetArch{"sm_80", ""});
  workspace_.apply(SetExploring{true});
  EXPECT_EQ(workspace_.state().arch, "sm_80");
}

TEST_F(Workspaces, TheNextWarpIsAtTheSameTime) {
  start("04_shared_tile");
  workspace_.apply(Move{Unit::Phase, 2});
  const analysis::Timeline& timeline = scene().timeline;
  const StepRef before = workspace_.cursor(0);
  workspace_.apply(MoveWarp{1});
  EXPECT_EQ(workspace_.cursor(0).warp, before.warp + 1);
  EXPECT_LE(timeline.slot(workspace_.cursor(0)), timeline.slot(before));
  EXPECT_EQ(timeline.kind(workspace_.cursor(0)), timeline.kind(before));
  workspace_.apply(MoveWarp{-1});
  EXPECT_EQ(workspace_.cursor(0), before);
  workspace_.apply(MoveWarp{-1});
  EXPECT_EQ(workspace_.cursor(0), before) << "there is none before the first";
}

TEST_F(Workspaces, NonsenseCommandsDoNothing) {
  workspace_.apply(Move{Unit::Access, 5});
  workspace_.apply(GoTo{{99, 99}});
  workspace_.apply(GoToLine{7});
  workspace_.apply(Play{});
  EXPECT_FALSE(workspace_.playing());
  start("01_naive_rows");
  workspace_.apply(GoTo{{1000000, 4000000000u}});
  EXPECT_EQ(workspace_.cursor(0), scene().timeline.last(scene().timeline.warps() - 1));
  workspace_.apply(ChooseKernel{"no such kernel"});
  settle();
  EXPECT_EQ(workspace_.experiment(0).progress(), Progress::Failed);
}

}  // namespace
}  // namespace tilescope::session
