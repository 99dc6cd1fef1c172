#pragma once

#include <cstddef>

/// What the stand-ins for other libraries of CUDA ask the one for libcudart.

/// Where `bytes` of device memory are in this process; null when they are not all in one allocation. Memory of the host
/// is where it is. The bytes count as written when `writes`.
extern "C" void* tilescopeHostAddress(const void* pointer, size_t bytes, int writes);
/// Notes that the CPU computed this call, so that no launch of it is shown.
extern "C" void tilescopeUntraced(const char* call);
