#include "view/timeline_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"
#include "view/access_words.h"

namespace tilescope::view {
namespace {
using analysis::Moment;
using analysis::StepKind;
using session::Target;

constexpr size_t kKinds = 8;
constexpr uint32_t kFewestColumns = 16;
constexpr size_t kStraightLinesACall = 1024;  ///< Each can give a mark for every instruction in it.
constexpr float kOtherWarps = 0.62f;  ///< Strength of rows that the cursor is not in.

Ink ink_of(StepKind kind) {
  switch (kind) {
    case StepKind::Other: return Ink::OtherStep;
    case StepKind::LoadGlobal: return Ink::LoadGlobal;
    case StepKind::AsyncCopy: return Ink::AsyncCopy;
    case StepKind::StoreShared: return Ink::StoreShared;
    case StepKind::LoadShared: return Ink::LoadShared;
    case StepKind::Multiply: return Ink::Multiply;
    case StepKind::Barrier: return Ink::Barrier;
    case StepKind::StoreGlobal: return Ink::StoreGlobal;
  }
  return Ink::OtherStep;
}

// --- Runs. ---

void add_run(std::vector<TimelineRuns::Run>& row, const TimelineRuns::Run& run) {
  if (!row.empty() && row.back().column == run.column) row.pop_back();
  if (!row.empty() && row.back().kind == run.kind && row.back().waits == run.waits) return;
  row.push_back(run);
}

/// Puts a warp's instructions into runs, one after another.
class RowMaker {
 public:
  RowMaker(const analysis::Timeline& timeline, uint32_t warp) : timeline_(timeline), warp_(warp) {}

  void add(const trace::StraightLine& line) {
    for (uint32_t i = 0; i < line.count; ++i, ++column_) {
      if (met_) jump(line.first_step + i);
      const StepKind kind = timeline_.kind(line.pc + i);
      add_run(row_, {column_, kind, false});
      met_ = kind == StepKind::Barrier;
    }
  }

  std::vector<TimelineRuns::Run> finish() {
    if (column_ < timeline_.columns()) add_run(row_, {column_, StepKind::Other, true});
    row_.push_back({timeline_.columns(), StepKind::Other, true});
    return std::move(row_);
  }

 private:
  /// Only a barrier moves a warp to another column than the next.
  void jump(uint32_t step) {
    const uint32_t begin = timeline_.column({warp_, step});
    if (begin > column_) add_run(row_, {column_, StepKind::Other, true});
    column_ = begin;
  }

  const analysis::Timeline& timeline_;
  uint32_t warp_ = 0, column_ = 0;
  bool met_ = true;
  std::vector<TimelineRuns::Run> row_{{0, StepKind::Other, true}};
};

std::vector<TimelineRuns::Run> row_of(const session::Scene& scene, uint32_t warp) {
  RowMaker row(*scene.timeline, warp);
  for (const trace::StraightLine& line : scene.log.warps()[warp]) row.add(line);
  return row.finish();
}

/// What a cell of the drawing shows of the columns that it stands for.
struct CellKind {
  StepKind kind = StepKind::Other;
  bool waits = true;
};

/// Counts how many columns of each kind fall in a cell.
class KindCount {
 public:
  void add(const TimelineRuns::Run& run, uint32_t columns) {
    if (!run.waits) counts_[static_cast<size_t>(run.kind)] += columns;
  }
  CellKind take() {
    const auto most = std::max_element(counts_.begin() + 1, counts_.end());
    const CellKind kind{*most ? static_cast<StepKind>(most - counts_.begin()) : StepKind::Other,
                        *most == 0 && counts_[0] == 0};
    counts_.fill(0);
    return kind;
  }

 private:
  std::array<uint32_t, kKinds> counts_{};
};

uint32_t first_of_cell(const TimelineLayout& layout, uint32_t cell, uint32_t cells) {
  return layout.first_column + static_cast<uint32_t>(uint64_t{cell} * layout.columns / cells);
}

std::vector<CellKind> cells_of(const std::vector<TimelineRuns::Run>& row, const TimelineLayout& layout,
                               uint32_t cells) {
  const auto after = std::upper_bound(row.begin(), row.end(), layout.first_column,
                                      [](uint32_t column, const auto& run) { return column < run.column; });
  auto run = after - row.begin() - 1;
  std::vector<CellKind> kinds(cells);
  KindCount count;
  for (uint32_t cell = 0; cell < cells; ++cell) {
    uint32_t from = first_of_cell(layout, cell, cells);
    const uint32_t to = first_of_cell(layout, cell + 1, cells);
    while (from < to && static_cast<size_t>(run) + 1 < row.size()) {
      const uint32_t end = std::min(to, row[static_cast<size_t>(run) + 1].column);
      count.add(row[static_cast<size_t>(run)], end - from);
      from = end;
      run += end == row[static_cast<size_t>(run) + 1].column;
    }
    kinds[cell] = count.take();
  }
  return kinds;
}

// --- Marks. ---

/// The bytes that a target stands for; none when it is no place in memory.
struct Bytes {
  Space space = Space::None;
  uint64_t begin = 0, bytes = 0;
};

Bytes bytes_of(const session::Scene& scene, const Target& target) {
  if (target.kind == Target::Kind::Sector) return {Space::Global, target.index, analysis::kSectorBytes};
  const auto element_of = [&](const Allocation& array) {
    const uint64_t size = size_of(array.element);
    return Bytes{target.space, array.base + target.index * size, size};
  };
  if (target.kind != Target::Kind::Element) return {};
  for (const auto& array : scene.facts.global)
    if (target.space == Space::Global && array.allocation.name == target.array) return element_of(array.allocation);
  for (const Allocation& array : scene.facts.shared)
    if (target.space == Space::Shared && array.name == target.array) return element_of(array);
  return {};
}

bool touches_bytes(const trace::Trace& trace, uint32_t record, const Bytes& wanted) {
  if (!trace.may_meet(record, wanted.begin, wanted.begin + wanted.bytes)) return false;
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  // A lane's bytes meet the wanted ones when its address lies in [lowest, lowest + span).
  const uint64_t reach = trace.bytes(record) - 1, lowest = wanted.begin - reach, span = wanted.bytes + reach;
  uint32_t hits = 0;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane) hits |= uint32_t{addresses[lane] - lowest < span} << lane;
  return (hits & trace.active(record)) != 0;
}

/// Goes on where the marks end: visits up to `most` entries of the warps' lists.
template <class ListOf, class Visit>
void visit_on(TimelineMarks& marks, uint32_t warps, size_t most, ListOf list_of, Visit visit) {
  for (; marks.warp < warps; ++marks.warp, marks.next = 0) {
    const auto& list = list_of(marks.warp);
    for (; marks.next < list.size(); ++marks.next) {
      if (most-- == 0) return;
      visit(list[marks.next]);
    }
  }
  marks.complete = true;
}

void mark_accesses(const session::Scene& scene, const Bytes& wanted, TimelineMarks& marks) {
  const trace::Trace& trace = *scene.trace;
  const auto visit = [&](uint32_t record) {
    if (trace.kind(record) != trace::RecordKind::Access || trace.space(record) != wanted.space) return;
    if (!touches_bytes(trace, record, wanted)) return;
    const uint32_t column = scene.timeline->column({marks.warp, trace.step(record).warp_step});
    marks.marks.push_back({marks.warp, column, trace::is_write(trace.access_kind(record))});
  };
  visit_on(
      marks, scene.timeline->warps(), TimelineMarks::kRecordsACall,
      [&](uint32_t warp) { return trace.warp_records(0, warp); }, visit);
}

/// How many of the instructions before each, and before the end, belong to a line.
std::vector<uint32_t> instructions_of_line(const session::Scene& scene, const Target& target) {
  const bool cuda = target.kind == Target::Kind::SourceLine;
  std::vector<uint32_t> before{0};
  for (uint32_t pc = 0; pc < scene.function().instructions.size(); ++pc) {
    const int line = cuda ? scene.facts.line_of(pc) : scene.instruction(pc).line;
    before.push_back(before.back() + (line > 0 && static_cast<uint64_t>(line) == target.index));
  }
  return before;
}

void mark_steps(const session::Scene& scene, const std::vector<uint32_t>& before, TimelineMarks& marks) {
  const auto& warps = scene.log.warps();
  const auto visit = [&](const trace::StraightLine& line) {
    if (before[line.pc] == before[line.pc + line.count]) return;
    for (uint32_t i = 0; i < line.count; ++i)
      if (before[line.pc + i] != before[line.pc + i + 1])
        marks.marks.push_back({marks.warp, scene.timeline->column({marks.warp, line.first_step + i}), false});
  };
  visit_on(
      marks, std::min(scene.timeline->warps(), static_cast<uint32_t>(warps.size())),
      kStraightLinesACall, [&](uint32_t warp) -> const auto& { return warps[warp]; }, visit);
}

/// The first step at which a warp runs an instruction.
std::optional<uint32_t> first_step_of(const session::Scene& scene, uint32_t warp, uint32_t pc) {
  if (warp >= scene.log.warps().size()) return std::nullopt;
  for (const trace::StraightLine& line : scene.log.warps()[warp])
    if (pc >= line.pc && pc - line.pc < line.count) return line.first_step + pc - line.pc;
  return std::nullopt;
}

// --- The picture. ---

class TimelinePainter {
 public:
  TimelinePainter(const Focus& focus, const Canvas& canvas, const TimelineView& view, const TimelineContent& content)
      : focus_(focus),
        canvas_(canvas),
        content_(content),
        timeline_(*focus.scene->timeline),
        layout_(timeline_layout(focus, canvas, view)),
        cursor_column_(timeline_.column(focus.cursor)) {
    picture_.width = canvas.width;
    picture_.height = canvas.height;
  }

  Picture draw() {
    draw_tiles();
    if (layout_.phases) draw_phases();
    draw_rows();
    draw_walls();
    draw_marks();
    draw_flags();
    draw_lit_step();
    draw_cursor();
    draw_extent();
    return std::move(picture_);
  }

 private:
  uint32_t end_column() const { return layout_.first_column + layout_.columns; }
  uint32_t end_warp() const { return layout_.first_warp + layout_.warps; }
  void text(Point at, const std::string& words, Ink ink, Align horizontal, Font font = Font::Text) {
    picture_.add(Label{at, words, {ink}, font, layout_.text, horizontal, Align::Centre});
  }

  // The k-tiles of the cursor's warp: a tick where each begins, numbers in even steps; a tick without a number stays
  // below the numbers. The tile that began before the view has its number at the edge, where there is room.
  void draw_tiles() {
    const auto& tiles = timeline_.tiles(focus_.cursor.warp);
    text({layout_.plot.x - 8, tile_y()}, tr("k-tile"), Ink::Faint, Align::End);
    const uint32_t step = tile_step();
    float last_tick = -1e9f;
    uint32_t before = 0;
    float first = layout_.plot.right();
    for (uint32_t tile = 0; tile < tiles.size(); ++tile) {
      const uint32_t column = timeline_.column({focus_.cursor.warp, tiles[tile]});
      if (column < layout_.first_column) before = tile + 1;
      if (column < layout_.first_column || column >= end_column()) continue;
      const float x = layout_.x_of(column);
      const float top = layout_.ruler.y + (tile % step == 0 ? 0 : layout_.text * 1.3f);
      if (x - last_tick >= 3) picture_.add(Rectangle{{x, top, 1, layout_.ruler.bottom() - top}, {Ink::Line}});
      if (x - last_tick >= 3) last_tick = x;
      first = std::min(first, x);
      if (tile % step == 0) draw_tile_number(tile, x + 4);
    }
    if (before > 0 && first - layout_.plot.x > 4 * layout_.text) draw_tile_number(before - 1, layout_.plot.x);
  }

  float tile_y() const { return layout_.ruler.y + layout_.text * 0.65f; }

  /// 1, 2, 5, 10, ...: every how many k-tiles a number has room, were they all of one length.
  uint32_t tile_step() const {
    const size_t tiles = std::max<size_t>(timeline_.tiles(focus_.cursor.warp).size(), 1);
    const float apart = layout_.plot.width * static_cast<float>(timeline_.columns()) /
                        static_cast<float>(layout_.columns) / static_cast<float>(tiles);
    const float wanted = canvas_.measure->width("0000", Font::Mono, layout_.text);
    for (uint32_t decade = 1;; decade *= 10)
      for (const uint32_t step : {decade, 2 * decade, 5 * decade})
        if (apart * static_cast<float>(step) >= wanted || step > tiles) return step;
  }

  void draw_tile_number(uint32_t tile, float x) {
    const std::string number = fmt::format("{}", tile + 1);
    if (x + canvas_.measure->width(number, Font::Mono, layout_.text) > layout_.plot.right()) return;
    const bool current = static_cast<int32_t>(tile) == timeline_.tile(focus_.cursor);
    text({x, tile_y()}, number, current ? Ink::Accent : Ink::Faint, Align::Begin, Font::Mono);
  }

  // A line under each phase of the cursor's warp, with its name where there is room.
  void draw_phases() {
    const float y = layout_.ruler.bottom() - layout_.text * 0.75f;
    text({layout_.plot.x - 8, y}, tr("phase"), Ink::Faint, Align::End);
    for (const analysis::Phase& phase : timeline_.phases(focus_.cursor.warp)) {
      const Moment begin{focus_.cursor.warp, phase.begin}, last{focus_.cursor.warp, phase.end - 1};
      const uint32_t from = std::max(timeline_.column(begin), layout_.first_column);
      const uint32_t to = std::min(timeline_.column(last) + 1, end_column());
      if (from >= to) continue;
      draw_phase(phase, layout_.x_of(from), layout_.x_of(to), y);
    }
  }

  void draw_phase(const analysis::Phase& phase, float left, float right, float y) {
    const bool current = phase.begin <= focus_.cursor.step && focus_.cursor.step < phase.end;
    if (right - left < (current ? 1.0f : 3.0f)) return;
    const float line = layout_.ruler.bottom() - 2;
    picture_.add(Rectangle{{left + 0.5f, line, std::max(1.0f, right - left - 1), current ? 2.0f : 1.0f},
                           {current ? Ink::Accent : Ink::Faint, current ? 1 : 0.6f}});
    const std::string name = tr(to_string(phase.kind));
    if (canvas_.measure->width(name, Font::Text, layout_.text) + 6 > right - left) return;
    text({(left + right) / 2, y}, name, current ? Ink::Accent : Ink::Faint, Align::Centre);
  }

  // Rows that are the same are counted out once.
  void draw_rows() {
    const uint32_t cells = std::min(layout_.columns, static_cast<uint32_t>(layout_.plot.width));
    std::vector<std::vector<CellKind>> rows(content_.runs.rows.size());
    for (uint32_t warp = layout_.first_warp; warp < end_warp() && cells > 0; ++warp) {
      name_warp(warp);
      const uint32_t row = content_.runs.row_of_warp[warp];
      if (rows[row].empty()) rows[row] = cells_of(content_.runs.rows[row], layout_, cells);
      draw_row(warp, rows[row]);
    }
  }

  void draw_row(uint32_t warp, const std::vector<CellKind>& kinds) {
    const float strength = warp == focus_.cursor.warp ? 1 : kOtherWarps;
    Cells cells;
    cells.box = {layout_.plot.x, layout_.top_of(warp), layout_.plot.width, layout_.bar};
    cells.rows = 1;
    cells.columns = static_cast<uint32_t>(kinds.size());
    cells.gap = layout_.plot.width / static_cast<float>(kinds.size()) >= 4 ? 1.0f : 0.0f;
    cells.colours.reserve(kinds.size());
    for (const CellKind& kind : kinds) cells.colours.push_back({ink_of(kind.kind), kind.waits ? 0 : strength, 0});
    picture_.add(std::move(cells));
  }

  void name_warp(uint32_t warp) {
    Target target;
    target.kind = Target::Kind::Warp;
    target.warp = warp;
    const float top = layout_.top_of(warp);
    const bool here = warp == focus_.cursor.warp, lit = focus_.lit() == target;
    picture_.add(Box{0, top, layout_.plot.x, layout_.pitch}, target);
    const auto every = static_cast<uint32_t>(std::ceil(layout_.text * 0.95f / layout_.pitch));
    if (!here && !lit && ((warp - layout_.first_warp) % every != 0 || hidden_by_cursor(warp, every))) return;
    text({layout_.plot.x - 8, top + layout_.bar / 2}, tr_format("warp {}", warp),
         lit    ? Ink::Hover
         : here ? Ink::Accent
                : Ink::Text,
         Align::End, Font::Mono);
  }

  /// Where not every warp has room for its name, the cursor's takes that of its neighbours.
  bool hidden_by_cursor(uint32_t warp, uint32_t every) const {
    const uint32_t cursor = focus_.cursor.warp;
    return every > 1 && (warp > cursor ? warp - cursor : cursor - warp) < every;
  }

  void draw_walls() {
    const auto& walls = timeline_.walls();
    const float width = layout_.plot.width / static_cast<float>(layout_.columns);
    const auto from = std::lower_bound(walls.begin(), walls.end(), layout_.first_column);
    const auto to = std::upper_bound(from, walls.end(), end_column());
    if (from == to) return;
    const float apart = static_cast<float>(layout_.columns) * width / static_cast<float>(to - from);
    if (apart < 3) return;
    const Colour colour{Ink::Barrier, std::clamp((apart - 2) / 12, 0.2f, 0.85f)};
    for (auto wall = from; wall != to; ++wall)
      picture_.add(Rectangle{{layout_.x_of(*wall) - 0.75f, layout_.plot.y - 2, 1.5f, layout_.plot.height + 4}, colour});
  }

  // What reads is marked under the row, what writes above it; marks that touch become one.
  void draw_marks() {
    std::array<Box, 2> runs{};
    for (const auto& mark : content_.marks.marks) {
      if (!layout_.shows(mark.warp, mark.column)) continue;
      const Box box = mark_box(mark);
      Box& run = runs[mark.writes];
      const bool joins = run.y == box.y && box.x <= run.right() + 0.5f;
      if (joins) run.width = std::max(run.width, box.right() - run.x);
      if (joins) continue;
      add_mark(run);
      run = box;
    }
    for (const Box& run : runs) add_mark(run);
  }

  Box mark_box(const TimelineMarks::Mark& mark) const {
    const float height = std::clamp((layout_.pitch - layout_.bar) * 0.6f, 1.5f, 3.0f);
    Box box = layout_.cell(mark.warp, mark.column);
    box.y = mark.writes ? box.y - height : box.bottom();
    box.width = std::max(2.5f, box.width);
    box.x = std::min(box.x, layout_.plot.right() - box.width);
    box.height = height;
    return box;
  }

  void add_mark(const Box& box) {
    if (box.width > 0) picture_.add(Rectangle{box, {Ink::Hover}});
  }

  void draw_flags() {
    for (const TimelineFlag& flag : content_.flags) {
      if (!layout_.shows(flag.warp, flag.column)) continue;
      const Box cell = layout_.cell(flag.warp, flag.column);
      const float height = std::max(layout_.bar, layout_.text * 0.8f);
      const float x = std::min(cell.x, layout_.plot.right() - height * 0.8f);
      const float top = std::max(layout_.plot.y, cell.bottom() - height);
      picture_.add(Rectangle{{x, top, 1.5f, height}, {Ink::Bad}});
      picture_.add(Rectangle{{x, top, height * 0.7f, height * 0.5f}, {Ink::Bad}, {Ink::Window}, 1});
      Target target;
      target.kind = Target::Kind::Step;
      target.warp = flag.warp;
      target.index = flag.step;
      picture_.add(Box{x, top, height * 0.8f, height}, target);
    }
  }

  void draw_lit_step() {
    const Target& lit = focus_.lit();
    if (lit.kind != Target::Kind::Step || lit.warp >= timeline_.warps() || lit.index >= timeline_.steps(lit.warp))
      return;
    outline({lit.warp, static_cast<uint32_t>(lit.index)}, Ink::Hover);
  }

  void outline(const Moment& at, Ink ink) {
    const uint32_t column = timeline_.column(at);
    if (!layout_.shows(at.warp, column)) return;
    Box box = layout_.cell(at.warp, column);
    const float grow = std::max(0.0f, 5 - box.width) / 2;
    box = {std::max(0.0f, box.x - grow), box.y - 1, box.width + 2 * grow, box.height + 2};
    picture_.add(Rectangle{box, {Ink::Panel, 0}, {ink}, 2, 1});
  }

  void draw_cursor() {
    if (cursor_column_ < layout_.first_column || cursor_column_ >= end_column()) return;
    const float x = (layout_.x_of(cursor_column_) + layout_.x_of(cursor_column_ + 1.0)) / 2;
    const float size = std::round(layout_.text * 0.75f), top = layout_.plot.y - size - 1;
    picture_.add(Rectangle{{x - 1, top, 2, layout_.plot.bottom() - top + 3}, {Ink::Accent}});
    for (int i = 0; i < static_cast<int>(size); ++i) {
      const float half = (size - static_cast<float>(i)) * 0.6f;
      picture_.add(Rectangle{{x - half, top + static_cast<float>(i), 2 * half, 1.6f}, {Ink::Accent}});
    }
    outline(focus_.cursor, Ink::Accent);
  }

  // Where less than all is on show: which part, as a bar at the bottom.
  void draw_extent() {
    if (layout_.columns >= timeline_.columns()) return;
    const auto all = static_cast<float>(timeline_.columns());
    const float y = canvas_.height - 3, wide = layout_.plot.width;
    picture_.add(Rectangle{{layout_.plot.x, y, wide, 3}, {Ink::Raised}, {Ink::Line, 0}, 1, 1.5f});
    const float width = std::max(8.0f, wide * static_cast<float>(layout_.columns) / all);
    const float x = std::min(wide * static_cast<float>(layout_.first_column) / all, wide - width);
    picture_.add(Rectangle{{layout_.plot.x + x, y, width, 3}, {Ink::Faint}, {Ink::Line, 0}, 1, 1.5f});
  }

  const Focus& focus_;
  const Canvas& canvas_;
  const TimelineContent& content_;
  const analysis::Timeline& timeline_;
  TimelineLayout layout_;
  uint32_t cursor_column_ = 0;
  Picture picture_;
};

}  // namespace

TimelineView fitted(TimelineView view, uint32_t columns) {
  if (view.columns_shown == 0 || view.columns_shown >= columns) return {0, 0, view.first_warp};
  view.columns_shown = std::max(view.columns_shown, std::min(columns, kFewestColumns));
  view.first_column = std::min(view.first_column, columns - view.columns_shown);
  return view;
}

TimelineView zoomed(TimelineView view, uint32_t columns, float factor, float place) {
  const double shown = view.columns_shown == 0 ? columns : view.columns_shown;
  const double wanted = std::clamp(std::round(shown * static_cast<double>(factor)),
                                   std::min<double>(kFewestColumns, columns), static_cast<double>(columns));
  const double first = view.first_column + (shown - wanted) * static_cast<double>(place);
  view.columns_shown = static_cast<uint32_t>(wanted);
  view.first_column = static_cast<uint32_t>(std::max(0.0, std::round(first)));
  return fitted(view, columns);
}

TimelineView panned(TimelineView view, uint32_t columns, int64_t by) {
  view.first_column = static_cast<uint32_t>(std::clamp<int64_t>(view.first_column + by, 0, columns));
  return fitted(view, columns);
}

TimelineView following(TimelineView view, uint32_t columns, uint32_t column) {
  view = fitted(view, columns);
  if (view.columns_shown == 0) return view;
  const uint32_t margin = view.columns_shown / 8;
  if (column < view.first_column + margin) view.first_column = column - std::min(column, margin);
  if (column + margin >= view.first_column + view.columns_shown)
    view.first_column = column + margin + 1 - view.columns_shown;
  return fitted(view, columns);
}

TimelineRuns timeline_runs(const session::Scene& scene) {
  TimelineRuns runs;
  for (uint32_t warp = 0; warp < scene.timeline->warps(); ++warp) {
    std::vector<TimelineRuns::Run> row = row_of(scene, warp);
    const auto same = std::find(runs.rows.begin(), runs.rows.end(), row);
    runs.row_of_warp.push_back(static_cast<uint32_t>(same - runs.rows.begin()));
    if (same == runs.rows.end()) runs.rows.push_back(std::move(row));
  }
  return runs;
}

std::vector<TimelineFlag> timeline_flags(const session::Scene& scene, const std::vector<analysis::Finding>& findings) {
  std::vector<TimelineFlag> flags;
  for (uint32_t i = 0; i < findings.size(); ++i) {
    const analysis::Site& site = findings[i].site;
    const auto step = first_step_of(scene, site.thread.warp, site.pc);
    if (!step || site.thread.warp >= scene.timeline->warps()) continue;
    flags.push_back({site.thread.warp, scene.timeline->column({site.thread.warp, *step}), *step, i});
  }
  std::sort(flags.begin(), flags.end(), [](const auto& a, const auto& b) { return a.column < b.column; });
  return flags;
}

void add_marks(const session::Scene& scene, TimelineMarks& marks) {
  const Target::Kind kind = marks.target.kind;
  if (const Bytes wanted = bytes_of(scene, marks.target); wanted.bytes > 0)
    mark_accesses(scene, wanted, marks);
  else if (kind == Target::Kind::SourceLine || kind == Target::Kind::PtxLine)
    mark_steps(scene, instructions_of_line(scene, marks.target), marks);
  else
    marks.complete = true;
}

TimelineMarks timeline_marks(const session::Scene& scene, const Target& target) {
  TimelineMarks marks{.target = target};
  while (!marks.complete) add_marks(scene, marks);
  return marks;
}

float TimelineLayout::x_of(double column) const {
  const double part = (column - first_column) / std::max(columns, 1u);
  return plot.x + static_cast<float>(part * static_cast<double>(plot.width));
}

uint32_t TimelineLayout::column_at(float x) const {
  const double part = std::clamp(static_cast<double>((x - plot.x) / plot.width), 0.0, 1.0);
  const auto column = static_cast<uint32_t>(part * columns);
  return first_column + std::min(column, columns == 0 ? 0 : columns - 1);
}

bool TimelineLayout::shows(uint32_t warp, uint32_t column) const {
  return warp >= first_warp && warp < first_warp + warps && column >= first_column && column < first_column + columns;
}

Box TimelineLayout::cell(uint32_t warp, uint32_t column) const {
  const float left = x_of(column);
  return {left, top_of(warp), x_of(column + 1.0) - left, bar};
}

TimelineLayout timeline_layout(const Focus& focus, const Canvas& canvas, const TimelineView& wanted) {
  const analysis::Timeline& timeline = *focus.scene->timeline;
  const TimelineView view = fitted(wanted, timeline.columns());
  TimelineLayout layout;
  layout.text = std::max(9.0f, std::min(canvas.text * 0.82f, canvas.height / 8));
  layout.first_column = view.first_column;
  layout.columns = view.columns_shown == 0 ? timeline.columns() : view.columns_shown;
  layout.warps = std::min(timeline.warps(), kWarpsShown);
  layout.first_warp = std::min(view.first_warp, timeline.warps() - layout.warps);
  const float left = std::round(canvas.measure->width(tr_format("warp {}", 31), Font::Mono, layout.text) + 14);
  layout.phases = canvas.height >= layout.text * 10;
  const float ruler = layout.text * (layout.phases ? 2.9f : 1.5f) + layout.text * 0.75f;
  layout.ruler = {left, 0, std::max(1.0f, canvas.width - left - 8), ruler - layout.text * 0.75f};
  layout.plot = {left, ruler, layout.ruler.width, std::max(1.0f, canvas.height - ruler - 8)};
  layout.pitch = std::min(layout.plot.height / static_cast<float>(std::max(layout.warps, 1u)), layout.text * 2.2f);
  layout.bar = layout.pitch * (layout.pitch < 5 ? 0.85f : 0.72f);
  layout.plot.height = layout.pitch * static_cast<float>(layout.warps) - (layout.pitch - layout.bar);
  return layout;
}

std::optional<Moment> moment_at(const Focus& focus, const TimelineLayout& layout, Point point) {
  if (!layout.plot.contains(point) || layout.warps == 0) return std::nullopt;
  const auto row = static_cast<uint32_t>((point.y - layout.plot.y) / layout.pitch);
  const uint32_t warp = layout.first_warp + std::min(row, layout.warps - 1);
  if (focus.scene->timeline->steps(warp) == 0) return std::nullopt;
  return Moment{warp, focus.scene->timeline->step_at_or_before(warp, layout.column_at(point.x))};
}

Picture timeline_picture(const Focus& focus, const Canvas& canvas, const TimelineView& view,
                         const TimelineContent& content) {
  return TimelinePainter(focus, canvas, view, content).draw();
}

}  // namespace tilescope::view
