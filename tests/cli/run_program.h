#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

inline std::string read_all(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The result of running a program.
struct Ran {
  int status = 0;
  std::string out, err;
};

/// Runs a shell command. `rest` comes after the redirection of its stderr.
inline Ran run_command(const std::string& command, const std::string& rest = "") {
  const std::filesystem::path errors =
      std::filesystem::temp_directory_path() / ("tilescope-test-" + std::to_string(::getpid()));
  Ran ran;
  FILE* pipe = ::popen((command + " 2>" + errors.string() + " " + rest).c_str(), "r");
  std::array<char, 4096> buffer{};
  for (size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) ran.out.append(buffer.data(), got);
  ran.status = WEXITSTATUS(::pclose(pipe));
  ran.err = read_all(errors);
  std::filesystem::remove(errors);
  return ran;
}

/// The program without compilers: it uses only prebuilt PTX, so that tests are the same on every machine.
inline std::string tilescope_command(const std::string& arguments, const std::string& nvcc = "/nonexistent") {
  return "TILESCOPE_NVCC=" + nvcc +
         " TILESCOPE_NVRTC=/nonexistent TILESCOPE_CLANG=/nonexistent TILESCOPE_DATA=" TILESCOPE_SOURCE_DIR
         " " TILESCOPE_BINARY_DIR "/bin/tilescope " +
         arguments;
}
inline Ran run_tilescope(const std::string& arguments, const std::string& redirect = "") {
  return run_command(tilescope_command(arguments), redirect);
}
