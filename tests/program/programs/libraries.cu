// Calls of libraries that are not known: they fail by their names, and the program goes on.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cstdio>

int main() {
  cublasHandle_t handle;
  cublasLtHandle_t light;
  printf("%d %d\n", cublasCreate(&handle), cublasLtCreate(&light));
  float one = 1;
  printf("%d\n", cublasSgemv(handle, CUBLAS_OP_N, 1, 1, &one, &one, 1, &one, 1, &one, &one, 1));
  cublasLtDestroy(light);
  cublasDestroy(handle);
}
