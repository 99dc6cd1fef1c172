#include "kernel/open_file.h"

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "kernel/propose.h"
#include "kernel/reference.h"

namespace tilescope::kernel {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLargestSource = size_t{4} << 20;

void move_to_header(Kernel& kernel, size_t header, const std::vector<fs::path>& include_folders) {
  const source::File file = kernel.headers[header];
  const std::string context = source::context_of(kernel.source, kernel.headers, header);
  std::vector<fs::path> folders = include_folders;
  folders.push_back(kernel.file.parent_path().empty() ? fs::path(".") : kernel.file.parent_path());
  kernel.file = file.path;
  kernel.name = file.path.stem().string();
  kernel.source = file.text;
  kernel.headers = source::read_headers(context + file.text, file.path.parent_path(), folders);
  std::erase_if(kernel.headers, [&](const source::File& own) { return own.path == file.path; });
  kernel.headers.push_back({source::kContextHeader, context, {}});
}

Result<Opened> describe(Kernel kernel, const OpenWith& with) {
  const source::Program program = source::read_program(kernel.source, kernel.headers);
  Result<Proposal> proposal = propose(program, kernel.name, with.entry);
  if (!proposal) {
    Diagnostics problems = proposal.errors();
    for (Diagnostic& problem : problems) problem.at.file = kernel.file.string();
    return problems;
  }
  if (proposal->file > 0) move_to_header(kernel, proposal->file - 1, with.include_folders);
  Result<Description> description = parse_description(to_toml(proposal->form), description_file(kernel).string());
  if (!description) return description.errors();
  kernel.description = std::move(*description);
  std::vector<std::string> entries;
  for (const source::Kernel& each : program.kernels) entries.push_back(each.name);
  const std::string name = proposal->form.entry.substr(0, proposal->form.entry.find('<'));
  const auto opened = std::find_if(program.kernels.begin(), program.kernels.end(),
                                   [&](const source::Kernel& each) { return each.name == name; });
  std::vector<std::string> references;
  if (opened != program.kernels.end()) references = possible_references(program, *opened);
  return Opened{std::move(kernel), std::move(proposal->form), std::move(entries), std::move(proposal->assumed),
                std::move(references)};
}

}  // namespace

void set_apart(Kernel& kernel, const Catalogue& catalogue) {
  const auto is_same = [&](const Kernel& other) { return other.name == kernel.name; };
  if (std::any_of(catalogue.kernels.begin(), catalogue.kernels.end(), is_same))
    kernel.name = kernel.file.filename().string();
}

fs::path description_file(const Kernel& kernel) { return fs::path(kernel.file).replace_extension(".toml"); }

bool has_description(const Kernel& kernel) {
  std::error_code ignored;
  return fs::exists(description_file(kernel), ignored);
}

Result<Opened> open_file(const fs::path& file, const OpenWith& with) {
  std::error_code ignored;
  if (!with.propose && fs::exists(fs::path(file).replace_extension(".toml"), ignored)) {
    Result<Kernel> kernel = load_kernel(file);
    if (!kernel) return kernel.errors();
    if (!with.entry.empty()) kernel->description.entry = with.entry;
    if (!with.include_folders.empty())
      kernel->headers = source::read_headers(kernel->source, file.parent_path(), with.include_folders);
    return Opened{std::move(*kernel), std::nullopt, {}, {}};
  }
  Result<std::string> text = read_file(file, kLargestSource);
  if (!text) return text.errors();
  Kernel kernel;
  kernel.file = file;
  kernel.name = file.stem().string();
  kernel.source = std::move(*text);
  kernel.headers = source::read_headers(kernel.source, file.parent_path(), with.include_folders);
  return describe(std::move(kernel), with);
}

}  // namespace tilescope::kernel
