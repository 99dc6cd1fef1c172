#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a cubin, an ELF file, says about its kernels.
namespace tilescope::sass {

/// The section of that name; empty where there is none, or where the cubin is damaged.
std::span<const uint8_t> section(std::span<const uint8_t> cubin, std::string_view name);
/// The machine code of the kernel of that name.
std::span<const uint8_t> kernel_code(std::span<const uint8_t> cubin, std::string_view entry);

/// The number of the function's symbol; nothing where there is none.
std::optional<uint32_t> symbol_of(std::span<const uint8_t> cubin, std::string_view entry);
/// 90 of a cubin for sm_90 and sm_90a; 0 if it is not a cubin.
uint32_t architecture_of(std::span<const uint8_t> cubin);

/// A function that kernels have a copy of, and what a pointer to it holds: its place in a table in constant bank 2, or
/// in the code of the only kernel.
struct FunctionAddress {
  std::string name;
  uint64_t address = 0;
};
std::vector<FunctionAddress> function_addresses(std::span<const uint8_t> cubin);

/// The cubin without the text of its PTX, which -lineinfo puts into it and which is most of it.
std::vector<uint8_t> without_ptx_text(std::span<const uint8_t> cubin);

/// Where a parameter lies in constant bank 0, from the first on.
struct Parameter {
  uint32_t offset = 0, bytes = 0;
};

/// A variable of the module in a constant bank: its address, or what it holds.
struct VariableUse {
  std::string name;  ///< As in the PTX.
  bool is_address = false;
  uint32_t bank = 0, offset = 0;
  uint32_t bytes = 0;   ///< 8 of an address.
  uint64_t addend = 0;  ///< Of an address.
};

struct KernelFacts {
  uint32_t architecture = 0;  ///< 90
  uint32_t registers = 0;     ///< Per thread.
  uint32_t local_bytes = 0;   ///< Per thread.
  uint32_t static_shared_bytes = 0;
  uint32_t reserved_shared_bytes = 0;                  ///< What the system has at the start of a block's shared memory.
  uint32_t parameter_offset = 0, parameter_bytes = 0;  ///< In constant bank 0.
  std::vector<Parameter> parameters;                   ///< In the order of the kernel's.
  std::vector<std::vector<uint8_t>> banks;             ///< What the constant banks hold before a launch, by number,
  std::vector<VariableUse> variables;                  ///< but for these.
};

/// Of the kernel of that name; nothing where there is none.
std::optional<KernelFacts> read_kernel_facts(std::span<const uint8_t> cubin, std::string_view entry);

}  // namespace tilescope::sass
