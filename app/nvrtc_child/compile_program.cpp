#include <chrono>
#include <string>
#include <vector>

#include "base/text.h"
#include "nvrtc_child/nvrtc_library.h"

namespace tilescope::nvrtc_child {
namespace {

// Headers that kernels for nvcc usually include and that NVRTC lacks. NVRTC itself declares printf, assert and
// the mathematical functions.
struct StandIn {
  const char* name;
  const char* text;
};
constexpr const char* kIntegers =
    "#ifndef TILESCOPE_STDINT\n#define TILESCOPE_STDINT\n"
    "typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned short "
    "uint16_t;\n"
    "typedef int int32_t; typedef unsigned int uint32_t; typedef long long int64_t; typedef unsigned long long "
    "uint64_t;\n"
    "typedef long long intptr_t; typedef unsigned long long uintptr_t;\n#endif\n";
// Word for word as <cuda/std/climits> has them, which may come after.
constexpr const char* kLimits =
    "#ifndef INT_MAX\n#define CHAR_BIT 8\n#define INT_MIN (-INT_MAX - 1)\n#define INT_MAX 0x7fffffff\n"
    "#define UINT_MAX 0xffffffff\n#define LLONG_MIN (-LLONG_MAX - 1)\n#define LLONG_MAX 0x7fffffffffffffffLL\n"
    "#define ULLONG_MAX 0xffffffffffffffffUL\n#endif\n";
constexpr const char* kFloats =
    "#ifndef FLT_MAX\n#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n#define DBL_MAX 1.7976931348623157e+308\n"
    "#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.2204460492503131e-16\n#endif\n";
// The constants of <math.h>, which nvcc reads before every source.
constexpr const char* kMath =
    "#ifndef M_PI\n#define M_E 2.7182818284590452354\n#define M_LOG2E 1.4426950408889634074\n"
    "#define M_LOG10E 0.43429448190325182765\n#define M_LN2 0.69314718055994530942\n"
    "#define M_LN10 2.30258509299404568402\n#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.78539816339744830962\n"
    "#define M_1_PI 0.31830988618379067154\n#define M_2_PI 0.63661977236758134308\n"
    "#define M_2_SQRTPI 1.12837916709551257390\n#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n#endif\n";
// Of the driver's interface device code uses the tensor map alone; NVRTC refuses the rest.
constexpr const char* kDriver =
    "#ifndef CUDA_VERSION\n#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)\n"
    "struct __align__(64) CUtensorMap_st { unsigned long long opaque[16]; };\n"
    "typedef struct CUtensorMap_st CUtensorMap;\n#endif\n";
// cuBLAS itself is for the host; its header brings the types that kernels beside it use.
constexpr const char* kHalves = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
constexpr const char* kAllOfStd = "#include <stdint.h>\n#include <limits.h>\n#include <float.h>\n";
constexpr StandIn kStandIns[] = {
    {"cuda.h", kDriver},
    {"cudaTypedefs.h", kDriver},
    {"cublas_v2.h", kHalves},
    {"cublasLt.h", kHalves},
    {"bits/stdc++.h", kAllOfStd},
    {"strings.h", ""},
    {"stdio.h", ""},
    {"cstdio", ""},
    {"stdlib.h", ""},
    {"cstdlib", ""},
    {"assert.h", ""},
    {"cassert", ""},
    {"math.h", ""},
    {"cmath", ""},
    {"string.h", ""},
    {"cstring", ""},
    {"stddef.h", ""},
    {"cstddef", ""},
    {"stdint.h", kIntegers},
    {"cstdint", kIntegers},
    {"limits.h", kLimits},
    {"climits", kLimits},
    {"float.h", kFloats},
    {"cfloat", kFloats},
    {"limits", "#include <cuda/std/limits>\nnamespace std { using cuda::std::numeric_limits; }\n"},
    {"type_traits", "#include <cuda/std/type_traits>\nnamespace std { using namespace cuda::std; }\n"},
    {"utility", "#include <cuda/std/utility>\nnamespace std { using namespace cuda::std; }\n"},
    {"tuple", "#include <cuda/std/tuple>\nnamespace std { using namespace cuda::std; }\n"},
    {"array", "#include <cuda/std/array>\nnamespace std { using namespace cuda::std; }\n"},
    {"functional", "#include <cuda/std/functional>\nnamespace std { using namespace cuda::std; }\n"},
    {"numeric", "#include <cuda/std/numeric>\nnamespace std { using namespace cuda::std; }\n"},
    {"ratio", "#include <cuda/std/ratio>\nnamespace std { using namespace cuda::std; }\n"},
    {"initializer_list", "#include <cuda/std/initializer_list>\n"},
    // Without what the host launches, which NVRTC does not take.
    {"cub/cub.cuh",
     "#undef INFINITY\n#undef NAN\n"
     "#include <cub/block/block_adjacent_difference.cuh>\n#include <cub/block/block_discontinuity.cuh>\n"
     "#include <cub/block/block_exchange.cuh>\n#include <cub/block/block_histogram.cuh>\n"
     "#include <cub/block/block_load.cuh>\n#include <cub/block/block_merge_sort.cuh>\n"
     "#include <cub/block/block_radix_rank.cuh>\n#include <cub/block/block_radix_sort.cuh>\n"
     "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_run_length_decode.cuh>\n"
     "#include <cub/block/block_scan.cuh>\n#include <cub/block/block_shuffle.cuh>\n"
     "#include <cub/block/block_store.cuh>\n#include <cub/warp/warp_exchange.cuh>\n"
     "#include <cub/warp/warp_load.cuh>\n#include <cub/warp/warp_merge_sort.cuh>\n"
     "#include <cub/warp/warp_reduce.cuh>\n#include <cub/warp/warp_scan.cuh>\n#include <cub/warp/warp_store.cuh>\n"},
};
// Declared by nvcc without any include, through the C library's headers that it includes first.
constexpr const char* kAlwaysThere = "tilescope_always_there.h";
// Text that the application prepends to the source, such as the code before the include of a kernel's header.
constexpr const char* kContext = "tilescope_context.h";
const std::string kTypes = std::string(kIntegers) + kLimits + kMath +
                           "typedef unsigned int uint; typedef unsigned short ushort; typedef unsigned long ulong;\n"
                           "namespace std {}\n"
                           "#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\n"
                           "#ifndef NAN\n#define NAN __int_as_float(0x7fffffff)\n#endif\n";

using Size = int (*)(Functions::Program, size_t*);
using Get = int (*)(Functions::Program, char*);

constexpr size_t kMaxPartBytes = compile::kMaxMessageBytes / 4;

// Empty when it is too large for a message. NVRTC counts the terminating zero of a text.
std::string fetch(Functions::Program program, Size size, Get get, bool is_text) {
  size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes > kMaxPartBytes) return {};
  std::string content(bytes, '\0');
  if (bytes == 0 || get(program, content.data()) != 0) return {};
  if (is_text && content.back() == '\0') content.pop_back();
  return content;
}

Functions::Program create(const Functions& call, const compile::Record& request, const compile::Record& headers,
                          int& result) {
  std::vector<const char*> names, texts;
  for (const StandIn& header : kStandIns) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  names.push_back(kAlwaysThere);
  texts.push_back(kTypes.c_str());
  for (const auto& [name, text] : headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  Functions::Program program = nullptr;
  result = call.nvrtcCreateProgram(&program, request.at("source").c_str(), request.at("name").c_str(),
                                   static_cast<int>(names.size()), texts.data(), names.data());
  return program;
}

/// For each instance a line with its name in PTX; empty if it has none.
std::string lowered_names(const Functions& call, Functions::Program program,
                          const std::vector<std::string>& instances) {
  std::vector<std::string> names;
  for (const std::string& instance : instances) {
    const char* name = nullptr;
    names.emplace_back(call.nvrtcGetLoweredName(program, instance.c_str(), &name) == 0 && name ? name : "");
  }
  return compile::join_lines(names);
}

}  // namespace

compile::Record compile_program(const Library& library, const compile::Record& request) {
  const auto start = std::chrono::steady_clock::now();
  const Functions& call = library.call;
  int result = 0;
  const compile::Record headers = compile::decode(compile::field(request, "headers")).value_or(compile::Record{});
  const Functions::Program program = create(call, request, headers, result);
  const std::vector<std::string> instances = lines_of(compile::field(request, "instances"));
  compile::Record reply;
  if (result == 0) {
    for (const std::string& instance : instances) call.nvrtcAddNameExpression(program, instance.c_str());
    std::vector<std::string> options = lines_of(request.at("options"));
    options.push_back(std::string("--pre-include=") + kAlwaysThere);
    if (headers.contains(kContext)) options.push_back(std::string("--pre-include=") + kContext);
    if (!library.include_folder.empty()) {
      options.push_back("--include-path=" + library.include_folder);
      options.push_back("--include-path=" + library.include_folder + "/cccl");
    }
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    result = call.nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data());
    if (result == 0) reply["names"] = lowered_names(call, program, instances);
    reply["ptx"] = fetch(program, call.nvrtcGetPTXSize, call.nvrtcGetPTX, true);
    reply["cubin"] = fetch(program, call.nvrtcGetCUBINSize, call.nvrtcGetCUBIN, false);
    reply["log"] = fetch(program, call.nvrtcGetProgramLogSize, call.nvrtcGetProgramLog, true);
  }
  reply["result"] = std::to_string(result);
  reply["result_text"] = call.nvrtcGetErrorString(result);
  reply["seconds"] = std::to_string(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return reply;
}

}  // namespace tilescope::nvrtc_child
