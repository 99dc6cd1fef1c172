#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/arithmetic.h"
#include "base/words.h"
#include "cli/program.h"
#include "cli/report_text.h"
#include "wording/report_json.h"
#include "wording/stop.h"

namespace tilescope::cli {
namespace {
using program::LaunchRecord;
using program::ProgramRun;

/// All launches of one kernel with one grid and block.
struct LaunchGroup {
  const run::Report* first = nullptr;
  uint64_t launches = 0, findings = 0;
  uint64_t requests = 0, sectors = 0, ideal_sectors = 0, conflicts = 0;
  double predicted = 0;  ///< Seconds, of those that have a time.
  bool all_predicted = true;
};

std::vector<LaunchGroup> groups_of(const ProgramRun& run) {
  std::vector<LaunchGroup> groups;
  for (const LaunchRecord& launch : run.launches) {
    const run::Report& report = launch.report;
    auto at = std::find_if(groups.begin(), groups.end(), [&](const LaunchGroup& group) {
      return group.first->kernel == report.kernel && group.first->grid == report.grid &&
             group.first->block == report.block;
    });
    if (at == groups.end()) at = groups.insert(at, LaunchGroup{&report});
    const analysis::PcCounts& memory = report.counts.memory;
    ++at->launches;
    at->findings += report.findings.size() + (report.stopped ? 1 : 0);
    at->requests += memory.global_load.requests + memory.global_store.requests;
    at->sectors += memory.global_load.sectors + memory.global_store.sectors;
    at->ideal_sectors += memory.global_load.ideal_sectors + memory.global_store.ideal_sectors;
    at->conflicts += memory.shared_load_merged.bank_conflicts + memory.shared_store_merged.bank_conflicts;
    if (report.predicted) at->predicted += report.predicted->seconds;
    at->all_predicted &= report.predicted.has_value();
  }
  return groups;
}

constexpr size_t kLongestName = 48;  // Thrust's kernels have names of hundreds of characters.

std::string launches_table(const ProgramRun& run, const Style& style) {
  Table table({Align::Right, Align::Left, Align::Left, Align::Left, Align::Right, Align::Right, Align::Right,
               Align::Right, Align::Right});
  table.row({"launches", "kernel", "grid", "block", "global requests", "sectors each", "bank conflicts", "predicted us",
             "findings"});
  table.row({"", "", "", "", "in all", "mean (ideal)", "in all", "in all"});
  const auto microseconds = [](double seconds) {
    return seconds < 1e-3 ? fmt::format("{:.3g}", seconds * 1e6)
                          : grouped(static_cast<uint64_t>(std::llround(seconds * 1e6)));
  };
  const std::vector<LaunchGroup> groups = groups_of(run);
  double predicted = 0;
  for (const LaunchGroup& group : groups) {
    predicted += group.predicted;
    table.row({grouped(group.launches), shortened(group.first->kernel, kLongestName), to_string(group.first->grid),
               to_string(group.first->block), grouped(group.requests),
               group.requests ? fmt::format("{:.1f} ({:.1f})", ratio(group.sectors, group.requests),
                                            ratio(group.ideal_sectors, group.requests))
                              : "",
               grouped(group.conflicts), group.all_predicted ? microseconds(group.predicted) : "",
               group.findings ? style.bad(grouped(group.findings)) : "none"});
  }
  if (groups.size() > 1 && predicted > 0)
    table.row({grouped(run.launches.size()), "all", "", "", "", "", "", microseconds(predicted)});
  return table.text();
}

/// The findings of all launches of a kernel.
run::Report findings_of(const ProgramRun& run, const std::string& kernel) {
  run::Report all;
  for (const LaunchRecord& launch : run.launches) {
    if (launch.report.kernel != kernel) continue;
    if (all.source.empty()) all.source = launch.report.source;
    if (all.file.empty()) all.file = launch.report.file;
    if (launch.report.stopped && !all.stopped) all.stopped = launch.report.stopped;
    all.findings.add(launch.report.findings);
  }
  return all;
}

std::string all_findings(const ProgramRun& run, const Style& style) {
  std::vector<std::string> kernels;
  for (const LaunchRecord& launch : run.launches)
    if (!launch.report.is_clean() && std::find(kernels.begin(), kernels.end(), launch.report.kernel) == kernels.end())
      kernels.push_back(launch.report.kernel);
  std::string text;
  for (const std::string& kernel : kernels) {
    const run::Report found = findings_of(run, kernel);
    const std::string file = std::filesystem::path(found.file).filename().string();
    text += '\n' + style.bold(kernel) + (file.empty() ? "" : " in " + file) + '\n' + findings_text(found, style);
    if (found.stopped)
      text += style.bad("stopped") + "  " +
              wrapped(wording::stop_text(*found.stopped, wording::Advice::Program), kWidth - 9, 9) + '\n';
  }
  return text;
}

std::string failed_text(const ProgramRun& run, const Style& style) {
  std::string text;
  for (const program::FailedCall& call : run.failed) {
    const std::string where = call.place.file.empty() ? "" : fmt::format("{}:{}: ", call.place.file, call.place.line);
    const std::string what =
        call.error == 0 ? std::string() : fmt::format(" returned {}", program::error_text(call.error));
    text += wrapped(fmt::format("{}{}{}{}{}", where, style.bad(call.name), what,
                                call.reason.empty() ? "." : fmt::format(": {}.", call.reason),
                                call.count > 1 ? fmt::format(" {} times.", grouped(call.count)) : ""),
                    kWidth) +
            '\n';
  }
  return text.empty() ? text : '\n' + style.bold("Calls") + '\n' + text;
}

std::string sentence(const std::string& text) { return wrapped(text, kWidth) + '\n'; }

std::string not_freed_text(const ProgramRun& run) {
  uint64_t arrays = 0, bytes = 0;
  std::map<std::pair<std::string, int>, uint64_t> by_line;
  for (const program::NotFreed& each : run.not_freed) {
    arrays += each.arrays;
    bytes += each.bytes;
    if (!each.place.file.empty()) by_line[{each.place.file, each.place.line}] += each.bytes;
  }
  if (arrays == 0) return {};
  std::vector<std::string> lines;
  for (const auto& [line, of_line] : by_line)
    lines.push_back(fmt::format("{} from {}:{}", grouped(of_line), line.first, line.second));
  return sentence(fmt::format("Not freed: {} of {} bytes in all{}{}.", amount(arrays, "array"), grouped(bytes),
                              lines.empty() ? "" : ", ", fmt::join(lines, ", ")));
}

std::string why_no_time(const run::Report& report, const program::Machine& machine) {
  if (!report.resources.registers)
    return fmt::format("the program has no machine code for {}, which has the registers",
                       arch::target_name(machine.limits));
  if (!machine.device) return fmt::format("the figures of no GPU with {} are known", arch::target_name(machine.limits));
  if (report.not_predicted != predict::Gap::None) return std::string(to_string(report.not_predicted));
  return "the launch did not end";
}

/// Why there is no time, with the kernels that lack it; empty if none does.
std::string no_prediction(const ProgramRun& run, const program::Machine& machine) {
  std::map<std::string, std::vector<std::string>> kernels;
  for (const LaunchRecord& launch : run.launches) {
    if (launch.report.predicted) continue;
    std::vector<std::string>& of_reason = kernels[why_no_time(launch.report, machine)];
    const std::string name = shortened(launch.report.kernel, kLongestName);
    if (std::find(of_reason.begin(), of_reason.end(), name) == of_reason.end()) of_reason.push_back(name);
  }
  std::string text;
  for (const auto& [why, names] : kernels)
    text += sentence(fmt::format("No time is predicted for {}: {}.", fmt::join(names, ", "), why));
  return text.empty() ? text : text + "For these, cudaEvents report how long the emulation took.\n";
}

/// Empty if nothing is known to be.
std::string spilled_text(const ProgramRun& run) {
  std::map<std::string, uint64_t> spilled;
  for (const LaunchRecord& launch : run.launches)
    if (const uint64_t bytes = launch.report.resources.spill_bytes.value_or(0))
      spilled[shortened(launch.report.kernel, kLongestName)] = bytes;
  std::vector<std::string> kernels;
  for (const auto& [kernel, bytes] : spilled)
    kernels.push_back(fmt::format("{} ({} bytes per thread)", kernel, grouped(bytes)));
  return kernels.empty() ? "" : sentence(fmt::format("ptxas spills registers of {}.", fmt::join(kernels, ", ")));
}

std::string notes(const ProgramRun& run, const program::Machine& machine) {
  std::string text;
  const auto partly = std::count_if(run.launches.begin(), run.launches.end(), [](const LaunchRecord& launch) {
    return launch.checked_blocks < launch.report.counts.blocks_total && !launch.report.stopped &&
           !launch.report.cooperative;
  });
  if (partly > 0)
    text += sentence(
        fmt::format("Every block ran under memcheck and synccheck. In {} racecheck and initcheck watched some of the "
                    "blocks, or none "
                    "where the same launch came a third time (--check all: every one).",
                    partly == 1 ? "one launch" : fmt::format("{} launches", grouped(static_cast<uint64_t>(partly)))));
  const auto repeated =
      std::count_if(run.launches.begin(), run.launches.end(), [](const auto& l) { return l.repeated; });
  if (repeated > 0)
    text += sentence(fmt::format(
        "In {} the same kernel did the same with the same data as before; what that gave was taken over.",
        repeated == 1 ? "one launch" : fmt::format("{} launches", grouped(static_cast<uint64_t>(repeated)))));
  if (std::any_of(run.launches.begin(), run.launches.end(), [](const auto& l) { return l.report.cooperative; }))
    text += sentence(
        "Racecheck and initcheck do not follow blocks that run side by side: those of a cooperative launch, and those "
        "that wait for others.");
  const bool predicted =
      std::any_of(run.launches.begin(), run.launches.end(), [](const auto& l) { return l.report.predicted; });
  const auto by_counts = std::count_if(run.launches.begin(), run.launches.end(), [](const auto& l) {
    return l.report.predicted && !l.report.predicted->simulated();
  });
  if (predicted)
    text += sentence(fmt::format("Times are predicted for {}, and cudaEvents report them, too; no GPU was measured.",
                                 machine.device->name));
  text += no_prediction(run, machine);
  text += spilled_text(run);
  if (by_counts > 0)
    text += sentence(fmt::format(
        "{} timed by a model of counts, not on a simulated SM; tilescope trace PROGRAM.cu "
        "--launch N says why, and how doubtful that is.",
        by_counts == 1 ? "One launch is" : fmt::format("{} launches are", grouped(static_cast<uint64_t>(by_counts)))));
  if (!run.untraced.empty())
    text += sentence(fmt::format("Computed by a CPU library, not traced: {}.", fmt::join(run.untraced, ", ")));
  if (!run.unknown.empty())
    text += sentence(fmt::format("Not known, returned cudaErrorNotSupported: {}.", fmt::join(run.unknown, ", ")));
  text += not_freed_text(run);
  const auto stores = [](const LaunchRecord& launch) { return launch.report.counts.memory.global_store.requests > 0; };
  if (!run.result_is_seen && run.signal == 0 && std::any_of(run.launches.begin(), run.launches.end(), stores))
    text += "The program copied nothing back of what its kernels wrote.\n";
  if (!run.used_cuda) text += "The program made no call of the CUDA runtime.\n";
  if (run.used_cuda && run.launches.empty()) text += "The program launched no kernel.\n";
  if (run.signal != 0)
    text += sentence(fmt::format("The program was ended by signal {} ({}).", run.signal, ::strsignal(run.signal)));
  return text;
}

}  // namespace

std::string program_text(const ProgramRun& run, const program::Machine& machine, const Style& style) {
  std::string text = "\n";
  if (!run.launches.empty()) text += launches_table(run, style);
  text += all_findings(run, style);
  text += failed_text(run, style);
  const std::string more = notes(run, machine);
  return more.empty() ? text : text + '\n' + more;
}

namespace {

using Json = nlohmann::ordered_json;

/// An entry about a place in the program's source: null where it is not known.
Json with_place(Json entry, const program::SourcePlace& place) {
  entry["file"] = place.file.empty() ? Json() : Json(place.file);
  entry["line"] = place.line ? Json(place.line) : Json();
  return entry;
}

Json failed_json(const ProgramRun& run) {
  Json list = Json::array();
  for (const program::FailedCall& call : run.failed)
    list.push_back(with_place({{"call", call.name},
                               {"error", call.error},
                               {"message", call.error ? Json(program::error_text(call.error)) : Json()},
                               {"reason", call.reason.empty() ? Json() : Json(call.reason)},
                               {"count", call.count}},
                              call.place));
  return list;
}

Json not_freed_json(const ProgramRun& run) {
  Json list = Json::array();
  for (const program::NotFreed& each : run.not_freed)
    list.push_back(with_place({{"arrays", each.arrays}, {"bytes", each.bytes}}, each.place));
  return list;
}

}  // namespace

nlohmann::ordered_json program_json(const ProgramRun& run, const std::string& program,
                                    const program::ProgramRequest& request) {
  Json launches = Json::array();
  for (const LaunchRecord& launch : run.launches) {
    Json json = wording::to_json(launch.report);
    for (const char* described : {"title", "params", "size", "compiled_by", "memory_bytes", "bound", "verified",
                                  "not_verified", "unproved", "trace"})
      json.erase(described);
    if (launch.report.stopped) json["stopped"] = wording::stop_text(*launch.report.stopped, wording::Advice::Program);
    json["file"] = launch.report.file;
    json["checked_blocks"] = launch.checked_blocks;
    json["emulation_seconds"] = launch.seconds;
    json["repeated"] = launch.repeated;
    json["error"] = launch.device_error;
    launches.push_back(std::move(json));
  }
  const program::Machine& machine = request.machine;
  return {{"program", program},
          {"arguments", request.arguments},
          {"arch", arch::target_name(machine.limits)},
          {"device", machine.device ? Json(machine.device->name) : Json()},
          {"used_cuda", run.used_cuda},
          {"status", run.signal ? Json() : Json(run.status)},
          {"signal", run.signal ? Json(run.signal) : Json()},
          {"launches", std::move(launches)},
          {"failed", failed_json(run)},
          {"refused", run.refused},
          {"not_freed", not_freed_json(run)},
          {"untraced", run.untraced},
          {"unknown", run.unknown}};
}

}  // namespace tilescope::cli
