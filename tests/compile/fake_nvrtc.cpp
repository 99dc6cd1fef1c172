// A stand-in for libnvrtc. The source's first word chooses its behaviour, which the real one shows only rarely.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>

namespace {

struct Program {
  std::string source, ptx, cubin, log, headers;
  std::deque<std::string> instances;  // Their names in PTX stay where they are.
};

constexpr const char* kResources =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
    "ptxas info    : Function properties for k\n"
    "ptxas         .     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes smem, 400 bytes cmem[0]\n"
    "ptxas info    : Compile time = 1.0 ms\n";

/// Of a kernel that takes what the matrix products of the catalogue take: A, B and C, M, N and K; those with a tensor
/// map of B have that first, B again where it is an array in the kernel's text, and alpha.
std::string module_for(const std::string& source) {
  const bool has_map = source.find("CUtensorMap mapB") != std::string::npos;
  const bool has_b = !has_map || source.find("const float *B") != std::string::npos;
  std::string parameters = has_map ? ".param .align 64 .b8 mapB[128], " : "";
  parameters += std::string(".param .u64 A, ") + (has_b ? ".param .u64 B, " : "");
  parameters += ".param .u64 C, .param .u32 M, .param .u32 N, .param .u32 K";
  if (has_map) parameters += ", .param .f32 alpha";
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry sgemm(" + parameters + ")\n{\nret;\n}\n";
}

void spin() {
  for (volatile bool endless = true; endless;) {
  }
}

[[noreturn]] void eat_memory() {
  constexpr size_t kPiece = size_t{16} << 20;
  while (void* piece = std::malloc(kPiece)) std::memset(piece, 1, kPiece);
  std::abort();
}

int give(const std::string& text, char* target) {
  std::memcpy(target, text.data(), text.size());
  return 0;
}

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(int result) { return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS"; }
int nvrtcVersion(int* major, int* minor) {
  *major = 99;
  *minor = 1;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return 0;
}
int nvrtcGetSupportedArchs(int* architectures) {
  architectures[0] = 80;
  architectures[1] = 90;
  return 0;
}
int nvrtcCreateProgram(void** handle, const char* source, const char*, int count, const char* const* texts,
                       const char* const* names) {
  auto* program = new Program;
  program->source = source;
  for (int i = 0; i < count; ++i)
    if (std::string(names[i]).ends_with(".cuh") && !std::string(names[i]).starts_with("cub/"))
      program->headers += std::string("// header ") + names[i] + " " + texts[i] + "\n";
  *handle = program;
  return 0;
}
int nvrtcAddNameExpression(void* program, const char* expression) {
  static_cast<Program*>(program)->instances.push_back(std::string("PTX name of ") + expression);
  return 0;
}
int nvrtcGetLoweredName(void* program, const char* expression, const char** name) {
  for (const std::string& instance : static_cast<Program*>(program)->instances)
    if (instance == std::string("PTX name of ") + expression) return *name = instance.c_str(), 0;
  return 7;
}
int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  Program& program = *static_cast<Program*>(handle);
  const std::string word = program.source.substr(0, program.source.find_first_of(" \n"));
  if (word == "hang") pause();
  if (word == "spin") spin();
  if (word == "crash") std::raise(SIGSEGV);
  if (word == "memory") eat_memory();
  if (word == "exit") _exit(7);
  if (word == "print") std::puts("words between the messages"), std::fflush(stdout);
  if (word == "fail") return 6;
  if (word == "large") program.ptx.assign(size_t{20} << 20, 'x');
  if (word == "wrong") {
    program.log = "k.cu(2): error: identifier \"x\" is undefined\n  \tint y = x;\n  \t        ^\n\n";
    return 6;
  }
  if (!program.ptx.empty()) return 0;
  if (word == "open") {
    errno = 0;
    std::fopen(program.source.c_str() + 5, "r");
    program.ptx = std::string("// ") + std::strerror(errno) + "\n";
  }
  program.ptx += program.headers;
  program.ptx += "// process " + std::to_string(getpid()) + "\n";
  for (int i = 0; i < count; ++i) program.ptx += std::string("// ") + options[i] + "\n";
  if (program.source.find("__global__") != std::string::npos) program.ptx += module_for(program.source);
  program.cubin = std::string("\x7f\0ELF", 5);
  program.log = kResources;
  return 0;
}
int nvrtcGetPTXSize(void* program, size_t* bytes) {
  *bytes = static_cast<Program*>(program)->ptx.size();
  return 0;
}
int nvrtcGetPTX(void* program, char* ptx) { return give(static_cast<Program*>(program)->ptx, ptx); }
int nvrtcGetCUBINSize(void* program, size_t* bytes) {
  *bytes = static_cast<Program*>(program)->cubin.size();
  return 0;
}
int nvrtcGetCUBIN(void* program, char* cubin) { return give(static_cast<Program*>(program)->cubin, cubin); }
int nvrtcGetProgramLogSize(void* program, size_t* bytes) {
  *bytes = static_cast<Program*>(program)->log.size();
  return 0;
}
int nvrtcGetProgramLog(void* program, char* log) { return give(static_cast<Program*>(program)->log, log); }
}
