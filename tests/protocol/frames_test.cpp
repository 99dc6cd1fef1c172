#include "protocol/frames.h"

#include <random>

#include <gtest/gtest.h>

#include "protocol/base64.h"

namespace tilescope::protocol {
namespace {

TEST(Frames, ComeBackAsTheyWereSent) {
  FrameReader reader;
  reader.feed(frame("{}") + frame("") + frame("two\nlines\r\n"));
  EXPECT_EQ(reader.next(), "{}");
  EXPECT_EQ(reader.next(), "");
  EXPECT_EQ(reader.next(), "two\nlines\r\n");
  EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(Frames, MayArriveByteByByte) {
  FrameReader reader;
  std::string got;
  for (const char c : frame("first") + frame("second")) {
    reader.feed({&c, 1});
    while (const auto content = reader.next()) got += *content + ";";
  }
  EXPECT_EQ(got, "first;second;");
}

TEST(Frames, SkipWhatAShellPrintsFirst) {
  FrameReader reader;
  reader.feed("Welcome to gpu-host\nLast login: Content-Length: soon\n\nContent-Length: many\nuser@host$ " +
              frame("hello"));
  EXPECT_EQ(reader.next(), "hello");
  EXPECT_EQ(reader.problem(), "");
}

TEST(Frames, AcceptOtherHeaderFieldsAndBareNewlines) {
  FrameReader reader;
  reader.feed("Content-Length: 2\nContent-Type: application/json\n\n{}");
  EXPECT_EQ(reader.next(), "{}");
}

TEST(Frames, GiveUpOnEndlessNoise) {
  FrameReader reader;
  const std::string block(1000, 'x');
  for (int i = 0; i < 1100; ++i) {
    reader.feed(block);
    EXPECT_EQ(reader.next(), std::nullopt);
  }
  EXPECT_EQ(reader.problem(), "printed 1 MiB that is not a message");
}

TEST(Frames, GiveUpOnWhatIsPrintedBetweenFrames) {
  FrameReader reader;
  reader.feed(frame("{}") + "a kernel's printf\n" + frame("{}"));
  EXPECT_EQ(reader.next(), "{}");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.problem(), "printed something between its messages");
}

TEST(Frames, RefuseALengthThatNoReplyHas) {
  FrameReader reader;
  reader.feed("Content-Length: 1073741824\r\n\r\n");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.problem(), "announced a message of 1073741824 bytes");
}

TEST(Frames, RandomBytesNeverYieldMoreThanTheyHold) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    FrameReader reader;
    std::string bytes = frame("abc");
    for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] = static_cast<char>(random());
    reader.feed(bytes);
    while (const auto content = reader.next()) EXPECT_LE(content->size(), bytes.size());
  }
}

TEST(Base64, MatchesTheExamplesOfTheRfc) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, ComesBackForEveryByte) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Zg=", "Z===", "Zm9*", "Zg==Zg==", "Zm 9"})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tilescope::protocol
