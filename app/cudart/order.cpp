#include "cudart/order.h"

#include <algorithm>

namespace tilescope::cudart {

void Ended::join(const Ended& other) {
  if (numbers_.size() < other.numbers_.size()) numbers_.resize(other.numbers_.size(), 0);
  for (size_t i = 0; i < other.numbers_.size(); ++i) numbers_[i] = std::max(numbers_[i], other.numbers_[i]);
}

void Ended::set(uint32_t stream, uint64_t number) {
  if (numbers_.size() <= stream) numbers_.resize(stream + 1, 0);
  numbers_[stream] = std::max(numbers_[stream], number);
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
