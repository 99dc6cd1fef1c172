#include "compile/nvcc.h"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/confine.h"
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

constexpr const char* kMacros = "tilescope_macros.h";
constexpr const char* kMarkerKernel = "tilescope_instance";
constexpr const char* kHostCompiler = "gcc";
constexpr int kPrograms = 3;  // One after another: the preprocessor, cicc, ptxas.

/// What everything is compiled with, whatever the request.
std::vector<std::string> fixed_arguments() {
  return {"--cubin", "--generate-line-info", "--ptxas-options=-v", "--keep", "--keep-dir", "kept", "-x", "cu",
          // gcc only preprocesses here.
          "--allow-unsupported-compiler", "--include-path", ".", "--pre-include", kMacros, "--output-file", "cubin"};
}

/// The file's name without what the shell, by which nvcc starts its programs, would read otherwise.
std::string plain_name(const Request& request) {
  std::string name = compiled_name(request);
  const auto is_plain = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || c == '_' || c == '.' || c == '-');
  };
  std::replace_if(name.begin(), name.end(), std::not_fn(is_plain), '_');
  if (name.front() == '-') name.front() = '_';
  return name;
}

std::vector<std::string> arguments_of(const Request& request) {
  std::vector<std::string> arguments = fixed_arguments();
  arguments.push_back("--gpu-architecture=" + request.arch);
  for (const Header& header : request.headers)
    if (header.name == kContext) arguments.insert(arguments.end(), {"--pre-include", kContext});
  arguments.insert(arguments.end(), request.options.begin(), request.options.end());
  arguments.push_back(plain_name(request));
  return arguments;
}

/// The source, followed by an empty kernel for each instance, which makes nvcc instantiate it and whose name in PTX has
/// the instance's in it. (A variable with its address would change the instance's machine code.)
std::string text_for_nvcc(const Request& request) {
  std::string text(without_byte_order_mark(request.source));
  if (request.instances.empty()) return text;
  text +=
      fmt::format("\n#line 1 \"the name of a kernel\"\ntemplate <int, class Type, Type> __global__ void {}() {{}}\n",
                  kMarkerKernel);
  for (size_t i = 0; i < request.instances.size(); ++i)
    text += fmt::format(
        "#line 1 \"the name of a kernel\"\ntemplate __global__ void {0}<{1}, decltype(&({2})), &({2})>();\n",
        kMarkerKernel, i, request.instances[i]);
  return text;
}

Result<std::monostate> write_inputs_of_nvcc(const Request& request, const fs::path& folder) {
  // Of these many host headers bring the types and constants; of a source those are left out.
  std::string macros = "#include <stdint.h>\n#include <limits.h>\n#include <float.h>\n";
  for (const Macro& macro : request.macros) macros += fmt::format("#define {} {}\n\n", macro.name, macro.value);
  for (const Header& header : request.headers)
    if (auto written = write_input(folder, header.name, header.text); !written) return written;
  if (auto written = write_input(folder, kMacros, macros); !written) return written;
  if (auto written = write_input(folder, plain_name(request), text_for_nvcc(request)); !written) return written;
  // The times of files are in the machine code's lines.
  std::error_code problem;
  const auto start_of_time = std::chrono::file_clock::from_sys(std::chrono::sys_seconds{});
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, problem))
    if (entry.is_regular_file()) fs::last_write_time(entry.path(), start_of_time, problem);
  return std::monostate{};
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                          &std::free);
  return status == 0 && plain ? plain.get() : name;
}

/// "_Z1kPf" in ".visible .entry _Z1kPf("; empty if the line begins no kernel.
std::string entry_of(std::string_view line) {
  constexpr std::string_view kEntry = ".entry ";
  const size_t at = line.find(kEntry);
  if (at == line.npos || line.find("//") < at) return {};
  line.remove_prefix(at + kEntry.size());
  return std::string(line.substr(0, line.find('(')));
}

/// Blanks out of the PTX the kernels that text_for_nvcc() added; returns the names of the instances in PTX, one per
/// line. Lines keep their numbers, which the machine code refers to.
std::string take_names_of_nvcc(std::string& ptx, size_t count) {
  std::vector<std::string> entries, added;
  std::string rest;
  bool is_added = false;
  for (const std::string& line : lines_of(ptx)) {
    if (const std::string entry = entry_of(line); !entry.empty()) {
      is_added = entry.find(kMarkerKernel) != entry.npos;
      (is_added ? added : entries).push_back(entry);
    }
    rest += (is_added || line.find(kMarkerKernel) != line.npos ? std::string() : line) + '\n';
    if (line == "}") is_added = false;
  }
  ptx = std::move(rest);
  std::vector<std::string> names(count);
  for (const std::string& each : added) {
    const std::string marker = demangled(each);  // void tilescope_instance<0, void (*)(float*), &(void t<3>(float*))>()
    const size_t open = marker.find('<');
    size_t index = count;
    if (open != marker.npos) std::from_chars(marker.data() + open + 1, marker.data() + marker.size(), index);
    for (const std::string& entry : entries)
      if (index < count && marker.ends_with(fmt::format("&({})>()", demangled(entry)))) names[index] = entry;
  }
  return join_lines(names);
}

/// Puts a constant in place of what differs from one compile to the next: the random end of the folder's name, and the
/// hash of its path in names of unnamed namespaces. Nothing changes its length.
void settle(std::string& bytes, const std::string& folder) {
  constexpr size_t kRandom = 6, kHash = 8;
  constexpr std::string_view kUnnamed = "_GLOBAL__N__";
  for (size_t at = bytes.find(folder); at != bytes.npos; at = bytes.find(folder, at + folder.size()))
    bytes.replace(at + folder.size() - kRandom, kRandom, kRandom, '0');
  for (size_t at = bytes.find(kUnnamed); at != bytes.npos; at = bytes.find(kUnnamed, at + 1))
    if (const size_t hash = at + kUnnamed.size(); bytes.size() > hash + kHash && bytes[hash + kHash] == '_')
      bytes.replace(hash, kHash, kHash, '0');
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// nvcc reports of one of its programs "'cicc' died due to signal 11 (...)" and exits.
Exit exit_of(Exit exit, const std::string& log) {
  static const std::regex died("died due to signal ([0-9]+)");
  if (std::smatch found; exit.code != 0 && std::regex_search(log, found, died)) exit.signal = std::stoi(found[1]);
  return exit;
}

/// The beginning of what nvcc printed.
std::string log_of(const fs::path& folder) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  return text_of_file(folder / "log").substr(0, kMostBytes);
}

fs::path ptx_below(const fs::path& folder) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder / "kept", problem))
    if (entry.path().extension() == ".ptx") return entry.path();
  return {};
}

}  // namespace

fs::path find_nvcc() {
  if (const char* chosen = std::getenv("TILESCOPE_NVCC"); chosen && *chosen)
    return ::access(chosen, X_OK) == 0 ? chosen : fs::path();
  std::vector<fs::path> candidates = on_the_path("nvcc");
  if (const char* home = std::getenv("CUDA_HOME"); home && *home) candidates.push_back(fs::path(home) / "bin/nvcc");
  std::vector<fs::path> installed;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", problem))
    if (entry.path().filename().string().starts_with("cuda")) installed.push_back(entry.path() / "bin/nvcc");
  std::sort(installed.rbegin(), installed.rend());
  candidates.insert(candidates.end(), installed.begin(), installed.end());
  for (const fs::path& candidate : candidates)
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  return {};
}

Result<Toolchain> examine_nvcc(const Settings& settings, const Patience& patience) {
  const fs::path program = settings.nvcc.empty() ? find_nvcc() : settings.nvcc;
  const auto install = Message("Install the CUDA Toolkit 12.4 or newer, or set TILESCOPE_NVCC to the path of nvcc.");
  if (program.empty())
    return error(
        Message("nvcc is neither what TILESCOPE_NVCC names, if that is set, nor in PATH, $CUDA_HOME/bin or "
                "/usr/local/cuda*/bin. {}",
                install));
  if (::access(program.c_str(), X_OK) != 0) return error(Message("nvcc is not at {}. {}", program.string(), install));
  if (!can_forbid_files())
    return error(
        Message("nvcc is at {}, but this system's kernel has no Landlock, by which the files of the machine "
                "are closed to it.",
                program.string()));
  const std::vector<fs::path> preprocessors = on_the_path(kHostCompiler);
  if (preprocessors.empty())
    return error(Message("nvcc is at {}, but gcc, its preprocessor, is not on the PATH.", program.string()));
  std::error_code problem;
  const fs::path real = fs::canonical(program, problem), gcc = fs::canonical(preprocessors.front(), problem);
  Exit ended;
  const auto said = output_of_program(program, {"--version"}, patience, ended);
  if (!said) return said.errors();
  static const std::regex release("release ([0-9]+\\.[0-9]+)");
  std::smatch found;
  if (ended.code != 0 || ended.signal != 0 || !std::regex_search(*said, found, release))
    return error(Message("{} does not say which version it is. {}", program.string(), install));
  const fs::path root = real.parent_path().parent_path();
  Toolchain toolchain;
  toolchain.compiler = "nvcc";
  toolchain.version = found[1];
  toolchain.library = real.string();
  toolchain.include_folder = (root / "include").string();
  toolchain.identity = sha256(stamp_of(real) + stamp_of(root / "nvvm/bin/cicc") + stamp_of(root / "bin/ptxas") +
                              stamp_of(gcc) + fmt::format("{}", fmt::join(fixed_arguments(), " ")));
  return toolchain;
}

Result<Record> compile_by_nvcc(const Request& request, const Toolchain& nvcc, const Settings& settings,
                               const Patience& patience) {
  const auto start = steady_clock::now();
  const auto temporary = TemporaryFolder::make();
  if (!temporary) return temporary.errors();
  std::error_code problem;
  const fs::path folder = fs::canonical(temporary->path(), problem);
  fs::create_directory(folder / "kept", problem);
  if (const auto written = write_inputs_of_nvcc(request, folder); !written) return written.errors();
  ConfinedProgram program{nvcc.library, arguments_of(request)};
  program.must_confine = true;
  for (const fs::path& gcc : on_the_path(kHostCompiler))
    program.readable.push_back(fs::canonical(gcc, problem).parent_path().parent_path());
  Settings limits = settings;
  limits.wall_limit *= kPrograms;
  const Patience longer{start + limits.wall_limit, patience.cancel};
  const Result<Exit> ended = run_confined(program, folder, limits, longer);
  if (!ended) return ended.errors();
  std::string log = log_of(folder);
  const Exit exit = exit_of(*ended, log);
  if (auto why = problem_of_exit(exit, nvcc.compiler, limits, longer)) {
    why->at.file = request.file_name;
    return *why;
  }
  Record reply;
  reply["ptx"] = text_of_file(ptx_below(folder));
  if (exit.code == 0) reply["cubin"] = text_of_file(folder / "cubin");
  reply["log"] = std::move(log);
  for (const char* part : {"ptx", "cubin", "log"}) settle(reply[part], folder.string());
  std::string settled = folder.string();
  settle(settled, folder.string());
  replace_all(reply["ptx"], settled + "/" + plain_name(request), compiled_name(request));
  replace_all(reply["ptx"], settled + "/", "");
  replace_all(reply["log"], plain_name(request), compiled_name(request));
  reply["names"] = take_names_of_nvcc(reply["ptx"], request.instances.size());
  reply["result"] = std::to_string(exit.code);
  reply["result_text"] = fmt::format("exit code {}", exit.code);
  reply["compiler"] = nvcc.compiler;
  reply["seconds"] = std::to_string(std::chrono::duration<double>(steady_clock::now() - start).count());
  return reply;
}

}  // namespace tilescope::compile
