#include "view/array_ink.h"

namespace tilescope::view {
namespace {

Ink ink_of_letter(char letter) {
  return letter == 'A' ? Ink::ArrayA : letter == 'B' ? Ink::ArrayB : letter == 'C' ? Ink::ArrayC : Ink::ArrayOther;
}

}  // namespace

Ink array_ink(std::string_view name) {
  if (name.empty()) return Ink::ArrayOther;
  const Ink by_first = ink_of_letter(name.front());
  return by_first != Ink::ArrayOther ? by_first : ink_of_letter(name.back());
}

Ink array_ink(const run::TracedArray& array) {
  switch (array.side) {
    case run::Side::A: return Ink::ArrayA;
    case run::Side::B: return Ink::ArrayB;
    case run::Side::C: return Ink::ArrayC;
    case run::Side::None: return array_ink(array.allocation.name);
  }
  return Ink::ArrayOther;
}

ArrayInks array_inks(const run::TracedBlock& traced) {
  ArrayInks inks;
  for (const run::TracedArray& array : traced.accesses.arrays()) inks.emplace(array.allocation.name, array_ink(array));
  return inks;
}

}  // namespace tilescope::view
