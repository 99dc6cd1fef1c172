// C = A * B in float by way of TF32, all row-major: A is M x K, B is K x N, C is M x N.
// wgmma takes TF32 from shared memory only where k is contiguous, which holds for A and not for B. So this computes
// C^T = B^T A^T: its left matrix, B^T, may come from registers, which any thread can fill as it likes. TMA rounds to TF32 on
// the way in. Blocks of a cluster have the same rows of A: each copies a part of them to all.

#ifndef BM
#define BM 256
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#define BN 128
#define BK 32  // 128 bytes: one row of TMA's swizzle
#define MATH_WARPGROUPS 2
#define STORE_BUFFERS 2
#if CLUSTER > 1  // also a cluster of one block takes longer to launch than no cluster
#define CLUSTER_DIMS __cluster_dims__(CLUSTER)
#else
#define CLUSTER_DIMS
#endif

// What cuTensorMapEncodeTiled fills in on the host.
struct __align__(64) CUtensorMap {
  unsigned long long opaque[16];
};

struct Stage {
  float As[BM][BK];
  float Bs[BN / 32][BK][32];
};
struct Shared {
  Stage stages[STAGES];
  float Cs[MATH_WARPGROUPS][STORE_BUFFERS][2][32][32];
  unsigned long long full[STAGES];
  unsigned long long empty[STAGES];
};

__device__ unsigned sharedAddress(const void *pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__device__ void initBarrier(unsigned long long *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(arrivals) : "memory");
}

__device__ void waitFor(unsigned long long *barrier, unsigned phase) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(sharedAddress(barrier)), "r"(phase) : "memory");
}

// Arrives at the same barrier of another block of the cluster, or of this one.
__device__ void arriveAt(unsigned long long *barrier, int block) {
  asm volatile(
      "{\n.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(sharedAddress(barrier)), "r"(block) : "memory");
}

__device__ void clusterBarrier() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ void expectBytes(unsigned long long *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes) : "memory");
}

// To the same place, and the same barrier, of every block of the cluster.
__device__ void copyBoxToAll(void *to, const CUtensorMap *map, int x, int y, unsigned long long *barrier) {
  if (CLUSTER == 1)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
            "r"(sharedAddress(to)), "l"(map), "r"(x), "r"(y), "r"(sharedAddress(barrier)) : "memory");
  else
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(sharedAddress(to)), "l"(map), "r"(x), "r"(y), "r"(sharedAddress(barrier)),
        "h"(static_cast<unsigned short>((1 << CLUSTER) - 1)) : "memory");
}

__device__ void copyBox3d(void *to, const CUtensorMap *map, int x, int y, int z, unsigned long long *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(sharedAddress(to)), "l"(map), "r"(x), "r"(y), "r"(z), "r"(sharedAddress(barrier)) : "memory");
}

__device__ void storeBox(const CUtensorMap *map, int x, int y, const void *from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y),
               "r"(sharedAddress(from)) : "memory");
}

// The accumulators may be read by wgmma from here on; those of the last `pending` groups may still be written.
__device__ void startGroup() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void endGroup() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int PENDING>
__device__ void waitForGroups() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// A tile in shared memory as wgmma reads it, in rows of 128 bytes swizzled by TMA.
__device__ unsigned long long descriptor(const void *tile, unsigned leadingBytes, unsigned strideBytes) {
  return static_cast<unsigned long long>(sharedAddress(tile) >> 4) |
         static_cast<unsigned long long>(leadingBytes >> 4) << 16 |
         static_cast<unsigned long long>(strideBytes >> 4) << 32 | 1ull << 62;
}

#define FLOATS4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define FLOATS32(d, i) FLOATS4(d, i), FLOATS4(d, i + 4), FLOATS4(d, i + 8), FLOATS4(d, i + 12), FLOATS4(d, i + 16), \
      FLOATS4(d, i + 20), FLOATS4(d, i + 24), FLOATS4(d, i + 28)

// d = a * b, or d += a * b, for 64 x 8 of B^T and 8 x BM of A^T.
#if BM == 256
__device__ void multiply(float (&d)[128], const unsigned (&a)[4], unsigned long long desc, bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %133, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, "
      "%43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, "
      "%85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, "
      "%105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, "
      "%122, %123, %124, %125, %126, %127}, "
      "{%128, %129, %130, %131}, %132, add, 1, 1;\n}"
      : FLOATS32(d, 0), FLOATS32(d, 32), FLOATS32(d, 64), FLOATS32(d, 96)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc), "r"(static_cast<int>(add)));
}
#elif BM == 192
__device__ void multiply(float (&d)[96], const unsigned (&a)[4], unsigned long long desc, bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %101, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n192k8.f32.tf32.tf32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
      "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
      "{%96, %97, %98, %99}, %100, add, 1, 1;\n}"
      : FLOATS32(d, 0), FLOATS32(d, 32), FLOATS32(d, 64)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc), "r"(static_cast<int>(add)));
}
#elif BM == 64
__device__ void multiply(float (&d)[32], const unsigned (&a)[4], unsigned long long desc, bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, add, 1, 1;\n}"
      : FLOATS32(d, 0)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc), "r"(static_cast<int>(add)));
}
#endif

// What four steps of eight k read of B^T. Lanes 4 g .. 4 g + 3 hold rows g and g + 8: two neighbouring columns of B.
__device__ void readFragments(unsigned (&a)[4][4], const float (*Bs)[32], int chunk, int half, int t) {
#pragma unroll
  for (int step = 0; step < 4; ++step)
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      const int k = step * 8 + upper * 4 + t;
      const uint2 pair = *reinterpret_cast<const uint2 *>(&Bs[k][(chunk ^ t ^ upper * 4) * 4 + half * 2]);  // [read Bs]
      a[step][upper * 2] = pair.x;
      a[step][upper * 2 + 1] = pair.y;
    }
}

// a / b; a division of integers would take a hundred clocks and more.
__device__ int quotient(int a, int b) { return static_cast<int>(__fdividef(a + 0.5f, b)); }

// The first row and column of this block's tile of a cluster's; tiles go down in groups of GROUP.
__device__ void cornerOf(int tile, int M, int N, int &tileRow, int &tileCol) {
  const int columns = N / (BN * CLUSTER);
  const int group = quotient(tile, GROUP * columns);
  const int inGroup = tile - group * GROUP * columns;
  const int groupRows = min(GROUP, M / BM - group * GROUP);
  const int column = quotient(inGroup, groupRows);
  tileRow = (group * GROUP + inGroup - column * groupRows) * BM;
  tileCol = (column * CLUSTER + blockIdx.x % CLUSTER) * BN;
}

__device__ void prefetchMap(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__global__ void __launch_bounds__((1 + MATH_WARPGROUPS) * 128, 1) CLUSTER_DIMS
tf32_wgmma(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
           const __grid_constant__ CUtensorMap mapC, int M, int N, int K) {
  extern __shared__ __align__(1024) char memory[];
  Shared &shared = *reinterpret_cast<Shared *>(memory);
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");  // the next launch may prepare itself while this one runs
  if (threadIdx.x == 0) {
    prefetchMap(&mapA);
    prefetchMap(&mapB);
    prefetchMap(&mapC);
  }
  if (threadIdx.x < STAGES) {
    initBarrier(&shared.full[threadIdx.x], 1);
    initBarrier(&shared.empty[threadIdx.x], MATH_WARPGROUPS * CLUSTER);
  }
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");  // the other block and TMA see the barriers
  if (CLUSTER > 1) clusterBarrier();
  __syncthreads();

  const int warpgroup = threadIdx.x / 128 - 1;
  const int rank = blockIdx.x % CLUSTER;
  const int tiles = (M / BM) * (N / (BN * CLUSTER));  // of clusters
  int use = 0;  // of stages so far
  if (warpgroup < 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    int tileRow, tileCol;
    cornerOf(blockIdx.x / CLUSTER, M, N, tileRow, tileCol);
    asm volatile("griddepcontrol.wait;" ::: "memory");  // for the launch before
    for (int tile = blockIdx.x / CLUSTER; tile < tiles && threadIdx.x == 0; tile += gridDim.x / CLUSTER) {
      for (int k = 0; k < K; k += BK, ++use) {
        const int stage = use % STAGES;
        waitFor(&shared.empty[stage], use / STAGES % 2 ^ 1);  // [stage empty]
        expectBytes(&shared.full[stage], sizeof(Stage));
        copyBox3d(shared.stages[stage].Bs, &mapB, 0, k, tileCol / 32, &shared.full[stage]);  // [load B]
        const int part = rank * (BM / CLUSTER);
        copyBoxToAll(shared.stages[stage].As[part], &mapA, k, tileRow + part, &shared.full[stage]);  // [load A]
      }
      cornerOf(tile + gridDim.x / CLUSTER, M, N, tileRow, tileCol);
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int thread = threadIdx.x % 128;
    const int warp = thread / 32;
    const int lane = thread % 32;
    const int g = lane / 4;
    const int t = lane % 4;
    const int block = warpgroup * 2 + warp / 2;                    // of 32 columns
    const int chunk = warp % 2 * 2 + g / 2 % 2 * 4 + g / 4;        // of 4 columns in it: lanes 8 apart differ in bit 2
    const int half = g % 2;                                        // the first or second pair of those
    for (int tile = blockIdx.x / CLUSTER; tile < tiles; tile += gridDim.x / CLUSTER) {
      int tileRow, tileCol;
      cornerOf(tile, M, N, tileRow, tileCol);

      float sums[BM / 2];
      unsigned regN[2][4][4];  // wgmma reads one half while the other is filled
      for (int k = 0; k < K; k += 2 * BK)
#pragma unroll
        for (int buffer = 0; buffer < 2; ++buffer, ++use) {
          const int stage = use % STAGES;
          waitFor(&shared.full[stage], use / STAGES % 2);  // [stage full]
          readFragments(regN[buffer], shared.stages[stage].Bs[block], chunk, half, t);
          startGroup();
#pragma unroll
          for (int step = 0; step < 4; ++step)
            multiply(sums, regN[buffer][step], descriptor(&shared.stages[stage].As[0][step * 8], 16, 1024),
                     k > 0 || buffer > 0 || step > 0);  // [multiply]
          endGroup();
          waitForGroups<1>();
          if (thread < CLUSTER && (k > 0 || buffer > 0)) arriveAt(&shared.empty[(use - 1) % STAGES], thread);
        }
      waitForGroups<0>();
      if (thread < CLUSTER) arriveAt(&shared.empty[(use - 1) % STAGES], thread);

#pragma unroll
      for (int rows = 0; rows < BM; rows += 32) {
        float(*Cs)[32][32] = shared.Cs[warpgroup][rows / 32 % STORE_BUFFERS];
        if (thread == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(STORE_BUFFERS - 1) : "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");  // [buffer free]
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const float *d = &sums[rows / 8 * 4 + j * 4];
          const float2 first = make_float2(d[0], d[2]), second = make_float2(d[1], d[3]);  // of two rows
#pragma unroll
          for (int turn = 0; turn < 2; ++turn) {
            const int odd = turn ^ g / 2 % 2;  // half of the lanes take the second row first: no two meet in a bank
            const int row = j * 8 + t * 2 + odd;
            *reinterpret_cast<float2 *>(&Cs[warp / 2][row][(chunk ^ row % 8) * 4 + half * 2]) = odd ? second : first;
          }
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");  // [buffer written]
        if (thread == 0) {
          storeBox(&mapC, tileCol + warpgroup * 64, tileRow + rows, Cs[0]);       // [store C]
          storeBox(&mapC, tileCol + warpgroup * 64 + 32, tileRow + rows, Cs[1]);
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
      }
    }
    if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  if (CLUSTER > 1) {  // no block ends while another may still arrive at its barriers
    __syncwarp();
    clusterBarrier();
  }
}
