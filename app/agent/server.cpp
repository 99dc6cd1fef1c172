#include "agent/server.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "agent/measure.h"
#include "base/json_reader.h"
#include "protocol/frames.h"

namespace tilescope::agent {
namespace {
using protocol::Failure;
using Json = nlohmann::ordered_json;

constexpr auto kHeartbeat = std::chrono::milliseconds(250);
constexpr int kUnknownMethod = -32601;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Writes whole frames; several threads may.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}

  /// Ends the process when nobody reads any more.
  void send(const Json& message) {
    const std::string bytes = protocol::frame(text_of(message));
    const std::lock_guard lock(mutex_);
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count > 0)
        done += static_cast<size_t>(count);
      else if (errno != EINTR)
        ::_exit(0);
    }
  }

 private:
  int descriptor_;
  std::mutex mutex_;
};

/// Reads messages on another thread, so that a cancel is seen while a request is served, and the end of the input even
/// while a kernel hangs.
class Input {
 public:
  explicit Input(int descriptor) : descriptor_(descriptor), thread_([this] { read(); }) { thread_.detach(); }

  /// Waits for the next message; nullopt after bytes that are not a frame.
  std::optional<Json> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !messages_.empty() || broken_; });
    if (messages_.empty()) return std::nullopt;
    Json message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }
  bool is_cancelled(const Json& id) {
    const std::lock_guard lock(mutex_);
    return cancelled_ == id;
  }

 private:
  void read() {
    protocol::FrameReader frames;
    char bytes[1 << 16];
    while (frames.problem().empty()) {
      const ssize_t count = ::read(descriptor_, bytes, sizeof bytes);
      if (count == 0) ::_exit(0);
      if (count < 0 && errno != EINTR) ::_exit(0);
      if (count > 0) frames.feed({bytes, static_cast<size_t>(count)});
      while (std::optional<std::string> content = frames.next()) take(*content);
    }
    const std::lock_guard lock(mutex_);
    broken_ = true;
    changed_.notify_one();
  }

  void take(const std::string& content) {
    Result<Json> message = parse_json(content);
    const std::lock_guard lock(mutex_);
    if (!message || !message->is_object())
      broken_ = true;
    else if (message->value("method", Json()) == "cancel")
      cancelled_ = message->value("params", Json::object()).value("id", Json());
    else
      messages_.push_back(std::move(*message));
    changed_.notify_one();
  }

  int descriptor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Json> messages_;
  Json cancelled_;
  bool broken_ = false;
  std::thread thread_;
};

/// Reports every quarter of a second, while a request is served, that the agent lives and what it is doing.
class Heartbeat {
 public:
  Heartbeat(Output& output, Json id) : output_(output), id_(std::move(id)), thread_([this] { beat(); }) {}
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  /// A new phase is reported at once.
  void set(protocol::Phase phase, size_t samples) {
    samples_.store(samples);
    if (phase_.exchange(phase) != phase) say();
  }

 private:
  void beat() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kHeartbeat, [&] { return over_; })) say();
  }

  void say() {
    output_.send({{"jsonrpc", "2.0"},
                  {"method", "heartbeat"},
                  {"params", {{"id", id_}, {"phase", to_string(phase_.load())}, {"samples", samples_.load()}}}});
  }

  Output& output_;
  Json id_;
  std::atomic<protocol::Phase> phase_ = protocol::Phase::Starting;
  std::atomic<size_t> samples_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

class Server {
 public:
  Server(int input, int output) : output_(output), input_(input) {}

  int run() {
    while (const std::optional<Json> message = input_.next())
      if (!serve(*message)) return 3;
    return 2;
  }

 private:
  // False when the process must end.
  bool serve(const Json& message) {
    const Json id = message.value("id", Json());
    const Json method = message.value("method", Json()), params = message.value("params", Json::object());
    if (method == "initialize") return initialize(id, params);
    if (method == "measure") return measure(id, params);
    refuse(id, kUnknownMethod, "This agent has no such method. Use a Tilescope of the same version.");
    return true;
  }

  void answer(const Json& id, Json result) {
    output_.send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  }
  void refuse(const Json& id, int code, const std::string& message) {
    output_.send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
  }

  bool initialize(const Json& id, const Json& params) {
    const protocol::AgentFacts facts = look_around();
    answer(id, to_json(facts));
    const Json device = params.is_object() ? params.value("device", Json(0)) : Json(0);
    if (facts.problem.empty() && device.is_number_integer()) warm_up(device.get<int>());
    return true;
  }

  // So that the first request need not wait for the context and for cuBLAS; what fails here fails again there.
  void warm_up(int device) {
    try {
      measuring(device);
    } catch (const Stopped&) {
    }
  }

  protocol::AgentFacts look_around() {
    protocol::AgentFacts facts;
    facts.protocol = protocol::kVersion;
    facts.build = TILESCOPE_VERSION;
    facts.cuda = fmt::format("{}.{}", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    facts.problem = open_libraries();
    if (driver_) {
      facts.driver = driver_version(*driver_);
      facts.devices = list_devices(*driver_);
      if (facts.devices.empty() && facts.problem.empty()) facts.problem = "The driver shows no GPU.";
    }
    if (cublas_) facts.cublas = cublas_->version_text;
    return facts;
  }

  // What is missing; empty if nothing is.
  std::string open_libraries() {
    if (!driver_) {
      Result<Driver> driver = load_driver();
      if (!driver) return text_of(driver.errors().front());
      driver_ = *driver;
    }
    if (!cublas_) {
      Result<Cublas> cublas = load_cublas();
      if (!cublas) return text_of(cublas.errors().front());
      cublas_ = *cublas;
    }
    return {};
  }

  Measuring& measuring(int device) {
    if (const std::string missing = open_libraries(); !missing.empty()) stop(Failure::NoGpu, missing);
    if (!measuring_ || device != device_) measuring_ = std::make_unique<Measuring>(*driver_, *cublas_, device);
    device_ = device;
    return *measuring_;
  }

  bool measure(const Json& id, const Json& params) {
    const Result<protocol::MeasureRequest> request = protocol::measure_request(params);
    if (!request) {
      refuse(id, static_cast<int>(Failure::BadRequest), text_of(request.errors().front()));
      return true;
    }
    protocol::ReplyError why;
    try {
      const protocol::MeasureReply reply = measure_watched(id, *request);
      answer(id, to_json(reply));
      return true;
    } catch (const Stopped& stopped) {
      why = stopped.why;
    }
    refuse(id, static_cast<int>(why.failure), why.message);
    return !is_final(why.failure);
  }

  protocol::MeasureReply measure_watched(const Json& id, const protocol::MeasureRequest& request) {
    Heartbeat heartbeat(output_, id);
    return measuring(request.device)
        .measure(request, {[&](protocol::Phase phase, size_t samples) { heartbeat.set(phase, samples); },
                           [&] { return input_.is_cancelled(id); }});
  }

  Output output_;
  Input input_;
  std::optional<Driver> driver_;
  std::optional<Cublas> cublas_;
  std::unique_ptr<Measuring> measuring_;
  int device_ = -1;
};

}  // namespace

int serve(int input, int output) { return Server(input, output).run(); }

}  // namespace tilescope::agent
