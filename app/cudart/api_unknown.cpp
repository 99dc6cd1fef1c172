/// Functions that the stand-in lacks, and other names of those it has.
#include "cudart/api.h"
#include "cudart/runtime.h"

#define CUDART_UNKNOWN(name) \
  CUDART_API name() { return tilescope::cudart::not_answered(#name); }
#include "cudart/unknown.def"
#undef CUDART_UNKNOWN

char tilescope_default_stream_is_of_the_thread = 0;

// The other name is in this library, so a jump keeps all arguments.
#define CUDART_SAME(name, other)                                 \
  extern "C" int other();                                        \
  __asm__(".globl " #name "\n.type " #name ", @function\n" #name \
          ": movb $1, tilescope_default_stream_is_of_the_thread(%rip)\n jmp " #other "@PLT\n");
#include "cudart/per_thread.def"
#undef CUDART_SAME
