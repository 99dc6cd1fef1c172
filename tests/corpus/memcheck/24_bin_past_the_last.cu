// The largest value falls in a bin of its own that is not there.
//: launch.block = 32
//: launch.grid = 1
//: arguments = ["M", "N", "K", "A", "bins"]
//: arrays.bins = { role = "inout", element = "i32", shape = [8] }
extern "C" __global__ void histogram(int M, int N, int K, const float* A, int* bins) {
  const int value = threadIdx.x;  // 0 to 31
  const int bin = value * 8 / 31;
  if (A[value] < 2.0f) atomicAdd(&bins[bin], 1);  // expect: out-of-bounds
}
