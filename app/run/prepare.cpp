#include "run/prepare.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/occupancy.h"
#include "base/file.h"
#include "base/text.h"
#include "base/turns.h"
#include "base/words.h"
#include "kernel/declaration.h"
#include "kernel/reference.h"
#include "run/launch_memory.h"
#include "run/machine_code.h"
#include "source/asm_statements.h"
#include "source/device_part.h"
#include "source/own_constant.h"
#include "source/removed_names.h"
#include "source/tokens.h"

namespace tilescope::run {
namespace {

void check_shared(const Prepared& prepared, Diagnostics& problems) {
  const uint64_t fixed = prepared.program().static_shared_bytes();
  if (fixed > prepared.limits.shared_per_block)
    problems.push_back(
        error(Message("The kernel declares {} bytes of static shared memory per block; the limit is {}. Make its tiles "
                      "smaller, or use "
                      "dynamic shared memory, of which {} allows {} bytes.",
                      fixed, prepared.limits.shared_per_block, target_name(prepared.limits),
                      prepared.limits.shared_per_block_opt_in)));
  else if (prepared.shared_bytes() > prepared.limits.shared_per_block_opt_in)
    problems.push_back(
        error(Message("A block needs {} bytes of shared memory; {} allows {}. Make the tiles smaller.",
                      prepared.shared_bytes(), target_name(prepared.limits), prepared.limits.shared_per_block_opt_in)));
}

/// Parts of a __shared__ array in a description must be inside it; a kernel without such an array has no parts.
void check_parts(const Prepared& prepared, Diagnostics& problems) {
  for (const kernel::ArrayShape& array : prepared.configuration.arrays) {
    const auto& arrays = prepared.program().shared_arrays();
    if (array.within.empty() || arrays.empty()) continue;
    const auto whole = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const Allocation& each) { return source_name(each.name) == array.within; });
    if (whole == arrays.end()) {
      problems.push_back(error(Message("The description has {} in {}; the kernel has no __shared__ array of that name.",
                                       array.name, array.within)));
      continue;
    }
    const uint64_t bytes = whole->bytes == 0 ? prepared.configuration.dynamic_shared_bytes : whole->bytes;
    const Allocation part = part_of(*whole, array);
    if (part.base + part.bytes > whole->base + bytes || (part.pitch > 0 && part.pitch < part.part_bytes()))
      problems.push_back(
          error(Message("The description has {} at bytes {} to {} of {}, which has {}; correct \"at\", \"pitch\" or "
                        "\"shape\".",
                        array.name, array.at, array.at + part.bytes, array.within, bytes)));
  }
}

void check_launch_bounds(const Prepared& prepared, Diagnostics& problems) {
  const ptx::Function& entry = prepared.program().function();
  const Dim3 block = prepared.configuration.block;
  const std::array<uint32_t, 3> wanted{block.x, block.y, block.z};
  if (entry.required_threads[0] != 0 && entry.required_threads != wanted)
    problems.push_back(error(Message("The kernel requires blocks of {} threads, but it is launched with {}.",
                                     fmt::join(entry.required_threads, " x "), fmt::join(wanted, " x "))));
  const uint64_t most =
      uint64_t{entry.max_threads[0]} * std::max(1U, entry.max_threads[1]) * std::max(1U, entry.max_threads[2]);
  if (most != 0 && block.count() > most)
    problems.push_back(error(
        Message("__launch_bounds__ limits a block to {} threads, but it is launched with {}.", most, block.count())));
}

void check_registers(const Prepared& prepared, Diagnostics& problems) {
  if (!prepared.build->resources) return;
  const uint64_t threads = prepared.configuration.block.count();
  const compile::Resources& resources = *prepared.build->resources;
  const analysis::Occupancy occupancy =
      analysis::occupancy(prepared.limits, {threads, resources.registers, 0, 0, resources.barriers});
  if (occupancy.blocks_per_sm > 0) return;
  problems.push_back(error(Message(
      "A block of {} threads with {} registers per thread does not fit on {}, which has {} registers per "
      "block. Use fewer threads, or __launch_bounds__({}).",
      threads, resources.registers, target_name(prepared.limits), prepared.limits.registers_per_block, threads)));
}

bool takes_float(const ptx::Variable& parameter) {
  return parameter.type == ptx::Type::F32 || parameter.type == ptx::Type::F64;
}
bool is_float(Element element) { return element == Element::F32 || element == Element::F64; }

void check_arguments(const Request& request, const Prepared& prepared, Diagnostics& problems) {
  const auto& arguments = prepared.configuration.arguments;
  const auto& parameters = prepared.program().function().parameters;
  const kernel::Description& description = request.kernel.description;
  const std::string name = description.entry.empty() ? request.kernel.file.stem().string() : description.entry;
  const std::string called = kernel::declaration(description, name);
  if (arguments.size() != parameters.size()) {
    problems.push_back(error(Message("{} must have {} parameters, not {}: it is called as {}.", name, arguments.size(),
                                     parameters.size(), called)));
    return;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const uint64_t size = arguments[i].tensor       ? TensorMap::kBytes
                          : arguments[i].array >= 0 ? 8
                                                    : size_of(arguments[i].element);
    if (parameters[i].bytes != size)
      problems.push_back(error(Message("Parameter {} of {} must have {} bytes, as {} has, not {}: it is called as {}.",
                                       i + 1, name, size, arguments[i].name, parameters[i].bytes, called)));
    else if (arguments[i].array < 0 && !arguments[i].tensor &&
             takes_float(parameters[i]) != is_float(arguments[i].element))
      problems.push_back(error(Message("Parameter {} of {} has another type than {}: it is called as {}.", i + 1, name,
                                       arguments[i].name, called)));
  }
}

/// "void g<16>(float*)" for "_Z1gILi16EEvPf". A name that is not mangled stays.
std::string demangled(const std::string& ptx_name) {
  if (!ptx_name.starts_with("_Z")) return ptx_name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(ptx_name.c_str(), nullptr, nullptr, &status), &std::free);
  return status != 0 || !plain ? ptx_name : plain.get();
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// The name in PTX of a requested instance; else the requested name.
std::string ptx_name(const compile::Output& output, const std::string& wanted) {
  for (const auto& [instance, name] : output.names)
    if (instance == wanted && !name.empty()) return name;
  return wanted;
}

/// Adds a note on a bracket that nothing closes, unless a problem is on its line.
void add_unclosed(Diagnostics& problems, const kernel::Kernel& kernel) {
  const source::Tokens tokens = source::tokenize(kernel.source);
  const size_t open = source::first_unclosed(kernel.source, tokens);
  if (open == tokens.size()) return;
  const auto [line, column] = line_and_column(kernel.source, tokens[open].begin);
  if (std::ranges::any_of(problems, [&](const Diagnostic& problem) { return problem.at.line == line; })) return;
  const std::string bracket(source::text_of(kernel.source, tokens[open]));
  Diagnostic note =
      error_at({kernel.file.string(), line, column}, Message("Nothing closes this {}, or one after it.", bracket),
               lines_of(kernel.source)[static_cast<size_t>(line) - 1]);
  note.severity = Severity::Note;
  problems.push_back(std::move(note));
}

/// With a note for each header that was neither CUDA's nor beside the file, and was left out, and, if there are
/// problems, for each call that CUDA has no more.
Diagnostics with_notes(Diagnostics problems, const kernel::Kernel& kernel) {
  for (const auto& [header, line] : source::device_part(kernel.source, kernel.headers, "").left_out) {
    Diagnostic note = error_at({kernel.file.string(), line},
                               Message("{} is not beside the file and was left out. If device code needs it, name its "
                                       "folder: --include FOLDER.",
                                       header));
    note.severity = problems.empty() ? Severity::Warning : Severity::Note;
    problems.push_back(std::move(note));
  }
  if (problems.empty()) return problems;
  add_unclosed(problems, kernel);
  for (const source::RemovedName& call : source::removed_functions(kernel.source)) {
    Diagnostic note = error_at({kernel.file.string(), call.line}, call.sentence());
    note.severity = Severity::Note;
    problems.push_back(std::move(note));
  }
  return problems;
}

}  // namespace

kernel::Limits configuration_limits(const arch::Limits& limits) {
  return {limits.capability, limits.threads_per_block, limits.max_block,
          limits.max_grid,   limits.shared_per_block,  limits.shared_per_block_opt_in};
}

std::string instance_name(const std::string& ptx_name) {
  std::string plain = demangled(ptx_name);
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  if (const size_t unnamed = plain.find(kUnnamed); unnamed != std::string::npos) plain.erase(unnamed, kUnnamed.size());
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < plain.size(); ++i) {
    depth += plain[i] == '<' ? 1 : plain[i] == '>' ? -1 : 0;
    if (depth == 0 && plain[i] == ' ') begin = i + 1;
    if (depth == 0 && plain[i] == '(') return plain.substr(begin, i - begin);
  }
  return plain;
}

std::string source_name(const std::string& ptx_name) {
  std::string name = demangled(ptx_name);
  if (const size_t local = name.rfind(")::"); local != std::string::npos) name = name.substr(local + 3);
  name = name.substr(0, name.find_first_of("(<"));
  if (const size_t space = name.rfind(' '); space != std::string::npos) name = name.substr(space + 1);
  if (const size_t scope = name.rfind("::"); scope != std::string::npos) name = name.substr(scope + 2);
  return name;
}

Result<std::string> find_entry(const ptx::Module& module, const std::string& wanted) {
  std::vector<std::string> names, matches;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry) continue;
    if (function.name == wanted || without_spaces(instance_name(function.name)) == without_spaces(wanted))
      return function.name;
    if (source_name(function.name) == wanted) matches.push_back(function.name);
    names.push_back(function.name);
  }
  if (matches.size() == 1) return matches.front();
  if (names.empty())
    return error(
        Message("The source has no __global__ function. Add one; a template needs an explicit instantiation."));
  if (wanted.empty() && names.size() == 1) return names[0];
  if (!matches.empty()) names = matches;
  for (std::string& name : names) name = instance_name(name);
  if (wanted.empty() || !matches.empty())
    return error(Message("The source has {} __global__ functions ({}); say in the description which: entry = \"{}\".",
                         names.size(), names_text(names), names[0]));
  return error(Message("The source has no __global__ function {}; it has {}.", wanted, names_text(names)));
}

std::string key_of(const Request& request) {
  const kernel::Size& size = request.size;
  std::string key = fmt::format("{} {} {} {} {} {} {} {} {} {}", request.kernel.name, request.kernel.file.string(),
                                request.kernel.is_users, request.arch, request.device, request.seed, size.m, size.n,
                                size.k, to_string(request.compiler));
  for (const auto& [name, value] : request.settings) key.append(fmt::format(" {}={}", name, value));
  for (const source::File& header : request.kernel.headers) key += "\n" + header.name + "\n" + header.text;
  const kernel::Description& description = request.kernel.description;
  if (request.kernel.referee) key += "\n" + request.kernel.referee->source;
  for (const kernel::Array& array : description.arrays)
    if (array.guessed) key += "\n" + array.name;
  return key + "\n" + description.entry + "\n" + description.text + "\n" + request.kernel.source;
}

namespace {

/// What a user's text itself says of a parameter's name.
std::optional<source::OwnConstant> own_constant(const kernel::Kernel& kernel, const std::string& name) {
  if (!kernel.is_users) return std::nullopt;
  if (auto own = source::own_constant(kernel.source, name)) return own;
  for (const source::File& header : kernel.headers)
    if (auto own = source::own_constant(header.text, name)) return own;
  return std::nullopt;
}

/// A launch whose shape is of one value must not run code of another.
Result<std::monostate> check_own_constants(const kernel::Kernel& kernel, const std::vector<std::string>& macros) {
  for (const std::string& text : macros) {
    const compile::Macro macro = compile::parse_macro(text);
    const auto own = own_constant(kernel, macro.name);
    if (!own || own->value.empty() || own->value == macro.value) continue;
    return error_at(
        {kernel.file.string(), own->line},
        Message("The file says {} = {}, but it is run with {}. Leave out this line: the value is given to it.",
                macro.name, own->value, macro.value));
  }
  return std::monostate{};
}

}  // namespace

Result<kernel::Configuration> configure(const Request& request) {
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(request.arch));
  if (!limits) return limits.errors();
  Result<kernel::Configuration> result =
      kernel::configure(request.kernel.description, request.settings, request.size, configuration_limits(*limits));
  if (!result) return result;
  if (const auto fits = check_own_constants(request.kernel, result->macros); !fits) return fits.errors();
  return result;
}

namespace {

/// "tile<16, 8>" for "tile<TILE, 8>" where TILE is among the macros.
std::string settled_instance(const std::string& entry, const std::vector<compile::Macro>& macros) {
  const size_t open = entry.find('<');
  std::vector<std::string> arguments =
      source::split_list(std::string_view(entry).substr(open + 1, entry.size() - open - 2));
  for (std::string& argument : arguments)
    if (const auto macro = std::ranges::find(macros, argument, &compile::Macro::name); macro != macros.end())
      argument = macro->value;
  return fmt::format("{}<{}>", entry.substr(0, open), fmt::join(arguments, ", "));
}

}  // namespace

compile::Request compile_request(const Request& request, const kernel::Configuration& configuration) {
  compile::Request result;
  const std::string& entry = request.kernel.description.entry;
  source::DevicePart part = source::device_part(request.kernel.source, request.kernel.headers, entry);
  result.source = std::move(part.text);
  for (source::File& header : part.headers) result.headers.push_back({header.name, std::move(header.text)});
  std::vector<compile::Macro> macros;
  for (const std::string& text : configuration.macros) macros.push_back(compile::parse_macro(text));
  if (entry.ends_with('>')) result.instances.push_back(settled_instance(entry, macros));
  result.file_name = request.kernel.file.string();
  if (result.file_name.starts_with('-')) result.file_name.insert(0, "./");  // Else it is an option to the compiler.
  result.arch = kernel::compiled_arch(request.kernel.description, request.arch);
  std::erase_if(macros, [&](const compile::Macro& macro) {
    const auto own = own_constant(request.kernel, macro.name);
    return own && !own->is_macro;
  });
  result.macros = std::move(macros);
  result.options = configuration.options;
  result.by = request.compiler;
  result.is_users = request.kernel.is_users;
  return result;
}

namespace {

/// The launch of the kernel that the description names as its reference.
Result<Request> reference_request(const Request& request) {
  Result<kernel::Kernel> kernel = kernel::reference_kernel(request.kernel);
  if (!kernel) return kernel.errors();
  Request result = request;
  result.kernel = std::move(*kernel);
  return result;
}

Result<BuildPointer> build_reference(const Request& reference, compile::Compiler& compiler,
                                     const std::atomic<bool>* cancel) {
  const Result<kernel::Configuration> configuration = configure(reference);
  if (!configuration) return configuration.errors();
  return build(reference, compile_request(reference, *configuration), compiler, cancel);
}

Message reference_problem(const Request& reference, const Diagnostics& problems) {
  const std::string& name = reference.kernel.description.entry;
  const Diagnostic& first = problems.front();
  if (first.at.line == 0) return Message("the reference {} cannot be run: {}", name, sentence_of(first));
  return Message("the reference {} cannot be run: line {}: {}", name, first.at.line, sentence_of(first));
}

Result<PreparedPointer> prepare_reference(const Request& reference, BuildPointer build) {
  Result<kernel::Configuration> configuration = configure(reference);
  if (!configuration) return configuration.errors();
  return prepare(reference, std::move(*configuration), std::move(build));
}

/// Compilers give instructions of an asm statement the line where the statement ends; this changes it to the
/// instruction's own line.
void place_in_asm_statements(ptx::Module& module, const compile::Request& compiled) {
  const std::vector<source::AsmStatement> statements = source::asm_statements(compiled.source);
  const std::filesystem::path name = std::filesystem::path(compiled.file_name).filename();
  const auto is_kernels = [&](int32_t file) {
    return file >= 0 && static_cast<size_t>(file) < module.files.size() &&
           std::filesystem::path(module.files[static_cast<size_t>(file)]).filename() == name;
  };
  for (ptx::Function& function : module.functions)
    for (ptx::Instruction& instruction : function.instructions) {
      if (!is_kernels(instruction.source.file)) continue;
      for (const source::AsmStatement& statement : statements)
        if (statement.has(instruction.source.line)) {
          instruction.source.line = statement.line_of(ptx::mnemonic(instruction.op));
          break;
        }
    }
}

/// PTX names the kernel's file as if it were in the compiler's folder.
Diagnostics in_own_file(Diagnostics problems, const std::filesystem::path& own) {
  for (Diagnostic& problem : problems)
    if (std::filesystem::path(problem.at.file).filename() == own.filename()) problem.at.file = own.string();
  return problems;
}

}  // namespace

Result<BuildPointer> build(const Request& request, const compile::Request& wanted, compile::Compiler& compiler,
                           const std::atomic<bool>* cancel) {
  Result<compile::Output> compiled = compiler.compile(wanted, cancel);
  if (!compiled) return with_notes(compiled.errors(), request.kernel);
  let_turns_pass();
  for (const Diagnostic& note : with_notes({}, request.kernel)) compiled->warnings.push_back(note);
  Result<ptx::Module> module = ptx::parse(compiled->ptx, request.kernel.name + ".ptx");
  if (!module) return in_own_file(module.errors(), request.kernel.file);
  place_in_asm_statements(*module, wanted);
  address_functions(*module, compiled->cubin);
  let_turns_pass();
  const Result<std::string> entry = find_entry(
      *module,
      ptx_name(*compiled, wanted.instances.empty() ? request.kernel.description.entry : wanted.instances.front()));
  if (!entry) return entry.errors();
  Result<std::shared_ptr<const emulator::Program>> program = emulator::Program::build(*module, *entry);
  if (!program) return in_own_file(program.errors(), request.kernel.file);
  Build result{.compiled = std::move(*compiled), .program = std::move(*program)};
  let_turns_pass();
  const ptx::Function& function = result.program->function();
  result.merge_plan = std::make_shared<const analysis::MergePlan>(
      analysis::plan_load_merge(result.program->module(), function, result.program->shared_arrays(),
                                analysis::read_machine_loads(result.compiled.cubin, function.name)));
  if (const auto* found = compile::find_resources(result.compiled, function.name)) result.resources = *found;
  result.machine = analysis::read_machine_kernel(result.compiled.cubin, function.name);
  result.loop = analysis::read_main_loop(analysis::main_loop_code(result.compiled.cubin, function.name));
  if (request.kernel.description.reference) {
    const Result<Request> wanted_reference = reference_request(request);
    if (!wanted_reference) return wanted_reference.errors();
    Result<BuildPointer> reference = build_reference(*wanted_reference, compiler, cancel);
    if (!reference && cancel && *cancel) return reference.errors();
    if (reference)
      result.reference = std::move(*reference);
    else
      result.reference_problem = reference_problem(*wanted_reference, reference.errors());
  }
  return std::make_shared<const Build>(std::move(result));
}

Result<PreparedPointer> prepare(const Request& request, kernel::Configuration configuration, BuildPointer build) {
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(request.arch));
  if (!limits) return limits.errors();
  Prepared prepared{.request = request,
                    .limits = *limits,
                    .configuration = std::move(configuration),
                    .build = std::move(build),
                    .device = arch::device_of(*limits, request.device)};
  Diagnostics problems;
  check_arguments(request, prepared, problems);
  check_launch_bounds(prepared, problems);
  check_shared(prepared, problems);
  check_parts(prepared, problems);
  check_registers(prepared, problems);
  if (!problems.empty()) return problems;
  prepared.reference_problem = prepared.build->reference_problem;
  if (prepared.build->reference) {
    const Result<Request> wanted = reference_request(request);
    if (!wanted) return wanted.errors();
    Result<PreparedPointer> reference = prepare_reference(*wanted, prepared.build->reference);
    if (reference)
      prepared.reference = std::move(*reference);
    else
      prepared.reference_problem = reference_problem(*wanted, reference.errors());
  }
  if (const auto& resources = prepared.build->resources)
    prepared.occupancy =
        analysis::occupancy(prepared.limits, {prepared.configuration.block.count(), resources->registers,
                                              prepared.program().static_shared_bytes(),
                                              prepared.configuration.dynamic_shared_bytes, resources->barriers});
  return std::make_shared<const Prepared>(std::move(prepared));
}

Result<PreparedPointer> prepare(const Request& request, compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  Result<kernel::Configuration> configuration = configure(request);
  if (!configuration) return configuration.errors();
  Result<BuildPointer> built = build(request, compile_request(request, *configuration), compiler, cancel);
  if (!built) return built.errors();
  return prepare(request, std::move(*configuration), std::move(*built));
}

Result<PreparedPointer> with_size(const Prepared& prepared, const kernel::Size& size, compile::Compiler& compiler,
                                  const std::atomic<bool>* cancel) {
  Request request = prepared.request;
  request.size = size;
  Result<kernel::Configuration> configuration = configure(request);
  if (!configuration) return configuration.errors();
  if (configuration->macros == prepared.configuration.macros &&
      configuration->options == prepared.configuration.options)
    return prepare(request, std::move(*configuration), prepared.build);
  return prepare(request, compiler, cancel);
}

}  // namespace tilescope::run
