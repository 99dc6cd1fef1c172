#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "analysis/access_rules.h"
#include "base/words.h"
#include "view/code/code_lines.h"
#include "view/input_values.h"
#include "view/sync_words.h"
#include "view/tooltip/tooltip_parts.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using run::TracedArray;
using run::TracedBlock;

/// The value in memory after the run; only for f32.
std::optional<float> stored_value(const TracedBlock& traced, const TracedArray& array, uint64_t index) {
  const emulator::GlobalMemory& memory = traced.launch.memory;
  const int place = memory.find(array.address_of(index), sizeof(float));
  if (place < 0 || array.allocation.element != Element::F32) return std::nullopt;
  float value = 0;
  std::memcpy(&value, memory.bytes(place).data() + index * sizeof value, sizeof value);
  return value;
}

std::string input_text(const TracedBlock& traced, const TracedArray& array, uint64_t index) {
  const std::optional<InputValue> value = input_value_of(traced, array, index);
  if (!value) return {};
  switch (value->from) {
    case InputValue::From::Padding: return tr("0: padding beyond the data");
    case InputValue::From::Description: return tr_format("{:.6g}: an input, as the description says", value->value);
    case InputValue::From::Program: return tr_format("{:.6g}: an input, from the program", value->value);
    default: return tr_format("{:.6g}: an input, made from seed {}", value->value, traced.request().seed);
  }
}

std::string global_value_text(const TracedBlock& traced, const TracedArray& array, uint64_t index,
                              const ElementUse& use) {
  const kernel::ArrayShape* shape = shape_of(traced, array);
  if (!shape) return {};
  if (shape->role == kernel::Role::Input) return input_text(traced, array, index);
  if (use.writes + use.bulk_writes == 0) return {};
  const std::optional<float> value = stored_value(traced, array, index);
  return value ? tr_format("{:.6g} after {} ran", *value, block_name(traced, traced.block)) : std::string();
}

std::string counts_text(const TracedBlock& traced, const ElementUse& use) {
  const std::string block = block_name(traced, traced.block);
  const uint64_t read = use.reads + use.bulk_reads + use.product_reads, written = use.writes + use.bulk_writes;
  if (read + written == 0) return tr_format("not touched by {}", block);
  const auto lanes = [](uint64_t number) { return plural(number, "{} lane", "{} lanes"); };
  const auto requests = [](uint64_t number) { return plural(number, "{} request", "{} requests"); };
  std::vector<std::string> parts;
  if (use.reads > 0) parts.push_back(tr_format("read by {} in {}", lanes(use.reading_lanes), requests(use.reads)));
  if (use.bulk_reads > 0) parts.push_back(plural(use.bulk_reads, "read by {} bulk copy", "read by {} bulk copies"));
  if (use.product_reads > 0)
    parts.push_back(plural(use.product_reads, "read by {} wgmma of a warp", "read by {} wgmmas of warps"));
  if (read == 0) parts.emplace_back(tr("not read"));
  if (use.writes > 0) parts.push_back(tr_format("written by {} in {}", lanes(use.writing_lanes), requests(use.writes)));
  if (use.bulk_writes > 0)
    parts.push_back(plural(use.bulk_writes, "written by {} bulk copy", "written by {} bulk copies"));
  if (written == 0) parts.emplace_back(tr("not written"));
  return fmt::format("{}: {}", block, fmt::join(parts, "; "));
}

std::string address_text(const TracedArray& array, uint64_t index) {
  const uint64_t address = array.address_of(index);
  if (array.allocation.space == Space::Shared)
    return tr_format("byte {} of the block's shared memory, bank {}", address,
                     address / analysis::kBankBytes % analysis::kBanks);
  return tr_format("byte address 0x{:x}, sector 0x{:x}", address, address & ~uint64_t{analysis::kSectorBytes - 1});
}

/// The block that stores the element, if only one does.
std::string owner_text(const Focus& focus, const TracedArray& array, uint64_t index) {
  if (!array.is_output() || array.columns == 0) return {};
  const run::RunResult& traced = result_of(focus);
  for (const analysis::StoreRegion& stores : traced.stores)
    if (traced.facts.global[stores.array].allocation.name == array.allocation.name &&
        stores.region.contains(index / array.columns, index % array.columns))
      return tr_format("{} computes it", block_name(traced, stores.block));
  return {};
}

std::string origin_text(const TracedBlock& traced, const ElementUse::Write& write, uint64_t address) {
  const analysis::DataFlow& flow = traced.accesses.data_flow();
  const auto from = write.copy ? flow.stored_from(address, traced.timeline.slot(write.at) + 1)
                               : flow.source_of_store(write.at, write.lane, address);
  const TracedArray* array = from ? traced.accesses.find(from->space, from->address) : nullptr;
  if (!array) return {};
  const uint64_t index = array->index_of(from->address);
  const std::optional<InputValue> value = input_value_of(traced, *array, index);
  return name_of(*array, index) + (value ? fmt::format(" = {:.6g}", value->value) : "");
}

/// The last write in a column before the cursor's.
const ElementUse::Write* last_write(const Focus& focus, const ElementUse& use) {
  const analysis::Timeline& timeline = focus.traced->timeline;
  const uint32_t now = timeline.slot(focus.cursor);
  const auto after = std::partition_point(use.stores.begin(), use.stores.end(), [&](const ElementUse::Write& write) {
    return timeline.slot(write.at) < now;
  });
  return after == use.stores.begin() ? nullptr : &*std::prev(after);
}

/// Whether a wait has completed the copy by the cursor.
bool has_landed(const Focus& focus, const trace::BulkRecord& copy) {
  const TracedBlock& traced = *focus.traced;
  if (copy.landed >= traced.trace.size()) return false;
  const trace::Step wait = traced.trace.step(copy.landed);
  return traced.timeline.slot({wait.warp, wait.warp_step}) <= traced.timeline.slot(focus.cursor);
}

void add_bulk_history(TooltipText& text, const Focus& focus, const ElementUse::Write& write, const std::string& from) {
  const bool landed = has_landed(focus, *write.copy);
  if (!from.empty()) text.lines.push_back(landed ? tr_format("holds {}", from) : tr_format("on its way: {}", from));
  text.lines.push_back(tr_format("by the bulk copy of lane {} of warp {}, instruction {}", write.lane, write.at.warp,
                                 grouped(write.at.step)));
}

void add_shared_history(TooltipText& text, const Focus& focus, const TracedArray& array, uint64_t index,
                        const ElementUse& use) {
  const ElementUse::Write* write = last_write(focus, use);
  if (!write) {
    text.lines.push_back(tr(use.stores.empty() ? "never written" : "not yet written at the cursor"));
    return;
  }
  const std::string from = origin_text(*focus.traced, *write, array.address_of(index));
  if (write->copy) return add_bulk_history(text, focus, *write, from);
  if (!from.empty()) text.lines.push_back(tr_format("holds {}", from));
  text.lines.push_back(
      tr_format("written by lane {} of warp {}, instruction {}", write->lane, write->at.warp, grouped(write->at.step)));
}

std::string now_text(LaneUse::How how, uint32_t mask, uint32_t warp) {
  const std::string lanes = lanes_text(mask);
  const bool one = std::popcount(mask) == 1;
  switch (how) {
    case LaneUse::How::Reads:
      return one ? tr_format("now: {} of warp {} reads it", lanes, warp)
                 : tr_format("now: {} of warp {} read it", lanes, warp);
    case LaneUse::How::Writes:
      return one ? tr_format("now: {} of warp {} writes it", lanes, warp)
                 : tr_format("now: {} of warp {} write it", lanes, warp);
    case LaneUse::How::Uses:
      return one ? tr_format("now: {} of warp {} multiplies with it", lanes, warp)
                 : tr_format("now: {} of warp {} multiply with it", lanes, warp);
    case LaneUse::How::Adds:
      return one ? tr_format("now: {} of warp {} adds to it", lanes, warp)
                 : tr_format("now: {} of warp {} add to it", lanes, warp);
  }
  return {};
}

/// "now: lanes 0 to 15 of warp 2 read it"
void add_now(TooltipText& text, const Focus& focus, const TracedArray& array, uint64_t index) {
  uint32_t lanes[4] = {};
  for (const LaneUse& touch : lane_uses(*focus.traced, focus.cursor))
    if (touch.array == &array && touch.index == index) lanes[static_cast<size_t>(touch.how)] |= 1u << touch.lane;
  for (const LaneUse::How how : kHows)
    if (const uint32_t mask = lanes[static_cast<size_t>(how)])
      text.lines.push_back(now_text(how, mask, focus.cursor.warp));
}

/// The state of an mbarrier at the cursor, and the block's operations on it in all.
void add_mbarrier(TooltipText& text, const Focus& focus, uint64_t address) {
  const TracedBlock& traced = *focus.traced;
  const run::MbarrierState state = traced.mbarriers.at(address, traced.timeline.slot(focus.cursor));
  const auto arrivals = [](uint64_t count) { return plural(count, "{} arrival", "{} arrivals"); };
  if (!state.initialised) {
    text.lines.push_back(tr("an mbarrier, not yet initialised at the cursor"));
  } else {
    text.lines.push_back(tr_format("an mbarrier: each phase takes {}", arrivals(state.expected)));
    text.lines.push_back(tr_format("phase {} (parity {}) lacks {}", state.phase, state.phase % 2, missing_text(state)));
    if (state.promised > 0) text.lines.push_back(tr_format("{} of them come with copies by cp.async", state.promised));
  }
  if (focus.hidden.access()) return;
  const run::Mbarriers::Uses uses = traced.mbarriers.uses(address);
  const std::string found = plural(uses.waits, "found complete by {} wait", "found complete by {} waits");
  text.lines.push_back(fmt::format("{}: {}; {}", block_name(traced, traced.block), arrivals(uses.arrivals), found));
  if (uses.bytes > 0)
    text.lines.push_back(plural(uses.bytes, "it expects {} byte in all", "it expects {} bytes in all"));
}

}  // namespace

TooltipText element_tooltip(const session::Target& target, const Focus& focus, ElementUses& uses) {
  const run::TracedBlock& traced = *focus.traced;
  const run::TracedArray* array = array_of(traced, target);
  if (!array) return {};
  const ElementUse& use = uses.of(traced, target);
  TooltipText text{name_of(*array, target.index), array_ink(*array), {}};
  const auto add = [&](std::string line) {
    if (!line.empty()) text.lines.push_back(std::move(line));
  };
  if (target.space == Space::Shared && traced.mbarriers.has(array->address_of(target.index))) {
    if (!focus.hidden.has(session::Fact::Accesses)) add_mbarrier(text, focus, array->address_of(target.index));
    add(address_text(*array, target.index));
    return text;
  }
  if (target.space != Space::Shared)
    add(global_value_text(traced, *array, target.index, use));
  else if (uses.complete() && !focus.hidden.has(session::Fact::Accesses))
    add_shared_history(text, focus, *array, target.index, use);
  if (!focus.hidden.has(session::Fact::Accesses)) add_now(text, focus, *array, target.index);
  if (!focus.hidden.access()) add(uses.complete() ? counts_text(traced, use) : tr("its accesses are being counted"));
  if (!focus.hidden.has(session::Fact::Accesses)) add(owner_text(focus, *array, target.index));
  add(address_text(*array, target.index));
  return text;
}

}  // namespace tilescope::view
