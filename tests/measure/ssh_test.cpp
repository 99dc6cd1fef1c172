// An agent over a real ssh to this machine, whose login prints text before and between the agent's messages.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process.h"
#include "measure/measurer.h"
#include "measure/stand_in_compiler.h"

namespace tilescope::measure {
namespace {
namespace fs = std::filesystem;

constexpr const char* kServer = "/usr/sbin/sshd";

uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

bool answers(uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool connected = ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return connected;
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

class Ssh : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kServer)) GTEST_SKIP() << "openssh-server is not installed";
    fs::create_directories(folder_);
    ASSERT_EQ(std::system(fmt::format("ssh-keygen -q -t ed25519 -N '' -f {0}/key && cp {0}/key {0}/host_key && "
                                      "cp {0}/key.pub {0}/authorized && chmod 600 {0}/*",
                                      folder_.string())
                              .c_str()),
              0);
    if (::geteuid() == 0) fs::create_directories("/run/sshd");  // Where the server as root locks itself in.
    write(folder_ / "login",
          "#!/bin/sh\necho 'Welcome to the cluster.'\necho 'Content of this week: maintenance.' >&2\nprintf 'no "
          "newline'\n"
          "exec $SSH_ORIGINAL_COMMAND\n");
    fs::permissions(folder_ / "login", fs::perms::owner_all);
    write(folder_ / "config",
          fmt::format("ListenAddress 127.0.0.1\nPort {0}\nHostKey {1}/host_key\nUsePAM no\nStrictModes "
                      "no\nPidFile none\nPermitRootLogin yes\nAuthorizedKeysFile {1}/authorized\n"
                      "ForceCommand {1}/login\n",
                      port_, folder_.string()));
    Result<ChildProcess> server =
        ChildProcess::start(kServer, {"-D", "-f", (folder_ / "config").string(), "-E", (folder_ / "log").string()}, {});
    ASSERT_TRUE(server) << to_string(server.errors());
    server_.emplace(std::move(*server));
    for (int i = 0; i < 500 && !answers(port_); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ~Ssh() override {
    if (server_) server_->kill();
    fs::remove_all(folder_);
  }

  Settings settings(const std::string& mode) const {
    Settings result;
    result.command = {"ssh",
                      "-F",
                      "none",
                      "-p",
                      std::to_string(port_),
                      "-i",
                      (folder_ / "key").string(),
                      "-o",
                      "StrictHostKeyChecking=no",
                      "-o",
                      "UserKnownHostsFile=/dev/null",
                      "-o",
                      "BatchMode=yes",
                      "-o",
                      "LogLevel=ERROR",
                      "127.0.0.1",
                      TILESCOPE_BINARY_DIR "/tests/fake_agent",
                      mode};
    result.log_file = folder_ / "said";
    result.first_pause = std::chrono::milliseconds(1);
    result.longest_pause = std::chrono::milliseconds(4);
    return result;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("ssh-{}", ::getpid());
  uint16_t port_ = free_port();
  std::optional<ChildProcess> server_;
};

TEST_F(Ssh, AnAgentBehindANoisyLoginIsReached) {
  Measurer measurer(settings("good"), runs());
  const Result<protocol::AgentFacts> facts = measurer.connect();
  ASSERT_TRUE(facts) << to_string(facts.errors());
  EXPECT_EQ(facts->devices.at(0).name, "Fake GPU");
}

TEST_F(Ssh, AKernelIsMeasuredThroughIt) {
  const kernel::Kernel kernel =
      *kernel::find_kernel(kernel::load_catalogue(fs::path(TILESCOPE_SOURCE_DIR) / "kernels"), "02");
  Measurer measurer(settings("good"), runs());
  const Result<Measured> result = measurer.measure({run::Request{kernel, {}, {64, 64, 64}}});
  ASSERT_TRUE(result) << to_string(result.errors());
  EXPECT_DOUBLE_EQ(result->measurement.seconds.median, 64e-6);
}

TEST_F(Ssh, WhatSshSaysIsPassedOn) {
  Settings refused = settings("good");
  refused.command.at(6) = (folder_ / "no-key").string();
  refused.command.insert(refused.command.begin() + 1, {"-o", "IdentitiesOnly=yes"});
  Measurer measurer(refused, runs());
  const Result<protocol::AgentFacts> facts = measurer.connect();
  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.errors()[0].message.text(),
              testing::AllOf(testing::StartsWith("The agent ended with exit status 255. It said: "),
                             testing::HasSubstr("Permission denied")));
}

}  // namespace
}  // namespace tilescope::measure
