// Functions without __device__ or __host__ are for both, as NVRTC's --device-as-default-execution-space has it.
#pragma clang force_cuda_host_device begin
