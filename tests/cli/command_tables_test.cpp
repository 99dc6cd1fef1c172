// The manual page and the shells' completions name every command and option that --help names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tilescope::cli
