// Runs the launches that launch_plan wrote, on the first GPU:
//   measure_launches FOLDER times F32 BF16 OUT.csv   each launch again and again, L2 flushed before it: median,
//   quartiles measure_launches FOLDER once F32 BF16            each once, in order, for a profiler to watch
// F32, BF16: the numbers that the plan has for these elements (Element in app/base/memory.h).
// Inputs are those of the emulator (run/inputs.cpp). Needs libcuda alone.

#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

#define CHECK(call)                      \
  do {                                   \
    CUresult result_ = (call);           \
    if (result_ != CUDA_SUCCESS) {       \
      const char* t = "?";               \
      cuGetErrorString(result_, &t);     \
      std::printf("%s: %s\n", #call, t); \
      throw result_;                     \
    }                                    \
  } while (0)

struct Tensor {
  int array, element, tf32, nan, dimensions, swizzle;
  uint64_t extent[5], stride[5], box[5], step[5];
};
struct Argument {
  std::string kind;
  int array = 0;
  double real = 0;
  int bytes = 4;
  long long integer = 0;
  Tensor tensor{};
};
struct Array {
  std::string name, initial;
  uint64_t bytes;
  int element, filled;
};
struct Launch {
  std::string kernel, preset, cubin, entry, parameters;
  int size;
  unsigned grid[3], block[3], shared, cooperative;
  std::vector<Array> arrays;
  std::vector<Argument> arguments;
};

std::vector<Launch> read_plan(const std::string& folder) {
  std::vector<Launch> launches;
  std::ifstream in(folder + "/launches.txt");
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream s(line);
    std::string word;
    s >> word;
    if (word == "launch") {
      launches.emplace_back();
      Launch& l = launches.back();
      s >> l.kernel >> l.preset >> l.size >> l.cubin >> l.entry;
      continue;
    }
    if (launches.empty()) continue;
    Launch& l = launches.back();
    if (word == "parameters")
      s >> l.parameters;
    else if (word == "shape")
      s >> l.grid[0] >> l.grid[1] >> l.grid[2] >> l.block[0] >> l.block[1] >> l.block[2] >> l.shared >> l.cooperative;
    else if (word == "allocation") {
      Array a;
      s >> a.name >> a.bytes >> a.element >> a.filled >> a.initial;
      l.arrays.push_back(a);
    } else if (word != "end") {
      Argument a;
      a.kind = word;
      if (word == "array")
        s >> a.array;
      else if (word == "int")
        s >> a.bytes >> a.integer;
      else if (word == "tensor") {
        Tensor& t = a.tensor;
        s >> t.array >> t.element >> t.tf32 >> t.nan >> t.dimensions >> t.swizzle;
        for (auto* e : {t.extent, t.stride, t.box, t.step})
          for (int i = 0; i < 5; ++i) s >> e[i];
      } else
        s >> a.real;
      l.arguments.push_back(a);
    }
  }
  return launches;
}

uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
uint64_t stream_of(uint64_t seed, const std::string& name) {
  uint64_t key = mixed(seed);
  for (char c : name) key = mixed(key ^ (unsigned char)c);
  return key;
}

// Values of a name and a length are the same in every launch: made once.
std::map<std::string, std::vector<char>> made;
const std::vector<char>& values(const Array& a, int element_size, int kind) {
  auto [at, fresh] = made.try_emplace(a.name + "/" + std::to_string(a.bytes) + "/" + std::to_string(kind));
  if (!fresh) return at->second;
  std::vector<char>& v = at->second;
  v.resize(a.bytes);
  uint64_t stream = stream_of(1, a.name), n = a.bytes / element_size;
  for (uint64_t i = 0; i < n; ++i) {
    float f = static_cast<float>(mixed(stream ^ i) >> 40) * 0x1p-23F - 1;
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    if (kind == 0)
      std::memcpy(&v[i * 4], &f, 4);
    else if (kind == 1) {
      uint16_t b = bits >> 16;
      std::memcpy(&v[i * 2], &b, 2);
    }
  }
  return v;
}

}  // namespace

int element_f32, element_bf16;

struct Ready {
  CUmodule module;
  CUfunction function;
  std::vector<CUdeviceptr> arrays;
  std::vector<std::vector<char>> storage;
  std::vector<void*> pointers;
};

CUtensorMapDataType tensor_type(const Tensor& t) {
  if (t.element == element_bf16) return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  return t.tf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}

void ready(Ready& r, const Launch& l, const std::string& folder) {
  CHECK(cuModuleLoad(&r.module, (folder + "/" + l.cubin).c_str()));
  CHECK(cuModuleGetFunction(&r.function, r.module, l.entry.c_str()));
  if (l.shared > 0)
    CHECK(cuFuncSetAttribute(r.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l.shared));
  cuFuncSetAttribute(r.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  for (const Array& a : l.arrays) {
    CUdeviceptr p = 0;
    if (a.bytes) {
      CHECK(cuMemAlloc(&p, a.bytes));
      if (a.filled && a.initial == "-") {
        const auto& v = values(a, a.element == element_bf16 ? 2 : 4, a.element == element_bf16 ? 1 : 0);
        CHECK(cuMemcpyHtoD(p, v.data(), a.bytes));
      } else
        CHECK(cuMemsetD8(p, 0, a.bytes));
    }
    r.arrays.push_back(p);
  }
  for (const Argument& a : l.arguments) {
    std::vector<char> b(128);
    if (a.kind == "array")
      std::memcpy(b.data(), &r.arrays[a.array], 8);
    else if (a.kind == "float") {
      float f = (float)a.real;
      std::memcpy(b.data(), &f, 4);
    } else if (a.kind == "double")
      std::memcpy(b.data(), &a.real, 8);
    else if (a.kind == "int")
      std::memcpy(b.data(), &a.integer, 8);
    else {
      const Tensor& t = a.tensor;
      alignas(64) CUtensorMap map;
      cuuint64_t dim[5], stride[5];
      cuuint32_t box[5], step[5];
      for (int i = 0; i < 5; ++i) {
        dim[i] = t.extent[i];
        box[i] = (cuuint32_t)t.box[i];
        step[i] = (cuuint32_t)t.step[i];
        if (i) stride[i - 1] = t.stride[i];
      }
      CHECK(cuTensorMapEncodeTiled(
          &map, tensor_type(t), t.dimensions, (void*)r.arrays[t.array], dim, stride, box, step,
          CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
          t.nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
      std::memcpy(b.data(), &map, sizeof map);
    }
    r.storage.push_back(b);
  }
  // Tensor maps want 64-byte alignment only in the driver's copy; it copies from any address.
  for (auto& s : r.storage) r.pointers.push_back(s.data());
}

void start(const Ready& r, const Launch& l) {
  if (l.cooperative)
    CHECK(cuLaunchCooperativeKernel(r.function, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                                    l.shared, nullptr, const_cast<void**>(r.pointers.data())));
  else
    CHECK(cuLaunchKernel(r.function, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2], l.shared,
                         nullptr, const_cast<void**>(r.pointers.data()), nullptr));
}

void drop(Ready& r) {
  for (auto p : r.arrays)
    if (p) cuMemFree(p);
  cuModuleUnload(r.module);
}

int main(int argc, char** argv) {
  if (argc < 5) return std::printf("usage: measure_launches FOLDER times|once ELEMENT_F32 ELEMENT_BF16 [OUT.csv]\n"), 2;
  const std::string folder = argv[1], mode = argv[2];
  element_f32 = std::atoi(argv[3]);
  element_bf16 = std::atoi(argv[4]);
  CHECK(cuInit(0));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  const std::vector<Launch> launches = read_plan(folder);
  CUdeviceptr flush;
  const size_t kFlush = 256u << 20;
  CHECK(cuMemAlloc(&flush, kFlush));
  FILE* out = argc > 5 ? std::fopen(argv[5], "w") : nullptr;
  if (out) std::fprintf(out, "kernel,preset,parameters,size,median_ns,lower_ns,upper_ns,samples\n");
  CUevent before, after;
  CHECK(cuEventCreate(&before, 0));
  CHECK(cuEventCreate(&after, 0));
  int failed = 0;
  const int first = argc > 6 ? std::atoi(argv[6]) : 0, last = argc > 7 ? std::atoi(argv[7]) : 1 << 30;
  for (int index = first; index < (int)launches.size() && index < last; ++index) {
    const Launch& l = launches[index];
    try {
      Ready r;
      ready(r, l, folder);
      if (mode == "once") {
        std::printf("%d,%s,%s,%d\n", index, l.kernel.c_str(), l.preset.c_str(), l.size);
        std::fflush(stdout);
        start(r, l);
        CHECK(cuCtxSynchronize());
        drop(r);
        continue;
      }
      std::vector<float> ns;
      auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < 60; ++i) {
        CHECK(cuMemsetD8(flush, i, kFlush));
        CHECK(cuEventRecord(before, nullptr));
        start(r, l);
        CHECK(cuEventRecord(after, nullptr));
        CHECK(cuEventSynchronize(after));
        float ms;
        CHECK(cuEventElapsedTime(&ms, before, after));
        if (i > 2) ns.push_back(ms * 1e6f);
        if (i >= 8 && std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > 0.8) break;
      }
      std::sort(ns.begin(), ns.end());
      std::fprintf(out, "%s,%s,%s,%d,%.0f,%.0f,%.0f,%zu\n", l.kernel.c_str(), l.preset.c_str(),
                   l.parameters.empty() ? "-" : l.parameters.c_str(), l.size, ns[ns.size() / 2], ns[ns.size() / 4],
                   ns[ns.size() * 3 / 4], ns.size());
      std::fflush(out);
      drop(r);
    } catch (CUresult) {
      std::printf("FAILED %s %s %d\n", l.kernel.c_str(), l.preset.c_str(), l.size);
      ++failed;
    }
  }
  return failed != 0;
}
