#include "run/verify_launch.h"

#include <bit>
#include <cmath>
#include <span>

#include "run/inputs.h"
#include "run/verify_reference.h"

namespace tilescope::run {
namespace {

const kernel::ArrayShape* find_array(const kernel::Configuration& configuration, std::string_view name) {
  for (const kernel::ArrayShape& array : configuration.arrays)
    if (array.space == Space::Global && array.name == name) return &array;
  return nullptr;
}

bool is_matrix(const kernel::ArrayShape* array, int64_t rows, int64_t columns) {
  const bool is_real = array && (array->element == Element::F32 || array->element == Element::F16 ||
                                 array->element == Element::BF16 || array->element == Element::F64);
  return is_real &&
         array->logical == std::vector<uint64_t>{static_cast<uint64_t>(rows), static_cast<uint64_t>(columns)};
}

/// The data part of an array in `bytes`, row-major and dense.
std::vector<float> numbers(const kernel::ArrayShape& array, std::span<const std::byte> bytes) {
  std::vector<float> values;
  const size_t size = size_of(array.element);
  for_each_element(array, [&](uint64_t, uint64_t index) {
    values.push_back(static_cast<float>(number_at(bytes.data() + index * size, array.element)));
  });
  return values;
}

/// Whether an element of an output still has its value from place_launch(). For 32 bits: a NaN that no arithmetic
/// makes.
bool is_unwritten(float number, Element element) {
  return element == Element::F32 ? std::bit_cast<uint32_t>(number) == 0xffffffff : std::isnan(number);
}

/// The array before the kernel ran.
std::vector<float> initial_numbers(uint64_t seed, const kernel::ArrayShape& array) {
  std::vector<std::byte> bytes(array.bytes);
  fill_array(seed, array, bytes.data());
  return numbers(array, bytes);
}

std::vector<float> numbers_now(const LaunchMemory& launch, const kernel::Configuration& configuration,
                               const kernel::ArrayShape& array) {
  const auto index = static_cast<size_t>(&array - configuration.arrays.data());
  return numbers(array, launch.memory.bytes(launch.array_index[index]));
}

/// One flag per element of C: whether it has changed since the launch. `before` is empty if it was NaN.
std::vector<uint8_t> find_written(const kernel::ArrayShape& array, const std::vector<float>& before,
                                  const std::vector<float>& now) {
  std::vector<uint8_t> written(now.size());
  for (size_t i = 0; i < now.size(); ++i)
    written[i] = before.empty() ? !is_unwritten(now[i], array.element)
                                : std::bit_cast<uint32_t>(now[i]) != std::bit_cast<uint32_t>(before[i]);
  return written;
}

}  // namespace

bool is_matrix_product(const kernel::Configuration& configuration) {
  const kernel::Size& size = configuration.size;
  return is_matrix(find_array(configuration, "A"), size.m, size.k) &&
         is_matrix(find_array(configuration, "B"), size.k, size.n) &&
         is_matrix(find_array(configuration, "C"), size.m, size.n);
}

Result<Verification> verify_launch(const Prepared& prepared, const LaunchMemory& launch, uint64_t seed, bool whole,
                                   const Control& control) {
  if (prepared.reference) return verify_against_reference(prepared, launch, seed, whole, control);
  const kernel::Configuration& configuration = prepared.configuration;
  const kernel::ArrayShape& c_array = *find_array(configuration, "C");
  const std::vector<float> a = initial_numbers(seed, *find_array(configuration, "A"));
  const std::vector<float> b = initial_numbers(seed, *find_array(configuration, "B"));
  std::vector<float> c0;
  if (c_array.role != kernel::Role::Output || c_array.initial) c0 = initial_numbers(seed, c_array);
  const std::vector<float> c = numbers_now(launch, configuration, c_array);

  const Product product{configuration.size.m,
                        configuration.size.n,
                        configuration.size.k,
                        static_cast<float>(configuration.alpha),
                        c0.empty() ? 0 : static_cast<float>(configuration.beta),
                        a.data(),
                        b.data(),
                        c0.data(),
                        arithmetic_of(prepared.build->compiled.ptx),
                        stored_roundoff(c_array.element),
                        taken_roundoff(prepared.build->compiled.ptx)};
  const std::vector<uint8_t> written = whole ? std::vector<uint8_t>{} : find_written(c_array, c0, c);
  Verification result = verify(product, c.data(), written, thread_count(control), control.cancel);
  if (auto& wrong = result.first_wrong; wrong && c0.empty())
    wrong->written =
        !is_unwritten(c[static_cast<size_t>(wrong->index[0] * product.n + wrong->index[1])], c_array.element);
  return result;
}

}  // namespace tilescope::run
