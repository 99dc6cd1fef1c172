#include "view/stage/stage_frame.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "arch/arch.h"
#include "base/words.h"
#include "view/code/findings.h"
#include "view/stage/stage_transfer.h"

namespace tilescope::view {
namespace {
using run::Region;
using run::TracedArray;

constexpr float kLeastSide = 40;            // Pixels; in less there is no figure.
constexpr float kMostWidthOfWords = 0.35f;  // Of the width, at the right of the figure.

/// The place of the figure: beside it is room for words, most at the right.
Box figure_area(const Canvas& canvas) {
  float widest = 0;
  for (const std::string& line :
       {plural(128, "{} element per thread", "{} elements per thread"), tr_format("hatched: threads outside {}", "C")})
    widest = std::max(widest, canvas.measure->width(line, Font::Text, canvas.text * 0.92f));
  const float words = widest + canvas.text * 2;
  const float right = std::min(words, canvas.width * kMostWidthOfWords), left = canvas.text * 1.5f,
              top = canvas.text * 0.6f;
  return {left, top, canvas.width - left - right, canvas.height - top - canvas.text * 1.2f};
}

std::vector<ArrayPanel> visible_panels(const Focus& focus, const Canvas& canvas, const StageView& view,
                                       const std::vector<Region>& tiles) {
  std::vector<ArrayPanel> shown;
  const Box area = figure_area(canvas);
  if (area.width < kLeastSide || area.height < kLeastSide) return shown;
  std::vector<ArrayPanel> panels = stage_panels(focus, area, view.level, tiles, view.slice);
  if (view.moved < 1) {
    Focus before = focus;
    before.cursor = view.before;
    panels =
        panels_between(stage_panels(before, area, view.level, tile_regions(*focus.traced, view.before), view.slice),
                       panels, view.moved);
  }
  for (const ArrayPanel& panel : panels) {
    const ArrayPanel part = visible_part(panel, {0, 0, canvas.width, canvas.height}, view);
    if (part.strength > 0.02f) shown.push_back(part);
  }
  return shown;
}

/// Of an array in stages, which are drawn as wholes, only what is missing of those that are not on the way: where warps
/// are in step, of those that nobody has copied into.
TileState shared_state(const StageFrame& frame, const TracedArray& array, const StagesNow& stages) {
  if (array.allocation.space != Space::Shared) return {};
  TileState state = tile_state(frame.focus, frame.places, array);
  if (array.stage_copies.empty()) return state;
  std::vector<uint32_t> drawn = stages.on_the_way;
  if (frame.in_step()) drawn.insert(drawn.end(), stages.arrived.begin(), stages.arrived.end());
  std::erase_if(state.missing, [&](uint64_t index) {
    return std::ranges::any_of(drawn, [&](uint32_t stage) {
      return region_of_stage(array, stage).contains(index / array.columns, index % array.columns);
    });
  });
  return {{}, {}, std::move(state.missing)};
}

const std::vector<analysis::StoreRegion>& all_stores(const Focus& focus) {
  return focus.counted && !focus.counted->stores.empty() ? focus.counted->stores : focus.traced->stores;
}

/// For a store of several elements the first part represents all.
void find_owners(const Focus& focus, std::array<std::vector<uint64_t>, trace::kLanes>& owned) {
  const run::TracedBlock& traced = *focus.traced;
  for (const run::OutputStore& store : traced.accesses.output_stores(focus.cursor.warp))
    if (store.part == 0)
      run::for_each_accessed(traced.trace, *traced.accesses.output(), store.record,
                             [&](uint64_t index, uint32_t lane) { owned[lane].push_back(index); });
  for (std::vector<uint64_t>& elements : owned) {  // An element may be stored more than once.
    std::ranges::sort(elements);
    elements.erase(std::ranges::unique(elements).begin(), elements.end());
  }
}

/// Values that travel between the inputs and the tiles.
void find_transfers(StageFrame& frame) {
  const analysis::StepRef &now = frame.focus.cursor, &before = frame.view.before;
  frame.returns = frame.view.moved < 1 && before.warp == now.warp && before.step > now.step;
  frame.transfers = transfers_at(frame.traced, frame.returns ? before : now);
  frame.later = later_transfers(frame.traced, now, frame.focus.lit_lane());
}

}  // namespace

StageFrame stage_frame(const Focus& focus, const Canvas& canvas, const StageView& view) {
  StageFrame frame{.focus = focus, .traced = *focus.traced, .canvas = canvas, .view = view};
  frame.slot = focus.traced->timeline.slot(focus.cursor);
  frame.places = warp_places(focus);
  frame.tiles = tile_regions(*focus.traced, focus.cursor);
  frame.panels = visible_panels(focus, canvas, view, frame.tiles);
  if (focus.hidden.has(session::Fact::Accesses)) return frame;
  frame.helpers = helpers_of_blocks(focus);
  frame.uses = lane_uses(*focus.traced, focus.cursor);
  frame.products = product_uses(*focus.traced, focus.cursor);
  frame.is_bulk = !focus.traced->timeline.bulk_copies(focus.cursor).empty();
  frame.mbarriers = mbarrier_uses(focus, frame.places);
  if (frame.shows_grid()) return frame;
  find_owners(focus, frame.owned);
  if (frame.view.level >= 1.5f) find_transfers(frame);
  if (frame.view.level >= 1.5f) frame.swizzled = swizzled_elements(*focus.traced, focus.cursor);
  // The accessed banks reveal the conflicts, which are counts.
  if (view.banks && !focus.hidden.has(session::Fact::Counts) && frame.in_step())
    frame.banks = shared_access(*focus.traced, focus.cursor);
  for (const TracedArray& array : focus.traced->accesses.arrays()) {
    frame.stages.push_back(stages_now(focus, frame.places, array));
    frame.shared.push_back(shared_state(frame, array, frame.stages.back()));
  }
  if (!frame.shows_lanes()) frame.warps = warp_uses(focus, frame.places);
  if (focus.hidden.has(session::Fact::Findings)) return frame;
  frame.out_of_order = out_of_order(focus, frame.places);
  for (const TracedArray& array : focus.traced->accesses.arrays())
    frame.spoiled.push_back(array.allocation.space == Space::Shared ? spoiled(focus, frame.places, array)
                                                                    : std::vector<uint64_t>{});
  return frame;
}

std::vector<uint64_t> StageFrame::used(const TracedArray& array) const {
  std::vector<uint64_t> elements;
  for (const LaneUse& use : uses)
    if (use.array == &array) elements.push_back(use.index);
  for (const ProductUse& use : products)
    if (use.array == &array) elements.push_back(use.index);
  for (const MbarrierUse& use : mbarriers)
    if (use.array == &array && use.warp == focus.cursor.warp) elements.push_back(use.index);
  return elements;
}

bool StageFrame::is_swizzled(const TracedArray& array) const {
  return std::ranges::any_of(swizzled, [&](const SwizzledElement& element) { return element.array == &array; });
}

size_t StageFrame::number_of(const TracedArray& array) const {
  return static_cast<size_t>(&array - traced.accesses.arrays().data());
}

std::vector<analysis::StoreRegion> StageFrame::stores_to(const TracedArray& array) const {
  std::vector<analysis::StoreRegion> result;
  for (const analysis::StoreRegion& stores : all_stores(focus))
    if (traced.facts.global[stores.array].allocation.name == array.allocation.name) result.push_back(stores);
  return result;
}

std::map<uint32_t, Region> StageFrame::parts_of_k(const TracedArray& array) const {
  std::map<uint32_t, Region> parts;
  std::set<uint32_t> blocks;
  for (const auto& [block, others] : helpers)
    if (block == traced.block || others.contains(traced.block)) blocks = others, blocks.insert(block);
  if (blocks.empty() || array.allocation.space != Space::Global || array.is_output()) return parts;
  if (array.side != run::Side::A && array.side != run::Side::B) return parts;
  for (const analysis::StoreRegion& loads : focus.counted->loads)
    if (blocks.contains(loads.block) &&
        focus.counted->facts.global[loads.array].allocation.name == array.allocation.name)
      parts[loads.block] = loads.region;
  for (const auto& [block, part] : parts)
    for (const auto& [other, region] : parts)
      if (other < block && !clipped(part, region).empty()) return {};
  return parts;
}

const std::vector<bool>* StageFrame::wrong_in(const run::TracedArray& array) const {
  const run::Verification* verified = verification_of(traced, focus.counted);
  if (!verified || focus.hidden.has(session::Fact::Findings)) return nullptr;
  const auto found = verified->wrong_elements.find(array.allocation.name);
  return found == verified->wrong_elements.end() ? nullptr : &found->second;
}

uint64_t StageFrame::blocks_run() const {
  std::set<uint32_t> blocks;
  for (const analysis::StoreRegion& stores : all_stores(focus)) blocks.insert(stores.block);
  return blocks.size();
}

uint64_t StageFrame::blocks_storing(const TracedArray& array) const {
  std::set<uint32_t> blocks;
  for (const analysis::StoreRegion& stores : stores_to(array)) blocks.insert(stores.block);
  return blocks.size();
}

uint64_t StageFrame::blocks_of_cluster() const { return traced.prepared->program().cluster().count(); }

uint64_t StageFrame::cluster_of(uint64_t block) const { return traced.facts.clusters().number_of(block); }

uint64_t StageFrame::sms() const {
  const auto& device = traced.prepared->device;
  return device && device->sms ? static_cast<uint64_t>(device->sms->value) : 0;
}

uint64_t StageFrame::blocks_per_wave() const {
  const auto& occupancy = traced.report.occupancy;
  return occupancy ? occupancy->blocks_per_sm * sms() : 0;
}

const TracedArray* shared_access(const run::TracedBlock& traced, const analysis::StepRef& cursor) {
  const std::optional<uint32_t> record = traced.timeline.access(cursor);
  if (!record || traced.trace.space(*record) != Space::Shared || traced.trace.active(*record) == 0) return nullptr;
  uint64_t addresses[trace::kLanes];
  traced.trace.addresses(*record, addresses);
  return traced.accesses.find(Space::Shared, addresses[std::countr_zero(traced.trace.active(*record))]);
}

uint32_t bank_of(const TracedArray& array, uint64_t index) {
  return static_cast<uint32_t>(array.address_of(index) / arch::kBankBytes % arch::kBanks);
}

std::vector<Region> regions_of(const TracedArray& array, std::vector<uint64_t> elements) {
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  std::vector<Region> regions;
  std::map<std::pair<uint64_t, uint64_t>, size_t> last;  // The last region with these columns.
  for (size_t begin = 0, end = 0; begin < elements.size(); begin = end) {
    for (end = begin + 1; end < elements.size() && elements[end] == elements[end - 1] + 1; ++end)
      if (elements[end] % array.columns == 0) break;
    const uint64_t row = elements[begin] / array.columns, column = elements[begin] % array.columns;
    const Region run{row, column, row + 1, column + end - begin};
    const auto [known, is_new] = last.try_emplace({run.column, run.column_end}, regions.size());
    if (!is_new && regions[known->second].row_end == row) {
      ++regions[known->second].row_end;
      continue;
    }
    known->second = regions.size();
    regions.push_back(run);
  }
  return regions;
}

Region bounds_of(const TracedArray& array, const std::vector<uint64_t>& elements) {
  Region bounds;
  for (const uint64_t index : elements) bounds.add(index / array.columns, index % array.columns);
  return bounds;
}

Region clipped(Region region, const Region& window) {
  region.row = std::max(region.row, window.row);
  region.column = std::max(region.column, window.column);
  region.row_end = std::min(region.row_end, window.row_end);
  region.column_end = std::min(region.column_end, window.column_end);
  if (region.row >= region.row_end || region.column >= region.column_end) return {};
  return region;
}

}  // namespace tilescope::view
