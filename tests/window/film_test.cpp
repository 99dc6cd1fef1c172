#include "window/film.h"

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <gif_lib.h>
#include <gtest/gtest.h>

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;

constexpr draw::Rgba kRed = 0xff0000ff, kBlue = 0xffff0000;

draw::Image filled(int width, int height, draw::Rgba colour) {
  return {width, height, std::vector<draw::Rgba>(static_cast<size_t>(width) * static_cast<size_t>(height), colour)};
}

TEST(Film, HoldsItsPicturesOneAfterAnother) {
  const fs::path file = fs::temp_directory_path() / "tilescope-film-test.gif";
  Result<std::unique_ptr<Film>> film = Film::open(file, 6, 4, 0.5);
  ASSERT_TRUE(film);
  EXPECT_TRUE((*film)->add(filled(6, 4, kRed)));
  EXPECT_TRUE((*film)->add(filled(6, 4, kBlue)));
  EXPECT_FALSE((*film)->add(filled(5, 4, kRed))) << "another size";
  EXPECT_TRUE((*film)->finish());
  int problem = 0;
  GifFileType* gif = DGifOpenFileName(file.c_str(), &problem);
  ASSERT_NE(gif, nullptr);
  ASSERT_EQ(DGifSlurp(gif), GIF_OK);
  EXPECT_EQ(gif->SWidth, 6);
  EXPECT_EQ(gif->SHeight, 4);
  ASSERT_EQ(gif->ImageCount, 2);
  const auto first_pixel = [&](int picture) {
    const SavedImage& image = gif->SavedImages[picture];
    return image.ImageDesc.ColorMap->Colors[image.RasterBits[0]];
  };
  EXPECT_GT(first_pixel(0).Red, 240);
  EXPECT_LT(first_pixel(0).Blue, 16);
  EXPECT_GT(first_pixel(1).Blue, 240);
  GraphicsControlBlock control{};
  ASSERT_EQ(DGifSavedExtensionToGCB(gif, 1, &control), GIF_OK);
  EXPECT_EQ(control.DelayTime, 50);
  DGifCloseFile(gif, &problem);
  fs::remove(file);
}

// In 256 colours, beside edges in thousands that differ from picture to picture.
TEST(Film, AreasKeepTheirColourInEveryPicture) {
  constexpr draw::Rgba kAreas[] = {0xff5c5650, 0xff5a5650, 0xff1e1a18, 0xff211d1a, 0xfff0f0f0, 0xff40a0ff};
  constexpr int kSide = 128, kRows = 16;
  const fs::path file = fs::temp_directory_path() / "tilescope-film-colours-test.gif";
  Result<std::unique_ptr<Film>> film = Film::open(file, kSide, kSide, 0.5);
  ASSERT_TRUE(film);
  for (const draw::Rgba picture : {0u, 60u, 120u}) {
    draw::Image image = filled(kSide, kSide, 0);
    for (uint32_t i = 0; i < image.pixels.size(); ++i) {
      const uint32_t x = i % kSide, y = i / kSide;
      image.pixels[i] = y / kRows < std::size(kAreas) ? kAreas[y / kRows] : 0xff000000 | picture << 16 | y << 9 | x * 2;
    }
    EXPECT_TRUE((*film)->add(image));
  }
  EXPECT_TRUE((*film)->finish());
  int problem = 0;
  GifFileType* gif = DGifOpenFileName(file.c_str(), &problem);
  ASSERT_NE(gif, nullptr);
  ASSERT_EQ(DGifSlurp(gif), GIF_OK);
  ASSERT_EQ(gif->ImageCount, 3);
  for (int picture = 0; picture < gif->ImageCount; ++picture)
    for (size_t area = 0; area < std::size(kAreas); ++area) {
      const SavedImage& image = gif->SavedImages[picture];
      const GifColorType colour = image.ImageDesc.ColorMap->Colors[image.RasterBits[area * kRows * kSide]];
      EXPECT_NEAR(colour.Red, kAreas[area] & 0xff, 2) << picture << " " << area;
      EXPECT_NEAR(colour.Green, kAreas[area] >> 8 & 0xff, 2) << picture << " " << area;
      EXPECT_NEAR(colour.Blue, kAreas[area] >> 16 & 0xff, 2) << picture << " " << area;
    }
  DGifCloseFile(gif, &problem);
  fs::remove(file);
}

TEST(Film, OneThatCannotBeWrittenSaysWhyAndLeavesNoFile) {
  const fs::path file = fs::temp_directory_path() / "tilescope-film-full-test.gif";
  Result<std::unique_ptr<Film>> film = Film::open(file, 64, 64, 0.5);
  ASSERT_TRUE(film);
  EXPECT_TRUE(fs::exists(file));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &none);
  const Result<std::monostate> added = (*film)->add(filled(64, 64, kRed));
  const Result<std::monostate> written = added ? (*film)->finish() : added;
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_NE(to_string(written.errors()).find(std::strerror(EFBIG)), std::string::npos) << to_string(written.errors());
  film->reset();
  EXPECT_FALSE(fs::exists(file));
}

TEST(Film, OneThatIsNotFinishedLeavesNoFile) {
  const fs::path file = fs::temp_directory_path() / "tilescope-film-open-test.gif";
  {
    const Result<std::unique_ptr<Film>> film = Film::open(file, 6, 4, 0.5);
    ASSERT_TRUE(film);
    EXPECT_TRUE((*film)->add(filled(6, 4, kRed)));
  }
  EXPECT_FALSE(fs::exists(file));
}

TEST(Film, AnMp4ThatFailsSaysWhatFfmpegSays) {
  if (!has_mp4()) GTEST_SKIP() << "no ffmpeg";
  const fs::path mp4 = fs::temp_directory_path() / "tilescope-film-test.mp4";
  const Result<std::monostate> made = make_mp4("/nonexistent/x.gif", mp4);
  ASSERT_FALSE(made);
  EXPECT_NE(to_string(made.errors()).find("No such file"), std::string::npos) << to_string(made.errors());
  EXPECT_FALSE(fs::exists(mp4));
}

TEST(Film, AFolderThatIsNotThereIsAnError) {
  const auto film = Film::open("/nonexistent/x.gif", 6, 4, 0.5);
  ASSERT_FALSE(film);
  EXPECT_NE(to_string(film.errors()).find("/nonexistent/x.gif"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::window
