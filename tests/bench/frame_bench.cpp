// A whole frame of the window at 1600 x 900, without a GPU: all panels laid out and painted into ImGui's lists, with
// the cursor one instruction further each time. And the time from the release of a slider to the new scene.
#include <chrono>
#include <filesystem>
#include <thread>

#include <benchmark/benchmark.h>
#include <imgui.h>

#include "draw/cell_layer.h"
#include "draw/palette.h"
#include "session/workspace.h"
#include "ui/font_book.h"
#include "ui/frame.h"
#include "ui/style.h"
#include "ui/text_measure.h"
#include "window/font_files.h"

namespace tilescope::ui {
namespace {
using session::Scale;

void wait_for(session::Workspace& workspace, session::Progress until) {
  while (workspace.poll(), workspace.experiment(0).progress() != until)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

/// The window's contents without a window.
class Bare {
 public:
  explicit Bare(session::Workspace& workspace) : workspace_(workspace), fonts_(window::find_fonts()), measure_(fonts_) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1600, 900};
    io.DeltaTime = 1.0f / 60;
    palette_ = draw::dark_palette();
    apply_style(palette_, 1);
    load_fonts();
  }
  ~Bare() { ImGui::DestroyContext(); }

  void frame() {
    if (fonts_.outdated()) load_fonts();
    for (const Command& command : commands_) apply(command, {&workspace_});
    commands_.clear();
    cells_.clear();
    session::Target hover_next;
    const PictureTools tools{&fonts_, &cells_, &measure_, nullptr};
    Context context;
    context.workspace = &workspace_;
    context.commands = &commands_;
    context.palette = &palette_;
    context.fonts = standard_;
    context.pictures = &tools;
    context.hover_next = &hover_next;
    ImGui::NewFrame();
    show_frame(context, kept_);
    ImGui::Render();
  }

 private:
  void ask_for_fonts() {
    standard_ = {fonts_.at(view::Font::Text, 14).font, fonts_.at(view::Font::Bold, 14).font,
                 fonts_.at(view::Font::Bold, 22).font, fonts_.at(view::Font::Mono, 13).font};
  }
  void load_fonts() {
    ask_for_fonts();
    fonts_.build();
    ask_for_fonts();
    ImGui::GetIO().FontDefault = standard_.text;
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  }

  session::Workspace& workspace_;
  FontBook fonts_;
  FontMeasure measure_;
  draw::CellLayer cells_;
  draw::Palette palette_;
  Fonts standard_;
  std::vector<Command> commands_;
  FrameState kept_;
};

/// The 2-D thread tile over 128 k-tiles: 159,000 records, 111,000 slots.
void frame(benchmark::State& state, Scale scale, bool moves = true) {
  compile::Compiler compiler;
  run::RunCache runs(compiler, run::window_limits());
  session::Workspace workspace(runs);
  Bare bare(workspace);
  workspace.apply(session::ChooseKernel{"09_thread_tile_2d"});
  workspace.apply(session::SetSize{{256, 256, 1024}});
  workspace.apply(session::SetScale{scale});
  wait_for(workspace, session::Progress::Idle);
  for (int i = 0; i < 100; ++i) bare.frame();
  for (auto _ : state) {
    if (moves) workspace.apply(session::Move{analysis::Unit::Instruction, 1});
    bare.frame();
  }
}
BENCHMARK_CAPTURE(frame, grid, Scale::Grid)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame, block, Scale::Block)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame, warp, Scale::Warp)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame, thread, Scale::Thread)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame, resting, Scale::Block, false)->Unit(benchmark::kMillisecond);

/// From the release of a slider to the scene with the new trace, at the default size. Wall time: the work is done on
/// another thread.
void release(benchmark::State& state, bool cached) {
  compile::Settings settings;
  settings.cache_folder = std::filesystem::temp_directory_path() / "tilescope-bench-cache";
  compile::Compiler compiler(settings);
  run::RunCache runs(compiler, run::window_limits());
  session::Workspace workspace(runs);
  const auto set = [&](int64_t value) {
    const auto before = workspace.experiment(0).traced();
    workspace.apply(session::SetParameter{"BK", value});
    while (workspace.poll(), workspace.experiment(0).traced() == before)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  workspace.apply(session::ChooseKernel{"09_thread_tile_2d"});
  wait_for(workspace, session::Progress::Idle);
  set(16);
  set(8);
  int64_t value = 8;
  for (auto _ : state) {
    state.PauseTiming();
    wait_for(workspace, session::Progress::Idle);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // Of inputs in quick succession only the last is run.
    if (!cached) std::filesystem::remove_all(settings.cache_folder);
    state.ResumeTiming();
    set(value = 24 - value);
  }
  std::filesystem::remove_all(settings.cache_folder);
}
BENCHMARK_CAPTURE(release, cached, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(release, compiled, false)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace tilescope::ui
