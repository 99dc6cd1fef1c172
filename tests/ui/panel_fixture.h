#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <imgui.h>

#include "compile/compile.h"
#include "draw/palette.h"
#include "prebuilt_only.h"
#include "session/workspace.h"
#include "textbook.h"
#include "ui/context.h"
#include "ui/style.h"
#include "wait_until.h"

/// Panels without a window: ImGui with no backend, a workspace on prebuilt PTX, and a mouse that the test moves.
namespace tilescope::ui {

/// Null for another command.
template <class Wanted>
const Wanted* command_as(const Command& command) {
  const auto among = [](const auto* commands) { return commands ? std::get_if<Wanted>(commands) : nullptr; };
  if constexpr (std::is_constructible_v<session::Command, Wanted>) {
    return among(std::get_if<session::Command>(&command));
  } else if constexpr (std::is_constructible_v<FileCommand, Wanted>) {
    return among(std::get_if<FileCommand>(&command));
  } else {
    return std::get_if<Wanted>(&command);
  }
}

class PanelFixture : public testing::Test {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1600, 900};
    io.DeltaTime = 1.0f / 60;
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    palette_ = draw::dark_palette();
    apply_style(palette_, 1);
    io.MousePos = {-1, -1};
  }
  void TearDown() override { ImGui::DestroyContext(); }

  /// Waits for the workers; false if that takes too long.
  bool settle() {
    return wait_until([&] {
      workspace_.poll();
      bool still = true;
      for (int i = 0; i < workspace_.experiments(); ++i) {
        const session::Progress progress = workspace_.experiment(i).progress();
        still = still && (progress == session::Progress::Idle || progress == session::Progress::Failed);
      }
      return still;
    });
  }

  /// What commands act on.
  virtual Services services() { return {&workspace_}; }
  void apply(const Command& command) { ui::apply(command, services()); }
  /// Chooses the kernel, with its textbook tiles.
  void open(const std::string& kernel) {
    apply(session::ChooseKernel{kernel});
    if (const std::string preset = textbook_preset(kernel); !preset.empty()) apply(session::UsePreset{preset});
  }

  /// The context of the next frame, whose hover goes to `hover_next`; commands and widgets of the last one are gone.
  Context next_context(session::Target& hover_next) {
    commands_.clear();
    widgets_.clear();
    moving_ = false;
    Context context;
    context.workspace = &workspace_;
    context.commands = &commands_;
    context.palette = &palette_;
    context.hover = hover_;
    context.hover_next = &hover_next;
    context.moving = &moving_;
    context.widgets = &widgets_;
    return context;
  }

  /// One frame with `panel` in a window of that size at the upper left corner. Its commands are in commands_ until the
  /// next frame, its widgets in widgets_, what it has under the mouse in hover_.
  void frame(const std::function<void(const Context&)>& panel, ImVec2 size = {420, 860}) {
    session::Target hover_next;
    const Context context = next_context(hover_next);
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    panel(context);
    ImGui::End();
    ImGui::Render();
    hover_ = hover_next;
  }

  const view::Box* widget(const std::string& name) const {
    for (const WidgetPlace& place : widgets_)
      if (place.name == name) return &place.box;
    return nullptr;
  }

  void move_mouse(float x, float y) { ImGui::GetIO().MousePos = {x, y}; }
  void move_mouse_to(const std::string& name, float part = 0.5f) {
    const view::Box* box = widget(name);
    ASSERT_NE(box, nullptr) << name;
    move_mouse(box->x + box->width * part, box->y + box->height / 2);
  }
  /// Presses and releases the left button there; the commands of both frames are in commands_.
  void click(const std::function<void(const Context&)>& panel, const std::string& name, float part = 0.5f,
             ImVec2 size = {420, 860}) {
    move_mouse_to(name, part);
    frame(panel, size);
    ImGui::GetIO().MouseDown[0] = true;
    frame(panel, size);
    std::vector<Command> commands = commands_;
    ImGui::GetIO().MouseDown[0] = false;
    frame(panel, size);
    commands.insert(commands.end(), commands_.begin(), commands_.end());
    commands_ = std::move(commands);
  }

  template <class Wanted>
  const Wanted* sent() const {
    for (const Command& command : commands_)
      if (const Wanted* found = command_as<Wanted>(command)) return found;
    return nullptr;
  }

  compile::Compiler compiler_{prebuilt_only()};
  run::RunCache runs_cache_{compiler_, run::window_limits()};
  session::Workspace workspace_{runs_cache_};
  draw::Palette palette_;
  std::vector<Command> commands_;
  std::vector<WidgetPlace> widgets_;
  session::Target hover_;
  bool moving_ = false;
};

}  // namespace tilescope::ui
