#include <fmt/format.h>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

using reference::Round;
/// The new value from the old one and the operands.
using Update = std::function<uint64_t(uint64_t old, uint64_t b, uint64_t c)>;

constexpr uint32_t kAtomicThreads = 256;

struct AtomicForm {
  std::string op;  ///< "add", "add.noftz", "cas", ...
  Type type;
  Update update;
  Tolerance tolerance = {};
};

uint64_t minimum(Type type, uint64_t a, uint64_t b) {
  return reference::value_of(integer_of(type), a) < reference::value_of(integer_of(type), b) ? a : b;
}
uint64_t maximum(Type type, uint64_t a, uint64_t b) {
  return reference::value_of(integer_of(type), a) > reference::value_of(integer_of(type), b) ? a : b;
}

void append_integer_forms(std::vector<AtomicForm>& forms) {
  for (const Type type : {Type::U32, Type::S32, Type::U64}) {
    forms.push_back({"add", type, [](uint64_t old, uint64_t b, uint64_t) { return old + b; }});
  }
  for (const Type type : {Type::U32, Type::S32, Type::U64, Type::S64}) {
    forms.push_back({"min", type, [=](uint64_t old, uint64_t b, uint64_t) { return minimum(type, old, b); }});
    forms.push_back({"max", type, [=](uint64_t old, uint64_t b, uint64_t) { return maximum(type, old, b); }});
  }
  forms.push_back({"inc", Type::U32, [](uint64_t old, uint64_t b, uint64_t) { return old >= b ? 0 : old + 1; }});
  forms.push_back(
      {"dec", Type::U32, [](uint64_t old, uint64_t b, uint64_t) { return old == 0 || old > b ? b : old - 1; }});
  for (const Type type : {Type::B32, Type::B64}) {
    forms.push_back({"and", type, [](uint64_t old, uint64_t b, uint64_t) { return old & b; }});
    forms.push_back({"or", type, [](uint64_t old, uint64_t b, uint64_t) { return old | b; }});
    forms.push_back({"xor", type, [](uint64_t old, uint64_t b, uint64_t) { return old ^ b; }});
  }
}

/// f32 in global memory flushes subnormal numbers, in shared memory it does not.
void append_float_forms(std::vector<AtomicForm>& forms, bool global) {
  const Tolerance any_nan{Tolerance::Kind::BitsOrNan, 0};
  const auto flush = [global](uint64_t a) { return global ? reference::flush(reference::kF32, a) : a; };
  forms.push_back({"add", Type::F32,
                   [=](uint64_t old, uint64_t b, uint64_t) {
                     return flush(reference::add(reference::kF32, flush(old), flush(b), Round::Nearest));
                   },
                   any_nan});
  forms.push_back(
      {"add", Type::F64,
       [](uint64_t old, uint64_t b, uint64_t) { return reference::add(reference::kF64, old, b, Round::Nearest); },
       any_nan});
  for (const Type type : {Type::F16, Type::BF16, Type::F16x2, Type::BF16x2}) {
    const auto one = [=](uint64_t a, uint64_t b) { return reference::add(format_of(type), a, b, Round::Nearest); };
    forms.push_back({"add.noftz", type,
                     [=](uint64_t old, uint64_t b, uint64_t) {
                       if (!is_packed(type)) return one(old, b);
                       return one(old & 0xffff, b & 0xffff) | one(old >> 16, b >> 16) << 16;
                     },
                     any_nan});
  }
}

void append_exchange_forms(std::vector<AtomicForm>& forms) {
  for (const Type type : {Type::B32, Type::B64}) {
    forms.push_back({"exch", type, [](uint64_t, uint64_t b, uint64_t) { return b; }});
  }
  for (const Type type : {Type::B16, Type::B32, Type::B64}) {
    forms.push_back({"cas", type, [](uint64_t old, uint64_t b, uint64_t c) { return old == b ? c : old; }});
  }
}

/// Each thread by itself: in0 is put in the thread's place, the instruction runs on it with in1 (and in2), and the old
/// value and what the place then holds go to the output, one after the other.
std::string own_place_text(const AtomicForm& form, const std::string& space, const std::string& instruction, bool returns,
                           const std::string& entry) {
  const int bytes = width(form.type) / 8;
  const std::string type = register_type(form.type);
  std::string text = fmt::format(
      ".visible .entry {}(.param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3, .param .u64 guard, "
      ".param .u64 out)\n{{\n  .reg .b32 %i;\n  .reg .b64 %base, %address, %place;\n  .reg {} %a, %b, %c, %d;\n"
      "  mov.u32 %i, %tid.x;\n",
      entry, type);
  const char* names[] = {"%a", "%b", "%c"};
  for (int k = 0; k < (form.op == "cas" ? 3 : 2); ++k) {
    text += fmt::format(
        "  ld.param.u64 %base, [in{}];\n  mad.wide.u32 %address, %i, {}, %base;\n  ld.global{} {}, [%address];\n", k,
        bytes, type, names[k]);
  }
  text += fmt::format("  ld.param.u64 %base, [out];\n  mad.wide.u32 %address, %i, {}, %base;\n", 2 * bytes);
  if (space == "shared") {
    text += fmt::format(
        "  .shared .align 8 .b8 room[{0}];\n  mov.u64 %place, room;\n  mad.wide.u32 %place, %i, {1}, %place;\n",
        kAtomicThreads * bytes, bytes);
  } else {
    text += fmt::format("  add.u64 %place, %address, {};\n", bytes);
  }
  const std::string dot_space = space.empty() ? ".global" : "." + space;
  text += fmt::format("  st{}{} [%place], %a;\n  {} {}[%place], %b{};\n", dot_space, type, instruction,
                      returns ? "%d, " : "", form.op == "cas" ? ", %c" : "");
  if (!returns) text += fmt::format("  mov.b{} %d, %a;\n", width(form.type));
  return text + fmt::format(
                    "  st.global{0} [%address], %d;\n  ld{1}{0} %d, [%place];\n  st.global{0} [%address+{2}], %d;\n  "
                    "ret;\n}}\n",
                    type, dot_space, bytes);
}

void add_own_place(Cases& cases, const AtomicForm& form, const std::string& space, bool returns, const std::string& order) {
  Case test;
  test.module = returns ? "atom" : "red";
  test.instruction =
      fmt::format("{}{}{}.{}.{}", test.module, order, space.empty() ? "" : "." + space, form.op, name_of(form.type));
  test.entry = entry_name(test.instruction);
  test.text = own_place_text(form, space, test.instruction, returns, test.entry);
  // Operands of two values meet often, so that cas also succeeds and inc and dec also wrap.
  const Domain few = listed({0, 1, 2, 3, 0x8000, 0x7fff});
  const bool meet = form.op == "cas" || form.op == "inc" || form.op == "dec";
  for (int k = 0; k < (form.op == "cas" ? 3 : 2); ++k) test.inputs.push_back({form.type, meet ? few : Domain{}});
  test.output = form.type;
  test.outputs = 2 * kAtomicThreads;
  test.tolerance = form.tolerance;
  test.expect = [update = form.update](const Case&, const Vectors& vectors, std::vector<uint64_t>& out) {
    for (size_t i = 0; i < vectors.inputs[0].size(); ++i) {
      const uint64_t c = vectors.inputs.size() > 2 ? vectors.inputs[2][i] : 0;
      out[2 * i] = vectors.inputs[0][i];
      out[2 * i + 1] = update(vectors.inputs[0][i], vectors.inputs[1][i], c);
    }
  };
  cases.push_back(std::move(test));
}

/// All threads on one place of global memory, for the operations whose result does not depend on the order.
void add_shared_place(Cases& cases, const AtomicForm& form) {
  if (is_float(form.type) || form.op == "inc" || form.op == "dec") return;
  Case test;
  test.module = "red";
  test.instruction = fmt::format("red.global.{}.{}", form.op, name_of(form.type));
  test.entry = entry_name(test.instruction + "_contended");
  test.text = fmt::format(
      ".visible .entry {}(.param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3, .param .u64 guard, "
      ".param .u64 out)\n{{\n  .reg .b32 %i;\n  .reg .b64 %base, %address;\n  .reg {} %a;\n  mov.u32 %i, %tid.x;\n"
      "  ld.param.u64 %base, [in0];\n  mad.wide.u32 %address, %i, {}, %base;\n  ld.global{} %a, [%address];\n"
      "  ld.param.u64 %base, [out];\n  {} [%base], %a;\n  ret;\n}}\n",
      test.entry, register_type(form.type), width(form.type) / 8, register_type(form.type), test.instruction);
  test.inputs = {{form.type}};
  test.output = form.type;
  test.outputs = 1;
  test.expect = [update = form.update](const Case&, const Vectors& vectors, std::vector<uint64_t>& out) {
    for (const uint64_t value : vectors.inputs[0]) out[0] = update(out[0], value, 0);
  };
  cases.push_back(std::move(test));
}

}  // namespace

void add_atomic_cases(Cases& cases) {
  for (const std::string space : {"global", "shared", ""}) {
    std::vector<AtomicForm> forms;
    append_integer_forms(forms);
    append_float_forms(forms, space != "shared");
    for (const AtomicForm& form : forms) {
      add_own_place(cases, form, space, false, "");
      if (space == "global") add_shared_place(cases, form);
    }
    append_exchange_forms(forms);
    for (const AtomicForm& form : forms) {
      add_own_place(cases, form, space, true, "");
      if (space == "global") add_own_place(cases, form, space, true, ".acq_rel.gpu");
    }
  }
}

}  // namespace tilescope::vectors
