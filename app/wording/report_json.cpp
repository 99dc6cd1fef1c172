#include "wording/report_json.h"

#include <cmath>

#include <fmt/format.h>

#include "wording/bound.h"
#include "wording/finding.h"
#include "wording/occupancy.h"
#include "wording/stop.h"

namespace tilescope::wording {
namespace {
using run::Counts;
using run::LineCounts;
using run::Report;
using run::TraceSummary;
using run::Verification;
using Json = nlohmann::ordered_json;

Json json_of(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

// JSON has no infinity.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const analysis::GlobalCounts& counts) {
  return {{"requests", counts.requests}, {"sectors", counts.sectors},       {"ideal_sectors", counts.ideal_sectors},
          {"lines", counts.lines},       {"wavefronts", counts.wavefronts}, {"words", counts.words}};
}

Json json_of(const analysis::SharedCounts& counts) {
  return {{"requests", counts.requests},
          {"wavefronts", counts.wavefronts},
          {"bank_conflicts", counts.bank_conflicts},
          {"words", counts.words}};
}

Json json_of(const analysis::AtomicCounts& counts) { return {{"requests", counts.requests}, {"words", counts.words}}; }

Json json_of(const analysis::BulkCounts& counts) {
  return {{"requests", counts.copies}, {"sectors", counts.sectors}, {"bytes", counts.bytes}};
}

void add_memory(Json& json, const analysis::PcCounts& memory) {
  json["global_load"] = json_of(memory.global_load);
  json["global_store"] = json_of(memory.global_store);
  json["local_load"] = json_of(memory.local_load);
  json["local_store"] = json_of(memory.local_store);
  json["shared_load"] = json_of(memory.shared_load_merged);
  json["shared_store"] = json_of(memory.shared_store_merged);
  json["shared_load_as_written"] = json_of(memory.shared_load);
  json["shared_store_as_written"] = json_of(memory.shared_store);
  json["global_atomic"] = json_of(memory.global_atomic);
  json["shared_atomic"] = json_of(memory.shared_atomic);
  json["bulk_load"] = json_of(memory.bulk_load);
  json["bulk_store"] = json_of(memory.bulk_store);
  json["product_wavefronts"] = memory.product_wavefronts;
  json["barriers"] = memory.barriers;
}

/// Zero counts of a line are left out.
void add_memory_used(Json& json, const analysis::PcCounts& memory) {
  Json all;
  add_memory(all, memory);
  for (const auto& [name, counts] : all.items())
    if (counts.is_object() ? counts["requests"] != 0 : counts != 0) json[name] = counts;
}

Json json_of_lines(const Report& report) {
  Json lines = Json::array();
  for (const LineCounts& line : report.counts.lines) {
    Json entry{{"line", line.line}, {"warp_instructions", line.warp_instructions}};
    add_memory_used(entry, line.memory);
    lines.push_back(std::move(entry));
  }
  return lines;
}

Json json_of_counts(const Report& report) {
  const Counts& counts = report.counts;
  Json json{{"blocks_counted", counts.blocks_counted},
            {"blocks_total", counts.blocks_total},
            {"blocks", counts.blocks.empty() ? Json("all") : Json(counts.blocks)},
            {"thread_instructions", counts.thread_instructions},
            {"warp_instructions", counts.warp_instructions},
            {"fma", counts.fma},
            {"tensor_instructions", counts.tensor_instructions},
            {"tensor_fma", counts.tensor_fma()},
            {"divergent_branches", counts.divergent_branches}};
  add_memory(json, counts.memory);
  return json;
}

Json json_of(const analysis::Occupancy& occupancy) {
  return {{"blocks_per_sm", occupancy.blocks_per_sm},
          {"warps_per_sm", occupancy.warps_per_sm},
          {"theoretical", occupancy.theoretical},
          {"limiter", analysis::to_string(occupancy.limiter)},
          {"sentence", sentence(occupancy)}};
}

Json json_of(const Verification& verified) {
  Json json{{"ok", verified.wrong == 0},
            {"arrays", verified.arrays},
            {"max_error", finite(verified.max_error)},
            {"bound", finite(verified.bound)},
            {"worst_ratio", finite(verified.worst_ratio)},
            {"elements", verified.elements},
            {"wrong", verified.wrong},
            {"reference", verified.reference.empty() ? Json() : Json(verified.reference)},
            {"first_wrong", nullptr}};
  if (const auto& wrong = verified.first_wrong)
    json["first_wrong"] = {
        {"array", wrong->array},     {"element", wrong->index},       {"expected", finite(wrong->expected)},
        {"got", finite(wrong->got)}, {"bound", finite(wrong->bound)}, {"written", wrong->written}};
  return json;
}

Json json_of(const std::string& device, const analysis::Bound& bound) {
  Json times = Json::object();
  for (size_t i = 0; i < analysis::kResources; ++i) {
    const auto resource = static_cast<analysis::Resource>(i);
    times[std::string(to_string(resource))] = {{"seconds", or_null(bound.time(resource).seconds)},
                                               {"formula", formula(bound, resource)}};
  }
  if (const analysis::ResourceTime& path = bound.time(analysis::Resource::L1AndShared); path.seconds)
    times[std::string(to_string(analysis::Resource::L1AndShared))]["parts"] = {{"L1", path.l1_seconds},
                                                                               {"shared memory", path.shared_seconds}};
  return {{"source", "bound"},        {"device", device},       {"limiting", to_string(bound.limiting)},
          {"seconds", bound.seconds}, {"gflops", bound.gflops}, {"times", times}};
}

Json json_of(const predict::Demand& demand) {
  const predict::BlockDemand& block = demand.block;
  return {{"blocks", demand.blocks},
          {"warps", demand.warps},
          {"blocks_per_sm", demand.blocks_per_sm},
          {"per_block",
           {{"fmas", block.fmas},
            {"issue", block.issue},
            {"alone", block.alone},
            {"load_waits", block.load_waits},
            {"wavefronts", block.wavefronts},
            {"shared_wavefronts", block.shared_wavefronts},
            {"slots", block.slots},
            {"barriers", block.barriers},
            {"spills", block.spills},
            {"fetches", block.fetches}}}};
}

Json json_of(const analysis::Site& site) {
  return {{"line", site.line},
          {"called_from", site.called_from ? Json(site.called_from) : Json()},
          {"ptx_line", site.ptx_line},
          {"block", json_of(site.thread.block_position)},
          {"thread", json_of(site.thread.position)},
          {"warp", site.thread.warp},
          {"lane", site.thread.lane}};
}

Json json_of(const TraceSummary& trace) {
  return {{"block", {trace.block.x, trace.block.y}},
          {"records", trace.records},
          {"bytes", trace.bytes},
          {"dropped", trace.dropped},
          {"hash", fmt::format("{:016x}", trace.hash)}};
}

Json json_of(const analysis::Finding& finding) {
  return {{"checker", analysis::to_string(finding.checker)},
          {"kind", analysis::to_string(finding.kind)},
          {"message", sentence(finding)},
          {"line", finding.site.line},
          {"site", json_of(finding.site)},
          {"other", finding.other ? json_of(*finding.other) : Json()},
          {"array", finding.array},
          {"element", element_of(finding)},
          {"count", finding.count}};
}

}  // namespace

Json to_json(const predict::Predicted& predicted) {
  Json terms = Json::array();
  for (size_t i = 0; i < predict::kTerms; ++i)
    terms.push_back({{"name", to_string(static_cast<predict::Term>(i))}, {"seconds", predicted.terms[i]}});
  return {{"source", "predicted"},
          {"device", predicted.device},
          {"by", predicted.simulated() ? "simulation" : "model"},
          {"fitted_on", predicted.simulated() ? Json() : Json(predicted.fitted_on)},
          {"seconds", predicted.seconds},
          {"low", predicted.low},
          {"high", predicted.high},
          {"limiting", to_string(predicted.limiting)},
          {"doubt", predicted.doubt == predict::Doubt::None ? Json() : Json(to_string(predicted.doubt))},
          {"terms", terms},
          {"demand", predicted.simulated() ? Json() : json_of(predicted.demand)}};
}

namespace {

Json json_of_loads(const std::optional<std::array<uint32_t, 3>>& loads) {
  return loads ? Json{{"4", (*loads)[0]}, {"8", (*loads)[1]}, {"16", (*loads)[2]}} : Json();
}

}  // namespace

nlohmann::ordered_json to_json(const Report& report) {
  Json json{{"kernel", report.kernel}, {"title", report.title}};
  json["params"] = Json::object();
  for (const auto& [name, value] : report.params) json["params"][name] = value;
  json["size"] = {{"M", report.size.m}, {"N", report.size.n}, {"K", report.size.k}};
  json["arch"] = report.arch;
  json["source"] = "counted";
  json["compiled_by"] = report.compiled_by;
  json["instead_of_nvcc"] = report.instead_of_nvcc;
  json["launch"] = {
      {"grid", json_of(report.grid)}, {"block", json_of(report.block)}, {"shared_bytes", report.shared_bytes}};
  json["memory_bytes"] = report.memory_bytes;
  json["resources"] = {{"registers", or_null(report.resources.registers)},
                       {"shared_bytes", report.resources.shared_bytes},
                       {"spill_bytes", or_null(report.resources.spill_bytes)},
                       {"loop_loads", json_of_loads(report.resources.loop_loads)}};
  json["occupancy"] = report.occupancy ? json_of(*report.occupancy) : Json();
  json["counts"] = json_of_counts(report);
  json["lines"] = json_of_lines(report);
  json["bound"] = report.bound ? json_of(report.bound->first, report.bound->second) : Json();
  json["predicted"] = report.predicted ? to_json(*report.predicted) : Json();
  json["not_predicted"] = report.not_predicted == predict::Gap::None ? Json() : Json(to_string(report.not_predicted));
  json["verified"] = report.verified ? json_of(*report.verified) : Json();
  json["launch_guessed"] = report.launch_guessed;
  json["not_verified"] = report.not_verified ? Json(unverified_text(report)) : Json();
  json["findings"] = Json::array();
  for (const analysis::Finding& finding : report.findings) json["findings"].push_back(json_of(finding));
  json["unproved"] = Json::array();
  for (const analysis::Finding& finding : report.unproved) json["unproved"].push_back(json_of(finding));
  json["stopped"] = report.stopped ? Json(stop_text(*report.stopped, Advice::CommandLine)) : Json();
  json["trace"] = report.trace ? json_of(*report.trace) : Json();
  json["printed"] = report.printed;
  return json;
}

}  // namespace tilescope::wording
