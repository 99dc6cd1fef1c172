#pragma once

#include "emulator/handler.h"
#include "ptx/opcode_table.h"

/// How the lanes of a warp share out the matrices that the tensor cores multiply.
namespace tilescope::emulator {

/// The places of the fragments of mma and wmma instructions; see FragmentPlaces. mma: PTX ISA, "Matrix Fragments for
/// mma.m16n8k4", "k8", "k16". wmma: PTX leaves them open; as GPUs from compute capability 8.0 on have them, which is
/// tiles of m16n8 one after another, and for m8n32 those of the transposed product.
FragmentPlaces fragment_places(const ptx::Instruction& instruction);

/// The element of a factor or a sum that is part `part` of a register. TF32 is what the upper 19 bits of a register
/// say; the tensor cores do not look at the others.
double fragment_element(ptx::Type type, uint32_t word, uint32_t part);

}  // namespace tilescope::emulator
