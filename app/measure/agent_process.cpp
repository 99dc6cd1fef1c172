#include "measure/agent_process.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/text.h"

namespace tilescope::measure {
namespace fs = std::filesystem;
namespace {
using Json = nlohmann::ordered_json;
using Kind = Answer::Kind;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kProgram = "tilescope-agent";
constexpr milliseconds kCancelGrace{1000};
constexpr milliseconds kLastBreath{500};
constexpr size_t kMostErrorText = 2000;

// The shell finds the program on the path and sends its stderr to a file; exec leaves no shell behind.
constexpr const char* kStart = "exec \"$@\" 2>\"$TILESCOPE_AGENT_LOG\"";

/// The sentence with the last line of what the agent wrote to stderr, if it wrote anything.
Message with_last_words(const Message& sentence, const fs::path& log) {
  if (log.empty()) return sentence;
  const Result<std::string> text = read_file(log);
  if (!text) return sentence;
  const std::string_view end = std::string_view(*text).substr(text->size() - std::min(text->size(), kMostErrorText));
  const std::vector<std::string> lines = lines_of(trimmed(end));
  return lines.empty() ? sentence : Message("{} It said: {}", sentence, lines.back());
}

Json request_message(uint64_t id, const char* method, Json params) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

Message exit_text(const Exit& exit) {
  if (exit.signal != 0) return Message("The agent was ended by signal {} ({}).", exit.signal, ::strsignal(exit.signal));
  if (exit.code == 127) return Message("The agent was not found.");
  return Message("The agent ended with exit status {}.", exit.code);
}

}  // namespace

Result<std::vector<std::string>> agent_command(const Settings& settings) {
  if (!settings.command.empty()) return settings.command;
  if (const char* words = std::getenv("TILESCOPE_AGENT"); words && *words) {
    std::istringstream stream(words);
    std::vector<std::string> command(std::istream_iterator<std::string>(stream), {});
    if (!command.empty()) return command;
  }
  std::error_code problem;
  const fs::path here = fs::read_symlink("/proc/self/exe", problem).parent_path();
  for (const fs::path& candidate : {here / kProgram, here / "../bin" / kProgram})
    if (fs::exists(candidate, problem)) return std::vector<std::string>{candidate.string()};
  return error(Message(
      "There is no tilescope-agent beside tilescope: it is built where CMake finds the CUDA Toolkit 12.4 or newer. "
      "To measure on another machine, set TILESCOPE_AGENT to a command, for example \"ssh gpu-host "
      "tilescope-agent\"."));
}

/// What a call waits for.
struct AgentProcess::Call {
  uint64_t id = 0;
  steady_clock::time_point until, heard;
  const std::atomic<bool>* cancel = nullptr;
  const std::function<void(const Progress&)>* progress = nullptr;
  bool cancel_sent = false;
};

Result<std::unique_ptr<AgentProcess>> AgentProcess::start(const Settings& settings, const std::atomic<bool>* cancel) {
  const Result<std::vector<std::string>> command = agent_command(settings);
  if (!command) return command.errors();
  std::vector<std::string> arguments{"-c", kStart, "sh"};
  arguments.insert(arguments.end(), command->begin(), command->end());
  const std::string log = settings.log_file.empty() ? "/dev/null" : settings.log_file.string();
  Result<ChildProcess> process = ChildProcess::start("/bin/sh", arguments, {"TILESCOPE_AGENT_LOG=" + log});
  if (!process) return process.errors();
  std::unique_ptr<AgentProcess> agent(new AgentProcess(std::move(*process), settings));
  if (const Result<std::monostate> greeted = agent->shake_hands(cancel); !greeted) return greeted.errors();
  return agent;
}

bool AgentProcess::send(const Json& message, const Patience& patience) {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  return process_.send(protocol::frame(text), patience) == Transfer::Done;
}

Result<std::monostate> AgentProcess::shake_hands(const std::atomic<bool>* cancel) {
  const auto now = steady_clock::now();
  Call call{0, now + settings_.start_limit, now + settings_.start_limit, cancel, nullptr, true};
  const Json params{{"protocol", protocol::kVersion}, {"device", settings_.device}};
  // A program that ends at once may not take the message; its output is read anyway.
  send(request_message(0, "initialize", params), {call.until, cancel});
  const Answer answer = converse(call);
  if (is_set(cancel) || answer.kind == Kind::Cancelled) return error("Cancelled.");
  if (answer.kind == Kind::Refused) return error(Message("The agent does not start: {}", answer.why.message));
  if (answer.kind == Kind::Lost) return error(answer.problem);
  const Result<protocol::AgentFacts> facts = protocol::agent_facts(answer.result);
  if (!facts)
    return error(
        Message("The agent's description of itself cannot be read. Use a tilescope-agent of the same version."));
  if (facts->protocol != protocol::kVersion)
    return error(
        Message("The agent speaks version {} of the protocol and this Tilescope version {}. Use a "
                "tilescope-agent of the same version.",
                facts->protocol, protocol::kVersion));
  facts_ = *facts;
  return std::monostate{};
}

Answer AgentProcess::measure(uint64_t id, const protocol::MeasureRequest& request, milliseconds limit,
                             const std::atomic<bool>* cancel, const std::function<void(const Progress&)>& progress) {
  const auto now = steady_clock::now();
  Call call{id, now + limit, now, cancel, &progress, false};
  const Patience patience{std::min(call.until, now + settings_.silence_limit), cancel};
  if (!send(request_message(id, "measure", to_json(request)), patience)) {
    if (is_set(cancel)) return {.kind = Kind::Cancelled};
    return lost(Message("The agent accepts no requests."));
  }
  return converse(call);
}

// Reads until the reply arrives, the agent ends or is silent, or the time is up.
Answer AgentProcess::converse(Call& call) {
  for (;;) {
    if (std::optional<Answer> answer = read_messages(call)) return *answer;
    if (!frames_.problem().empty()) return lost(Message("The agent {}.", frames_.problem()));
    if (is_set(call.cancel) && !call.cancel_sent) {
      call.cancel_sent = true;
      call.until = std::min(call.until, steady_clock::now() + kCancelGrace);
      send({{"jsonrpc", "2.0"}, {"method", "cancel"}, {"params", {{"id", call.id}}}}, {call.until});
    }
    const auto silent_until = call.heard + settings_.silence_limit;
    const auto until = std::min(call.until, silent_until);
    const bool watch_cancel = call.cancel && (!call.cancel_sent || call.id == 0);
    char bytes[1 << 14];
    size_t got = 0;
    const Transfer transfer =
        process_.receive_some(bytes, sizeof bytes, got, {until, watch_cancel ? call.cancel : nullptr});
    if (transfer == Transfer::Done) frames_.feed({bytes, got});
    if (transfer == Transfer::Cancelled && call.id == 0) return {.kind = Kind::Cancelled};
    if (transfer == Transfer::Closed) return lost("");
    if (transfer != Transfer::TimedOut) continue;
    if (is_set(call.cancel)) {
      process_.kill();  // Still busy with an unwanted request.
      return {.kind = Kind::Cancelled};
    }
    return lost(why_silent(call.until <= silent_until));
  }
}

// srun forwards whole lines, which messages are not.
Message AgentProcess::why_silent(bool to_the_end) const {
  const Result<std::vector<std::string>> command = agent_command(settings_);
  const auto has = [&](const char* word) {
    return command && std::find(command->begin(), command->end(), word) != command->end();
  };
  if (to_the_end && has("srun") && !has("--unbuffered") && !has("-u"))
    return Message("The agent did not answer in time: srun holds back what it says. Start it with srun --unbuffered.");
  return to_the_end ? Message("The agent did not answer in time.") : Message("The agent stopped answering.");
}

std::optional<Answer> AgentProcess::read_messages(Call& call) {
  while (const std::optional<std::string> content = frames_.next())
    if (std::optional<Answer> answer = take(*content, call)) return answer;
  return std::nullopt;
}

// The reply to this call; nullopt for a heartbeat or a reply to an earlier one.
std::optional<Answer> AgentProcess::take(const std::string& content, Call& call) {
  const Result<Json> message = parse_json(content);
  if (!message || !message->is_object()) return lost(Message("The agent's reply is not valid JSON-RPC."));
  const Json method = message->value("method", Json()), params = message->value("params", Json());
  if (method == "heartbeat" && params.is_object()) {
    call.heard = std::max(call.heard, steady_clock::now());
    const Json phase = params.value("phase", Json()), samples = params.value("samples", Json());
    const std::optional<protocol::Phase> known =
        phase.is_string() ? protocol::parse_phase(phase.get<std::string>()) : std::nullopt;
    if (call.progress && *call.progress && known && samples.is_number_unsigned())
      (*call.progress)({*known, samples.get<uint32_t>()});
    return std::nullopt;
  }
  if (message->value("id", Json()) != Json(call.id)) return std::nullopt;
  if (const auto result = message->find("result"); result != message->end())
    return Answer{.kind = Kind::Result, .result = *result};
  const Json problem = message->value("error", Json::object());
  if (!problem.is_object()) return lost(Message("The agent's reply is not valid JSON-RPC."));
  const Json code = problem.value("code", Json(0)), text = problem.value("message", Json(""));
  if (!code.is_number_integer() || !text.is_string()) return lost(Message("The agent's reply is not valid JSON-RPC."));
  const auto failure = static_cast<protocol::Failure>(code.get<int>());
  if (failure == protocol::Failure::Cancelled) return Answer{.kind = Kind::Cancelled};
  return Answer{.kind = Kind::Refused, .why = {failure, text.get<std::string>()}};
}

// Ends the process. Without a sentence: it closed the connection and is about to end by itself.
Answer AgentProcess::lost(Message problem) {
  const Exit exit = problem.empty() ? process_.wait({steady_clock::now() + kLastBreath}) : process_.kill();
  if (problem.empty()) problem = exit_text(exit);
  return {.kind = Kind::Lost, .problem = with_last_words(problem, settings_.log_file)};
}

}  // namespace tilescope::measure
