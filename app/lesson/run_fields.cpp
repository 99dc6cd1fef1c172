#include "lesson/run_fields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "analysis/access_rules.h"
#include "arch/arch.h"
#include "base/arithmetic.h"
#include "base/nearest.h"
#include "base/text.h"
#include "lesson/shipped.h"
#include "ptx/module.h"
#include "run/count.h"
#include "run/launch_clock.h"
#include "wording/finding.h"

namespace tilescope::lesson {
namespace {
using analysis::PcCounts;
using Fields = std::map<std::string, Value>;
using RunPointer = std::shared_ptr<const SceneRun>;
using Call = std::function<Result<Value>(const std::vector<Value>&)>;
using session::Fact;
using session::HiddenFacts;
using Maybe = std::optional<Value>;  ///< Nullopt: the run does not know it.

constexpr HiddenFacts kCounts{Fact::Counts}, kAccesses{Fact::Accesses}, kResources{Fact::Resources},
    kSpeed{Fact::Speed}, kFindings{Fact::Findings};
constexpr HiddenFacts kNothing{};  ///< In no picture.

/// A name that expressions may use: its value, and the facts it reveals, which a question about it hides.
template <class Subject>
struct Field {
  std::string_view name;
  HiddenFacts tells;
  std::function<Maybe(const Subject&)> value;
};

template <class Table, class Subject>
Fields evaluated(const Table& table, const Subject& subject) {
  Fields fields;
  for (const auto& field : table)
    if (const Maybe value = field.value(subject)) fields.emplace(field.name, *value);
  return fields;
}

Value make(std::string what, Fields fields, Call call = {}) {
  return Value(std::make_shared<const Object>(Object{std::move(what), std::move(fields), std::move(call)}));
}

double number(uint64_t value) { return static_cast<double>(value); }
double number(int64_t value) { return static_cast<double>(value); }
double number(bool value) { return value ? 1 : 0; }

template <class T>
Maybe known(const std::optional<T>& figure) {
  if (!figure) return {};
  return number(uint64_t{*figure});
}

/// The single text argument of a call.
Result<std::string> one_text(const std::vector<Value>& given, const char* usage) {
  if (given.size() == 1 && given[0].text()) return *given[0].text();
  return error(fmt::format("Write {}.", usage));
}

/// From global memory: by loads, by atomics, which read too, and by bulk copies.
uint64_t words_read(const run::Report& report) {
  const analysis::PcCounts& memory = report.counts.memory;
  return memory.global_load.words + memory.global_atomic.words + memory.bulk_load.bytes / 4;
}

uint64_t outputs(const SceneRun& run) {
  return static_cast<uint64_t>(run.report().size.m) * static_cast<uint64_t>(run.report().size.n);
}

Fields fields_of(const analysis::GlobalCounts& counts, const SceneRun& run) {
  return {{"requests", number(counts.requests)},
          {"sectors", number(counts.sectors)},
          {"lines", number(counts.lines)},
          {"wavefronts", number(counts.wavefronts)},
          {"wavefronts_per_request", ratio(counts.wavefronts, counts.requests)},
          {"words", number(counts.words)},
          {"bytes", arch::kBankBytes * number(counts.words)},
          {"bytes_moved", arch::kSectorBytes * number(counts.sectors)},
          {"sectors_per_request", counts.sectors_per_request()},
          {"ideal_sectors_per_request", counts.ideal_sectors_per_request()},
          {"words_per_request", ratio(counts.words, counts.requests)},
          {"efficiency", ratio(counts.bytes, arch::kSectorBytes * counts.sectors)},
          {"min_sectors", number(uint64_t{counts.min_sectors})},
          {"max_sectors", number(uint64_t{counts.max_sectors})},
          {"words_per_output", ratio(counts.words, outputs(run))}};
}

Fields fields_of(const analysis::SharedCounts& counts, const SceneRun& run) {
  return {{"requests", number(counts.requests)},
          {"wavefronts", number(counts.wavefronts)},
          {"bank_conflicts", number(counts.bank_conflicts)},
          {"words", number(counts.words)},
          {"wavefronts_per_request", counts.wavefronts_per_request()},
          {"ideal_wavefronts_per_request", counts.ideal_wavefronts_per_request()},
          {"conflicts_per_request", ratio(counts.bank_conflicts, counts.requests)},
          {"words_per_request", ratio(counts.words, counts.requests)},
          {"min_wavefronts", number(uint64_t{counts.min_wavefronts})},
          {"max_wavefronts", number(uint64_t{counts.max_wavefronts})},
          {"words_per_output", ratio(counts.words, outputs(run))},
          {"wavefronts_per_output", ratio(counts.wavefronts, outputs(run))}};
}

/// One kind of access, the whole run's or with ("A") an array's.
template <class Counts>
Value access_kind(std::string_view name, Counts PcCounts::*member, const RunPointer& run) {
  const std::string what = fmt::format("the counts of {}", name);
  const std::string usage = fmt::format("{}(\"A\")", name);
  return make(
      what, fields_of(run->report().counts.memory.*member, *run),
      [=](const std::vector<Value>& given) -> Result<Value> {
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

/// Bytes of the kernel's inputs and outputs in global memory: they must cross DRAM at least once.
double array_bytes(const SceneRun& run, kernel::Role not_of) {
  double bytes = 0;
  for (const kernel::ArrayShape& array : run.traced->prepared->configuration.arrays)
    if (array.space == Space::Global && array.role != not_of) bytes += number(array.bytes);
  return bytes;
}
double input_bytes(const SceneRun& run) { return array_bytes(run, kernel::Role::Output); }
double output_bytes(const SceneRun& run) { return array_bytes(run, kernel::Role::Input); }

uint64_t threads(const SceneRun& run) { return run.report().block.count(); }
uint64_t blocks(const SceneRun& run) { return run.report().grid.count(); }
uint64_t warps(const SceneRun& run) { return (threads(run) + arch::kWarpSize - 1) / arch::kWarpSize; }

Value blocks_by(const analysis::Occupancy& occupancy) {
  return make("the blocks that each limit allows",
              {{"warps", number(uint64_t{occupancy.blocks_by_warps})},
               {"registers", number(uint64_t{occupancy.blocks_by_registers})},
               {"shared_memory", number(uint64_t{occupancy.blocks_by_shared_memory})},
               {"blocks", number(uint64_t{occupancy.blocks_by_blocks})}});
}

double bank_conflicts(const SceneRun& run) {
  const PcCounts& memory = run.report().counts.memory;
  return number(memory.shared_load_merged.bank_conflicts + memory.shared_store_merged.bank_conflicts);
}

Value extent(const char* what, const Dim3& dim) {
  return make(what, {{"x", number(uint64_t{dim.x})}, {"y", number(uint64_t{dim.y})}});
}

Value bound_object(const std::string& device, const analysis::Bound& bound, Call call = {}) {
  Fields fields{{"gflops", bound.gflops},
                {"seconds", bound.seconds},
                {"limiting", std::string(to_string(bound.limiting))},
                {"device", device}};
  const char* const names[] = {"fma", "tensor_cores", "l1_and_shared", "l2", "dram"};
  for (size_t i = 0; i < analysis::kResources; ++i)
    if (bound.times[i].seconds) fields.emplace(names[i], *bound.times[i].seconds);
  if (const analysis::ResourceTime& path = bound.time(analysis::Resource::L1AndShared); path.seconds) {
    fields.emplace("l1", path.l1_seconds);
    fields.emplace("shared_memory", path.shared_seconds);
  }
  return make("the bound", std::move(fields), std::move(call));
}

Result<arch::Device> device_named(const std::vector<Value>& given, const char* usage) {
  const Result<std::string> name = one_text(given, usage);
  if (!name) return name.errors();
  if (!arch::shipped_devices()) return arch::shipped_devices().errors();
  return arch::find_device(*arch::shipped_devices(), *name);
}

Result<Value> bound_on(const RunPointer& run, const std::vector<Value>& given) {
  const Result<arch::Device> device = device_named(given, "bound(\"T4\")");
  if (!device) return device.errors();
  const run::Counts& counts = run->report().counts;
  if (!counts.has_all_blocks()) return error("Only some blocks were run; a bound needs them all.");
  return bound_object(device->name,
                      analysis::bound(*device, run::work_of(counts, run->traced->prepared->configuration)));
}

Value bound_of(const RunPointer& run) {
  const Call on_device = [run](const std::vector<Value>& given) { return bound_on(run, given); };
  const auto& known = run->report().bound;
  return known ? bound_object(known->first, known->second, on_device) : make("the bound", {}, on_device);
}

/// clock(0), clock(2): with that many blocks on an SM; 0: as many as fit.
Result<Value> clock_with(const RunPointer& run, const std::vector<Value>& given) {
  const double* resident = given.size() == 1 ? given[0].number() : nullptr;
  if (!resident || *resident < 0) return error("Write clock(0), or clock(2) for two blocks on an SM at a time.");
  const run::Prepared& prepared = *run->traced->prepared;
  const auto clock = run::clock_of(prepared, prepared.request.seed, {.resident = static_cast<uint32_t>(*resident)});
  if (!clock) return clock.errors();
  const clock::SmRun& sm = clock->time.run;
  Fields fields{{"clocks", clock->time.clocks},
                {"seconds", clock->time.seconds},
                {"issue_active", clock->time.issue_active},
                {"data_path", sm.data_path_busy / static_cast<double>(std::max<int64_t>(1, sm.clocks))},
                {"l1_hits", clock->reads.l1_hit_rate()},
                {"resident", number(uint64_t{clock->time.resident})}};
  double all = 0;
  for (size_t i = 0; i < clock::kStalls; ++i) {
    const double clocks = sm.stalls[i] / static_cast<double>(std::max<uint64_t>(1, sm.issued));
    fields.emplace(clock::to_string(static_cast<clock::Stall>(i)), clocks);
    all += clocks;
  }
  fields.emplace("all", all);
  return make("the clocks of an SM", std::move(fields));
}

Result<Value> recorded_of(const RunPointer& run, const std::vector<Value>& given) { return recorded_like(*run, given); }
Result<Value> published_of(const RunPointer& run, const std::vector<Value>& given) {
  return published_like(*run, given);
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
  add("tensor_fmas_per_sm", device->tensor_fmas_per_sm[static_cast<size_t>(arch::TensorType::F16)]);
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

Value limits_object(const run::Report& report) {
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

/// The machine code of the kernel's main loop; without members if it is not known.
Value loop_object(const RunPointer& run) {
  const auto& loop = run->traced->prepared->build->loop;
  if (!loop) return make("the main loop", {});
  return make("the main loop", {{"instructions", number(uint64_t{loop->instructions.size()})},
                                {"fmas", number(uint64_t{loop->fmas})},
                                {"fma_share", loop->fma_share()},
                                {"conflicts", number(uint64_t{loop->conflicts})},
                                {"reads_per_fma", ratio(loop->reads, loop->fmas)},
                                {"fma_clocks", loop->fma_clocks}});
}

Value findings_object(const RunPointer& run) {
  const auto matching = [run](const std::string& wanted) {
    std::vector<const analysis::Finding*> found;
    for (const analysis::Finding& finding : run->report().findings)
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
  for (const std::string& line : lines_of(run->report().ptx)) {
    ++number_of_line;
    if (!opcode_of(line).starts_with(*wanted)) continue;
    const auto times = run->report().counts.ptx_lines.find(number_of_line);
    ++count;
    if (times != run->report().counts.ptx_lines.end()) executed += times->second;
  }
  return make("the instructions of the PTX", {{"count", number(count)}, {"executed", number(executed)}});
}

/// Warp instructions of floating-point arithmetic, conversions and matrix products aside.
Maybe float_instructions(const SceneRun& run) {
  uint64_t executed = 0;
  int number_of_line = 0;
  for (const std::string& line : lines_of(run.report().ptx)) {
    ++number_of_line;
    const std::string op = opcode_of(line);
    const bool computes = op.starts_with("add.") || op.starts_with("sub.") || op.starts_with("mul.") ||
                          op.starts_with("fma.") || op.starts_with("mad.") || op.starts_with("div.");
    const bool floats = op.find(".f16") != op.npos || op.find(".f32") != op.npos || op.find(".f64") != op.npos ||
                        op.find(".bf16") != op.npos;
    const auto times = run.report().counts.ptx_lines.find(number_of_line);
    if (computes && floats && times != run.report().counts.ptx_lines.end()) executed += times->second;
  }
  return number(executed);
}

/// The part, 0 to 1, of what the traced block stores to the output that is a sum of matrix products.
Maybe tensor_stores(const SceneRun& run) {
  const run::TracedBlock& traced = *run.traced;
  const analysis::DataFlow& flow = traced.accesses.data_flow();
  std::set<int32_t> sums;
  for (const ptx::Instruction& instruction : traced.function().instructions)
    if (ptx::class_of(instruction.op) == ptx::OpClass::MatrixMultiply)
      for (const ptx::Operand& part : instruction.operands[0].elements)
        if (part.kind == ptx::Operand::Kind::Register) sums.insert(flow.sums()[static_cast<size_t>(part.index)]);
  sums.erase(-1);
  uint64_t stores = 0, of_products = 0;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp)
    for (const run::OutputStore& store : traced.accesses.output_stores(warp)) {
      ++stores;
      of_products += sums.contains(store.sum);
    }
  return ratio(of_products, stores);
}

Diagnostic no_anchor(const SceneRun& run, const std::string& wanted) {
  std::vector<std::string> names;
  for (const kernel::Anchor& anchor : kernel::find_anchors(run.source())) names.push_back(anchor.name);
  return error(fmt::format("{} has no line [{}]; it has {}.", run.report().kernel, wanted, fmt::join(names, ", ")));
}

struct Line {
  const SceneRun& run;
  run::LineCounts counts;
  int number = 0;
};

template <class Counts>
Field<Line> line_access(std::string_view name, Counts PcCounts::*member) {
  return {name, kCounts, [=](const Line& line) {
            return make(fmt::format("the counts of {}", name), fields_of(line.counts.memory.*member, line.run));
          }};
}

const std::vector<Field<Line>>& line_fields() {
  static const std::vector<Field<Line>> fields{
      {"number", kNothing, [](const Line& line) { return number(int64_t{line.number}); }},
      {"instructions", kCounts, [](const Line& line) { return number(line.counts.warp_instructions); }},
      {"barriers", kCounts, [](const Line& line) { return number(line.counts.memory.barriers); }},
      line_access("global_load", &PcCounts::global_load),
      line_access("global_store", &PcCounts::global_store),
      line_access("local_load", &PcCounts::local_load),
      line_access("local_store", &PcCounts::local_store),
      line_access("shared_load", &PcCounts::shared_load_merged),
      line_access("shared_store", &PcCounts::shared_store_merged),
      line_access("shared_load_as_written", &PcCounts::shared_load),
      line_access("shared_store_as_written", &PcCounts::shared_store)};
  return fields;
}

Result<Value> line_object(const RunPointer& run, const std::vector<Value>& given) {
  const Result<std::string> anchor = one_text(given, "line(\"load A\")");
  if (!anchor) return anchor.errors();
  const int line = kernel::find_line(run->source(), *anchor);
  if (line == 0) return no_anchor(*run, *anchor);
  return make("a line", evaluated(line_fields(), Line{*run, run::counts_of_line(run->report().counts, line), line}));
}

Value lane_object(const Allocation* array, uint64_t address) {
  Fields fields{{"address", number(address)},
                {"sector", number(address / arch::kSectorBytes)},
                {"bank", number(address / arch::kBankBytes % arch::kBanks)}};
  if (!array) return make("a lane", std::move(fields));
  const uint64_t index = (address - array->base) / size_of(array->element);
  const uint64_t width = array->shape.empty() ? 1 : array->shape.back();
  fields.insert({{"array", array->name},
                 {"row", number(index / width)},
                 {"col", number(index % width)},
                 {"element", element_name(*array, address)}});
  return make("a lane", std::move(fields));
}

/// One access of a warp in the trace.
struct Request {
  RunPointer run;
  size_t record = 0;

  const trace::Trace& trace() const { return run->traced->trace; }
  uint32_t active() const { return trace().active(record); }
  uint32_t bytes() const { return trace().bytes(record); }
  bool is_shared() const { return trace().space(record) == Space::Shared; }
  std::array<uint64_t, trace::kLanes> addresses() const {
    std::array<uint64_t, trace::kLanes> all{};
    trace().addresses(record, all.data());
    return all;
  }
};

Result<Value> lane_of(const Request& request, const std::vector<Value>& given) {
  const double* wanted = given.size() == 1 ? given[0].number() : nullptr;
  if (!wanted || *wanted < 0 || *wanted >= trace::kLanes) return error("Write lane(5): a number from 0 to 31.");
  const auto lane = static_cast<uint32_t>(*wanted);
  if ((request.active() >> lane & 1) == 0) return error(fmt::format("Lane {} is not active there.", lane));
  const uint64_t address = request.addresses()[lane];
  return lane_object(request.trace().header().find(request.trace().space(request.record), address), address);
}

double distinct_addresses(const Request& request) {
  const auto addresses = request.addresses();
  std::set<uint64_t> distinct;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    if (request.active() >> lane & 1) distinct.insert(addresses[lane]);
  return number(uint64_t{distinct.size()});
}

Maybe of_shared(const Request& request, uint32_t analysis::SharedCost::*figure) {
  if (!request.is_shared()) return {};
  const trace::Trace& trace = request.trace();
  const bool load = trace.access_kind(request.record) == trace::AccessKind::Load && !trace.is_matrix(request.record);
  return number(
      uint64_t{analysis::shared_cost(request.addresses().data(), request.active(), request.bytes(), load).*figure});
}

Maybe of_global(const Request& request, uint32_t analysis::GlobalCost::*figure) {
  if (request.is_shared()) return {};
  return number(uint64_t{analysis::global_cost(request.addresses().data(), request.active(), request.bytes()).*figure});
}

Maybe wavefronts_of(const Request& request) {
  if (request.is_shared()) return of_shared(request, &analysis::SharedCost::wavefronts);
  return number(uint64_t{analysis::global_wavefronts(request.addresses().data(), request.active(), request.bytes())});
}

const std::vector<Field<Request>>& request_fields() {
  using analysis::GlobalCost;
  using analysis::SharedCost;
  constexpr HiddenFacts kCountsAndAccesses{Fact::Counts, Fact::Accesses};
  static const std::vector<Field<Request>> fields{
      {"lanes", kCountsAndAccesses, [](const Request& r) { return number(int64_t{std::popcount(r.active())}); }},
      {"distinct_addresses", kCountsAndAccesses, distinct_addresses},
      {"bytes", kCounts, [](const Request& r) { return number(uint64_t{r.bytes()}); }},
      {"sectors", kCounts, [](const Request& r) { return of_global(r, &GlobalCost::sectors); }},
      {"lines", kCounts, [](const Request& r) { return of_global(r, &GlobalCost::lines); }},
      {"wavefronts", kCounts, wavefronts_of},
      {"bank_conflicts", kCounts, [](const Request& r) { return of_shared(r, &SharedCost::bank_conflicts); }},
      {"lane", kAccesses, [](const Request& r) {
         return make("lanes", {}, [r](const std::vector<Value>& given) { return lane_of(r, given); });
       }}};
  return fields;
}

/// at("load A"), at("load A", occurrence), at("load A", occurrence, warp), at("load A", occurrence, warp, "As")
Result<Value> request_at(const RunPointer& run, const std::vector<Value>& given) {
  const bool well_formed = !given.empty() && given.size() <= 4 && given[0].text() &&
                           (given.size() < 2 || given[1].number()) && (given.size() < 3 || given[2].number()) &&
                           (given.size() < 4 || given[3].text());
  if (!well_formed) return error("Write at(\"load A\", occurrence, warp); the last two may be left out.");
  const int line = kernel::find_line(run->source(), *given[0].text());
  if (line == 0) return no_anchor(*run, *given[0].text());
  const int occurrence = given.size() > 1 ? static_cast<int>(*given[1].number()) : 1;
  const uint32_t warp = given.size() > 2 ? static_cast<uint32_t>(*given[2].number()) : 0;
  const std::string array = given.size() > 3 ? *given[3].text() : "";
  if (const std::optional<size_t> record = find_record(*run, line, occurrence, warp, array))
    return make("a request", evaluated(request_fields(), Request{run, *record}));
  return error(
      fmt::format("Warp {} does not access memory {} times on the line [{}].", warp, occurrence, *given[0].text()));
}

using MakeValue = Result<Value> (*)(const RunPointer&, const std::vector<Value>&);
Value function_of(const char* what, MakeValue function, const RunPointer& run) {
  return make(what, {}, [=](const std::vector<Value>& given) { return function(run, given); });
}

template <class Table>
HiddenFacts hidden_in(const Table& table, std::string_view member, HiddenFacts otherwise) {
  for (const auto& field : table)
    if (field.name == member) return field.tells;
  return otherwise;
}

/// A name of a run, in the table below.
struct RunField : Field<RunPointer> {
  /// The facts that a member reveals; null: those of the name itself.
  HiddenFacts (*member_tells)(std::string_view member) = nullptr;
};

template <class Counts>
RunField counts_field(std::string_view name, Counts PcCounts::*member) {
  return {{name, kCounts, [=](const RunPointer& run) { return access_kind(name, member, run); }}};
}

template <class Figure>
RunField occupancy_field(std::string_view name, Figure figure) {
  return {{name, kResources, [=](const RunPointer& run) -> Maybe {
             if (!run->report().occupancy) return {};
             return figure(*run->report().occupancy);
           }}};
}

RunField plain(std::string_view name, HiddenFacts tells, std::function<Maybe(const SceneRun&)> value) {
  return {{name, tells, [value = std::move(value)](const RunPointer& run) { return value(*run); }}};
}

/// Every name of a run but its parameters. docs/teaching.md explains them; a test compares.
const std::vector<RunField>& run_fields() {
  using Run = const SceneRun&;
  using analysis::Occupancy;
  // The stage shows the blocks of the grid at their place in C.
  constexpr HiddenFacts kGrid{Fact::Accesses, Fact::Resources};
  static const std::vector<RunField> fields{
      plain("M", kNothing, [](Run run) { return number(run.report().size.m); }),
      plain("N", kNothing, [](Run run) { return number(run.report().size.n); }),
      plain("K", kNothing, [](Run run) { return number(run.report().size.k); }),
      plain("outputs", kNothing, [](Run run) { return number(outputs(run)); }),
      plain("flops", kNothing, [](Run run) { return 2 * number(outputs(run)) * number(run.report().size.k); }),
      plain("input_bytes", kNothing, input_bytes),
      plain("output_bytes", kNothing, output_bytes),
      plain("memory_bytes", kNothing, [](Run run) { return input_bytes(run) + output_bytes(run); }),
      plain("block", kNothing, [](Run run) { return extent("the block", run.report().block); }),
      plain("grid", kGrid, [](Run run) { return extent("the grid", run.report().grid); }),
      plain("blocks", kGrid, [](Run run) { return number(blocks(run)); }),
      plain("threads", kResources, [](Run run) { return number(threads(run)); }),
      plain("warps", kResources, [](Run run) { return number(warps(run)); }),
      plain("total_threads", kResources, [](Run run) { return number(blocks(run) * threads(run)); }),
      plain("total_warps", kResources, [](Run run) { return number(blocks(run) * warps(run)); }),
      plain("shared_bytes", kResources, [](Run run) { return number(run.report().shared_bytes); }),
      plain("registers", kResources, [](Run run) { return known(run.report().resources.registers); }),
      plain("spill_bytes", kResources, [](Run run) { return known(run.report().resources.spill_bytes); }),
      occupancy_field("occupancy", [](const Occupancy& o) { return o.theoretical; }),
      occupancy_field("blocks_per_sm", [](const Occupancy& o) { return number(uint64_t{o.blocks_per_sm}); }),
      occupancy_field("warps_per_sm", [](const Occupancy& o) { return number(uint64_t{o.warps_per_sm}); }),
      occupancy_field("limiter", [](const Occupancy& o) { return std::string(to_string(o.limiter)); }),
      occupancy_field("blocks_by", blocks_by),
      plain("fma", kCounts, [](Run run) { return number(run.report().counts.fma); }),
      plain("tensor_fma", kCounts, [](Run run) { return number(run.report().counts.tensor_fma()); }),
      plain("tensor_instructions", kCounts, [](Run run) { return number(run.report().counts.tensor_instructions); }),
      plain("bulk_copies", kCounts, [](Run run) { return number(run.report().counts.memory.bulk_load.copies); }),
      plain("bulk_sectors", kCounts, [](Run run) { return number(run.report().counts.memory.bulk_load.sectors); }),
      plain("product_wavefronts", kCounts,
            [](Run run) { return number(run.report().counts.memory.product_wavefronts); }),
      plain("instructions", kCounts, [](Run run) { return number(run.report().counts.warp_instructions); }),
      plain("thread_instructions", kCounts, [](Run run) { return number(run.report().counts.thread_instructions); }),
      plain("instructions_per_fma", kCounts,
            [](Run run) { return ratio(run.report().counts.thread_instructions, run.report().counts.fma); }),
      plain("lanes_per_instruction", kCounts,
            [](Run run) {
              return ratio(run.report().counts.thread_instructions, run.report().counts.warp_instructions);
            }),
      plain("divergent_branches", kCounts, [](Run run) { return number(run.report().counts.divergent_branches); }),
      plain("barriers", kCounts, [](Run run) { return number(run.report().counts.memory.barriers); }),
      plain("bank_conflicts", kCounts, bank_conflicts),
      plain("words_per_output", kCounts, [](Run run) { return ratio(words_read(run.report()), outputs(run)); }),
      plain("block_words", kCounts, [](Run run) { return number(words_read(run.traced->report)); }),
      plain("float_instructions", kCounts, float_instructions),
      plain("tensor_stores", kCounts, tensor_stores),
      plain("atomics", kCounts,
            [](Run run) {
              const analysis::PcCounts& memory = run.report().counts.memory;
              return number(memory.global_atomic.requests + memory.shared_atomic.requests);
            }),
      plain("fma_per_shared_word", kCounts,
            [](Run run) { return ratio(run.report().counts.fma, run.report().counts.memory.shared_load.words); }),
      {{"loop", kCounts, loop_object}},
      counts_field("global_load", &PcCounts::global_load),
      counts_field("global_store", &PcCounts::global_store),
      counts_field("local_load", &PcCounts::local_load),
      counts_field("local_store", &PcCounts::local_store),
      counts_field("shared_load", &PcCounts::shared_load_merged),
      counts_field("shared_store", &PcCounts::shared_store_merged),
      counts_field("shared_load_as_written", &PcCounts::shared_load),
      counts_field("shared_store_as_written", &PcCounts::shared_store),
      {{"line", kCounts, [](const RunPointer& run) { return function_of("lines", line_object, run); }},
       [](std::string_view member) { return hidden_in(line_fields(), member, kCounts); }},
      {{"at", kCounts, [](const RunPointer& run) { return function_of("requests", request_at, run); }},
       [](std::string_view member) { return hidden_in(request_fields(), member, kCounts); }},
      {{"ptx", kCounts, [](const RunPointer& run) { return function_of("the PTX", ptx_count, run); }}},
      plain("correct", kFindings,
            [](Run run) { return number(run.report().verified && run.report().verified->wrong == 0); }),
      plain("wrong_elements", kFindings,
            [](Run run) { return number(run.report().verified ? run.report().verified->wrong : 0); }),
      plain("clean", kFindings, [](Run run) { return number(run.report().is_clean()); }),
      plain("stopped", kFindings, [](Run run) { return number(run.report().stopped.has_value()); }),
      {{"findings", kFindings, findings_object}},
      {{"bound", kSpeed, bound_of}},
      {{"clock", kSpeed, [](const RunPointer& run) { return function_of("clocks", clock_with, run); }},
       [](std::string_view member) { return member == "l1_hits" ? HiddenFacts{Fact::Totals} : kSpeed; }},
      {{"recorded", kSpeed, [](const RunPointer& run) { return function_of("recordings", recorded_of, run); }},
       // A question may be about a report of counters, which then has to be visible.
       [](std::string_view member) { return member == "counter" ? kNothing : kSpeed; }},
      {{"published", kSpeed,
        [](const RunPointer& run) { return function_of("published figures", published_of, run); }}},
      plain("device", kNothing, [](Run) { return make("devices", {}, device_object); }),
      plain("limits", kNothing, [](Run run) { return limits_object(run.report()); })};
  return fields;
}

}  // namespace

std::shared_ptr<const Object> describe_run(RunPointer run) {
  Fields fields = evaluated(run_fields(), run);
  for (const auto& [name, value] : run->report().params) fields.emplace(name, number(value));
  return std::make_shared<const Object>(Object{"a run", std::move(fields), {}});
}

HiddenFacts told_by(std::string_view name, std::string_view member) {
  for (const RunField& field : run_fields())
    if (field.name == name) return field.member_tells ? field.member_tells(member) : field.tells;
  return kNothing;
}

std::optional<size_t> find_record(const SceneRun& run, int line, int occurrence, uint32_t warp,
                                  const std::string& array) {
  const std::optional<analysis::StepRef> at = run::find_access(*run.traced, line, occurrence, warp, array);
  return at ? run.traced->timeline.access(*at) : std::nullopt;
}

}  // namespace tilescope::lesson
