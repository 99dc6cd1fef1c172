// Under node: what `tilescope trace KERNEL --json --compiler prebuilt` prints, for the kernels that $TILESCOPE_KERNELS
// names, each into a file NAME.json of $TILESCOPE_OUTPUT. tests/web compares.

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "kernel/catalogue.h"
#include "run/run.h"
#include "wording/report_json.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

int main() {
  using namespace tilescope;
  const kernel::Catalogue catalogue = kernel::load_catalogue(data_folder() / "kernels");
  compile::Settings settings;
  settings.choice = compile::Choice::Prebuilt;
  compile::Compiler compiler(settings);
  std::istringstream names(variable("TILESCOPE_KERNELS"));
  for (std::string name; names >> name;) {
    const auto found = kernel::find_kernel(catalogue, name);
    if (!found) return std::fprintf(stderr, "%s\n", to_string(found.errors()).c_str()), 2;
    run::Request request;
    request.kernel = *found;
    request.compiler = compile::Choice::Prebuilt;
    request.size = kernel::default_size(found->description);
    const auto report = run::make_report(request, compiler, {});
    if (!report) return std::fprintf(stderr, "%s\n", to_string(report.errors()).c_str()), 2;
    const std::string text = wording::to_json(*report).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    const auto written = write_file(std::filesystem::path(variable("TILESCOPE_OUTPUT")) / (name + ".json"), text + "\n");
    if (!written) return std::fprintf(stderr, "%s\n", to_string(written.errors()).c_str()), 2;
  }
}
