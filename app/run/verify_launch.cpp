#include "run/verify_launch.h"

#include <bit>
#include <span>

#include "run/inputs.h"

namespace tilescope::run {
namespace {

const kernel::ArrayShape* find_array(const kernel::Configuration& configuration, std::string_view name) {
  for (const kernel::ArrayShape& array : configuration.arrays)
    if (array.space == Space::Global && array.name == name) return &array;
  return nullptr;
}

bool is_matrix(const kernel::ArrayShape* array, int64_t rows, int64_t columns) {
  return array && array->element == Element::F32 &&
         array->logical == std::vector<uint64_t>{static_cast<uint64_t>(rows), static_cast<uint64_t>(columns)};
}

std::span<const float> floats(const LaunchMemory& launch, const kernel::Configuration& configuration,
                              const char* name) {
  const auto array = static_cast<size_t>(find_array(configuration, name) - configuration.arrays.data());
  const std::span<const std::byte> bytes = launch.memory.bytes(launch.array_index[array]);
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

/// Whether an element of an output holds what place_launch() put there: no arithmetic makes that NaN.
bool is_unwritten(float element) { return std::bit_cast<uint32_t>(element) == 0xffffffff; }

/// One flag per element of C: whether it is no longer what it was at launch.
std::vector<uint8_t> find_written(const kernel::ArrayShape& array, const std::vector<float>& before,
                                  const std::vector<float>& now) {
  std::vector<uint8_t> written(now.size());
  for (size_t i = 0; i < now.size(); ++i)
    written[i] = array.role == kernel::Role::Output
                     ? !is_unwritten(now[i])
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

Verification verify_launch(const Prepared& prepared, const LaunchMemory& launch, uint64_t seed, bool whole,
                           const Control& control) {
  const kernel::Configuration& configuration = prepared.configuration;
  const kernel::ArrayShape& c_array = *find_array(configuration, "C");
  const std::vector<float> a = input_matrix(seed, *find_array(configuration, "A"));
  const std::vector<float> b = input_matrix(seed, *find_array(configuration, "B"));
  std::vector<float> c0;
  if (c_array.role != kernel::Role::Output) c0 = input_matrix(seed, c_array);
  const std::span<const float> allocated = floats(launch, configuration, "C");
  std::vector<float> c(static_cast<size_t>(configuration.size.m * configuration.size.n));
  for_each_element(c_array, [&](uint64_t dense, uint64_t index) { c[dense] = allocated[index]; });

  const Product product{configuration.size.m,
                        configuration.size.n,
                        configuration.size.k,
                        static_cast<float>(configuration.alpha),
                        c0.empty() ? 0 : static_cast<float>(configuration.beta),
                        a.data(),
                        b.data(),
                        c0.data()};
  const std::vector<uint8_t> written = whole ? std::vector<uint8_t>{} : find_written(c_array, c0, c);
  Verification result = verify(product, c.data(), written, thread_count(control), control.cancel);
  if (auto& wrong = result.first_wrong; wrong && c_array.role == kernel::Role::Output)
    wrong->written = !is_unwritten(c[static_cast<size_t>(wrong->row * product.n + wrong->column)]);
  return result;
}

}  // namespace tilescope::run
