#include "program/conversation.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/elf.h"
#include "base/text.h"
#include "run/launch_memory.h"
#include "run/prepare.h"

namespace tilescope::program {
namespace {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

uint32_t figure(const std::optional<arch::Figure>& figure, double scale = 1) {
  return figure ? static_cast<uint32_t>(std::min(figure->value * scale, 4e9)) : 0;
}

uint64_t memory_of(const Machine& machine) {
  const uint64_t here = run::bytes_available() / 10 * 9;
  const bool known = machine.device && machine.device->memory_bytes;
  return known ? std::min(here, static_cast<uint64_t>(machine.device->memory_bytes->value)) : here;
}

wire::DeviceFacts facts_of(const Machine& machine) {
  const arch::Limits& limits = machine.limits;
  wire::DeviceFacts facts;
  const std::string name = fmt::format("{} (emulated by Tilescope)",
                                       machine.device ? "NVIDIA " + machine.device->name : arch::target_name(limits));
  name.copy(facts.name, sizeof facts.name - 1);
  facts.capability = limits.capability;
  if (machine.device) {
    facts.sms = figure(machine.device->sms);
    facts.clock_khz = figure(machine.device->clock_hz, 1e-3);
    facts.l2_bytes = figure(machine.device->l2_bytes);
    facts.memory_bus_bits = figure(machine.device->dram_bus_bits);
    if (facts.memory_bus_bits)
      facts.memory_clock_khz = figure(machine.device->dram_bytes_per_s, 1e-3 * 8 / 2 / facts.memory_bus_bits);
  }
  facts.sms = std::max(1U, facts.sms);
  facts.threads_per_block = limits.threads_per_block;
  facts.threads_per_sm = limits.threads_per_sm;
  facts.blocks_per_sm = limits.blocks_per_sm;
  facts.registers_per_block = limits.registers_per_block;
  facts.registers_per_sm = limits.registers_per_sm;
  facts.shared_per_block = limits.shared_per_block;
  facts.shared_per_block_opt_in = limits.shared_per_block_opt_in;
  facts.shared_per_sm = limits.shared_per_sm;
  facts.shared_reserved_per_block = limits.shared_reserved_per_block;
  const Dim3 &block = limits.max_block, &grid = limits.max_grid;
  const uint32_t blocks[3] = {block.x, block.y, block.z}, grids[3] = {grid.x, grid.y, grid.z};
  std::memcpy(facts.max_block, blocks, sizeof blocks);
  std::memcpy(facts.max_grid, grids, sizeof grids);
  facts.fma_lanes_per_sm = limits.fma_lanes_per_sm;
  facts.memory_bytes = memory_of(machine);
  return facts;
}

/// Of the memory that is free: what launches wrote, kept for those that do the same again.
constexpr uint64_t kShareKept = 8;

/// The program's error for device code that cannot run.
int32_t error_of(const Diagnostics& problems) {
  return problems.empty() ? wire::Success : problems.front().at.file.empty() ? wire::NoKernelImage : wire::InvalidPtx;
}

/// The first few; a large kernel may have hundreds of one kind.
std::string first_of(Diagnostics problems) {
  constexpr size_t kShown = 3;
  const size_t more = problems.size() - std::min(problems.size(), kShown);
  problems.resize(problems.size() - more);
  return to_string(problems) + (more ? fmt::format("\nand {} more", more) : "");
}

std::string name_in(std::string_view payload, size_t struct_bytes, const wire::Named& named) {
  return std::string(part_of(payload, struct_bytes, named.name_bytes));
}

wire::KernelFacts facts_of(const Machine& machine, const LoadedKernel& kernel) {
  const ptx::Function& function = kernel.program->function();
  wire::KernelFacts facts;
  facts.max_threads = machine.limits.threads_per_block;
  if (function.max_threads[0])
    facts.max_threads =
        function.max_threads[0] * std::max(1U, function.max_threads[1]) * std::max(1U, function.max_threads[2]);
  facts.registers = kernel.registers.value_or(0);
  facts.static_shared_bytes = kernel.program->static_shared_bytes();
  facts.ptx_version = kernel.module->capability;
  facts.parameter_bytes = kernel.program->parameter_bytes();
  const std::vector<uint32_t>& offsets = kernel.program->parameter_offsets();
  facts.parameters = static_cast<uint32_t>(std::min<size_t>(offsets.size(), wire::kMostParameters));
  for (uint32_t i = 0; i < facts.parameters; ++i)
    facts.parameter[i] = {offsets[i], static_cast<uint32_t>(function.parameters[i].bytes)};
  return facts;
}

}  // namespace

std::string Conversation::answer(wire::Kind kind, std::string_view payload) {
  if (kind == wire::Kind::Hello) return hello();
  if (!memory_) return {};
  const auto range = value_at<wire::Range>(payload, 0);
  switch (kind) {
    case wire::Kind::Hello: break;
    case wire::Kind::RegisterBinary:
      modules_->add(value_at<wire::Binary>(payload, 0).number,
                    std::string(part_of(payload, sizeof(wire::Binary), payload.size())));
      break;
    case wire::Kind::FindKernel: return find_kernel(payload);
    case wire::Kind::FindVariable: return find_variable(payload);
    case wire::Kind::Occupancy: return occupancy(payload);
    case wire::Kind::Allocate:
      if (!memory_->allocate(range, std::string(part_of(payload, sizeof range, payload.size()))))
        say_once(
            fmt::format("An allocation of {} bytes cannot be mapped here, so kernels do not see it.", range.bytes));
      break;
    case wire::Kind::Free:
      memory_->free(range.address, std::string(part_of(payload, sizeof range, payload.size())));
      break;
    case wire::Kind::ReadBack: note_unwritten(range, part_of(payload, sizeof range, payload.size())); break;
    case wire::Kind::Touched: note_early_use(payload); break;
    case wire::Kind::Work: note_work(payload); break;
    case wire::Kind::Written: memory_->written(range.address, range.bytes); break;
    case wire::Kind::Launch: return launch_kernel(payload);
    case wire::Kind::Untraced: note(run_.untraced, payload); break;
    case wire::Kind::Unknown: note(run_.unknown, payload); break;
    case wire::Kind::Failed: note_failed(payload); break;
    case wire::Kind::Problem: say_once(std::string(payload)); break;
  }
  return {};
}

bool Conversation::is_over() {
  if (!request_.only_to_captured) return false;
  const std::chrono::duration<double> passed = Clock::now() - since_;
  run_.out_of_time = !run_.captured_index && passed.count() > request_.seconds;
  return run_.out_of_time || (run_.captured_index && passed.count() >= request_.seconds_after);
}

std::string Conversation::hello() {
  run_.used_cuda = true;
  modules_.reset();
  repeats_ = std::make_unique<Repeats>(run::bytes_available() / kShareKept);
  memory_ = std::make_unique<DeviceMemory>(memory_file_, program_);
  modules_ = std::make_unique<Modules>(machine_.limits, *memory_);
  return bytes_of(facts_of(machine_));
}

std::string Conversation::find_kernel(std::string_view payload) {
  const auto named = value_at<wire::Named>(payload, 0);
  const std::string name = name_in(payload, sizeof named, named);
  const Result<const LoadedKernel*> kernel = modules_->kernel(named.binary, name);
  if (kernel) return bytes_of(facts_of(machine_, **kernel));
  note(run_.refused, run::instance_name(name));
  say_once(fmt::format("The kernel {} cannot run.\n{}", run::instance_name(name), first_of(kernel.errors())));
  wire::KernelFacts facts;
  facts.error = error_of(kernel.errors());
  return bytes_of(facts);
}

std::string Conversation::find_variable(std::string_view payload) {
  const auto named = value_at<wire::Named>(payload, 0);
  const std::string name = name_in(payload, sizeof named, named);
  asked_.insert(name);
  wire::VariableFacts facts;
  if (const Result<Allocation> variable = modules_->variable(named.binary, name)) {
    facts.address = variable->base;
    facts.bytes = variable->bytes;
  } else {
    say_once(fmt::format("The variable {} cannot be reached.\n{}", name, first_of(variable.errors())));
    facts.error = wire::InvalidSymbol;
  }
  return bytes_of(facts);
}

std::string Conversation::occupancy(std::string_view payload) {
  const auto question = value_at<wire::OccupancyQuestion>(payload, 0);
  const Result<const LoadedKernel*> kernel =
      modules_->kernel(question.kernel.binary, name_in(payload, sizeof question, question.kernel));
  const uint32_t blocks =
      kernel ? occupancy_of(machine_, **kernel, question.threads, question.dynamic_shared_bytes).blocks_per_sm : 0;
  return bytes_of(blocks);
}

std::string Conversation::launch_kernel(std::string_view payload) {
  const auto request = value_at<wire::LaunchRequest>(payload, 0);
  const std::string_view parameters =
      part_of(payload, sizeof request + request.kernel.name_bytes, request.parameter_bytes);
  const Result<const LoadedKernel*> kernel =
      modules_->kernel(request.kernel.binary, name_in(payload, sizeof request, request.kernel),
                       {request.cluster[0], request.cluster[1], request.cluster[2]});
  wire::LaunchReply reply;
  if (!kernel) {
    reply.error = error_of(kernel.errors());
    return bytes_of(reply);
  }
  const LaunchShape shape{{request.grid[0], request.grid[1], request.grid[2]},
                          {request.block[0], request.block[1], request.block[2]},
                          request.dynamic_shared_bytes,
                          request.cooperative != 0,
                          {reinterpret_cast<const uint8_t*>(parameters.data()), parameters.size()}};
  if ((reply.error = refusal(machine_, **kernel, shape)) != wire::Success) return bytes_of(reply);
  const bool is_captured = is_captured_kernel(**kernel) && ++matching_ == request_.captured;
  const size_t index = run_.launches.size();
  if (is_captured || has_room_to_capture())
    run_.captured.insert_or_assign(index, captor_.capture(**kernel, shape, *memory_));
  checking_ = is_captured ? request_.captured_checking.value_or(machine_.checking) : machine_.checking;
  const bool wants_accesses = request.wants_accesses != 0;
  Result<LaunchRecord> record = run_or_repeat(std::string(payload), **kernel, shape, wants_accesses, is_captured);
  listener_.launched();
  if (!record || run::cancelled(control_)) run_.captured.erase(index);
  if (run::cancelled(control_)) return {};  // It ends without an answer.
  if (!record) {
    say_once(to_string(record.errors()));
    reply.error = wire::OutOfMemory;
    return bytes_of(reply);
  }
  reply.device_error = record->device_error;
  reply.predicted = record->report.predicted.has_value();
  reply.seconds = reply.predicted ? record->report.predicted->seconds : record->seconds;
  reply.printed_bytes = static_cast<uint32_t>(record->report.printed.size());
  reply.used_arrays = static_cast<uint32_t>(record->shared.size());
  std::string bytes = bytes_of(reply) + record->report.printed;
  for (const TouchedArray& array : record->shared) bytes += bytes_of(wire::UsedArray{array.base, array.written, 0});
  note_constants(**kernel);
  launched_.accessed = std::exchange(record->accessed, nullptr);
  launched_.name = (*kernel)->name;
  if (wants_accesses) launched_.same = payload;
  result_is_seen_ |=
      !record->report.printed.empty() || std::any_of(record->shared.begin(), record->shared.end(),
                                                     [](const TouchedArray& array) { return array.written; });
  if (is_captured) {
    run_.captured_index = index;
    since_ = Clock::now();
  }
  run_.launches.push_back(std::move(*record));
  return bytes;
}

bool Conversation::has_room_to_capture() const {
  constexpr size_t kMostLaunches = 10'000;
  return request_.captures_all && run_.captured.size() < kMostLaunches &&
         captor_.bytes() + memory_->live_bytes() <= run::bytes_available() / kShareKept;
}

/// "tile" counts tile<16> and ns::tile, too.
bool Conversation::is_captured_kernel(const LoadedKernel& kernel) const {
  const std::string& wanted = request_.captured_kernel;
  if (wanted.empty() || kernel.name == wanted) return true;
  const std::string plain = kernel.name.substr(0, kernel.name.find('<'));
  return plain == wanted || plain.ends_with("::" + wanted);
}

Result<LaunchRecord> Conversation::run_or_repeat(const std::string& payload, const LoadedKernel& kernel,
                                                 const LaunchShape& shape, bool wants_accesses, bool is_captured) {
  if (!is_captured)
    if (const LaunchRecord* known = repeats_->again(payload, *memory_)) return *known;
  const Machine machine = machine_for(payload, wants_accesses, is_captured);
  run::Control control = control_;
  if (control_.progress)
    control.progress = [&](const std::string& what, uint64_t done, uint64_t total) {
      control_.progress(fmt::format("{} of {}", what, kernel.name), done, total);
    };
  Result<LaunchEffect> effect = launch(machine, kernel, shape, *memory_, control);
  if (!effect) return effect.errors();
  if (!is_captured) effect->record.clock = nullptr;
  if (machine.timing != Timing::None)
    times_.emplace(payload, effect->record.report.predicted);
  else if (const auto known = times_.find(payload); known != times_.end())
    effect->record.report.predicted = known->second;
  repeats_->keep(payload, *effect, *memory_);
  return std::move(effect->record);
}

Machine Conversation::machine_for(const std::string& launch, bool wants_accesses, bool is_captured) {
  constexpr size_t kSimulated = 256;  // Some 0.1 s each.
  constexpr int kOftenEnough = 2;     // A program that times a kernel launches it a hundred times.
  Machine machine = machine_;
  machine.checking = checking_;
  machine.wants_accesses = wants_accesses;
  if (!is_captured && (request_.only_to_captured || times_.contains(launch)))
    machine.timing = Timing::None;
  else if (!is_captured && times_.size() >= kSimulated)
    machine.timing = Timing::Counts;
  if (machine.checking == Checking::Sample && ++watched_[launch] > kOftenEnough) machine.checking = Checking::None;
  return machine;
}

void Conversation::note_failed(std::string_view payload) {
  const auto failed = value_at<wire::FailedCall>(payload, 0);
  const size_t texts = sizeof failed + failed.name_bytes;
  FailedCall call;
  call.name = part_of(payload, sizeof failed, failed.name_bytes);
  call.error = failed.error;
  call.counts = true;
  call.reason = part_of(payload, texts, failed.reason_bytes);
  call.places = part_of(payload, texts + failed.reason_bytes, payload.size());
  // A kernel that cannot run is reported by its name.
  if (call.error == wire::InvalidPtx || call.error == wire::NoKernelImage) return;
  note_call(std::move(call));
}

void Conversation::note_early_use(std::string_view payload) {
  const auto use = value_at<wire::EarlyUse>(payload, 0);
  FailedCall call;
  call.name = "main()";
  call.reason =
      use.by_copy != 0
          ? "it uses managed or pinned memory that cudaMemcpyAsync, called before, may still be copying; wait "
            "for its stream first"
          : "it uses managed or pinned memory that a kernel launched before may still be using; call "
            "cudaDeviceSynchronize() first";
  call.places = part_of(payload, sizeof use, payload.size());
  call.counts = true;
  note_call(std::move(call));
}

const std::string& Conversation::where(const std::string& places) {
  const auto [at, is_new] = where_.try_emplace(places);
  if (is_new)
    if (const SourcePlace place = own_place(lines_of(places)); !place.file.empty())
      at->second = fmt::format("line {} of {}", place.line, place.file);
  return at->second;
}

void Conversation::note_work(std::string_view payload) {
  const auto work = value_at<wire::Work>(payload, 0);
  size_t at = sizeof work;
  const auto numbers = [&](uint32_t count) {
    const std::string_view bytes = part_of(payload, at, count * sizeof(uint64_t));
    at += bytes.size();
    std::vector<uint64_t> list(bytes.size() / sizeof(uint64_t));
    std::memcpy(list.data(), bytes.data(), list.size() * sizeof(uint64_t));
    return list;
  };
  Operation operation = work.has_launch ? std::exchange(launched_, {}) : Operation();
  operation.stream = work.stream;
  operation.number = work.number;
  operation.before = numbers(work.ended);
  unordered_.waited(numbers(work.ended_for_host));
  if (!work.has_launch) {
    analysis::AccessedRanges accessed;
    for (uint32_t i = 0; i < work.ranges; ++i, at += sizeof(wire::UsedRange)) {
      const auto used = value_at<wire::UsedRange>(payload, at);
      (used.written ? accessed.written : accessed.read).push_back({used.address, used.bytes});
    }
    analysis::put_in_order(accessed.read);
    analysis::put_in_order(accessed.written);
    operation.accessed = std::make_shared<const analysis::AccessedRanges>(std::move(accessed));
    operation.name = part_of(payload, at, work.name_bytes);
    operation.same = fmt::format("{} {}", work.stream, work.number);
  }
  operation.places = part_of(payload, at + work.name_bytes, payload.size());
  FailedCall call;
  call.name = operation.name;
  call.places = operation.places;
  const std::optional<UnorderedPair> pair = unordered_.add(std::move(operation));
  if (!pair) return;
  const std::string& line = where(pair->earlier.places);
  call.reason = fmt::format(
      "it {} memory that {}{} {} in another stream, and nothing makes it wait for that; put cudaEventRecord behind "
      "that and cudaStreamWaitEvent before this",
      pair->later_writes ? "writes" : "reads", pair->earlier.name, line.empty() ? "" : ", " + line + ",",
      pair->earlier_writes ? "writes" : "reads");
  call.counts = true;
  note_call(std::move(call));
}

/// A __constant__ variable that has no value in the source and that the program never asked for is zeros.
void Conversation::note_constants(const LoadedKernel& kernel) {
  for (const std::string& name : kernel.constants) {
    if (asked_.contains(name)) continue;
    FailedCall call;
    call.name = fmt::format("__constant__ {}", run::source_name(name));
    call.reason = fmt::format("{} reads it, and nobody copied to it before, so it is zeros", kernel.name);
    note_call(std::move(call));
  }
}

void Conversation::note_unwritten(const wire::Range& range, std::string_view places) {
  result_is_seen_ = true;
  const uint64_t first = memory_->first_unwritten(range.address, range.bytes);
  if (first == range.bytes) return;
  FailedCall call;
  call.name = "copy to the host";
  call.reason = first == 0 ? fmt::format("nobody wrote the {} bytes", range.bytes)
                           : fmt::format("of {} bytes nobody wrote those from {} on", range.bytes, first);
  call.places = places;
  note_call(std::move(call));
}

void Conversation::note_call(FailedCall call) {
  constexpr size_t kMostPlaces = 1000;
  for (FailedCall& known : run_.failed)
    if (known.name == call.name && known.error == call.error && known.places == call.places) {
      ++known.count;
      return;
    }
  if (run_.failed.size() < kMostPlaces) run_.failed.push_back(std::move(call));
}

void Conversation::finish() {
  if (memory_ && !run::cancelled(control_)) note_not_freed();
  run_.result_is_seen = result_is_seen_;
}

void Conversation::note_not_freed() {
  for (const LiveArray& array : memory_->live()) {
    const auto at = std::find_if(run_.not_freed.begin(), run_.not_freed.end(),
                                 [&](const NotFreed& other) { return other.places == array.places; });
    NotFreed& together = at == run_.not_freed.end() ? run_.not_freed.emplace_back() : *at;
    together.places = array.places;
    ++together.arrays;
    together.bytes += array.bytes;
  }
}

void Conversation::note(std::vector<std::string>& list, std::string_view text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.emplace_back(text);
}

void Conversation::say_once(const std::string& sentence) {
  if (said_.insert(sentence).second) listener_.say(sentence);
}

}  // namespace tilescope::program
