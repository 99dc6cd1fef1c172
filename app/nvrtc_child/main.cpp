// tilescope-nvrtc MEMORY_BYTES CPU_SECONDS [LIBRARY]: writes to its standard output which NVRTC it found, reads one
// request from its standard input, compiles it within the limits, writes the reply and ends. Messages are records
// preceded by their length.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "base/confine.h"
#include "nvrtc_child/nvrtc_library.h"

namespace tilescope::nvrtc_child {
namespace {

using compile::Record;

bool read_exactly(int channel, char* target, size_t size) {
  while (size > 0) {
    const ssize_t count = ::read(channel, target, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    target += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool write_all(int channel, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(channel, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

std::optional<Record> receive(int channel) {
  std::string bytes(compile::kLengthBytes, '\0');
  if (!read_exactly(channel, bytes.data(), bytes.size())) return std::nullopt;
  const uint64_t length = compile::decode_length(bytes);
  if (length > compile::kMaxMessageBytes) return std::nullopt;
  bytes.resize(length);
  if (!read_exactly(channel, bytes.data(), bytes.size())) return std::nullopt;
  return compile::decode(bytes);
}

bool send(int channel, const Record& record) {
  const std::string bytes = compile::encode(record);
  return write_all(channel, compile::encode_length(bytes.size()) + bytes);
}

// A library's output must not come between the messages.
int take_channel() {
  const int channel = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
  return channel;
}

int serve(int channel, const std::string& wanted_library) {
  auto loaded = load_library(wanted_library);
  if (const auto* reason = std::get_if<std::string>(&loaded)) return send(channel, {{"error", *reason}}) ? 0 : 1;
  const Library& library = std::get<Library>(loaded);
  // Quoted includes are also looked up in the working folder; the library's has no text files.
  const std::string library_folder = std::filesystem::path(library.path).parent_path().string();
  if (::chdir(library_folder.c_str()) != 0) return 1;
  if (!send(channel, describe(library))) return 1;
  const std::optional<Record> request = receive(channel);
  if (!request || !request->contains("source") || !request->contains("name") || !request->contains("options")) return 1;
  forbid_files({{library_folder}, {library.include_folder}});
  return send(channel, compile_program(library, *request)) ? 0 : 1;
}

}  // namespace
}  // namespace tilescope::nvrtc_child

int main(int count, char** words) {
  if (count < 3) return 2;
  const int channel = tilescope::nvrtc_child::take_channel();
  if (!tilescope::limit_resources(std::strtoull(words[1], nullptr, 10), std::strtoull(words[2], nullptr, 10))) return 2;
  // Ending the process frees everything faster than destructors would.
  ::_exit(tilescope::nvrtc_child::serve(channel, count > 3 ? words[3] : ""));
}
