#include "base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace tilescope {
namespace {

using namespace std::chrono_literals;

Patience patience(std::chrono::milliseconds time) { return {std::chrono::steady_clock::now() + time}; }

Result<ChildProcess> shell(const std::string& script, const std::vector<std::string>& environment = {}) {
  return ChildProcess::start("/bin/sh", {"-c", script}, environment);
}

TEST(ChildProcess, TalksOverItsStandardStreams) {
  auto child = shell("read line; echo \"$WORD $line\"", {"WORD=got"});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->send("it\n", patience(5s)), Transfer::Done);
  std::string answer(7, ' ');
  EXPECT_EQ(child->receive(answer.data(), answer.size(), patience(5s)), Transfer::Done);
  EXPECT_EQ(answer, "got it\n");
  EXPECT_EQ(child->receive(answer.data(), 1, patience(5s)), Transfer::Closed);
  EXPECT_EQ(child->wait(patience(5s)).code, 0);
}

TEST(ChildProcess, WaitsNoLongerThanItMay) {
  auto child = shell("exec sleep 60");
  ASSERT_TRUE(child);
  char byte;
  EXPECT_EQ(child->receive(&byte, 1, patience(20ms)), Transfer::TimedOut);
  const std::atomic<bool> cancel = true;
  EXPECT_EQ(child->receive(&byte, 1, {std::chrono::steady_clock::now() + 1h, &cancel}), Transfer::Cancelled);
  EXPECT_TRUE(child->is_running());
  EXPECT_EQ(child->kill().signal, SIGKILL);
}

TEST(ChildProcess, SendingToOneThatReadsNothing) {
  auto child = shell("exec sleep 60");
  ASSERT_TRUE(child);
  EXPECT_EQ(child->send(std::string(1 << 22, 'x'), patience(50ms)), Transfer::TimedOut);
  auto ended = shell("exit 0");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->send(std::string(1 << 22, 'x'), patience(5s)), Transfer::Closed);
}

TEST(ChildProcess, TellsHowItEnded) {
  auto with_code = shell("exit 5");
  ASSERT_TRUE(with_code);
  EXPECT_EQ(with_code->wait(patience(5s)).code, 5);
  auto by_signal = shell("kill -ABRT $$");
  ASSERT_TRUE(by_signal);
  EXPECT_EQ(by_signal->wait(patience(5s)).signal, SIGABRT);
}

TEST(ChildProcess, ItsOwnChildrenEndWithIt) {
  auto child = shell("sleep 60 & echo $!; wait");
  ASSERT_TRUE(child);
  std::string number;
  for (char c = 0; child->receive(&c, 1, patience(5s)) == Transfer::Done && c != '\n';) number += c;
  const pid_t grandchild = std::atoi(number.c_str());
  ASSERT_GT(grandchild, 0);
  ASSERT_EQ(getpgid(grandchild), child->pid());
  child->kill();
  // Its new parent reaps it in its own time; until then it is a zombie, whose command line is empty.
  const auto runs = [&] {
    std::ifstream file("/proc/" + number + "/cmdline");
    return file.peek() != std::ifstream::traits_type::eof();
  };
  for (int i = 0; i < 500 && runs(); ++i) std::this_thread::sleep_for(2ms);
  EXPECT_FALSE(runs());
}

TEST(ChildProcess, InheritsNoOtherDescriptor) {
  auto child = shell("ls /proc/self/fd | wc -l");
  ASSERT_TRUE(child);
  char count;
  EXPECT_EQ(child->receive(&count, 1, patience(5s)), Transfer::Done);
  EXPECT_EQ(count, '4') << "0, 1, 2 and the folder that ls reads";
}

TEST(ChildProcess, MissingProgram) {
  const auto child = ChildProcess::start("/nowhere/program", {}, {});
  ASSERT_FALSE(child);
  EXPECT_EQ(to_string(child.errors()), "error: /nowhere/program: cannot be started: No such file or directory.");
}

}  // namespace
}  // namespace tilescope
