// README prints what the commands print: every block that begins with "$ tilescope" is a part of that command's output.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/run_program.h"

namespace tilescope::cli {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

struct Block {
  std::string language, text;
};

std::vector<Block> blocks_of(const std::string& markdown) {
  std::vector<Block> blocks;
  bool inside = false;
  for (const std::string_view line : lines_of(markdown)) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({std::string(line.substr(3)), {}});
    } else if (inside) {
      blocks.back().text.append(line).append("\n");
    }
  }
  return blocks;
}

/// A program whose launch stands on line 19, as README's example has it.
constexpr const char* kVectorAdd = R"(#include <cstdio>
#include <vector>

// c = a + b
__global__ void vector_add(const float *a, const float *b, float *c, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) c[i] = a[i] + b[i];
}

int main() {
  const int N = 1 << 20;
  std::vector<float> a(N, 1.0f), b(N, 2.0f), c(N);
  float *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, N * sizeof(float));
  cudaMalloc(&device_b, N * sizeof(float));
  cudaMalloc(&device_c, N * sizeof(float));
  cudaMemcpy(device_a, a.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  vector_add<<<(N + 255) / 256, 256>>>(device_a, device_b, device_c, N);
  cudaMemcpy(c.data(), device_c, N * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", c[0]);
}
)";

class Readme : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    if (run("trace 1 --size 16").out.find("NVRTC 13.0") == std::string::npos)
      GTEST_SKIP() << "What README prints was compiled by NVRTC 13.0, which is not here.";
  }
  ~Readme() override { fs::remove_all(folder_); }

  Ran run(const std::string& arguments) const {
    return run_command(fmt::format(
        "cd {} && TILESCOPE_DATA={} XDG_CACHE_HOME={}/cache TILESCOPE_STORE={}/store.db {}/bin/tilescope {}",
        folder_.string(), TILESCOPE_SOURCE_DIR, folder_.string(), folder_.string(), TILESCOPE_BINARY_DIR, arguments));
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("readme-{}", ::getpid());
};

TEST_F(Readme, PrintsWhatTheCommandsPrint) {
  const std::string prompt = "$ tilescope ";
  write("vector_add.cu", kVectorAdd);
  int commands = 0;
  for (const Block& block : blocks_of(read_all(TILESCOPE_SOURCE_DIR "/README.md"))) {
    if (block.language == "cuda") write("my_gemm.cu", block.text);
    if (block.language == "toml") write("my_gemm.toml", block.text);
    if (!block.text.starts_with(prompt)) continue;
    const size_t end = block.text.find('\n');
    const std::string command = block.text.substr(prompt.size(), end - prompt.size());
    const Ran ran = run(command);
    EXPECT_THAT(ran.err + ran.out, HasSubstr(block.text.substr(end + 1))) << command;
    ++commands;
    if (!command.starts_with("check my_gemm.cu")) continue;
    // What README says next: the same without the guard of the rows.
    std::string text = read_all(folder_ / "my_gemm.cu");
    if (const size_t guard = text.find("row >= M || "); guard != std::string::npos)
      write("my_gemm.cu", text.erase(guard, std::string("row >= M || ").size()));
  }
  EXPECT_EQ(commands, 6);
}

}  // namespace
}  // namespace tilescope::cli
