#include "cudart/runtime.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace tilescope::cudart {
namespace {

wire::Named named(const Binary& binary, const std::string& name) {
  return {binary.number, static_cast<uint32_t>(name.size())};
}

/// A host that reads memory of cudaMalloc ends as on a GPU, with an explanation. One that uses an array that a kernel
/// may be using goes on.
void explain_fault(int signal, siginfo_t* info, void*) {
  constexpr std::string_view kAccess =
      "tilescope: main() reads or writes device memory through a pointer from cudaMalloc. Copy it with cudaMemcpy, "
      "or allocate it with cudaMallocManaged.\n";
  constexpr std::string_view kFree = "tilescope: free() is given memory that cudaMalloc gave. Free it with cudaFree.\n";
  // free() looks at what is before the memory that malloc() gives.
  constexpr size_t kBeforeMemory = 16;
  const auto* address = static_cast<const char*>(info->si_addr);
  if (Runtime::get().allow_early_use(address)) return;
  const Memory& memory = Runtime::get().memory;
  const bool frees =
      !memory.find(address) && (memory.find(address + kBeforeMemory) || memory.find(address + kBeforeMemory / 2));
  const std::string_view text = frees ? kFree : kAccess;
  if (frees || Memory::is_on_device(address)) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  }
  std::signal(signal, SIG_DFL);  // The access is repeated and ends the program.
}

void explain_faults() {
  struct sigaction before {};
  if (::sigaction(SIGSEGV, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction mine {};
  mine.sa_sigaction = explain_fault;
  mine.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &mine, nullptr);
}

/// Whether a fault is still explained, not handled by the program.
bool faults_are_explained() {
  struct sigaction now {};
  return ::sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == explain_fault;
}

}  // namespace

Runtime& Runtime::get() {
  static auto* runtime = new Runtime;  // Never destroyed: the program's destructors may still call it.
  return *runtime;
}

int Runtime::connect() {
  if (connected_ == wire::Success && !channel.is_mine()) return wire::InitializationError;
  if (connected_ < 0) {
    const bool open = channel.open() && channel.send(wire::Kind::Hello, {}) && channel.receive(&device, sizeof device);
    connected_ = open ? wire::Success : wire::NoDevice;
    if (!open && channel.was_closed()) {
      constexpr std::string_view kText =
          "tilescope: the program has closed the connection to Tilescope, so CUDA calls fail. It is one of the "
          "descriptors that were open when it began.\n";
      [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText.data(), kText.size());
    }
    if (open) {
      memory.set_limit(device.memory_bytes);
      explain_faults();
    }
  }
  return connected_ ? connected_ : send_binaries();
}

int Runtime::send_binaries() {
  for (; binaries_sent_ < binaries_.size(); ++binaries_sent_) {
    const Binary& binary = *binaries_[binaries_sent_];
    if (!channel.send(wire::Kind::RegisterBinary, bytes_of(wire::Binary{binary.number}), binary.bytes))
      return wire::NoDevice;
  }
  return wire::Success;
}

Binary* Runtime::add_binary(std::string_view bytes) {
  binaries_.push_back(std::make_unique<Binary>(Binary{static_cast<uint32_t>(binaries_.size()), bytes}));
  return binaries_.back().get();
}

void Runtime::add_kernel(const void* host, const Binary* binary, const char* name) {
  auto& kernel = kernels_[host];
  kernel = std::make_unique<Kernel>();
  kernel->binary = binary;
  kernel->name = name;
  handles_[host] = kernel.get();
  handles_[kernel.get()] = kernel.get();
}

void Runtime::add_variable(const void* host, Variable variable) { variables_[host] = std::move(variable); }

Kernel* Runtime::kernel(const void* handle) {
  const auto at = handles_.find(handle);
  return at == handles_.end() ? nullptr : at->second;
}

int Runtime::facts_of(Kernel& kernel) {
  if (!kernel.facts) {
    wire::KernelFacts facts;
    if (!channel.send(wire::Kind::FindKernel, bytes_of(named(*kernel.binary, kernel.name)), kernel.name) ||
        !channel.receive(&facts, sizeof facts))
      return wire::NoDevice;
    kernel.facts = facts;
  }
  return kernel.facts->error;
}

Variable* Runtime::variable(const void* host) {
  const auto at = variables_.find(host);
  if (at == variables_.end()) return nullptr;
  Variable& variable = at->second;
  if (variable.address != 0) return &variable;
  wire::VariableFacts facts;
  if (!channel.send(wire::Kind::FindVariable, bytes_of(named(*variable.binary, variable.name)), variable.name) ||
      !channel.receive(&facts, sizeof facts) || facts.error != wire::Success ||
      !memory.map_variable(facts.address, facts.bytes, variable.managed != nullptr))
    return nullptr;
  variable.address = facts.address;
  variable.bytes = facts.bytes;
  return &variable;
}

void Runtime::place_managed(const Binary* binary) {
  for (auto& [host, entry] : variables_) {
    if (entry.binary != binary || !entry.managed || connect() != wire::Success) continue;
    if (const Variable* placed = variable(host)) *placed->managed = reinterpret_cast<void*>(placed->address);
  }
}

int Runtime::prepare(const void* handle, Dim grid, Dim block, void** arguments, size_t dynamic_shared_bytes,
                     bool cooperative, PreparedLaunch& launch) {
  Kernel* known = kernel(handle);
  if (!known) return wire::InvalidDeviceFunction;
  if (const int problem = facts_of(*known)) return problem;
  const wire::KernelFacts& facts = *known->facts;
  const uint64_t allowed =
      std::max<uint64_t>(known->dynamic_shared_allowed,
                         device.shared_per_block - std::min(device.shared_per_block, facts.static_shared_bytes));
  if (dynamic_shared_bytes > allowed) {
    reason = std::to_string(dynamic_shared_bytes) + " bytes of dynamic shared memory; " + std::to_string(allowed) +
             " are allowed, and up to " +
             std::to_string(device.shared_per_block_opt_in -
                            std::min(device.shared_per_block_opt_in, facts.static_shared_bytes)) +
             " after cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ...)";
    return wire::InvalidValue;
  }
  launch.kernel = known;
  launch.request = {named(*known->binary, known->name),
                    {grid.x, grid.y, grid.z},
                    {block.x, block.y, block.z},
                    dynamic_shared_bytes,
                    cooperative ? 1U : 0U,
                    facts.parameter_bytes,
                    0,
                    {}};
  launch.parameters.assign(facts.parameter_bytes, '\0');
  for (uint32_t i = 0; i < facts.parameters; ++i)
    std::memcpy(launch.parameters.data() + facts.parameter[i].offset, arguments[i], facts.parameter[i].bytes);
  return wire::Success;
}

int Runtime::launch(const PreparedLaunch& launch) {
  wire::LaunchReply reply;
  wire::LaunchRequest request = launch.request;
  request.wants_accesses = order_.matters();
  launched_ = true;
  if (!channel.send(wire::Kind::Launch, bytes_of(request), launch.kernel->name, launch.parameters) ||
      !channel.receive(&reply, sizeof reply))
    return wire::LaunchFailure;
  std::string printed(reply.printed_bytes, '\0');
  std::vector<wire::UsedArray> used(reply.used_arrays);
  if (!channel.receive(printed.data(), printed.size()) ||
      !channel.receive(used.data(), used.size() * sizeof(wire::UsedArray)))
    return wire::LaunchFailure;
  printed_ += printed;
  if (!used.empty() && faults_are_explained()) memory.guard(used);
  const uint64_t blocks = uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
  const double sms = std::max(1U, device.sms);
  takes(reply.seconds, Engine::Sms, std::min(1.0, static_cast<double>(blocks) / sms));
  if (reply.error == wire::Success && pending_ == 0) pending_ = reply.device_error;
  if (reply.error == wire::InvalidValue || reply.error == wire::InvalidClusterSize) reason = why_refused(launch);
  if (reply.error == wire::LaunchOutOfResources)
    reason = "a block needs more registers than a multiprocessor has; launch fewer threads, or say __launch_bounds__";
  return reply.error;
}

std::string Runtime::why_refused(const PreparedLaunch& launch) const {
  const auto &block = launch.request.block, &grid = launch.request.grid;
  const uint64_t threads = uint64_t{block[0]} * block[1] * block[2];
  const auto extents = [](const uint32_t* of) {
    return std::to_string(of[0]) + " x " + std::to_string(of[1]) + " x " + std::to_string(of[2]);
  };
  if (threads == 0) return "the block is " + extents(block);
  if (uint64_t{grid[0]} * grid[1] * grid[2] == 0) return "the grid is " + extents(grid);
  if (threads > device.threads_per_block)
    return "a block of " + std::to_string(threads) + " threads; the limit is " +
           std::to_string(device.threads_per_block);
  for (int i = 0; i < 3; ++i) {
    if (block[i] > device.max_block[i])
      return "the block is " + extents(block) + "; at most " + extents(device.max_block) + " are allowed";
    if (grid[i] > device.max_grid[i])
      return "the grid is " + extents(grid) + "; at most " + extents(device.max_grid) + " are allowed";
  }
  if (const uint32_t most = launch.kernel->facts->max_threads; threads > most)
    return "a block of " + std::to_string(threads) + " threads; the kernel's __launch_bounds__ allow " +
           std::to_string(most);
  return "the grid is " + extents(grid) + ", which is no multiple of the cluster's size";
}

namespace {

const void* base_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/// "module\toffset": a place in the program's file; empty where it is in no file.
std::string place_of(const void* address) {
  Dl_info info{};
  // The call is before where it returns to.
  const auto* call = static_cast<const char*>(address) - 1;
  if (::dladdr(call, &info) == 0 || !info.dli_fname) return {};
  const auto* header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  const bool moved = header->e_type == ET_DYN;
  const auto offset = reinterpret_cast<uint64_t>(call) - (moved ? reinterpret_cast<uint64_t>(info.dli_fbase) : 0);
  std::string file = info.dli_fname;
  if (info.dli_fbase == base_of(reinterpret_cast<const void*>(::getauxval(AT_PHDR)))) {
    // The loader has the name that the program was given, which need not be its file's.
    char path[4096];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    if (length > 0) file.assign(path, static_cast<size_t>(length));
  }
  return file + '\t' + std::to_string(offset) + '\n';
}

/// Of the library that holds the address: all stand-ins are in one.
std::string_view folder_of(const void* address) {
  Dl_info info{};
  const std::string_view file = ::dladdr(address, &info) != 0 && info.dli_fname ? info.dli_fname : "";
  return file.substr(0, file.rfind('/') + 1);
}

/// The function of the stand-ins that the program called, and from where.
struct Caller {
  std::string name, places;
};
Caller find_caller() {
  constexpr int kMostFrames = 24;
  void* frames[kMostFrames];
  const int count = ::backtrace(frames, kMostFrames);
  const std::string_view mine = folder_of(reinterpret_cast<const void*>(&find_caller));
  Caller caller;
  int at = 0;
  for (; at < count && folder_of(frames[at]) == mine; ++at) {
    Dl_info info{};
    if (::dladdr(static_cast<const char*>(frames[at]) - 1, &info) != 0 && info.dli_sname) caller.name = info.dli_sname;
  }
  for (; at < count; ++at) caller.places += place_of(frames[at]);
  return caller;
}

/// The same; of a launch the place of <<<>>>.
Caller caller_of(const void* launch_site) {
  Caller caller = find_caller();
  const bool is_launch = caller.name.find("LaunchKernel") != std::string::npos;
  if (is_launch) caller.name = "kernel launch";
  if (is_launch && launch_site) caller.places = place_of(launch_site) + caller.places;
  return caller;
}

std::string bytes_of_all(const std::vector<uint64_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(uint64_t)};
}

}  // namespace

std::string Runtime::places_of_call() { return find_caller().places; }

bool Runtime::allow_early_use(const void* address) {
  const std::lock_guard lock(mutex);
  const std::optional<Memory::Use> use = memory.lift_guard(address);
  if (use && channel.is_mine())
    channel.send(wire::Kind::Touched, bytes_of(wire::EarlyUse{*use == Memory::Use::Copy}), places_of_call());
  return use.has_value();
}

void Runtime::tell_failed(int error) {
  const Caller caller = caller_of(launch_site);
  const wire::FailedCall failed{error, static_cast<uint32_t>(caller.name.size()), static_cast<uint32_t>(reason.size())};
  channel.send(wire::Kind::Failed, bytes_of(failed), caller.name + reason, caller.places);
}

int Runtime::wait() {
  // A kernel's output appears when the host waits for the kernel, after what the host printed before.
  if (!printed_.empty()) std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  printed_.clear();
  memory.lift_guards_of_kernels();
  if (sticky_ == 0) sticky_ = pending_;
  return sticky_;
}

namespace {

/// cudaStreamPerThread, until its thread ends.
struct OwnStream {
  Stream* stream = nullptr;
  ~OwnStream() {
    if (!stream) return;
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    runtime.remove_stream(stream);
  }
};

}  // namespace

Stream& Runtime::stream(void* handle) {
  constexpr uint64_t kLegacy = 1, kPerThread = 2;
  thread_local OwnStream own;
  const auto number = reinterpret_cast<uint64_t>(handle);
  if (number > kPerThread) return *static_cast<Stream*>(handle);
  if (number == kLegacy || (number == 0 && tilescope_default_stream_is_of_the_thread == 0)) return default_stream_;
  if (!own.stream) own.stream = add_stream(0, 0);
  return *own.stream;
}

Stream* Runtime::add_stream(unsigned flags, int priority) {
  constexpr unsigned kNonBlocking = 1;
  auto* stream = new Stream{flags, priority, nullptr, {}};
  stream->order.blocking = (flags & kNonBlocking) == 0;
  order_.add(stream->order);
  streams_.insert(stream);
  return stream;
}

void Runtime::remove_stream(Stream* stream) {
  if (streams_.erase(stream) == 0) return;
  order_.remove(stream->order);
  delete stream;
}

int Runtime::enqueue(void* handle, std::function<int()> work) {
  Stream& queue = stream(handle);
  if (queue.captured) {
    queue.captured->work.push_back(std::move(work));
    return wire::Success;
  }
  at_work_ = &queue;
  launched_ = false;
  const Ended before = order_.begin(queue.order);
  const int error = work();
  memory.work_ends(queue.order.stream, queue.order.last);
  tell_work(queue.order, before);
  return error;
}

void Runtime::tell_work(const StreamOrder& stream, const Ended& before) {
  const std::vector<wire::UsedRange> used = memory.take_used();
  if (!order_.matters() || (used.empty() && !launched_)) return;
  const Caller caller = caller_of(launch_site);
  const std::vector<uint64_t>&numbers = before.numbers(), &host = order_.host().numbers();
  const wire::Work work{stream.stream,
                        static_cast<uint32_t>(numbers.size()),
                        static_cast<uint32_t>(host.size()),
                        static_cast<uint32_t>(used.size()),
                        stream.last,
                        static_cast<uint32_t>(caller.name.size()),
                        launched_ ? 1U : 0U};
  const std::string ranges(reinterpret_cast<const char*>(used.data()), used.size() * sizeof(wire::UsedRange));
  channel.send(wire::Kind::Work, bytes_of(work), bytes_of_all(numbers) + bytes_of_all(host) + ranges,
               caller.name + caller.places);
}

void Runtime::takes(double seconds, Engine engine, double share) {
  timetable_.forget(order_.host().at);
  double& at = at_work_->order.ended.at;
  at = timetable_.add(engine, at, seconds, share);
}

void Runtime::guard_copied() {
  if (faults_are_explained()) memory.guard_copied();
}

void Runtime::end_capture(const Graph* graph) {
  for (Stream* stream : streams_)
    if (stream->captured.get() == graph) stream->captured.reset();
}

void Runtime::host_waits(Stream& stream) {
  order_.host_waits(stream.order);
  memory.lift_guards_of_copies(order_.host());
}

void Runtime::host_waits(const Ended& ended) {
  order_.host_waits(ended);
  memory.lift_guards_of_copies(order_.host());
}

void Runtime::host_waits() {
  order_.host_waits();
  memory.lift_guards_of_copies(order_.host());
}

int& last_error() {
  thread_local int error = wire::Success;
  return error;
}

int answer(const std::function<int(Runtime&)>& call) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  int error = runtime.connect();
  if (error == wire::Success) error = runtime.sticky();
  if (error == wire::Success) {
    runtime.reason.clear();
    error = call(runtime);
    const bool is_new = error != runtime.sticky() && error != wire::NotReady && error != wire::NotSupported;
    if (error != wire::Success && is_new) runtime.tell_failed(error);
  }
  if (error != wire::Success && error != wire::NotReady) last_error() = error;
  return error;
}

int answer_waiting(const std::function<int(Runtime&)>& call) {
  return answer([&](Runtime& runtime) {
    const int error = runtime.wait();
    return error ? error : call(runtime);
  });
}

int not_answered(const char* name) {
  return answer([&](Runtime& runtime) {
    if (runtime.channel.send(wire::Kind::Unknown, name))
      runtime.channel.send(wire::Kind::Problem,
                           "The program calls " + std::string(name) +
                               ", which Tilescope does not know; the call returns cudaErrorNotSupported.");
    return wire::NotSupported;
  });
}

}  // namespace tilescope::cudart
