#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace tilescope::cudart {

/// For each stream, by its number, how much of its work has ended at some moment, whatever the device does.
class Ended {
 public:
  void join(const Ended& other);
  void set(uint32_t stream, uint64_t number);
  const std::vector<uint64_t>& numbers() const { return numbers_; }
  double at = 0;  ///< When that is at the latest, in seconds of the device's clock.

 private:
  std::vector<uint64_t> numbers_;
};

/// What the device does side by side: work on its SMs, and a copy each way.
enum class Engine : uint8_t { Sms, ToDevice, FromDevice };

/// When the work of each engine runs, on a clock that stands still while the device has nothing to do.
class Timetable {
 public:
  /// Work that takes so long on a share of the engine, up to 1: as soon as there is room from `begin` on. Returns when
  /// it ends.
  double add(Engine engine, double begin, double seconds, double share);
  /// No work begins before that any more.
  void forget(double until);

 private:
  struct Entry {
    double begin = 0, end = 0, share = 0;
  };
  std::array<std::vector<Entry>, 3> entries_;
};

/// What a stream, an event or a graph has of the order.
struct StreamOrder {
  uint32_t stream = 0;
  bool blocking = true;  ///< Takes turns with the default stream.
  uint64_t last = 0;     ///< The number of its last work.
  Ended ended;           ///< When its work so far has ended.
};

/// Which work of the device comes before which. Only what CUDA promises to be unordered is unordered here: all threads
/// of the host count as one, whatever makes the host wait counts for all, and whatever may wait waits.
class Order {
 public:
  explicit Order(StreamOrder& default_stream) : default_(default_stream) { add(default_); }
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  /// A stream that the program makes, until remove().
  void add(StreamOrder& stream);
  void remove(StreamOrder& stream);
  /// Whether any two pieces of work can be unordered.
  bool matters() const { return matters_; }

  /// New work of the stream: what has ended when it begins.
  Ended begin(StreamOrder& stream);
  /// As an event or a graph that was launched before.
  static void wait(StreamOrder& stream, const Ended& ended) { stream.ended.join(ended); }
  /// The host has waited for all work of the stream so far, for these, for everything.
  void host_waits(StreamOrder& stream);
  void host_waits(const Ended& ended) { host_.join(ended); }
  void host_waits();
  const Ended& host() const { return host_; }

 private:
  /// The default stream waits for all blocking streams, and these for it.
  void take_turns(StreamOrder& stream);

  StreamOrder& default_;
  std::set<StreamOrder*> streams_;
  std::vector<uint32_t> free_numbers_;
  std::vector<uint64_t> last_;  ///< By number.
  Ended host_;
  Ended gone_;  ///< When the work of streams that are no more has ended.
  bool matters_ = false;
};

}  // namespace tilescope::cudart
