// y = x after a sleep of 10 us and a wait of another 10 by the timer.
__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
__global__ void sleeps(const float *x, float *y) {
  __nanosleep(10000);
  for (const unsigned long long begin = now(); now() - begin < 10000;) continue;
  if (threadIdx.x == 0) printf("awake\n");
  y[threadIdx.x] = x[threadIdx.x];
}
