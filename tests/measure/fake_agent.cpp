// A stand-in for tilescope-agent: fake_agent MODE [FILE]. Answers measure requests with times computed from the request
// (M microseconds), or misbehaves. Each answer's M is a line in FILE.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "protocol/frames.h"
#include "protocol/messages.h"

namespace {
using namespace tilescope::protocol;
using Json = nlohmann::ordered_json;

std::string mode, file;

void put(const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
    if (count <= 0) ::_exit(9);
    done += static_cast<size_t>(count);
  }
}

[[noreturn]] void sleep_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

Json envelope(const Json& id) { return {{"jsonrpc", "2.0"}, {"id", id}}; }

void answer(const Json& id, Json result) {
  Json message = envelope(id);
  message["result"] = std::move(result);
  put(frame(message.dump()));
}

void refuse(const Json& id, Failure failure, const std::string& text) {
  Json message = envelope(id);
  message["error"] = {{"code", static_cast<int>(failure)}, {"message", text}};
  put(frame(message.dump()));
}

void beat(const Json& id, size_t samples) {
  put(frame(Json{{"jsonrpc", "2.0"},
                 {"method", "heartbeat"},
                 {"params", {{"id", id}, {"phase", "sampling"}, {"samples", samples}}}}
                .dump()));
}

AgentFacts facts() {
  AgentFacts result;
  result.protocol = mode == "old" ? 99 : kVersion;
  result.build = "0.1.0";
  result.cuda = "13.0";
  result.driver = "1.2.3";
  result.cublas = "13.0.0";
  result.devices = {{"Fake GPU", "GPU-0", 90, 132, 1.98e9, 4.8e12, uint64_t{1} << 37, 60 << 20}};
  if (mode == "ampere") result.devices[0].capability = 80;
  if (mode == "no-gpu") result.problem = "No NVIDIA driver: install one.";
  return result;
}

void measure(const Json& id, const Json& params) {
  const double seconds = mode == "too-fast" ? 1e-12 : 1e-6 * params["m"].get<double>();
  if (!file.empty()) std::ofstream(file, std::ios::app) << params["m"] << '\n';
  MeasureReply reply{"cublasGemmEx", {}, false, 0.5};
  for (int i = 0; i < 12; ++i) reply.samples.push_back({seconds, 0.5 * seconds, 1.98e9, mode == "throttled"});
  reply.samples.push_back({9, 9, 1e9, true});
  for (const Json& name : params["counters"])
    if (mode == "no-permission")
      reply.no_counters = "Administrators alone may read hardware counters.";
    else
      reply.counters.push_back({name.get<std::string>(), 1000});
  answer(id, to_json(reply));
}

/// One way to fail, after which the process is of no use.
void misbehave(const std::string& how, const Json& id) {
  if (how == "die") ::_exit(7);
  if (how == "crash") std::abort();
  if (how == "hang") sleep_for_ever();
  if (how == "garbage") put("Segmentation fault (core dumped)\n" + std::string(5000, '#'));
  if (how == "half") put(frame(std::string(100, ' ')).substr(0, 60));
  if (how == "half-and-die") put("\r\nContent-Length: 5000\r\n\r\n{\"js"), ::_exit(0);
  if (how == "giant")
    for (const std::string block(1 << 16, 'x');;) put(block);
  if (how == "announce") put("\r\nContent-Length: 99999999999\r\n\r\n");
  if (how == "no-json") put(frame("this is not JSON"));
  if (how == "no-reply") put(frame("{\"jsonrpc\": \"2.0\", \"id\": 17}"));
  if (how == "wrong-types") answer(id, {{"reference", 1}, {"samples", "none"}, {"noisy", 0}, {"worst_ratio", nullptr}});
  sleep_for_ever();
}

const char* const kFaults[] = {"die",          "crash", "hang",     "garbage", "half",
                               "half-and-die", "giant", "announce", "no-json", "no-reply"};

/// Counts the calls in FILE.calls, so that each start of the program knows of the earlier ones.
int call_number() {
  int number = 0;
  std::ifstream(file + ".calls") >> number;
  std::ofstream(file + ".calls") << number + 1;
  return number;
}

void serve_measure(const Json& id, const Json& params) {
  if (mode == "chaos") {
    const int number = call_number();
    if (number % 3 != 0) misbehave(kFaults[static_cast<size_t>(number * 7 / 3) % std::size(kFaults)], id);
  } else if (mode == "die-once" && call_number() == 0) {
    ::_exit(7);
  } else if (mode == "wrong") {
    return refuse(id, Failure::Wrong, "The kernel's C is wrong.");
  } else if (mode == "no-tensor-maps") {
    return refuse(
        id, Failure::Launch,
        "The NVIDIA driver is too old for tensor maps: it has no cuTensorMapEncodeTiled, which came with CUDA "
        "12.0. Install a newer one.");
  } else if (mode == "fault") {
    refuse(id, Failure::Fault, "The kernel faulted on the GPU.");
    ::_exit(3);
  } else if (mode == "stale") {
    answer(9999, {{"reference", "stale"}});
  } else if (mode == "beating") {
    for (size_t i = 0;; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(5))) beat(id, i);
  } else if (mode == "slow") {
    for (size_t i = 0; i < 30; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10))) beat(id, i);
  } else if (mode.starts_with("always-")) {
    misbehave(mode.substr(7), id);
  }
  measure(id, params);
  if (mode == "stale") measure(id, params);
}

void serve(const Json& message) {
  const Json id = message.value("id", Json()), method = message["method"];
  if (method == "initialize" && mode == "no-gpu-yet" && call_number() == 0) ::_exit(7);
  if (method == "initialize") answer(id, to_json(facts()));
  if (method == "initialize" && mode == "deaf") sleep_for_ever();
  if (method == "measure") serve_measure(id, message["params"]);
}

}  // namespace

int main(int argc, char** argv) {
  mode = argc > 1 ? argv[1] : "good";
  file = argc > 2 ? argv[2] : "";
  if (mode == "dies-at-start") {
    std::fputs("ssh: connect to host gpu: refused\n", stderr);
    return 255;
  }
  if (mode == "silent") sleep_for_ever();
  if (mode == "noisy") put("Welcome!\nYou have mail.\nuser@host$ ");
  FrameReader reader;
  char bytes[1 << 14];
  for (ssize_t count; (count = ::read(STDIN_FILENO, bytes, sizeof bytes)) > 0;) {
    reader.feed({bytes, static_cast<size_t>(count)});
    while (const std::optional<std::string> content = reader.next()) serve(Json::parse(*content));
  }
  return 0;
}
