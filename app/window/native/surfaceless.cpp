#include "window/surfaceless.h"

#include <cstdint>

#include <dlfcn.h>
#include <glad/gl.h>

namespace tilescope::window {
namespace {

// From the Khronos registry's egl.xml; EGL is opened at run time, so its headers are not needed.
constexpr unsigned kSurfacelessPlatform = 0x31DD, kOpenGlApi = 0x30A2;
constexpr int32_t kSurfaceType = 0x3033, kRenderableType = 0x3040, kOpenGlBit = 0x0008, kNone = 0x3038, kMajor = 0x3098,
                  kMinor = 0x30FB, kProfile = 0x30FD, kCoreBit = 0x1;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

struct Surfaceless::Library {
  void* handle = nullptr;
  void* (*get_display)(unsigned platform, void* native, const intptr_t* attributes) = nullptr;
  unsigned (*initialize)(void* display, int32_t* major, int32_t* minor) = nullptr;
  unsigned (*bind_api)(unsigned api) = nullptr;
  unsigned (*choose_config)(void* display, const int32_t* wanted, void** configs, int32_t size,
                            int32_t* count) = nullptr;
  void* (*create_context)(void* display, void* config, void* shared, const int32_t* attributes) = nullptr;
  unsigned (*make_current)(void* display, void* draw, void* read, void* context) = nullptr;
  unsigned (*destroy_context)(void* display, void* context) = nullptr;
  unsigned (*terminate)(void* display) = nullptr;
  GLADapiproc (*get_address)(const char* name) = nullptr;

  bool load() {
    handle = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    return handle && find(handle, "eglGetPlatformDisplay", get_display) && find(handle, "eglInitialize", initialize) &&
           find(handle, "eglBindAPI", bind_api) && find(handle, "eglChooseConfig", choose_config) &&
           find(handle, "eglCreateContext", create_context) && find(handle, "eglMakeCurrent", make_current) &&
           find(handle, "eglDestroyContext", destroy_context) && find(handle, "eglTerminate", terminate) &&
           find(handle, "eglGetProcAddress", get_address);
  }
};

Surfaceless::Surfaceless(std::unique_ptr<Library> library) : egl_(std::move(library)) {}

Surfaceless::~Surfaceless() {
  if (context_) {
    egl_->make_current(display_, nullptr, nullptr, nullptr);
    egl_->destroy_context(display_, context_);
  }
  if (display_) egl_->terminate(display_);
  // The library stays loaded: drivers leave threads and exit handlers behind.
}

bool Surfaceless::make_context() {
  display_ = egl_->get_display(kSurfacelessPlatform, nullptr, nullptr);
  if (!display_ || !egl_->initialize(display_, nullptr, nullptr) || !egl_->bind_api(kOpenGlApi)) return false;
  const int32_t wanted[] = {kSurfaceType, 0, kRenderableType, kOpenGlBit, kNone};
  const int32_t attributes[] = {kMajor, 3, kMinor, 3, kProfile, kCoreBit, kNone};
  void* config = nullptr;
  int32_t count = 0;
  if (!egl_->choose_config(display_, wanted, &config, 1, &count) || count < 1) return false;
  context_ = egl_->create_context(display_, config, nullptr, attributes);
  return context_ && egl_->make_current(display_, nullptr, nullptr, context_) &&
         gladLoadGL(egl_->get_address) >= GLAD_MAKE_VERSION(3, 3);
}

Result<std::unique_ptr<Surfaceless>> Surfaceless::open() {
  auto library = std::make_unique<Library>();
  if (!library->load()) return error("There is no libEGL.");
  std::unique_ptr<Surfaceless> context(new Surfaceless(std::move(library)));
  if (!context->make_context()) return error("EGL has no OpenGL 3.3 without a surface.");
  return context;
}

}  // namespace tilescope::window
