#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "compile/compile.h"
#include "kernel/open_file.h"
#include "prebuilt_only.h"
#include "run/traced_block.h"
#include "shipped_kernels.h"
#include "textbook.h"
#include "view/focus.h"

/// Scenes of the kernels that ship, for tests of pictures. From the prebuilt PTX alone, so that they are the same on
/// every machine; made once a test program.
namespace tilescope::view {

inline run::Request request_for(const std::string& kernel, kernel::Size size, const std::string& preset = "") {
  run::Request request;
  const Result<kernel::Kernel> found = kernel::find_kernel(shipped_kernels(), kernel);
  EXPECT_TRUE(found) << kernel;
  if (!found) return request;
  request.kernel = *found;
  request.size = size;
  if (preset.empty()) {
    request.settings = textbook_settings(found->name);
    return request;
  }
  const Result<kernel::Settings> settings = kernel::preset_settings(found->description, preset);
  EXPECT_TRUE(settings) << preset;
  if (settings) request.settings = *settings;
  return request;
}

/// A block of a request, run and recorded.
inline Result<std::shared_ptr<const run::TracedBlock>> trace_block(const run::Request& request, compile::Compiler& compiler,
                                                              const run::BlockPosition& block = {0, 0}) {
  const Result<run::PreparedPointer> prepared = run::prepare(request, compiler);
  if (!prepared) return prepared.errors();
  return run::trace_block(*prepared, block);
}

/// The whole grid of a request, counted.
inline Result<std::shared_ptr<const run::GridCounts>> grid_counts(const run::Request& request,
                                                                  compile::Compiler& compiler) {
  const Result<run::PreparedPointer> prepared = run::prepare(request, compiler);
  if (!prepared) return prepared.errors();
  return run::count_grid(*prepared);
}

/// The traced block of block (x, y) of a kernel at that size, with its textbook tiles or a preset. `kernel` as for
/// find_kernel(). Null when there is none; the test has failed then.
inline std::shared_ptr<const run::TracedBlock> traced_of(const std::string& kernel, kernel::Size size = {256, 256, 64},
                                                         const std::string& preset = "", uint32_t x = 0,
                                                         uint32_t y = 0) {
  using Key = std::tuple<std::string, int64_t, int64_t, int64_t, std::string, uint32_t, uint32_t>;
  static compile::Compiler compiler(prebuilt_only());
  static std::map<Key, std::shared_ptr<const run::TracedBlock>> made;
  auto& traced = made[{kernel, size.m, size.n, size.k, preset, x, y}];
  if (traced) return traced;
  const auto result = trace_block(request_for(kernel, size, preset), compiler, {x, y});
  EXPECT_TRUE(result) << kernel << ": " << (result ? "" : to_string(result.errors()));
  if (result) traced = *result;
  return traced;
}

/// Block (x, y) of a lesson's own kernel, by its place under lessons/. Null when there is none; the test has failed
/// then.
inline std::shared_ptr<const run::TracedBlock> traced_of_lesson(const std::string& file, kernel::Size size,
                                                                const kernel::Settings& settings, uint32_t x = 0,
                                                                uint32_t y = 0) {
  static compile::Compiler compiler(prebuilt_only());
  const Result<kernel::Opened> opened = kernel::open_file(data_folder() / "lessons" / file);
  EXPECT_TRUE(opened) << file;
  if (!opened) return nullptr;
  run::Request request;
  request.kernel = opened->kernel;
  request.settings = settings;
  request.size = size;
  const auto traced = trace_block(request, compiler, {x, y});
  EXPECT_TRUE(traced) << file << ": " << (traced ? "" : to_string(traced.errors()));
  return traced ? *traced : nullptr;
}

/// Scenes of the kernels of the catalogue, at their defaults; without 18, 20 and 25, which have twelve warps each with
/// the unrolled loop of 17 and would take as long as all others.
inline std::vector<std::shared_ptr<const run::TracedBlock>> every_traced() {
  std::vector<std::shared_ptr<const run::TracedBlock>> traced_blocks;
  for (const kernel::Kernel& kernel : shipped_kernels().kernels)
    if (kernel.number != 18 && kernel.number != 20 && kernel.number != 25)
      traced_blocks.push_back(traced_of(kernel.name));
  return traced_blocks;
}

/// Those whose tiles of A and B lie in arrays of their own, and whose threads multiply and store: the ones before TMA
/// and tensor cores.
inline std::vector<std::shared_ptr<const run::TracedBlock>> traced_of_threads_products() {
  std::vector<std::shared_ptr<const run::TracedBlock>> traced_blocks = every_traced();
  std::erase_if(traced_blocks, [](const auto& traced) { return traced->request().kernel.number >= 17; });
  return traced_blocks;
}

/// The input of a picture at that moment, with nothing pointed at.
inline Focus focus_at(const run::TracedBlock& traced, const analysis::StepRef& at = {}) {
  Focus focus;
  focus.traced = &traced;
  focus.cursor = at;
  return focus;
}

}  // namespace tilescope::view
