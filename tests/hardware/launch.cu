// Launches every line of launches.txt once, in order, on the first GPU: for a profiler to count.
//   nvcc -o launch launch.cu -lcuda && ncu ... ./launch FOLDER
// Arrays hold values in [-1, 1); scalars are as given. Prints a line a launch; exits with 1 when any fails.

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

bool ok(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return true;
  const char* text = "unknown error";
  cuGetErrorString(result, &text);
  std::printf("%s: %s\n", what, text);
  return false;
}

CUdeviceptr random_array(size_t bytes) {
  std::vector<float> values(bytes / 4 + 1);
  for (float& value : values) value = 2.0f * std::rand() / RAND_MAX - 1.0f;
  CUdeviceptr array = 0;
  if (!ok(cuMemAlloc(&array, bytes), "cuMemAlloc")) std::exit(1);
  if (!ok(cuMemcpyHtoD(array, values.data(), bytes), "cuMemcpyHtoD")) std::exit(1);
  return array;
}

// An argument of any kind, in the eight bytes that a kernel parameter here takes at most.
union Argument {
  CUdeviceptr array;
  int integer;
  float real;
};

Argument read_argument(const std::string& text, std::vector<CUdeviceptr>& arrays) {
  Argument argument{};
  const std::string value = text.substr(text.find(':') + 1);
  if (text.rfind("array:", 0) == 0) arrays.push_back(argument.array = random_array(std::stoull(value)));
  else if (text.rfind("float:", 0) == 0) argument.real = std::stof(value);
  else argument.integer = std::stoi(value);
  return argument;
}

bool launch(const std::string& folder, std::istringstream line) {
  std::string name, cubin, entry;
  unsigned grid[3], block[3], shared;
  line >> name >> cubin >> entry >> grid[0] >> grid[1] >> grid[2] >> block[0] >> block[1] >> block[2] >> shared;
  std::vector<CUdeviceptr> arrays;
  std::vector<Argument> arguments;
  for (std::string text; line >> text;) arguments.push_back(read_argument(text, arrays));
  std::vector<void*> pointers;
  for (Argument& argument : arguments) pointers.push_back(&argument);
  CUmodule module;
  CUfunction function;
  bool good = ok(cuModuleLoad(&module, (folder + "/" + cubin).c_str()), name.c_str()) &&
              ok(cuModuleGetFunction(&function, module, entry.c_str()), name.c_str());
  if (good && shared > 48 * 1024)
    good = ok(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared)), name.c_str());
  good = good && ok(cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, nullptr,
                                   pointers.data(), nullptr), name.c_str()) &&
         ok(cuCtxSynchronize(), name.c_str());
  for (CUdeviceptr array : arrays) cuMemFree(array);
  if (good) cuModuleUnload(module);
  std::printf("%s %s\n", good ? "ran" : "FAILED", name.c_str());
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::printf("usage: launch FOLDER\n"), 2;
  CUdevice device;
  CUcontext context;
  if (!ok(cuInit(0), "cuInit") || !ok(cuDeviceGet(&device, 0), "cuDeviceGet") ||
      !ok(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain") || !ok(cuCtxSetCurrent(context), "cuCtxSetCurrent"))
    return 1;
  std::ifstream lines(std::string(argv[1]) + "/launches.txt");
  bool good = true;
  for (std::string line; std::getline(lines, line);) good = launch(argv[1], std::istringstream(line)) && good;
  return good ? 0 : 1;
}
