#include "view/plots/sm_plot.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/words.h"
#include "view/words.h"
#include "wording/occupancy.h"

namespace tilescope::view {
namespace {
using analysis::Occupancy;
using analysis::OccupancyLimiter;

constexpr float kSmallText = 0.9f;                           // Heights of text, of the canvas's.
constexpr float kLeastSmBar = 14, kMostSmBar = 72;           // Heights of a bar, in pixels.
constexpr float kOvershoot = 26;                             // For the block that does not fit, at the right of a bar.
constexpr float kLeastFigures = 330;                         // With less width figures are only in tooltips.
constexpr float kKeyFrom = 260;                              // With less height there is no key.
constexpr float kMostSm = 26, kLeastSm = 3;                  // Sides of an SM's cell.
constexpr float kEven = 0.95f, kOdd = 0.6f, kGiven = 0.28f;  // Strengths: of a block by its number, of rounding.

/// A picture of an SM being drawn.
struct SmPage {
  const Occupancy& occupancy;
  const Canvas& canvas;
  bool covered = false;
  float gutter = 0;   ///< Width of the names at the left.
  float figures = 0;  ///< Width of the numbers at the right.
  Plot plot = {};

  bool has_key() const { return !covered && canvas.height >= kKeyFrom; }
  float small() const { return canvas.text * kSmallText; }
  float line() const { return canvas.text * 1.3f; }
  float width(const std::string& words, Font font = Font::Text) const {
    return canvas.measure->width(words, font, small());
  }
  float bar_width() const { return canvas.width - gutter - figures - kOvershoot; }
  void text(Point at, const std::string& words, Ink ink, Align horizontal = Align::Begin, Font font = Font::Text) {
    plot.picture.add(Label{at, words, {ink}, font, small(), horizontal, Align::Centre});
  }
};

std::string amount(OccupancyLimiter what, uint64_t number) {
  return what == OccupancyLimiter::SharedMemory ? bytes_text(number) : grouped(number);
}

std::string total_text(const SmPage& page, const SmResource& resource) {
  const std::string total = amount(resource.what, resource.total);
  return page.covered ? tr_format("{} of {}", "?", total)
                      : tr_format("{} of {}", amount(resource.what, resource.used()), total);
}

std::string per_block_text(const SmPage& page, const SmResource& resource) {
  if (page.covered || resource.what == OccupancyLimiter::Blocks) return {};
  const std::string portions = amount(resource.what, resource.portion * resource.portions_per_block);
  if (resource.asked == 0) return tr_format("{} per block, CUDA's", portions);
  // What the kernel has, as elsewhere in the window, and what is given besides.
  const uint64_t extra = resource.portion - resource.asked;
  if (resource.what == OccupancyLimiter::SharedMemory && extra > 0 && resource.asked % 1024 == 0 && extra % 1024 == 0)
    return tr_format("{} + {} per block", resource.asked / 1024, bytes_text(extra));
  return tr_format("{} per block", portions);
}

Colour block_colour(uint64_t block, float strength = 1) {
  return {Ink::ArrayC, (block % 2 == 0 ? kEven : kOdd) * strength};
}

/// How a resource is allocated, in a sentence.
std::string portion_text(const Occupancy& occupancy, const SmResource& resource) {
  const arch::Limits& limits = occupancy.limits;
  switch (resource.what) {
    case OccupancyLimiter::Warps:
      return tr_format("{} per block; each of {} schedulers has {} places", occupancy.block.warps(), resource.parts,
                       resource.total / resource.parts);
    case OccupancyLimiter::Registers:
      return tr_format("{} per thread, {} per warp: given as {}, in multiples of {}",
                       occupancy.block.registers_per_thread, grouped(resource.asked), grouped(resource.portion),
                       limits.register_unit);
    case OccupancyLimiter::SharedMemory:
      return tr_format("{} bytes per block: given as {}, {} of them for the system, in multiples of {}",
                       grouped(resource.asked), grouped(resource.portion), grouped(limits.shared_reserved_per_block),
                       limits.shared_unit);
    case OccupancyLimiter::Blocks: return tr_format("at most {} per SM", resource.total);
    case OccupancyLimiter::Barriers:
      return tr_format("{} per block, {} per SM", occupancy.block.barriers, resource.total);
  }
  return {};
}

PlotSpot sm_spot(const SmPage& page, const SmResource& resource, const Box& box) {
  PlotSpot spot{tr(to_string(resource.what)), {}};
  spot.box = box;
  if (page.covered) return spot;
  const uint32_t alone = page.occupancy.blocks_by(resource.what);
  spot.lines = {portion_text(page.occupancy, resource),
                tr_format("{} used, {} left over", amount(resource.what, resource.used()),
                          amount(resource.what, resource.left()))};
  if (alone != Occupancy::kUnlimited)
    spot.lines.push_back(tr_format("By this limit alone an SM holds {}.", plural(alone, "{} block", "{} blocks")));
  return spot;
}

/// The bar of a resource, in which portions are placed.
struct SmBar {
  const SmResource& resource;
  Box box;
  float row = 0, apart = 0;  ///< Height of a part, and pixels between two.

  SmBar(const SmResource& shown, const Box& whole) : resource(shown), box(whole) {
    const auto parts = static_cast<float>(shown.parts);
    apart = parts > 1 ? std::max(1.0f, whole.height * 0.04f) : 0;
    row = (whole.height - apart * (parts - 1)) / parts;
  }
  /// Pixels of an amount of one part.
  float length(uint64_t much) const {
    return box.width * static_cast<float>(much * resource.parts) / static_cast<float>(resource.total);
  }
  Box place(uint64_t portion) const {
    const auto part = static_cast<float>(portion % resource.parts);
    return {box.x + length(portion / resource.parts * resource.portion), box.y + part * (row + apart),
            length(resource.portion), row};
  }
};

/// The portions of a block: the requested amount in its tint, rounding and reserve lighter.
void add_block(SmPage& page, const SmBar& bar, uint64_t block) {
  const SmResource& resource = bar.resource;
  for (uint64_t i = 0; i < resource.portions_per_block; ++i) {
    Box box = bar.place(block * resource.portions_per_block + i);
    const float asked = bar.length(resource.asked), gap = box.width >= 4 ? 1.0f : 0.0f;
    if (asked > 0)
      page.plot.picture.add(
          Rectangle{{box.x, box.y, std::min(asked, box.width - gap), box.height}, block_colour(block)});
    if (box.width - gap > asked)
      page.plot.picture.add(
          Rectangle{{box.x + asked, box.y, box.width - gap - asked, box.height}, block_colour(block, kGiven / kEven)});
  }
}

/// The block after the last that fits: its part beyond the bar's end.
void add_next_block(SmPage& page, const SmBar& bar) {
  const SmResource& resource = bar.resource;
  const float end = bar.box.right(), most = end + kOvershoot - 4;
  for (uint64_t i = 0; i < resource.portions_per_block; ++i) {
    const Box box = bar.place(resource.blocks * resource.portions_per_block + i);
    const float right = std::min(box.right() - 1, most);
    if (box.x < end)
      page.plot.picture.add(Rectangle{{box.x, box.y, std::min(right, end) - box.x, box.height}, {Ink::Warning, 0.22f}});
    const float over = std::max(box.x, end);
    if (right > over) page.plot.picture.add(Rectangle{{over, box.y, right - over, box.height}, {Ink::Warning, 0.75f}});
  }
}

/// Numbers on the blocks of a bar that is one piece.
void number_blocks(SmPage& page, const SmBar& bar) {
  const float size = std::min(page.small(), bar.box.height * 0.8f);
  const std::string widest = std::to_string(std::max<uint64_t>(bar.resource.blocks, 1) - 1);
  if (size < kLeastWords || page.canvas.measure->width(widest, Font::Mono, size) + 4 > bar.length(bar.resource.portion))
    return;
  for (uint64_t block = 0; block < bar.resource.blocks; ++block) {
    const Box box = bar.place(block);
    page.plot.picture.add(
        Label{box.centre(), std::to_string(block), {Ink::Strong}, Font::Mono, size, Align::Centre, Align::Centre});
  }
}

void add_figures(SmPage& page, const SmResource& resource, const Box& box) {
  const bool limits = resource.limits && !page.covered, two_lines = box.height >= page.small() * 1.8f;
  const float middle = box.y + box.height / 2, half = page.small() * 0.58f;
  const float left = page.gutter - 8, right = page.canvas.width - page.figures + 4;
  const std::string block = two_lines ? per_block_text(page, resource) : "";
  page.text({left, middle - (limits && two_lines ? half : 0)}, tr(to_string(resource.what)),
            !limits     ? Ink::Text
            : two_lines ? Ink::Strong
                        : Ink::Warning,
            Align::End, limits ? Font::Bold : Font::Text);
  if (limits && two_lines) page.text({left, middle + half}, tr("the limit"), Ink::Warning, Align::End, Font::Bold);
  if (page.figures <= 0) return;
  page.text({right, middle - (block.empty() ? 0 : half)}, total_text(page, resource), Ink::Text);
  if (!block.empty()) page.text({right, middle + half}, block, Ink::Faint);
}

void add_resource(SmPage& page, const SmResource& resource, float top, float height) {
  const SmBar bar(resource, {page.gutter, top, page.bar_width(), height});
  for (uint32_t part = 0; part < resource.parts; ++part)
    page.plot.picture.add(
        Rectangle{{bar.box.x, bar.box.y + static_cast<float>(part) * (bar.row + bar.apart), bar.box.width, bar.row},
                  {Ink::Raised}});
  if (!page.covered && resource.portion > 0) {
    for (uint64_t block = 0; block < resource.blocks; ++block) add_block(page, bar, block);
    if (resource.parts == 1) number_blocks(page, bar);
    if (resource.limits && page.has_key()) add_next_block(page, bar);
  }
  if (resource.limits && !page.covered)
    page.plot.picture.add(Rectangle{
        {bar.box.x - 1.5f, bar.box.y - 1.5f, bar.box.width + 3, bar.box.height + 3}, kNoColour, {Ink::Warning}, 2, 2});
  add_figures(page, resource, bar.box);
  page.plot.spots.push_back(sm_spot(page, resource, {0, top, page.canvas.width, height}));
}

/// The key of the tints, as far as the line allows.
void add_key(SmPage& page, float top) {
  const std::pair<Colour, std::string> entries[] = {
      {block_colour(0), tr("the blocks in turn")},
      {{Ink::Warning, 0.75f}, tr("the next block, which does not fit")},
      {block_colour(0, kGiven / kEven), tr("rounding, the system's part")},
      {{Ink::Raised}, tr_format("rows: {} schedulers", page.occupancy.limits.sub_partitions)}};
  const float side = page.small() * 0.8f;
  float x = page.gutter;
  for (const auto& [colour, words] : entries) {
    if (x + side + page.width(words) > page.canvas.width) return;
    page.plot.picture.add(Rectangle{{x, top, side, side}, colour});
    page.text({x + side + 5, top + side / 2}, words, Ink::Faint);
    x += side + page.width(words) + 22;
  }
}

std::string waves_text(const SmWaves& waves) {
  const std::string blocks = plural(waves.blocks, "{} block", "{} blocks");
  const uint64_t busy = std::min(waves.rest(), waves.sms);
  if (waves.full() == 0) {
    const std::string text = tr_format("{}: one wave, on {} of {} SMs", blocks, busy, waves.sms);
    const uint64_t most = waves.in_last_wave(0);
    return most == waves.blocks_per_sm ? text
                                       : tr_format("{}, at most {} where {} fit", text, most, waves.blocks_per_sm);
  }
  const std::string full = plural(waves.full(), "{} full wave", "{} full waves");
  if (waves.rest() == 0) return tr_format("{}: {} of {} SMs", blocks, full, waves.sms);
  return tr_format("{}: {}, last: {} of {} SMs", blocks, full, busy, waves.sms);
}

/// The SMs as cells, filled as far as the last wave gives them blocks.
void add_waves(SmPage& page, const SmWaves& waves, const std::string& device, float top) {
  const float cells_top = top + page.line(), height = page.canvas.height - cells_top - 2, width = page.bar_width();
  float cell = kMostSm;
  const auto columns = [&] { return std::max<uint64_t>(1, static_cast<uint64_t>(width / cell)); };
  while (cell > kLeastSm && static_cast<float>((waves.sms + columns() - 1) / columns()) * cell > height) cell -= 0.25f;
  const uint64_t across = columns(), rows = (waves.sms + across - 1) / across;
  Cells cells{{page.gutter, cells_top, static_cast<float>(across) * cell, static_cast<float>(rows) * cell},
              static_cast<uint32_t>(rows),
              static_cast<uint32_t>(across),
              cell > 6 ? 1.5f : 1.0f,
              {}};
  for (uint64_t sm = 0; sm < rows * across; ++sm) {
    const auto part = static_cast<float>(waves.in_last_wave(sm)) / static_cast<float>(waves.blocks_per_sm);
    cells.colours.push_back(sm >= waves.sms ? kNoColour
                            : part > 0      ? Colour{Ink::ArrayC, 0.4f + 0.55f * part}
                                            : Colour{Ink::Raised});
  }
  const std::string words = waves_text(waves);
  page.text({page.gutter, top + page.line() * 0.4f},
            shortened(*page.canvas.measure, words, Font::Text, page.small(), page.canvas.width - page.gutter),
            Ink::Text);
  page.text({page.gutter - 8, cells_top + cells.box.height / 2}, tr(waves.full() > 0 ? "last wave" : "SMs"), Ink::Text,
            Align::End);
  PlotSpot spot{tr_format("Waves on {}", device),
                {words, tr_format("At a time {} run: {} on each SM. As if all took equally long.",
                                  plural(waves.per_wave(), "{} block", "{} blocks"), waves.blocks_per_sm)}};
  spot.box = {0, top, page.canvas.width, page.canvas.height - top};
  page.plot.spots.push_back(std::move(spot));
  page.plot.picture.add(std::move(cells));
}

std::string resource_table(const std::vector<SmResource>& resources) {
  std::string csv = "resource,total,used,per_block,limit\r\n";
  for (const SmResource& resource : resources)
    csv += fmt::format("{},{},{},{},{}\r\n", to_string(resource.what), resource.total, resource.used(),
                       resource.portion * resource.portions_per_block, resource.limits ? "yes" : "no");
  return csv;
}

/// Room for the names and the figures, as wide as the widest.
void set_columns(SmPage& page, const std::vector<SmResource>& resources) {
  page.gutter = std::max(page.width(tr("the limit"), Font::Bold), page.width(tr("last wave")));
  for (const SmResource& resource : resources) {
    page.gutter = std::max(page.gutter, page.width(tr(to_string(resource.what)), Font::Bold));
    page.figures =
        std::max({page.figures, page.width(total_text(page, resource)), page.width(per_block_text(page, resource))});
  }
  page.gutter += 12;
  page.figures = page.canvas.width < kLeastFigures ? 0 : page.figures + 4;
}

}  // namespace

std::vector<SmResource> sm_resources(const Occupancy& occupancy) {
  const arch::Limits& limits = occupancy.limits;
  const analysis::BlockResources& block = occupancy.block;
  const uint64_t warps = block.warps();
  std::vector<SmResource> resources{
      {OccupancyLimiter::Warps, limits.warps_per_sm, limits.sub_partitions, 1, 1, warps},
      {OccupancyLimiter::Registers, limits.registers_per_sm, limits.sub_partitions, occupancy.registers_per_warp,
       uint64_t{block.registers_per_thread} * arch::kWarpSize, warps},
      {OccupancyLimiter::SharedMemory, limits.shared_per_sm, 1, occupancy.shared_bytes_per_block, block.shared_bytes(),
       1}};
  if (occupancy.blocks_by_blocks == occupancy.blocks_per_sm)
    resources.push_back({OccupancyLimiter::Blocks, limits.blocks_per_sm, 1, 1, 1, 1});
  for (SmResource& resource : resources) {
    resource.blocks = occupancy.blocks_per_sm;
    resource.limits = occupancy.blocks_by(resource.what) == occupancy.blocks_per_sm;
  }
  return resources;
}

uint64_t SmWaves::in_last_wave(uint64_t sm) const {
  const uint64_t last = rest() == 0 ? per_wave() : rest();
  return last / sms + (sm < last % sms ? 1 : 0);
}

Plot sm_plot(const run::TracedBlock& traced, const Canvas& canvas, bool covered) {
  if (!traced.report.occupancy) return {};
  const std::vector<SmResource> resources = sm_resources(*traced.report.occupancy);
  SmPage page{*traced.report.occupancy, canvas, covered};
  page.plot.picture.width = canvas.width;
  page.plot.picture.height = canvas.height;
  set_columns(page, resources);
  const auto& device = traced.prepared->device;
  const bool has_waves = !covered && device && device->sms && page.occupancy.blocks_per_sm > 0;
  const auto count = static_cast<float>(resources.size());
  const bool has_key = page.has_key();
  const float waves = (has_waves ? page.line() + canvas.height * 0.2f : 0) + (has_key ? page.line() : 0);
  const float between = std::clamp(canvas.height * 0.035f, 4.0f, canvas.text);
  const float height = std::clamp((canvas.height - waves) / count - between, kLeastSmBar, kMostSmBar);
  if (page.bar_width() < 40) return std::move(page.plot);
  float top = 4;
  for (const SmResource& resource : resources) {
    add_resource(page, resource, top, height);
    top += height + between;
  }
  if (has_key) {
    add_key(page, top);
    top += page.line() * 1.4f;
  }
  const SmWaves split{traced.report.grid.count(), has_waves ? static_cast<uint64_t>(device->sms->value) : 0,
                      page.occupancy.blocks_per_sm};
  if (has_waves && top + page.line() + 2 * kLeastSm < canvas.height) add_waves(page, split, device->name, top);
  if (!covered) page.plot.csv = resource_table(resources);
  return std::move(page.plot);
}

std::string sm_heading(const run::TracedBlock& traced, const session::HiddenFacts& hidden) {
  if (hidden.has(session::Fact::Resources)) return covered_text(hidden.asked_in(session::Fact::Resources));
  if (!traced.report.occupancy) return tr("Unknown: it depends on the registers, which only ptxas reports.");
  return wording::sentence(*traced.report.occupancy);
}

}  // namespace tilescope::view
