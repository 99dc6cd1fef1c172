#pragma once

#include <memory>
#include <utility>

#include "base/file.h"
#include "draw/cell_layer.h"
#include "lesson/lesson_runner.h"
#include "measure/measurement_service.h"
#include "ui/font_book.h"
#include "ui/frame.h"
#include "ui/panel_fixture.h"

namespace tilescope::ui {

/// The window with all of its panels, the figures that ship and a course, which the test chooses.
class FrameFixture : public PanelFixture {
 protected:
  void SetUp() override {
    PanelFixture::SetUp();
    const std::filesystem::path assets = data_folder() / "assets";
    measuring_ = std::make_unique<measure::MeasurementService>(
        measure::FigureFiles{assets / "recordings", assets / "published.toml", assets / "devices.toml", {}}, [] {});
    while (measuring_->loading()) measuring_->poll();
  }

  void use_course(lesson::Course course) {
    lessons_ = std::make_unique<lesson::LessonRunner>(std::move(course), runs_cache_, 0, [] {});
  }
  /// With the kernels of its scenes.
  void use_shipped_course(const std::string& language = "en") {
    use_course(lesson::load_course(data_folder() / "lessons", workspace_.catalogue(), language));
    for (const lesson::Lesson& lesson : lessons_->course().lessons)
      for (const lesson::Step& step : lesson.steps)
        if (step.scene) workspace_.add_kernels({*step.scene->kernel});
  }

  Services services() override { return {&workspace_, lessons_.get(), measuring_.get(), &counter_}; }

  /// A frame of it all, and over it what `above` shows.
  void show_window(
      float scale = 1, const std::function<void(const Context&)>& above = [](const Context&) {}) {
    session::Target hover_next;
    Context context = next_context(hover_next);
    context.scale = scale;
    context.lessons = lessons_.get();
    context.measuring = measuring_.get();
    context.counter = &counter_;
    context.pictures = &tools_;
    cells_.clear();
    ImGui::NewFrame();
    show_frame(context, kept_);
    above(context);
    ImGui::Render();
    hover_ = hover_next;
  }

  run::WorkCounter counter_{runs_cache_, [] {}};
  std::unique_ptr<lesson::LessonRunner> lessons_;
  std::unique_ptr<measure::MeasurementService> measuring_;
  FrameState kept_;

 private:
  FontBook fonts_{{}};
  draw::CellLayer cells_;
  PictureTools tools_{&fonts_, &cells_, nullptr, nullptr};
};

}  // namespace tilescope::ui
