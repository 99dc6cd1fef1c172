#include "view/stage/stage_picture.h"

#include "base/words.h"
#include "view/stage/stage_cells.h"
#include "view/stage/stage_marks.h"
#include "view/stage/stage_transfer.h"
#include "view/stage/stage_words.h"
#include "view/words.h"

namespace tilescope::view {

Picture stage_picture(const Focus& focus, const Canvas& canvas, const StageView& view) {
  Picture picture;
  picture.width = canvas.width;
  picture.height = canvas.height;
  if (focus.traced->timeline.warps() == 0) return picture;
  const StageFrame frame = stage_frame(focus, canvas, view);
  for (const ArrayPanel& panel : frame.panels) {
    add_cells(frame, panel, picture);
    add_marks(frame, panel, picture);
  }
  add_words(frame, picture);
  add_transfers(frame, picture);
  return picture;
}

std::string breadcrumb(const Focus& focus) {
  const run::TracedBlock& traced = *focus.traced;
  return tr_format("block {} › warp {} › {}", position_text(position_in(traced.report.grid, traced.block)),
                   focus.cursor.warp, instruction_text(focus, focus.cursor));
}

}  // namespace tilescope::view
