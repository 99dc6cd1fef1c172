#include "cli/stages.h"

#include "run/prepare.h"

namespace tilescope::cli {

Stages stages_at(const kernel::Catalogue& catalogue, const kernel::Size& size, const std::string& arch) {
  Stages stages;
  for (const kernel::Kernel& kernel : catalogue.kernels) {
    run::Request request;
    request.kernel = kernel;
    request.size = size;
    request.arch = arch;
    const Result<kernel::Configuration> configuration = run::configure(request);
    if (configuration) {
      stages.legal.push_back(kernel);
      continue;
    }
    Diagnostic why = configuration.errors().front();
    why.severity = Severity::Note;
    why.message = Message("{} is skipped: {}", kernel.name, why.message);
    stages.skipped.push_back(std::move(why));
  }
  return stages;
}

}  // namespace tilescope::cli
