#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel/open_file.h"
#include "lesson/runs.h"

namespace tilescope::lesson {

/// One thing that a student's kernel was marked for.
struct GradeItem {
  std::string name;  ///< "right at 64", "clean at 64", or that of a requirement.
  bool passed = false;
  std::string message;  ///< Why not, or what was counted.
};

struct Grade {
  std::string kernel;
  std::vector<GradeItem> items;
  bool passed() const;
  size_t points() const;  ///< Items that passed.
};

/// A student's file with the description that the lesson lends it. Errors: the lesson marks no kernels; those of
/// kernel::open_like().
Result<kernel::Kernel> student_kernel(const Lesson& lesson, const std::filesystem::path& file,
                                      const kernel::OpenWith& with = {});

/// Marks a kernel: at each size right and clean under the four checkers, at the first the requirements, which
/// like the checkers count only where the result is right. What keeps it from being launched fails its items. Only for
/// a lesson with rules.
Grade grade_kernel(const Lesson& lesson, const kernel::Kernel& kernel, Runs& runs);

}  // namespace tilescope::lesson
