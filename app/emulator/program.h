#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/emulator.h"
#include "emulator/handler.h"
#include "emulator/register_rows.h"
#include "ptx/control_flow.h"
#include "ptx/module.h"

namespace tilescope::emulator {

/// Where generic addresses of the other spaces begin; global and const addresses are generic as they are.
constexpr uint64_t kSharedWindow = uint64_t{1} << 40;
constexpr uint64_t kLocalWindow = uint64_t{2} << 40;
constexpr uint64_t kParamWindow = uint64_t{3} << 40;
constexpr uint64_t kWindowBytes = uint64_t{1} << 32;

/// A row of the register file that is read but never written: filled once per block.
struct ConstantRow {
  enum class Kind : uint8_t { Bits, Special, Parameter, ModuleVariable };
  Kind kind = Kind::Bits;
  uint32_t offset = 0;  ///< In the file.
  uint8_t lane_size = 4;
  uint64_t bits = 0;  ///< Bits: the value. ModuleVariable: offset from its address.
  ptx::Special special = ptx::Special::Tid;
  uint8_t component = 0;
  uint32_t parameter_offset = 0;
  uint8_t parameter_bytes = 0;
  bool sign_extend = false;
  int32_t variable = -1;  ///< ModuleVariable: index into the module's variables.
};

/// Where a register's lanes are. Predicates have lane_size 0: one 32-bit mask.
struct RegisterRow {
  uint32_t offset = 0;
  uint8_t lane_size = 4;
};

/// A straight run of instructions: entered at `first`; only `last` can branch or wait.
struct Segment {
  int32_t first = 0, last = 0;
  bool waits = false;  ///< Of a loop that does nothing but read again what other blocks may write.
};

struct Program::Impl {
  ptx::Module module;
  ptx::Function function;  ///< Flat.
  ptx::ControlFlow flow;
  std::vector<DecodedInstruction> code;
  std::vector<Segment> segments;
  std::vector<int32_t> segment_of;     ///< Of each pc that begins one; -1 elsewhere.
  std::vector<RegisterRow> registers;  ///< Some share a row.
  std::vector<ConstantRow> constants;
  std::vector<std::unique_ptr<uint32_t[]>> row_lists;
  std::vector<std::unique_ptr<BulkOperands>> bulk_operands;
  std::vector<std::unique_ptr<WideOperands>> wide_operands;
  std::vector<std::unique_ptr<ptx::FragmentPlaces>> fragments;
  uint32_t file_bytes = 0;
  uint32_t constants_begin = 0;  ///< Rows from here on are constants.
  RegisterUse use;
  std::vector<uint32_t> parameter_offsets;
  uint32_t parameter_bytes = 0;
  std::vector<Allocation> shared_arrays;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;                  ///< Of one thread.
  std::vector<uint64_t> variable_addresses;  ///< Of the function's variables and parameters, in their own space.
  bool blocks_interact = false;
  bool is_cooperative = false;
};

/// The address that place_module_variables() gave a global or const variable of the module.
uint64_t module_variable_address(const ptx::Module& module, const GlobalMemory& memory, int32_t variable);

}  // namespace tilescope::emulator
