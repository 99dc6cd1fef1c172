#pragma once

namespace tilescope {

/// A kernel of one block of 64 threads whose store on line 5 races with the loads on lines 6 and 7: each thread stores
/// a word of `words` and loads that of a thread of the other warp, twice.
inline constexpr char kTwoRaces[] = R"(.version 8.0
.target sm_75
.address_size 64
.file 1 "two_races.cu"
.visible .entry two_races(.param .u64 words)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [words];
  mov.u32 %r1, %tid.x;
  xor.b32 %r2, %r1, 32;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd5, %rd1, %rd4;
  .loc 1 5 0
  st.global.u32 [%rd3], %r1;
  .loc 1 6 0
  ld.global.u32 %r3, [%rd5];
  .loc 1 7 0
  ld.global.u32 %r4, [%rd5];
  ret;
}
)";

}  // namespace tilescope
