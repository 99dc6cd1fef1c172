// README and the manual print what the commands print: every block that begins with "$ tilescope" is part of that
// command's output. Figures in their prose are those that the recordings and the folders give.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/run_program.h"
#include "store/store.h"

namespace tilescope::cli {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kRoot = TILESCOPE_SOURCE_DIR;
constexpr std::array kDocuments = {"README.md", "docs/manual.md"};

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

/// The text outside of code blocks, code in backticks and link targets.
std::string prose_of(const std::string& markdown) {
  std::string prose;
  bool inside = false;
  for (const std::string_view line : lines_of(markdown)) {
    const bool fence = line.starts_with("```");
    if (fence) inside = !inside;
    if (!fence && !inside) prose.append(line).append(" ");
  }
  return std::regex_replace(prose, std::regex("`[^`]*`|\\]\\([^)]*\\)"), "");
}

/// Every number with one of these units: "23.0 us", "18 lessons".
std::set<std::string> quantities_in(const std::string& prose) {
  static const std::regex pattern(R"(\d+(\.\d+)? (us|ms|s|%|GFLOPS|clocks|lessons|kernels)(?![a-z]))");
  std::set<std::string> found;
  for (std::sregex_iterator match(prose.begin(), prose.end(), pattern), end; match != end; ++match)
    found.insert(match->str());
  return found;
}

size_t files_in(const char* folder, const char* extension) {
  return std::ranges::count_if(fs::directory_iterator(kRoot / folder),
                               [&](const fs::directory_entry& entry) { return entry.path().extension() == extension; });
}

/// The recording of a stage at M = N = K = size, at the settings that README's `tilescope trace 9` prints if
/// `as_shown`, else its fastest.
const store::Measurement* recorded(const store::Shipped& shipped, const std::string& kernel, int64_t size,
                                   bool as_shown) {
  const std::string readme = read_all(kRoot / "README.md");
  const store::Measurement* best = nullptr;
  for (const store::Measurement& each : shipped.measurements) {
    const store::Subject& s = each.subject;
    if (s.kernel != kernel || s.m != size || s.n != size || s.k != size || s.hot) continue;
    if (as_shown && readme.find(store::params_text(s.params) + "  sm_90") == std::string::npos) continue;
    if (!best || each.seconds.median < best->seconds.median) best = &each;
  }
  return best;
}

/// A program whose launch is on line 19, as in the manual's example.
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
    write("plain.cu", "__global__ void plain(float *a) { a[threadIdx.x] = 1; }\n");
    for (const auto& [command, compiler] :
         {std::pair{"trace 1 --size 16", "NVRTC 13.0"}, std::pair{"trace plain.cu", "nvcc 13.0"}})
      if (run(command).out.find(compiler) == std::string::npos)
        GTEST_SKIP() << "What README prints was compiled by " << compiler << ", which is not here.";
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
  std::vector<Block> blocks;
  for (const char* document : kDocuments)
    for (Block& block : blocks_of(read_all(kRoot / document))) blocks.push_back(std::move(block));
  int commands = 0;
  for (const Block& block : blocks) {
    if (block.language == "cuda") write("my_gemm.cu", block.text);
    if (block.language == "toml") write("my_gemm.toml", block.text);
    if (!block.text.starts_with(prompt)) continue;
    const size_t end = block.text.find('\n');
    const std::string command = block.text.substr(prompt.size(), end - prompt.size());
    const Ran ran = run(command);
    EXPECT_THAT(ran.err + ran.out, HasSubstr(block.text.substr(end + 1))) << command;
    ++commands;
    if (!command.starts_with("check my_gemm.cu")) continue;
    // The manual's next example: the same kernel without the guard of the rows.
    std::string text = read_all(folder_ / "my_gemm.cu");
    if (const size_t guard = text.find("row >= M || "); guard != std::string::npos)
      write("my_gemm.cu", text.erase(guard, std::string("row >= M || ").size()));
  }
  EXPECT_EQ(commands, 6);
}

// A figure that is not computed here fails the test, and so does one that has changed.
TEST(ReadmeProse, HasNoFigureThatIsNotComputedHere) {
  const store::Shipped shipped = store::load_recordings(kRoot / "assets/recordings");
  const store::Measurement* shown = recorded(shipped, "09_thread_tile_2d", 256, true);
  const store::Measurement* sixteenth = recorded(shipped, "16_register_banks", 4096, false);
  ASSERT_TRUE(shown && sixteenth && sixteenth->percent_of_reference());
  const std::set<std::string> computed = {
      fmt::format("{:.1f} us", 1e6 * shown->seconds.median),
      fmt::format("{:.0f} %", *sixteenth->percent_of_reference()),
      fmt::format("{} kernels", files_in("kernels", ".toml")),
      fmt::format("{} lessons", files_in("lessons", "")),
  };
  std::set<std::string> written;
  for (const char* document : kDocuments) written.merge(quantities_in(prose_of(read_all(kRoot / document))));
  EXPECT_EQ(written, computed);
}

TEST(ReadmeProse, NamesThePackageOfThisVersion) {
  const std::string version = run_tilescope("--version").out;  // "tilescope 0.1.0\n"
  const std::string number = version.substr(version.find(' ') + 1, version.find('\n') - version.find(' ') - 1);
  EXPECT_THAT(read_all(kRoot / "README.md"), HasSubstr(fmt::format("tilescope_{}_amd64.deb", number)));
}

}  // namespace
}  // namespace tilescope::cli
