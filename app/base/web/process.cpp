#include "base/process.h"

namespace tilescope {

bool starts_programs() { return false; }

Result<ChildProcess> ChildProcess::start(const std::filesystem::path&, const std::vector<std::string>&,
                                         const std::vector<std::string>&) {
  return error("A browser starts no other programs.");
}
ChildProcess::~ChildProcess() = default;
bool ChildProcess::is_running() const { return false; }
Transfer ChildProcess::send(std::string_view, const Patience&) { return Transfer::Closed; }
Transfer ChildProcess::receive(char*, size_t, const Patience&) { return Transfer::Closed; }
Transfer ChildProcess::receive_some(char*, size_t, size_t&, const Patience&) { return Transfer::Closed; }
Exit ChildProcess::kill() { return {}; }
Exit ChildProcess::wait(const Patience&) { return {}; }

}  // namespace tilescope
