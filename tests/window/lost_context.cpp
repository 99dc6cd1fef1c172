#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

/// Preloaded by window.sh: a driver that reports once that it has lost the context, as soon as the file named by
/// TILESCOPE_LOSE_CONTEXT exists. The file is then removed.
namespace {

constexpr unsigned kNoError = 0, kUnknownReset = 0x8255;  // GL_UNKNOWN_CONTEXT_RESET_ARB

unsigned reset_status() {
  const char* file = std::getenv("TILESCOPE_LOSE_CONTEXT");
  return file && unlink(file) == 0 ? kUnknownReset : kNoError;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" void (*glfwGetProcAddress(const char* name))() {
  if (std::strcmp(name, "glGetGraphicsResetStatusARB") == 0) return reinterpret_cast<void (*)()>(reset_status);
  return real<void (*(const char*))()>("glfwGetProcAddress")(name);
}

extern "C" int glfwExtensionSupported(const char* name) {
  return std::strcmp(name, "GL_ARB_robustness") == 0 || real<int(const char*)>("glfwExtensionSupported")(name);
}
