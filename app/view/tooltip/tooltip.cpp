#include "view/tooltip.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "analysis/access_rules.h"
#include "base/text.h"
#include "base/words.h"
#include "run/inputs.h"
#include "view/access_words.h"
#include "view/code/code_lines.h"
#include "view/lane_uses.h"
#include "view/sync_words.h"
#include "view/words.h"
#include "wording/finding.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using run::Side;
using run::TracedArray;
using run::TracedBlock;
using session::Target;
using Kind = Target::Kind;

constexpr uint64_t kNoElement = UINT64_MAX;
constexpr size_t kMostWords = 4;
constexpr const char* kCountsCovered = tr_later("its counts will be here once you have answered");

const TracedArray* array_of(const TracedBlock& scene, const Target& element) {
  const TracedArray* array = scene.accesses.find(element.space, element.array);
  const bool holds = array && element.index < array->rows * array->columns &&
                     array->allocation.contains(array->address_of(element.index));
  return holds ? array : nullptr;
}

std::string block_name(const run::RunResult& scene, uint32_t block) {
  return tr_format("block {}", position_text(position_in(scene.report.grid, block)));
}

/// Lanes of an access whose bytes overlap [begin, end).
uint32_t lanes_within(const trace::Trace& trace, size_t record, uint64_t begin, uint64_t end) {
  if (!trace.may_meet(record, begin, end)) return 0;
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  // One comparison a lane: modulo 2^64, an access that begins before `first` is far above it.
  const uint64_t first = begin - trace.bytes(record) + 1, length = end - first;
  uint32_t lanes = 0;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    lanes |= static_cast<uint32_t>(addresses[lane] - first < length) << lane;
  return lanes & trace.active(record);
}

void note_access(ElementUse& use, const trace::Trace& trace, size_t record, uint32_t lanes) {
  const trace::AccessKind kind = trace.access_kind(record);
  const auto count = static_cast<uint64_t>(std::popcount(lanes));
  if (!trace::is_write(kind) || trace::is_atomic(kind)) {
    ++use.reads;
    use.reading_lanes += count;
  }
  if (!trace::is_write(kind)) return;
  ++use.writes;
  use.writing_lanes += count;
  const trace::Step step = trace.step(record);
  use.stores.push_back({{step.warp, step.warp_step}, static_cast<uint32_t>(31 - std::countl_zero(lanes)), nullptr});
}

// ---- values

/// Dense number of an element in the data part of a padded array; kNoElement in the padding.
uint64_t dense_index(const kernel::ArrayShape& array, uint64_t index) {
  uint64_t dense = 0, scale = 1;
  for (size_t i = array.shape.size(); i-- > 0;) {
    const uint64_t place = index % array.shape[i];
    index /= array.shape[i];
    if (place >= array.logical[i]) return kNoElement;
    dense += place * scale;
    scale *= array.logical[i];
  }
  return dense;
}

const kernel::ArrayShape* shape_of(const TracedBlock& scene, const std::string& name) {
  for (const kernel::ArrayShape& array : scene.prepared->configuration.arrays)
    if (array.space == Space::Global && array.name == name) return &array;
  return nullptr;
}

/// The value in memory after the run; only for f32.
std::optional<float> stored_value(const TracedBlock& scene, const TracedArray& array, uint64_t index) {
  const emulator::GlobalMemory& memory = scene.launch.memory;
  const int place = memory.find(array.address_of(index), sizeof(float));
  if (place < 0 || array.allocation.element != Element::F32) return std::nullopt;
  float value = 0;
  std::memcpy(&value, memory.bytes(place).data() + index * sizeof value, sizeof value);
  return value;
}

std::string input_text(const TracedBlock& scene, const kernel::ArrayShape& shape, uint64_t index) {
  const uint64_t dense = dense_index(shape, index);
  if (dense == kNoElement) return tr("0: padding beyond the data");
  return tr_format("{:.6g}: an input, made from seed {}", run::input_value(scene.request().seed, shape.name, dense),
                   scene.request().seed);
}

std::string global_value_text(const TracedBlock& scene, const TracedArray& array, uint64_t index,
                              const ElementUse& use) {
  const kernel::ArrayShape* shape = shape_of(scene, array.allocation.name);
  if (!shape) return {};
  if (shape->role == kernel::Role::Input)
    return shape->element == Element::F32 ? input_text(scene, *shape, index) : std::string();
  if (use.writes + use.bulk_writes == 0) return {};
  const std::optional<float> value = stored_value(scene, array, index);
  return value ? tr_format("{:.6g} after {} ran", *value, block_name(scene, scene.block)) : std::string();
}

// ---- elements

std::string counts_text(const TracedBlock& scene, const ElementUse& use) {
  const std::string block = block_name(scene, scene.block);
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

/// Of the whole grid if it has been counted.
const run::RunResult& result_of(const Focus& focus) {
  return focus.counted ? static_cast<const run::RunResult&>(*focus.counted) : *focus.scene;
}

/// The block that stores the element, if only one does.
std::string owner_text(const Focus& focus, const TracedArray& array, uint64_t index) {
  if (!array.is_output() || array.columns == 0) return {};
  const run::RunResult& scene = result_of(focus);
  for (const analysis::StoreRegion& stores : scene.stores)
    if (scene.facts.global[stores.array].allocation.name == array.allocation.name &&
        stores.region.contains(index / array.columns, index % array.columns))
      return tr_format("{} computes it", block_name(scene, stores.block));
  return {};
}

std::string origin_text(const TracedBlock& scene, const ElementUse::Write& write, uint64_t address) {
  const analysis::DataFlow& flow = scene.accesses.data_flow();
  const auto from = write.copy ? flow.stored_from(address, scene.timeline.slot(write.at) + 1)
                               : flow.source_of_store(write.at, write.lane, address);
  const TracedArray* array = from ? scene.accesses.find(from->space, from->address) : nullptr;
  if (!array) return {};
  const uint64_t index = array->index_of(from->address);
  std::string text = name_of(*array, index);
  const kernel::ArrayShape* shape = shape_of(scene, array->allocation.name);
  if (!shape || shape->role != kernel::Role::Input || shape->element != Element::F32) return text;
  const uint64_t dense = dense_index(*shape, index);
  return text +
         fmt::format(" = {:.6g}", dense == kNoElement ? 0 : run::input_value(scene.request().seed, shape->name, dense));
}

/// The last write in a column before the cursor's.
const ElementUse::Write* last_write(const Focus& focus, const ElementUse& use) {
  const analysis::Timeline& timeline = focus.scene->timeline;
  const uint32_t now = timeline.slot(focus.cursor);
  const auto after = std::partition_point(use.stores.begin(), use.stores.end(), [&](const ElementUse::Write& write) {
    return timeline.slot(write.at) < now;
  });
  return after == use.stores.begin() ? nullptr : &*std::prev(after);
}

/// Whether a wait has completed the copy by the cursor.
bool has_landed(const Focus& focus, const trace::BulkRecord& copy) {
  const TracedBlock& scene = *focus.scene;
  if (copy.landed >= scene.trace.size()) return false;
  const trace::Step wait = scene.trace.step(copy.landed);
  return scene.timeline.slot({wait.warp, wait.warp_step}) <= scene.timeline.slot(focus.cursor);
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
  const std::string from = origin_text(*focus.scene, *write, array.address_of(index));
  if (write->copy) return add_bulk_history(text, focus, *write, from);
  if (!from.empty()) text.lines.push_back(tr_format("holds {}", from));
  text.lines.push_back(
      tr_format("written by lane {} of warp {}, instruction {}", write->lane, write->at.warp, grouped(write->at.step)));
}

constexpr LaneUse::How kHows[] = {LaneUse::How::Reads, LaneUse::How::Writes, LaneUse::How::Uses, LaneUse::How::Adds};

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
  for (const LaneUse& touch : lane_uses(*focus.scene, focus.cursor))
    if (touch.array == &array && touch.index == index) lanes[static_cast<size_t>(touch.how)] |= 1u << touch.lane;
  for (const LaneUse::How how : kHows)
    if (const uint32_t mask = lanes[static_cast<size_t>(how)])
      text.lines.push_back(now_text(how, mask, focus.cursor.warp));
}

/// The state of an mbarrier at the cursor, and the block's operations on it in all.
void add_mbarrier(TooltipText& text, const Focus& focus, uint64_t address) {
  const TracedBlock& scene = *focus.scene;
  const run::MbarrierState state = scene.mbarriers.at(address, scene.timeline.slot(focus.cursor));
  const auto arrivals = [](uint64_t count) { return plural(count, "{} arrival", "{} arrivals"); };
  if (!state.initialised) {
    text.lines.push_back(tr("an mbarrier, not yet initialised at the cursor"));
  } else {
    text.lines.push_back(tr_format("an mbarrier: each phase takes {}", arrivals(state.expected)));
    text.lines.push_back(tr_format("phase {} (parity {}) lacks {}", state.phase, state.phase % 2, missing_text(state)));
    if (state.promised > 0) text.lines.push_back(tr_format("{} of them come with copies by cp.async", state.promised));
  }
  if (focus.hidden.access()) return;
  const run::Mbarriers::Uses uses = scene.mbarriers.uses(address);
  const std::string found = plural(uses.waits, "found complete by {} wait", "found complete by {} waits");
  text.lines.push_back(fmt::format("{}: {}; {}", block_name(scene, scene.block), arrivals(uses.arrivals), found));
  if (uses.bytes > 0)
    text.lines.push_back(plural(uses.bytes, "it expects {} byte in all", "it expects {} bytes in all"));
}

TooltipText element_tooltip(const Target& target, const Focus& focus, ElementUses& uses) {
  const TracedBlock& scene = *focus.scene;
  const TracedArray* array = array_of(scene, target);
  if (!array) return {};
  const ElementUse& use = uses.of(scene, target);
  TooltipText text{name_of(*array, target.index), array_ink(target.array), {}};
  const auto add = [&](std::string line) {
    if (!line.empty()) text.lines.push_back(std::move(line));
  };
  if (target.space == Space::Shared && scene.mbarriers.has(array->address_of(target.index))) {
    if (!focus.hidden.has(session::Fact::Accesses)) add_mbarrier(text, focus, array->address_of(target.index));
    add(address_text(*array, target.index));
    return text;
  }
  if (target.space != Space::Shared)
    add(global_value_text(scene, *array, target.index, use));
  else if (uses.complete() && !focus.hidden.has(session::Fact::Accesses))
    add_shared_history(text, focus, *array, target.index, use);
  if (!focus.hidden.has(session::Fact::Accesses)) add_now(text, focus, *array, target.index);
  if (!focus.hidden.access()) add(uses.complete() ? counts_text(scene, use) : tr("its accesses are being counted"));
  if (!focus.hidden.has(session::Fact::Accesses)) add(owner_text(focus, *array, target.index));
  add(address_text(*array, target.index));
  return text;
}

// ---- warps, lanes and steps

bool exists(const TracedBlock& scene, const StepRef& at) {
  return at.warp < scene.timeline.warps() && at.step < scene.timeline.steps(at.warp);
}

/// The warp's current instruction at the cursor's moment.
std::optional<StepRef> now_of(const Focus& focus, uint32_t warp) {
  if (warp == focus.cursor.warp) return focus.cursor;
  if (warp >= focus.scene->timeline.warps()) return std::nullopt;
  const auto step = focus.scene->timeline.step_in(warp, focus.scene->timeline.slot(focus.cursor));
  return step ? std::optional(StepRef{warp, *step}) : std::nullopt;
}

/// The PTX of an instruction, with the kernel's arguments by their names in the source.
std::string instruction_text(const TracedBlock& scene, uint32_t pc) {
  std::string text(trimmed(ptx::print(*scene.facts.module, scene.function(), scene.instruction(pc))));
  if (text.ends_with(';')) text.pop_back();
  const std::string parameter = scene.function().name + "_param_";
  const size_t begin = text.find(parameter);
  if (begin == std::string::npos) return text;
  const size_t end = std::min(text.find_first_not_of("0123456789", begin + parameter.size()), text.size());
  const auto number = static_cast<size_t>(std::atoi(text.c_str() + begin + parameter.size()));
  const auto& arguments = scene.prepared->configuration.arguments;
  return number < arguments.size() ? text.replace(begin, end - begin, arguments[number].name) : text;
}

/// "Bs[3][40], Bs[3][41], Bs[3][42], Bs[3][43] and 2 more"
std::string elements_text(const std::vector<LaneUse>& of_lane, LaneUse::How how) {
  constexpr size_t kMost = 4;
  std::vector<std::string> names;
  size_t count = 0;
  for (const LaneUse& touch : of_lane)
    if (touch.how == how && ++count <= kMost) names.push_back(name_of(*touch.array, touch.index));
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  return count > kMost ? tr_format("{} and {} more", text, count - kMost) : text;
}

/// "reads Bs[3][40] and Bs[3][41]"
std::string touched_text(LaneUse::How how, const std::string& elements) {
  switch (how) {
    case LaneUse::How::Reads: return tr_format("reads {}", elements);
    case LaneUse::How::Writes: return tr_format("writes {}", elements);
    case LaneUse::How::Uses: return tr_format("multiplies {}", elements);
    case LaneUse::How::Adds: return tr_format("adds to {}", elements);
  }
  return {};
}

void add_lane_now(TooltipText& text, const Focus& focus, uint32_t warp, uint32_t lane) {
  const std::optional<StepRef> now = now_of(focus, warp);
  if (!now || !exists(*focus.scene, *now)) return text.lines.push_back(tr("waits or has ended"));
  text.lines.push_back(tr_format("at {}", instruction_text(*focus.scene, focus.scene->timeline.pc(*now))));
  if (focus.hidden.has(session::Fact::Accesses)) return;
  std::vector<LaneUse> of_lane = lane_uses(*focus.scene, *now);
  std::erase_if(of_lane, [&](const LaneUse& touch) { return touch.lane != lane; });
  if ((focus.scene->timeline.active(*now) >> lane & 1) == 0)
    return text.lines.push_back(tr("takes no part in this instruction"));
  for (const LaneUse::How how : kHows)
    if (const std::string elements = elements_text(of_lane, how); !elements.empty())
      text.lines.push_back(touched_text(how, elements));
}

TooltipText lane_tooltip(const Target& target, const Focus& focus) {
  const TracedBlock& scene = *focus.scene;
  const auto lane = static_cast<uint32_t>(target.index);
  if (target.index >= trace::kLanes || target.warp * trace::kLanes + lane >= scene.facts.threads()) return {};
  TooltipText text{tr_format("lane {} of warp {}", lane, target.warp), Ink::Strong, {}};
  text.lines.push_back(wording::describe_with_block(scene.facts.thread_at(scene.block, target.warp, lane)));
  add_lane_now(text, focus, target.warp, lane);
  return text;
}

void add_step(TooltipText& text, const Focus& focus, const StepRef& at) {
  const TracedBlock& scene = *focus.scene;
  const analysis::Timeline& timeline = scene.timeline;
  const uint32_t pc = timeline.pc(at);
  text.lines.push_back(instruction_text(scene, pc));
  std::vector<std::string> place;
  if (timeline.kind(at) != analysis::StepKind::Other) place.emplace_back(tr(to_string(timeline.kind(at))));
  if (const int line = scene.facts.line_of(pc)) place.push_back(tr_format("line {}", line));
  if (timeline.tile(at) >= 0)
    place.push_back(fmt::format("{} {}", tr(tile_word(scene.accesses)), timeline.tile(at) + 1));
  if (!place.empty()) text.lines.push_back(fmt::format("{}", fmt::join(place, ", ")));
  const InstructionWords words = redacted(words_at(scene, at), focus.hidden);
  for (const std::string& line : {words.elements, words.sentence, words.merging, words.lanes})
    if (!line.empty()) text.lines.push_back(line);
}

TooltipText step_tooltip(const Target& target, const Focus& focus) {
  const StepRef at{target.warp, static_cast<uint32_t>(target.index)};
  if (!exists(*focus.scene, at)) return {};
  TooltipText text{tr_format("warp {}, instruction {} of {}", at.warp, grouped(at.step + 1),
                             grouped(focus.scene->timeline.steps(at.warp))),
                   Ink::Strong,
                   {}};
  add_step(text, focus, at);
  return text;
}

TooltipText warp_tooltip(const Target& target, const Focus& focus) {
  const TracedBlock& scene = *focus.scene;
  if (target.warp >= scene.facts.warps()) return {};
  const uint32_t first = target.warp * trace::kLanes, last = std::min(first + trace::kLanes, scene.facts.threads()) - 1;
  TooltipText text{tr_format("warp {}", target.warp),
                   Ink::Strong,
                   {tr_format("threads {} to {} of {}", first, last, block_name(scene, scene.block))}};
  const std::optional<StepRef> now = now_of(focus, target.warp);
  if (now && exists(scene, *now))
    add_step(text, focus, *now);
  else
    text.lines.push_back(tr("waits or has ended"));
  return text;
}

TooltipText block_tooltip(const Target& target, const Focus& focus) {
  const run::RunResult& scene = result_of(focus);
  if (target.index >= scene.report.grid.count()) return {};
  const auto block = static_cast<uint32_t>(target.index);
  TooltipText text{block_name(scene, block), Ink::Strong, {}};
  if (!focus.hidden.has(session::Fact::Resources))
    text.lines.push_back(tr_format("one of {}, {} each", plural(scene.report.grid.count(), "{} block", "{} blocks"),
                                   plural(scene.report.block.count(), "{} thread", "{} threads")));
  for (const analysis::StoreRegion& stores : scene.stores)
    if (stores.block == block && !stores.region.empty() && !focus.hidden.has(session::Fact::Accesses))
      text.lines.push_back(tr_format("computes rows {} to {}, columns {} to {} of {}", stores.region.row,
                                     stores.region.row_end - 1, stores.region.column, stores.region.column_end - 1,
                                     scene.facts.global[stores.array].allocation.name));
  if (block == focus.scene->block) text.lines.push_back(tr("this is the block that is traced"));
  return text;
}

// ---- memory

std::string use_text(const analysis::SectorUse& use) {
  const std::string lanes = lanes_text(use.lanes);
  const int bytes = std::popcount(use.bytes_used);
  return std::popcount(use.lanes) == 1
             ? tr_format("now: {} uses {} of its {} bytes", lanes, bytes, analysis::kSectorBytes)
             : tr_format("now: {} use {} of its {} bytes", lanes, bytes, analysis::kSectorBytes);
}

TooltipText sector_tooltip(const Target& target, const Focus& focus) {
  const TracedBlock& scene = *focus.scene;
  const uint64_t begin = target.index, end = begin + analysis::kSectorBytes;
  TooltipText text{tr_format("sector 0x{:x}", begin), Ink::Strong, {}};
  if (const TracedArray* array = scene.accesses.find(Space::Global, begin)) {
    const uint64_t last = std::min(end, array->allocation.base + array->allocation.bytes) - 1;
    text.ink = array_ink(array->allocation.name);
    text.lines.push_back(
        tr_format("{} to {}", name_of(*array, array->index_of(begin)), name_of(*array, array->index_of(last))));
  }
  if (focus.hidden.access()) return text;
  for (const WarpAccess& access : accesses_at(scene, focus.cursor)) {
    if (access.space != Space::Global) continue;
    for (const analysis::SectorUse& use : access.sectors())
      if (use.address == begin) text.lines.push_back(use_text(use));
  }
  return text;
}

void add_bank_words(TooltipText& text, const TracedBlock& scene, const WarpAccess& access, uint64_t bank) {
  size_t words = 0;
  for (const analysis::BankWord& word : access.banks().words)
    if (word.bank == bank && ++words <= kMostWords)
      text.lines.push_back(tr_format("wavefront {}: {} for {}", word.wavefront + 1,
                                     wording::element_at(scene.facts, Space::Shared, word.word * analysis::kBankBytes),
                                     lanes_text(word.lanes)));
  if (words > kMostWords) text.lines.push_back(plural(words - kMostWords, "and {} more word", "and {} more words"));
  if (words == 0) text.lines.push_back(tr("idle in this access"));
}

TooltipText bank_tooltip(const Target& target, const Focus& focus) {
  if (target.index >= analysis::kBanks) return {};
  const TracedBlock& scene = *focus.scene;
  TooltipText text{tr_format("bank {}", target.index),
                   Ink::Strong,
                   {tr_format("{} bytes per wavefront, one of {} banks", analysis::kBankBytes, analysis::kBanks)}};
  if (focus.hidden.access()) return text;
  for (const WarpAccess& access : accesses_at(scene, focus.cursor))
    if (access.space == Space::Shared) add_bank_words(text, scene, access, target.index);
  return text;
}

// ---- program text

const run::Report& counts_of(const Focus& focus) { return result_of(focus).report; }

void add_costs(TooltipText& text, const Focus& focus, uint64_t warp_instructions, const analysis::PcCounts& memory) {
  if (focus.hidden.figures())
    return text.lines.push_back(covered_text(focus.hidden.asked_in(session::Fact::Totals), tr(kCountsCovered)));
  text.lines.push_back(tr_format("{} over {}", plural(warp_instructions, "{} warp instruction", "{} warp instructions"),
                                 counted_where(counts_of(focus))));
  for (const AccessCost& cost : access_costs(memory)) text.lines.push_back(to_sentence(cost));
  if (memory.barriers > 0) text.lines.push_back(tr_format("warps arrive {} times", grouped(memory.barriers)));
}

TooltipText line_tooltip(const Target& target, const Focus& focus) {
  TooltipText text{tr_format("line {}", target.index), Ink::Strong, {}};
  for (const run::LineCounts& line : counts_of(focus).counts.lines)
    if (static_cast<uint64_t>(line.line) == target.index) add_costs(text, focus, line.warp_instructions, line.memory);
  if (text.lines.empty()) text.lines.push_back(tr("no instruction of its own"));
  return text;
}

TooltipText ptx_tooltip(const Target& target, const Focus& focus) {
  const run::RunResult& scene = result_of(focus);
  TooltipText text{tr_format("PTX line {}", target.index), Ink::Strong, {}};
  const run::Counts& counts = scene.report.counts;
  const auto warps = counts.ptx_lines.find(static_cast<int>(std::min<uint64_t>(target.index, INT32_MAX)));
  analysis::PcCounts memory;
  int line = 0;
  for (uint32_t pc = 0; pc < scene.function().instructions.size(); ++pc) {
    if (static_cast<uint64_t>(scene.instruction(pc).line) != target.index) continue;
    line = scene.facts.line_of(pc);
    if (pc < counts.pcs.size()) memory.merge(counts.pcs[pc]);
  }
  if (line > 0) text.lines.push_back(tr_format("of CUDA line {}", line));
  if (warps != counts.ptx_lines.end()) add_costs(text, focus, warps->second, memory);
  if (text.lines.empty()) text.lines.push_back(tr("no instruction on this line"));
  return text;
}

TooltipText parameter_tooltip(const Target& target, const Focus& focus) {
  const kernel::Parameter* parameter = focus.scene->request().kernel.description.parameter(target.array);
  if (!parameter) return {};
  TooltipText text{parameter->name, Ink::Strong, {tr(std::string_view(parameter->about))}};
  if (parameter->is_range)
    text.lines.push_back(tr_format("{} to {}, default {}", parameter->values.front(), parameter->values.back(),
                                   parameter->default_value));
  else
    text.lines.push_back(
        tr_format("one of {}; default {}", fmt::join(parameter->values, ", "), parameter->default_value));
  return text;
}

}  // namespace

const ElementUse& ElementUses::of(const TracedBlock& scene, const Target& element) {
  const uint64_t hash = scene.report.trace ? scene.report.trace->hash : 0;
  if (scene_ != &scene || trace_hash_ != hash || element_ != element) {
    *this = {};
    scene_ = &scene;
    trace_hash_ = hash;
    element_ = element;
    complete_ = false;
  }
  if (!complete_) scan(scene);
  return use_;
}

void ElementUses::add_copies(const TracedBlock& scene, uint64_t begin, uint64_t end) {
  const bool shared = element_.space == Space::Shared;
  const auto meets = [&](uint64_t from, uint64_t bytes) { return from < end && begin < from + bytes; };
  for (const trace::BulkRecord& copy : scene.trace.bulk_copies()) {
    const bool here = std::ranges::any_of(copy.pieces, [&](const trace::BulkCopy::Piece& piece) {
      return shared ? meets(piece.shared, piece.bytes)
                    : piece.global != trace::BulkCopy::kNowhere && meets(piece.global, piece.bytes);
    });
    if (!here) continue;
    if (copy.to_shared != shared) {
      ++use_.bulk_reads;
      continue;
    }
    ++use_.bulk_writes;
    use_.stores.push_back({{copy.at.warp, copy.at.warp_step}, lowest(copy.at.active), &copy});
  }
  if (!shared) return;
  for (const trace::ProductRecord& product : scene.trace.product_reads())
    use_.product_reads += std::ranges::any_of(
        product.pieces, [&](const trace::ProductRead::Piece& piece) { return meets(piece.shared, piece.bytes); });
}

void ElementUses::scan(const TracedBlock& scene) {
  const TracedArray* array = array_of(scene, element_);
  const size_t size = array ? scene.trace.size() : 0;
  const size_t stop = std::min(size, scanned_ + kRecordsACall);
  for (; scanned_ < stop; ++scanned_) {
    const trace::Trace& trace = scene.trace;
    if (trace.kind(scanned_) != trace::RecordKind::Access || trace.space(scanned_) != element_.space) continue;
    const uint64_t begin = array->address_of(element_.index), end = begin + size_of(array->allocation.element);
    if (const uint32_t lanes = lanes_within(trace, scanned_, begin, end)) note_access(use_, trace, scanned_, lanes);
  }
  complete_ = scanned_ == size;
  if (!complete_) return;
  if (array) {
    const uint64_t begin = array->address_of(element_.index);
    add_copies(scene, begin, begin + size_of(array->allocation.element));
  }
  std::stable_sort(use_.stores.begin(), use_.stores.end(), [&](const ElementUse::Write& a, const ElementUse::Write& b) {
    return scene.timeline.slot(a.at) < scene.timeline.slot(b.at);
  });
}

TooltipText tooltip(const Target& target, const Focus& focus, ElementUses& uses) {
  switch (target.kind) {
    case Kind::None: return {};
    case Kind::Element: return element_tooltip(target, focus, uses);
    case Kind::Lane: return lane_tooltip(target, focus);
    case Kind::Warp: return warp_tooltip(target, focus);
    case Kind::Block: return block_tooltip(target, focus);
    case Kind::Step: return step_tooltip(target, focus);
    case Kind::SourceLine: return line_tooltip(target, focus);
    case Kind::PtxLine: return ptx_tooltip(target, focus);
    case Kind::Sector: return sector_tooltip(target, focus);
    case Kind::Bank: return bank_tooltip(target, focus);
    case Kind::Parameter: return parameter_tooltip(target, focus);
  }
  return {};
}

}  // namespace tilescope::view
