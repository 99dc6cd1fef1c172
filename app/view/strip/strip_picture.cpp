#include "view/strip/strip_picture.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/words.h"
#include "ptx/module.h"
#include "view/access_words.h"
#include "view/register_words.h"
#include "view/strip/strip_parts.h"
#include "view/sync_words.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using session::Target;

// --- An access that a question is about. ---

/// All lanes equal: which of them take part may be the question.
Picture covered_strip(const Focus& focus, const Canvas& canvas) {
  Strip strip(focus, canvas);
  const float size = std::min(canvas.text, canvas.height / 4);
  const Band lanes{1, std::clamp(strip.small + 6, 12.0f, canvas.height * 0.2f)};
  strip.draw_lanes(lanes, ~0u, ~0u);
  strip.number_lanes(lanes, ~0u, ~0u);
  strip.gutter_text(lanes.middle(), tr("lane"), Ink::Faint);
  const float top = lanes.bottom() + size * 0.6f;
  const Box box{strip.gutter, top, strip.plot_width(), canvas.height - top - 1};
  strip.picture.add(Rectangle{box, {Ink::Raised, 0.5f}, {Ink::Line}, 1, 4});
  strip.text(box.centre(), covered_access_text(focus.hidden), {Ink::Text}, size, Align::Centre);
  return std::move(strip.picture);
}

// --- Instructions without memory accesses: which lanes take part. ---

/// For a branch the lanes that take it, for anything else those that run it.
uint32_t taken_lanes(const Focus& focus) {
  const trace::Trace& trace = focus.traced->trace;
  const auto [first, last] = focus.traced->timeline.records(focus.cursor);
  for (const uint32_t* record = first; record != last; ++record) {
    if (trace.kind(*record) == trace::RecordKind::Branch) return trace.taken(*record);
    if (trace.kind(*record) == trace::RecordKind::Access) return trace.active(*record);
  }
  return focus.traced->timeline.active(focus.cursor);
}

constexpr float kCodePitch = 1.25f;  ///< Of code in several rows, in heights of text.

/// A line of code in at most so many rows from `left` on; only what has no room even there is cut.
std::vector<std::string> code_rows_of(const Strip& strip, float left, const std::string& line, size_t most) {
  if (line.empty()) return {};
  const Canvas& canvas = strip.canvas;
  const float room = canvas.width - left - 4;
  std::vector<std::string> rows = wrapped(*canvas.measure, line, Font::Mono, canvas.text, room);
  if (rows.size() > most) {
    rows[most - 1] += ' ' + rows[most];
    rows.resize(most);
  }
  for (std::string& row : rows) row = shortened(*canvas.measure, row, Font::Mono, canvas.text, room);
  return rows;
}

/// A parameter's name begins with the kernel's, which is long and says nothing here.
std::string without_kernel_name(std::string code, const std::string& kernel) {
  const size_t at = code.find(kernel);
  return at == std::string::npos ? code : code.replace(at, kernel.size(), "…");
}

/// Under the mouse they are explained by the name.
void draw_code(Strip& strip, Point at, const std::vector<std::string>& rows, Ink ink, const std::string& name) {
  const float text = strip.canvas.text;
  for (const std::string& row : rows) {
    strip.text(at, row, {ink}, text, Align::Begin, Align::Centre, Font::Mono);
    strip.make_hot({at.x, at.y - text / 2, strip.canvas.width - at.x, text},
                   {Target::Kind::Word, Space::None, name, 0, 0});
    at.y += text * kCodePitch;
  }
}

/// Where code begins: at the lanes or, where it would be cut there, right of its name.
float code_left(const Strip& strip, const std::string& name, const std::vector<std::string>& lines, size_t rows) {
  const Canvas& canvas = strip.canvas;
  const float room = canvas.width - strip.gutter - 4;
  size_t needed = 0;
  for (const std::string& line : lines)
    for (const std::string& row : wrapped(*canvas.measure, line, Font::Mono, canvas.text, room))
      if (!row.empty()) needed += strip.width(row, Font::Mono, canvas.text) <= room ? 1 : rows + 1;
  return needed <= rows ? strip.gutter : std::min(strip.gutter, strip.width(name, Font::Text, strip.small) + 16);
}

void draw_warp(Strip& strip, uint32_t warp, const Box& box) {
  const bool here = warp == strip.focus.cursor.warp;
  Target target;
  target.kind = Target::Kind::Warp;
  target.warp = warp;
  strip.picture.add(Rectangle{box, {Ink::Raised}, {here ? Ink::Accent : Ink::Line}, here ? 2.0f : 1.0f, 2});
  const std::string number = fmt::format("{}", warp);
  if (strip.width(number, Font::Mono, strip.small) < box.width - 1)
    strip.text(box.centre(), number, {here ? Ink::Accent : Ink::Text}, strip.small, Align::Centre, Align::Centre,
               Font::Mono);
  if (strip.focus.lit() == target) strip.outline(box);
  strip.make_hot(box, target);
}

/// The warps that meet, before the line of the barrier.
void draw_warps(Strip& strip, const std::vector<uint32_t>& warps, float top) {
  const auto count = static_cast<float>(warps.size());
  const float size = std::min({strip.canvas.height - top - 3, strip.small * 1.9f, (strip.plot_width() - 8) / count});
  if (size < 6) return;
  strip.gutter_text(top + size / 2, tr(warps.size() == 1 ? "warp" : "warps"), Ink::Faint);
  for (size_t i = 0; i < warps.size(); ++i)
    draw_warp(strip, warps[i], {strip.gutter + size * static_cast<float>(i), top, size - 2, size});
  strip.picture.add(Rectangle{{strip.gutter + size * count + 2, top - 3, 3, size + 6}, {Ink::Barrier}});
}

/// The number of the block's barrier that the cursor's instruction is at; nullopt for other instructions.
std::optional<uint32_t> barrier_at(const Focus& focus) {
  const trace::Trace& trace = focus.traced->trace;
  const auto [first, last] = focus.traced->timeline.records(focus.cursor);
  for (const uint32_t* record = first; record != last; ++record) {
    if (trace.kind(*record) != trace::RecordKind::Sync) continue;
    const trace::Sync sync = trace.sync(*record);
    if (sync.kind == trace::SyncKind::BarrierArrive || sync.kind == trace::SyncKind::BarrierPass) return sync.id;
  }
  return std::nullopt;
}

Picture lane_strip(const Focus& focus, const Canvas& canvas) {
  Strip strip(focus, canvas);
  const run::TracedBlock& traced = *focus.traced;
  const uint32_t active = traced.timeline.active(focus.cursor), taken = taken_lanes(focus);
  const ptx::Instruction& instruction = traced.instruction(traced.timeline.pc(focus.cursor));
  const std::optional<uint32_t> barrier = barrier_at(focus);
  const std::string code = without_kernel_name(ptx::print(*traced.facts.module, traced.function(), instruction),
                                               traced.function().name),
                    words = barrier ? "" : register_words(focus, focus.lit_lane());
  const float height = std::clamp(canvas.height * 0.24f, strip.small + 6, strip.small * 2.6f);
  const float pitch = canvas.text * kCodePitch, free = canvas.height - height - strip.small * 1.3f - canvas.text;
  const size_t fit = 1 + static_cast<size_t>(std::max(0.0f, free / pitch));
  const std::string name = tr_format("lane {}", focus.lit_lane());
  const float left = code_left(strip, name, {code, words}, barrier ? 1 : fit);
  const std::vector<std::string> word_rows = code_rows_of(strip, left, words, std::max<size_t>(fit, 2) - 1);
  const size_t most = barrier || fit <= word_rows.size() ? 1 : fit - word_rows.size();
  const std::vector<std::string> instruction_rows = code_rows_of(strip, left, code, most);
  const size_t usual = words.empty() ? 1 : 2, rows = instruction_rows.size() + word_rows.size();
  const float more = static_cast<float>(rows - usual) * pitch;
  const float content = height + strip.small * 1.3f + canvas.text * 1.2f + strip.small * 1.9f + more;
  const Band lanes{std::max(1.0f, (canvas.height - content) / 2), height};
  strip.draw_lanes(lanes, taken, active);
  strip.number_lanes(lanes, taken, active);
  strip.gutter_text(lanes.middle(), tr("lane"), Ink::Faint);
  const float below = lanes.bottom() + strip.small * 1.3f;
  // wgmma's registers do not fit; the stage shows who holds what.
  if (instruction.op == ptx::Op::WgmmaMma) return std::move(strip.picture);
  draw_code(strip, {left, below}, instruction_rows, Ink::Strong,
            fmt::format("{}{}", ptx::mnemonic(instruction.op), instruction.modifiers));
  if (barrier) {
    draw_warps(strip, warps_at_barrier(traced, *barrier), below + canvas.text * 1.2f);
  } else if (!words.empty()) {
    const float next = below + pitch * static_cast<float>(instruction_rows.size() - 1) + canvas.text * 1.5f;
    strip.text({left - 8, next}, name, {Ink::Faint}, strip.small, Align::End);
    draw_code(strip, {left, next}, word_rows, Ink::Text, words.substr(0, words.find(' ')));
  }
  return std::move(strip.picture);
}

}  // namespace

Space strip_space(const Focus& focus) {
  const auto& names = focus.emphasised;
  return std::find(names.begin(), names.end(), "banks") != names.end() ? Space::Shared : Space::Global;
}

Picture strip_picture(const Focus& focus, const Canvas& canvas) {
  std::vector<WarpAccess> accesses = accesses_at(*focus.traced, focus.cursor);
  std::stable_partition(accesses.begin(), accesses.end(),
                        [space = strip_space(focus)](const WarpAccess& access) { return access.space == space; });
  for (const WarpAccess& access : accesses) {
    if (focus.hidden.access()) return covered_strip(focus, canvas);
    if (access.space == Space::Global) return global_strip(focus, canvas, access);
    if (access.space == Space::Shared) return shared_strip(focus, canvas, access);
  }
  return lane_strip(focus, canvas);
}

}  // namespace tilescope::view
