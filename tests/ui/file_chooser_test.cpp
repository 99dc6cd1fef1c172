#include "ui/file_chooser.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "ui/panel_fixture.h"

namespace tilescope::ui {
namespace {
namespace fs = std::filesystem;

class Chooser : public PanelFixture {
 protected:
  void SetUp() override {
    PanelFixture::SetUp();
    fs::create_directories(folder_ / "kernels");
    for (const char* name : {"scan.cu", "scale.cu", "notes.txt", "kernels/sum.cu"}) std::ofstream(folder_ / name) << "";
    int code = 1;
    for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_Tab, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
      ImGui::GetIO().KeyMap[key] = code++;
    chooser_.start((folder_ / "").string());
    frames();
  }
  void TearDown() override {
    PanelFixture::TearDown();
    fs::remove_all(folder_);
  }
  void frames(int count = 4) {
    for (int i = 0; i < count; ++i) frame(show_);
  }
  void press(ImGuiKey key) {
    const int code = ImGui::GetIO().KeyMap[key];
    ImGui::GetIO().KeysDown[code] = true;
    frames(1);
    ImGui::GetIO().KeysDown[code] = false;
    frames();
  }
  void type(const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    frames();
  }
  std::string path(const char* below) const { return (folder_ / below).string(); }

  const fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("chooser-{}", ::getpid());
  FileChooser chooser_;
  bool entered_ = false;
  const std::function<void(const Context&)> show_ = [this](const Context& context) {
    entered_ |= chooser_.show(context);
  };
};

TEST_F(Chooser, ShowsTheFoldersAndTheFilesThatCanBeOpened) {
  for (const char* name : {"file kernels/", "file scan.cu", "file scale.cu"}) EXPECT_NE(widget(name), nullptr) << name;
  EXPECT_EQ(widget("file notes.txt"), nullptr);
  type("scan");
  EXPECT_NE(widget("file scan.cu"), nullptr);
  EXPECT_EQ(widget("file scale.cu"), nullptr);
}

TEST_F(Chooser, TabCompletesAndEnterTakesAFile) {
  type("s");
  press(ImGuiKey_Tab);
  EXPECT_EQ(chooser_.path(), path("sca"));
  type("l");
  press(ImGuiKey_Tab);
  press(ImGuiKey_Enter);
  EXPECT_TRUE(entered_);
  EXPECT_EQ(chooser_.path(), path("scale.cu"));
}

TEST_F(Chooser, ArrowsChooseAndAFolderLeadsToWhatIsInIt) {
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Enter);
  EXPECT_FALSE(entered_);
  EXPECT_EQ(chooser_.path(), path("kernels/"));
  ASSERT_NE(widget("file sum.cu"), nullptr);
  type("s");
  EXPECT_EQ(chooser_.path(), path("kernels/s")) << "it is typed after what is there";
}

TEST_F(Chooser, AWholePathReplacesWhatIsThere) {
  type(path("kernels/s").c_str());
  EXPECT_EQ(chooser_.path(), path("kernels/s"));
  EXPECT_NE(widget("file sum.cu"), nullptr);
}

TEST_F(Chooser, AClickTakesAFile) {
  click(show_, "file scan.cu");
  EXPECT_TRUE(entered_);
  EXPECT_EQ(chooser_.path(), path("scan.cu"));
}

}  // namespace
}  // namespace tilescope::ui
