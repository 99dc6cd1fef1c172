/// A program that calls the CUDA runtime as nvcc's code does, to test the stand-in without nvcc.
/// Its argument says what it does; it prints what it got.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "cudart/abi.h"
#include "two_races.h"

using namespace tilescope::cudart;

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int, void*, void*, void*,
                            void*, int*);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int, size_t bytes, int, int);
int cudaLaunchKernel(const void* host, Dim grid, Dim block, void** arguments, size_t shared, void* stream);
int cudaMalloc(void** pointer, size_t bytes);
int cudaMallocManaged(void** pointer, size_t bytes, unsigned flags);
int cudaFree(void* pointer);
int cudaMemcpy(void* target, const void* source, size_t bytes, int kind);
int cudaMemset(void* target, int value, size_t bytes);
int cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset, int kind);
int cudaDeviceSynchronize();
int cudaGetLastError();
int cudaEventCreate(void** event);
int cudaEventRecord(void* event, void* stream);
int cudaEventElapsedTime(float* milliseconds, void* begin, void* end);
int cudaStreamCreate(void** stream);
int cudaStreamBeginCapture(void* stream, int mode);
int cudaStreamEndCapture(void* stream, void** graph);
int cudaGraphInstantiate(void** executable, void* graph, unsigned long long flags);
int cudaGraphLaunch(void* executable, void* stream);
int cudaGetDeviceProperties(DeviceProperties* properties, int device);
int cudaDeviceGetAttribute(int* value, int attribute, int device);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads, size_t shared);
int cudaMallocArray();
const char* cudaGetErrorString(int error);
int cublasCreate_v2(void** handle);
int cublasSgemm_v2(void* handle, int, int, int, int, int, const float*, const float*, int, const float*, int,
                   const float*, float*, int);
}

namespace {

// scale: x[i] = x[i] * factor for i < n; spin never ends; square: *to = *from * *from; odd has an instruction that is
// none.
constexpr char kPtx[] = R"(.version 8.0
.target sm_75
.address_size 64
.global .align 4 .f32 factor = 0f40000000;
.visible .entry scale(.param .u64 x, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  ld.global.f32 %f2, [factor];
  mul.f32 %f3, %f1, %f2;
  st.global.f32 [%rd3], %f3;
DONE:
  ret;
}
.visible .entry spin()
{
LOOP:
  bra LOOP;
}
.visible .entry square(.param .u64 to, .param .u64 from)
{
  .reg .f32 %f<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  ld.global.f32 %f1, [%rd2];
  mul.f32 %f2, %f1, %f1;
  st.global.f32 [%rd1], %f2;
  ret;
}
.visible .entry odd()
{
  .reg .b32 %r<2>;
  frobnicate.u32 %r1, 4;
  ret;
}
)";

char scale_host, spin_host, square_host, odd_host, races_host, factor_host;

std::string fat_binary;

void register_code(uint16_t kind, const std::string& ptx) {
  std::string entry(64, '\0'), payload(ptx.c_str(), ptx.size() + 1);
  payload.resize((payload.size() + 7) / 8 * 8);
  const uint32_t header_bytes = 64, capability = 75;
  const uint64_t padded = payload.size();
  std::memcpy(entry.data(), &kind, 2);
  std::memcpy(entry.data() + 4, &header_bytes, 4);
  std::memcpy(entry.data() + 8, &padded, 8);
  std::memcpy(entry.data() + 28, &capability, 4);
  const uint64_t bytes = entry.size() + payload.size();
  const uint32_t magic = 0xba55ed50;
  fat_binary.assign(16, '\0');
  std::memcpy(fat_binary.data(), &magic, 4);
  fat_binary[4] = 1;
  fat_binary[6] = 16;
  std::memcpy(fat_binary.data() + 8, &bytes, 8);
  fat_binary += entry + payload;
  static FatBinaryWrapper wrapper{0x466243b1, 1, fat_binary.data(), nullptr};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  for (const auto& [host, name] : {std::pair{&scale_host, "scale"},
                                   {&spin_host, "spin"},
                                   {&square_host, "square"},
                                   {&odd_host, "odd"},
                                   {&races_host, "two_races"}})
    __cudaRegisterFunction(handle, host, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(handle, &factor_host, nullptr, "factor", 0, 4, 0, 1);
  __cudaRegisterFatBinaryEnd(handle);
}

int scale(float* x, int n, int covered, void* stream = nullptr) {
  void* arguments[] = {&x, &covered};
  return cudaLaunchKernel(&scale_host, {static_cast<unsigned>(n + 31) / 32, 1, 1}, {32, 1, 1}, arguments, 0, stream);
}

float* device_floats(const std::vector<float>& values) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, values.size() * 4);
  cudaMemcpy(pointer, values.data(), values.size() * 4, HostToDevice);
  return static_cast<float*>(pointer);
}

void print_floats(const float* device, size_t count) {
  std::vector<float> values(count);
  std::printf("copy %d:", cudaMemcpy(values.data(), device, count * 4, DeviceToHost));
  for (const float value : values) std::printf(" %g", value);
  std::printf("\n");
}

int do_scale() {
  float* x = device_floats({1, 2, 3});
  const int error = scale(x, 3, 3);
  print_floats(x, 3);
  return error;
}

int do_repeat() {
  float* x = device_floats({1});
  for (int i = 0; i < 3; ++i) scale(x, 1, 1);
  scale(x, 1, 0);
  return cudaDeviceSynchronize();
}

int square(float* to, float* from) {
  void* arguments[] = {&to, &from};
  return cudaLaunchKernel(&square_host, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr);
}

/// *to = *from to the 4th, by two launches, over and over; then of another number.
int do_same() {
  float *from = device_floats({2}), *to = device_floats({0});
  const auto to_the_fourth = [&] { return square(to, from) + square(to, to); };
  for (int i = 0; i < 4; ++i) to_the_fourth();
  print_floats(to, 1);
  const float three = 3;
  cudaMemcpy(from, &three, sizeof three, HostToDevice);
  const int error = to_the_fourth();
  print_floats(to, 1);
  return error;
}

int do_out_of_bounds() { return scale(device_floats({1, 2, 3}), 4, 4) + cudaDeviceSynchronize(); }

int do_wild() {
  scale(reinterpret_cast<float*>(0x1000), 1, 1);
  std::printf("launch: %s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("wait: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("after: %s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}

int do_host_pointer() {
  std::vector<float> values{1, 2, 3};
  scale(values.data(), 3, 3);
  return cudaDeviceSynchronize();
}

/// What one kernel wrote another may read; what none wrote not.
int do_uninitialised() {
  void* x = nullptr;
  cudaMalloc(&x, 8);
  cudaMemset(x, 0, 4);
  return scale(static_cast<float*>(x), 1, 1) + scale(static_cast<float*>(x), 2, 2);
}

int do_use_after_free() {
  float* x = device_floats({1, 2, 3});
  cudaFree(x);
  scale(x, 3, 3);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%s\n", cudaGetErrorString(cudaFree(x)));
  return 0;
}

int do_symbol() {
  float factor = 0;
  cudaMemcpyFromSymbol(&factor, &factor_host, 4, 0, DeviceToHost);
  const float ten = 10;
  std::printf("factor %g, set %d\n", factor, cudaMemcpyToSymbol(&factor_host, &ten, 4, 0, HostToDevice));
  float* x = device_floats({1, 2});
  scale(x, 2, 2);
  print_floats(x, 2);
  return 0;
}

int do_drop() {
  scale(device_floats({1, 2}), 2, 2);
  return cudaDeviceSynchronize();
}

int do_managed() {
  void* x = nullptr;
  cudaMallocManaged(&x, 8, 1);
  auto* values = static_cast<float*>(x);
  values[0] = 3, values[1] = 4;
  scale(values, 2, 2);
  cudaDeviceSynchronize();
  std::printf("%g %g\n", values[0], values[1]);
  return 0;
}

int do_graph() {
  float* x = device_floats({1});
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, 0);
  scale(x, 1, 1, stream);
  scale(x, 1, 1, stream);
  cudaStreamEndCapture(stream, &graph);
  print_floats(x, 1);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(executable, stream);
  print_floats(x, 1);
  return 0;
}

int do_events() {
  void *begin = nullptr, *end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float* x = device_floats(std::vector<float>(64, 1));
  float milliseconds = -1;
  std::printf("too early: %s\n", cudaGetErrorString(cudaEventElapsedTime(&milliseconds, begin, end)));
  cudaEventRecord(begin, nullptr);
  scale(x, 64, 64);
  cudaEventRecord(end, nullptr);
  cudaEventElapsedTime(&milliseconds, begin, end);
  std::printf("longer than nothing: %d\n", milliseconds > 0);
  return 0;
}

int do_errors() {
  float* x = device_floats({1});
  void* arguments[] = {&x, &x};
  std::printf("%s\n",
              cudaGetErrorString(cudaLaunchKernel(&scale_host, {1, 1, 1}, {2048, 1, 1}, arguments, 0, nullptr)));
  std::printf("%s\n",
              cudaGetErrorString(cudaLaunchKernel(&scale_host, {1, 1, 1}, {32, 1, 1}, arguments, 60000, nullptr)));
  std::printf("%s\n", cudaGetErrorString(cudaLaunchKernel(&fat_binary, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr)));
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  float host = 0;
  std::printf("%s\n", cudaGetErrorString(cudaMemcpy(&host, x, 4, HostToDevice)));
  std::printf("%s\n", cudaGetErrorString(cudaMemcpy(&host, x, 8, DeviceToHost)));
  void* much = nullptr;
  std::printf("%s\n", cudaGetErrorString(cudaMalloc(&much, size_t{1} << 50)));
  return 0;
}

int do_properties() {
  DeviceProperties properties;
  cudaGetDeviceProperties(&properties, 0);
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scale_host, 256, 0);
  int memory_clock_khz = 0, bus_bits = 0;
  cudaDeviceGetAttribute(&memory_clock_khz, 36, 0);
  cudaDeviceGetAttribute(&bus_bits, 37, 0);
  std::printf("%d.%d, %d SMs, warp %d, %zu bytes shared, %d blocks, %d GB/s%s\n", properties.major, properties.minor,
              properties.sms, properties.warp_size, properties.shared_per_block, blocks,
              static_cast<int>(2.0 * memory_clock_khz * (bus_bits / 8) / 1e6 + 0.5),
              bus_bits == properties.memory_bus_width ? "" : ", of another bus");
  return 0;
}

int do_gemm() {
  // Column-major: (1 3; 2 4) (5; 6) = (23; 34).
  float* a = device_floats({1, 2, 3, 4});
  float* b = device_floats({5, 6});
  float* c = device_floats({0, 0});
  void* handle = nullptr;
  const float one = 1, zero = 0;
  cublasCreate_v2(&handle);
  const int status = cublasSgemm_v2(handle, 0, 0, 2, 1, 2, &one, a, 2, b, 2, &zero, c, 2);
  print_floats(c, 2);
  return status;
}

int do_fork() {
  float* x = device_floats({1});
  std::fflush(stdout);
  if (::fork() == 0) {
    void* other = nullptr;
    std::printf("child: %s\n", cudaGetErrorString(cudaMalloc(&other, 4)));
    std::fflush(stdout);
    ::_exit(0);
  }
  ::wait(nullptr);
  scale(x, 1, 1);
  print_floats(x, 1);
  return 0;
}

int do_odd() {
  std::printf("%s\n", cudaGetErrorString(cudaLaunchKernel(&odd_host, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr)));
  return 0;
}

int do_races() {
  float* words = device_floats(std::vector<float>(64));
  void* arguments[] = {&words};
  for (int i = 0; i < 2; ++i) cudaLaunchKernel(&races_host, {1, 1, 1}, {64, 1, 1}, arguments, 0, nullptr);
  return cudaDeviceSynchronize();
}

int do_spin() {
  cudaLaunchKernel(&spin_host, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}

int do_unknown() {
  std::printf("%s\n", cudaGetErrorString(cudaMallocArray()));
  return 0;
}

int do_host_read() { return static_cast<int>(*static_cast<volatile float*>(device_floats({1}))); }

int do_crash() {
  do_scale();
  std::fflush(stdout);
  ::abort();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, int (*)()> all{{"scale", do_scale},
                                             {"bounds", do_out_of_bounds},
                                             {"wild", do_wild},
                                             {"host_pointer", do_host_pointer},
                                             {"uninitialised", do_uninitialised},
                                             {"free", do_use_after_free},
                                             {"symbol", do_symbol},
                                             {"managed", do_managed},
                                             {"drop", do_drop},
                                             {"graph", do_graph},
                                             {"events", do_events},
                                             {"errors", do_errors},
                                             {"properties", do_properties},
                                             {"gemm", do_gemm},
                                             {"fork", do_fork},
                                             {"odd", do_odd},
                                             {"spin", do_spin},
                                             {"races", do_races},
                                             {"unknown", do_unknown},
                                             {"repeat", do_repeat},
                                             {"same", do_same},
                                             {"host_read", do_host_read},
                                             {"crash", do_crash},
                                             {"none", [] { return 7; }},
                                             {"cubin", do_scale}};
  const std::string what = argc > 1 ? argv[1] : "";
  register_code(what == "cubin" ? 2 : 1, what == "races" ? tilescope::kTwoRaces : kPtx);
  const auto at = all.find(what);
  return at == all.end() ? 99 : at->second();
}
