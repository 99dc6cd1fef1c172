// y = x where the clock goes on, 64 bits of it and 32.
__global__ void clocks(const float *x, float *y) {
  const long long begin = clock64();
  const unsigned low = clock();
  float value = x[threadIdx.x];
  asm volatile("" : "+f"(value)::"memory");
  y[threadIdx.x] = clock64() > begin && clock() != low ? value : 0.0f;
}
