#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compile/record.h"

namespace tilescope::nvrtc_child {

/// The functions of NVRTC that we use, with the types of its C interface (CUDA Toolkit documentation, NVRTC,
/// "User Interface"): every result is an int, 0 for success; a program is an opaque pointer.
struct Functions {
  using Program = void*;
  const char* (*nvrtcGetErrorString)(int result);
  int (*nvrtcVersion)(int* major, int* minor);
  int (*nvrtcGetNumSupportedArchs)(int* count);
  int (*nvrtcGetSupportedArchs)(int* architectures);
  int (*nvrtcCreateProgram)(Program* program, const char* source, const char* name, int header_count,
                            const char* const* headers, const char* const* header_names);
  int (*nvrtcCompileProgram)(Program program, int option_count, const char* const* options);
  int (*nvrtcGetPTXSize)(Program program, size_t* bytes);
  int (*nvrtcGetPTX)(Program program, char* ptx);
  int (*nvrtcGetCUBINSize)(Program program, size_t* bytes);
  int (*nvrtcGetCUBIN)(Program program, char* cubin);
  int (*nvrtcGetProgramLogSize)(Program program, size_t* bytes);
  int (*nvrtcGetProgramLog)(Program program, char* log);
  int (*nvrtcAddNameExpression)(Program program, const char* expression);
  int (*nvrtcGetLoweredName)(Program program, const char* expression, const char** name);
};

/// NVRTC, loaded for the rest of the process's life.
struct Library {
  Functions call{};
  std::string path;
  std::string include_folder;  ///< The folder of the toolkit's headers; empty if not found.
};

/// Loads `wanted`, or the first library found if that is empty. On failure a sentence that lists what was tried.
std::variant<Library, std::string> load_library(const std::string& wanted);

/// The library's description for the application: version, library, include_folder, architectures, identity.
compile::Record describe(const Library& library);

/// Compiles the request (source, name, options; headers and instances, if any) and returns result,
/// result_text, ptx, cubin, log, seconds and the names of the instances in PTX.
compile::Record compile_program(const Library& library, const compile::Record& request);

}  // namespace tilescope::nvrtc_child
