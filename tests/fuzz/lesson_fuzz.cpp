// Any bytes as a lesson, with the kernels that ship: every problem is a sentence with its place in the file, and the
// rest is read. Never a crash or a hang.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "lesson/course.h"
#include "sentences.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilescope;
  static const std::filesystem::path source(TILESCOPE_SOURCE_DIR);
  static const kernel::Catalogue kernels = kernel::load_catalogue(source / "kernels");
  Diagnostics problems;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lesson::Lesson lesson =
      lesson::parse_lesson(text, source / "lessons" / "11-bug-hunt" / "lesson.md", kernels, problems);
  if (!problems.empty()) demand_sentences(problems);
  for (lesson::Step& step : lesson.steps)
    lesson::for_each_span(step.text, [](lesson::Span& span) {
      if (span.kind == lesson::SpanKind::Formula) lesson::readable_formula(span.target);
    });
  return 0;
}
