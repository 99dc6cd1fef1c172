// The manual page and the shells' completions name every command and option that --help names.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"

namespace tilescope::cli {
namespace {
using testing::AllOf;
using testing::HasSubstr;

TEST(Completion, BashReadsItAndCompletesCommandsAndOptions) {
  const Ran ran = run_tilescope("completion bash", ">/dev/null");
  ASSERT_EQ(ran.status, 0);
  const auto completed = [](const std::string& words, int at) {
    return run_command("bash -c 'eval \"$(" TILESCOPE_BINARY_DIR "/bin/tilescope completion bash)\"; COMP_WORDS=(" +
                       words + "); COMP_CWORD=" + std::to_string(at) + "; _tilescope_words; echo \"${COMPREPLY[*]}\"'")
        .out;
  };
  EXPECT_EQ(completed("tilescope ladx", 1), "\n");
  EXPECT_EQ(completed("tilescope lad", 1), "ladder\n");
  EXPECT_EQ(completed("tilescope ladder --rec", 2), "--recorded\n");
  EXPECT_EQ(completed("tilescope lesson col", 2), "collect\n");
  EXPECT_EQ(completed("tilescope lesson show --ans", 3), "--answers\n");
}

TEST(Completion, ZshAndFishHaveTheSame) {
  EXPECT_THAT(run_tilescope("completion zsh").out, AllOf(HasSubstr("#compdef tilescope"), HasSubstr("--recorded")));
  EXPECT_THAT(run_tilescope("completion fish").out,
              AllOf(HasSubstr("-a ladder -d "), HasSubstr("'__fish_seen_subcommand_from ladder' -l recorded -d ")));
  EXPECT_EQ(run_tilescope("completion tcsh").status, 2);
}

TEST(Manual, NamesCommandsWithTheirOptions) {
  const Ran ran = run_tilescope("manual");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr(".TH TILESCOPE 1"), HasSubstr(".SS tilescope lesson show"),
                             HasSubstr(".B \\-\\-recorded\n")));
}

/// "lesson list", "trace" and so on: what the manual page gives the option --json.
std::vector<std::string> commands_with_json() {
  std::vector<std::string> commands;
  std::istringstream manual(run_tilescope("manual").out);
  std::string command;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with(".SS tilescope ")) {
      std::istringstream words(line.substr(14));
      std::string second;
      words >> command >> second;
      if (command == "lesson") command += " " + second;
    }
    if (line == ".B \\-\\-json") commands.push_back(command);
  }
  return commands;
}

TEST(Json, IsDocumentedForEveryCommand) {
  std::ifstream stream(TILESCOPE_SOURCE_DIR "/docs/json.md");
  std::string headings;
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("## ")) headings += line;
  const std::vector<std::string> commands = commands_with_json();
  EXPECT_THAT(commands, testing::IsSupersetOf({"trace", "run", "grade", "lesson list", "lesson collect", "play"}));
  for (const std::string& command : commands) EXPECT_THAT(headings, HasSubstr("`" + command + "`"));
}

TEST(Json, WhatFailsIsAnObjectToo) {
  for (const std::string& command : commands_with_json()) {
    const Ran ran = run_tilescope(command + " --no-such-option --json " + (command == "run" ? "-" : ""));
    EXPECT_EQ(ran.status, 2) << command;
    const nlohmann::json json = nlohmann::json::parse(ran.out, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << command << ": " << ran.out;
    EXPECT_EQ(json["status"], 2);
    ASSERT_EQ(json["errors"].size(), 1U) << command;
    EXPECT_THAT(ran.err, HasSubstr(json["errors"][0]["message"].get<std::string>()));
  }
  const nlohmann::json unknown = nlohmann::json::parse(run_tilescope("trace 99 --json").out);
  EXPECT_THAT(unknown["errors"][0]["message"].get<std::string>(), testing::StartsWith("There is no kernel \"99\""));
  EXPECT_EQ(run_tilescope("trace 99").out, "");
}

}  // namespace
}  // namespace tilescope::cli
