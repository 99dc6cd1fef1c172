#pragma once

#include <cstddef>

/// What the stand-ins for other CUDA libraries need from the one for libcudart.

/// Where `bytes` of device memory are in this process; null if they are not all in one allocation. Host memory is
/// returned as it is. With `writes` the bytes count as written.
extern "C" void* tilescopeHostAddress(const void* pointer, size_t bytes, int writes);
/// The call that tilescopeUntraced() is told of next uses these bytes.
extern "C" void tilescopeUses(const void* pointer, size_t bytes, int writes);
/// Records that the CPU computed this call, so that no launch is shown for it.
extern "C" void tilescopeUntraced(const char* call, void* stream);
/// Reports that a library's call is not supported.
extern "C" void tilescopeUnknown(const char* call);
