// The table of docs/compilers.md in which NVRTC and nvcc are side by side.

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "built_compiler.h"
#include "compile/nvcc.h"
#include "run/prepare.h"
#include "shipped_kernels.h"

namespace tilescope::run {
namespace {

constexpr const char* kVersion = "13.0";  // Of which the table is.

compile::Settings with_nvcc() {
  compile::Settings settings = built_settings();
  settings.nvcc = compile::find_nvcc();
  return settings;
}

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& toolchain : {compiler_.nvcc(), compiler_.toolchain()}) {
      if (!toolchain) GTEST_SKIP() << to_string(toolchain.errors());
      if (toolchain->version != kVersion) GTEST_SKIP() << "The table is of " << kVersion;
    }
  }
  Result<PreparedPointer> prepared(const kernel::Kernel& kernel, compile::Choice by) {
    Request request{.kernel = kernel, .settings = {}};
    request.compiler = by;
    return prepare(request, compiler_);
  }

  compile::Compiler compiler_{with_nvcc()};
};

/// "8 / 0 / 4"
std::string loads_of(const Prepared& prepared) {
  return prepared.build->loop ? fmt::format("{}", fmt::join(prepared.build->loop->shared_loads, " / ")) : "-";
}

TEST_F(Nvcc, CompilesTheCatalogueAsTheTableSays) {
  const auto text = read_file(TILESCOPE_SOURCE_DIR "/docs/compilers.md");
  ASSERT_TRUE(text);
  std::string missing;
  for (const kernel::Kernel& kernel : shipped_kernels().kernels) {
    const auto by_nvrtc = prepared(kernel, compile::Choice::Nvrtc), by_nvcc = prepared(kernel, compile::Choice::Nvcc);
    ASSERT_TRUE(by_nvrtc) << kernel.name << to_string(by_nvrtc.errors());
    ASSERT_TRUE(by_nvcc) << kernel.name << to_string(by_nvcc.errors());
    EXPECT_EQ((*by_nvcc)->build->compiled.compiler, "nvcc");
    const std::string row =
        fmt::format("| {} | {} | {} | {} | {} |", kernel.name, (*by_nvrtc)->build->resources->registers,
                    (*by_nvcc)->build->resources->registers, loads_of(**by_nvrtc), loads_of(**by_nvcc));
    if (text->find("\n" + row) == std::string::npos) missing += row + "\n";  // Times follow.
  }
  EXPECT_EQ(missing, "") << "docs/compilers.md lacks these rows.";
}

}  // namespace
}  // namespace tilescope::run
