//: size = "M=33,N=20,K=20"
//: launch.block = [16, 16]
//: launch.grid = ["ceil_div(K, 16)", "ceil_div(M, 16)"]
//: arguments = ["M", "N", "K", "A", "T"]
//: arrays.T = { role = "output", shape = ["K", "M"] }
extern "C" __global__ void transpose(int M, int N, int K, const float* A, float* T) {
  __shared__ float tile[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  tile[ty][tx] = row < M && col < K ? A[row * K + col] : 0.0f;
  __syncthreads();
  row = blockIdx.x * 16 + ty;
  col = blockIdx.y * 16 + tx;
  if (row < K && col < M)
    T[row * M + col] = tile[tx][ty];
}
