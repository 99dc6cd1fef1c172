// tilescope-confine MEMORY_BYTES CPU_SECONDS MUST FOLDER READABLE COMPILER ARGUMENT...: becomes the compiler, within
// limits, working in FOLDER, the only one where it may write, and able to read only the system's programs, its own and
// those of READABLE (folders separated by colons). Its output goes to FOLDER/log. MUST is 1 if it is not to run where
// the system cannot close files to it.

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/confine.h"

namespace {

constexpr int kRefused = 127;

bool send_output_to_log() {
  const int log = ::open("log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  return log >= 0 && nowhere >= 0 && ::dup2(nowhere, STDIN_FILENO) >= 0 && ::dup2(log, STDOUT_FILENO) >= 0 &&
         ::dup2(log, STDERR_FILENO) >= 0;
}

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return name + "=" + (value ? value : "");
}

}  // namespace

int main(int count, char** words) {
  using namespace tilescope;
  if (count < 7) return kRefused;
  const bool must = words[3] == std::string("1");
  const std::string folder = words[4], readable = words[5], compiler = words[6];
  if (!limit_resources(std::strtoull(words[1], nullptr, 10), std::strtoull(words[2], nullptr, 10))) return kRefused;
  if (::chdir(folder.c_str()) != 0 || !send_output_to_log()) return kRefused;
  std::vector<Grant> grants{{std::filesystem::path(compiler).parent_path().parent_path().string(), Access::Run},
                            {"/usr", Access::Run},
                            {"/bin", Access::Run},
                            {"/lib", Access::Run},
                            {"/lib64", Access::Run},
                            {folder, Access::Write}};
  std::istringstream folders(readable);
  for (std::string each; std::getline(folders, each, ':');) grants.push_back({each, Access::Run});
  if (!forbid_files(grants) && must) return kRefused;
  // Nothing else of the environment: compilers take include folders and options from it.
  std::vector<std::string> variables{variable("PATH"), variable("LD_LIBRARY_PATH"), "TMPDIR=" + folder, "LC_ALL=C",
                                     "CCACHE_DISABLE=1"};
  std::vector<char*> environment;
  for (std::string& each : variables) environment.push_back(each.data());
  environment.push_back(nullptr);
  ::execve(compiler.c_str(), words + 6, environment.data());
  return kRefused;
}
