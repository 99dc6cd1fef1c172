#pragma once

/// A function of libcudart, by its own name; returns a cudaError_t.
#define CUDART_API extern "C" __attribute__((visibility("default"))) int
