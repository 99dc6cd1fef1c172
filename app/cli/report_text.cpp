#include "cli/report_text.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/arithmetic.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/program_launch.h"
#include "store/measurement.h"
#include "wording/bound.h"
#include "wording/compiler.h"
#include "wording/finding.h"
#include "wording/occupancy.h"
#include "wording/stop.h"

namespace tilescope::cli {
namespace {
using analysis::GlobalCounts;
using analysis::PcCounts;
using analysis::SharedCounts;
using run::Report;

constexpr size_t kLabel = 12;

std::string field(const Style& style, std::string_view name, const std::string& text) {
  // A name longer than its column has a line of its own.
  const std::string space =
      name.size() < kLabel ? std::string(kLabel - name.size(), ' ') : '\n' + std::string(kLabel, ' ');
  return style.bold(name) + space + wrapped(text, kWidth - kLabel, kLabel) + '\n';
}

std::string heading(const Report& report, const Style& style) {
  std::string settings = kernel::size_text(report.extents, report.size);
  if (!settings.empty()) settings += "  ";
  if (!report.params.empty()) settings += store::params_text(report.params) + "  ";
  const std::string compiler = wording::instead_of_nvcc_text(report);
  return fmt::format("{}  {}\n{}{}  {}\n\n", style.bold(printable(report.kernel)), printable(report.title), settings,
                     report.arch,
                     style.dim(compiler.empty() ? report.compiled_by : report.compiled_by + ", " + compiler));
}

std::string launch_text(const Report& report) {
  return fmt::format("grid {}, block {}: {} of {}", to_string(report.grid), to_string(report.block),
                     amount(report.grid.count(), "block"), amount(report.block.count(), "thread"));
}

std::string resources_text(const Report& report) {
  const std::string shared = report.shared_bytes == 0 ? "no shared memory"
                                                      : fmt::format("{} of shared memory per block",
                                                                    in_bytes(static_cast<double>(report.shared_bytes)));
  if (!report.resources.registers) return shared + ", registers unknown without NVRTC";
  const std::string text = fmt::format("{} registers per thread, {}", *report.resources.registers, shared);
  const std::optional<uint64_t>& spilled = report.resources.spill_bytes;
  if (!spilled) return text;
  return text +
         (*spilled ? fmt::format(", {} bytes per thread spilled to local memory", *spilled) : ", nothing spilled");
}

/// Empty if the tensor cores do nothing.
std::string tensor_text(const run::Counts& counts) {
  if (counts.tensor_instructions == 0) return {};
  return fmt::format("{} by {} of the tensor cores, ", scaled(static_cast<double>(counts.tensor_fma())),
                     amount(counts.tensor_instructions, "instruction"));
}

/// "16 of 1 024 blocks"
std::string some_of_all(const run::Counts& counts) {
  return fmt::format("{} of {}", grouped(counts.blocks_counted), amount(counts.blocks_total, "block"));
}

std::string counted_text(const Report& report) {
  const run::Counts& counts = report.counts;
  std::string text =
      counts.has_all_blocks() ? fmt::format("all {}", amount(counts.blocks_total, "block")) : some_of_all(counts);
  if (!counts.blocks.empty()) {
    text += " (";
    for (const uint32_t block : counts.blocks) text += position_text(position_in(report.grid, block)) + ", ";
    text.replace(text.size() - 2, 2, ")");
  }
  return text + fmt::format(": {} thread instructions in {} warp instructions, {} FMA, {}{}",
                            scaled(static_cast<double>(counts.thread_instructions)),
                            scaled(static_cast<double>(counts.warp_instructions)),
                            scaled(static_cast<double>(counts.fma)), tensor_text(counts),
                            counts.divergent_branches == 1
                                ? "1 divergent branch"
                                : grouped(counts.divergent_branches) + " divergent branches");
}

/// ", as naive computes it"
std::string reference_text(const run::Verification& verified) {
  return verified.reference.empty() ? "" : fmt::format(", as {} computes it", verified.reference);
}

std::string verified_text(const Report& report, const Style& style) {
  if (!report.verified) return "not verified: " + wording::unverified_text(report);
  const run::Verification& verified = *report.verified;
  if (const auto& wrong = verified.first_wrong)
    return fmt::format("{}: {} of {} elements{}; the first is {}, {}, expected {}", style.bad("wrong"),
                       grouped(verified.wrong), grouped(verified.elements),
                       verified.reference.empty() ? "" : " differ from what " + verified.reference + " computes",
                       name_of(*wrong), wrong->written ? fmt::format("got {:g}", wrong->got) : "which no thread wrote",
                       run::expected_of(*wrong));
  if (verified.bound == 0)
    return fmt::format("{}{}: {}, to the bit{}", style.good("right"), sample_text(report.counts),
                       amount(verified.elements, "element"), reference_text(verified));
  return fmt::format("{}{}: {}, largest error {:.1e}, rounding allows {:.1e}{}", style.good("right"),
                     sample_text(report.counts), amount(verified.elements, "element"), verified.max_error,
                     verified.bound, reference_text(verified));
}

std::string verified_label(const Report& report) {
  if (report.verified) return report.verified->arrays + " is";
  return report.is_product ? "C is" : "Result";
}

std::string per_element(const Report& report, uint64_t words) {
  const uint64_t elements = report.is_product ? report.elements_counted() : 0;
  return elements ? fmt::format("{:.4g}", ratio(words, elements)) : "";
}

std::string sectors_per_request(const GlobalCounts& counts) {
  return fmt::format("{:.1f} (ideal {:.1f})", counts.sectors_per_request(), counts.ideal_sectors_per_request());
}

std::string wavefronts_per_request(const SharedCounts& counts) {
  return fmt::format("{:.1f} (ideal {:.1f})", counts.wavefronts_per_request(), counts.ideal_wavefronts_per_request());
}

void global_row(Table& table, const Report& report, const char* name, const GlobalCounts& counts) {
  if (counts.requests == 0) return;
  table.row({name, grouped(counts.requests), grouped(counts.sectors), sectors_per_request(counts),
             grouped(counts.words), per_element(report, counts.words)});
}

void shared_row(Table& table, const Report& report, const char* name, const SharedCounts& counts) {
  if (counts.requests == 0) return;
  table.row({name, grouped(counts.requests), grouped(counts.wavefronts), wavefronts_per_request(counts),
             grouped(counts.words), per_element(report, counts.words)});
}

const std::vector<Align> kMemoryColumns{Align::Left,  Align::Right, Align::Right,
                                        Align::Right, Align::Right, Align::Right};

void bulk_row(Table& table, const Report& report, const char* name, const analysis::BulkCounts& counts) {
  if (counts.copies == 0) return;
  const uint64_t words = counts.bytes / analysis::kBankBytes, ideal = counts.bytes / analysis::kSectorBytes;
  table.row({name, grouped(counts.copies), grouped(counts.sectors),
             fmt::format("{:.1f} (ideal {:.1f})", ratio(counts.sectors, counts.copies), ratio(ideal, counts.copies)),
             grouped(words), per_element(report, words)});
}

std::string memory_text(const Report& report) {
  const PcCounts& memory = report.counts.memory;
  Table table(kMemoryColumns);
  const char* per_element = report.is_product ? "words per element of C" : "";
  table.row({"", "requests", "sectors", "sectors per request", "words", per_element});
  global_row(table, report, "global loads", memory.global_load);
  global_row(table, report, "global stores", memory.global_store);
  bulk_row(table, report, "bulk copies in", memory.bulk_load);
  bulk_row(table, report, "bulk copies out", memory.bulk_store);
  global_row(table, report, "local loads", memory.local_load);
  global_row(table, report, "local stores", memory.local_store);
  if (memory.shared_load.requests + memory.shared_store.requests + memory.product_wavefronts > 0) {
    table.row({});
    table.row({"", "requests", "wavefronts", "wavefronts per request", "words", per_element});
    shared_row(table, report, "shared loads", memory.shared_load_merged);
    if (memory.shared_load_merged != memory.shared_load)
      shared_row(table, report, "  before ptxas merges", memory.shared_load);
    shared_row(table, report, "shared stores", memory.shared_store_merged);
    if (memory.shared_store_merged != memory.shared_store)
      shared_row(table, report, "  before ptxas merges", memory.shared_store);
    if (memory.product_wavefronts > 0)
      table.row({"matrix products", "", grouped(memory.product_wavefronts), "", "", ""});
  }
  std::string text = table.text() + '\n';
  if (memory.global_atomic.requests + memory.shared_atomic.requests > 0)
    text += fmt::format("atomics: {} global requests, {} shared\n\n", grouped(memory.global_atomic.requests),
                        grouped(memory.shared_atomic.requests));
  return text;
}

std::string source_line(const Report& report, int line, size_t width) {
  if (line < 1 || static_cast<size_t>(line) > report.source.size()) return {};
  return printable(shortened(trimmed(report.source[static_cast<size_t>(line) - 1]), width));
}

std::string lines_text(const Report& report) {
  Table table({Align::Right, Align::Left, Align::Left, Align::Right, Align::Right});
  table.row({"line", "", "", "requests", "each"});
  for (const run::LineCounts& line : report.counts.lines) {
    std::string number = std::to_string(line.line), source = source_line(report, line.line, 46);
    const auto add = [&](const char* what, uint64_t requests, const std::string& each) {
      if (requests == 0) return;
      table.row({std::exchange(number, ""), std::exchange(source, ""), what, grouped(requests), each});
    };
    const PcCounts& memory = line.memory;
    const auto sectors = [](const GlobalCounts& counts) { return sectors_per_request(counts) + " sectors   "; };
    const auto waves = [](const SharedCounts& counts) { return wavefronts_per_request(counts) + " wavefronts"; };
    add("global load", memory.global_load.requests, sectors(memory.global_load));
    add("global store", memory.global_store.requests, sectors(memory.global_store));
    const auto moved = [](const analysis::BulkCounts& counts) {
      return fmt::format("{:.1f} sectors   ", ratio(counts.sectors, counts.copies));
    };
    add("bulk copy in", memory.bulk_load.copies, moved(memory.bulk_load));
    add("bulk copy out", memory.bulk_store.copies, moved(memory.bulk_store));
    add("shared load", memory.shared_load_merged.requests, waves(memory.shared_load_merged));
    add("shared store", memory.shared_store_merged.requests, waves(memory.shared_store_merged));
  }
  return table.rows() > 1 ? table.text() + '\n' : "";
}

std::string bound_text(const Report& report) {
  const auto& [device, bound] = *report.bound;
  return fmt::format("{}{:.3g} us at the very best on {}, limited by {}: {}",
                     report.is_product ? grouped(static_cast<uint64_t>(bound.gflops)) + " GFLOPS or " : "",
                     bound.seconds * 1e6, device, to_string(bound.limiting), wording::formula(bound, bound.limiting));
}

std::string predicted_text(const predict::Predicted& predicted) {
  const bool doubtful = predicted.doubt != predict::Doubt::None;
  const std::string method =
      predicted.simulated() ? "by executing the machine code on a simulated SM"
                            : fmt::format("by a model of counts fitted on recordings of an {}", predicted.fitted_on);
  return fmt::format("{:.3g} us on {}, {:.3g} to {:.3g}, {}; the longest: {}{}{}", predicted.seconds * 1e6,
                     predicted.device, predicted.low * 1e6, predicted.high * 1e6, method, to_string(predicted.limiting),
                     doubtful ? "; doubtful: " : "", to_string(predicted.doubt));
}

/// What rests on assumptions, which accuses nobody.
std::string unproved_text(const Report& report, const Style& style) {
  constexpr size_t kShown = 3;
  std::string text = style.bold("Not verified: what was assumed does not hold") + '\n';
  for (size_t i = 0; i < std::min(kShown, report.unproved.size()); ++i)
    text += "  " +
            wrapped(fmt::format("line {}: {}", report.unproved[i].site.line, wording::sentence(report.unproved[i])),
                    kWidth - 2, 2) +
            '\n';
  if (report.unproved.size() > kShown) text += fmt::format("  and {} more\n", report.unproved.size() - kShown);
  const std::string name = std::filesystem::path(report.file).filename().string();
  std::string advice = fmt::format(
      "Sizes and values that nobody has said may be the reason, so none of this is a "
      "finding. tilescope describe {} --save writes them down, to be corrected",
      name);
  if (has_program(report.file))
    advice += fmt::format("; tilescope run {} takes them from the program's own launches", name);
  return text + wrapped(advice + ".", kWidth, 0) + "\n\n";
}

std::string trailer(const Report& report, const Style& style) {
  std::string text;
  if (!report.unproved.empty()) text += unproved_text(report, style);
  if (report.stopped)
    text += style.bad("stopped") + "  " +
            wrapped(wording::stop_text(*report.stopped, wording::Advice::CommandLine), kWidth - 9, 9) + "\n\n";
  if (!report.printed.empty()) text += style.bold("The kernel printed") + '\n' + report.printed + '\n';
  return text;
}

}  // namespace

std::string findings_text(const Report& report, const Style& style) {
  std::string text;
  for (const analysis::Finding& finding : report.findings) {
    text += fmt::format("{}  {}  line {}\n", style.bad(analysis::to_string(finding.checker)),
                        analysis::to_string(finding.kind), finding.site.line);
    if (const std::string line = source_line(report, finding.site.line, kWidth - 4); !line.empty())
      text += "    " + style.dim(line) + '\n';
    text += "    " + wrapped(wording::sentence(finding), kWidth - 4, 4) + '\n';
    if (finding.count > 1) text += fmt::format("    and {} more like it\n", grouped(finding.count - 1));
    text += '\n';
  }
  return text;
}

std::string sample_text(const run::Counts& counts) {
  return counts.has_all_blocks() ? "" : fmt::format(" in {}", some_of_all(counts));
}

std::string report_text(const Report& report, const Style& style) {
  std::string text = heading(report, style);
  text += field(style, "Launch", launch_text(report));
  text += field(style, "Resources", resources_text(report));
  if (report.occupancy) text += field(style, "Occupancy", wording::sentence(*report.occupancy));
  text += field(style, "Counted", counted_text(report));
  text += field(style, verified_label(report), verified_text(report, style));
  if (report.bound) text += field(style, "Bound", bound_text(report));
  if (report.predicted) text += field(style, "Predicted", predicted_text(*report.predicted));
  if (report.not_predicted != predict::Gap::None)
    text += field(style, "Predicted", fmt::format("nothing: {}", to_string(report.not_predicted)));
  if (report.trace)
    text += field(style, "Trace",
                  fmt::format("block {}: {} in {}, hash {:016x}", position_text(report.trace->block),
                              amount(report.trace->records, "record"),
                              in_bytes(static_cast<double>(report.trace->bytes)), report.trace->hash));
  return text + '\n' + memory_text(report) + lines_text(report) + findings_text(report, style) + trailer(report, style);
}

std::string check_text(const Report& report, const Style& style) {
  std::string text = heading(report, style);
  text += field(style, "Launch", launch_text(report));
  text += field(
      style, "Checked",
      fmt::format("{} with {}", some_of_all(report.counts),
                  report.cooperative ? "memcheck and synccheck; the others do not follow blocks that run side by side"
                                     : "memcheck, racecheck, initcheck and synccheck"));
  text += field(style, verified_label(report), verified_text(report, style));
  text += field(style, "Findings",
                report.findings.empty() ? style.good("none") : style.bad(grouped(report.findings.size())));
  return text + '\n' + findings_text(report, style) + trailer(report, style);
}

std::string ptx_text(const Report& report, const Style& style) {
  std::string text = style.dim(fmt::format("{:>12}  executed by that many warps", "warps")) + '\n';
  int number = 0;
  for (const std::string& line : lines_of(report.ptx)) {
    const auto found = report.counts.ptx_lines.find(++number);
    const std::string executed = found == report.counts.ptx_lines.end() ? "" : grouped(found->second);
    text += fmt::format("{:>12}  {}\n", executed, line);
  }
  return text;
}

}  // namespace tilescope::cli
