//: launch.block = 32
//: launch.grid = 1
//: arguments = ["A", "C"]
//: arrays.A = { element = "f16", shape = ["32", "32"], role = "input" }
//: arrays.tile = { space = "shared", element = "f16", shape = ["16", "24"] }
extern "C" __global__ void load_matrices(const unsigned short* A, unsigned* C) {
  __shared__ __align__(16) unsigned short tile[16][24];
  for (int i = threadIdx.x; i < 16 * 24; i += 32) tile[i / 24][i % 24] = A[i];
  __syncwarp();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x % 16][threadIdx.x / 16 * 8]));
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  for (int i = 0; i < 4; ++i) C[threadIdx.x * 4 + i] = r[i];
}
