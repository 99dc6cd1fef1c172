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

/// Integer registers as sums of constants and opaque values, modulo 2^32, as in addresses of shared memory.
namespace tilescope::analysis {

/// constant + the sum of coefficient * root. A root is a value with a number; below the number of registers it is that
/// register's value where the form was requested.
struct AddressForm {
  std::map<uint32_t, uint32_t> terms;  ///< Root to coefficient, which is not 0.
  uint32_t constant = 0;
  auto operator<=>(const AddressForm&) const = default;
};
AddressForm constant_form(uint32_t value);
AddressForm root_form(uint32_t root);
AddressForm plus(AddressForm a, const AddressForm& b);
AddressForm times(AddressForm a, uint32_t factor);

/// Facts of a function's registers that hold everywhere. `function` must outlive it.
class AddressFacts {
 public:
  AddressFacts(const ptx::Module& module, const ptx::Function& function, const std::vector<Allocation>& shared_arrays);

  const ptx::Function& function() const { return function_; }
  /// What a register holds at the start of a basic block: in terms of registers that are written once, or itself.
  const AddressForm& form(int32_t reg) const { return forms_[static_cast<size_t>(reg)]; }
  /// The same for an operand; nullopt for a register written in several places.
  std::optional<AddressForm> lasting_form(const ptx::Operand& operand) const;
  /// The value that an instruction writes; nullopt if that is not a sum of lasting values.
  std::optional<AddressForm> lasting_result(const ptx::Instruction& instruction) const;
  /// Low bits of a register, whichever instruction wrote it. Of one written in several places, such as a loop's
  /// pointer, ptxas knows what divides it and no remainder; so does this.
  LowBits low_bits(int32_t reg) const { return low_bits_[static_cast<size_t>(reg)]; }
  /// Offset in the block's window of the shared array that a variable is; nothing for other variables.
  std::optional<uint32_t> shared_offset(int32_t variable) const;

 private:
  void find_low_bits();
  bool improve_low_bits();  ///< False if nothing changed.
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
  /// `widens_sums`: mul.wide of a sum is the sum of the products. Not if the 32-bit sum may overflow, and ptxas
  /// does not assume it for the counter of a large loop that it unrolls.
  explicit AddressWalk(const AddressFacts& facts, bool widens_sums = true) : facts_(facts), widens_sums_(widens_sums) {}

  void step(const ptx::Instruction& instruction);
  void set(int32_t reg, AddressForm form) { written_[reg] = std::move(form); }
  /// Gives the register a value of which only this is known.
  void set_unknown(int32_t reg, LowBits low_bits);
  /// The current form of a register, an immediate, or a shared array's address; nullopt for other operands.
  std::optional<AddressForm> form(const ptx::Operand& operand) const;
  LowBits low_bits(const AddressForm& form) const;
  bool widens_sums() const { return widens_sums_; }

 private:
  const AddressFacts& facts_;
  bool widens_sums_;
  /// Results of instructions that are not sums: equal for equal operands.
  using Computation = std::tuple<ptx::Op, ptx::Type, ptx::Part, std::vector<AddressForm>>;
  std::optional<Computation> computation(const ptx::Instruction& instruction) const;

  std::map<int32_t, AddressForm> written_;  ///< Registers that the walk has written.
  std::map<Computation, AddressForm> computed_;
  std::vector<LowBits> new_roots_;  ///< Low bits of the roots from the number of registers on.
};

/// The registers that an instruction writes.
std::vector<int32_t> written_registers(const ptx::Instruction& instruction);

}  // namespace tilescope::analysis
