// Work of several streams that nothing orders, each on the line that says why; behind each the same in order.
#include <cstdio>

__global__ void twice(float* values) { values[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void copy(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}
__global__ void count(int* counter) { atomicAdd(counter, 1); }

constexpr int kCount = 4096;
constexpr size_t kBytes = kCount * sizeof(float);

int main() {
  float *a, *b, *host;
  int* counter;
  cudaMalloc(&a, kBytes);
  cudaMalloc(&b, kBytes);
  cudaMalloc(&counter, sizeof(int));
  cudaMallocHost(&host, kBytes);
  for (int i = 0; i < kCount; ++i) host[i] = static_cast<float>(i);
  cudaStream_t one, two, free_one;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreate(&event);

  // A kernel in another stream than the copy to its array; with an event.
  cudaMemcpyAsync(a, host, kBytes, cudaMemcpyHostToDevice, one);
  twice<<<kCount / 256, 256, 0, two>>>(a);  // expect: it reads memory that cudaMemcpyAsync, line 30 of streams.cu, writes
  cudaDeviceSynchronize();
  cudaMemcpyAsync(a, host, kBytes, cudaMemcpyHostToDevice, one);
  cudaEventRecord(event, one);
  cudaStreamWaitEvent(two, event);
  twice<<<kCount / 256, 256, 0, two>>>(a);
  // The stream that is waited for is another.
  cudaStreamSynchronize(one);
  copy<<<kCount / 256, 256, 0, one>>>(a, b);  // expect: it reads memory that twice, line 36 of streams.cu, writes
  cudaStreamSynchronize(two);
  cudaStreamSynchronize(one);
  copy<<<kCount / 256, 256, 0, one>>>(a, b);

  // The default stream takes turns with others, but not with those that do not block.
  cudaMemset(b, 0, kBytes);
  twice<<<kCount / 256, 256, 0, two>>>(b);
  cudaMemset(b, 0, kBytes);
  twice<<<kCount / 256, 256, 0, free_one>>>(b);  // expect: it reads memory that cudaMemset, line 47 of streams.cu, writes
  cudaDeviceSynchronize();

  // Halves of an array, and counting, need no order.
  twice<<<kCount / 512, 256, 0, one>>>(a);
  twice<<<kCount / 512, 256, 0, two>>>(a + kCount / 2);
  cudaMemset(counter, 0, sizeof(int));
  count<<<1, 32, 0, one>>>(counter);
  count<<<1, 32, 0, two>>>(counter);

  // The host reads what a copy is writing; it writes what one is reading.
  cudaMemcpyAsync(host, a, kBytes / 2, cudaMemcpyDeviceToHost, one);
  cudaMemcpyAsync(host + kCount / 2, a + kCount / 2, kBytes / 2, cudaMemcpyDeviceToHost, two);
  cudaStreamSynchronize(one);
  std::printf("%g\n", host[0]);
  std::printf("%g\n", host[kCount - 1]);  // expect: cudaMemcpyAsync, called before, may still be copying
  cudaStreamSynchronize(two);
  std::printf("%g\n", host[kCount - 1]);
  cudaMemcpyAsync(a, host, kBytes, cudaMemcpyHostToDevice, free_one);
  std::printf("%g\n", host[1]);
  host[1] = 5;  // expect: cudaMemcpyAsync, called before, may still be copying
  cudaDeviceSynchronize();
  host[1] = 6;

  // A graph of two streams is captured whole.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(a, host, kBytes, cudaMemcpyHostToDevice, one);
  cudaEventRecord(event, one);
  cudaStreamWaitEvent(two, event);
  twice<<<kCount / 256, 256, 0, two>>>(a);
  cudaEventRecord(event, two);
  cudaStreamWaitEvent(one, event);
  cudaMemcpyAsync(host, a, kBytes, cudaMemcpyDeviceToHost, one);
  cudaStreamEndCapture(one, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, one);
  cudaGraphLaunch(executable, two);
  cudaDeviceSynchronize();
  std::printf("%g\n", host[1]);

  cudaMemcpy(host, b, kBytes, cudaMemcpyDeviceToHost);
  int counted = 0;
  cudaMemcpy(&counted, counter, sizeof counted, cudaMemcpyDeviceToHost);
  std::printf("%d\n", counted);
  cudaFree(a);
  cudaFreeHost(host);
  cudaFree(counter);
}
