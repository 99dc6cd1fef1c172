#pragma once

// The system's OpenGL: 3.3 core through glad, or in a browser OpenGL ES 3, which is WebGL 2 and needs no loader.

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <glad/gl.h>
#endif

namespace tilescope::draw {

#ifdef __EMSCRIPTEN__
/// The first line of a shader.
inline constexpr const char* kShaderVersion = "#version 300 es\n";
/// Loads the functions of the context that is current; false where it has too few.
inline bool load_gl(void (*(*)(const char*))()) { return true; }
/// Whether there were errors since the last call. A browser takes too long to say; it reports when a context is lost.
inline bool take_gl_errors() { return false; }
#else
inline constexpr const char* kShaderVersion = "#version 330 core\n";
inline bool load_gl(GLADloadfunc get) { return gladLoadGL(get) >= GLAD_MAKE_VERSION(3, 3); }
inline bool take_gl_errors() {
  bool any = false;
  for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) any = true;
  return any;
}
#endif

}  // namespace tilescope::draw
