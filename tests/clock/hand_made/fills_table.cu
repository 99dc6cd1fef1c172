// Each thread puts its number into a hash table, in the first free place from where it hashes to.
__global__ void fills_table(int *table) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = (i ^ i >> 7) * 0x7feb352du;
  at = (at ^ at >> 15) * 0x846ca68bu % PLACES;
  while (atomicCAS(&table[at], 0, static_cast<int>(i + 1)) != 0) at = (at + 1) % PLACES;
}
