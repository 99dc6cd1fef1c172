#include "ui/explain.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <imgui.h>
#include <imgui_internal.h>

#include "base/words.h"
#include "ui/scoped.h"
#include "ui/shortcut_list.h"
#include "ui/text.h"
#include "ui/tooltip.h"

namespace tilescope::ui {
namespace {
using view::Ink;

constexpr float kDelay = 0.5f;
constexpr float kWidest = 340;

struct Control {
  std::string_view name;  ///< In the widget map.
  const char* words;
};

constexpr Control kControls[] = {
    // The top bar.
    {"lesson", tr_later("The course: text and questions beside the run")},
    {"explore", kExploreDoes},
    {"stages", tr_later("All kernels")},
    {"verdict", tr_later("Whether the result is right, and what the checkers found: opens the findings")},
    {"counted", tr_later("Which run the numbers are of; opens the choice of architecture, size and block. sm_90 is the "
                         "architecture: compute capability 9.0, an H100's or H200's")},
    {"compiled by", tr_later("Which compiler made the PTX; opens the choice. NVRTC is CUDA's compiler as a library; "
                             "prebuilt PTX comes with Tilescope")},
    {"sizes", tr_later("The traced size and block")},
    {"Compare", tr_later("A second kernel or other settings beside this one, stepped together")},
    {"Left", tr_later("The sliders and the text belong to the left one")},
    {"Right", tr_later("The sliders and the text belong to the right one")},
    {"Light", tr_later("Light colours")},
    {"Dark", tr_later("Dark colours")},
    {"Present", tr_later("The whole screen, in large type")},
    {"keys", tr_later("All keys and what they do")},
    {"Cover the answer", tr_later("In this presentation: your own answers stay as they are")},
    {"Plots", tr_later("The plots in place of the stage, and back")},
    {"presets", tr_later("Values of all parameters that go well together, with the speed that was recorded")},
    {"open my program", tr_later("A CUDA file of yours, or a program to run")},
    {"language", tr_later("The language of the window and the lessons")},
    // The stage and the strip.
    {"scale grid", tr_later("The whole grid of blocks")},
    {"scale block", tr_later("One block, coloured by warp")},
    {"scale warp", tr_later("One warp, coloured by lane")},
    {"scale thread", tr_later("One thread: its operands and its sums")},
    {"banks", tr_later("Shared memory coloured by bank, while it is accessed")},
    {"fragments", tr_later("Which lane holds which element of the matrix instruction")},
    {"slice", tr_later("Which slice of a deep array is shown")},
    {"strip lanes", tr_later("What the 32 lanes of the instruction access")},
    {"strip warps", tr_later("The warps of the block between two barriers")},
    {"warps in step", tr_later("All warps as far as this one")},
    {"warps ahead", tr_later("This warp as far ahead of the others as barriers allow")},
    {"warps behind", tr_later("This warp as far behind the others as barriers allow")},
    // The timeline.
    {"step to start", tr_later("The warp's first instruction")},
    {"step back", tr_later("One step back")},
    {"play", tr_later("Play, pause")},
    {"step forward", tr_later("One step on")},
    {"step to end", tr_later("The warp's last instruction")},
    {"step by instruction", tr_later("A step is one instruction")},
    {"step by access", tr_later("A step is the next access to memory, or barrier")},
    {"step by phase", tr_later("A step is a phase: load, sync, compute, store")},
    {"step by k-tile", tr_later("A step is one pass through the main loop")},
    {"step by round", tr_later("A step is one pass through the main loop")},
    // The simulated SM.
    {"what if", tr_later("The same launch on an SM that is different in this; all else stays as it is")},
    {"what if blocks", tr_later("How many blocks the SM holds at a time")},
    {"what if DRAM", tr_later("How long DRAM takes to answer, besides the way to L2 and back")},
    {"no bank conflicts", tr_later("As if the words of an access to shared memory lay in different banks")},
    {"free barriers", tr_later("As if warps went on at once when the last one has come to the barrier")},
    {"no register conflicts", tr_later("As if the registers that an instruction reads lay in different banks")},
    {"as it is", tr_later("The SM as it is")},
    // The plots.
    {"plot Ladder", tr_later("All stages against cuBLAS")},
    {"plot Parameter", tr_later("The speed over one parameter")},
    {"plot Size", tr_later("The speed over the size")},
    {"plot Heat map", tr_later("The speed over two parameters")},
    {"plot Roofline", tr_later("The speed under what memory and arithmetic allow")},
    {"plot Bound", tr_later("How long each part of the machine needs at least")},
    {"plot Counters", tr_later("What is counted here beside what the GPU counted")},
    {"plot SM", tr_later("How many blocks an SM holds, and what limits them")},
    {"plot Registers", tr_later("The main loop's machine code, and its waits for registers")},
    {"plot Resources", tr_later("Registers, shared memory and occupancy")},
    {"plot Findings", tr_later("Whether the result is right, and what the checkers found")},
    {"large", tr_later("In place of the stage, and back")},
    {"live", tr_later("What is on screen is measured when it changes")},
    {"Measure all stages", tr_later("Times every kernel on the GPU")},
    {"time", tr_later("Time in place of speed")},
    {"log", tr_later("A logarithmic axis")},
    {"CPU", tr_later("Times the same product on this machine's CPU")},
    // The program text.
    {"code PTX", tr_later("The PTX that runs")},
    {"code SASS", tr_later("The machine code that ptxas made, with what its scheduler is told")},
    {"code Both", tr_later("The CUDA text over its PTX")},
    {"code Edit", tr_later("Edit the kernel; the text is kept until Restore")},
    {"Run", tr_later("Compile and run the text")},
    {"find in text", tr_later("Enter goes to the next match, Shift Enter to the one before, Esc ends it")},
    {"Restore", tr_later("The kernel's own text again, in place of the edited one")},
    {"Open in my editor", tr_later("Where the file is, for another editor; its path is copied")},
    // The lesson.
    {"steps", tr_later("The steps of the lesson")},
    {"Save my answers", tr_later("A file to hand in, and one to print")},
};

/// The control of a name; null if it has no explanation.
const Control* find(std::string_view name) {
  name = name.substr(0, name.find("##"));
  if (name.starts_with("second ")) name.remove_prefix(7);
  const auto* found =
      std::find_if(std::begin(kControls), std::end(kControls), [&](const Control& each) { return each.name == name; });
  return found == std::end(kControls) ? nullptr : found;
}

}  // namespace

bool is_explained(std::string_view name) { return find(name) != nullptr; }

void explain(const Context& context, std::string_view name) {
  if (!context.hover_next || !ImGui::IsItemHovered() || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  const Control* control = find(name);
  // Who has pressed it knows it, and looks at what it changes.
  const bool pressed = ImGui::GetTime() - ImGui::GetIO().MouseClickedTime[0] < GImGui->HoveredIdTimer;
  if (!control || pressed) return;
  if (GImGui->HoveredIdTimer < kDelay) {
    if (context.moving) *context.moving = true;
    return;
  }
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2(12 * context.scale, 8 * context.scale));
  const PushedFont font(context.fonts.text);
  // Its value, or other controls, may be beside it.
  const float top = ImGui::GetItemRectMin().y, gap = 4 * context.scale;
  const bool is_low = top > ImGui::GetIO().DisplaySize.y / 2;
  place_tooltip(is_low ? top - gap : ImGui::GetItemRectMax().y + gap, is_low ? 1 : 0);
  const Tooltip tooltip;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + kWidest * context.scale);
  show_text(context, tr(control->words), Ink::Text);
  if (const std::string key = key_of(control->name); !key.empty()) show_text(context, key, Ink::Faint);
  ImGui::PopTextWrapPos();
}

}  // namespace tilescope::ui
