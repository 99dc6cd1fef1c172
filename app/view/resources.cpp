#include "view/resources.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "arch/arch.h"
#include "base/arithmetic.h"
#include "base/words.h"
#include "kernel/model.h"
#include "view/code/code_lines.h"
#include "view/plots/plot_axes.h"
#include "view/words.h"
#include "wording/bound.h"
#include "wording/compiler.h"
#include "wording/occupancy.h"
#include "wording/stop.h"

namespace tilescope::view {
namespace {
using run::Report;

/// `name`: marked with tr_later().
ResourceRow row_of(const char* name, std::string value, std::string detail, Figure figure = Figure::Resource) {
  return {name, std::move(value), "", std::move(detail), figure, tr(name)};
}

ResourceRow threads_row(const Report& report) {
  const uint64_t threads = report.block.count(), warps = (threads + arch::kWarpSize - 1) / arch::kWarpSize;
  return row_of(tr_later("threads per block"), fmt::format("{}", threads),
                tr_format("block {}: {}", to_string(report.block), plural(warps, "{} warp", "{} warps")));
}

ResourceRow registers_row(const Report& report) {
  const char* name = tr_later("registers per thread");
  if (!report.resources.registers) return row_of(name, tr("unknown"), tr("only ptxas of the CUDA Toolkit knows"));
  return row_of(name, fmt::format("{}", *report.resources.registers),
                tr_format("what ptxas gave it ({})", report.compiled_by));
}

ResourceRow shared_row(const Report& report) {
  const uint64_t fixed = report.resources.shared_bytes, dynamic = report.shared_bytes - fixed;
  const std::string parts = tr_format("{} static, {} dynamic", plural(fixed, "{} byte", "{} bytes"), grouped(dynamic));
  const std::string compiler = wording::instead_of_nvcc_text(report);
  return row_of(tr_later("shared memory per block"),
                report.shared_bytes == 0 ? tr("none") : bytes_text(report.shared_bytes),
                compiler.empty() ? parts : parts + "\n" + report.compiled_by + ": " + compiler);
}

ResourceRow spills_row(const Report& report) {
  const char* name = tr_later("spills");
  if (!report.resources.spill_bytes) return row_of(name, tr("unknown"), tr("ptxas of the CUDA Toolkit reports them"));
  const uint64_t bytes = *report.resources.spill_bytes;
  return row_of(name, bytes == 0 ? tr("none") : plural(bytes, "{} byte per thread", "{} bytes per thread"),
                tr("registers that ptxas keeps in local memory: bytes stored and loaded"));
}

/// The four limits, a line each.
std::string blocks_by_limit(const analysis::Occupancy& occupancy) {
  const std::pair<const char*, uint32_t> limits[] = {{tr_later("warps"), occupancy.blocks_by_warps},
                                                     {tr_later("registers"), occupancy.blocks_by_registers},
                                                     {tr_later("shared memory"), occupancy.blocks_by_shared_memory},
                                                     {tr_later("its number of blocks"), occupancy.blocks_by_blocks}};
  std::string text = tr("Blocks that an SM holds by each limit alone:");
  for (const auto& [name, blocks] : limits) {
    const bool limited = blocks != analysis::Occupancy::kUnlimited;
    text += fmt::format("\n{}  {}", limited ? fmt::format("{}", blocks) : tr("any"), tr(name));
  }
  return text;
}

ResourceRow occupancy_row(const Report& report) {
  if (!report.occupancy)
    return row_of(tr_later("occupancy"), tr("unknown"), tr("it depends on the registers, which only ptxas reports"));
  const analysis::Occupancy& occupancy = *report.occupancy;
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(report.arch));
  std::string value = limits ? tr_format("{} of {} warps", occupancy.warps_per_sm, limits->warps_per_sm)
                             : plural(occupancy.warps_per_sm, "{} warp", "{} warps");
  const std::string_view limiter = to_string(occupancy.limiter);
  return {fmt::format("occupancy, limited by {}", limiter),
          std::move(value),
          "",
          wording::sentence(occupancy) + "\n" + blocks_by_limit(occupancy),
          Figure::Resource,
          tr_format("occupancy, limited by {}", wording::limiters(occupancy))};
}

/// "1 = K / 64" if the words divide K x elements.
std::string words_a_product(const Report& report, uint64_t words, uint64_t elements) {
  std::string text = fmt::format("{:.4g}", ratio(words, elements));
  const uint64_t all = static_cast<uint64_t>(report.size.k) * elements;
  if (words != 0 && all % words == 0) {
    const uint64_t part = all / words;
    text += part == 1 ? " = K" : fmt::format(" = K / {}", part);
  } else if (words != 0 && words % all == 0) {
    text += fmt::format(" = {} K", words / all);
  }
  return text;
}

ResourceRow words_row(const Report& report) {
  const char* name = tr_later("global words per output");
  const analysis::PcCounts& memory = report.counts.memory;
  const uint64_t words = memory.global_load.words + memory.bulk_load.bytes / analysis::kBankBytes,
                 elements = report.elements_counted();
  if (elements == 0)
    return row_of(name, tr("unknown"), tr_format("C was not verified: {}", wording::unverified_text(report)),
                  Figure::Count);
  return row_of(name, words_a_product(report, words, elements),
                tr_format("{} loaded for {} of C; counted over {}", plural(words, "{} word", "{} words"),
                          plural(elements, "{} element", "{} elements"), counted_where(report)),
                Figure::Count);
}

ResourceRow products_row(const Report& report) {
  const char* name = tr_later("FMAs per shared word");
  const analysis::PcCounts& memory = report.counts.memory;
  const uint64_t fmas = report.counts.fma + report.counts.tensor_fma(),
                 words = memory.shared_load_merged.words + memory.product_wavefronts * analysis::kBanks;
  if (words == 0)
    return row_of(name, tr("no shared loads"), tr_format("counted over {}", counted_where(report)), Figure::Count);
  return row_of(name, fmt::format("{:.4g}", ratio(fmas, words)),
                tr_format("{} FMA, {} loaded from shared memory; counted over {}", grouped(fmas),
                          plural(words, "{} word", "{} words"), counted_where(report)),
                Figure::Count);
}

ResourceRow bound_row(const Report& report) {
  const auto& [device, bound] = *report.bound;
  const std::string_view limiting = to_string(bound.limiting);
  return {fmt::format("{} bound: {}", device, limiting),
          report.is_product ? fmt::format("{} GFLOP/s", grouped(static_cast<uint64_t>(std::llround(bound.gflops))))
                            : with_unit(bound.seconds, "s"),
          "",
          tr_format("{:.3g} µs at the very best: {}", bound.seconds * 1e6, wording::formula(bound, bound.limiting)),
          Figure::Bound,
          tr_format("{} bound: {}", device, tr(limiting))};
}

ResourceRow sampled_bound_row(const Report& counted) {
  return row_of(tr_later("bound"), tr("unknown"),
                tr_format("A bound needs the counts of the whole grid; counted were {}.", counted_where(counted)),
                Figure::Bound);
}

std::string of_bytes(double bytes) { return kernel::human_bytes(bytes).text(); }

/// "A, line 12: " and a text, for each array and line that has one.
template <class Text>
std::string by_reader(const session::ClockRun& run, Text text_of) {
  std::string text;
  for (const run::CacheUse& use : run.readers) {
    const std::string words = text_of(use);
    if (words.empty()) continue;
    const std::string array = use.array.empty() ? tr("no array") : use.array;
    text += '\n' + (use.line > 0 ? tr_format("{}, line {}: {}", array, use.line, words) : array + ": " + words);
  }
  return text;
}

/// The subject of a row, without anything that changes with the inputs: "occupancy".
std::string_view subject(const ResourceRow& row) {
  if (row.figure == Figure::Bound) return tr_later("bound");
  return std::string_view(row.name).substr(0, row.name.find(','));
}

/// Of a bound: "H200".
std::string_view device_in(const ResourceRow& row) {
  return std::string_view(row.name).substr(0, row.name.find(" bound"));
}

}  // namespace

std::vector<ResourceRow> resource_rows(const Report& traced, const Report* counted) {
  const Report& counts = counted ? *counted : traced;
  std::vector<ResourceRow> rows{threads_row(traced), registers_row(traced), shared_row(traced), spills_row(traced),
                                occupancy_row(traced)};
  if (counts.is_product) rows.insert(rows.end(), {words_row(counts), products_row(counts)});
  if (counts.bound) rows.push_back(bound_row(counts));
  if (counted && !counted->counts.has_all_blocks())
    rows.push_back(sampled_bound_row(*counted));
  return rows;
}

std::vector<ResourceRow> redacted(std::vector<ResourceRow> rows, const session::HiddenFacts& hidden) {
  for (ResourceRow& row : rows) {
    const bool covered = row.figure == Figure::Resource ? hidden.has(session::Fact::Resources)
                         : row.figure == Figure::Count  ? hidden.figures()
                                                        : hidden.figures() || hidden.has(session::Fact::Speed);
    if (!covered) continue;
    const std::string about(subject(row));
    const int later = row.figure == Figure::Resource ? hidden.asked_in(session::Fact::Resources)
                      : row.figure != Figure::Count && hidden.has(session::Fact::Speed)
                          ? hidden.asked_in(session::Fact::Speed)
                          : hidden.asked_in(session::Fact::Totals);
    row = {about, "?", "", covered_text(later), row.figure, tr(about)};
  }
  return rows;
}

std::vector<ResourceRow> cache_rows(const session::ClockRun& run) {
  using run::CacheUse;
  const auto percent_of = [](double share, double bytes) {
    return bytes > 0 ? tr_format("{:.0f} % of {}", 100 * share, of_bytes(bytes)) : std::string();
  };
  const auto bytes_or_none = [](double bytes) { return bytes > 0 ? of_bytes(bytes) : std::string(); };
  const CacheUse& all = run.reads;
  std::vector<ResourceRow> rows;
  if (all.asked > 0) {
    rows.push_back(
        row_of(tr_later("L1 hits"), fmt::format("{:.0f} %", 100 * all.l1_hit_rate()),
               tr("Simulated: of the bytes that loads from global memory ask L1 for, those that it has.") +
                   by_reader(run, [&](const CacheUse& use) { return percent_of(use.l1_hit_rate(), use.asked); }),
               Figure::Clock));
    rows.push_back(row_of(tr_later("asked again after eviction"), all.again > 0 ? of_bytes(all.again) : tr("none"),
                          tr("Simulated: what L1 has had, has evicted for other lines, and is asked for again.") +
                              by_reader(run, [&](const CacheUse& use) { return bytes_or_none(use.again); }),
                          Figure::Clock));
  }
  if (all.l2 > 0) {
    rows.push_back(
        row_of(tr_later("L2 hits"), fmt::format("{:.0f} %", 100 * all.l2_hit_rate()),
               tr("Simulated: of the bytes that L2 is asked for, those that it has.") +
                   by_reader(run, [&](const CacheUse& use) { return percent_of(use.l2_hit_rate(), use.l2); }),
               Figure::Clock));
    rows.push_back(row_of(tr_later("read from DRAM"), all.dram > 0 ? of_bytes(all.dram) : tr("none"),
                          tr("Simulated: what L2 does not have.") +
                              by_reader(run, [&](const CacheUse& use) { return bytes_or_none(use.dram); }),
                          Figure::Clock));
  }
  return rows;
}

namespace {

/// Without the last words if the value has them, too: "32 of 64 warps" beside "48 of 64 warps" is "32".
std::string without_common_end(const std::string& text, const std::string& value) {
  size_t length = text.size();
  for (size_t common = 1; common < std::min(text.size(), value.size()); ++common) {
    if (text[text.size() - common] != value[value.size() - common]) break;
    const size_t at = text.size() - common;
    const bool in_number = common > 1 && std::isdigit(static_cast<unsigned char>(text[at + 1]));
    if (text[at] == ' ' && !in_number) length = at;
  }
  return text.substr(0, length);
}

}  // namespace

std::vector<ResourceRow> with_before(std::vector<ResourceRow> now, const std::vector<ResourceRow>& before) {
  for (ResourceRow& row : now) {
    const auto old = std::find_if(before.begin(), before.end(),
                                  [&](const ResourceRow& other) { return subject(other) == subject(row); });
    if (old == before.end() || old->value == row.value) continue;
    const bool other_device = row.figure == Figure::Bound && device_in(*old) != device_in(row);
    if (!other_device) row.before = without_common_end(old->value, row.value);
  }
  return now;
}

}  // namespace tilescope::view
