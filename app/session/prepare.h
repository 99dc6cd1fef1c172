#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/finding.h"
#include "arch/arch.h"
#include "base/result.h"
#include "compile/compile.h"
#include "emulator/emulator.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"

namespace tilescope::session {

/// What to run.
struct Request {
  kernel::Kernel kernel;
  kernel::Settings settings;
  kernel::Size size{256, 256, 256};
  std::string arch = "sm_90";
  uint64_t seed = 1;                                   ///< Of the inputs.
  std::optional<std::pair<uint32_t, uint32_t>> block;  ///< Run and trace this block (x, y) alone.
  bool check = false;                                  ///< All four checkers instead of the two that cost nothing.
  uint64_t instruction_limit = 150'000'000;  ///< Estimated warp instructions beyond which sample blocks are run.
};

/// Two values of K, multiples of every tile's depth: what a block does at a long K is carried on from them in a straight
/// line.
constexpr int64_t kShortK = 128, kLongerK = 256;
/// The request for one block at that K, of a matrix no larger than a block needs.
Request first_block_at(Request request, int64_t k);

/// A kernel that can be launched. It depends on nothing that a launch changes.
struct Prepared {
  arch::Limits limits;
  kernel::Configuration configuration;
  compile::Output compiled;
  std::shared_ptr<const emulator::Program> program;
  std::optional<compile::Resources> resources;  ///< Of the entry; absent when ptxas did not run.
  uint64_t shared_bytes() const { return program->static_shared_bytes() + configuration.dynamic_shared_bytes; }
};

/// Settles the parameters, compiles, parses and binds the kernel, and checks it against the architecture's limits.
/// Each error names the broken limit with its numbers.
Result<Prepared> prepare(const Request& request, compile::Compiler& compiler,
                         const std::atomic<bool>* cancel = nullptr);

/// The limits that a kernel's configuration must keep on this architecture.
kernel::Limits configuration_limits(const arch::Limits& limits);

/// "As" for "_ZZ5sgemmE2As", "sgemm" for "_Z5sgemmPf": what the source calls it. A name that is not mangled stays.
std::string source_name(const std::string& ptx_name);

/// The name in PTX of the entry that the source calls `wanted`; of the only entry when `wanted` is empty. The error
/// names the entries there are.
Result<std::string> find_entry(const ptx::Module& module, const std::string& wanted);

}  // namespace tilescope::session
