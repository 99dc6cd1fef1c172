#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline.h"
#include "analysis/warp_access.h"
#include "run/traced_block.h"
#include "session/hidden_facts.h"

namespace tilescope::view {

/// The number of the lowest set bit.
inline uint32_t lowest(uint32_t mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

using analysis::WarpAccess;

/// What the instruction at that moment accesses: nothing, one access, or the two sides of an asynchronous copy.
std::vector<WarpAccess> accesses_at(const run::TracedBlock& traced, const analysis::StepRef& at);

/// Two or more words that one bank delivers one after another.
struct BankMeeting {
  uint32_t bank = 0, group = 0;
  uint32_t lanes = 0;  ///< The lowest lane of each word.
};
/// The fullest bank of the first group with a conflict; lanes 0 without a conflict.
BankMeeting worst_meeting(const analysis::SharedPicture& picture);

/// Lanes served together: 32, 16 or 8; twice as many if lanes share addresses.
uint32_t lanes_of_group(const WarpAccess& access, const analysis::SharedPicture& picture);

/// What the instruction names, as array and indices: "Bs[3][0…127]", "A[0…31][0]", "Bs[0][0, 8 … 120]"; "48 elements in
/// As[0…31][0…7]" if the indices are not a rectangle.
std::string element_range(const run::TracedBlock& traced, const WarpAccess& access);

/// The words for one warp instruction.
struct InstructionWords {
  std::string opcode;    ///< "ld.shared.v4.f32"
  std::string elements;  ///< "Bs[3][0…127]"; empty without an access.
  std::string sentence;  ///< "8 wavefronts instead of 4: 2-way bank conflict of lanes 0 and 16 in bank 0"
  std::string merging;   ///< "one 128-bit load with its three neighbours, by ptxas"; usually empty.
  std::string lanes;     ///< "lanes 16 to 31 take no part"; empty if all 32 do.
};
/// `first_space`: for a copy, which of its two accesses comes first.
InstructionWords words_at(const run::TracedBlock& traced, const analysis::StepRef& at,
                          Space first_space = Space::Global);

/// The words without those that answer an open question.
InstructionWords redacted(InstructionWords words, const session::HiddenFacts& hidden);

/// The sentence of one access.
std::string sentence_of(const WarpAccess& access);

}  // namespace tilescope::view
