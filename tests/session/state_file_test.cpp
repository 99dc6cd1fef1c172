#include "session/state_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "compile/compile.h"

namespace tilescope::session {
namespace {
namespace fs = std::filesystem;

/// With no field at its default.
State unusual() {
  State state;
  state.inputs = {"09_thread_tile_2d", "__global__ void f() {}\n// 矩阵", {{"BM", "64"}}, {100, 200, 300}, 3, 4};
  state.compared = Inputs{"04_shared_tile", std::nullopt, {}, {64, 64, 64}, 0, 1};
  state.arch = "sm_80";
  state.explored_arch = "sm_86";
  state.explored_device = "NVIDIA A10";
  state.compiler = compile::Choice::Clang;
  state.cursor = {5, 678};
  state.lane = 17;
  state.scale = Scale::Thread;
  state.order = WarpOrder::Behind;
  state.zoom = 2.5f;
  state.pan_x = -0.25f;
  state.pan_y = 0.1f;
  state.unit = analysis::Unit::Phase;
  state.speed = 12;
  state.room = {0.2f, 0.3f, 0.15f, 0, 0.25f, 0, 0.5f, "strip", {"code", "timeline"}};
  state.breakpoints = {12, 42};
  state.lesson = "07-thread-tiles";
  state.lesson_step = 3;
  state.exploring = true;
  state.edited = {{"04_shared_tile", {"__global__ void g() {}\n", "__global__ void f() {}\n"}}};
  state.forms = {{"/home/me/mine.cu",
                  {"mine",
                   "sum<64>",
                   {{"d_A", "A", true, "f32", "inout", "M, N", "0", "", true},
                    {"n", "n", false, "i32", "", "", "", "N"}},
                   "64",
                   "ceil_div(N, 64)",
                   "256",
                   {{1, 4096, 1}},
                   true,
                   true,
                   0,
                   "sum_slow"}}};
  state.opened = {"/home/me/mine.cu", "/home/me/other.cu"};
  state.theme = Theme::Light;
  state.language = "zh";
  state.present = true;
  state.ui_scale = 1.21f;
  return state;
}

std::string message_of(const std::string& text) {
  const Result<State> state = state_from(text);
  return state ? "" : state.errors().front().message.text();
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = to_text(unusual());
  return text.replace(text.find(from), from.size(), to);
}

TEST(StateFile, ReadsBackWhatItWrote) {
  const Result<State> read = state_from(to_text(unusual()));
  ASSERT_TRUE(read) << read.errors().front().message.text();
  EXPECT_EQ(to_text(*read), to_text(unusual()));
  EXPECT_EQ(read->inputs, unusual().inputs);
  EXPECT_EQ(read->compared, unusual().compared);
  EXPECT_EQ(read->edited, unusual().edited);
  EXPECT_EQ(read->forms, unusual().forms);
  EXPECT_EQ(read->opened, unusual().opened);
  EXPECT_EQ(read->breakpoints, unusual().breakpoints);
  EXPECT_EQ(read->cursor, unusual().cursor);
  EXPECT_EQ(read->lane, 17u);
  EXPECT_EQ(read->pan_y, 0.1f);
  EXPECT_EQ(read->order, WarpOrder::Behind);
  EXPECT_EQ(read->theme, Theme::Light);
  EXPECT_EQ(read->language, "zh");
}

TEST(StateFile, OneWithoutALanguageIsReadToo) {
  const Result<State> read = state_from(changed("    \"language\": \"zh\",\n", ""));
  ASSERT_TRUE(read) << read.errors().front().message.text();
  EXPECT_EQ(read->language, "");
}

TEST(StateFile, OneWithEditsAloneIsReadToo) {
  std::string text = to_text(unusual());
  const size_t begin = text.find("\"04_shared_tile\": {"), end = text.find("\n    }", begin) + 6;
  const Result<State> read = state_from(text.replace(begin, end - begin, "\"04_shared_tile\": \"mine\""));
  ASSERT_TRUE(read) << read.errors().front().message.text();
  EXPECT_EQ(read->edited.at("04_shared_tile"), (Edit{"mine", ""}));
}

TEST(StateFile, OneWithoutLaunchFormsIsReadToo) {
  std::string text = to_text(unusual());
  const size_t begin = text.find("  \"forms\": {"), end = text.find("\n  },\n", begin) + 6;
  const Result<State> read = state_from(text.erase(begin, end - begin));
  ASSERT_TRUE(read) << read.errors().front().message.text();
  EXPECT_TRUE(read->forms.empty());
}

TEST(StateFile, OneWhoseRoomHasFewerPartsIsReadToo) {
  std::string text = to_text(unusual());
  const size_t begin = text.find("\"resources\""), end = text.find(',', begin) + 1;
  const Result<State> read = state_from(text.erase(begin, end - begin));
  ASSERT_TRUE(read) << read.errors().front().message.text();
  EXPECT_EQ(read->room.resources, 0);
  EXPECT_EQ(read->room.right, unusual().room.right);
}

TEST(StateFile, IsSmall) { EXPECT_LT(to_text(State{}).size(), 1000u); }

TEST(StateFile, ANewerVersionIsNamedAndNotRead) {
  EXPECT_EQ(message_of(changed("\"tilescope_state\": 1", "\"tilescope_state\": 7")),
            "A newer Tilescope wrote it (format 7; this one reads 1).");
}

TEST(StateFile, SaysWhatIsDamaged) {
  EXPECT_EQ(message_of("{}"), "This is not a Tilescope state file.");
  EXPECT_EQ(message_of("[1, 2]"), "This is not a Tilescope state file.");
  EXPECT_EQ(message_of(changed("\"lane\": 17", "\"lane\": 32")).substr(0, 15), "It is damaged: ");
  EXPECT_EQ(message_of(changed("\"thread\"", "\"moon\"")),
            "It is damaged: scale is \"moon\", which means nothing here.");
  EXPECT_EQ(message_of(changed("\"zoom\": 2.5", "\"zoom\": 0")),
            "It is damaged: zoom is 0, which is not from 0.001 to 1000000.");
  EXPECT_EQ(message_of(changed("\"arch\": \"sm_80\"", "\"arch\": 80")),
            "It is damaged: arch in the state is not a string.");
  EXPECT_EQ(message_of(changed("\"BM\": \"64\"", "\"BM\": 64")), "It is damaged: the setting BM is not a string.");
  EXPECT_EQ(message_of(changed("\"square\": true", "\"square\": 1")),
            "It is damaged: square in a launch form is not true or false.");
  EXPECT_EQ(message_of(changed("4096,", "-1,")), "It is damaged: the size of a launch form is not three extents.");
  State large = unusual();
  large.inputs.source = std::string(compile::kMaxSourceBytes + 1, ' ');
  EXPECT_EQ(message_of(to_text(large)), "It is damaged: its source has 1048577 bytes; the limit is 1048576.");
}

TEST(StateFile, EveryCutShortFileIsAnErrorAndNoCrash) {
  const std::string text = to_text(unusual());
  for (size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_FALSE(state_from(text.substr(0, length))) << length;
}

TEST(StateFile, SavesIntoAFolderThatItMakesAndNamesTheFileInErrors) {
  const fs::path folder = fs::path(testing::TempDir()) / "state_file_test";
  fs::remove_all(folder);
  const fs::path file = folder / "deep" / "state.json";
  ASSERT_TRUE(save_state(unusual(), file));
  ASSERT_TRUE(load_state(file));
  std::ofstream(file) << "{}";
  const Result<State> damaged = load_state(file);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.errors().front().message.text(), file.string() + ": This is not a Tilescope state file.");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tilescope::session
