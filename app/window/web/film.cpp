#include "window/film.h"

namespace tilescope::window {

struct Film::Gif {};

Film::Film(std::unique_ptr<Gif> gif) : gif_(std::move(gif)) {}
Film::~Film() = default;

Result<std::unique_ptr<Film>> Film::open(const std::filesystem::path&, int, int, double) {
  return error("Films are made by the program, not by its page.");
}
bool Film::fits(const draw::Image&) const { return true; }
Result<std::monostate> Film::add(const draw::Image&) { return std::monostate{}; }
Result<std::monostate> Film::finish() { return std::monostate{}; }

bool has_mp4() { return false; }
Result<std::monostate> make_mp4(const std::filesystem::path&, const std::filesystem::path&) { return std::monostate{}; }

}  // namespace tilescope::window
