// Two halves at once need an even column.
//: launch.block = 16
//: launch.grid = 1
//: arguments = ["M", "N", "K", "H", "C"]
//: arrays.H = { role = "input", element = "f16", shape = [64] }
extern "C" __global__ void load_pairs(int M, int N, int K, const unsigned short* H, float* C) {
  const int t = threadIdx.x;
  const unsigned pair = *reinterpret_cast<const unsigned*>(H + 2 * t + 1);  // expect: misaligned
  C[t] = static_cast<float>(pair);
}
