#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.h"
#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

using Words = std::vector<uint64_t>;
using Expect = std::function<void(const Case&, const Vectors&, Words& out)>;

uint64_t word(uint64_t value) { return value & 0xffffffff; }

void special_registers(const Case& test, const Vectors&, Words& out) {
  const Dim3 block = test.block, grid = test.grid;
  for (uint64_t i = 0; i < test.threads(); ++i) {
    const Dim3 thread = position_in(block, i % block.count()), at = position_in(grid, i / block.count());
    const uint64_t lane = i % block.count() % 32, below = (uint64_t{1} << lane) - 1;
    const uint64_t eq = uint64_t{1} << lane, le = below | eq, gt = word(~le);
    const uint64_t words[] = {thread.x, thread.y, thread.z, block.x, block.y, block.z, at.x,         at.y,
                              at.z,     grid.x,   grid.y,   grid.z,  lane,    below,   word(~below), eq ^ le ^ gt};
    std::copy(std::begin(words), std::end(words), out.begin() + static_cast<ptrdiff_t>(16 * i));
  }
}

void nested_branches(const Case&, const Vectors& vectors, Words& out) {
  constexpr uint64_t results[] = {120, 230, 110, 240};
  for (size_t i = 0; i < out.size(); ++i) out[i] = results[vectors.inputs[0][i] & 3] + 32000;
}

void loop_trip_counts(const Case&, const Vectors& vectors, Words& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    uint32_t d = 1;
    for (uint32_t j = 0; j < vectors.inputs[0][i]; ++j) {
      for (uint32_t k = 0; k < (j & 3); ++k) d = d * 3 + k;
      d += j;
      if (j > i + 20) {
        d ^= 0xffff;
        break;
      }
    }
    out[i] = d;
  }
}

void early_exit(const Case&, const Vectors& vectors, Words& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const uint64_t kind = vectors.inputs[0][i] & 3;
    uint64_t stayed = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
      stayed |= uint64_t{(vectors.inputs[0][i / 32 * 32 + lane] & 3) == 3} << lane;
    }
    out[i] = kind == 3 ? stayed : kind == 2 ? 77 : kind;
  }
}

void indexed_branch(const Case&, const Vectors& vectors, Words& out) {
  constexpr uint64_t results[] = {105, 505, 305, 45};
  for (size_t i = 0; i < out.size(); ++i) out[i] = results[vectors.inputs[0][i]];
}

void calls(const Case&, const Vectors& vectors, Words& out) {
  const auto weigh = [](uint64_t x, uint64_t y) { return word(x % 2 == 0 ? y : 3 * x + y); };
  for (size_t i = 0; i < out.size(); ++i) {
    const uint64_t first = weigh(vectors.inputs[0][i], i);
    out[i] = i < 50 ? first + weigh(first, i) : first;
  }
}

void predicated_execution(const Case&, const Vectors& vectors, Words& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const bool positive = static_cast<int32_t>(vectors.inputs[0][i]) > 0, low = i < 40;
    out[i] = uint64_t{1} + (positive ? 2 : 12) + (positive && low ? 16 : 0) + (low ? 0 : 32);
  }
}

void barrier_reverse(const Case&, const Vectors& vectors, Words& out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = vectors.inputs[0][255 - (i ^ 33)];
}

void barrier_exited_threads(const Case&, const Vectors& vectors, Words& out) {
  for (size_t i = 32; i < out.size(); ++i) {
    if (i > 99 && i % 2 == 0) continue;
    out[i] = vectors.inputs[0][i ^ 64] + ((i ^ 64) >= 64 ? 1 : 0);
  }
}

void barrier_producer_consumer(const Case&, const Vectors& vectors, Words& out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = i < 64 ? 9 : vectors.inputs[0][(i ^ 32) - 64];
}

void barrier_spellings(const Case&, const Vectors& vectors, Words& out) {
  const Words& in = vectors.inputs[0];
  const auto negative = static_cast<uint64_t>(
      std::count_if(in.begin(), in.end(), [](uint64_t a) { return static_cast<int32_t>(a) < 0; }));
  for (size_t i = 0; i < in.size(); ++i) {
    out[2 * i] = word(i < 64 ? in[i] + 1 : in[i - 64]);
    out[2 * i + 1] = 2 * negative + (negative != 0 ? 1 : 0);
  }
}

void barrier_reductions(const Case&, const Vectors& vectors, Words& out) {
  const auto positive = [](uint64_t a) { return static_cast<int32_t>(a) > 0; };
  const Words& in = vectors.inputs[0];
  const auto count = static_cast<uint64_t>(std::count_if(in.begin(), in.end(), positive));
  for (size_t i = 0; i < in.size(); ++i) {
    out[4 * i] = count;
    out[4 * i + 1] = count == in.size();
    out[4 * i + 2] = count < in.size();
    out[4 * i + 3] = 1;
  }
}

void warp_sync_parts(const Case&, const Vectors& vectors, Words& out) {
  for (size_t first = 0; first < out.size(); first += 32) {
    uint64_t highest = 0, sum = 0;
    for (size_t lane = 0; lane < 12; ++lane) highest = std::max(highest, vectors.inputs[0][first + lane]);
    for (size_t lane = 12; lane < 32; ++lane) sum += vectors.inputs[0][first + lane];
    std::fill_n(out.begin() + static_cast<ptrdiff_t>(first), 32, highest ^ word(sum));
  }
}

void copy_async(const Case&, const Vectors& vectors, Words& out) {
  const Words& in = vectors.inputs[0];
  // What thread t copied of its 16 bytes: the first in1[t], then zeros.
  const auto sixteen = [&](size_t t, size_t k) {
    const uint64_t size = vectors.inputs[1][t];
    const uint64_t bytes = size < 4 * k ? 0 : std::min<uint64_t>(size - 4 * k, 4);
    return bytes == 4 ? in[4 * t + k] : in[4 * t + k] & ((uint64_t{1} << (8 * bytes)) - 1);
  };
  for (size_t i = 0; i < 128; ++i) {
    const uint64_t words[] = {in[i],
                              in[2 * i + 128],
                              in[2 * i + 129],
                              sixteen(i ^ 127, 0),
                              sixteen(i ^ 127, 1),
                              sixteen(i ^ 127, 2) ^ sixteen(i ^ 127, 3)};
    std::copy(std::begin(words), std::end(words), out.begin() + static_cast<ptrdiff_t>(6 * i));
  }
}

/// Element (row, column) of matrix m as 16-bit numbers in memory of rows of 16 bytes: thread 8m+row gave the row's
/// address.
uint64_t element_of(const Words& memory, size_t row_number, size_t column) {
  return memory[4 * row_number + column / 2] >> (16 * (column % 2)) & 0xffff;
}

/// Lane l holds elements 2(l%4) and 2(l%4)+1 of row l/4, or of column l/4 where transposed.
Expect load_matrix(size_t matrices, bool transposed) {
  return [=](const Case&, const Vectors& vectors, Words& out) {
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t lane = i / matrices, matrix = i % matrices;
      out[i] = 0;
      for (size_t k = 0; k < 2; ++k) {
        const size_t along = 2 * (lane % 4) + k, across = lane / 4;
        const size_t row = (8 * matrix + (transposed ? along : across)) ^ 5;
        out[i] |= element_of(vectors.inputs[0], row, transposed ? across : along) << (16 * k);
      }
    }
  };
}

Expect store_matrix(size_t matrices, bool transposed) {
  return [=](const Case&, const Vectors& vectors, Words& out) {
    std::fill(out.begin(), out.end(), 0);
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t matrix = 0; matrix < matrices; ++matrix) {
        for (size_t k = 0; k < 2; ++k) {
          const uint64_t value = vectors.inputs[0][4 * lane + matrix] >> (16 * k) & 0xffff;
          const size_t along = 2 * (lane % 4) + k, across = lane / 4;
          const size_t row = (8 * matrix + (transposed ? along : across)) ^ 5, column = transposed ? across : along;
          out[4 * row + column / 2] |= value << (16 * (column % 2));
        }
      }
    }
  };
}

void mbarrier_phases(const Case&, const Vectors& vectors, Words& out) {
  // Thread i reads place i^63, adds 1, writes it back to i^63, and finally reads its own place.
  for (size_t i = 0; i < out.size(); ++i) out[i] = vectors.inputs[0][i] + 1;
}

void mbarrier_drop(const Case&, const Vectors&, Words& out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = i < 32 ? 2 : 1;
}

void mbarrier_counts(const Case&, const Vectors&, Words& out) {
  out[0] = 10;
  out[1] = 7;
  out[2] = 1;
}

void mbarrier_transactions(const Case&, const Vectors&, Words& out) {
  out[0] = out[1] = 0;
  out[2] = 1;
}

void copy_async_mbarrier(const Case&, const Vectors& vectors, Words& out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = vectors.inputs[0][i ^ 37];
}

void module_variables(const Case&, const Vectors& vectors, Words& out) {
  constexpr uint64_t halves[] = {1, 2, 3, 0xffff, 5, 0, 0, 0};
  for (size_t i = 0; i < vectors.inputs[0].size(); ++i) {
    const uint64_t a = vectors.inputs[0][i];
    out[3 * i] = 11 * (a + 1);
    out[3 * i + 1] = halves[a];
    out[3 * i + 2] = a - 6;
  }
}

void local_array(const Case&, const Vectors& vectors, Words& out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = 100 * i + vectors.inputs[0][i];
}

void no_effect(const Case&, const Vectors& vectors, Words& out) { out = vectors.inputs[0]; }
void clocks(const Case&, const Vectors&, Words& out) { std::fill(out.begin(), out.end(), 1); }

std::map<std::string, Expect> expectations() {
  std::map<std::string, Expect> table = {{"special_1d", special_registers},
                                         {"special_2d", special_registers},
                                         {"special_3d", special_registers},
                                         {"nested_branches", nested_branches},
                                         {"loop_trip_counts", loop_trip_counts},
                                         {"early_exit", early_exit},
                                         {"indexed_branch", indexed_branch},
                                         {"calls", calls},
                                         {"predicated_execution", predicated_execution},
                                         {"barrier_reverse", barrier_reverse},
                                         {"barrier_exited_threads", barrier_exited_threads},
                                         {"barrier_producer_consumer", barrier_producer_consumer},
                                         {"barrier_reductions", barrier_reductions},
                                         {"warp_sync_parts", warp_sync_parts},
                                         {"copy_async", copy_async},
                                         {"mbarrier_phases", mbarrier_phases},
                                         {"mbarrier_drop", mbarrier_drop},
                                         {"mbarrier_counts", mbarrier_counts},
                                         {"mbarrier_transactions", mbarrier_transactions},
                                         {"barrier_spellings", barrier_spellings},
                                         {"copy_async_mbarrier", copy_async_mbarrier},
                                         {"module_variables", module_variables},
                                         {"local_array", local_array},
                                         {"no_effect", no_effect},
                                         {"clocks", clocks}};
  for (const size_t matrices : {1u, 2u, 4u}) {
    for (const bool transposed : {false, true}) {
      const std::string suffix = fmt::format("_x{}{}", matrices, transposed ? "_trans" : "");
      table["load_matrix" + suffix] = load_matrix(matrices, transposed);
      table["store_matrix" + suffix] = store_matrix(matrices, transposed);
    }
  }
  return table;
}

uint32_t number(std::string_view& text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc() ? value : 0;
}

Dim3 shape(std::string_view text) {
  Dim3 dim{1, 1, 1};
  for (uint32_t* extent : {&dim.x, &dim.y, &dim.z}) {
    *extent = number(text);
    if (text.empty()) break;
    text.remove_prefix(1);
  }
  return dim;
}

/// "u32[128]" or "u32[128]:0..40": an array, its length, and the range its values are drawn from.
Input array(std::string_view text) {
  Input input{Type::U32};
  text.remove_prefix(text.find('[') + 1);
  input.count = number(text);
  if (text.size() < 2) return input;
  text.remove_prefix(2);
  const uint32_t low = number(text);
  text.remove_prefix(2);
  input.domain = range(low, number(text) + 1.0);
  return input;
}

/// The launch and the arrays from the first line: "// in0=u32[64] out=u32[64] grid=2 block=16,4".
void read_header(Case& test) {
  std::istringstream words(test.text.substr(2, test.text.find('\n') - 2));
  test.grid = {1, 1, 1};
  for (std::string setting; words >> setting;) {
    const std::string value = setting.substr(setting.find('=') + 1);
    if (setting.starts_with("in")) test.inputs.push_back(array(value));
    if (setting.starts_with("out=")) test.outputs = array(value).count;
    if (setting.starts_with("grid=")) test.grid = shape(value);
    if (setting.starts_with("block=")) test.block = shape(value);
  }
}

}  // namespace

void add_programs(Cases& cases) {
  for (const auto& [name, expect] : expectations()) {
    Case test;
    test.module = test.entry = test.instruction = name;
    const Result<std::string> text =
        read_file(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/emulator/ptx" / (name + ".ptx"));
    test.text = text ? *text : "//";
    read_header(test);
    test.output = Type::U32;
    test.expect = expect;
    cases.push_back(std::move(test));
  }
}

}  // namespace tilescope::vectors
