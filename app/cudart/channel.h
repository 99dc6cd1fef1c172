#pragma once

#include <string>
#include <string_view>

#include "program/wire.h"

namespace tilescope::cudart {

namespace wire = tilescope::program::wire;

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// The connection to `tilescope run`. One process at a time may use it: the first one.
class Channel {
 public:
  /// False if there is no `tilescope run`, it has ended, or another process has the device.
  bool open();
  /// Whether the socket of `tilescope run` is not open any more.
  bool was_closed() const;
  /// Also false in a process forked from the one that opened it.
  bool is_mine() const;
  int memory_file() const { return memory_; }

  bool send(wire::Kind kind, std::string_view first, std::string_view second = {}, std::string_view third = {});
  /// Reads exactly `size` bytes.
  bool receive(void* target, size_t size);

 private:
  int socket_ = -1, memory_ = -1;
  int owner_ = 0;  ///< Process that opened it; 0 before.
};

}  // namespace tilescope::cudart
