#include "compile/clang.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "compile/compiler_log.h"
#include "compile/confined.h"
#include "compile/nvrtc_process.h"
#include "compile/temporary_folder.h"

namespace tilescope::compile {
namespace fs = std::filesystem;
namespace {

using std::chrono::steady_clock;

constexpr int kOldestClang = 14, kNewestClang = 22;
const auto kInstall =
    Message("Install clang 14 or newer (on Debian: apt install clang-16), or set TILESCOPE_CLANG to its path.");
constexpr const char* kInstance = "tilescope_instance_";

std::vector<fs::path> clang_candidates(const Settings& settings) {
  if (!settings.clang.empty()) return {settings.clang};
  if (const char* chosen = std::getenv("TILESCOPE_CLANG"); chosen && *chosen) return {chosen};
  std::vector<std::string> names;
  for (int version = kNewestClang; version >= kOldestClang; --version)
    names.push_back(fmt::format("clang-{}", version));
  names.emplace_back("clang");
  std::vector<fs::path> found;
  for (const std::string& name : names)
    for (const fs::path& candidate : on_the_path(name)) found.push_back(candidate);
  return found;
}

/// The number after "#define NAME "; 0 if there is none.
int macro_number(std::string_view text, std::string_view name) {
  const std::string begin = fmt::format("#define {} ", name);
  const size_t at = text.find(begin);
  int number = 0;
  if (at != text.npos) std::from_chars(text.data() + at + begin.size(), text.data() + text.size(), number);
  return number;
}

/// The architectures that a version of clang knows, among those with known limits (the release notes
/// of clang and `clang -print-supported-cpus --target=nvptx64`).
std::vector<std::string> architectures_of(int major) {
  std::vector<std::string> known{"sm_75", "sm_80", "sm_86"};
  if (major >= 16) known.insert(known.end(), {"sm_87", "sm_89", "sm_90"});
  return known;
}

/// A hash of everything else that affects the output: the program, its fixed arguments, the headers.
std::string identity_of(const Toolchain& clang) {
  std::error_code problem;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(clang.include_folder, problem))
    if (entry.is_regular_file(problem)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all = stamp_of(clang.library) + fmt::format("{}", fmt::join(clang_arguments({}, clang), " "));
  for (const fs::path& file : files) all += "\n" + file.filename().string() + "\n" + text_of_file(file);
  return sha256(all);
}

fs::path headers_folder() { return data_folder() / "assets" / "cuda"; }

Result<Toolchain> examine(const fs::path& program, const Patience& patience) {
  if (::access(program.c_str(), X_OK) != 0) return error(Message("clang is not at {}. {}", program.string(), kInstall));
  Exit ended;
  const auto macros = output_of_program(program, {"--target=nvptx64-nvidia-cuda", "-x", "c", "-E", "-dM", "/dev/null"},
                                        patience, ended);
  if (!macros) return macros.errors();
  if (ended.code != 0 || ended.signal != 0 || macro_number(*macros, "__NVPTX__") != 1)
    return error(Message("{} has no NVPTX target, which compiles for GPUs. {}", program.string(), kInstall));
  const int major = macro_number(*macros, "__clang_major__");
  if (major < kOldestClang)
    return error(Message("{} is clang {}, which is too old. {}", program.string(), major, kInstall));
  std::error_code problem;
  const fs::path real = fs::canonical(program, problem);
  Toolchain toolchain;
  toolchain.compiler = "clang";
  toolchain.version = std::to_string(major);
  toolchain.library = problem ? program.string() : real.string();
  toolchain.include_folder = headers_folder().string();
  toolchain.architectures = architectures_of(major);
  toolchain.identity = identity_of(toolchain);
  return toolchain;
}

int number_of(std::string_view arch) {
  int number = 0;
  arch.remove_prefix(std::min(arch.find('_') + 1, arch.size()));
  std::from_chars(arch.data(), arch.data() + arch.size(), number);
  return number;
}

/// The newest architecture known to clang whose PTX the wanted one runs; the oldest if there is none.
std::string architecture_for(const std::string& wanted, const std::vector<std::string>& known) {
  std::string best = known.front();
  for (const std::string& arch : known)
    if (number_of(arch) <= number_of(wanted)) best = arch;
  return best;
}

void add_option(const std::string& option, std::vector<std::string>& arguments) {
  const auto add = [&](std::initializer_list<const char*> more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
  };
  const bool fast = option == "--use_fast_math";
  if (fast) add({"-DTILESCOPE_FAST_MATH", "-DTILESCOPE_APPROXIMATE_SQRT", "-D__USE_FAST_MATH__"});
  if (fast || option == "--ftz=true") add({"-fcuda-flush-denormals-to-zero"});
  if (fast) add({"-mllvm", "-nvptx-prec-divf32=0"});
  if (option == "--prec-div=false") add({"-mllvm", "-nvptx-prec-divf32=1"});
  if (option == "--prec-sqrt=false") add({"-DTILESCOPE_APPROXIMATE_SQRT"});
  if (option == "--fmad=false") add({"-ffp-contract=off"});
  if (option.starts_with("--std=")) arguments.push_back(option.substr(1));
  if (option == "--device-as-default-execution-space") add({"-include", "tilescope_default_device.h"});
}

/// The source, followed by a constant with the address of each instance, so that it is instantiated and the PTX has its
/// name.
std::string text_for_clang(const Request& request) {
  std::string text(without_byte_order_mark(request.source));
  for (size_t i = 0; i < request.instances.size(); ++i)
    text += fmt::format(
        "\n#line 1 \"the name of a kernel\"\nextern \"C\" __device__ const void *const {}{} = (const void *)({});\n",
        kInstance, i, request.instances[i]);
  return text;
}

/// Functions of headers get no lines, so that their inlined code has the line of the call in the source: clang's PTX
/// does not say where a line was inlined.
std::string text_for_clang(const Header& header) {
  return "#pragma push_macro(\"__device__\")\n#undef __device__\n"
         "#define __device__ __attribute__((device, nodebug))\n#line 1\n" +
         header.text + "\n#pragma pop_macro(\"__device__\")\n";
}

Result<std::monostate> write_inputs(const Request& request, const fs::path& folder) {
  for (const Header& header : request.headers)
    if (auto written = write_input(folder, header.name, text_for_clang(header)); !written) return written;
  return write_input(folder, compiled_name(request), text_for_clang(request));
}

/// ".loc 1 0 3": clang's place of instructions made from several lines. They keep the line before.
bool is_line_zero(std::string_view line) {
  if (!line.starts_with("\t.loc\t")) return false;
  const size_t space = line.find(' ');
  return space != line.npos && line.substr(space).starts_with(" 0 ");
}

/// Removes from the PTX the constants that text_for_clang() added, and places without a line; returns the names that
/// the constants held, one per line.
std::string take_names(std::string& ptx, size_t count) {
  std::vector<std::string> names(count);
  std::string rest;
  for (std::string_view left = ptx; !left.empty();) {
    const size_t end = left.find('\n');
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(end == left.npos ? left.size() : end + 1);
    if (is_line_zero(line)) continue;
    const size_t at = line.find(kInstance);
    const size_t equals = line.find(" = ");
    if (at == line.npos || equals == line.npos) {
      rest.append(line).append("\n");
      continue;
    }
    size_t index = count;
    std::from_chars(line.data() + at + std::string_view(kInstance).size(), line.data() + line.size(), index);
    if (index < count) names[index] = line.substr(equals + 3, line.find(';', equals) - equals - 3);
  }
  ptx = std::move(rest);
  return join_lines(names);
}

}  // namespace

Result<Toolchain> find_clang(const Settings& settings, const Patience& patience) {
  Diagnostics problems;
  for (const fs::path& candidate : clang_candidates(settings)) {
    auto toolchain = examine(candidate, patience);
    if (toolchain) return toolchain;
    if (patience.cancel && *patience.cancel) return cancelled();
    if (problems.empty()) problems = toolchain.errors();
  }
  if (!problems.empty()) return problems;
  return error(Message("clang is not on the PATH. {}", kInstall));
}

std::vector<std::string> clang_arguments(const Request& request, const Toolchain& clang) {
  const int version = number_of("_" + clang.version);
  std::vector<std::string> arguments{
      "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + architecture_for(request.arch, clang.architectures),
      // Without anything of a CUDA Toolkit, whether there is one or not.
      "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-nostdinc", "-isystem", clang.include_folder,
      // The PTX version that the newest architecture needs.
      "-Xclang", "-target-feature", "-Xclang", version >= 16 ? "+ptx78" : "+ptx75",
      // As NVRTC is told to: optimised, with lines, multiplications and additions fused. The disabled pass splits
      // vector loads and so loses their lines.
      "-std=c++17", "-O3", "-mllvm", "-disable-vector-combine", "-gline-tables-only", "-ffp-contract=fast",
      "-fdebug-compilation-dir=.", "-fno-crash-diagnostics", "-fno-color-diagnostics", "-fno-caret-diagnostics",
      "-fno-diagnostics-show-option", "-Wno-unknown-cuda-version", "-Wno-pass-failed", "-I", ".", "-include",
      "tilescope_cuda.h"};
  for (const Header& header : request.headers)
    if (header.name == kContext) arguments.insert(arguments.end(), {"-include", kContext});
  for (const Macro& macro : request.macros) arguments.push_back(fmt::format("-D{}={}", macro.name, macro.value));
  for (const std::string& option : request.options) add_option(option, arguments);
  arguments.insert(arguments.end(), {"-S", "-o", "ptx", "./" + compiled_name(request)});
  return arguments;
}

Result<Record> compile_by_clang(const Request& request, const Toolchain& clang, const Settings& settings,
                                const Patience& patience) {
  const auto start = steady_clock::now();
  const auto folder = TemporaryFolder::make();
  if (!folder) return folder.errors();
  if (const auto written = write_inputs(request, folder->path()); !written) return written.errors();
  const Result<Exit> exit = run_confined({clang.library, clang_arguments(request, clang), {clang.include_folder}},
                                         folder->path(), settings, patience);
  if (!exit) return exit.errors();
  if (auto problem = problem_of_exit(*exit, clang.compiler, settings, patience)) {
    problem->at.file = request.file_name;
    return *problem;
  }
  Record reply;
  reply["ptx"] = exit->code == 0 ? text_of_file(folder->path() / "ptx") : "";
  reply["log"] = text_of_file(folder->path() / "log");
  reply["names"] = take_names(reply["ptx"], request.instances.size());
  reply["result"] = std::to_string(exit->code);
  reply["result_text"] = fmt::format("exit code {}", exit->code);
  reply["compiler"] = clang.compiler;
  reply["seconds"] = std::to_string(std::chrono::duration<double>(steady_clock::now() - start).count());
  return reply;
}

}  // namespace tilescope::compile
