#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tilescope::cli {

struct GradeOptions {
  std::string file;
  std::string lesson;
  double max_seconds = 60;
  bool json = false;
};

void add_grade_options(CLI::App& command, GradeOptions& options);

/// Marks a student's kernel by a lesson's rules. 0: passed; 1: not; 2: nothing that can be marked.
int run_grade(const GradeOptions& options);

}  // namespace tilescope::cli
