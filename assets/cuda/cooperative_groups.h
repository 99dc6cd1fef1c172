// The groups of the Programming Guide's "Cooperative Groups" that PTX has barriers and shuffles for: the block, and tiles
// of a warp. Not here: grids, clusters, coalesced groups.
#pragma once

namespace cooperative_groups {

struct thread_block {
  TILESCOPE_MEMBER static void sync() { __syncthreads(); }
  TILESCOPE_MEMBER static unsigned int thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  TILESCOPE_MEMBER static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  TILESCOPE_MEMBER static unsigned int num_threads() { return size(); }
  TILESCOPE_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  TILESCOPE_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  TILESCOPE_MEMBER static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  TILESCOPE_MEMBER static dim3 group_dim() { return dim_threads(); }
};
TILESCOPE_FUNCTION thread_block this_thread_block() { return {}; }

/// SIZE lanes next to each other: a power of two up to 32.
template <unsigned int SIZE, class Parent = thread_block>
struct thread_block_tile {
  static_assert(SIZE > 0 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  TILESCOPE_MEMBER static unsigned int thread_rank() { return thread_block::thread_rank() & (SIZE - 1); }
  TILESCOPE_MEMBER static constexpr unsigned int size() { return SIZE; }
  TILESCOPE_MEMBER static constexpr unsigned int num_threads() { return SIZE; }
  TILESCOPE_MEMBER static unsigned int meta_group_rank() { return thread_block::thread_rank() / SIZE; }
  TILESCOPE_MEMBER static unsigned int meta_group_size() { return (thread_block::size() + SIZE - 1) / SIZE; }
  TILESCOPE_MEMBER static unsigned int mask() {
    return SIZE == 32 ? 0xffffffffu : ((1u << (SIZE & 31)) - 1) << (thread_block::thread_rank() & 31 & ~(SIZE - 1));
  }
  TILESCOPE_MEMBER static void sync() { __syncwarp(mask()); }
  template <class T>
  TILESCOPE_MEMBER static T shfl(T value, int from) {
    return __shfl_sync(mask(), value, from, SIZE);
  }
  template <class T>
  TILESCOPE_MEMBER static T shfl_up(T value, unsigned int by) {
    return __shfl_up_sync(mask(), value, by, SIZE);
  }
  template <class T>
  TILESCOPE_MEMBER static T shfl_down(T value, unsigned int by) {
    return __shfl_down_sync(mask(), value, by, SIZE);
  }
  template <class T>
  TILESCOPE_MEMBER static T shfl_xor(T value, unsigned int with) {
    return __shfl_xor_sync(mask(), value, (int)with, SIZE);
  }
  TILESCOPE_MEMBER static int any(int predicate) { return __any_sync(mask(), predicate); }
  TILESCOPE_MEMBER static int all(int predicate) { return __all_sync(mask(), predicate); }
  TILESCOPE_MEMBER static unsigned int ballot(int predicate) {
    return __ballot_sync(mask(), predicate) >> (thread_block::thread_rank() & 31 & ~(SIZE - 1));
  }
};
template <unsigned int SIZE, class Parent>
TILESCOPE_FUNCTION thread_block_tile<SIZE, Parent> tiled_partition(const Parent &) {
  return {};
}
template <class Group>
TILESCOPE_FUNCTION void sync(const Group &group) {
  group.sync();
}

template <class T>
struct plus {
  TILESCOPE_MEMBER T operator()(T x, T y) const { return x + y; }
};
template <class T>
struct greater {
  TILESCOPE_MEMBER T operator()(T x, T y) const { return x > y ? x : y; }
};
template <class T>
struct less {
  TILESCOPE_MEMBER T operator()(T x, T y) const { return x < y ? x : y; }
};
/// In every lane what `operation` makes of the tile's values, by halving distances.
template <unsigned int SIZE, class Parent, class T, class Operation>
TILESCOPE_FUNCTION T reduce(const thread_block_tile<SIZE, Parent> &tile, T value, Operation operation) {
#pragma unroll
  for (unsigned int step = SIZE / 2; step > 0; step /= 2) value = operation(value, tile.shfl_xor(value, step));
  return value;
}

}  // namespace cooperative_groups
