#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text.h"
#include "compile/cache.h"
#include "compile/compile.h"
#include "compile/compiler_log.h"
#include "compile/hash.h"
#include "compile/prebuilt.h"
#include "compile/request_check.h"
#include "compile/worker.h"

namespace tilescope::compile {
namespace {

using std::chrono::steady_clock;

// __shared__ arrays of fixed size, whatever the architecture (CUDA C++ Programming Guide, "Compute Capabilities").
// Some versions of NVRTC fail past it without a word.
constexpr uint64_t kMaxStaticSharedBytes = 49152;

// Says more where a limit of the process or a missing header, and not the kernel, is the cause.
void explain(Diagnostics& diagnostics, const Settings& settings, const Toolchain& toolchain) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.message.text() == "out of memory") {
      diagnostic.message = out_of_memory(settings);
      diagnostics = Diagnostics{diagnostic};  // What came before it speaks of the expanded text.
      return;
    }
    if (const std::string said = diagnostic.message.text(); said.starts_with("cannot open source file"))
      diagnostic.message =
          said + (toolchain.include_folder.empty()
                      ? "; CUDA's headers are not installed here: install the CUDA Toolkit."
                      : "; only CUDA's own headers can be included: put what the kernel needs in this file.");
  }
}

Diagnostics errors_of(const Record& reply, CompilerLog& log, const Request& request) {
  if (has_errors(log.diagnostics)) return std::move(log.diagnostics);
  for (const Resources& resources : log.resources)
    if (resources.static_shared_bytes > kMaxStaticSharedBytes)
      return {error_at({request.file_name},
                       fmt::format("{} declares {} bytes of static shared memory; the limit is {}. Make its __shared__ "
                                   "arrays smaller.",
                                   resources.entry, resources.static_shared_bytes, kMaxStaticSharedBytes))};
  return {error_at({request.file_name}, fmt::format("NVRTC failed and gave no reason but {}; change the source, or use "
                                                    "another NVRTC.",
                                                    field(reply, "result_text")))};
}

Result<Output> output_of(Record& reply, CompilerLog log, const Request& request, Origin origin) {
  if (field(reply, "result") != "0") return errors_of(reply, log, request);
  if (field(reply, "ptx").empty())
    return error_at({request.file_name}, "NVRTC gave no PTX, or more than 16 MiB of it; make the kernel smaller.");
  Output output;
  output.ptx = std::move(reply["ptx"]);
  const std::string_view cubin = field(reply, "cubin");
  output.cubin.assign(cubin.begin(), cubin.end());
  for (const auto& [name, code] : reply)
    if (name.starts_with(kLoopField)) output.loops[name.substr(kLoopField.size())].assign(code.begin(), code.end());
  output.log = std::move(reply["log"]);
  output.resources = std::move(log.resources);
  output.warnings = std::move(log.diagnostics);
  output.arch = request.arch;
  output.nvrtc_version = field(reply, "version");
  output.compile_seconds = std::atof(std::string(field(reply, "seconds")).c_str());
  output.origin = origin;
  const std::vector<std::string> names = lines_of(field(reply, "names"));
  for (size_t i = 0; i < std::min(names.size(), request.instances.size()); ++i)
    output.names.emplace_back(request.instances[i], names[i]);
  return output;
}

Result<Output> read_reply(Record& reply, const Request& request, Origin origin) {
  return output_of(reply, read_log(field(reply, "log"), field(reply, "ptx"), request), request, origin);
}

Result<Output> from_prebuilt(const Settings& settings, const Request& request, const Diagnostics& why) {
  auto reply = find_prebuilt(settings.prebuilt_folder, request, sentence_of(why.front()));
  if (!reply) return reply.errors();
  return read_reply(*reply, request, Origin::Prebuilt);
}

Diagnostics check_architecture(const Request& request, const Toolchain& toolchain) {
  std::string plain = request.arch;
  if (plain.ends_with('a') || plain.ends_with('f')) plain.pop_back();
  const auto& known = toolchain.architectures;
  if (known.empty() || std::find(known.begin(), known.end(), plain) != known.end()) return {};
  return {error(Message("NVRTC {} does not compile for {}; it does for {}.", toolchain.version, request.arch,
                        fmt::join(known, ", ")))};
}

}  // namespace

std::string_view to_string(Origin origin) {
  constexpr std::array<std::string_view, 3> names{"compiled", "cache", "prebuilt"};
  return names[static_cast<size_t>(origin)];
}

const Resources* find_resources(const Output& output, std::string_view entry) {
  const auto found = std::find_if(output.resources.begin(), output.resources.end(),
                                  [&](const Resources& resources) { return resources.entry == entry; });
  return found == output.resources.end() ? nullptr : &*found;
}

Compiler::Compiler(Settings settings) : settings_(std::move(settings)) {
  if (settings_.cache_folder.empty() && !cache_folder().empty()) settings_.cache_folder = cache_folder() / "compile";
  if (settings_.prebuilt_folder.empty()) settings_.prebuilt_folder = data_folder() / "assets" / "prebuilt";
  cache_ = std::make_unique<Cache>(settings_.cache_folder, settings_.cache_limit_bytes);
}

Compiler::~Compiler() = default;

Result<Compiler::WorkerPointer> Compiler::ready_worker(const Patience& patience) {
  WorkerPointer worker;
  {
    const std::lock_guard lock(mutex_);
    worker = std::move(spare_);
  }
  // A spare that came to grief while it waited is replaced.
  if (worker && worker->is_running() && worker->toolchain(patience)) return worker;
  auto started = Worker::start(settings_);
  if (!started) return started.errors();
  const auto toolchain = (*started)->toolchain(patience);
  if (!toolchain) return toolchain.errors();
  return std::move(*started);
}

void Compiler::keep_ready(WorkerPointer worker) {
  const std::lock_guard lock(mutex_);
  if (!spare_) spare_ = std::move(worker);
}

Result<Toolchain> Compiler::toolchain(const std::atomic<bool>* cancel) {
  const Patience patience{steady_clock::now() + settings_.wall_limit, cancel};
  auto worker = ready_worker(patience);
  if (!worker) return worker.errors();
  const auto toolchain = (*worker)->toolchain(patience);
  keep_ready(std::move(*worker));
  return toolchain;
}

Result<Output> Compiler::compile(const Request& request, const std::atomic<bool>* cancel) {
  if (Diagnostics wrong = check_request(request); !wrong.empty()) return wrong;
  const Patience patience{steady_clock::now() + settings_.wall_limit, cancel};
  auto worker = ready_worker(patience);
  if (cancel && *cancel) return cancelled();
  if (!worker) return from_prebuilt(settings_, request, worker.errors());
  return compile_with(std::move(*worker), request, patience);
}

Result<Output> Compiler::compile_with(WorkerPointer worker, const Request& request, const Patience& patience) {
  const Toolchain toolchain = *worker->toolchain(patience);
  const std::string hash = cache_hash(request, toolchain);
  Diagnostics wrong = check_architecture(request, toolchain);
  auto kept = wrong.empty() ? cache_->find(hash) : std::nullopt;
  if (kept || !wrong.empty()) {
    keep_ready(std::move(worker));
    return kept ? read_reply(*kept, request, Origin::Cache) : Result<Output>(std::move(wrong));
  }
  auto reply = worker->compile(request, patience);
  if (auto next = Worker::start(settings_)) keep_ready(std::move(*next));
  if (!reply) return reply.errors();
  (*reply)["version"] = toolchain.version;
  return finish(*reply, hash, request, toolchain);
}

Result<Output> Compiler::finish(Record& reply, const std::string& hash, const Request& request,
                                const Toolchain& toolchain) {
  CompilerLog log = read_log(field(reply, "log"), field(reply, "ptx"), request);
  explain(log.diagnostics, settings_, toolchain);
  const auto stored = field(reply, "result") == "0" ? cache_->store(hash, reply) : std::monostate{};
  if (!stored) {
    Diagnostic warning =
        error(Message("the compiled kernel is not kept for next time: {}", sentence_of(stored.errors().front())));
    warning.severity = Severity::Warning;
    log.diagnostics.push_back(std::move(warning));
  }
  return output_of(reply, std::move(log), request, Origin::Compiled);
}

}  // namespace tilescope::compile
