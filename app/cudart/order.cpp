#include "cudart/order.h"

#include <algorithm>

namespace tilescope::cudart {

void Ended::join(const Ended& other) {
  if (numbers_.size() < other.numbers_.size()) numbers_.resize(other.numbers_.size(), 0);
  for (size_t i = 0; i < other.numbers_.size(); ++i) numbers_[i] = std::max(numbers_[i], other.numbers_[i]);
  at = std::max(at, other.at);
}

void Ended::set(uint32_t stream, uint64_t number) {
  if (numbers_.size() <= stream) numbers_.resize(stream + 1, 0);
  numbers_[stream] = std::max(numbers_[stream], number);
}

double Timetable::add(Engine engine, double begin, double seconds, double share) {
  std::vector<Entry>& entries = entries_[static_cast<size_t>(engine)];
  // It waits for the first of those beside it to end, until there is room.
  for (bool has_room = false; !has_room;) {
    double used = share, first_end = begin;
    for (const Entry& entry : entries) {
      if (entry.end <= begin || entry.begin >= begin + seconds) continue;
      used += entry.share;
      first_end = first_end == begin ? entry.end : std::min(first_end, entry.end);
    }
    constexpr double kRounding = 1e-9;
    has_room = used <= 1 + kRounding;
    if (!has_room) begin = first_end;
  }
  entries.push_back({begin, begin + seconds, share});
  return begin + seconds;
}

void Timetable::forget(double until) {
  for (std::vector<Entry>& entries : entries_)
    std::erase_if(entries, [until](const Entry& entry) { return entry.end <= until; });
}

void Order::add(StreamOrder& stream) {
  if (free_numbers_.empty()) {
    free_numbers_.push_back(static_cast<uint32_t>(last_.size()));
    last_.push_back(0);
  }
  stream.stream = free_numbers_.back();
  free_numbers_.pop_back();
  stream.last = last_[stream.stream];
  streams_.insert(&stream);
  // One blocking stream and the default stream take turns.
  matters_ = matters_ || !stream.blocking || streams_.size() > 2;
}

void Order::remove(StreamOrder& stream) {
  last_[stream.stream] = stream.last;
  free_numbers_.push_back(stream.stream);
  gone_.join(stream.ended);
  streams_.erase(&stream);
}

void Order::take_turns(StreamOrder& stream) {
  if (&stream != &default_) {
    if (stream.blocking) stream.ended.join(default_.ended);
    return;
  }
  stream.ended.join(gone_);
  for (const StreamOrder* other : streams_)
    if (other->blocking) stream.ended.join(other->ended);
}

Ended Order::begin(StreamOrder& stream) {
  take_turns(stream);
  stream.ended.join(host_);
  Ended before = stream.ended;
  stream.ended.set(stream.stream, ++stream.last);
  return before;
}

void Order::host_waits(StreamOrder& stream) {
  take_turns(stream);
  host_.join(stream.ended);
}

void Order::host_waits() {
  host_.join(gone_);
  for (const StreamOrder* stream : streams_) host_.join(stream->ended);
}

}  // namespace tilescope::cudart
