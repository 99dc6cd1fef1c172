#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/catalogue.h"
#include "source/program.h"

namespace tilescope::kernel {

/// The kernel that computes what is expected of this one, whose description names it: with the same arrays, settings and
/// arguments, and launched as [reference] says, else as its file launches it, else as this kernel. Errors: the file has
/// no such __global__ function.
Result<Kernel> reference_kernel(const Kernel& kernel);

/// used_extents() of the kernel's description and of its reference's.
std::string extents_with_reference(const Kernel& kernel);

/// Those other kernels of the same file that take the same arguments as `kernel`. No templates.
std::vector<std::string> possible_references(const source::Program& program, const source::Kernel& kernel);

}  // namespace tilescope::kernel
