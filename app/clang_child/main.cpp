// tilescope-clang MEMORY_BYTES CPU_SECONDS FOLDER READABLE CLANG ARGUMENT...: becomes clang, within limits, working in
// FOLDER, the only one where it may write, and able to read only the system's programs, its own and READABLE. Its
// output goes to FOLDER/log.

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/confine.h"

namespace {

constexpr int kRefused = 127;

bool send_output_to_log() {
  const int log = ::open("log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  return log >= 0 && nowhere >= 0 && ::dup2(nowhere, STDIN_FILENO) >= 0 && ::dup2(nowhere, STDOUT_FILENO) >= 0 &&
         ::dup2(log, STDERR_FILENO) >= 0;
}

}  // namespace

int main(int count, char** words) {
  using namespace tilescope;
  if (count < 6) return kRefused;
  const std::string folder = words[3], readable = words[4], clang = words[5];
  if (!limit_resources(std::strtoull(words[1], nullptr, 10), std::strtoull(words[2], nullptr, 10))) return kRefused;
  if (::chdir(folder.c_str()) != 0 || !send_output_to_log()) return kRefused;
  const std::string installation = std::filesystem::path(clang).parent_path().parent_path().string();
  forbid_files({{readable, Access::Read},
                {installation, Access::Run},
                {"/usr", Access::Run},
                {"/lib", Access::Run},
                {"/lib64", Access::Run},
                {folder, Access::Write}});
  ::execv(clang.c_str(), words + 5);
  return kRefused;
}
