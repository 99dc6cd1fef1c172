#include "vectors/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

constexpr size_t kEntriesInAModule = 32;

/// The emulator copies a module for each program it builds, so modules stay small: "set", "set_2", "set_3", ...
void split_modules(Cases& cases) {
  std::map<std::string, size_t> entries;
  for (Case& test : cases) {
    const size_t part = entries[test.module]++ / kEntriesInAModule;
    if (part > 0) test.module = fmt::format("{}_{}", test.module, part + 1);
  }
}

Cases make_cases() {
  Cases cases;
  add_integer_cases(cases);
  add_extended_cases(cases);
  add_bit_cases(cases);
  add_logic_cases(cases);
  add_float_cases(cases);
  add_approximate_cases(cases);
  add_half_cases(cases);
  add_compare_cases(cases);
  add_convert_cases(cases);
  add_move_cases(cases);
  add_warp_cases(cases);
  add_memory_cases(cases);
  add_atomic_cases(cases);
  add_programs(cases);
  split_modules(cases);
  return cases;
}

bool matches_scalar(const Case& test, uint64_t expected, uint64_t actual) {
  if (expected == actual || test.tolerance.kind == Tolerance::Kind::Nothing) return true;
  if (test.tolerance.kind == Tolerance::Kind::Bits) return false;
  const reference::Format format = format_of(test.output);
  if (reference::is_nan(format, expected)) return reference::is_nan(format, actual);
  const double ulps = reference::ulps_between(format, expected, actual);
  const bool was_skipped = expected == (untouched(test.output) & (format.nan() | format.sign()));
  if (was_skipped || !std::isfinite(ulps)) return false;
  const double value = reference::to_double(format, expected);
  const double error = std::fabs(reference::to_double(format, actual) - value);
  const double half_ulp = error / ulps / 2;
  switch (test.tolerance.kind) {
    case Tolerance::Kind::Ulps: return value != 0 && ulps <= test.tolerance.amount;
    case Tolerance::Kind::Absolute: return error <= test.tolerance.amount + half_ulp;
    case Tolerance::Kind::Relative: return error <= test.tolerance.amount * std::fabs(value) + half_ulp;
    default: return false;
  }
}

}  // namespace

const std::vector<Case>& all_cases() {
  static const Cases cases = make_cases();
  return cases;
}

std::vector<std::string> all_modules() {
  std::vector<std::string> modules;
  for (const Case& test : all_cases()) {
    if (std::find(modules.begin(), modules.end(), test.module) == modules.end()) modules.push_back(test.module);
  }
  return modules;
}

std::string module_text(std::string_view module) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
  for (const Case& test : all_cases()) {
    if (test.module != module) continue;
    // The programs of tests/emulator/ptx are whole modules.
    if (test.text.starts_with("//")) return test.text;
    text += "\n" + test.text;
  }
  return text;
}

std::vector<uint64_t> expected(const Case& test, const Vectors& vectors) {
  const uint64_t start = untouched(test.output);
  std::vector<uint64_t> out(test.output_count(), start);
  test.expect(test, vectors, out);
  for (uint64_t& value : out) {
    if (width(test.output) < 64) value &= (uint64_t{1} << width(test.output)) - 1;
  }
  return out;
}

bool matches(const Case& test, uint64_t expected, uint64_t actual) {
  if (!is_packed(test.output)) return matches_scalar(test, expected, actual);
  return matches_scalar(test, expected & 0xffff, actual & 0xffff) && matches_scalar(test, expected >> 16, actual >> 16);
}

uint64_t untouched(Type type) {
  return width(type) == 64 ? kUntouched : kUntouched & ((uint64_t{1} << width(type)) - 1);
}

int width(Type type) {
  switch (type) {
    case Type::B8:
    case Type::U8:
    case Type::S8: return 8;
    case Type::Pred:
    case Type::B16:
    case Type::U16:
    case Type::S16:
    case Type::F16:
    case Type::BF16: return 16;
    case Type::B64:
    case Type::U64:
    case Type::S64:
    case Type::F64: return 64;
    default: return 32;
  }
}

bool is_packed(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }

reference::Format format_of(Type type) {
  switch (type) {
    case Type::F16:
    case Type::F16x2: return reference::kF16;
    case Type::BF16:
    case Type::BF16x2: return reference::kBf16;
    case Type::F64: return reference::kF64;
    default: return reference::kF32;
  }
}

reference::Integer integer_of(Type type) {
  const bool is_signed = type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
  return {width(type), is_signed};
}

std::string name_of(Type type) { return std::string(ptx::to_string(type)); }

std::string entry_name(std::string text) {
  const auto keeps = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::replace_if(
      text.begin(), text.end(), [&](char c) { return !keeps(c); }, '_');
  return text;
}

std::string register_type(Type type) {
  switch (type) {
    case Type::U16: return ".u16";
    case Type::U32: return ".u32";
    case Type::U64: return ".u64";
    case Type::S16: return ".s16";
    case Type::S32: return ".s32";
    case Type::S64: return ".s64";
    case Type::F32: return ".f32";
    case Type::F64: return ".f64";
    default: return ".b" + std::to_string(width(type));
  }
}

}  // namespace tilescope::vectors
