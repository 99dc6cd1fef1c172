/// A stand-in for libcublasLt: a handle. What it lacks fails by its name.
#include <cstddef>

#include "cudart/libraries.h"

#define CUBLAS_API extern "C" __attribute__((visibility("default"))) int

namespace {
constexpr int kSuccess = 0, kNotSupported = 15;
constexpr size_t kVersion = 130000, kRuntimeVersion = 13000;
int handle = 0;  // All handles are one: nothing is kept in it.
}  // namespace

CUBLAS_API cublasLtCreate(void** created) {
  *created = &handle;
  return kSuccess;
}
CUBLAS_API cublasLtDestroy(void*) { return kSuccess; }

extern "C" __attribute__((visibility("default"))) size_t cublasLtGetVersion() { return kVersion; }
extern "C" __attribute__((visibility("default"))) size_t cublasLtGetCudartVersion() { return kRuntimeVersion; }
extern "C" __attribute__((visibility("default"))) const char* cublasLtGetStatusName(int status) {
  return status == kSuccess ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_NOT_SUPPORTED";
}
extern "C" __attribute__((visibility("default"))) const char* cublasLtGetStatusString(int status) {
  return status == kSuccess ? "success" : "the functionality is not supported";
}

#define CUBLAS_UNKNOWN(name) \
  CUBLAS_API name() {        \
    tilescopeUnknown(#name); \
    return kNotSupported;    \
  }
#include "cudart/cublas_lt_unknown.def"
#undef CUBLAS_UNKNOWN
