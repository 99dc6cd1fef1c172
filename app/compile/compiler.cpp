#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text.h"
#include "compile/cache.h"
#include "compile/clang.h"
#include "compile/compile.h"
#include "compile/compiler_log.h"
#include "compile/hash.h"
#include "compile/nvcc.h"
#include "compile/nvrtc_process.h"
#include "compile/prebuilt.h"
#include "compile/request_check.h"

namespace tilescope::compile {
namespace {

using std::chrono::steady_clock;

// __shared__ arrays of fixed size, whatever the architecture (CUDA C++ Programming Guide, "Compute Capabilities").
// Some versions of NVRTC fail past it without a word.
constexpr uint64_t kMaxStaticSharedBytes = 49152;

// Likewise of __constant__ variables.
constexpr uint64_t kMostConstantBytes = 65536;

constexpr const char* kOnlyCudas = "; only CUDA's own headers can be included: put what the kernel needs in this file.";

// Adds more if the cause is a limit of the process or a missing header, not the kernel.
void explain(Diagnostics& diagnostics, const Settings& settings, const Toolchain& toolchain) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.message.text() == "out of memory") {
      diagnostic.message = out_of_memory(settings);
      diagnostics = Diagnostics{diagnostic};  // What came before it speaks of the expanded text.
      return;
    }
    const std::string said = diagnostic.message.text();
    if (toolchain.compiler == "nvcc" && said.ends_with(": No such file or directory"))
      diagnostic.message = said + kOnlyCudas;
    if (toolchain.compiler == "clang" && said.ends_with("file not found"))
      diagnostic.message = said + "; without the CUDA Toolkit's headers clang has those in assets/cuda.";
    if (said.starts_with("cannot open source file"))
      diagnostic.message = said + (toolchain.include_folder.empty()
                                       ? "; CUDA's headers are not installed here: install the CUDA Toolkit."
                                       : kOnlyCudas);
  }
}

/// The compiler of a reply; NVRTC by default.
std::string compiler_of(const Record& reply) {
  const std::string_view compiler = field(reply, "compiler");
  return compiler.empty() ? "NVRTC" : std::string(compiler);
}

/// Of the __constant__ variables in PTX: ".const .align 4 .b8 table[256];"
uint64_t constant_bytes(std::string_view ptx) {
  uint64_t sum = 0;
  for (size_t at = ptx.find(".const .align "); at != ptx.npos; at = ptx.find(".const .align ", at + 1)) {
    const std::string_view line = ptx.substr(at, ptx.find_first_of(";=\n", at) - at);
    const size_t type = line.find(" .", line.find(".align ")), extents = line.find('[');
    uint64_t bits = 0;
    if (type == line.npos) continue;
    std::from_chars(line.data() + std::min(type + 3, line.size()), line.data() + line.size(), bits);
    uint64_t bytes = bits / 8;
    for (size_t open = extents; open != line.npos; open = line.find('[', open + 1)) {
      uint64_t extent = 1;
      std::from_chars(line.data() + open + 1, line.data() + line.size(), extent);
      bytes *= extent;
    }
    sum += bytes;
  }
  return sum;
}

/// If the PTX has more constants than a module may.
Diagnostics too_many_constants(const Record& reply, const Request& request) {
  const uint64_t bytes = constant_bytes(field(reply, "ptx"));
  if (bytes <= kMostConstantBytes) return {};
  return {error_at({request.file_name},
                   fmt::format("The __constant__ variables have {} bytes; the limit is {}. Make them smaller, or make "
                               "them __device__ variables.",
                               bytes, kMostConstantBytes))};
}

Diagnostics errors_of(const Record& reply, CompilerLog& log, const Request& request) {
  if (has_errors(log.diagnostics)) return std::move(log.diagnostics);
  for (const Resources& resources : log.resources)
    if (resources.static_shared_bytes > kMaxStaticSharedBytes)
      return {error_at({request.file_name},
                       fmt::format("{} declares {} bytes of static shared memory; the limit is {}. Make its __shared__ "
                                   "arrays smaller.",
                                   resources.entry, resources.static_shared_bytes, kMaxStaticSharedBytes))};
  if (Diagnostics problems = too_many_constants(reply, request); !problems.empty()) return problems;
  return {error_at({request.file_name}, fmt::format("{0} failed and gave no reason but {1}; change the source, or use "
                                                    "another {0}.",
                                                    compiler_of(reply), field(reply, "result_text")))};
}

Result<Output> output_of(Record& reply, CompilerLog log, const Request& request, Origin origin) {
  if (field(reply, "result") != "0") return errors_of(reply, log, request);
  if (field(reply, "ptx").empty())
    return error_at(
        {request.file_name},
        fmt::format("{} gave no PTX, or more than 16 MiB of it; make the kernel smaller.", compiler_of(reply)));
  // clang does not assemble it.
  if (Diagnostics problems = too_many_constants(reply, request); !problems.empty()) return problems;
  Output output;
  output.ptx = std::move(reply["ptx"]);
  const std::string_view cubin = field(reply, "cubin");
  output.cubin.assign(cubin.begin(), cubin.end());
  output.log = std::move(reply["log"]);
  output.resources = std::move(log.resources);
  output.warnings = std::move(log.diagnostics);
  output.arch = request.arch;
  output.compiler = compiler_of(reply);
  output.version = field(reply, "version");
  output.compile_seconds = std::atof(std::string(field(reply, "seconds")).c_str());
  output.origin = origin;
  const std::vector<std::string> names = lines_of(field(reply, "names"));
  for (size_t i = 0; i < std::min(names.size(), request.instances.size()); ++i)
    output.names.emplace_back(request.instances[i], names[i]);
  return output;
}

CompilerLog log_of(const Record& reply, const Request& request) {
  if (compiler_of(reply) == "clang") return read_clang_log(field(reply, "log"), request);
  return read_log(field(reply, "log"), field(reply, "ptx"), request);
}

Result<Output> read_reply(Record& reply, const Request& request, Origin origin) {
  return output_of(reply, log_of(reply, request), request, origin);
}

Result<Output> from_prebuilt(const Settings& settings, const Request& request, const Diagnostics& why) {
  auto reply = find_prebuilt(settings.prebuilt_folder, request, why.empty() ? Message() : sentence_of(why.front()));
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

const Resources* find_resources(const Output& output, std::string_view entry) {
  const auto found = std::find_if(output.resources.begin(), output.resources.end(),
                                  [&](const Resources& resources) { return resources.entry == entry; });
  return found == output.resources.end() ? nullptr : &*found;
}

std::string_view to_string(Choice choice) {
  switch (choice) {
    case Choice::Automatic: return "automatic";
    case Choice::Nvrtc: return "nvrtc";
    case Choice::Prebuilt: return "prebuilt";
    case Choice::Clang: return "clang";
    case Choice::Nvcc: return "nvcc";
  }
  return {};
}

std::optional<Choice> parse_choice(std::string_view text) {
  if (text == "nvrtc") return Choice::Nvrtc;
  if (text == "prebuilt") return Choice::Prebuilt;
  if (text == "clang") return Choice::Clang;
  if (text == "nvcc") return Choice::Nvcc;
  return std::nullopt;
}

Compiler::Compiler(Settings settings) : settings_(std::move(settings)) {
  if (const char* chosen = std::getenv("TILESCOPE_COMPILER"); chosen && settings_.choice == Choice::Automatic)
    settings_.choice = parse_choice(chosen).value_or(Choice::Automatic);
  if (settings_.cache_folder.empty() && !cache_folder().empty()) settings_.cache_folder = cache_folder() / "compile";
  if (settings_.prebuilt_folder.empty()) settings_.prebuilt_folder = data_folder() / "assets" / "prebuilt";
  cache_ = std::make_unique<Cache>(settings_.cache_folder, settings_.cache_limit_bytes);
}

Compiler::~Compiler() = default;

std::vector<std::vector<Macro>> Compiler::shipped(const Request& request) const {
  return shipped_macros(settings_.prebuilt_folder, request);
}

Result<Compiler::ProcessPointer> Compiler::ready_process(const Patience& patience) {
  ProcessPointer process;
  {
    const std::lock_guard lock(mutex_);
    process = std::move(spare_);
  }
  // A spare that failed while it waited is replaced.
  if (process && process->is_running() && process->toolchain(patience)) return process;
  auto started = NvrtcProcess::start(settings_);
  if (!started) return started.errors();
  const auto toolchain = (*started)->toolchain(patience);
  if (!toolchain) return toolchain.errors();
  return std::move(*started);
}

void Compiler::keep_ready(ProcessPointer process) {
  const std::lock_guard lock(mutex_);
  if (!spare_) spare_ = std::move(process);
}

Result<Toolchain> Compiler::toolchain(const std::atomic<bool>* cancel) {
  const Patience patience{steady_clock::now() + settings_.wall_limit, cancel};
  auto process = ready_process(patience);
  if (!process) return process.errors();
  const auto toolchain = (*process)->toolchain(patience);
  keep_ready(std::move(*process));
  return toolchain;
}

Result<Toolchain> Compiler::known(std::optional<Toolchain>& kept, Find find, const Patience& patience) {
  {
    const std::lock_guard lock(mutex_);
    if (kept) return *kept;
  }
  auto found = find(settings_, patience);
  const std::lock_guard lock(mutex_);
  if (found) kept = *found;
  return found;
}

Result<Toolchain> Compiler::nvcc(const std::atomic<bool>* cancel) {
  return known(nvcc_, examine_nvcc, {steady_clock::now() + settings_.wall_limit, cancel});
}

Result<Toolchain> Compiler::clang(const std::atomic<bool>* cancel) {
  return known(clang_, find_clang, {steady_clock::now() + settings_.wall_limit, cancel});
}

Choice Compiler::chosen_by(Choice by) const { return by == Choice::Automatic ? settings_.choice : by; }

bool Compiler::tries_nvcc(Choice by, bool is_users) const {
  return chosen_by(by) == Choice::Nvcc || (chosen_by(by) == Choice::Automatic && is_users);
}

Result<Output> Compiler::compile(const Request& request, const std::atomic<bool>* cancel) {
  if (Diagnostics wrong = check_request(request); !wrong.empty()) return wrong;
  const Choice chosen = chosen_by(request.by);
  const auto patience = [&] { return Patience{steady_clock::now() + settings_.wall_limit, cancel}; };
  if (!tries_nvcc(request.by, request.is_users)) return compile_without_nvcc(request, chosen, patience());
  const bool must = chosen == Choice::Nvcc;
  const auto found = nvcc(cancel);
  if (cancel && *cancel) return cancelled();
  Result<Output> output = found ? compile_with(*found, compile_by_nvcc, request, patience()) : found.errors();
  if (output || must || (cancel && *cancel)) return output;
  auto other = compile_without_nvcc(request, chosen, patience());
  if (!other) return found ? output : other;
  other->instead_of_nvcc = other->compiler == "NVRTC";
  if (!found) return other;
  const Diagnostic& first = output.errors().front();
  other->warnings.insert(other->warnings.begin(), {Severity::Warning, first.at,
                                                   Message("nvcc does not take this file, {} does. nvcc says: {}",
                                                           other->compiler, sentence_of(first)),
                                                   first.source_line});
  return other;
}

Result<Output> Compiler::compile_without_nvcc(const Request& request, Choice chosen, const Patience& patience) {
  const std::atomic<bool>* cancel = patience.cancel;
  const auto may = [&](Choice choice) { return chosen == Choice::Automatic || chosen == choice; };
  Diagnostics why;
  if (may(Choice::Nvrtc)) {
    auto process = ready_process(patience);
    if (cancel && *cancel) return cancelled();
    if (process) return compile_with(std::move(*process), request, patience);
    why = process.errors();
  }
  if (may(Choice::Prebuilt)) {
    auto prebuilt = from_prebuilt(settings_, request, why);
    if (prebuilt) return prebuilt;
    why = prebuilt.errors();
  }
  if (may(Choice::Clang)) {
    const auto found = known(clang_, find_clang, patience);
    if (cancel && *cancel) return cancelled();
    if (found) return compile_with(*found, compile_by_clang, request, patience);
    for (Diagnostic problem : found.errors()) {
      if (!why.empty()) problem.severity = Severity::Note;
      why.push_back(std::move(problem));
    }
  }
  return why;
}

Result<Output> Compiler::compile_with(ProcessPointer process, const Request& request, const Patience& patience) {
  const Toolchain toolchain = *process->toolchain(patience);
  const std::string hash = cache_hash(request, toolchain);
  Diagnostics wrong = check_architecture(request, toolchain);
  auto kept = wrong.empty() ? cache_->find(hash) : std::nullopt;
  if (kept || !wrong.empty()) {
    keep_ready(std::move(process));
    return kept ? read_reply(*kept, request, Origin::Cache) : Result<Output>(std::move(wrong));
  }
  auto reply = process->compile(request, patience);
  if (auto next = NvrtcProcess::start(settings_)) keep_ready(std::move(*next));
  if (!reply) return reply.errors();
  (*reply)["version"] = toolchain.version;
  return finish(*reply, hash, request, toolchain);
}

Result<Output> Compiler::compile_with(const Toolchain& program, Compile by, const Request& request,
                                      const Patience& patience) {
  const std::string hash = cache_hash(request, program);
  if (auto kept = cache_->find(hash)) return read_reply(*kept, request, Origin::Cache);
  auto reply = by(request, program, settings_, patience);
  if (!reply) return reply.errors();
  (*reply)["version"] = program.version;
  return finish(*reply, hash, request, program);
}

Result<Output> Compiler::finish(Record& reply, const std::string& hash, const Request& request,
                                const Toolchain& toolchain) {
  CompilerLog log = log_of(reply, request);
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
