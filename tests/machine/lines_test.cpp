// The lines that a cubin says its instructions are from, against the text of those lines. Skipped where there is no
// NVRTC.
#include "sass/lines.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "built_compiler.h"
#include "kernel/catalogue.h"
#include "run/prepare.h"
#include "sass/cubin.h"
#include "sass/decode.h"

namespace tilescope::sass {
namespace {

TEST(Lines, OfPtxHaveTheOperationThatTheMachineCodeDoes) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  run::Request request;
  for (const kernel::Kernel& kernel : kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels").kernels)
    if (kernel.name == "09_thread_tile_2d") request.kernel = kernel;
  const auto prepared = run::prepare(request, nvrtc());
  ASSERT_TRUE(prepared) << to_string(prepared.errors());
  const compile::Output& compiled = (*prepared)->build->compiled;
  const std::string& entry = (*prepared)->program().function().name;
  const auto code = decode_kernel(kernel_code(compiled.cubin, entry), architecture_of(compiled.cubin));
  ASSERT_TRUE(code) << to_string(code.errors());
  const LineTable ptx = ptx_lines(compiled.cubin, entry, code->size());
  const LineTable sources = source_lines(compiled.cubin, entry, code->size());
  ASSERT_EQ(ptx.size(), code->size());
  ASSERT_EQ(sources.size(), code->size());
  const std::vector<std::string> ptx_text = lines_of(compiled.ptx), source_text = lines_of(request.kernel.source);
  const std::map<Opcode, std::string> words = {
      {Opcode::FFMA, "fma.rn.f32"}, {Opcode::LDG, "ld.global"}, {Opcode::STG, "st.global"}, {Opcode::BAR, "bar.sync"}};
  std::map<Opcode, int> seen;
  for (size_t i = 0; i < code->size(); ++i) {
    const auto word = words.find((*code)[i].opcode);
    if (word == words.end()) continue;
    ASSERT_GT(ptx[i].line, 0u);
    EXPECT_NE(ptx_text.at(ptx[i].line - 1).find(word->second), std::string::npos) << to_string((*code)[i]);
    if (word->first == Opcode::BAR) {
      EXPECT_NE(source_text.at(sources[i].line - 1).find("__syncthreads"), std::string::npos);
    }
    EXPECT_EQ(sources[i].file, "09_thread_tile_2d.cu");
    ++seen[word->first];
  }
  EXPECT_EQ(seen.size(), words.size());
}

TEST(Lines, OfWhatHasNoneAreEmpty) {
  EXPECT_TRUE(ptx_lines({}, "k", 3).empty());
  const std::vector<uint8_t> noise(4096, 0x5a);
  EXPECT_TRUE(source_lines(noise, "k", 3).empty());
}

}  // namespace
}  // namespace tilescope::sass
