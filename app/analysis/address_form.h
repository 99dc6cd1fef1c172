#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/low_bits.h"
#include "base/memory.h"
#include "ptx/module.h"

/// Integer registers as sums of constants and of values that are not looked into, modulo 2^32: what shared-memory
/// addresses are made of.
namespace tilescope::analysis {

/// constant + the sum of coefficient * root. A root is a value with a number; below the number of registers it is what
/// that register holds where the form was asked for.
struct AddressForm {
  std::map<uint32_t, uint32_t> terms;  ///< Root to coefficient, which is not 0.
  uint32_t constant = 0;
  auto operator<=>(const AddressForm&) const = default;
};
AddressForm constant_form(uint32_t value);
AddressForm root_form(uint32_t root);
AddressForm plus(AddressForm a, const AddressForm& b);
AddressForm times(AddressForm a, uint32_t factor);

/// What holds of a function's registers wherever it is. `function` must outlive it.
class AddressFacts {
 public:
  AddressFacts(const ptx::Module& module, const ptx::Function& function, const std::vector<Allocation>& shared_arrays);

  const ptx::Function& function() const { return function_; }
  /// What a register holds at the start of a basic block: in terms of registers that are written once, or itself.
  const AddressForm& form(int32_t reg) const { return forms_[static_cast<size_t>(reg)]; }
  /// The same for an operand; nothing for a register that is written in several places.
  std::optional<AddressForm> lasting_form(const ptx::Operand& operand) const;
  /// What an instruction writes; nothing when that is not a sum, or not of lasting values.
  std::optional<AddressForm> lasting_result(const ptx::Instruction& instruction) const;
  /// Low bits of a register, whichever instruction wrote it. Of one written in several places, such as a loop's
  /// pointer, ptxas knows what divides it and no remainder; so does this.
  LowBits low_bits(int32_t reg) const { return low_bits_[static_cast<size_t>(reg)]; }
  /// Offset in the block's window of the shared array that a variable is; nothing for other variables.
  std::optional<uint32_t> shared_offset(int32_t variable) const;

 private:
  void find_low_bits();
  bool improve_low_bits();  ///< False when nothing changed.
  void settle_forms();

  const ptx::Function& function_;
  std::vector<std::optional<uint32_t>> offsets_;
  std::vector<uint32_t> writes_;  ///< Instructions that write each register.
  std::vector<AddressForm> forms_;
  std::vector<bool> settled_;  ///< Registers written once, whose form lasts.
  std::vector<LowBits> low_bits_;
};

/// Follows registers through instructions in the order in which they run. `facts` must outlive it.
class AddressWalk {
 public:
  /// `widens_sums`: mul.wide of a sum is the sum of the products. It is not where the 32-bit sum may overflow, and
  /// ptxas does not take it so for the counter of a large loop that it writes out.
  explicit AddressWalk(const AddressFacts& facts, bool widens_sums = true) : facts_(facts), widens_sums_(widens_sums) {}

  void step(const ptx::Instruction& instruction);
  void set(int32_t reg, AddressForm form) { written_[reg] = std::move(form); }
  /// The register holds a value of which only this is known.
  void set_unknown(int32_t reg, LowBits low_bits);
  /// What a register, an immediate, or a shared array's address is now; nothing for other operands.
  std::optional<AddressForm> form(const ptx::Operand& operand) const;
  LowBits low_bits(const AddressForm& form) const;
  bool widens_sums() const { return widens_sums_; }

 private:
  const AddressFacts& facts_;
  bool widens_sums_;
  /// What an instruction that is not a sum computes: the same again from the same operands.
  using Computation = std::tuple<ptx::Op, ptx::Type, ptx::Part, std::vector<AddressForm>>;
  std::optional<Computation> computation(const ptx::Instruction& instruction) const;

  std::map<int32_t, AddressForm> written_;  ///< Registers that the walk has written.
  std::map<Computation, AddressForm> computed_;
  std::vector<LowBits> new_roots_;  ///< Low bits of the roots from the number of registers on.
};

/// The registers that an instruction writes.
std::vector<int32_t> written_registers(const ptx::Instruction& instruction);

}  // namespace tilescope::analysis
