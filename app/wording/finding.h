#pragma once

#include <string>

#include "analysis/finding.h"

namespace tilescope::wording {

/// What happened and how to fix it, in the reader's language: "As[0][0] is written by thread (0, 0) on line 4 and read
/// by thread (32, 0) on line 6 with no barrier between; put __syncthreads() between them."
std::string sentence(const analysis::Finding& finding);

/// What a kind of finding is, whatever the kernel: a sentence.
std::string meaning_of(analysis::FindingKind kind);

/// "As[3][17]", or "shared memory at 0x40" if no array holds it; empty if the finding is not about memory.
std::string element_of(const analysis::Finding& finding);
/// The same of any address of a launch.
std::string element_at(const analysis::LaunchFacts& facts, Space space, uint64_t address);

/// "thread (3, 0)"
std::string describe(const analysis::Thread& thread);
/// "thread (3, 0) of block (1, 2)"
std::string describe_with_block(const analysis::Thread& thread);
/// "on line 12"; without a CUDA line "at PTX line 40".
std::string on_line(const analysis::Site& site);

}  // namespace tilescope::wording
