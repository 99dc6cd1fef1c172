#include "view/stage/stage_transfer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "view/label_placer.h"
#include "view/lane_uses.h"

namespace tilescope::view {
namespace {
using run::Region;
using run::TracedArray;

constexpr float kGhost = 0.9f;  // Strength of a moving value.

/// An element on the stage.
struct Place {
  Box panel;  ///< Of the array that it is in.
  Box box;
};

/// Nullopt if it is not in view.
std::optional<Place> place_of(const StageFrame& frame, const TracedArray* array, uint64_t index) {
  const uint64_t row = index / array->columns, column = index % array->columns;
  for (const ArrayPanel& panel : frame.panels)
    if (panel.array == array && panel.window.contains(row, column))
      return Place{panel.box, panel.place({row, column, row + 1, column + 1})};
  return std::nullopt;
}

/// The visible part of elements of an array, as one.
std::optional<Place> place_of_all(const StageFrame& frame, const TracedArray* array,
                                  const std::vector<uint64_t>& elements) {
  for (const ArrayPanel& panel : frame.panels) {
    if (panel.array != array) continue;
    const Region part = clipped(bounds_of(*array, elements), panel.window);
    if (!part.empty()) return Place{panel.box, panel.place(part)};
  }
  return std::nullopt;
}

Box between(const Box& a, const Box& b, float part) {
  const auto mixed = [&](float from, float to) { return from + (to - from) * part; };
  return {mixed(a.x, b.x), mixed(a.y, b.y), mixed(a.width, b.width), mixed(a.height, b.height)};
}

void draw_ghost(const StageFrame& frame, const Box& box, uint32_t lane, Picture& picture) {
  picture.add(Rectangle{box, lane_colour(lane, kGhost), {Ink::Window}, 1, 2});
  const float size = std::min({frame.canvas.text, box.height * 0.8f, box.width * 0.6f});
  if (size < kLeastWords) return;
  picture.add(Label{box.centre(), std::to_string(lane), on_lane(lane), Font::Mono, size, Align::Centre, Align::Centre});
}

/// Where the line from a point inside a box to one outside leaves the box.
Point edge_of(const Box& box, Point inside, Point outside) {
  const float x = outside.x - inside.x, y = outside.y - inside.y;
  float part = 1;
  if (x != 0) part = std::min(part, ((x > 0 ? box.right() : box.x) - inside.x) / x);
  if (y != 0) part = std::min(part, ((y > 0 ? box.bottom() : box.y) - inside.y) / y);
  return {inside.x + x * part, inside.y + y * part};
}

/// Frames around two elements, and an arrow from one array to the other on the way between them, behind all words.
void draw_way(const StageFrame& frame, const Place& from, const Place& to, Picture& picture) {
  for (const Place& place : {from, to}) picture.add(Rectangle{place.box, kNoColour, {Ink::Strong}, 2, 1.5f});
  const auto parts =
      parts_beside_labels(edge_of(from.panel, from.box.centre(), to.box.centre()),
                          edge_of(to.panel, to.box.centre(), from.box.centre()), picture, *frame.canvas.measure);
  for (const auto& [begin, end] : parts) picture.add(Polyline{{begin, end}, {Ink::Strong}, 2});
  if (parts.empty()) return;
  const auto [a, b] = parts.back();
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  if (length < 1) return;
  const float head = std::min(8.0f, length), x = (b.x - a.x) / length * head, y = (b.y - a.y) / length * head;
  picture.add(Polyline{{{b.x - x - y / 2, b.y - y + x / 2}, b, {b.x - x + y / 2, b.y - y - x / 2}}, {Ink::Strong}, 2});
}

/// One arrow for what the lit lane copies, where its elements are beside one another; else one for each.
void draw_lit(const StageFrame& frame, Picture& picture) {
  std::vector<Transfer> lit;
  for (const Transfer& transfer : frame.transfers.empty() ? frame.later : frame.transfers)
    if (transfer.lane == frame.focus.lit_lane()) lit.push_back(transfer);
  if (lit.empty()) return;
  std::vector<uint64_t> from, to;
  for (const Transfer& transfer : lit) {
    from.push_back(transfer.from_index);
    to.push_back(transfer.to_index);
  }
  const bool one = regions_of(*lit.front().from, from).size() == 1 && regions_of(*lit.front().to, to).size() == 1;
  for (const Transfer& transfer : lit) {
    const auto a = one ? place_of_all(frame, transfer.from, from) : place_of(frame, transfer.from, transfer.from_index),
               b = one ? place_of_all(frame, transfer.to, to) : place_of(frame, transfer.to, transfer.to_index);
    if (a && b) draw_way(frame, *a, *b, picture);
    if (one) return;
  }
}

/// One element represents a box: the first inside the tensor.
void add_corner(const run::TracedBlock& traced, const trace::BulkRecord& box, std::vector<Transfer>& result) {
  const auto first = std::find_if(box.pieces.begin(), box.pieces.end(), [](const trace::BulkCopy::Piece& piece) {
    return piece.global != trace::BulkCopy::kNowhere;
  });
  if (!box.to_shared || first == box.pieces.end()) return;
  const TracedArray *from = traced.accesses.find(Space::Global, first->global),
                    *to = traced.accesses.find(Space::Shared, first->shared);
  if (from && to && from->columns > 0 && to->columns > 0)
    result.push_back({from, from->index_of(first->global), to, to->index_of(first->shared),
                      static_cast<uint32_t>(std::countr_zero(box.at.active))});
}

/// A lane at a load.
struct LaneLoad {
  analysis::StepRef at;
  uint32_t lane = 0;
};

/// What a store puts into shared memory, or only what was loaded there.
void add_stored(const run::TracedBlock& traced, const analysis::StepRef& at, const std::optional<LaneLoad>& only,
                std::vector<Transfer>& result) {
  for (const LaneUse& use : lane_uses(traced, at)) {
    if (use.how != LaneUse::How::Writes || use.array->allocation.space != Space::Shared) continue;
    if (only && use.lane != only->lane) continue;
    const auto from = traced.accesses.data_flow().source_of_store(at, use.lane, use.array->address_of(use.index));
    const TracedArray* array = from ? traced.accesses.find(Space::Global, from->address) : nullptr;
    if (!array || from->space != Space::Global || array->columns == 0 || (only && from->at != only->at)) continue;
    result.push_back({array, array->index_of(from->address), use.array, use.index, use.lane});
  }
}

}  // namespace

std::vector<Transfer> transfers_at(const run::TracedBlock& traced, const analysis::StepRef& at) {
  std::vector<Transfer> result;
  if (const auto boxes = traced.timeline.bulk_copies(at); !boxes.empty()) {
    for (const trace::BulkRecord* box : boxes) add_corner(traced, *box, result);
    return result;
  }
  const analysis::StepKind kind = traced.timeline.kind(at);
  if (kind == analysis::StepKind::StoreShared || kind == analysis::StepKind::AsyncCopy)
    add_stored(traced, at, std::nullopt, result);
  return result;
}

std::vector<Transfer> later_transfers(const run::TracedBlock& traced, const analysis::StepRef& load, uint32_t lane) {
  std::vector<Transfer> result;
  if (traced.timeline.kind(load) != analysis::StepKind::LoadGlobal) return result;
  for (analysis::StepRef at{load.warp, load.step + 1}; at.step < traced.timeline.phase(load).end; ++at.step)
    if (traced.timeline.kind(at) == analysis::StepKind::StoreShared)
      add_stored(traced, at, LaneLoad{load, lane}, result);
  return result;
}

void add_transfers(const StageFrame& frame, Picture& picture) {
  const float moved = frame.view.moved, part = frame.returns ? 1 - moved : moved;
  for (const Transfer& transfer : frame.transfers) {
    const auto from = place_of(frame, transfer.from, transfer.from_index),
               to = place_of(frame, transfer.to, transfer.to_index);
    if (!from || !to) continue;
    if (moved < 1)
      draw_ghost(frame, between(from->box, to->box, part), transfer.lane, picture);
    else if (frame.is_bulk)
      draw_way(frame, place_of_all(frame, transfer.from, frame.used(*transfer.from)).value_or(*from),
               place_of_all(frame, transfer.to, frame.used(*transfer.to)).value_or(*to), picture);
  }
  if (moved >= 1 && !frame.is_bulk) draw_lit(frame, picture);
}

}  // namespace tilescope::view
