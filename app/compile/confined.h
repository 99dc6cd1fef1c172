#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "compile/compile.h"

namespace tilescope::compile {

/// The header that a request may bring to be included before the source, as tilescope-nvrtc does.
inline constexpr const char* kContext = "tilescope_context.h";

/// A compiler that is a program of its own, as tilescope-confine runs it.
struct ConfinedProgram {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::filesystem::path> readable = {};  ///< Folders that it may read, besides its own and the system's.
  bool must_confine = false;                         ///< Not to run where files cannot be closed to it.
};

/// Runs it in `folder`, which gets "log", its output, and returns how it ended. The error: it cannot be started.
Result<Exit> run_confined(const ConfinedProgram& wanted, const std::filesystem::path& folder, const Settings& settings,
                          const Patience& patience);

/// The standard output of a program that needs no limits; `ended` is how it ended.
Result<std::string> output_of_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                      const Patience& patience, Exit& ended);

/// A file that a compiler wrote; empty if there is none or it is larger than a quarter of a message.
std::string text_of_file(const std::filesystem::path& path);

/// Writes a file that a compiler reads, below `folder`. A name that leads out of the folder is left out.
Result<std::monostate> write_input(const std::filesystem::path& folder, const std::string& name, std::string_view text);

/// What $PATH has under that name, in order.
std::vector<std::filesystem::path> on_the_path(const std::string& name);

/// The source without a byte order mark.
std::string_view without_byte_order_mark(std::string_view source);

/// Which file a path is now: the path, its size and time.
std::string stamp_of(const std::filesystem::path& file);

}  // namespace tilescope::compile
