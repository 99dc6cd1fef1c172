#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "analysis/finding.h"
#include "analysis/load_merge.h"
#include "analysis/machine_loop.h"
#include "analysis/machine_time.h"
#include "analysis/occupancy.h"
#include "arch/arch.h"
#include "base/result.h"
#include "compile/compile.h"
#include "emulator/emulator.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"

namespace tilescope::run {

/// What to launch.
struct Request {
  kernel::Kernel kernel;
  kernel::Settings settings;
  kernel::Size size{256, 256, 256};
  std::string arch = "sm_90";
  std::string device = "";  ///< Of several with the architecture; empty: the first.
  uint64_t seed = 1;  ///< Of the inputs.
  compile::Choice compiler = compile::Choice::Automatic;
};

/// Two requests with one key are one launch.
std::string key_of(const Request& request);

/// A kernel's text compiled with its macros, parsed and flattened. It depends on no size that is not a macro.
struct Build {
  compile::Output compiled;
  std::shared_ptr<const emulator::Program> program;
  std::shared_ptr<const analysis::MergePlan> merge_plan = nullptr;
  std::optional<compile::Resources> resources = std::nullopt;     ///< Of the entry; absent if ptxas did not run.
  std::optional<analysis::MachineLoop> loop = std::nullopt;       ///< Of the entry, if its machine code is known.
  std::optional<analysis::MachineKernel> machine = std::nullopt;  ///< Of the entry; absent without a cubin.
  std::shared_ptr<const Build> reference = nullptr;               ///< Of the reference kernel, if any.
  Message reference_problem = {};                                 ///< Why the one that is named is not built.
};
using BuildPointer = std::shared_ptr<const Build>;

/// A kernel that can be launched. It depends on nothing that a launch changes.
struct Prepared {
  Request request;
  arch::Limits limits;
  kernel::Configuration configuration;
  BuildPointer build;
  std::optional<analysis::Occupancy> occupancy = std::nullopt;  ///< Absent if ptxas did not run.
  std::optional<arch::Device> device = std::nullopt;            ///< The request's.
  std::shared_ptr<const Prepared> reference = nullptr;          ///< The reference kernel, or null.
  Message reference_problem = {};                               ///< Why the one that is named cannot be run.

  const emulator::Program& program() const { return *build->program; }
  const analysis::MachineKernel* machine() const { return build->machine ? &*build->machine : nullptr; }
  /// Whether its blocks wait for one another: the description says so, or the kernel has grid.sync().
  bool is_cooperative() const { return configuration.cooperative || program().is_cooperative(); }
  /// Whether they run side by side: these, and those of clusters.
  bool runs_together() const { return is_cooperative() || program().runs_together(); }
  uint64_t shared_bytes() const { return program().static_shared_bytes() + configuration.dynamic_shared_bytes; }
};
using PreparedPointer = std::shared_ptr<const Prepared>;

/// The configuration of a request under its architecture's limits; the errors name every broken constraint.
Result<kernel::Configuration> configure(const Request& request);

/// The request to the compiler.
compile::Request compile_request(const Request& request, const kernel::Configuration& configuration);

/// Compiles, parses (which verifies) and flattens.
Result<BuildPointer> build(const Request& request, const compile::Request& wanted, compile::Compiler& compiler,
                           const std::atomic<bool>* cancel = nullptr);

/// Checks a build against the architecture's limits. Each error names the broken limit with its numbers.
Result<PreparedPointer> prepare(const Request& request, kernel::Configuration configuration, BuildPointer build);

/// All of these steps in order.
Result<PreparedPointer> prepare(const Request& request, compile::Compiler& compiler,
                                const std::atomic<bool>* cancel = nullptr);

/// The same kernel at another size. It is built again only where its macros depend on the size.
Result<PreparedPointer> with_size(const Prepared& prepared, const kernel::Size& size, compile::Compiler& compiler,
                                  const std::atomic<bool>* cancel = nullptr);

/// The architecture's limits for a kernel's configuration.
kernel::Limits configuration_limits(const arch::Limits& limits);

/// "As" for "_ZZ5sgemmE2As", "sgemm" for "_Z5sgemmPf": the name in the source. A name that is not mangled is unchanged.
std::string source_name(const std::string& ptx_name);

/// "g<16>" for "_Z1gILi16EEvPf": distinguishes the instantiations of a template.
std::string instance_name(const std::string& ptx_name);

/// The name in PTX of the entry called `wanted` in the source; of the only entry if `wanted` is empty. The error lists
/// the entries.
Result<std::string> find_entry(const ptx::Module& module, const std::string& wanted);

}  // namespace tilescope::run
