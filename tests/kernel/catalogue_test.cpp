#include "kernel/catalogue.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/configuration.h"
#include "shipped_kernels.h"

namespace tilescope::kernel {
namespace {
namespace fs = std::filesystem;

using testing::ElementsAre;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  void TearDown() override { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(path_ / name) << text; }
  fs::path path_;
};

const std::string kToml = R"toml(title = "T"
arguments = ["A", "B", "C"]
[launch]
block = 32
grid = 1
)toml";

std::string name_of(std::string_view wanted) {
  const Result<Kernel> kernel = find_kernel(shipped_kernels(), wanted);
  return kernel ? kernel->name : to_string(kernel.errors());
}

TEST(Catalogue, HoldsTheStagesInOrder) {
  EXPECT_EQ(to_string(shipped_kernels().problems), "");
  std::vector<std::string> names;
  for (const Kernel& kernel : shipped_kernels().kernels) names.push_back(kernel.name);
  EXPECT_THAT(
      names, ElementsAre("01_naive_rows", "02_naive_swapped", "03_naive_flat", "04_shared_tile", "05_guarded_tile",
                         "06_padded_tile", "07_rect_tile", "08_thread_tile_1d", "09_thread_tile_2d", "10_wide_loads",
                         "11_warp_tile", "12_register_prefetch", "13_async_stages", "14_bank_free", "15_block_order",
                         "16_register_banks", "17_tma", "18_producer_warps", "19_split_k", "20_stream_k", "21_tf32_mma",
                         "22_bf16_mma", "23_bf16_wgmma", "24_tf32_wgmma", "25_any_size"));
}

TEST(Catalogue, EveryKernelSaysWhatItIs) {
  for (const Kernel& kernel : shipped_kernels().kernels) {
    EXPECT_FALSE(kernel.description.summary.empty()) << kernel.name;
    EXPECT_NE(kernel.source.find("__global__ void"), std::string::npos) << kernel.name;
    for (const Parameter& parameter : kernel.description.parameters)
      EXPECT_FALSE(parameter.about.empty()) << kernel.name << " " << parameter.name;
  }
}

// A kernel compiled without a -D must be the one that the description calls the default.
TEST(Catalogue, DefaultsInTheSourceAreThoseOfTheDescription) {
  for (const Kernel& kernel : shipped_kernels().kernels)
    for (const Parameter& parameter : kernel.description.parameters) {
      if (kernel.source.find("#ifndef " + parameter.name + "\n") == std::string::npos) continue;
      const std::string definition = "\n#define " + parameter.name + " " + std::to_string(parameter.default_value);
      const size_t at = kernel.source.find(definition);
      ASSERT_NE(at, std::string::npos) << kernel.name << definition;
      EXPECT_FALSE(std::isdigit(kernel.source[at + definition.size()])) << kernel.name << definition;
    }
}

TEST(Catalogue, AnchorsAreUniqueInAKernel) {
  for (const Kernel& kernel : shipped_kernels().kernels) {
    std::set<std::string> names;
    for (const Anchor& anchor : find_anchors(kernel.source))
      EXPECT_TRUE(names.insert(anchor.name).second) << kernel.name << " " << anchor.name;
    for (const char* needed : {"load A", "load B", "store C"}) EXPECT_TRUE(names.contains(needed)) << kernel.name;
  }
}

TEST(Anchors, AreNamedLines) {
  EXPECT_THAT(find_anchors("a();\nb();  // [load A]\n// [not] one\nint x[2];\nc();  // why  // [end]"),
              ElementsAre(Anchor{"load A", 2}, Anchor{"end", 5}));
  EXPECT_TRUE(find_anchors("").empty());
}

TEST(Anchors, ALineIsFoundByItsNameOrByAPartOfIt) {
  const std::string source = "load(A);\nb();  // [load]\nasm(\"setmaxnreg.dec\");\n";
  EXPECT_EQ(find_line(source, "load"), 2) << "the name goes before the text";
  EXPECT_EQ(find_line(source, "setmaxnreg.dec"), 3);
  EXPECT_EQ(find_line(source, "store"), 0);
  EXPECT_EQ(find_line(source, ""), 0);
}

TEST(FindKernel, ByNumberNameOrBoth) {
  for (const char* wanted : {"9", "09", "thread_tile_2d", "09_thread_tile_2d"})
    EXPECT_EQ(name_of(wanted), "09_thread_tile_2d") << wanted;
  EXPECT_EQ(name_of("11"), "11_warp_tile");
}

TEST(FindKernel, SuggestsTheNearest) {
  EXPECT_EQ(name_of("thred_tile_2d"), "error: There is no kernel \"thred_tile_2d\"; did you mean 09_thread_tile_2d?");
  EXPECT_EQ(name_of("naive"),
            "error: There is no kernel \"naive\"; did you mean 01_naive_rows or 02_naive_swapped or 03_naive_flat?");
  EXPECT_EQ(
      name_of("26"),
      "error: There is no kernel \"26\"; there are 01_naive_rows, 02_naive_swapped, 03_naive_flat, 04_shared_tile, "
      "05_guarded_tile, 06_padded_tile, 07_rect_tile, 08_thread_tile_1d, 09_thread_tile_2d, 10_wide_loads, "
      "11_warp_tile, 12_register_prefetch, 13_async_stages, 14_bank_free, 15_block_order, 16_register_banks, 17_tma, "
      "18_producer_warps, 19_split_k, 20_stream_k, 21_tf32_mma, 22_bf16_mma, 23_bf16_wgmma, 24_tf32_wgmma and "
      "25_any_size.");
  EXPECT_EQ(to_string(find_kernel({}, "9").errors()), "error: There is no kernel \"9\"; there are none.");
}

TEST_F(Folder, TwoOfOneNumberAreTold) {
  for (const char* name : {"01_a", "01_b"}) {
    write(std::string(name) + ".cu", "");
    write(std::string(name) + ".toml", kToml);
  }
  EXPECT_EQ(to_string(find_kernel(load_catalogue(path_), "1").errors()),
            "error: \"1\" names 01_a and 01_b; say which.");
}

TEST_F(Folder, AWholeNameComesBeforeAPart) {
  for (const char* name : {"01_tile", "tile"}) {
    write(std::string(name) + ".cu", "");
    write(std::string(name) + ".toml", kToml);
  }
  const Catalogue catalogue = load_catalogue(path_);
  EXPECT_EQ(find_kernel(catalogue, "tile")->name, "tile");
  EXPECT_EQ(find_kernel(catalogue, "01_tile")->name, "01_tile");
}

TEST_F(Folder, MissingDescriptionSaysHowToStartOne) {
  write("mine.cu", "");
  const Result<Kernel> kernel = load_kernel(path_ / "mine.cu");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(to_string(kernel.errors()),
            "error: " + (path_ / "mine.toml").string() +
                " is missing: it describes mine.cu. Start with this and see kernels/README.md:\n"
                "title = \"My kernel\"\n"
                "arguments = [\"A\", \"B\", \"C\", \"M\", \"N\", \"K\"]\n"
                "[launch]\n"
                "block = [32, 32]\n"
                "grid = [\"ceil_div(N, 32)\", \"ceil_div(M, 32)\"]");
}

TEST_F(Folder, TheSuggestedStartIsADescription) {
  write("mine.cu", "");
  const std::string message = load_kernel(path_ / "mine.cu").errors().front().message.text();
  write("mine.toml", message.substr(message.find('\n') + 1));
  const Result<Kernel> kernel = load_kernel(path_ / "mine.cu");
  EXPECT_TRUE(kernel) << to_string(kernel.errors());
}

TEST_F(Folder, MissingFilesAreNamed) {
  EXPECT_EQ(to_string(load_kernel(path_ / "none.cu").errors()),
            "error: " + (path_ / "none.cu").string() + ": no such file.");
  EXPECT_EQ(to_string(load_catalogue(path_ / "none").problems),
            "error: " + (path_ / "none").string() + ": cannot be listed: No such file or directory.");
}

TEST_F(Folder, OneBadDescriptionLeavesTheOthers) {
  write("01_good.cu", "");
  write("01_good.toml", kToml);
  write("02_bad.cu", "");
  write("02_bad.toml", "title = 1\n");
  const Catalogue mixed = load_catalogue(path_);
  ASSERT_EQ(mixed.kernels.size(), 1u);
  EXPECT_EQ(mixed.kernels[0].number, 1);
  EXPECT_NE(to_string(mixed.problems).find("02_bad.toml:1:9: error: \"title\" must be a text in quotes."),
            std::string::npos);
  EXPECT_FALSE(find_kernel(mixed, "02_bad"));
}

// The blocks of the README's example, between ``` lines.
std::vector<std::string> fenced_blocks(const std::string& text) {
  std::vector<std::string> blocks;
  bool inside = false;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

TEST_F(Folder, TheWorkedExampleWorks) {
  std::stringstream readme;
  readme << std::ifstream(TILESCOPE_SOURCE_DIR "/kernels/README.md").rdbuf();
  const std::vector<std::string> blocks = fenced_blocks(readme.str());
  ASSERT_EQ(blocks.size(), 3u) << "the last is an array of another kernel";
  write("my_gemm.cu", blocks[0]);
  write("my_gemm.toml", blocks[1]);
  const Result<Kernel> kernel = load_kernel(path_ / "my_gemm.cu");
  ASSERT_TRUE(kernel) << to_string(kernel.errors());
  const Result<Configuration> c = configure(kernel->description, {}, {64, 32, 48});
  ASSERT_TRUE(c) << to_string(c.errors());
  EXPECT_EQ(c->grid, (Dim3{2, 4, 1}));
  EXPECT_EQ(c->arguments[2].integer, 48);
  EXPECT_EQ(c->alpha, 2.0);
  EXPECT_EQ(c->beta, 0.5);
  EXPECT_EQ(to_string(configure(kernel->description, {}, {64, 32, 40}).errors()),
            "error: 64 x 32 x 40 is not a multiple of TILE = 16 throughout. Nearest legal: K = 48; or TILE = 8.");
}

}  // namespace
}  // namespace tilescope::kernel
