#include "ptx/shared_elements.h"

#include <map>

#include "text.h"

namespace tilescope::ptx {
namespace {

/// The elements of the kernel's shared variables by name.
std::map<std::string, std::string> elements_of(const std::string& statements) {
  const Module module = module_of(kernel_text(
      ".shared .align 16 .b8 a[256]; .shared .align 16 .b8 b[256]; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;"
      ".reg .b16 %h<9>;\n" +
      statements));
  std::map<std::string, std::string> elements;
  for (const auto& [variable, element] : shared_elements(module, module.functions.at(0)))
    elements[variable->name] = to_string(element);
  return elements;
}
using Elements = std::map<std::string, std::string>;

TEST(SharedElements, AreThoseOfTheAccesses) {
  EXPECT_EQ(elements_of("mov.u32 %r0, a; add.u32 %r1, %r0, 4; st.shared.f32 [%r1+8], %f0; ld.shared.v4.f32 {%f1, %f2, "
                        "%f3, %f4}, [a]; ld.shared.u16 %h0, [b+2];"),
            (Elements{{"a", "f32"}, {"b", "u16"}}));
  EXPECT_EQ(elements_of("mov.u64 %rd0, a; cvta.shared.u64 %rd1, %rd0; st.u64 [%rd1], %rd2;"), (Elements{{"a", "u64"}}))
      << "through a generic address";
}

TEST(SharedElements, AFloatIsToldByAnyAccessOfItsWidth) {
  EXPECT_EQ(elements_of("ld.shared.b32 %r0, [a]; ld.shared.f32 %f0, [a]; ld.shared.s32 %r1, [a];"),
            (Elements{{"a", "f32"}}));
}

TEST(SharedElements, OfDifferentWidthsThereIsNone) {
  EXPECT_EQ(elements_of("ld.shared.b32 %r0, [a]; ld.shared.u8 %h0, [a]; ld.shared.b32 %r1, [b];"),
            (Elements{{"b", "u32"}}));
  EXPECT_EQ(elements_of("mov.u32 %r0, a;"), Elements{}) << "nor where nothing is accessed";
}

TEST(SharedElements, AnAddressMadeOnlyFurtherDownInTheTextCounts) {
  EXPECT_EQ(elements_of("bra enter; again: st.shared.f64 [%r0], 0d0; bra end; enter: mov.u32 %r1, b; add.u32 %r0, %r1, "
                        "8; bra again; end: ret;"),
            (Elements{{"b", "f64"}}));
}

}  // namespace
}  // namespace tilescope::ptx
