#include "ui/window_words.h"

#include <algorithm>
#include <iterator>

#include <imgui.h>

#include "base/words.h"

namespace tilescope::ui {
namespace {

constexpr WindowWord kWords[] = {
    {tr_later("counted"),
     tr_later("Counted by executing the kernel here, instruction by instruction. The same on every machine.")},
    {tr_later("measured"), tr_later("Timed on this machine's GPU, many times; the median is shown.")},
    {tr_later("recorded"), tr_later("Measured before, on the device that is named, and shipped with Tilescope.")},
    {tr_later("predicted"),
     tr_later("Computed from the counts by a model of the device. Its error is stated beside it.")},
    {tr_later("published"), tr_later("Taken from a publication, which is named.")},
    {tr_later("phase"), tr_later("A stretch of a warp's instructions with one purpose: load, sync, compute or store.")},
    {tr_later("k-tile"),
     tr_later("One pass through the block's main loop: the part of K whose tiles are in shared memory together.")},
    {tr_later("tile"),
     tr_later("One pass through the block's main loop: the parts of the inputs that are in shared memory "
              "together.")},
    {tr_later("round"), tr_later("One pass through the main loop of a kernel without tiles in shared memory.")},
    {tr_later("sect., sectors / request"),
     tr_later("How many 32-byte sectors of global memory a warp's access moves, on average over the grid.")},
    {tr_later("wavef., wavefronts / request"),
     tr_later("How many passes shared memory or L1 needs for a warp's access, on average over the grid.")},
    {tr_later("ideal"), tr_later("The fewest sectors or wavefronts that could move what the lanes use.")},
    {tr_later("k"),
     tr_later("The index that the sums run over. The stage shows the columns of A and the rows of B that "
              "the block multiplies now.")},
    {tr_later("drawn transposed"),
     tr_later("Its rows are drawn as columns, so that k runs the same way as in the matrix that it comes from.")},
    {tr_later("missing: arrivals, bytes"),
     tr_later(
         "What an mbarrier still waits for in its phase: threads that are to arrive, and bytes of copies that were "
         "announced and have not come. Then the next phase begins.")},
    {tr_later("stage"),
     tr_later("A place for tiles in shared memory. Full colour: copies to it are in flight. Faint: they have "
              "come, and the tile stays until it is overwritten.")},
    {tr_later("legal"), tr_later("The values of the sliders keep every limit of the kernel and of the architecture.")},
    {tr_later("preset"),
     tr_later("Values of all parameters that go well together; the menu says how fast each was recorded to be.")},
};

}  // namespace

std::span<const WindowWord> window_words() { return kWords; }

const WindowWord* find_window_word(std::string_view name) {
  const auto* found = std::ranges::find(kWords, name, &WindowWord::name);
  return found == std::end(kWords) ? nullptr : found;
}

void explain_word(const Context& context, const char* name) {
  if (context.hover_next && ImGui::IsItemHovered())
    *context.hover_next = {session::Target::Kind::Word, Space::None, name, 0, 0};
}

}  // namespace tilescope::ui
