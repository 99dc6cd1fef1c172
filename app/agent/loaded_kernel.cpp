#include "agent/loaded_kernel.h"

#include <cstring>

namespace tilescope::agent {
namespace {

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::vector<std::byte> scalar_bytes(const protocol::Argument& argument) {
  switch (argument.element) {
    case Element::F32: return bytes_of(static_cast<float>(argument.real));
    case Element::F64: return bytes_of(argument.real);
    default: break;
  }
  std::vector<std::byte> bytes = bytes_of(argument.integer);
  bytes.resize(size_of(argument.element));
  return bytes;
}

}  // namespace

LoadedKernel::LoadedKernel(Gpu& gpu, const protocol::KernelLaunch& launch, const std::vector<CUdeviceptr>& data)
    : gpu_(gpu), launch_(launch) {
  const Driver& driver = gpu_.driver();
  gpu_.check(driver.module_load(&module_, launch_.cubin.c_str()), "Loading the kernel");
  gpu_.check(driver.module_function(&function_, module_, launch_.entry.c_str()), "Finding the kernel in its cubin");
  if (launch_.dynamic_shared_bytes > 0)
    gpu_.check(driver.function_set(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   static_cast<int>(launch_.dynamic_shared_bytes)),
               "Asking for dynamic shared memory");
  for (const protocol::Argument& argument : launch_.arguments) {
    if (argument.array < 0) {
      values_.push_back(scalar_bytes(argument));
      continue;
    }
    const CUdeviceptr address = data[static_cast<size_t>(argument.array)];
    values_.push_back(argument.tensor ? bytes_of(gpu_.encode(*argument.tensor, address)) : bytes_of(address));
  }
  for (std::vector<std::byte>& bytes : values_) arguments_.push_back(bytes.data());
}

LoadedKernel::~LoadedKernel() {
  if (module_ && !gpu_.is_lost()) gpu_.driver().module_unload(module_);
}

void LoadedKernel::launch() const {
  const Dim3 &grid = launch_.grid, &block = launch_.block;
  const Driver& driver = gpu_.driver();
  const CUresult result =
      launch_.cooperative ? driver.launch_cooperative(function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                      launch_.dynamic_shared_bytes, gpu_.stream(), arguments_.data())
                          : driver.launch(function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                          launch_.dynamic_shared_bytes, gpu_.stream(), arguments_.data(), nullptr);
  gpu_.check(result, "Launching the kernel");
}

}  // namespace tilescope::agent
