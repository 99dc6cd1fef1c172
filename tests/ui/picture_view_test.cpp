#include "ui/picture_view.h"

#include <future>

#include <gtest/gtest.h>
#include <imgui.h>

#include "draw/cell_layer.h"
#include "draw/palette.h"
#include "ui/font_book.h"
#include "ui/scoped.h"
#include "ui/text_measure.h"

namespace tilescope::ui {
namespace {
using session::Target;
using view::Ink;

/// ImGui without a window: frames are built and never painted.
class PictureView : public testing::Test {
 protected:
  PictureView() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {400, 300};
    io.DeltaTime = 1.0f / 60;
    fonts_.build();
    context_.palette = &palette_;
    context_.pictures = &tools_;
    context_.commands = &commands_;
    context_.hover_next = &hover_next_;
    context_.widgets = &widgets_;
    point_at(-100, -100);
  }
  ~PictureView() override { ImGui::DestroyContext(); }

  void point_at(float x, float y) { ImGui::GetIO().MousePos = {x, y}; }
  void press(int button, bool down) { ImGui::GetIO().MouseDown[button] = down; }

  /// One frame with the picture at (50, 40).
  PictureEvents frame(const view::Picture& picture) {
    hover_next_ = {};
    widgets_.clear();
    cells_.clear();
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({400, 300});
    PictureEvents events;
    {
      const Window window("test", ImGuiWindowFlags_NoDecoration);
      ImGui::SetCursorScreenPos({50, 40});
      events = show_picture(context_, "picture", picture);
    }
    ImGui::Render();
    return events;
  }

  int callbacks() const {
    int count = 0;
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int i = 0; i < data.CmdListsCount; ++i)
      for (const ImDrawCmd& command : data.CmdLists[i]->CmdBuffer)
        count += command.UserCallback && command.UserCallback != ImDrawCallback_ResetRenderState;
    return count;
  }

  FontBook fonts_{{}};
  FontMeasure measure_{fonts_};
  draw::CellLayer cells_;
  draw::Palette palette_ = draw::dark_palette();
  PictureTools tools_{&fonts_, &cells_, &measure_, nullptr};
  std::vector<Command> commands_;
  std::vector<WidgetPlace> widgets_;
  Target hover_next_;
  Context context_;
};

view::Picture with_target() {
  view::Picture picture{200, 100, 1, {}, {}, {}};
  picture.add(view::Box{10, 10, 20, 20}, {Target::Kind::Bank, {}, "", 7, 0});
  return picture;
}

TEST_F(PictureView, EveryShapeIsPaintedWithoutGl) {
  view::Picture picture{200, 100, 2, {}, {}, {}};
  const int empty = (frame(picture), ImGui::GetDrawData()->TotalVtxCount);
  picture.add(view::Rectangle{{0, 0, 20, 10}, {Ink::Raised}, {Ink::Line}, 1, 3});
  picture.add(view::Polyline{{{0, 0}, {10, 10}, {20, 5}}, {Ink::Accent}, 2});
  picture.add(view::Polyline{{{0, 5}, {40, 5}}, {Ink::Accent}, 2});
  picture.add(view::Polyline{{{0, 9}, {40, 9}}, {Ink::Accent}, 1, true});
  picture.add(view::Label{{100, 50}, "text", {Ink::Text}, view::Font::Bold, 14, view::Align::Centre, view::Align::End});
  picture.add(view::Cells{{0, 20, 40, 40}, 2, 2, 1, {{Ink::ArrayA}, {Ink::ArrayB}, {Ink::ArrayC}, {Ink::Magnitude}}});
  frame(picture);
  EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, empty + 40);
  EXPECT_EQ(callbacks(), 1);
  EXPECT_EQ(cells_.colours().size(), 4u);
}

TEST_F(PictureView, ShapesWithNothingToPaintAreNoTrouble) {
  view::Picture picture{0, 0, 3, {}, {}, {}};
  picture.add(view::Polyline{{}, {Ink::Accent}});
  picture.add(view::Polyline{{{1, 1}}, {Ink::Accent}});
  picture.add(view::Polyline{{{1, 1}, {1, 1}}, {Ink::Accent}, 1, true});
  picture.add(view::Label{{0, 0}, ""});
  picture.add(view::Cells{{0, 0, 10, 10}, 2, 2, 0, {{Ink::ArrayA}}});
  picture.add(view::Cells{{0, 0, 0, 10}, 1, 1, 0, {{Ink::ArrayA}}});
  frame(picture);
  EXPECT_EQ(callbacks(), 0);
}

TEST_F(PictureView, TheMouseFindsWhatIsUnderItInThePicturesOwnPixels) {
  context_.scale = 1.5f;
  point_at(50 + 1.5f * 16, 40 + 1.5f * 16);
  frame(with_target());
  const PictureEvents events = frame(with_target());
  EXPECT_TRUE(events.hovered);
  EXPECT_FLOAT_EQ(events.mouse.x, 16);
  EXPECT_EQ(events.target.index, 7u);
  EXPECT_EQ(hover_next_, events.target);
  point_at(50 + 1.5f * 40, 60);
  EXPECT_FALSE(frame(with_target()).target);
}

TEST_F(PictureView, APressAndReleaseInPlaceIsAClick) {
  point_at(65, 55);
  frame(with_target());
  press(0, true);
  EXPECT_FALSE(frame(with_target()).clicked);
  press(0, false);
  EXPECT_TRUE(frame(with_target()).clicked);
  EXPECT_FALSE(frame(with_target()).clicked);
}

TEST_F(PictureView, ADragIsNoClick) {
  point_at(65, 55);
  frame(with_target());
  press(0, true);
  frame(with_target());
  point_at(85, 50);
  const PictureEvents moved = frame(with_target());
  EXPECT_TRUE(moved.dragged);
  EXPECT_EQ(moved.drag.x, 20);
  EXPECT_EQ(moved.drag.y, -5);
  press(0, false);
  EXPECT_FALSE(frame(with_target()).clicked);
}

TEST_F(PictureView, TheRightButtonOffersFiles) {
  point_at(65, 55);
  frame(with_target());
  press(1, true);
  frame(with_target());
  press(1, false);
  frame(with_target());
  frame(with_target());
  const auto find = [&](const char* name) {
    return std::find_if(widgets_.begin(), widgets_.end(), [&](const WidgetPlace& place) { return place.name == name; });
  };
  ASSERT_NE(find("save as SVG"), widgets_.end());
  const view::Point place = find("save as SVG")->box.centre();
  point_at(place.x, place.y);
  frame(with_target());
  press(0, true);
  frame(with_target());
  press(0, false);
  frame(with_target());
  ASSERT_EQ(commands_.size(), 1u);
  const auto& saved = std::get<SavePicture>(std::get<FileCommand>(commands_.front()));
  EXPECT_EQ(saved.name, "picture");
  EXPECT_TRUE(saved.svg);
  EXPECT_EQ(saved.picture.hot.size(), 1u);
}

TEST_F(PictureView, WithoutToolsAPictureTakesItsRoomAndAnswers) {
  context_.pictures = nullptr;
  point_at(65, 55);
  frame(with_target());
  EXPECT_EQ(frame(with_target()).target.index, 7u);
  ASSERT_EQ(widgets_.size(), 1u);
  EXPECT_EQ(widgets_[0].box.width, 200);
}

TEST_F(PictureView, TheFontBookMakesWhatWasAskedForInTheNextFrame) {
  EXPECT_FALSE(fonts_.outdated());
  const Face first = fonts_.at(view::Font::Mono, 31);
  EXPECT_FALSE(first.font);
  EXPECT_TRUE(fonts_.outdated());
  fonts_.build();
  EXPECT_EQ(fonts_.at(view::Font::Mono, 31.1f).font, fonts_.at(view::Font::Mono, 31).font);
  EXPECT_EQ(fonts_.at(view::Font::Mono, 31).height, 31);
  fonts_.need("ascii, \u00d7 and \u2192 are always there");
  EXPECT_FALSE(fonts_.outdated());
  fonts_.need("\u77e9\u9635");
  EXPECT_TRUE(fonts_.outdated());
}

TEST_F(PictureView, TheFontBookForgetsTheCharactersOfALanguage) {
  fonts_.need("\u77e9\u9635");
  fonts_.build();
  fonts_.need("\u77e9");
  EXPECT_FALSE(fonts_.outdated());
  fonts_.forget_characters();
  EXPECT_TRUE(fonts_.outdated());
  fonts_.build();
  fonts_.need("\u77e9");
  EXPECT_TRUE(fonts_.outdated());
}

TEST_F(PictureView, TheFontBookMakesAnAtlasOnAnotherThreadOnceAFrameAsksForNothingNew) {
  std::promise<void> promise;
  const auto woken = [&] { promise.set_value(); };
  ImFont* before = fonts_.at(view::Font::Text, 14).font;
  fonts_.at(view::Font::Mono, 31);
  EXPECT_FALSE(fonts_.build_aside(woken));
  EXPECT_FALSE(fonts_.building());
  EXPECT_FALSE(fonts_.build_aside(woken));
  EXPECT_TRUE(fonts_.building());
  EXPECT_TRUE(fonts_.outdated());
  EXPECT_EQ(fonts_.at(view::Font::Text, 14).font, before);
  frame(with_target());
  promise.get_future().wait();
  EXPECT_TRUE(fonts_.made());
  EXPECT_TRUE(fonts_.build_aside(woken));
  EXPECT_FALSE(fonts_.outdated());
  ASSERT_TRUE(fonts_.at(view::Font::Mono, 31).font);
  EXPECT_EQ(fonts_.at(view::Font::Mono, 31).font->ContainerAtlas, ImGui::GetIO().Fonts);
  EXPECT_FALSE(fonts_.build_aside(woken));
  frame(with_target());
}

TEST_F(PictureView, CutShortTextIsNoTroubleForTheFontBook) {
  for (const char* text : {"\xe7", "\xe7\x9f", "\xff\xff", "\xf0\x9f\x98\x80", "\xed\xa0\x80"}) fonts_.need(text);
  fonts_.build();
  EXPECT_FALSE(fonts_.outdated());
}

}  // namespace
}  // namespace tilescope::ui
