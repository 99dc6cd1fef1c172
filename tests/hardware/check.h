#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Ends the program with what a call of the runtime says, where it is not success.
#define CHECK(call)                                                                                             \
  do {                                                                                                          \
    if (const auto code = (call); static_cast<int>(code) != 0) {                                                \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(cudaError_t(code)));  \
      std::exit(1);                                                                                             \
    }                                                                                                           \
  } while (0)
