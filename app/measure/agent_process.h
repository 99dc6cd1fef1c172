#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/process.h"
#include "measure/measurer.h"
#include "protocol/frames.h"
#include "protocol/messages.h"

namespace tilescope::measure {

/// How a call to the agent ended.
struct Answer {
  enum class Kind {
    Result,
    Refused,  ///< The agent said why; it keeps running, unless the failure is a Fault or Endless.
    Lost,     ///< The agent died, stopped answering or sent an unreadable message: `problem`. It must be restarted.
    Cancelled,
  };
  Kind kind = Kind::Lost;
  nlohmann::ordered_json result = {};
  protocol::ReplyError why = {};
  Message problem = {};
};

/// One run of the agent's program. Calls wait; none waits beyond the settings' limits.
class AgentProcess {
 public:
  /// Starts the program and shakes hands. The error says why it could not be, with what the program wrote to stderr.
  static Result<std::unique_ptr<AgentProcess>> start(const Settings& settings, const std::atomic<bool>* cancel);

  const protocol::AgentFacts& facts() const { return facts_; }
  bool is_running() const { return process_.is_running(); }

  /// Sends a measure request and waits for its reply, at most `limit`. Replies to other requests are skipped.
  Answer measure(uint64_t id, const protocol::MeasureRequest& request, std::chrono::milliseconds limit,
                 const std::atomic<bool>* cancel, const std::function<void(const Progress&)>& progress);

 private:
  AgentProcess(ChildProcess process, const Settings& settings) : process_(std::move(process)), settings_(settings) {}

  struct Call;
  Answer converse(Call& call);
  std::optional<Answer> read_messages(Call& call);
  std::optional<Answer> take(const std::string& content, Call& call);
  Answer lost(Message problem);
  Message why_silent(bool to_the_end) const;
  bool send(const nlohmann::ordered_json& message, const Patience& patience);
  Result<std::monostate> shake_hands(const std::atomic<bool>* cancel);

  ChildProcess process_;
  Settings settings_;
  protocol::FrameReader frames_;
  protocol::AgentFacts facts_;
};

inline bool is_set(const std::atomic<bool>* flag) { return flag && flag->load(std::memory_order_relaxed); }

/// The command that starts the agent: the settings', $TILESCOPE_AGENT, or the program beside this one. The error says
/// that there is none.
Result<std::vector<std::string>> agent_command(const Settings& settings);

}  // namespace tilescope::measure
