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
  std::string launch;  ///< See launch_text().
  bool passed() const;
  size_t points() const;  ///< Passed items.
};

/// A student's file with the lesson's description. Errors: the lesson marks no kernels; the file includes another
/// program; those of kernel::open_like().
Result<kernel::Kernel> student_kernel(const Lesson& lesson, const std::filesystem::path& file,
                                      const kernel::OpenWith& with = {});

/// "It is called as `__global__ void tile(const float *A, ...)`. ...": how the lesson calls a kernel that it marks, the
/// macros and shape of the launch at the first size, and which of the macros a student's file does not use.
std::string launch_text(const GradeRules& rules, const kernel::Kernel& kernel);

/// A size to mark at besides those of the rules, so that a kernel cannot be made for those: the same for one seed. Its
/// extents are multiples of what divides those of the rules, or any where theirs are.
kernel::Size drawn_size(const GradeRules& rules, uint64_t seed);

/// Marks a kernel: right, clean under the four checkers, without atomics and writes to inputs, and by the lesson's
/// requirements, each at every size of the rules and at the one drawn by the seed, which also draws the block that is
/// looked at. Checkers and requirements count only if the result is right. If it cannot be launched its items fail.
/// Only for a lesson with rules.
Grade grade_kernel(const Lesson& lesson, const kernel::Kernel& kernel, Runs& runs, uint64_t seed);

}  // namespace tilescope::lesson
