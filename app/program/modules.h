#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/load_merge.h"
#include "analysis/machine_time.h"
#include "arch/arch.h"
#include "emulator/emulator.h"
#include "program/device_memory.h"
#include "program/fat_binary.h"
#include "program/usable_ptx.h"
#include "run/machine_code.h"

namespace tilescope::program {

struct LoadedModule;

/// A kernel of the program, ready to be launched.
struct LoadedKernel {
  std::string name;  ///< As in the source: "sgemm<64>"
  const LoadedModule* module = nullptr;
  std::shared_ptr<const emulator::Program> program;
  std::shared_ptr<const analysis::MergePlan> merge_plan;
  std::optional<analysis::MachineKernel> machine;  ///< If the program has a cubin for the emulated device.
  Result<run::MachineCode> machine_code = error(Message("The program has no machine code for this GPU."));
  std::vector<std::string> constants;   ///< __constant__ variables that it reads and that the source gives no value.
  std::optional<uint32_t> registers;    ///< Per thread; known if the program has a cubin for the emulated device.
  std::string file;                     ///< The CUDA source, where the PTX names it ...
  std::vector<std::string> source;      ///< ... its lines, where it can be read ...
  std::vector<std::string> parameters;  ///< ... and the names of the kernel's parameters in it; else empty.
};

/// A fat binary of the program with the PTX that is taken from it.
struct LoadedModule {
  std::vector<Image> images;
  Diagnostics problems;  ///< Why nothing of it can run; empty if no error is known.
  std::optional<UsablePtx> ptx;
  uint32_t capability = 0;  ///< Of the PTX.
  std::vector<Allocation> variables;
  std::map<std::string, uint32_t> registers;
  std::map<std::string, LoadedKernel, std::less<>> kernels;  ///< The requested ones, by the name in PTX.
};

/// The fat binaries that a program registered. Each is read at the first request for something in it.
class Modules {
 public:
  /// `memory` must outlive it.
  Modules(const arch::Limits& limits, DeviceMemory& memory) : limits_(limits), memory_(&memory) {}

  void add(uint32_t number, std::string bytes);
  /// Errors: no such kernel; no PTX in the fat binary; PTX that cannot be read or has an unknown instruction.
  /// `cluster`: instead of its own; 0 blocks for that.
  Result<const LoadedKernel*> kernel(uint32_t number, const std::string& name, Dim3 cluster = {0, 0, 0});
  /// Errors likewise.
  Result<Allocation> variable(uint32_t number, std::string_view name);

 private:
  Result<LoadedModule*> load(uint32_t number);
  Result<LoadedKernel> build(LoadedModule& module, const std::string& name, Dim3 cluster) const;

  arch::Limits limits_;
  DeviceMemory* memory_;
  struct Registered {
    std::string bytes;
    std::unique_ptr<LoadedModule> loaded;
  };
  std::map<uint32_t, Registered> registered_;
};

}  // namespace tilescope::program
