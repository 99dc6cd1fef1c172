#include "wording/compiler.h"

#include "base/words.h"

namespace tilescope::wording {

std::string instead_of_nvcc_text(const run::Report& report) {
  if (!report.instead_of_nvcc || report.shared_bytes == 0) return {};
  return tr("not by nvcc, whose loads of shared memory ptxas may merge otherwise, with other registers and times");
}

}  // namespace tilescope::wording
