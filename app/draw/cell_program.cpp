#include "draw/cell_program.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/gl.h"

namespace tilescope::draw {
namespace {

constexpr int kTextureWidth = 1024;  // Every GL 3.3 has at least 1024; the 1023 and 10 of kFragmentShader are this one.

constexpr const char* kVertexShader = R"(// A grid of cells as one rectangle, in pixels of the framebuffer with y down.
uniform vec4 box;       // x, y, width, height
uniform vec2 viewport;  // width, height

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  // Wide enough for every pixel that the fragment shader may round to.
  vec2 at = box.xy - 1.0 + corner * (box.zw + 2.0);
  gl_Position = vec4(at.x / viewport.x * 2.0 - 1.0, 1.0 - at.y / viewport.y * 2.0, 0.0, 1.0);
}
)";

constexpr const char* kFragmentShader = R"(precision highp float;
precision highp int;
precision highp sampler2D;
// Finds the cell that a pixel belongs to. Edges of cells are rounded to whole pixels, so they are sharp at every scale.
uniform vec4 box;         // x, y, width, height
uniform vec2 viewport;    // width, height
uniform ivec2 cells;      // columns, rows
uniform float gap;        // whole pixels
uniform int first;        // texel of the first cell
uniform sampler2D colours;  // one texel a cell, row by row, in lines of 1024: kTextureWidth
out vec4 colour;

float edge(float origin, float size, int cell) { return floor(origin + size * float(cell) + 0.5); }

// The cell along one axis, or -1 in a gap and outside.
int cell_at(float at, float origin, float extent, int count) {
  float size = extent / float(count);
  int cell = int(floor((at - origin) / size));
  if (size < 2.0) return at < edge(origin, size, 0) || at > edge(origin, size, count) ? -1 : clamp(cell, 0, count - 1);
  if (at < edge(origin, size, cell)) --cell;
  if (at > edge(origin, size, cell + 1)) ++cell;
  if (cell < 0 || cell >= count) return -1;
  float before = floor(gap * 0.5);
  bool inside = at > edge(origin, size, cell) + before && at < edge(origin, size, cell + 1) - (gap - before);
  return inside ? cell : -1;
}

void main() {
  vec2 at = vec2(gl_FragCoord.x, viewport.y - gl_FragCoord.y);
  ivec2 cell = ivec2(cell_at(at.x, box.x, box.z, cells.x), cell_at(at.y, box.y, box.w, cells.y));
  if (cell.x < 0 || cell.y < 0) discard;
  int texel = first + cell.y * cells.x + cell.x;
  // Software rendering divides integers one lane at a time; these bits cost nothing.
  colour = texelFetch(colours, ivec2(texel & 1023, texel >> 10), 0);
}
)";

std::string info_log(GLuint object, bool program) {
  char text[512] = "";
  if (program)
    glGetProgramInfoLog(object, sizeof text, nullptr, text);
  else
    glGetShaderInfoLog(object, sizeof text, nullptr, text);
  return text;
}

Result<GLuint> compile(GLenum kind, const char* text) {
  const GLuint shader = glCreateShader(kind);
  const char* parts[] = {kShaderVersion, text};
  glShaderSource(shader, 2, parts, nullptr);
  glCompileShader(shader);
  GLint fine = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &fine);
  if (fine) return shader;
  const std::string log = info_log(shader, false);
  glDeleteShader(shader);
  return error(fmt::format("The OpenGL driver does not compile the shaders of the cells: {}", log));
}

Result<GLuint> link(GLuint vertex, GLuint fragment) {
  const GLuint program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  GLint fine = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &fine);
  if (fine) return program;
  const std::string log = info_log(program, true);
  glDeleteProgram(program);
  return error(fmt::format("The OpenGL driver does not link the shaders of the cells: {}", log));
}

Result<GLuint> build() {
  const Result<GLuint> vertex = compile(GL_VERTEX_SHADER, kVertexShader);
  if (!vertex) return vertex;
  const Result<GLuint> fragment = compile(GL_FRAGMENT_SHADER, kFragmentShader);
  if (!fragment) {
    glDeleteShader(*vertex);
    return fragment;
  }
  const Result<GLuint> program = link(*vertex, *fragment);
  glDeleteShader(*vertex);
  glDeleteShader(*fragment);
  return program;
}

GLuint make_texture() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  return texture;
}

// The clip rectangle in whole pixels with y up.
void set_scissor(const view::Box& clip, float height) {
  const float left = std::floor(std::max(clip.x, 0.0f)), top = std::floor(std::max(clip.y, 0.0f));
  const float right = std::ceil(clip.right()), bottom = std::ceil(clip.bottom());
  glEnable(GL_SCISSOR_TEST);
  glScissor(static_cast<GLint>(left), static_cast<GLint>(height - bottom),
            static_cast<GLsizei>(std::max(right - left, 0.0f)), static_cast<GLsizei>(std::max(bottom - top, 0.0f)));
}

}  // namespace

Result<std::unique_ptr<CellProgram>> CellProgram::create() {
  const Result<GLuint> built = build();
  if (!built) return built.errors();
  std::unique_ptr<CellProgram> program(new CellProgram);
  program->program_ = *built;
  program->texture_ = make_texture();
  glGenVertexArrays(1, &program->vertex_array_);
  program->find_uniforms();
  return program;
}

CellProgram::~CellProgram() {
  glDeleteProgram(program_);
  glDeleteTextures(1, &texture_);
  glDeleteVertexArrays(1, &vertex_array_);
}

void CellProgram::find_uniforms() {
  at_.box = glGetUniformLocation(program_, "box");
  at_.viewport = glGetUniformLocation(program_, "viewport");
  at_.cells = glGetUniformLocation(program_, "cells");
  at_.gap = glGetUniformLocation(program_, "gap");
  at_.first = glGetUniformLocation(program_, "first");
}

void CellProgram::upload(const std::vector<Rgba>& colours, size_t begin, size_t end) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  const size_t count = std::min(colours.size(), static_cast<size_t>(kTextureWidth) * static_cast<size_t>(most));
  const int rows = static_cast<int>((count + kTextureWidth - 1) / kTextureWidth);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  if (rows > texture_rows_) {
    texture_rows_ = std::min(std::max(rows, 2 * texture_rows_), most);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kTextureWidth, texture_rows_, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    begin = 0;
    end = count;
  }
  const auto put = [&](int row, size_t width, int height) {
    if (width > 0 && height > 0)
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, row, static_cast<GLsizei>(width), height, GL_RGBA, GL_UNSIGNED_BYTE,
                      colours.data() + static_cast<size_t>(row) * kTextureWidth);
  };
  // Whole rows of the texture, except the last one if the colours end in it.
  end = std::min(end, count);
  const int first = static_cast<int>(begin / kTextureWidth), last = static_cast<int>(count / kTextureWidth);
  const int behind = static_cast<int>((end + kTextureWidth - 1) / kTextureWidth);
  put(first, kTextureWidth, std::min(behind, last) - first);
  if (behind > last) put(last, count % kTextureWidth, 1);
}

void CellProgram::draw(const Draw& draw) {
  set_scissor(draw.clip, draw.height);
  glUseProgram(program_);
  glBindVertexArray(vertex_array_);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glUniform4f(at_.box, draw.box.x, draw.box.y, draw.box.width, draw.box.height);
  glUniform2f(at_.viewport, draw.width, draw.height);
  glUniform2i(at_.cells, static_cast<GLint>(draw.columns), static_cast<GLint>(draw.rows));
  glUniform1f(at_.gap, draw.gap);
  glUniform1i(at_.first, static_cast<GLint>(draw.first));
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

}  // namespace tilescope::draw
