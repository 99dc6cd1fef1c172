// In a language whose words have no letters, remaining letters show what was not passed to tr(): texts, and parts of
// them.
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture_checks.h"
#include "traced_fixture.h"
#include "view/access_words.h"
#include "view/code/code_lines.h"
#include "view/code/findings.h"
#include "view/parameters.h"
#include "view/plots/plots.h"
#include "view/plots/sm_plot.h"
#include "view/resources.h"
#include "view/stage/stage_picture.h"
#include "view/stage/thread_picture.h"
#include "view/strip/strip_picture.h"
#include "view/timeline/timeline_picture.h"
#include "view/tooltip/tooltip.h"
#include "wordless.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using run::TracedBlock;
using session::Target;
using testing::IsEmpty;
using Kind = Target::Kind;

/// The text, where letters are left in it other than numbers', units and names.
std::string letters_left(const std::string& text) {
  static const std::regex name(
      R"(^(full|empty|stages)$|\w*\d\w*|%[a-z.]+|\w+(?=\[)|\b([GT]?FLOP|KiB|NVRTC|NVIDIA|cublasGemmEx|cuBLAS|DRAM|ret)\b)");
  static const std::regex word("[A-Za-z]{3,}");
  return std::regex_search(std::regex_replace(text, name, ""), word) ? text : std::string();
}

bool is_code(const Label& label) {
  return label.font == Font::Mono && label.text.find_first_of(".[%@") != std::string::npos;
}

class Translation : public testing::Test {
 protected:
  void SetUp() override { set_language(wordless()); }
  void TearDown() override {
    set_language(nullptr);
    EXPECT_THAT(left_, IsEmpty());
  }

  void check(const std::string& text) {
    if (std::string left = letters_left(text); !left.empty()) left_.insert(left);
  }
  void check(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) check(text);
  }
  void check(const Picture& picture) {
    for (const Shape& shape : picture.shapes)
      if (const auto* label = std::get_if<Label>(&shape); label && !is_code(*label)) check(label->text);
  }
  void check(const TooltipText& text) {
    check(text.title);
    for (const std::string& line : text.lines)
      if (line.find_first_of(".%") == std::string::npos) check(line);
  }
  void check(const Plot& plot) {
    check(plot.picture);
    for (const PlotSpot& spot : plot.spots) check(spot.lines);
  }

  std::set<std::string> left_;
};

/// The first moment of each instruction in the first and last warp.
std::vector<StepRef> one_moment_each(const TracedBlock& traced) {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  std::vector<StepRef> moments;
  for (const uint32_t warp : {0u, traced.timeline.warps() - 1})
    for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
      if (seen.emplace(warp, traced.timeline.pc({warp, step})).second) moments.push_back({warp, step});
  return moments;
}

TEST_F(Translation, OfWhatEachInstructionDoes) {
  for (const auto& traced : every_traced())
    for (const StepRef& at : one_moment_each(*traced)) {
      const InstructionWords words = words_at(*traced, at);
      check({words.elements, words.sentence, words.merging, words.lanes});
    }
}

TEST_F(Translation, OfThePictures) {
  const PlainMeasure measure;
  const Canvas high{820, 420, &measure, 14}, low{820, 170, &measure, 14}, narrow{300, 200, &measure, 14};
  for (const auto& traced : every_traced()) {
    const std::vector<StepRef> moments = one_moment_each(*traced);
    for (size_t i = 0; i < moments.size(); i += 37)
      for (const bool covered : {false, true}) {
        Focus focus = focus_at(*traced, moments[i]);
        focus.hidden = covered ? session::HiddenFacts{session::Fact::Accesses} : session::HiddenFacts{};
        for (const float level : {0.0f, 1.0f, 2.0f})
          for (const Canvas& canvas : {high, narrow}) check(stage_picture(focus, canvas, {level, 1, 0, 0}));
        check(thread_picture(focus, high));
        check(strip_picture(focus, low));
        check(timeline_picture(focus, low, {}, timeline_content(*traced, {})));
        check(breadcrumb(focus));
        check(sm_plot(*traced, {540, 300, &measure, 14}, covered));
      }
  }
}

TEST_F(Translation, OfTooltips) {
  for (const auto& traced : every_traced()) {
    const std::vector<StepRef> moments = one_moment_each(*traced);
    for (size_t i = 0; i < moments.size(); i += 23) {
      Focus focus = focus_at(*traced, moments[i]);
      ElementUses uses;
      for (const run::TracedArray& array : traced->accesses.arrays())
        for (const uint64_t index : {0, 1, 77})
          check(tooltip({Kind::Element, array.allocation.space, array.allocation.name, index, 0}, focus, uses));
      for (const Kind kind :
           {Kind::Lane, Kind::Warp, Kind::Block, Kind::Step, Kind::Bank, Kind::SourceLine, Kind::PtxLine})
        for (const uint64_t index : {0, 3, 12, 41})
          check(tooltip({kind, Space::None, "", index, focus.cursor.warp}, focus, uses));
      for (const WarpAccess& access : accesses_at(*traced, focus.cursor))
        if (access.space == Space::Global)
          for (const analysis::SectorUse& use : access.sectors())
            check(tooltip({Kind::Sector, Space::Global, "", use.address, 0}, focus, uses));
    }
  }
}

TEST_F(Translation, OfWhatTheCountersSay) {
  for (const kernel::Kernel& kernel : shipped_kernels().kernels) {
    compile::Compiler compiler(prebuilt_only());
    set_language(nullptr);  // A run is made in one language and read in another.
    const auto traced = trace_block(request_for(kernel.name, {256, 256, 64}), compiler);
    set_language(wordless());
    ASSERT_TRUE(traced) << to_string(traced.errors());
    for (const ResourceRow& row : resource_rows((*traced)->report, nullptr)) {
      check({row.caption, row.value});
      if (row.name != "registers per thread") check(row.detail);
    }
    const FindingList list = finding_list(**traced, nullptr, nullptr);
    check({list.summary, list.checked});
    const Listing listing = make_listing(**traced, nullptr, nullptr);
    check(listing.counted);
    for (const LineFacts& line : listing.cuda.facts)
      for (const AccessCost& cost : line.costs) check(to_sentence(cost));
  }
}

TEST_F(Translation, OfAStoppedRun) {
  compile::Compiler compiler(prebuilt_only());
  set_language(nullptr);  // It was stopped in one language and is read in another.
  const auto traced = trace_block(request_for("09", {128, 128, 64}), compiler);
  ASSERT_TRUE(traced) << to_string(traced.errors());
  run::Report& report = std::const_pointer_cast<TracedBlock>(*traced)->report;
  report.verified.reset();
  report.not_verified = run::Unverified::DidNotEnd;
  set_language(wordless());
  for (const emulator::Outcome outcome : {emulator::Outcome::Deadlocked, emulator::Outcome::Trapped,
                                          emulator::Outcome::StepBudget, emulator::Outcome::Cancelled}) {
    run::Stop& stop = report.stopped.emplace();
    stop.outcome = outcome;
    stop.file = "09.cu";
    stop.line = 7;
    const FindingList list = finding_list(**traced, nullptr, nullptr);
    check({list.summary, list.checked});
    ASSERT_FALSE(list.rows.empty());
    check({list.rows[0].title, list.rows[0].message});
  }
}

TEST_F(Translation, OfWhyAParameterIsIllegal) {
  session::Inputs inputs;
  const Result<kernel::Kernel> kernel = kernel::find_kernel(textbook_kernels(), "09");
  ASSERT_TRUE(kernel);
  inputs.size = {256, 256, 64};
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"TM", "1"}, {"BK", "9"}, {"BM", "128"}}) {
    inputs.settings = {{name, value}};
    set_language(nullptr);  // What is illegal is found in one language and read in another.
    const auto settled = kernel::configure(kernel->description, inputs.settings, inputs.size, {});
    set_language(wordless());
    const ParameterPanel panel = parameter_panel(kernel->description, inputs, {}, settled);
    check(panel.legality.sentences);
    for (const Slider& slider : panel.sliders) check(slider.about);
    EXPECT_EQ(panel.legality.legal, name == "BM");
    EXPECT_EQ(panel.legality.ways.empty(), name == "BM") << "the nearest are offered in every language";
  }
}

/// The devices and figures of a plot.
struct Figures {
  std::vector<arch::Device> devices = *arch::load_devices(TILESCOPE_SOURCE_DIR "/assets/devices.toml");
  std::vector<store::Measurement> figures;
  std::vector<run::CountedWork> counted;
  PlotData data;

  explicit Figures(const kernel::Kernel& shown) {
    for (const kernel::Kernel& kernel : shipped_kernels().kernels) {
      data.stages.push_back({&kernel, "digest"});
      add(kernel);
    }
    data.shown = {&shown, "digest"};
    data.params = default_params(shown.description);
    data.devices = devices;
    data.recorded_on = data.measured_on = "NVIDIA H200";
    data.figures = figures;
    data.counted = counted;
  }

  void add(const kernel::Kernel& kernel) {
    store::Measurement figure;
    figure.subject.device = "NVIDIA H200";
    figure.subject.kernel = kernel.name;
    figure.subject.kernel_hash = "digest";
    figure.subject.params = default_params(kernel.description);
    figure.subject.m = figure.subject.n = figure.subject.k = 4096;
    figure.date = "2026-11-21T20:52:31Z";
    figure.driver = "580.1";
    figure.seconds = {0.0099, 0.01, 0.0102};
    figure.gflops = 13743.9;
    figure.samples = 60;
    figure.clock_mhz = 1980;
    figure.is_noisy = true;
    figure.dropped = 3;
    figure.reference = store::Reference{"cublasGemmEx", {0.002, 0.002, 0.002}, {0.2, 0.2, 0.2}};
    for (const auto provenance : {store::Provenance::Recorded, store::Provenance::Measured}) {
      figure.provenance = provenance;
      figures.push_back(figure);
    }
    run::CountedWork work{kernel.name, kernel.source, figure.subject.params, 4096, {}, 1024, {}};
    work.work = {uint64_t{1} << 36, {},      1 << 28, 1 << 20,
                 uint64_t{1} << 32, 1 << 22, 1 << 27, 2.0 * 4096 * 4096 * 4096};
    counted.push_back(std::move(work));
  }
};

TEST_F(Translation, OfPlots) {
  const Result<kernel::Kernel> shown = kernel::find_kernel(textbook_kernels(), "09");
  ASSERT_TRUE(shown);
  Figures made(*shown);
  const PlainMeasure measure;
  const Canvas canvas{560, 190, &measure};
  for (const int64_t size : {4096, 1000}) {
    made.data.size = size;
    Plot ladder = ladder_plot(made.data, canvas);
    ladder.picture.shapes.clear();  // Its labels are the kernels' titles.
    for (const Plot& plot :
         {ladder, heat_plot(made.data, canvas, "BM", "BN"), heat_plot(made.data, canvas, "BM", "BM"),
          parameter_plot(made.data, canvas, "BM", Quantity::Speed, {}),
          parameter_plot(made.data, canvas, "", Quantity::Time, {}), roofline_plot(made.data, canvas, {}),
          size_plot(made.data, canvas, Quantity::Speed, false, {}), bound_plot(made.data, canvas)})
      check(plot);
  }
}

}  // namespace
}  // namespace tilescope::view
