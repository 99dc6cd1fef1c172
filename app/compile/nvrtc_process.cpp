#include "compile/nvrtc_process.h"

#include <csignal>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "compile/compiler_log.h"
#include "compile/confined.h"
#include "compile/hash.h"

namespace tilescope::compile {
namespace fs = std::filesystem;
namespace {

// glibc asks the kernel for memory in large pieces and on huge pages: NVRTC's first compile in a process, the only
// one here, otherwise spends a tenth of its time on page faults.
constexpr const char* kAllocator = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=134217728";

constexpr const char* kProgram = "tilescope-nvrtc";
const auto kMakeSmaller = Message("make the kernel smaller: fewer unrolled iterations, shorter macros");

Toolchain read_toolchain(const Record& record) {
  return {"NVRTC",
          std::string(field(record, "version")),
          std::string(field(record, "library")),
          std::string(field(record, "include_folder")),
          lines_of(field(record, "architectures")),
          std::string(field(record, "identity"))};
}

Diagnostic out_of_time(const Settings& settings) {
  const double seconds = std::chrono::duration<double>(settings.wall_limit).count();
  return error(Message("the compiler was stopped after {:g} s; {}.", seconds, kMakeSmaller));
}

}  // namespace

fs::path find_program(const Settings& settings, const std::string& name) {
  if (settings.program.filename() == name) return settings.program;
  std::error_code problem;
  const fs::path here = settings.program.empty() ? fs::read_symlink("/proc/self/exe", problem).parent_path()
                                                 : settings.program.parent_path();
  for (const fs::path& candidate : {here / name, here / "../bin" / name})
    if (fs::exists(candidate, problem)) return candidate;
  return here / name;
}

Diagnostic cancelled() { return error(Message("Cancelled.")); }

// A process that gets no more memory ends in whatever way its allocator's caller fails, mostly an abort or a null
// pointer. An ordinary one stays far below a quarter of the limit.
std::optional<Diagnostic> problem_of_exit(const Exit& exit, std::string_view compiler, const Settings& settings,
                                          const Patience& patience) {
  if (exit.signal == 0) return std::nullopt;
  if (patience.cancel && *patience.cancel) return cancelled();
  if (exit.signal == SIGXCPU)
    return error(Message("the compiler was stopped after {} s of processor time; {}.", settings.cpu_limit_seconds,
                         kMakeSmaller));
  if (exit.signal == SIGKILL && std::chrono::steady_clock::now() >= patience.until) return out_of_time(settings);
  if (exit.peak_bytes > settings.memory_limit_bytes / 4) return error(out_of_memory(settings));
  return error(Message("the compiler crashed (signal {}, {}); change the source, or use another {}.", exit.signal,
                       ::strsignal(exit.signal), compiler));
}

Message out_of_memory(const Settings& settings) {
  return Message("the compiler ran out of memory (its limit is {} MiB); {}.", settings.memory_limit_bytes >> 20,
                 kMakeSmaller);
}

Result<std::unique_ptr<NvrtcProcess>> NvrtcProcess::start(const Settings& settings) {
  std::vector<std::string> arguments{std::to_string(settings.memory_limit_bytes),
                                     std::to_string(settings.cpu_limit_seconds)};
  if (!settings.library.empty()) arguments.push_back(settings.library.string());
  const fs::path program = settings.program.empty() ? find_program(settings, kProgram) : settings.program;
  auto process = ChildProcess::start(program, arguments, {kAllocator});
  if (!process) return process.errors();
  return std::unique_ptr<NvrtcProcess>(new NvrtcProcess(std::move(*process), settings));
}

Transfer NvrtcProcess::receive(std::optional<Record>& record, const Patience& patience) {
  std::string bytes(kLengthBytes, '\0');
  Transfer transfer = process_.receive(bytes.data(), bytes.size(), patience);
  if (transfer != Transfer::Done) return transfer;
  const uint64_t length = decode_length(bytes);
  if (length > kMaxMessageBytes) return Transfer::Done;
  bytes.resize(length);
  transfer = process_.receive(bytes.data(), bytes.size(), patience);
  if (transfer == Transfer::Done) record = decode(bytes);
  return transfer;
}

Result<Toolchain> NvrtcProcess::toolchain(const Patience& patience) {
  if (toolchain_) return *toolchain_;
  std::optional<Record> record;
  const Transfer transfer = receive(record, patience);
  if (transfer != Transfer::Done) return explain(transfer);
  if (!record)
    return error(Message(
        "the compiler process sent a message that cannot be read; build tilescope and tilescope-nvrtc together."));
  if (record->contains("error"))
    return error(
        Message("NVRTC is not usable here: {}. Install the CUDA Toolkit 12.4 or newer, or set "
                "TILESCOPE_NVRTC to the path of libnvrtc.so.",
                field(*record, "error")));
  toolchain_ = read_toolchain(*record);
  return *toolchain_;
}

Result<Record> NvrtcProcess::compile(const Request& request, const Patience& patience) {
  Record asked = compiler_message(request);
  asked["source"] = without_byte_order_mark(request.source);
  const std::string message = encode(asked);
  Transfer transfer = process_.send(encode_length(message.size()) + message, patience);
  std::optional<Record> reply;
  if (transfer == Transfer::Done) transfer = receive(reply, patience);
  Diagnostic problem;
  if (transfer != Transfer::Done)
    problem = explain(transfer);
  else if (!reply)
    problem =
        error(Message("the compiler process sent a reply that cannot be read; compile again, or use another NVRTC."));
  else
    return std::move(*reply);
  if (transfer != Transfer::Cancelled) problem.at.file = request.file_name;
  return problem;
}

Diagnostic NvrtcProcess::explain(Transfer failure) {
  if (failure == Transfer::Closed) return explain_exit();
  process_.kill();
  return failure == Transfer::Cancelled ? cancelled() : out_of_time(settings_);
}

Diagnostic NvrtcProcess::explain_exit() {
  const Patience patience{std::chrono::steady_clock::now() + std::chrono::seconds{1}};
  const Exit exit = process_.wait(patience);
  if (const auto problem = problem_of_exit(exit, "NVRTC", settings_, patience)) return *problem;
  return error(Message("the compiler process ended without a reply (exit code {}).", exit.code));
}

}  // namespace tilescope::compile
