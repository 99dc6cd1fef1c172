// Which instructions compute what a warp's course depends on: where it goes and which memory it accesses. An analysis
// of what is live, from the end of the code to its start.

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>
#include <vector>

#include "machine/step.h"

namespace tilescope::machine {
namespace {

using sass::Field;
using sass::Opcode;
using sass::Pipe;

constexpr uint32_t kRegisters = 256, kUniforms = 64;
// Of registers the lower halves come first.
constexpr uint32_t kUppersAt = kRegisters, kUniformsAt = kUppersAt + kRegisters,
                   kPredicatesAt = kUniformsAt + kUniforms;
/// Halves of registers, uniform registers, predicates.
using Values = std::bitset<kPredicatesAt + kPredicates>;

/// What one instruction reads and writes.
struct Effects {
  Values always;                  ///< Read in any case: addresses, and by what does more than compute.
  Values sources;                 ///< Read for the results.
  Values results;                 ///< Written.
  Values replaced;                ///< Of these what loses its former value for sure.
  uint8_t loads = 0, stores = 0;  ///< Spaces, as bits.
};

uint8_t spaces_of(Space space) {
  constexpr uint8_t kGlobal = 1, kShared = 2, kLocal = 4;
  switch (space) {
    case Space::Global: return kGlobal;
    case Space::Shared: return kShared;
    case Space::Local: return kLocal;
    case Space::Generic: return kGlobal | kShared | kLocal;
    default: return 0;
  }
}

bool is_tensor_product(const sass::Instruction& in) {
  return in.pipe == Pipe::Tensor || in.opcode == Opcode::HGMMA || in.opcode == Opcode::HGMMA_R;
}

/// Whether it does nothing but write its results.
bool only_computes(const Step& step) {
  const sass::Instruction& in = *step.in;
  if (step.flow != Flow::Next) return false;
  switch (in.pipe) {
    case Pipe::Uniform: return in.opcode != Opcode::UCGABAR_ARV;
    case Pipe::Memory: return in.opcode == Opcode::SHFL || in.opcode == Opcode::QSPC;
    case Pipe::Branch: return in.opcode == Opcode::ELECT;
    case Pipe::Constant:  // LDC says how many addresses its lanes have.
    case Pipe::Copy: return false;
    default: return true;
  }
}

bool is_unguarded(const Step& step) { return step.guard == sass::kTrue && step.guard_flip == 0; }

void add(Values& values, const sass::Operand& operand, uint32_t words) {
  const bool is_named =
      operand.kind == sass::Operand::Kind::Constant && (operand.bindless || operand.indexed_by_uniform);
  const bool is_index = operand.kind == sass::Operand::Kind::Constant && !is_named;
  for (uint32_t w = 0; w < words; ++w) {
    if ((operand.is_register() || is_index) && operand.index + w < sass::kZeroRegister)
      values.set(operand.index + w).set(kUppersAt + operand.index + w);
    if ((operand.is_uniform() || is_named) && operand.index + w < sass::kZeroUniform)
      values.set(kUniformsAt + operand.index + w);
  }
}
void add(Values& values, uint8_t predicate) {
  if (predicate % kUniformPredicates != sass::kTrue && predicate != kLostPredicate)
    values.set(kPredicatesAt + predicate);
}
void add(Values& values, const sass::Address& address) {
  constexpr uint32_t kMostWords = 8;  // Of a copy of a box: where it goes, its mbarrier, its corner.
  if (!address.present && !address.has_uniform) return;
  add(values, {.kind = sass::Operand::Kind::Register, .index = address.base}, address.wide ? 2 : 1);
  if (address.has_uniform) add(values, {.kind = sass::Operand::Kind::Uniform, .index = address.uniform}, kMostWords);
}

constexpr uint8_t kOf64Bits = 3;  // A type of numbers in conversions.
uint32_t words_of(const Step& step) { return std::max(1, step.bytes / 4); }

/// Registers that a source is, or more.
uint32_t source_words(const Step& step, bool is_sum) {
  const sass::Instruction& in = *step.in;
  switch (in.opcode) {
    case Opcode::IMAD_WIDE:
    case Opcode::UIMAD_WIDE:
    case Opcode::IMAD_HI: return is_sum ? 2 : 1;
    case Opcode::F2I:
    case Opcode::F2F:
    case Opcode::FRND:
    case Opcode::I2F: return in[Field::SourceType] == kOf64Bits ? 2 : 1;
    case Opcode::UIADD3_64:
    case Opcode::MATCH:
    case Opcode::CALL_ABS:
    case Opcode::SYNCS_EXCH:
    case Opcode::UTMALDG: return 2;
    case Opcode::STSM: return 1u << in[Field::Size];
    default: return in.numbers == sass::Numbers::Doubles ? 2 : words_of(step);
  }
}

/// Registers that are written.
uint32_t result_words(const Step& step) {
  const sass::Instruction& in = *step.in;
  switch (in.opcode) {
    case Opcode::IMAD_WIDE:
    case Opcode::UIMAD_WIDE:
    case Opcode::UIADD3_64:
    case Opcode::SYNCS_EXCH:
    case Opcode::LEPC:
    case Opcode::LEPC_OWN: return 2;
    case Opcode::CS2R: return 1 + in[Field::Size];
    case Opcode::LDSM: return 1u << in[Field::Size];
    case Opcode::LDC:
    case Opcode::ULDC: return in[Field::Size] < 5 ? 1 : in[Field::Size] == 5 ? 2 : 4;
    case Opcode::F2I: return in[Field::Size] == kOf64Bits ? 2 : 1;
    case Opcode::F2F:
    case Opcode::FRND:
    case Opcode::I2F: return in[Field::Type] == kOf64Bits ? 2 : 1;
    default: return in.numbers == sass::Numbers::Doubles ? 2 : words_of(step);
  }
}

/// Whether of its first source it reads the lower half alone: it is and-ed with a number that has no more bits.
bool reads_lower_half(const sass::Instruction& in) {
  constexpr uint32_t kAnd = 0xc0;
  const bool is_and = in.opcode == Opcode::LOP3 && in.immediate0 == kAnd && !in.p1.present;
  return is_and && in.a.is_register() && in.b.kind == sass::Operand::Kind::Immediate && in.b.bits <= 0xffff;
}

/// Of a PRMT whose bytes are named: what it reads for these parts of its result.
Values permuted(const sass::Instruction& in, const Values& results) {
  Values read;
  for (uint32_t byte = 0; byte < 4; ++byte) {
    if (!results[in.d.index + (byte < 2 ? 0 : kUppersAt)]) continue;
    const uint32_t from = in.b.bits >> 4 * byte & 7;
    const sass::Operand& source = from < 4 ? in.a : in.c;
    if (source.is_register() && source.index != sass::kZeroRegister)
      read.set(source.index + (from % 4 < 2 ? 0 : kUppersAt));
    else
      add(read, source, 1);
  }
  return read;
}
bool names_bytes(const sass::Instruction& in) {
  return in.opcode == Opcode::PRMT && in[Field::Mode] == 0 && in.b.kind == sass::Operand::Kind::Immediate &&
         in.d.is_register() && in.d.index != sass::kZeroRegister;
}

Effects effects_of(const Step& step) {
  const sass::Instruction& in = *step.in;
  Effects effects;
  if (is_tensor_product(in)) return effects;  // Is never computed where this is asked.
  const bool accesses = step.space != Space::None || in.opcode == Opcode::LDSM || in.opcode == Opcode::STSM;
  if (accesses) {
    const uint8_t spaces = step.space == Space::None ? spaces_of(Space::Shared) : spaces_of(step.space);
    if (in.d.kind != sass::Operand::Kind::None) effects.loads = spaces;
    if (in.d.kind == sass::Operand::Kind::None || step.kind == AccessKind::Atomic) effects.stores = spaces;
    if (in.opcode == Opcode::LDGSTS) effects.loads = spaces, effects.stores = spaces_of(Space::Shared);
  } else if (in.opcode == Opcode::UTMALDG || in.opcode == Opcode::UTMASTG || in.opcode == Opcode::UBLKCP) {
    const bool to_shared = in.opcode == Opcode::UTMALDG || in[Field::Order] == kCopyToShared;
    effects.loads = spaces_of(to_shared ? Space::Global : Space::Shared);
    effects.stores = spaces_of(to_shared ? Space::Shared : Space::Global);
  }
  Values& read = accesses || step.only_computes ? effects.sources : effects.always;
  const sass::Operand* const sources[] = {&in.a, &in.b, &in.c};
  for (const sass::Operand* source : sources) add(read, *source, source_words(step, source == &in.c));
  if (reads_lower_half(in)) read.reset(kUppersAt + in.a.index);
  for (const uint8_t predicate : {step.q0, step.q1, step.q2})
    add(in.opcode == Opcode::LDGSTS ? effects.always : read, predicate);
  add(effects.always, in.from);
  add(step.only_computes ? effects.sources : effects.always, in.address);

  const uint32_t words = result_words(step);
  add(effects.results, in.d, words);
  for (const uint8_t predicate : {step.p0, step.p1}) add(effects.results, predicate);
  if (!in.uniform && step.kind == AccessKind::Load) {
    if (in.d.is_register()) add(effects.replaced, in.d, words);
    for (const uint8_t predicate : {step.p0, step.p1})
      if (predicate < kUniformPredicates) add(effects.replaced, predicate);
  }
  for (uint8_t p = 0; p < sass::kTrue; ++p) {
    if (in.opcode == Opcode::P2R) add(effects.sources, p);
    if (in.opcode == Opcode::R2P) add(effects.results, p);
  }
  return effects;
}

/// Uniform registers and predicates are the warp's: paths that have diverged see each other's.
Values of_warp(const Values& values) {
  static const Values kOfWarp = [] {
    Values of_warp;
    for (uint32_t i = kUniformsAt; i < kPredicatesAt; ++i) of_warp.set(i);
    for (uint32_t i = kUniformPredicates; i < kPredicates; ++i) of_warp.set(kPredicatesAt + i);
    return of_warp;
  }();
  return values & kOfWarp;
}

/// Of a branch or an EXIT.
bool is_unconditional(const Step& step) { return is_unguarded(step) && step.q0 == sass::kTrue && step.q0_flip == 0; }
bool exits(const Step& step) { return step.flow == Flow::Exit && is_unconditional(step); }

/// What is live at a place. `under`: only in lanes in which that predicate is false, or, behind these, true; it has not
/// been written since.
struct Live {
  Values always;
  std::array<Values, 2 * sass::kTrue> under;

  /// What is live in lanes in which the guard holds.
  Values where(const Step& step) const {
    Values all = always;
    for (size_t i = 0; i < under.size(); ++i)
      if (i != opposite(step)) all |= under[i];
    return all;
  }
  /// Nothing depends on the predicate any longer.
  void forget(size_t predicate) {
    for (Values* values : {&under[predicate], &under[sass::kTrue + predicate]}) always |= std::exchange(*values, {});
  }
  void remove(const Step& step, const Values& values) {
    if (is_unguarded(step)) always &= ~values;
    for (size_t i = 0; i < under.size(); ++i)
      if (is_unguarded(step) || i == place(step)) under[i] &= ~values;
  }
  /// Values that the step reads where its guard holds.
  void add(const Step& step, const Values& values) {
    (place(step) < under.size() ? under[place(step)] : always) |= values;
  }

 private:
  /// Behind the end where the guard is true, or uniform.
  static size_t place(const Step& step) {
    return step.guard < sass::kTrue ? step.guard + (step.guard_flip ? 0u : sass::kTrue) : 2 * sass::kTrue;
  }
  static size_t opposite(const Step& step) {
    return step.guard < sass::kTrue ? step.guard + (step.guard_flip ? sass::kTrue : 0u) : 2 * sass::kTrue;
  }
};

class Liveness {
 public:
  explicit Liveness(Program::Impl& program)
      : program_(program), steps_(program.steps), before_(steps_.size() + 1), ends_(steps_.size()) {
    for (size_t pc = 0; pc < steps_.size(); ++pc) {
      const Step& step = steps_[pc];
      effects_.push_back(effects_of(step));
      const bool has_target =
          step.flow == Flow::Branch || step.flow == Flow::BranchDivergent || step.flow == Flow::Call;
      if (has_target && step.target > 0 && step.target <= steps_.size()) ends_[step.target - 1] = true;
      ends_[pc] =
          ends_[pc] || has_target || step.flow == Flow::Return || step.flow == Flow::BranchIndexed || exits(step);
    }
    while (look_at_all()) {
    }
    program.needs_contents = live_spaces_ & spaces_of(Space::Global);
    program.changes_contents = false;
    for (size_t pc = 0; pc < steps_.size(); ++pc)
      program.changes_contents |= steps_[pc].needed && (effects_[pc].stores & spaces_of(Space::Global)) != 0;
  }

 private:
  /// Behind the last step of a basic block.
  Values after(size_t pc) const {
    const Step& step = steps_[pc];
    const auto at = [&](size_t next) -> const Values& { return before_[std::min(next, steps_.size())]; };
    switch (step.flow) {
      case Flow::Return:
      case Flow::BranchIndexed: return ~Values();  // Anywhere.
      case Flow::Exit: return exits(step) ? Values() : at(pc + 1);
      case Flow::Branch:
        if (step.polls) return at(pc + 1);
        return is_unconditional(step) ? at(step.target) : at(step.target) | at(pc + 1);
      case Flow::BranchDivergent:
      case Flow::Call: return at(step.target) | at(pc + 1);
      default: return at(pc + 1);
    }
  }
  /// From the end to the start. Whether more is live than was known.
  bool look_at_all() {
    const Values of_warp_before = of_warp_;
    const uint8_t spaces_before = live_spaces_;
    bool more = false;
    Live live;
    for (size_t pc = steps_.size(); pc-- > 0;) {
      Step& step = steps_[pc];
      const Effects& effects = effects_[pc];
      if (ends_[pc]) live = {after(pc), {}};
      const Values wanted = effects.results & (live.where(step) | of_warp_);
      step.needed = wanted.any() || (effects.stores & live_spaces_) != 0;
      const bool is_global_atomic =
          step.kind == AccessKind::Atomic && (spaces_of(step.space) & spaces_of(Space::Global));
      program_.needs_updates |= wanted.any() && is_global_atomic;
      live.remove(step, effects.replaced);
      for (size_t p = 0; p < sass::kTrue; ++p)
        if (effects.results[kPredicatesAt + p]) live.forget(p);
      live.add(step, effects.always);
      if (step.needed) live.add(step, names_bytes(*step.in) ? permuted(*step.in, wanted) : effects.sources);
      if (step.needed || !step.only_computes) add(live.always, step.guard);
      if (step.needed) live_spaces_ |= effects.loads;
      const Values before = live.where({});
      of_warp_ |= of_warp(before);
      more |= std::exchange(before_[pc], before) != before;
    }
    return more || of_warp_ != of_warp_before || live_spaces_ != spaces_before;
  }

  Program::Impl& program_;
  std::vector<Step>& steps_;
  std::vector<Effects> effects_;
  std::vector<Values> before_;  // By pc, what is live there; behind the end nothing.
  std::vector<bool> ends_;      // Whether a basic block does behind it.
  Values of_warp_;              // What is live anywhere.
  uint8_t live_spaces_ = 0;
};

}  // namespace

void find_needed(Program::Impl& program) {
  for (Step& step : program.steps) step.only_computes = only_computes(step);
  Liveness{program};
  uint32_t passable = 0;
  for (size_t pc = program.steps.size(); pc-- > 0;) {
    Step& step = program.steps[pc];
    const bool is_inside = step.space == Space::Shared || step.space == Space::Local;
    passable = !step.needed && (step.only_computes || is_inside) ? passable + 1 : 0;
    step.passable = passable;
  }
}

}  // namespace tilescope::machine
