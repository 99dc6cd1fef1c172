// Sums of tiles and of other groups of a warp's lanes, votes of blocks, and sines.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void groups_of_lanes(const int *x, int *y, int n) {
  const int t = threadIdx.x, a = x[t];
  int *out = y + t;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  out[0] = cg::reduce(tile, a, cg::plus<int>()) + n;
  out[64] = cg::reduce(tile, a, cg::greater<int>()) - cg::reduce(tile, a, cg::less<int>());
  out[128] = cg::reduce(cg::labeled_partition(tile, t % 3), a, cg::bit_xor<int>());
  __syncwarp();
  if (t % 3 == 1) {
    const auto some = cg::coalesced_threads();
    out[192] = cg::reduce(some, a, cg::plus<int>()) * some.size() + some.thread_rank();
  }
  out[256] = __syncthreads_and(a != 0) * 100 + __syncthreads_and(t != 3) * 10 + __syncthreads_and(t < 64);
  out[320] = __syncthreads_or(t == 5) * 100 + __syncthreads_or(t > 64) * 10 + __syncthreads_count(t % 5 == 0);
  const float angle = (a % 1000) * 0.0137f;
  out[384] = (int)rintf(1000 * __sinf(angle)) * 10000 + (int)rintf(1000 * __cosf(angle));
}
