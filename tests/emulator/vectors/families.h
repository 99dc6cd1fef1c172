#pragma once

#include "vectors/lane.h"

namespace tilescope::vectors {

void add_integer_cases(Cases& cases);      ///< Section 9.7.1 and related ones: add to max on integers.
void add_extended_cases(Cases& cases);     ///< Chains through the carry bit.
void add_bit_cases(Cases& cases);          ///< popc to szext, dp4a, dp2a, prmt.
void add_logic_cases(Cases& cases);        ///< and to lop3, shifts.
void add_float_cases(Cases& cases);        ///< f32 and f64, correctly rounded.
void add_approximate_cases(Cases& cases);  ///< .approx and .full, within the document's bounds.
void add_half_cases(Cases& cases);         ///< f16, bf16 and their pairs.
void add_compare_cases(Cases& cases);      ///< set, setp, selp, slct, testp.
void add_convert_cases(Cases& cases);      ///< cvt
void add_move_cases(Cases& cases);         ///< mov, special registers, cvta, isspacep.
void add_warp_cases(Cases& cases);         ///< shfl, vote, match, redux, elect, activemask.
void add_memory_cases(Cases& cases);       ///< ld and st in every width, space and vector.
void add_atomic_cases(Cases& cases);       ///< atom and red.
/// The kernels of tests/emulator/ptx: control flow, barriers, matrices, asynchronous copies.
void add_programs(Cases& cases);

}  // namespace tilescope::vectors
