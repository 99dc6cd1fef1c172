#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel/open_file.h"
#include "lesson/runs.h"

namespace tilescope::lesson {

/// One criterion that a student's kernel was marked by.
struct GradeItem {
  std::string name;  ///< "right at 64", "clean at 64", or a requirement's.
  bool passed = false;
  std::string message;  ///< Why not, or what was counted.
};

struct Grade {
  std::string kernel;
  std::vector<GradeItem> items;
  bool passed() const;
  size_t points() const;  ///< Passed items.
};

/// A student's file with the lesson's description. Errors: the lesson marks no kernels; those of kernel::open_like().
Result<kernel::Kernel> student_kernel(const Lesson& lesson, const std::filesystem::path& file,
                                      const kernel::OpenWith& with = {});

/// Marks a kernel: right and clean under the four checkers at each size, and the requirements at the first. Checkers
/// and requirements count only if the result is right. If it cannot be launched its items fail. Only for a lesson with
/// rules.
Grade grade_kernel(const Lesson& lesson, const kernel::Kernel& kernel, Runs& runs);

}  // namespace tilescope::lesson
