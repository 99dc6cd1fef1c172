#include "agent/helpers_image.h"

asm(R"(
  .section .rodata
  .balign 64
tilescope_helpers_image:
  .incbin ")" TILESCOPE_HELPERS_IMAGE R"("
  .byte 0
  .previous
)");

extern "C" const unsigned char tilescope_helpers_image[];

namespace tilescope::agent {

const void* helpers_image() { return tilescope_helpers_image; }

}  // namespace tilescope::agent
