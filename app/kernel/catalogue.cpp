#include "kernel/catalogue.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/turns.h"
#include "kernel/model.h"

namespace tilescope::kernel {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLargestFile = size_t{4} << 20;

constexpr std::string_view kStart = R"toml(title = "My kernel"
arguments = ["A", "B", "C", "M", "N", "K"]
[launch]
block = [32, 32]
grid = ["ceil_div(N, 32)", "ceil_div(M, 32)"])toml";

// "09_thread_tile_2d" is number 9 and "thread_tile_2d".
std::pair<int, std::string> split_name(const std::string& name) {
  int number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end == name.data() + name.size() || *end != '_') return {0, name};
  return {number, std::string(end + 1, name.data() + name.size())};
}

bool is_called(const Kernel& kernel, std::string_view wanted) {
  int number = 0;
  const auto [end, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (problem == std::errc() && end == wanted.data() + wanted.size()) return number > 0 && number == kernel.number;
  return wanted == kernel.name || wanted == split_name(kernel.name).second;
}

// The one with the nearest name, and those whose name contains the wanted word.
Message suggestion(const Catalogue& catalogue, std::string_view wanted) {
  std::vector<std::string> names, found, all;
  for (const Kernel& kernel : catalogue.kernels) {
    names.push_back(kernel.name);
    names.push_back(split_name(kernel.name).second);
    all.push_back(kernel.name);
  }
  const std::string nearest = nearest_name(wanted, names);
  for (const Kernel& kernel : catalogue.kernels)
    if ((!nearest.empty() && is_called(kernel, nearest)) ||
        (wanted.size() > 2 && kernel.name.find(wanted) != std::string::npos))
      found.push_back(kernel.name);
  if (!found.empty()) return Message("did you mean {}?", fmt::join(found, " or "));
  return all.empty() ? Message("there are none.") : Message("there are {}.", join_with_and({all.begin(), all.end()}));
}

}  // namespace

Precision precision_of(const Kernel& kernel) {
  for (const Array& array : kernel.description.arrays) {
    if (array.name != "A") continue;
    if (array.element == Element::BF16) return Precision::Bf16;
    if (array.element == Element::F16) return Precision::Fp16;
  }
  const auto names = [&](const char* text) { return kernel.source.find(text) != std::string::npos; };
  return names(".tf32") || names("precision::tf32") ? Precision::Tf32 : Precision::Fp32;
}

Result<Kernel> load_kernel(const fs::path& cu_file) {
  Kernel kernel;
  kernel.file = cu_file;
  kernel.name = cu_file.stem().string();
  kernel.number = split_name(kernel.name).first;
  Result<std::string> source = read_file(cu_file, kLargestFile);
  if (!source) return source.errors();
  kernel.source = std::move(*source);
  kernel.headers = source::read_headers(kernel.source, cu_file.parent_path(), {});
  const fs::path description_file = fs::path(cu_file).replace_extension(".toml");
  std::error_code ignored;
  if (!fs::exists(description_file, ignored))
    return error(fmt::format("{} is missing: it describes {}. Start with this and see kernels/README.md:\n{}",
                             description_file.string(), cu_file.filename().string(), kStart));
  const Result<std::string> toml = read_file(description_file, kLargestFile);
  if (!toml) return toml.errors();
  Result<Description> description = parse_description(*toml, description_file.string());
  if (!description) return description.errors();
  kernel.description = std::move(*description);
  return kernel;
}

Catalogue load_catalogue(const fs::path& folder) {
  Catalogue catalogue;
  std::error_code problem;
  std::vector<fs::path> files;
  fs::directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
    if (entry->path().extension() == ".cu") files.push_back(entry->path());
  if (problem)
    catalogue.problems.push_back(error(fmt::format("{}: cannot be listed: {}.", folder.string(), problem.message())));
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    Result<Kernel> kernel = load_kernel(file);
    if (kernel)
      catalogue.kernels.push_back(std::move(*kernel));
    else
      catalogue.problems.insert(catalogue.problems.end(), kernel.errors().begin(), kernel.errors().end());
    let_turns_pass();
  }
  std::stable_sort(catalogue.kernels.begin(), catalogue.kernels.end(), [](const Kernel& a, const Kernel& b) {
    return std::tie(a.number, a.name) < std::tie(b.number, b.name);
  });
  return catalogue;
}

Result<Kernel> find_kernel(const Catalogue& catalogue, std::string_view wanted) {
  std::vector<const Kernel*> found;
  std::vector<std::string> names;
  for (const Kernel& kernel : catalogue.kernels)
    // A whole name comes before a part of another's: a lesson's "bank_free" before "14_bank_free".
    if (kernel.name == wanted) {
      return kernel;
    } else if (is_called(kernel, wanted)) {
      found.push_back(&kernel);
      names.push_back(kernel.name);
    }
  if (found.size() == 1) return *found.front();
  if (found.size() > 1)
    return error(Message("\"{}\" names {}; say which.", wanted, join_with_and({names.begin(), names.end()})));
  Diagnostics problems{error(Message("There is no kernel \"{}\"; {}", wanted, suggestion(catalogue, wanted)))};
  problems.insert(problems.end(), catalogue.problems.begin(), catalogue.problems.end());
  return problems;
}

std::vector<Anchor> find_anchors(std::string_view source) {
  std::vector<Anchor> anchors;
  int line_number = 0;
  for (const std::string& line : lines_of(source)) {
    ++line_number;
    const size_t mark = line.rfind("// [");
    if (mark != std::string::npos && line.ends_with(']'))
      anchors.push_back({line.substr(mark + 4, line.size() - mark - 5), line_number});
  }
  return anchors;
}

int find_line(std::string_view source, std::string_view name) {
  for (const Anchor& anchor : find_anchors(source))
    if (anchor.name == name) return anchor.line;
  const size_t at = name.empty() ? std::string_view::npos : source.find(name);
  if (at == std::string_view::npos) return 0;
  return line_of(source, at);
}

}  // namespace tilescope::kernel
