#include "cudart/channel.h"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tilescope::cudart {
namespace {

int descriptor_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text && *text ? std::atoi(text) : -1;
}

}  // namespace

bool Channel::open() {
  if (owner_ != 0) return is_mine();
  socket_ = descriptor_in(wire::kSocketVariable);
  memory_ = descriptor_in(wire::kMemoryVariable);
  if (socket_ < 0 || memory_ < 0) return false;
  // This kind of lock is not inherited by fork() and disappears when the process ends.
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (::fcntl(memory_, F_SETLK, &lock) != 0) return false;
  owner_ = ::getpid();
  return true;
}

bool Channel::was_closed() const { return socket_ >= 0 && ::fcntl(socket_, F_GETFD) < 0; }

bool Channel::is_mine() const { return owner_ == ::getpid(); }

bool Channel::send(wire::Kind kind, std::string_view first, std::string_view second, std::string_view third) {
  const wire::Header header{kind, 0, first.size() + second.size() + third.size()};
  for (std::string_view part : {bytes_of(header), first, second, third})
    while (!part.empty()) {
      const ssize_t sent = ::send(socket_, part.data(), part.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      part.remove_prefix(static_cast<size_t>(sent));
    }
  return true;
}

bool Channel::receive(void* target, size_t size) {
  for (auto* at = static_cast<char*>(target); size > 0;) {
    const ssize_t got = ::recv(socket_, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace tilescope::cudart
