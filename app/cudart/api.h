#pragma once

/// A function that the program calls by its name in libcudart; returns a cudaError_t.
#define CUDART_API extern "C" __attribute__((visibility("default"))) int
