#include "kernel/open_file.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text.h"
#include "kernel/propose.h"
#include "kernel/reference.h"
#include "source/tokens.h"

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

/// Why a file has no kernel: what is written there may be meant for one.
Diagnostic no_kernel(const Kernel& kernel) {
  const std::string& text = kernel.source;
  const source::Tokens tokens = source::tokenize(text);
  const auto wrong_at = [&](size_t token, const Message& message) {
    const auto [line, column] = line_and_column(text, tokens[token].begin);
    return error_at({kernel.file.string(), line, column}, message, lines_of(text)[static_cast<size_t>(line) - 1]);
  };
  const auto is_marked = [&](const source::Token& token) {
    return token.kind == source::TokenKind::Word && source::text_of(text, token) == "__global__";
  };
  const auto marked = std::ranges::find_if(tokens, is_marked) - tokens.begin();
  if (const auto first = static_cast<size_t>(marked); first < tokens.size()) {
    const size_t open = source::first_unclosed(text, tokens);
    if (open < tokens.size())
      return wrong_at(open, Message("Nothing closes this {}, so that no __global__ function can be read.",
                                    std::string(source::text_of(text, tokens[open]))));
    return wrong_at(first, Message("No function with parameters and a body follows this __global__."));
  }
  return error_at({kernel.file.string()}, Message("The source has no __global__ function; add one."));
}

/// The file's own description; errors name it.
Result<Proposal> propose_for(const Kernel& kernel, const source::Program& program, const std::string& entry) {
  Result<Proposal> proposal = propose(program, kernel.name, entry);
  if (proposal) return proposal;
  Diagnostics problems = proposal.errors();
  for (Diagnostic& problem : problems) problem.at.file = kernel.file.string();
  return problems;
}

Result<Opened> describe(Kernel kernel, const OpenWith& with) {
  const source::Program program = source::read_program(kernel.source, kernel.headers);
  if (program.kernels.empty()) return no_kernel(kernel);
  Result<Proposal> proposal = propose_for(kernel, program, with.entry);
  if (!proposal) return proposal.errors();
  if (proposal->file > 0) move_to_header(kernel, proposal->file - 1, with.include_folders);
  Result<Description> description = description_of(proposal->form, description_file(kernel).string());
  if (!description)  // What it names would be a file that does not exist.
    return error_at({kernel.file.string()}, description.errors().front().message);
  kernel.description = std::move(*description);
  kernel.description.proposed = true;
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

/// Without the mark that Windows puts before UTF-8. Errors: it is no text.
Result<std::string> source_text(const fs::path& file) {
  Result<std::string> text = read_file(file, kLargestSource);
  if (!text) return text;
  if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  if (text->starts_with("\xff\xfe") || text->starts_with("\xfe\xff"))
    return error(Message("{} is UTF-16; save it as UTF-8.", file.string()));
  if (text->find('\0') != std::string::npos)
    return error(Message("{} is no text: it has NUL bytes. Give the .cu file.", file.string()));
  return text;
}

/// Whether a file comes with this program.
bool ships(const fs::path& file) {
  std::error_code problem;
  const fs::path shipped = fs::weakly_canonical(data_folder(), problem);
  const std::string below = fs::weakly_canonical(file, problem).lexically_relative(shipped).string();
  return below.starts_with("kernels/") || below.starts_with("lessons/") || below.starts_with("examples/");
}

/// Puts the file's text and its headers' in place of the kernel's own.
Result<std::monostate> read_source(Kernel& kernel, const fs::path& file, const OpenWith& with) {
  Result<std::string> text = source_text(file);
  if (!text) return text.errors();
  kernel.file = file;
  kernel.name = file.stem().string();
  kernel.source = std::move(*text);
  kernel.is_users = !ships(file);
  kernel.headers = source::read_headers(kernel.source, file.parent_path(), with.include_folders);
  return std::monostate{};
}

/// Whether a text includes a file of that name.
bool includes(const std::string& text, const fs::path& name) {
  for (const source::Token& token : source::tokenize(text))
    if (token.kind == source::TokenKind::Directive &&
        fs::path(source::included_name(source::text_of(text, token))).filename() == name)
      return true;
  return false;
}

/// Of a file that includes nothing, the one beside it that includes it, and whose headers and definitions it needs;
/// empty if there is none.
fs::path includer_of(const fs::path& file, const std::string& text) {
  constexpr size_t kMostFiles = 256;
  if (text.find("#include") != std::string::npos) return {};
  const fs::path folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
  std::vector<fs::path> beside;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem))
    if (entry.path().extension() == ".cu" && entry.path().filename() != file.filename() && beside.size() < kMostFiles)
      beside.push_back(folder / entry.path().filename());
  std::sort(beside.begin(), beside.end());
  for (const fs::path& other : beside)
    if (const Result<std::string> other_text = read_file(other, kLargestSource);
        other_text && includes(*other_text, file.filename()))
      return other;
  return {};
}

/// Opens the file as a part of the one that includes it; nullopt if it has no kernel.
std::optional<Result<Opened>> open_within(const fs::path& includer, const fs::path& file, OpenWith with) {
  Kernel kernel;
  if (!read_source(kernel, includer, with)) return std::nullopt;
  const source::Program program = source::read_program(kernel.source, kernel.headers);
  const auto own = std::find_if(program.kernels.begin(), program.kernels.end(), [&](const source::Kernel& each) {
    return each.file > 0 && kernel.headers[each.file - 1].path.filename() == file.filename();
  });
  if (own == program.kernels.end()) return std::nullopt;
  if (with.entry.empty()) with.entry = own->name;
  return describe(std::move(kernel), with);
}

/// The kernel called `entry`, else the only one of the text beside a reference, or of the headers if the text has none.
Result<const source::Kernel*> choose_kernel(const Kernel& kernel, const source::Program& program,
                                            const std::string& entry) {
  std::vector<const source::Kernel*> found;
  std::vector<std::string> names;
  const std::string wanted = entry.substr(0, entry.find('<'));
  const std::string reference = kernel.description.reference ? kernel.description.reference->entry : "";
  for (const source::Kernel& each : program.kernels) {
    const bool is_meant = wanted.empty() ? each.name != reference && (found.empty() || found.front()->file == each.file)
                                         : each.name == wanted || each.name.ends_with("::" + wanted);
    if (is_meant) found.push_back(&each);
    names.push_back(each.name);
  }
  if (found.size() == 1) return found.front();
  if (names.empty()) return no_kernel(kernel);
  if (found.empty())
    return error_at({kernel.file.string()},
                    Message("The source has no __global__ function {}; it has {}.", entry, names_text(names)));
  return error_at({kernel.file.string()}, Message("The source has {} __global__ functions ({}); say which: --entry {}.",
                                                  found.size(), names_text(names), found.front()->name));
}

/// "tile<TILE, 8>": a parameter of the lender is replaced by its value.
std::string with_parameters(const std::string& entry, const source::Kernel& of, const Description& lender) {
  std::vector<std::string> arguments =
      source::split_list(std::string_view(entry).substr(entry.find('<') + 1, entry.size() - entry.find('<') - 2));
  for (size_t i = 0; i < std::min(arguments.size(), of.template_parameters.size()); ++i)
    if (lender.parameter(of.template_parameters[i].name)) arguments[i] = of.template_parameters[i].name;
  return fmt::format("{}<{}>", of.name, fmt::join(arguments, ", "));
}

/// With a value for each parameter of the template that the lender has none for.
Result<std::string> instance_of(const Kernel& kernel, const source::Program& program, const source::Kernel& of,
                                const std::string& entry) {
  const auto& parameters = of.template_parameters;
  if (parameters.empty()) return of.name;
  const bool is_all_lent = std::all_of(parameters.begin(), parameters.end(), [&](const source::Parameter& parameter) {
    return kernel.description.parameter(parameter.name) != nullptr;
  });
  if (entry.ends_with('>')) return entry;
  if (is_all_lent) {
    std::vector<std::string> names;
    for (const source::Parameter& parameter : parameters) names.push_back(parameter.name);
    return fmt::format("{}<{}>", of.name, fmt::join(names, ", "));
  }
  const Result<Proposal> proposal = propose_for(kernel, program, of.name);
  if (!proposal) return proposal.errors();
  // What is lent a description is judged by it: nothing of it may be a guess.
  if (!proposal->unsaid.empty())
    return error_at({kernel.file.string()}, template_value_missing(of.name, proposal->unsaid));
  return with_parameters(proposal->form.entry, of, kernel.description);
}

/// The lender's parameters that are extents of its block get what the file itself launches, where they may: a tile of
/// 16 is launched with blocks of 16.
void take_block(Description& description, const LaunchForm& launched) {
  const std::vector<std::string> extents = source::split_list(launched.block);
  if (launched.guessed || extents.size() != description.block.size()) return;
  for (size_t d = 0; d < extents.size(); ++d)
    for (Parameter& parameter : description.parameters)
      if (parameter.name == description.block[d].text)
        for (const int64_t value : parameter.values)
          if (fmt::format("{}", value) == extents[d]) parameter.default_value = value;
}

}  // namespace

bool is_kernel_file(const fs::path& file) { return file.extension() == ".cu" || file.extension() == ".cuh"; }

std::string full_path(const Kernel& kernel) { return fs::absolute(kernel.file).lexically_normal().string(); }

void set_apart(Kernel& kernel, const Catalogue& catalogue) {
  if (kernel.is_users) {
    kernel.name = full_path(kernel);
    return;
  }
  const auto is_same = [&](const Kernel& other) { return other.name == kernel.name; };
  if (std::any_of(catalogue.kernels.begin(), catalogue.kernels.end(), is_same))
    kernel.name = kernel.file.filename().string();
}

Diagnostics describe_by(Kernel& kernel, const LaunchForm& form) {
  Result<Description> description = description_of(form, kernel.name + ".toml");
  if (!description) return description.errors();
  for (Array& array : description->arrays)
    for (const Array& before : kernel.description.arrays)
      if (before.name == array.name) array.content = before.content;
  kernel.description = std::move(*description);
  return {};
}

void take_form(Opened& opened, const std::map<std::string, LaunchForm>& forms) {
  const auto found = forms.find(full_path(opened.kernel));
  if (found == forms.end() || !opened.form) return;
  LaunchForm form = found->second;
  const auto same = [](const FormArgument& a, const FormArgument& b) {
    return a.parameter == b.parameter && a.is_array == b.is_array && a.element == b.element;
  };
  if (form.entry != opened.form->entry || !std::ranges::equal(form.arguments, opened.form->arguments, same)) return;
  form.line = opened.form->line;
  if (describe_by(opened.kernel, form).empty()) opened.form = std::move(form);
}

fs::path description_file(const Kernel& kernel) { return fs::path(kernel.file).replace_extension(".toml"); }

Result<Opened> open_file(const fs::path& file, const OpenWith& with) {
  std::error_code ignored;
  if (!with.propose && fs::exists(fs::path(file).replace_extension(".toml"), ignored)) {
    Result<Kernel> kernel = load_kernel(file);
    if (!kernel) return kernel.errors();
    kernel->is_users = !ships(file);
    if (!with.entry.empty()) kernel->description.entry = with.entry;
    if (!with.include_folders.empty())
      kernel->headers = source::read_headers(kernel->source, file.parent_path(), with.include_folders);
    return Opened{std::move(*kernel), std::nullopt, {}, {}};
  }
  Kernel kernel;
  if (const auto read = read_source(kernel, file, with); !read) return read.errors();
  if (const fs::path includer = includer_of(file, kernel.source); !includer.empty())
    if (auto opened = open_within(includer, file, with)) return std::move(*opened);
  return describe(std::move(kernel), with);
}

Result<Kernel> open_like(const fs::path& file, const Kernel& lender, const OpenWith& with) {
  Kernel kernel = lender;
  kernel.number = 0;
  if (lender.description.reference) kernel.referee = std::make_shared<const Kernel>(lender);
  if (const auto read = read_source(kernel, file, with); !read) return read.errors();
  const source::Program program = source::read_program(kernel.source, kernel.headers);
  const Result<const source::Kernel*> chosen = choose_kernel(kernel, program, with.entry);
  if (!chosen) return chosen.errors();
  Result<std::string> entry = instance_of(kernel, program, **chosen, with.entry);
  if (!entry) return entry.errors();
  kernel.description.entry = std::move(*entry);
  if (const Result<Proposal> own = propose_for(kernel, program, (*chosen)->name))
    take_block(kernel.description, own->form);
  if ((*chosen)->file > 0) move_to_header(kernel, (*chosen)->file - 1, with.include_folders);
  return kernel;
}

}  // namespace tilescope::kernel
