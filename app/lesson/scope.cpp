#include "lesson/scope.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "analysis/access_rules.h"
#include "arch/arch.h"
#include "base/arithmetic.h"
#include "base/file.h"
#include "base/nearest.h"
#include "lesson/shipped.h"
#include "session/count.h"
#include "wording/finding.h"

namespace tilescope::lesson {
namespace {
using analysis::PcCounts;
using Fields = std::map<std::string, Value>;
using RunPointer = std::shared_ptr<const SceneRun>;
using Call = std::function<Result<Value>(const std::vector<Value>&)>;

Value make(std::string what, Fields fields, Call call = {}) {
  return Value(std::make_shared<const Object>(Object{std::move(what), std::move(fields), std::move(call)}));
}

double number(uint64_t value) { return static_cast<double>(value); }
double number(int64_t value) { return static_cast<double>(value); }
double number(bool value) { return value ? 1 : 0; }

/// The single text that a call was given.
Result<std::string> one_text(const std::vector<Value>& given, const char* usage) {
  if (given.size() == 1 && given[0].text()) return *given[0].text();
  return error(fmt::format("Write {}.", usage));
}

uint64_t outputs(const SceneRun& run) {
  return static_cast<uint64_t>(run.report.size.m) * static_cast<uint64_t>(run.report.size.n);
}

Fields fields_of(const analysis::GlobalCounts& counts, const SceneRun& run) {
  return {{"requests", number(counts.requests)},
          {"sectors", number(counts.sectors)},
          {"lines", number(counts.lines)},
          {"words", number(counts.words)},
          {"bytes", 4 * number(counts.words)},
          {"bytes_moved", 32 * number(counts.sectors)},
          {"sectors_per_request", ratio(counts.sectors, counts.requests)},
          {"ideal_sectors_per_request", ratio(counts.words, 8 * counts.requests)},
          {"words_per_request", ratio(counts.words, counts.requests)},
          {"efficiency", ratio(counts.words, 8 * counts.sectors)},
          {"min_sectors", number(uint64_t{counts.min_sectors})},
          {"max_sectors", number(uint64_t{counts.max_sectors})},
          {"words_per_output", ratio(counts.words, outputs(run))}};
}

Fields fields_of(const analysis::SharedCounts& counts, const SceneRun& run) {
  return {{"requests", number(counts.requests)},
          {"wavefronts", number(counts.wavefronts)},
          {"bank_conflicts", number(counts.bank_conflicts)},
          {"words", number(counts.words)},
          {"wavefronts_per_request", ratio(counts.wavefronts, counts.requests)},
          {"ideal_wavefronts_per_request", ratio(counts.wavefronts - counts.bank_conflicts, counts.requests)},
          {"conflicts_per_request", ratio(counts.bank_conflicts, counts.requests)},
          {"words_per_request", ratio(counts.words, counts.requests)},
          {"min_wavefronts", number(uint64_t{counts.min_wavefronts})},
          {"max_wavefronts", number(uint64_t{counts.max_wavefronts})},
          {"words_per_output", ratio(counts.words, outputs(run))},
          {"wavefronts_per_output", ratio(counts.wavefronts, outputs(run))}};
}

/// One kind of access, the whole run's or with ("A") an array's.
template <class Counts>
Value access_kind(const char* name, Counts PcCounts::*member, const RunPointer& run) {
  const std::string what = fmt::format("the counts of {}", name);
  const std::string usage = fmt::format("{}(\"A\")", name);
  return make(
      what, fields_of(run->report.counts.memory.*member, *run), [=](const std::vector<Value>& given) -> Result<Value> {
        const Result<std::string> array = one_text(given, usage.c_str());
        if (!array) return array.errors();
        const auto found = run->arrays.find(*array);
        if (found != run->arrays.end())
          return make(fmt::format("{} of {}", what, *array), fields_of(found->second.*member, *run));
        std::vector<std::string> names;
        for (const auto& [known, counts] : run->arrays) names.push_back(known);
        return error(fmt::format("The run accesses no array {}; it accesses {}.", *array, fmt::join(names, ", ")));
      });
}

Fields memory_fields(const PcCounts& memory, const SceneRun& run) {
  const auto global = [&](const char* what, const analysis::GlobalCounts& counts) {
    return make(what, fields_of(counts, run));
  };
  const auto shared = [&](const char* what, const analysis::SharedCounts& counts) {
    return make(what, fields_of(counts, run));
  };
  return {{"global_load", global("global loads", memory.global_load)},
          {"global_store", global("global stores", memory.global_store)},
          {"shared_load", shared("shared loads", memory.shared_load_merged)},
          {"shared_store", shared("shared stores", memory.shared_store_merged)},
          {"shared_load_as_written", shared("shared loads", memory.shared_load)},
          {"shared_store_as_written", shared("shared stores", memory.shared_store)},
          {"barriers", number(memory.barriers)}};
}

void add_access_kinds(Fields& fields, const RunPointer& run) {
  fields.insert({{"global_load", access_kind("global_load", &PcCounts::global_load, run)},
                 {"global_store", access_kind("global_store", &PcCounts::global_store, run)},
                 {"local_load", access_kind("local_load", &PcCounts::local_load, run)},
                 {"local_store", access_kind("local_store", &PcCounts::local_store, run)},
                 {"shared_load", access_kind("shared_load", &PcCounts::shared_load_merged, run)},
                 {"shared_store", access_kind("shared_store", &PcCounts::shared_store_merged, run)},
                 {"shared_load_as_written", access_kind("shared_load_as_written", &PcCounts::shared_load, run)},
                 {"shared_store_as_written", access_kind("shared_store_as_written", &PcCounts::shared_store, run)}});
}

void add_launch(Fields& fields, const session::Report& report) {
  const uint64_t threads = report.block.count(), blocks = report.grid.count();
  const auto extent = [](const char* what, const Dim3& dim) {
    return make(what, {{"x", number(uint64_t{dim.x})}, {"y", number(uint64_t{dim.y})}});
  };
  fields.insert({{"M", number(report.size.m)},
                 {"N", number(report.size.n)},
                 {"K", number(report.size.k)},
                 {"grid", extent("the grid", report.grid)},
                 {"block", extent("the block", report.block)},
                 {"blocks", number(blocks)},
                 {"threads", number(threads)},
                 {"warps", number((threads + 31) / 32)},
                 {"total_threads", number(blocks * threads)},
                 {"total_warps", number(blocks * ((threads + 31) / 32))},
                 {"flops", 2.0 * number(report.size.m) * number(report.size.n) * number(report.size.k)},
                 {"outputs", number(report.size.m) * number(report.size.n)}});
  for (const auto& [name, value] : report.params) fields.emplace(name, number(value));
}

void add_resources(Fields& fields, const session::Report& report) {
  fields.emplace("shared_bytes", number(report.shared_bytes));
  if (report.resources.registers) fields.emplace("registers", number(uint64_t{*report.resources.registers}));
  if (report.resources.spill_bytes) fields.emplace("spill_bytes", number(*report.resources.spill_bytes));
  if (!report.occupancy) return;
  const analysis::Occupancy& occupancy = *report.occupancy;
  fields.insert({{"occupancy", occupancy.theoretical},
                 {"blocks_per_sm", number(uint64_t{occupancy.blocks_per_sm})},
                 {"warps_per_sm", number(uint64_t{occupancy.warps_per_sm})},
                 {"limiter", std::string(to_string(occupancy.limiter))},
                 {"blocks_by", make("the blocks that each limit allows",
                                    {{"warps", number(uint64_t{occupancy.blocks_by_warps})},
                                     {"registers", number(uint64_t{occupancy.blocks_by_registers})},
                                     {"shared_memory", number(uint64_t{occupancy.blocks_by_shared_memory})},
                                     {"blocks", number(uint64_t{occupancy.blocks_by_blocks})}})}});
}

void add_counts(Fields& fields, const SceneRun& run) {
  const session::Counts& counts = run.report.counts;
  fields.insert({{"fma", number(counts.fma)},
                 {"instructions", number(counts.warp_instructions)},
                 {"thread_instructions", number(counts.thread_instructions)},
                 {"instructions_per_fma", ratio(counts.thread_instructions, counts.fma)},
                 {"lanes_per_instruction", ratio(counts.thread_instructions, counts.warp_instructions)},
                 {"divergent_branches", number(counts.divergent_branches)},
                 {"barriers", number(counts.memory.barriers)},
                 {"bank_conflicts", number(counts.memory.shared_load_merged.bank_conflicts +
                                           counts.memory.shared_store_merged.bank_conflicts)},
                 {"words_per_output", ratio(counts.memory.global_load.words, outputs(run))},
                 {"fma_per_shared_word", ratio(counts.fma, counts.memory.shared_load.words)}});
}

/// The array bytes that must cross DRAM at least once.
void add_arrays(Fields& fields, const SceneRun& run) {
  double input = 0, output = 0;
  for (const kernel::ArrayShape& array : run.traced->prepared.configuration.arrays) {
    if (array.space != Space::Global) continue;
    if (array.role != kernel::Role::Output) input += number(array.bytes);
    if (array.role != kernel::Role::Input) output += number(array.bytes);
  }
  fields.insert({{"input_bytes", input}, {"output_bytes", output}, {"memory_bytes", input + output}});
}

Value bound_object(const std::string& device, const analysis::Bound& bound, Call call = {}) {
  Fields fields{{"gflops", bound.gflops},
                {"seconds", bound.seconds},
                {"limiting", std::string(to_string(bound.limiting))},
                {"device", device}};
  const char* const names[] = {"fma", "shared_memory", "l1", "l2", "dram"};
  for (size_t i = 0; i < analysis::kResources; ++i)
    if (bound.times[i].seconds) fields.emplace(names[i], *bound.times[i].seconds);
  return make("the bound", std::move(fields), std::move(call));
}

const Result<std::vector<arch::Device>>& devices() {
  static const auto loaded = arch::load_devices(data_folder() / "assets/devices.toml");
  return loaded;
}

Result<arch::Device> device_named(const std::vector<Value>& given, const char* usage) {
  const Result<std::string> name = one_text(given, usage);
  if (!name) return name.errors();
  if (!devices()) return devices().errors();
  return arch::find_device(*devices(), *name);
}

Result<Value> bound_on(const RunPointer& run, const std::vector<Value>& given) {
  const Result<arch::Device> device = device_named(given, "bound(\"T4\")");
  if (!device) return device.errors();
  const session::Counts& counts = run->report.counts;
  if (counts.blocks_counted != counts.blocks_total) return error("Only some blocks were run; a bound needs them all.");
  return bound_object(device->name,
                      analysis::bound(*device, session::work_of(counts, run->traced->prepared.configuration)));
}

Result<Value> device_object(const std::vector<Value>& given) {
  const Result<arch::Device> device = device_named(given, "device(\"T4\")");
  if (!device) return device.errors();
  Fields fields;
  const auto add = [&](const char* name, const std::optional<arch::Figure>& figure) {
    if (figure) fields.emplace(name, figure->value);
  };
  add("sms", device->sms);
  add("clock_hz", device->clock_hz);
  add("fma_lanes_per_sm", device->fma_lanes_per_sm);
  add("memory_bytes", device->memory_bytes);
  add("dram_bytes_per_s", device->dram_bytes_per_s);
  add("l2_bytes", device->l2_bytes);
  add("shared_bytes_per_clock", device->shared_bytes_per_clock);
  if (device->sms && device->clock_hz && device->fma_lanes_per_sm) {
    const double flops = 2 * device->sms->value * device->clock_hz->value * device->fma_lanes_per_sm->value;
    fields.emplace("flops", flops);
    if (device->dram_bytes_per_s) fields.emplace("flops_per_byte", flops / device->dram_bytes_per_s->value);
  }
  return make(device->name, std::move(fields));
}

Fields limit_fields(const arch::Limits& limits) {
  return {{"threads_per_block", number(uint64_t{limits.threads_per_block})},
          {"threads_per_sm", number(uint64_t{limits.threads_per_sm})},
          {"warps_per_sm", number(uint64_t{limits.warps_per_sm})},
          {"blocks_per_sm", number(uint64_t{limits.blocks_per_sm})},
          {"registers_per_sm", number(uint64_t{limits.registers_per_sm})},
          {"registers_per_thread", number(uint64_t{limits.registers_per_thread})},
          {"shared_per_sm", number(uint64_t{limits.shared_per_sm})},
          {"shared_per_block", number(uint64_t{limits.shared_per_block})}};
}

Value limits_object(const session::Report& report) {
  const Result<arch::Limits> own = arch::find_limits(std::string_view(report.arch));
  return make("the limits of an architecture", own ? limit_fields(*own) : Fields{},
              [](const std::vector<Value>& given) -> Result<Value> {
                const Result<std::string> name = one_text(given, "limits(\"sm_86\")");
                if (!name) return name.errors();
                const Result<arch::Limits> limits = arch::find_limits(std::string_view(*name));
                if (!limits) return limits.errors();
                return make("the limits of an architecture", limit_fields(*limits));
              });
}

Fields finding_fields(const std::vector<const analysis::Finding*>& found) {
  Fields fields{{"count", number(uint64_t{found.size()})}};
  if (found.empty()) return fields;
  const analysis::Finding& first = *found.front();
  fields.insert({{"line", number(int64_t{first.site.line})},
                 {"other_line", number(int64_t{first.other ? first.other->line : 0})},
                 {"kind", std::string(to_string(first.kind))},
                 {"checker", std::string(to_string(first.checker))},
                 {"array", first.array},
                 {"element", wording::element_of(first)},
                 {"instances", number(first.count)}});
  return fields;
}

Value findings_object(const RunPointer& run) {
  const auto matching = [run](const std::string& wanted) {
    std::vector<const analysis::Finding*> found;
    for (const analysis::Finding& finding : run->report.findings)
      if (wanted.empty() || to_string(finding.checker) == wanted || to_string(finding.kind) == wanted)
        found.push_back(&finding);
    return found;
  };
  return make("the findings", finding_fields(matching("")), [=](const std::vector<Value>& given) -> Result<Value> {
    const Result<std::string> wanted = one_text(given, "findings(\"racecheck\")");
    if (!wanted) return wanted.errors();
    return make("the findings", finding_fields(matching(*wanted)));
  });
}

/// Opcode of a line of PTX, after its predicate: "ld.shared.f32".
std::string opcode_of(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (word.starts_with('@')) words >> word;
  return word;
}

Result<Value> ptx_count(const RunPointer& run, const std::vector<Value>& given) {
  const Result<std::string> wanted = one_text(given, "ptx(\"ld.shared\")");
  if (!wanted) return wanted.errors();
  uint64_t count = 0, executed = 0;
  int number_of_line = 0;
  std::istringstream text(run->report.ptx);
  for (std::string line; std::getline(text, line);) {
    ++number_of_line;
    if (!opcode_of(line).starts_with(*wanted)) continue;
    const auto times = run->report.counts.ptx_lines.find(number_of_line);
    ++count;
    if (times != run->report.counts.ptx_lines.end()) executed += times->second;
  }
  return make("the instructions of the PTX", {{"count", number(count)}, {"executed", number(executed)}});
}

Diagnostic no_anchor(const SceneRun& run, const std::string& wanted) {
  std::vector<std::string> names;
  for (const kernel::Anchor& anchor : run.anchors) names.push_back(anchor.name);
  return error(fmt::format("{} has no line [{}]; it has {}.", run.report.kernel, wanted, fmt::join(names, ", ")));
}

Result<Value> line_object(const RunPointer& run, const std::vector<Value>& given) {
  const Result<std::string> anchor = one_text(given, "line(\"load A\")");
  if (!anchor) return anchor.errors();
  const int line = line_of_anchor(*run, *anchor);
  if (line == 0) return no_anchor(*run, *anchor);
  session::LineCounts counts;
  for (const session::LineCounts& candidate : run->report.counts.lines)
    if (candidate.line == line) counts = candidate;
  Fields fields = memory_fields(counts.memory, *run);
  fields.emplace("number", number(int64_t{line}));
  fields.emplace("instructions", number(counts.warp_instructions));
  return make("a line", std::move(fields));
}

Value lane_object(const Allocation* array, uint64_t address) {
  Fields fields{{"address", number(address)}, {"sector", number(address / 32)}, {"bank", number(address / 4 % 32)}};
  if (!array) return make("a lane", std::move(fields));
  const uint64_t index = (address - array->base) / size_of(array->element);
  const uint64_t width = array->shape.empty() ? 1 : array->shape.back();
  fields.insert({{"array", array->name},
                 {"row", number(index / width)},
                 {"col", number(index % width)},
                 {"element", element_name(*array, address)}});
  return make("a lane", std::move(fields));
}

Call lane_call(const RunPointer& run, size_t record) {
  return [=](const std::vector<Value>& given) -> Result<Value> {
    const double* lane = given.size() == 1 ? given[0].number() : nullptr;
    if (!lane || *lane < 0 || *lane >= trace::kLanes) return error("Write lane(5): a number from 0 to 31.");
    const auto index = static_cast<uint32_t>(*lane);
    if ((run->traced->trace->active(record) >> index & 1) == 0)
      return error(fmt::format("Lane {} is not active there.", index));
    uint64_t addresses[trace::kLanes];
    run->traced->trace->addresses(record, addresses);
    return lane_object(run->traced->trace->header().find(run->traced->trace->space(record), addresses[index]),
                       addresses[index]);
  };
}

Value request_object(const RunPointer& run, size_t record) {
  const trace::Trace& trace = *run->traced->trace;
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  const uint32_t active = trace.active(record), bytes = trace.bytes(record);
  std::set<uint64_t> distinct;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    if (active >> lane & 1) distinct.insert(addresses[lane]);
  Fields fields{{"lanes", number(static_cast<int64_t>(__builtin_popcount(active)))},
                {"bytes", number(uint64_t{bytes})},
                {"distinct_addresses", number(uint64_t{distinct.size()})},
                {"lane", make("lanes", {}, lane_call(run, record))}};
  if (trace.space(record) == Space::Shared) {
    const bool load = trace.access_kind(record) == trace::AccessKind::Load;
    const analysis::SharedCost cost = analysis::shared_cost(addresses, active, bytes, load);
    fields.insert(
        {{"wavefronts", number(uint64_t{cost.wavefronts})}, {"bank_conflicts", number(uint64_t{cost.bank_conflicts})}});
  } else {
    const analysis::GlobalCost cost = analysis::global_cost(addresses, active, bytes);
    fields.insert({{"sectors", number(uint64_t{cost.sectors})}, {"lines", number(uint64_t{cost.lines})}});
  }
  return make("a request", std::move(fields));
}

/// at("load A"), at("load A", occurrence), at("load A", occurrence, warp), at("load A", occurrence, warp, "As")
Result<Value> request_at(const RunPointer& run, const std::vector<Value>& given) {
  const bool well_formed = !given.empty() && given.size() <= 4 && given[0].text() &&
                           (given.size() < 2 || given[1].number()) && (given.size() < 3 || given[2].number()) &&
                           (given.size() < 4 || given[3].text());
  if (!well_formed) return error("Write at(\"load A\", occurrence, warp); the last two may be left out.");
  const int line = line_of_anchor(*run, *given[0].text());
  if (line == 0) return no_anchor(*run, *given[0].text());
  const int occurrence = given.size() > 1 ? static_cast<int>(*given[1].number()) : 1;
  const uint32_t warp = given.size() > 2 ? static_cast<uint32_t>(*given[2].number()) : 0;
  const std::string array = given.size() > 3 ? *given[3].text() : "";
  if (const std::optional<size_t> record = find_record(*run, line, occurrence, warp, array))
    return request_object(run, *record);
  return error(
      fmt::format("Warp {} does not access memory {} times on the line [{}].", warp, occurrence, *given[0].text()));
}

void add_verdict(Fields& fields, const RunPointer& run) {
  const session::Report& report = run->report;
  fields.insert({{"correct", number(report.verified && report.verified->wrong == 0)},
                 {"wrong_elements", number(report.verified ? report.verified->wrong : 0)},
                 {"clean", number(!report.has_finding())},
                 {"stopped", number(!report.stopped.empty())},
                 {"findings", findings_object(run)}});
}

void add_functions(Fields& fields, const RunPointer& run) {
  const auto with_run = [run](auto function) {
    return [run, function](const std::vector<Value>& given) { return function(run, given); };
  };
  const auto like_run = [run](auto function) {
    return [run, function](const std::vector<Value>& given) { return function(*run, given); };
  };
  const Call bound = with_run(bound_on);
  const auto& known = run->report.bound;
  fields.insert({{"line", make("lines", {}, with_run(line_object))},
                 {"at", make("requests", {}, with_run(request_at))},
                 {"ptx", make("the PTX", {}, with_run(ptx_count))},
                 {"device", make("devices", {}, device_object)},
                 {"limits", limits_object(run->report)},
                 {"recorded", make("recordings", {}, like_run(recorded_like))},
                 {"published", make("published figures", {}, like_run(published_like))},
                 {"bound", known ? bound_object(known->first, known->second, bound) : make("the bound", {}, bound)}});
}

}  // namespace

std::shared_ptr<const Object> describe_run(RunPointer run) {
  Fields fields;
  add_launch(fields, run->report);
  add_resources(fields, run->report);
  add_counts(fields, *run);
  add_arrays(fields, *run);
  add_access_kinds(fields, run);
  add_verdict(fields, run);
  add_functions(fields, run);
  return std::make_shared<const Object>(Object{"a run", std::move(fields), {}});
}

int line_of_anchor(const SceneRun& run, const std::string& anchor) {
  const auto found = std::find_if(run.anchors.begin(), run.anchors.end(),
                                  [&](const kernel::Anchor& candidate) { return candidate.name == anchor; });
  return found == run.anchors.end() ? 0 : found->line;
}

std::optional<size_t> find_record(const SceneRun& run, int line, int occurrence, uint32_t warp,
                                  const std::string& array) {
  const std::optional<analysis::Moment> at = session::find_access(*run.traced, line, occurrence, warp, array);
  return at ? run.traced->timeline->access(*at) : std::nullopt;
}

}  // namespace tilescope::lesson
