#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "agent/server.h"

// The protocol has its own descriptors; output of kernels and libraries to stdout goes to stderr.
int main(int argc, char** argv) {
  if (argc > 1) {
    const bool version = std::string_view(argv[1]) == "--version";
    std::puts(version ? "tilescope-agent " TILESCOPE_VERSION
                      : "usage: tilescope-agent\nMeasures kernels for tilescope, which starts it and speaks JSON-RPC 2.0 "
                        "with it over stdin and stdout.");
    return version ? 0 : 2;
  }
  // They would let cuBLAS use TF32 or emulate FP32 when FP32 was requested.
  ::unsetenv("NVIDIA_TF32_OVERRIDE");
  ::unsetenv("CUBLAS_EMULATE_SINGLE_PRECISION");
  std::signal(SIGPIPE, SIG_IGN);
  const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || output < 0 || nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return 2;
  ::_exit(tilescope::agent::serve(input, output));
}
