#include "window/painter.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "base/turns.h"
#include "draw/gl.h"
#include "ui/picture_painter.h"
#include "ui/style.h"
#include "window/font_files.h"
#include "window/offscreen.h"

namespace tilescope::window {
namespace {

constexpr view::Ink kGround = view::Ink::Window;
constexpr float kFilmingRadius = 6, kFilmingEdge = 4;  // Pixels at scale 1.

void clear(const draw::Palette& palette, view::Ink ink) {
  const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(palette({ink}));
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

void clear_all(const draw::Palette& palette, int width, int height) {
  glDisable(GL_SCISSOR_TEST);
  glViewport(0, 0, width, height);
  clear(palette, kGround);
}

}  // namespace

Painter::Painter(ui::FontFiles fonts) : fonts_(std::make_unique<ui::FontBook>(std::move(fonts))), measure_(*fonts_) {}

Result<std::unique_ptr<Painter>> Painter::create(const std::filesystem::path& settings_file,
                                                 std::function<void()> woken) {
  std::unique_ptr<Painter> painter(new Painter(find_fonts()));
  painter->settings_file_ = settings_file.string();
  painter->woken_ = std::move(woken);
  IMGUI_CHECKVERSION();
  // ImGui fills an atlas in one go, and takes memory for each glyph.
  ImGui::SetAllocatorFunctions(
      [](size_t bytes, void*) {
        let_turns_pass();
        return std::malloc(bytes);
      },
      [](void* at, void*) { std::free(at); });
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = painter->settings_file_.empty() ? nullptr : painter->settings_file_.c_str();
  io.ConfigInputTextCursorBlink = false;
  painter->renderer_ = ImGui_ImplOpenGL3_Init(draw::kShaderVersion);
  if (!painter->renderer_) return error("The OpenGL driver does not take the interface's shaders. Update the driver.");
  const Result<std::monostate> cells = painter->cells_.create_program();
  if (!cells) return cells.errors();
  return painter;
}

Painter::~Painter() {
  fonts_.reset();  // Its other thread may be working.
  cells_.destroy_program();
  if (renderer_) ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

void Painter::set_look(const draw::Palette& palette, float scale) {
  if (scale == scale_ && palette.inks == palette_.inks) return;
  if (scale != scale_) fonts_->forget_sizes();
  palette_ = palette;
  scale_ = scale;
  measure_.set_scale(scale);
  ui::apply_style(palette, scale);
  load_standard_fonts();
}

void Painter::load_standard_fonts() {
  standard_ = {fonts_->at(view::Font::Text, 14 * scale_).font, fonts_->at(view::Font::Bold, 14 * scale_).font,
               fonts_->at(view::Font::Bold, 22 * scale_).font, fonts_->at(view::Font::Mono, 13 * scale_).font};
  ImGui::GetIO().FontDefault = standard_.text;
}

// The first frames have to wait: there is nothing to show meanwhile.
bool Painter::make_glyphs() {
  if (woken_ && has_all_glyphs_) return fonts_->build_aside(woken_);
  has_all_glyphs_ = !fonts_->outdated();
  if (has_all_glyphs_) return false;
  fonts_->build();
  return true;
}

void Painter::prepare() {
  if (fonts_->outdated()) load_standard_fonts();
  if (make_glyphs()) install_fonts();
}

void Painter::install_fonts() {
  load_standard_fonts();
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  // The backend makes its other objects in its first frame, and with them the texture once more, from data that would
  // be gone then.
  if (std::exchange(has_objects_, true))
    ImGui_ImplOpenGL3_CreateFontsTexture();
  else
    ImGui_ImplOpenGL3_CreateDeviceObjects();
  ImGui::GetIO().Fonts->ClearTexData();  // The driver has its own copy.
}

FrameResult Painter::frame(const ui::Services& services, const std::vector<std::shared_ptr<const Language>>* languages,
                           const std::function<void(const ui::Context&)>& show) {
  FrameResult result;
  session::Target hover_next;
  cells_.clear();
  grounds_.clear();
  const ui::PictureTools tools{fonts_.get(), &cells_, &measure_, keeps_pictures_ ? &result.shown : nullptr};
  ui::Context context;
  context.workspace = services.workspace;
  context.lessons = services.lessons;
  context.measuring = services.measuring;
  context.counter = services.counter;
  context.launches = services.launches;
  context.languages = languages;
  context.commands = &result.commands;
  context.palette = &palette_;
  context.fonts = standard_;
  context.pictures = &tools;
  context.scale = scale_;
  context.hover = hover_;
  context.hover_next = &hover_next;
  context.moving = &result.again;
  context.widgets = &result.widgets;
  context.grounds = &grounds_;
  ImGui::NewFrame();
  show(context);
  ImGui::Render();
  result.again |= !(hover_next == hover_) || (fonts_->outdated() && !fonts_->building()) || !result.commands.empty();
  hover_ = hover_next;
  return result;
}

// As rectangles of ImGui they took two thirds of a frame's time on software rendering, which samples a texture for each
// pixel of them and blends it.
void Painter::paint_grounds(int height, float density) {
  glEnable(GL_SCISSOR_TEST);
  const auto pixels = [&](float points) { return static_cast<int>(std::lround(points * density)); };
  for (const ui::Ground& ground : grounds_) {
    if (ground.ink == kGround) continue;  // It was cleared to that.
    const int left = pixels(ground.box.x), right = pixels(ground.box.right());
    const int top = pixels(ground.box.y), bottom = pixels(ground.box.bottom());
    glScissor(left, height - bottom, right - left, bottom - top);
    clear(palette_, ground.ink);
  }
  glDisable(GL_SCISSOR_TEST);
}

void Painter::paint() {
  ImDrawData& data = *ImGui::GetDrawData();
  const auto pixels = [&](float points) { return static_cast<int>(std::lround(points * data.FramebufferScale.x)); };
  clear_all(palette_, pixels(data.DisplaySize.x), pixels(data.DisplaySize.y));
  paint_grounds(pixels(data.DisplaySize.y), data.FramebufferScale.x);
  cells_.set_surface({data.DisplaySize.x, data.DisplaySize.y, data.FramebufferScale.x});
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

// ImGui's frame is in the film: this comes after it.
void Painter::mark_filming() {
  const ImDrawData& data = *ImGui::GetDrawData();
  const float unit = scale_ * data.FramebufferScale.x, radius = kFilmingRadius * unit, edge = kFilmingEdge * unit;
  const float x = data.DisplaySize.x * data.FramebufferScale.x - edge - radius,
              y = data.DisplaySize.y * data.FramebufferScale.y - edge - radius;
  glEnable(GL_SCISSOR_TEST);
  for (float row = -radius; row < radius; ++row) {
    const float half = std::sqrt(std::max(0.0f, radius * radius - row * row));
    glScissor(static_cast<int>(x - half), static_cast<int>(y + row), static_cast<int>(2 * half), 1);
    clear(palette_, view::Ink::Bad);
  }
  glDisable(GL_SCISSOR_TEST);
}

draw::Image Painter::image_of(const view::Picture& picture, const draw::Palette& palette, float scale) {
  const ImVec2 size{std::ceil(picture.width * scale), std::ceil(picture.height * scale)};
  const int width = static_cast<int>(size.x), height = static_cast<int>(size.y);
  const Offscreen target(width, height);
  if (!target.complete()) return {};
  ImDrawList list(ImGui::GetDrawListSharedData());
  const auto draw = [&] {
    list._ResetForNewFrame();
    list.PushClipRect({0, 0}, size);
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
    list.AddRectFilled({0, 0}, size, palette({view::Ink::Panel}));
    cells_.clear();
    ui::PicturePainter(list, {0, 0}, scale, palette, *fonts_, cells_).paint(picture);
  };
  draw();
  if (fonts_->outdated()) {  // Its sizes of text are not those of the window.
    fonts_->build();
    install_fonts();
    draw();
  }
  ImDrawList* lists[] = {&list};
  ImDrawData data;
  data.CmdLists = lists;
  data.CmdListsCount = 1;
  data.TotalIdxCount = list.IdxBuffer.Size;
  data.TotalVtxCount = list.VtxBuffer.Size;
  data.Valid = true;
  data.DisplaySize = size;
  data.FramebufferScale = {1, 1};
  clear_all(palette, width, height);
  cells_.set_surface({size.x, size.y, 1});
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  return draw::read_framebuffer(width, height);
}

}  // namespace tilescope::window
