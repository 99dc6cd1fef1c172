// cuBLAS and cuRAND in streams that nothing orders; behind each the same in order.
#include <cublas_v2.h>
#include <curand.h>

__global__ void twice(float* values) { values[threadIdx.x] *= 2; }

int main() {
  const int n = 32;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateUniform(generator, a, n * n);
  curandGenerateUniform(generator, b, n * n);
  curandGenerateUniform(generator, c, n * n);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, one);
  const float alpha = 1, beta = 0;

  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n);
  twice<<<1, n, 0, two>>>(a);  // expect: it writes memory that cublasSgemm_v2, line 26 of library_streams.cu, reads
  cudaDeviceSynchronize();
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n);
  cudaStreamSynchronize(one);
  twice<<<1, n, 0, two>>>(c);
  cudaDeviceSynchronize();

  // The upper rows of a matrix, and its last row.
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n - 1, n, n, &alpha, a, n, b, n, &beta, c, n);
  cublasSetStream(handle, two);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, n, n, &alpha, a + n - 1, n, b, n, &beta, c + n - 1, n);
  cudaDeviceSynchronize();

  curandSetStream(generator, one);
  curandGenerateUniform(generator, a, n * n);
  twice<<<1, n, 0, two>>>(a);  // expect: it reads memory that curandGenerateUniform, line 41 of library_streams.cu, writes
  curandDestroyGenerator(generator);
  cublasDestroy(handle);
  for (float* array : {a, b, c}) cudaFree(array);
}
