// The agent's program on its two pipes: what it answers without a GPU, and to what it cannot serve.
#include <chrono>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "protocol/frames.h"
#include "protocol/messages.h"

namespace tilescope::agent {
namespace {
using Json = nlohmann::ordered_json;
using protocol::Failure;

Patience soon() { return {std::chrono::steady_clock::now() + std::chrono::seconds(20)}; }

class AgentServer : public testing::Test {
 protected:
  void SetUp() override {
    // No driver is found here, on a machine with a GPU either.
    Result<ChildProcess> started =
        ChildProcess::start("/bin/sh", {"-c", "exec \"$0\" 2>/dev/null", TILESCOPE_BINARY_DIR "/bin/tilescope-agent"},
                            {"CUDA_VISIBLE_DEVICES="});
    ASSERT_TRUE(started) << to_string(started.errors());
    agent_.emplace(std::move(*started));
  }

  void send(const Json& message) { ASSERT_EQ(agent_->send(protocol::frame(message.dump()), soon()), Transfer::Done); }
  /// The next message but heartbeats; null when the agent closes the connection.
  Json next() {
    char bytes[4096];
    for (;;) {
      while (const std::optional<std::string> content = frames_.next())
        if (Json message = Json::parse(*content); message.value("method", "") != "heartbeat") return message;
      size_t got = 0;
      if (agent_->receive_some(bytes, sizeof bytes, got, soon()) != Transfer::Done) return {};
      frames_.feed({bytes, got});
    }
  }
  Json ask(int id, const char* method, Json params) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
    return next();
  }
  static int code_of(const Json& reply) { return reply.at("error").at("code"); }

  std::optional<ChildProcess> agent_;
  protocol::FrameReader frames_;
};

TEST_F(AgentServer, SaysWhatItIsAndWhatIsMissing) {
  const Json reply = ask(0, "initialize", {{"protocol", protocol::kVersion}, {"device", 0}});
  EXPECT_EQ(reply.at("id"), 0);
  const Result<protocol::AgentFacts> facts = protocol::agent_facts(reply.at("result"));
  ASSERT_TRUE(facts) << to_string(facts.errors());
  EXPECT_EQ(facts->protocol, protocol::kVersion);
  EXPECT_TRUE(facts->devices.empty());
  EXPECT_NE(facts->problem, "");
}

TEST_F(AgentServer, RefusesWhatItDoesNotKnowAndServesOn) {
  EXPECT_EQ(code_of(ask(1, "dance", Json::object())), -32601);
  const Json empty = ask(2, "measure", Json::object());
  EXPECT_EQ(empty.at("id"), 2);
  EXPECT_EQ(code_of(empty), static_cast<int>(Failure::BadRequest));
  EXPECT_EQ(empty.at("error").at("message"), "the request has no device.");
  EXPECT_EQ(code_of(ask(3, "measure", "all of it")), static_cast<int>(Failure::BadRequest));
  EXPECT_EQ(ask(4, "initialize", Json::array()).at("id"), 4);
}

TEST_F(AgentServer, ARequestWithoutAGpuIsRefused) {
  protocol::MeasureRequest request;
  request.kernel.cubin = "x";
  request.kernel.entry = "kernel";
  request.kernel.grid = request.kernel.block = {1, 1, 1};
  request.m = request.n = request.k = 1;
  const Json reply = ask(7, "measure", to_json(request));
  EXPECT_THAT(code_of(reply), testing::AnyOf(static_cast<int>(Failure::NoGpu), static_cast<int>(Failure::Launch)));
  EXPECT_NE(reply.at("error").at("message"), "");
}

TEST_F(AgentServer, AMessageInPiecesIsOne) {
  const std::string bytes = protocol::frame(Json{{"id", 5}, {"method", "dance"}}.dump());
  for (const char byte : bytes) ASSERT_EQ(agent_->send({&byte, 1}, soon()), Transfer::Done);
  EXPECT_EQ(next().at("id"), 5);
}

TEST_F(AgentServer, EndsAtWhatIsNoMessage) {
  ASSERT_EQ(agent_->send(protocol::frame("this is not JSON"), soon()), Transfer::Done);
  EXPECT_TRUE(next().is_null());
  EXPECT_EQ(agent_->wait(soon()).code, 2);
}

TEST_F(AgentServer, EndsAtABrokenFrame) {
  send({{"id", 5}, {"method", "dance"}});
  next();
  ASSERT_EQ(agent_->send("\r\nContent-Length: many\r\n\r\n", soon()), Transfer::Done);
  EXPECT_TRUE(next().is_null());
  EXPECT_EQ(agent_->wait(soon()).code, 2);
}

}  // namespace
}  // namespace tilescope::agent
