// Of cuBLAS device code uses the types alone that its header brings.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
