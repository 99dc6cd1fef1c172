#pragma once

#include <memory>
#include <optional>

#include "base/process.h"
#include "compile/compile.h"
#include "compile/record.h"

namespace tilescope::compile {

/// One process of tilescope-nvrtc, which compiles one request.
class NvrtcProcess {
 public:
  /// Starts the process and does not wait for it.
  static Result<std::unique_ptr<NvrtcProcess>> start(const Settings& settings);

  bool is_running() const { return process_.is_running(); }

  /// The NVRTC that it loaded, or a sentence that says why none. Waits the first time.
  Result<Toolchain> toolchain(const Patience& patience);

  /// NVRTC's reply: the fields of compile_program(). Afterwards the process cannot be used again. An error if it was
  /// stopped, ran out of memory or crashed. Only after toolchain() succeeded.
  Result<Record> compile(const Request& request, const Patience& patience);

 private:
  NvrtcProcess(ChildProcess process, const Settings& settings) : process_(std::move(process)), settings_(settings) {}

  Transfer receive(std::optional<Record>& record, const Patience& patience);
  Diagnostic explain(Transfer failure);
  Diagnostic explain_exit();

  ChildProcess process_;
  Settings settings_;
  std::optional<Toolchain> toolchain_;
};

/// The error of a compile that needs more than the limit.
Message out_of_memory(const Settings& settings);

/// The path of a program that comes with this one: beside Settings::program or the running one, or in ../bin.
std::filesystem::path find_program(const Settings& settings, const std::string& name);

/// Why a compiler's process that ended like this gave nothing: a limit, a crash, a cancel; nothing when it came to its
/// end. `compiler` is "NVRTC" or "clang".
std::optional<Diagnostic> problem_of_exit(const Exit& exit, std::string_view compiler, const Settings& settings,
                                          const Patience& patience);

/// The error of a cancelled compile.
Diagnostic cancelled();

}  // namespace tilescope::compile
