#include "view/stage/thread_picture.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/words.h"
#include "ptx/fragment.h"
#include "ptx/opcode_table.h"
#include "view/stage/fragments.h"
#include "view/stage/stage_layout.h"
#include "view/stage/thread_accesses.h"
#include "view/stage/thread_equation.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using run::TracedArray;
using session::Target;

/// The drawn parts of a thread.
struct ThreadFrame {
  const Focus& focus;
  const Canvas& canvas;
  ThreadWork work;
  std::set<uint64_t> rows = {}, columns = {};          ///< Of the cells; see place_of().
  std::set<uint64_t> own_rows = {}, own_columns = {};  ///< Of C, with the thread's sums.
  bool by_factors = false;  ///< Cells are products, those of other threads' sums too, in the order of their factors.

  /// The row and the column of a product's cell, or of a sum's.
  std::pair<uint64_t, uint64_t> place_of(const Product& product) const { return {product.a.index, product.b.index}; }
  std::pair<uint64_t, uint64_t> place_of(const SumElement& element) const {
    if (const Product* product = by_factors ? product_of(element) : nullptr) return place_of(*product);
    return {element.index / element.array->columns, element.index % element.array->columns};
  }
  const Product* product_of(const SumElement& element) const {
    const auto found = std::ranges::find(work.products, element.sum, &Product::sum);
    return found == work.products.end() ? nullptr : &*found;
  }
  bool is_own(const Product& product) const {
    return std::ranges::find(work.sums, product.sum, &SumElement::sum) != work.sums.end();
  }

  float line() const { return canvas.text * 1.4f; }
  float width(const std::string& words) const { return canvas.measure->width(words, Font::Text, canvas.text); }
  const Product* current() const {
    return work.current < 0 ? nullptr : &work.products[static_cast<size_t>(work.current)];
  }
};

/// Where it is drawn: the tile in the middle, names above and below it, the equation at its right.
struct ThreadLayout {
  Box tile;
  float cell = 0;
  size_t in_group = 1;  ///< Rows below one another; a tall tile goes on at the right.
  float group = 0;      ///< From one group of rows to the next.
  std::string above;
  std::vector<std::string> below;
  Equation equation;
  Point equation_at;
  float equation_closeness = 1;
};

/// Whether the products are each row's factor times each column's, as those of a thread's tile are.
bool is_outer_product(const ThreadWork& work) {
  std::set<std::pair<const TracedArray*, uint64_t>> rows, columns;
  std::set<std::pair<uint64_t, uint64_t>> cells;
  for (const Product& product : work.products) {
    if (!product.a.array || !product.b.array) return false;
    rows.emplace(product.a.array, product.a.index);
    columns.emplace(product.b.array, product.b.index);
    cells.emplace(product.a.index, product.b.index);
  }
  return cells.size() == work.products.size() && rows.size() * columns.size() == cells.size();
}

void lay_out_cells(ThreadFrame& frame) {
  for (const SumElement& element : frame.work.sums) {
    const auto [row, column] = frame.place_of(element);
    frame.own_rows.insert(row);
    frame.own_columns.insert(column);
  }
  frame.by_factors = frame.work.sums_for_others() > 0 && is_outer_product(frame.work);
  frame.rows = frame.own_rows;
  frame.columns = frame.own_columns;
  if (!frame.by_factors) return;
  frame.rows.clear();
  frame.columns.clear();
  for (const Product& product : frame.work.products) {
    frame.rows.insert(product.a.index);
    frame.columns.insert(product.b.index);
  }
}

Target target_of(const TracedArray& array, uint64_t index) {
  return {Target::Kind::Element, array.allocation.space, array.allocation.name, index, 0};
}

/// The text above the columns: the one value's name, or the row that they come from.
std::string name_above(const ThreadFrame& frame, bool brief) {
  if (frame.work.products.empty() || !frame.work.products.front().b.array) return {};
  const Factor& factor = frame.work.products.front().b;
  if (frame.columns.size() == 1) return name_of(*factor.array, factor.index);
  const std::string element = name_of(*factor.array, factor.index), name = element.substr(0, element.rfind('['));
  return brief ? name : tr_format("{}, a value for each column", name);
}

/// The text below the tile, in more lines if it or the room across is narrow.
std::vector<std::string> names_below(const ThreadFrame& frame, float across) {
  const run::TracedBlock& traced = *frame.focus.traced;
  const Dim3 position = traced.facts.thread_at(traced.block, frame.focus.cursor.warp, frame.focus.lane).position;
  const std::string thread = tr_format("thread {}", to_string(position));
  if (frame.focus.hidden.has(session::Fact::Resources)) return {thread};
  const std::string tile = tr_format("{} × {} of {} in its registers", frame.own_rows.size(), frame.own_columns.size(),
                                     frame.work.sums.front().array->allocation.name);
  const std::string all = thread + ": " + tile;
  std::vector<std::string> names{all};
  if (frame.columns.size() < 4 || frame.width(all) > across * 0.8f) names = {thread, tile};
  if (const size_t others = frame.work.sums_for_others(); others > 0)
    names.push_back(frame.by_factors ? tr_format("and {} sums for other threads, in grey", others)
                                     : tr_format("and {} sums for other threads", others));
  if (!frame.work.waiting.empty())
    names.push_back(plural(frame.work.waiting.size(), "{} value waits in a register for shared memory:",
                           "{} values wait in registers for shared memory:"));
  return names;
}

/// Values that wait are small cells below the names, so many in a line.
constexpr size_t kWaitingInLine = 16;
float waiting_lines(const ThreadFrame& frame) {
  return static_cast<float>((frame.work.waiting.size() + kWaitingInLine - 1) / kWaitingInLine);
}

float row_names_width(const ThreadFrame& frame) {
  float width = 0;
  for (const Product& product : frame.work.products)
    if (product.a.array)
      width = std::max(width, frame.canvas.measure->width(name_of(*product.a.array, product.a.index), Font::Mono,
                                                          frame.canvas.text * 0.9f));
  return width;
}

constexpr float kNumber = 0.45f;  ///< Height of a cell's number, of the cell's.

/// Whether cells of that size show their number of products.
bool has_numbers(const ThreadFrame& frame, float cell) {
  return cell * kNumber >= kLeastWords && !frame.work.products.empty();
}

/// The digits after the point of the values in cells of that size; nullopt: none fit.
std::optional<int> digits_of_values(const ThreadFrame& frame, float cell) {
  for (const int digits : {2, 1})
    if (frame.canvas.measure->width(fmt::format("{:.{}f}", -0.88, digits), Font::Text, kLeastWords) <= cell * 0.93f)
      return digits;
  return std::nullopt;
}

constexpr size_t kMostGroups = 4;
constexpr float kLargeCell = 2.4f;  ///< Of the height of text.
constexpr float kWorthIt = 1.25f;   ///< What another group must gain.

/// The tile as large as its names and the equation leave room for.
ThreadLayout layout_with(const ThreadFrame& frame, const Writing& writing) {
  const float text = frame.canvas.text, gap = text * 2;
  const size_t values = frame.focus.hidden.has(session::Fact::Counts) ? 0 : frame.work.values();
  ThreadLayout layout;
  layout.equation = equation_of(frame.work, values, writing);
  const float left = row_names_width(frame) + text * 2.2f, right = width_of(layout.equation, frame.canvas) + 1.5f * gap;
  const float across = frame.canvas.width - left - right;
  layout.above = name_above(frame, false);
  layout.below = names_below(frame, across);
  const float top = frame.line() * 2.2f,
              bottom = frame.line() * (static_cast<float>(layout.below.size()) + waiting_lines(frame) + 0.6f);
  const auto columns = static_cast<float>(frame.columns.size());
  const float down = frame.canvas.height - top - bottom;
  size_t groups = 1;
  // In as many columns of rows as make the cells large enough to read.
  for (size_t count = 1; count <= kMostGroups && layout.cell < text * kLargeCell; ++count) {
    const size_t in_group = (frame.rows.size() + count - 1) / count;
    const float wide = (across - static_cast<float>(count - 1) * left) / static_cast<float>(count);
    const float cell = std::min({wide / (columns + 1), down / (static_cast<float>(in_group) + 1), text * 5});
    if (count > 1 && cell < layout.cell * kWorthIt) continue;
    layout.cell = cell;
    layout.in_group = in_group;
    groups = count;
  }
  layout.group = left + layout.cell * (columns + 1);
  const auto rows = static_cast<float>(layout.in_group);
  const float tile = layout.cell * columns + layout.group * static_cast<float>(groups - 1);
  float taken = std::max(tile, frame.width(layout.above));
  for (const std::string& words : layout.below) taken = std::max(taken, frame.width(words));
  const float x = left + layout.cell + std::max(0.0f, (across - layout.cell - taken) / 2);
  layout.tile = {x, top + layout.cell + (down - layout.cell * (rows + 1)) / 2, tile, layout.cell * rows};
  // Beside the tile's top, higher where it would not end on the canvas, and closer where even that is too little.
  const float height = height_of(layout.equation, frame.canvas), margin = text / 2;
  layout.equation_closeness = std::min(1.0f, (frame.canvas.height - 2 * margin) / std::max(1.0f, height));
  layout.equation_at = {x + taken + gap,
                        std::min(layout.tile.y, frame.canvas.height - margin - height * layout.equation_closeness)};
  return layout;
}

/// The equation on one line, and large, if the tile loses nothing by it.
ThreadLayout layout_of(const ThreadFrame& frame) {
  const float text = frame.canvas.text;
  ThreadLayout narrow = layout_with(frame, {false, 1.15f});
  const auto right_of = [&](const ThreadLayout& layout) { return width_of(layout.equation, frame.canvas); };
  for (const float size : {1.5f, 1.15f}) {
    ThreadLayout wide = layout_with(frame, {true, size});
    if (wide.cell >= narrow.cell && wide.equation_at.x + right_of(wide) < frame.canvas.width) return wide;
  }
  // In very little room only beside the tile, from the top: its names below are wider.
  const float right = frame.canvas.width - right_of(narrow) - text / 2;
  if (narrow.equation_at.x + right_of(narrow) < frame.canvas.width || narrow.equation_at.x <= right) return narrow;
  narrow.equation_at = {std::max(narrow.tile.right() + text, right), text / 2};
  if (narrow.tile.x + frame.width(narrow.above) > narrow.equation_at.x - text) narrow.above = name_above(frame, true);
  return narrow;
}

/// Whether the equation may be as long as the canvas: nothing below the tile reaches it.
bool is_free_below(const ThreadFrame& frame, const ThreadLayout& layout) {
  const float end = layout.equation_at.x - frame.canvas.text - layout.tile.x;
  return waiting_lines(frame) == 0 &&
         std::ranges::all_of(layout.below, [&](const std::string& words) { return frame.width(words) <= end; });
}

/// The meaning of the cells' numbers is shown if there is room for it.
void explain_numbers(const ThreadFrame& frame, ThreadLayout& layout) {
  if (!has_numbers(frame, layout.cell)) return;
  Equation longer = layout.equation;
  add_meaning_of_numbers(longer);
  const float end = layout.equation_at.y + height_of(longer, frame.canvas) * layout.equation_closeness;
  const float bottom = is_free_below(frame, layout) ? frame.canvas.height : layout.tile.bottom();
  if (end <= bottom && layout.equation_at.x + width_of(longer, frame.canvas) <= frame.canvas.width)
    layout.equation = std::move(longer);
}

size_t place_in(const std::set<uint64_t>& all, uint64_t value) {
  return static_cast<size_t>(std::distance(all.begin(), all.find(value)));
}

/// The box of a cell so many rows and columns from the tile's first.
Box cell_at(const ThreadLayout& layout, size_t row, size_t column, float right = 0, float down = 0) {
  const float gap = std::max(0.5f, layout.cell * 0.035f);
  const float x = layout.tile.x + static_cast<float>(row / layout.in_group) * layout.group +
                  static_cast<float>(column) * layout.cell + right,
              y = layout.tile.y + static_cast<float>(row % layout.in_group) * layout.cell + down;
  return {x + gap, y + gap, layout.cell - 2 * gap, layout.cell - 2 * gap};
}

void add_hover(const ThreadFrame& frame, const Target& target, const Box& box, Picture& picture) {
  if (frame.focus.lit() == target) picture.add(Rectangle{box, kNoColour, {Ink::Hover}, 2, 2});
}

/// A sum: filled once its product of this round is added, with the number of its products.
Box add_cell(const ThreadFrame& frame, const ThreadLayout& layout, std::pair<uint64_t, uint64_t> place,
             const Product* product, Ink ink, Picture& picture) {
  const bool done = product && product->step <= frame.focus.cursor.step;
  const bool now = product && product == frame.current() && frame.work.at_cursor;
  const Box box = cell_at(layout, place_in(frame.rows, place.first), place_in(frame.columns, place.second));
  picture.add(
      Rectangle{box, {ink, done ? 0.8f : 0.22f}, {now ? Ink::Accent : ink, now ? 1.0f : 0.35f}, now ? 3.0f : 1.0f, 2});
  if (has_numbers(frame, layout.cell))
    picture.add(Label{box.centre(),
                      std::to_string(frame.work.number + (done && !frame.work.of_zeros ? 1 : 0)),
                      {done ? Ink::OnDark : Ink::Text},
                      Font::Mono,
                      std::min(frame.canvas.text, layout.cell * kNumber),
                      Align::Centre,
                      Align::Centre});
  return box;
}

/// An element of C.
void add_sum(const ThreadFrame& frame, const ThreadLayout& layout, const SumElement& element, Picture& picture) {
  const Box box = add_cell(frame, layout, frame.place_of(element), frame.product_of(element), Ink::ArrayC, picture);
  const Target target = target_of(*element.array, element.index);
  add_hover(frame, target, box, picture);
  picture.add(box, target);
}

/// A factor of the products, and the step of the first of them.
struct PlacedFactor {
  Factor factor;
  uint32_t step = 0;
};

void add_factor(const ThreadFrame& frame, const PlacedFactor& placed, const Box& box, bool now, Picture& picture) {
  const Factor& factor = placed.factor;
  if (!factor.array) return;
  const Ink ink = array_ink(*factor.array);
  picture.add(Rectangle{box, {ink, 0.75f}, {now ? Ink::Accent : ink, 1}, now ? 3.0f : 1.0f, 2});
  const std::optional<int> digits = digits_of_values(frame, box.width);
  if (const auto value =
          digits ? value_of(*frame.focus.traced, {frame.focus.cursor.warp, placed.step}, factor) : std::nullopt) {
    const float size = std::clamp(box.width * 0.33f, kLeastWords, frame.canvas.text);
    const std::string words = fmt::format("{:.{}f}", *value, *digits);
    if (frame.canvas.measure->width(words, Font::Text, size) < box.width)
      picture.add(Label{box.centre(), words, {Ink::OnLight}, Font::Text, size, Align::Centre, Align::Centre});
  }
  const Target target = target_of(*factor.array, factor.index);
  add_hover(frame, target, box, picture);
  picture.add(box, target);
}

/// At the left of a row; if rows are low only at every second, fourth, ...
void add_row_name(const ThreadFrame& frame, const ThreadLayout& layout, const Factor& factor, const Box& box,
                  size_t row, Picture& picture) {
  const float text = frame.canvas.text, size = std::max(kLeastWords, std::min(layout.cell * 0.55f, text * 0.9f));
  size_t every = 1;
  while (static_cast<float>(every) * layout.cell < size * 1.25f) every *= 2;
  if (!factor.array || row % every != 0) return;
  picture.add(Label{{box.x - text * 0.5f, box.centre().y},
                    name_of(*factor.array, factor.index),
                    {array_ink(*factor.array)},
                    Font::Mono,
                    size,
                    Align::End,
                    Align::Centre});
}

/// The factor of the current products for each row, and for each column.
void add_factors(const ThreadFrame& frame, const ThreadLayout& layout, Picture& picture) {
  std::map<uint64_t, PlacedFactor> of_row, of_column;
  const auto place = [&](std::pair<uint64_t, uint64_t> at, const Product& product) {
    of_row.try_emplace(at.first, PlacedFactor{product.a, product.step});
    of_column.try_emplace(at.second, PlacedFactor{product.b, product.step});
  };
  if (frame.by_factors)
    for (const Product& product : frame.work.products) place(frame.place_of(product), product);
  else
    for (const SumElement& element : frame.work.sums)
      if (const Product* product = frame.product_of(element)) place(frame.place_of(element), *product);
  const auto is_now = [&](const Factor& factor, Factor Product::*side) {
    const Product* now = frame.work.at_cursor ? frame.current() : nullptr;
    return now && (now->*side).array == factor.array && (now->*side).index == factor.index;
  };
  const float gap = frame.canvas.text * 0.9f + layout.cell;
  for (const auto& [number, placed] : of_row) {
    const size_t row = place_in(frame.rows, number);
    const Box box = cell_at(layout, row, 0, -gap);
    add_factor(frame, placed, box, is_now(placed.factor, &Product::a), picture);
    add_row_name(frame, layout, placed.factor, box, row, picture);
  }
  for (const auto& [number, placed] : of_column) {
    for (size_t first = 0; first < frame.rows.size(); first += layout.in_group) {
      const Box box = cell_at(layout, first, place_in(frame.columns, number), 0, -gap);
      add_factor(frame, placed, box, is_now(placed.factor, &Product::b), picture);
    }
  }
}

void add_text(const ThreadFrame& frame, Point at, const std::string& words, Ink ink, Picture& picture) {
  picture.add(Label{at, words, {ink}, Font::Text, frame.canvas.text});
}

void add_names(const ThreadFrame& frame, const ThreadLayout& layout, Picture& picture) {
  const float above = layout.tile.y - layout.cell - frame.canvas.text * 0.9f - frame.line() * 1.1f;
  add_text(frame, {layout.tile.x, above}, layout.above, Ink::ArrayB, picture);
  Point at{layout.tile.x, layout.tile.bottom() + frame.canvas.text * 0.5f};
  for (const std::string& words : layout.below) {
    add_text(frame, at, words, Ink::ArrayC, picture);
    at.y += frame.line();
  }
  const float side = frame.line() * 0.85f;
  for (size_t i = 0; i < frame.work.waiting.size(); ++i) {
    const Factor& value = frame.work.waiting[i];
    const Box box{at.x + static_cast<float>(i % kWaitingInLine) * frame.line(),
                  at.y + static_cast<float>(i / kWaitingInLine) * frame.line(), side, side};
    picture.add(Rectangle{box, {array_ink(*value.array), 0.75f}, {array_ink(*value.array)}, 1, 2});
    const Target target = target_of(*value.array, value.index);
    add_hover(frame, target, box, picture);
    picture.add(box, target);
  }
}

/// The warp's product on tensor cores at or before the cursor, else its first.
std::optional<analysis::StepRef> tensor_product(const run::TracedBlock& traced, const analysis::StepRef& cursor) {
  const auto multiplies = [&](uint32_t step) {
    const ptx::Instruction& instruction = traced.instruction(traced.timeline.pc({cursor.warp, step}));
    return ptx::class_of(instruction.op) == ptx::OpClass::MatrixMultiply;
  };
  const uint32_t steps = traced.timeline.steps(cursor.warp);
  for (uint32_t step = std::min(cursor.step + 1, steps); step-- > 0;)
    if (multiplies(step)) return analysis::StepRef{cursor.warp, step};
  for (uint32_t step = cursor.step; step < steps; ++step)
    if (multiplies(step)) return analysis::StepRef{cursor.warp, step};
  return std::nullopt;
}

/// Sums of a warp in rows and columns; those that the thread holds by their number, with the element of C if it stores
/// them there.
struct WarpSums {
  uint32_t rows = 0, columns = 0;
  std::map<uint32_t, std::optional<Target>> own = {};
};

/// Those of one product on tensor cores, of the warp's own rows.
WarpSums multiplied_sums(const ThreadFrame& frame) {
  const auto product = tensor_product(*frame.focus.traced, frame.focus.cursor);
  if (!product) return {};
  Focus focus = frame.focus;
  focus.cursor = *product;
  const Fragments fragments = fragments_at(focus);
  const auto found = std::ranges::find(fragments.matrices, FragmentMatrix::Role::D, &FragmentMatrix::role);
  if (found == fragments.matrices.end() || found->lanes.empty()) return {};
  const bool wide = fragments.kind == Fragments::Kind::WideProduct;
  WarpSums sums{wide ? ptx::kRowsOfWarp : found->rows, found->columns};
  const uint32_t first = wide ? focus.cursor.warp % ptx::kWarpsOfGroup * sums.rows : 0;
  for (uint32_t i = 0; i < sums.rows * sums.columns; ++i)
    if (found->lanes[size_t{first} * sums.columns + i] == focus.lane) sums.own[i];
  return sums;
}

/// Those that the warp's threads store to C.
WarpSums stored_sums(const ThreadFrame& frame) {
  std::set<uint64_t> rows, columns;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    for (const SumElement& element : sum_elements(*frame.focus.traced, frame.focus.cursor.warp, lane)) {
      rows.insert(element.index / element.array->columns);
      columns.insert(element.index % element.array->columns);
    }
  WarpSums sums{static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(columns.size())};
  for (const SumElement& element : frame.work.sums) {
    const size_t row = place_in(rows, element.index / element.array->columns),
                 column = place_in(columns, element.index % element.array->columns);
    sums.own[static_cast<uint32_t>(row * columns.size() + column)] = target_of(*element.array, element.index);
  }
  return sums;
}

/// The warp's sums, bright the thread's. Returns where they end at the right.
float add_tensor_sums(const ThreadFrame& frame, Point at, Picture& picture) {
  const WarpSums sums = frame.work.sums.empty() ? multiplied_sums(frame) : stored_sums(frame);
  if (sums.own.empty()) return at.x;
  const auto rows = static_cast<float>(sums.rows), columns = static_cast<float>(sums.columns);
  const float text = frame.canvas.text, across = frame.canvas.width - 2 * at.x,
              down = frame.canvas.height - at.y - 2 * frame.line();
  const float widest = std::min(across / columns, text * 2), row = std::min(down / rows, std::max(widest, text)),
              cell = std::min(widest, row);
  if (row < 2) return at.x;
  Cells cells{{at.x, at.y, cell * columns, row * rows}, sums.rows, sums.columns, cell < 4 ? 0.0f : 1.0f, {}};
  cells.colours.assign(size_t{sums.rows} * sums.columns, {Ink::ArrayC, 0.16f});
  for (const auto& [number, target] : sums.own) cells.colours[number].strength = 1;
  const float below = cells.box.bottom() + text * 0.5f;
  picture.add(std::move(cells));
  for (const auto& [number, target] : sums.own) {
    if (!target) continue;
    const Box box{at.x + cell * static_cast<float>(number % sums.columns),
                  at.y + row * static_cast<float>(number / sums.columns), cell, row};
    add_hover(frame, *target, box, picture);
    picture.add(box, *target);
  }
  const std::string words =
      tr_format("{} × {}: the warp's sums, bright those of lane {}", sums.rows, sums.columns, frame.focus.lane);
  add_text(frame, {at.x, below}, shortened(*frame.canvas.measure, words, Font::Text, text, across), Ink::ArrayC,
           picture);
  return at.x + cell * columns;
}

std::string output_name(const run::TracedBlock& traced) {
  const TracedArray* output = traced.accesses.output();
  return output ? output->allocation.name : "C";
}

/// Whether the thread multiplies what it has loaded.
bool multiplies(const ThreadWork& work) {
  return work.tensor_sums > 0 ||
         std::ranges::any_of(work.products, [](const Product& product) { return product.a.array && product.b.array; });
}

/// The text in place of a tile of C, line by line.
std::vector<std::string> why_no_tile(const ThreadWork& work, const std::string& output,
                                     const session::HiddenFacts& hidden) {
  if (work.tensor_sums == 0 && work.products.empty()) return {tr_format("This thread stores nothing to {}.", output)};
  if (work.tensor_sums == 0) return {tr_format("Other threads store this thread's sums to {}.", output)};
  std::vector<std::string> lines{tr("Tensor cores multiply for the whole warp: the view of the warp shows it.")};
  if (!hidden.has(session::Fact::Resources))
    lines.push_back(
        work.sums.empty()
            ? tr_format("This thread holds {} of the sums in its registers, and stores none of them to {} itself.",
                        work.tensor_sums, output)
            : tr_format("This thread holds {} of the sums in its registers.", work.tensor_sums));
  return lines;
}

}  // namespace

Picture thread_picture(const Focus& focus, const Canvas& canvas) {
  Picture picture;
  picture.width = canvas.width;
  picture.height = canvas.height;
  ThreadFrame frame{focus, canvas, {}};
  const Point alone{canvas.text * 2, frame.line() * 2.4f};
  if (focus.hidden.has(session::Fact::Accesses)) {
    add_text(frame, alone, covered_text(focus.hidden.asked_in(session::Fact::Accesses)), Ink::Text, picture);
    return picture;
  }
  frame.work = thread_work(*focus.traced, focus.cursor, focus.lane);
  if (!focus.traced->report.is_product && !multiplies(frame.work)) return thread_accesses_picture(focus, canvas);
  lay_out_cells(frame);
  if (frame.rows.empty() || (frame.work.products.empty() && frame.work.tensor_sums > 0)) {
    Point at = alone;
    const bool shows_sums = frame.work.tensor_sums > 0 && !focus.hidden.has(session::Fact::Resources);
    // As wide as high, they leave room for words at the right.
    const bool beside = shows_sums && !frame.work.sums.empty();
    if (beside) at.x = add_tensor_sums(frame, {alone.x, canvas.text / 2}, picture) + 2 * canvas.text;
    for (const std::string& words : why_no_tile(frame.work, output_name(*focus.traced), focus.hidden))
      for (const std::string& line :
           wrapped(*canvas.measure, words, Font::Text, canvas.text, canvas.width - at.x - alone.x)) {
        add_text(frame, at, line, Ink::Text, picture);
        at.y += frame.line();
      }
    if (shows_sums && !beside) add_tensor_sums(frame, {at.x, at.y + frame.line() / 2}, picture);
    return picture;
  }
  ThreadLayout layout = layout_of(frame);
  explain_numbers(frame, layout);
  for (const SumElement& element : frame.work.sums) add_sum(frame, layout, element, picture);
  for (const Product& product : frame.work.products)
    if (frame.by_factors && !frame.is_own(product))
      add_cell(frame, layout, frame.place_of(product), &product, Ink::Faint, picture);
  add_factors(frame, layout, picture);
  add_names(frame, layout, picture);
  add_equation(layout.equation, layout.equation_at, layout.equation_closeness, canvas, picture);
  return picture;
}

}  // namespace tilescope::view
