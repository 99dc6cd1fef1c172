#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "compile/record.h"

/// CUDA source to PTX, cubin and resources by NVRTC or nvcc, or to PTX by clang; each runs in a process of its own
/// within limits.
namespace tilescope::compile {

/// A macro as from -D: lines of the source keep their numbers.
struct Macro {
  std::string name;
  std::string value;
  bool operator==(const Macro&) const = default;
};
/// Reads the argument of -D: "BM=64", or "BM", whose value is empty.
Macro parse_macro(std::string_view text);

constexpr size_t kMaxSourceBytes = size_t{1} << 20;  ///< Of a source.

/// A text that the source can #include by that name.
struct Header {
  std::string name;
  std::string text;
  bool operator==(const Header&) const = default;
};

/// The compiler. Automatic: of a user's file nvcc, if it is here and takes the file; else NVRTC; without it prebuilt
/// PTX; otherwise clang.
enum class Choice : uint8_t { Automatic, Nvrtc, Prebuilt, Clang, Nvcc };
inline constexpr std::array kChoices = {Choice::Automatic, Choice::Nvrtc, Choice::Prebuilt, Choice::Clang,
                                        Choice::Nvcc};
/// "automatic", "nvrtc", "prebuilt", "clang", "nvcc"
std::string_view to_string(Choice choice);
/// Reads "nvrtc", "nvcc", "prebuilt" or "clang"; nullopt for anything else.
std::optional<Choice> parse_choice(std::string_view text);

/// What to compile. Everything in it is checked before anything runs.
struct Request {
  std::string source = {};     ///< At most kMaxSourceBytes, no NUL bytes.
  std::string file_name = {};  ///< Used in diagnostics as given; PTX names its last component.
  std::vector<Macro> macros = {};
  std::string arch = "sm_90";
  std::vector<std::string> options = {};    ///< Further NVRTC options; see allowed_options().
  std::vector<Header> headers = {};         ///< Together with the source at most kMaxSourceBytes, no NUL bytes.
  std::vector<std::string> instances = {};  ///< Kernels by name, "tile<16>": of a template these are instantiated.
  Choice by = Choice::Automatic;            ///< Automatic: as the compiler's own settings say.
  bool is_users = false;                    ///< A file of the user's: see Choice.
};

/// ptxas's figures for one entry function.
struct Resources {
  std::string entry;                 ///< The name in PTX, mangled unless extern "C".
  uint32_t registers = 0;            ///< Per thread.
  uint64_t static_shared_bytes = 0;  ///< Per block. Not checked against any limit here.
  uint64_t constant_bytes = 0;
  uint64_t stack_frame_bytes = 0;  ///< Per thread, as the next two.
  uint64_t spill_store_bytes = 0;
  uint64_t spill_load_bytes = 0;
  uint32_t barriers = 0;
  bool operator==(const Resources&) const = default;
};

enum class Origin { Compiled, Cache, Prebuilt };

struct Output {
  std::string ptx;             ///< With .loc lines that are lines of Request::source.
  std::vector<uint8_t> cubin;  ///< Empty from clang, and of what ships for architectures before sm_90.
  std::vector<Resources> resources;  ///< One per entry function, in the order of ptxas's log; none from clang.
  std::string log;                   ///< The compiler's log.
  Diagnostics warnings;              ///< Of the compiler, and of the cache if nothing could be kept.
  std::string arch;
  std::string compiler;        ///< "NVRTC", "nvcc", "clang"
  std::string version;         ///< "13.0", "16": of the compiler.
  double compile_seconds = 0;  ///< Wall time the compiler took when it compiled this.
  Origin origin = Origin::Compiled;
  bool instead_of_nvcc = false;  ///< A user's file by NVRTC, because nvcc is not here or does not take it.
  std::vector<std::pair<std::string, std::string>> names;  ///< Each of Request::instances with its name in PTX.
};

/// The resources of that entry, or null.
const Resources* find_resources(const Output& output, std::string_view entry);

/// The options a request may name, as they are written: "--use_fast_math", "--maxrregcount=N", ...
const std::vector<std::string>& allowed_options();

/// An installed compiler.
struct Toolchain {
  std::string compiler;                    ///< "NVRTC", "nvcc", "clang"
  std::string version;                     ///< "13.0", "16"
  std::string library;                     ///< The path of NVRTC's library, or of nvcc's or clang's program.
  std::string include_folder;              ///< The toolkit's headers, empty if not installed; ours for clang.
  std::vector<std::string> architectures;  ///< "sm_75", ... ascending; nvcc itself knows its own.
  std::string identity;                    ///< Distinguishes two builds of one version.
};

struct Settings {
  Choice choice = Choice::Automatic;  ///< Automatic: $TILESCOPE_COMPILER, if it is set.
  std::filesystem::path program;  ///< tilescope-nvrtc; empty: beside the running program. tilescope-confine is there.
  std::filesystem::path library;      ///< libnvrtc; empty: $TILESCOPE_NVRTC, the loader's path, the usual CUDA folders.
  std::filesystem::path nvcc;         ///< nvcc; empty: as find_nvcc() finds it.
  std::filesystem::path clang;        ///< clang's program; empty: $TILESCOPE_CLANG, the newest on the PATH.
  std::filesystem::path cache_folder;     ///< Empty: "compile" in tilescope::cache_folder().
  std::filesystem::path prebuilt_folder;  ///< Empty: assets/prebuilt in data_folder().
  std::chrono::milliseconds wall_limit{60'000};  ///< Beyond that of processor time: the machine may be busy.
  uint32_t cpu_limit_seconds = 20;
  uint64_t memory_limit_bytes = uint64_t{1} << 30;   ///< Address space of the compiling process.
  uint64_t cache_limit_bytes = uint64_t{512} << 20;  ///< The oldest entries are removed beyond it.
};

class Cache;
class NvrtcProcess;

/// Compiles on request, each compile in a process of its own; keeps one such process ready for the next.
/// May be called from several threads at once.
class Compiler {
 public:
  explicit Compiler(Settings settings = {});
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// From the cache, by nvcc or NVRTC, from the prebuilt PTX, or by clang: see Choice. Errors: the compiler's, with
  /// lines of the request's source; a refused request; an exceeded limit; no compiler and nothing prebuilt. `cancel`
  /// may be null; when it turns true the call returns within 100 ms with the error "Cancelled.".
  Result<Output> compile(const Request& request, const std::atomic<bool>* cancel = nullptr);

  /// The macros of each configuration that ships for the request's file and architecture.
  std::vector<std::vector<Macro>> shipped(const Request& request) const;

  /// Whether nvcc compiles such a request, if it is here and takes it.
  bool tries_nvcc(Choice by, bool is_users) const;

  /// The NVRTC in use, or why there is none.
  Result<Toolchain> toolchain(const std::atomic<bool>* cancel = nullptr);
  /// The same for nvcc and clang.
  Result<Toolchain> nvcc(const std::atomic<bool>* cancel = nullptr);
  Result<Toolchain> clang(const std::atomic<bool>* cancel = nullptr);

 private:
  using ProcessPointer = std::unique_ptr<NvrtcProcess>;

  Result<ProcessPointer> ready_process(const Patience& patience);
  void keep_ready(ProcessPointer process);
  using Find = Result<Toolchain> (*)(const Settings&, const Patience&);
  using Compile = Result<Record> (*)(const Request&, const Toolchain&, const Settings&, const Patience&);

  Choice chosen_by(Choice by) const;
  Result<Toolchain> known(std::optional<Toolchain>& kept, Find find, const Patience& patience);
  Result<Output> compile_without_nvcc(const Request& request, Choice chosen, const Patience& patience);
  Result<Output> compile_with(ProcessPointer process, const Request& request, const Patience& patience);
  Result<Output> compile_with(const Toolchain& program, Compile by, const Request& request, const Patience& patience);
  Result<Output> finish(Record& reply, const std::string& hash, const Request& request, const Toolchain& toolchain);

  Settings settings_;
  std::unique_ptr<Cache> cache_;
  std::mutex mutex_;
  ProcessPointer spare_;
  std::optional<Toolchain> nvcc_, clang_;
};

}  // namespace tilescope::compile
