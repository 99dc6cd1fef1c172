// Under node: what the engine says of everything that ships, as files in the current folder, for the comparison with
// the native program: tests/web/same_truth. KERNEL.json and KERNEL.PRESET.json are what `tilescope trace KERNEL
// --preset PRESET --compiler prebuilt --json` prints, LESSON.LANGUAGE.md what `tilescope lesson sheet LESSON --answers
// --lang LANGUAGE` prints; speed.txt how many thread instructions of a large product the emulator does in a second.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/words.h"
#include "kernel/catalogue.h"
#include "lesson/course.h"
#include "lesson/sheet.h"
#include "run/run.h"
#include "run/run_cache.h"
#include "wording/report_json.h"

namespace {
#include "emulator/lane_types.h"

using namespace tilescope;

[[noreturn]] void fail(const Diagnostics& problems) {
  std::fprintf(stderr, "%s\n", to_string(problems).c_str());
  std::exit(2);
}

void write(const std::string& name, const std::string& text) {
  if (const auto written = write_file(name, text); !written) fail(written.errors());
}

void write_report(const kernel::Kernel& kernel, const kernel::Settings& settings, const std::string& name,
                  compile::Compiler& compiler) {
  run::Request request;
  request.kernel = kernel;
  request.settings = settings;
  request.compiler = compile::Choice::Prebuilt;
  request.size = kernel::default_size(kernel.description);
  const auto report = run::make_report(request, compiler, {});
  if (!report) fail(report.errors());
  write(name, wording::to_json(*report).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void write_kernels(const kernel::Catalogue& catalogue, compile::Compiler& compiler) {
  for (const kernel::Kernel& kernel : catalogue.kernels) {
    write_report(kernel, {}, kernel.name + ".json", compiler);
    for (const kernel::Preset& preset : kernel.description.presets) {
      const auto settings = kernel::preset_settings(kernel.description, preset.name);
      if (!settings) fail(settings.errors());
      write_report(kernel, *settings, kernel.name + "." + preset.name + ".json", compiler);
    }
  }
}

/// The second time: at first the machine code is still being made.
void write_speed(const kernel::Catalogue& catalogue, compile::Compiler& compiler) {
  run::Request request;
  request.kernel = *std::ranges::find(catalogue.kernels, 9, &kernel::Kernel::number);
  request.compiler = compile::Choice::Prebuilt;
  request.size = {512, 512, 512};
  double speed = 0;
  for (int time = 0; time < 2; ++time) {
    const auto begun = std::chrono::steady_clock::now();
    const auto report = run::make_report(request, compiler, {});
    if (!report) fail(report.errors());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    speed = static_cast<double>(report->counts.thread_instructions) / taken.count();
  }
  write("speed.txt", std::to_string(speed));
}

/// Products of 26 bits, many of them in the middle between two floats; exponents so that they overflow, that sums are
/// subnormal, or that c is too small to be seen in a double.
void write_fused() {
  struct Exponents {
    uint32_t a[2], b[2], c[2];
  };
  constexpr Exponents kExponents[] = {
      {{0, 255}, {0, 255}, {0, 255}}, {{60, 70}, {40, 70}, {0, 6}}, {{120, 130}, {120, 130}, {40, 70}}};
  std::mt19937 random(1);
  const auto bits = [&](const uint32_t(&exponents)[2]) {
    const uint32_t exponent = exponents[0] + random() % (exponents[1] - exponents[0] + 1);
    return (random() & 0x80000000u) | exponent << 23 | (random() & (random() % 2 ? 0x7ff800u : 0x400001u));
  };
  std::string lines;
  for (int warp = 0; warp < 400; ++warp) {
    const Exponents& exponents = kExponents[warp % 3];
    uint32_t a[32], b[32], c[32], result[34];
    for (int l = 0; l < 32; ++l) {
      a[l] = bits(exponents.a);
      b[l] = bits(exponents.b);
      c[l] = bits(exponents.c);
      if (warp % 4 != 0) continue;
      a[l] = 50u << 23 | 1;  // With b 2^-150 - 2^-196.
      b[l] = 53u << 23 | 0x7ffffeu;
      c[l] = random() & 0x807fffffu;
    }
    fused_lanes(a, b, c, result);
    for (int l = 0; l < 32; ++l) lines += fmt::format("{:08x} {:08x} {:08x} {:08x}\n", a[l], b[l], c[l], result[l]);
  }
  write("fused.txt", lines);
}

void write_lessons(const kernel::Catalogue& catalogue, compile::Compiler& compiler,
                   const std::shared_ptr<const Language>& words) {
  set_language(words);
  const std::string& language = words->language;
  run::RunCache cache(compiler);
  lesson::Runs runs(cache);
  Diagnostics problems;
  for (const lesson::Lesson& each : lesson::load_course(data_folder() / "lessons", catalogue, language).lessons)
    write(each.slug + "." + language + ".md", lesson::lab_sheet(each, runs, 0, true, problems) + "\n");
  if (!problems.empty()) fail(problems);
}

}  // namespace

int main() {
  const kernel::Catalogue catalogue = kernel::load_catalogue(data_folder() / "kernels");
  compile::Settings settings;
  settings.choice = compile::Choice::Prebuilt;
  compile::Compiler compiler(settings);
  write_fused();
  write_kernels(catalogue, compiler);
  write_speed(catalogue, compiler);
  Diagnostics problems;
  for (const auto& words : read_languages(data_folder() / "assets" / "words", problems))
    write_lessons(catalogue, compiler, words);
  if (!problems.empty()) fail(problems);
}
