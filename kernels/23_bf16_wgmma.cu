// C = A * B in bfloat16 with sums in float, all row-major: A is M x K, B is K x N, C is M x N.
// The tensor cores of Hopper: one wgmma of four warps multiplies 64 x 16 of A by 16 x BN of B, both read straight from
// shared memory, while the warps go on. TMA copies whole tiles in and out. As in 18 one warpgroup copies and two multiply;
// a block takes tile after tile, so that the next one's copies start while this one is stored.

#ifndef BN
#define BN 256
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef GROUP
#define GROUP 16
#endif
#define BM 128
#define BK 64  // 128 bytes: one row of TMA's swizzle
#define MATH_WARPGROUPS 2
#define STORE_BUFFERS 2
#define EVICT_FIRST 0x12F0000000000000ull  // a policy for L2

typedef unsigned short bf16;

// What cuTensorMapEncodeTiled fills in on the host.
struct __align__(64) CUtensorMap {
  unsigned long long opaque[16];
};

struct Stage {
  bf16 As[BM][BK];
  bf16 Bs[BN / 64][BK][64];
};
struct Shared {
  Stage stages[STAGES];
  bf16 Cs[MATH_WARPGROUPS][STORE_BUFFERS][64][64];
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

__device__ void arrive(unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(barrier)) : "memory");
}

__device__ void expectBytes(unsigned long long *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes) : "memory");
}

__device__ void copyBox2d(void *to, const CUtensorMap *map, int x, int y, unsigned long long *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(sharedAddress(to)), "l"(map), "r"(x), "r"(y), "r"(sharedAddress(barrier)) : "memory");
}

__device__ void copyBox3d(void *to, const CUtensorMap *map, int x, int y, int z, unsigned long long *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::
          "r"(sharedAddress(to)), "l"(map), "r"(x), "r"(y), "r"(z), "r"(sharedAddress(barrier)), "l"(EVICT_FIRST) : "memory");
}

__device__ void storeBox(const CUtensorMap *map, int x, int y, const void *from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3], %4;\n"
      "cp.async.bulk.commit_group;" ::"l"(map), "r"(x), "r"(y), "r"(sharedAddress(from)), "l"(EVICT_FIRST) : "memory");
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

// d = a * b, or d += a * b, for 64 x 16 of A and 16 x BN of B.
#if BN == 256
__device__ void multiply(float (&d)[128], unsigned long long descA, unsigned long long descB, bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, "
      "%43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, "
      "%85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, "
      "%105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, "
      "%122, %123, %124, %125, %126, %127}, "
      "%128, %129, add, 1, 1, 0, 1;\n}"  // signs kept; A as it is, B transposed: n is contiguous
      : FLOATS32(d, 0), FLOATS32(d, 32), FLOATS32(d, 64), FLOATS32(d, 96)
      : "l"(descA), "l"(descB), "r"(static_cast<int>(add)));
}
#elif BN == 192
__device__ void multiply(float (&d)[96], unsigned long long descA, unsigned long long descB, bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %98, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
      "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
      "%96, %97, add, 1, 1, 0, 1;\n}"  // signs kept; A as it is, B transposed: n is contiguous
      : FLOATS32(d, 0), FLOATS32(d, 32), FLOATS32(d, 64)
      : "l"(descA), "l"(descB), "r"(static_cast<int>(add)));
}
#elif BN == 64
__device__ void multiply(float (&d)[32], unsigned long long descA, unsigned long long descB, bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, add, 1, 1, 0, 1;\n}"  // signs kept; A as it is, B transposed: n is contiguous
      : FLOATS32(d, 0)
      : "l"(descA), "l"(descB), "r"(static_cast<int>(add)));
}
#endif

__device__ unsigned pack(float low, float high) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

// Stores four 8 x 8 matrices; lane l gives the address of row l % 8 of matrix l / 8.
__device__ void storeMatrices(void *row, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(sharedAddress(row)), "r"(a),
               "r"(b), "r"(c), "r"(d) : "memory");
}

// a / b; a division of integers would take a hundred clocks and more.
__device__ int quotient(int a, int b) { return static_cast<int>(__fdividef(a + 0.5f, b)); }

// The first row and column of a tile; tiles go down in groups of GROUP, which share what they read of A and B in L2.
__device__ void cornerOf(int tile, int M, int N, int &tileRow, int &tileCol) {
  const int group = quotient(tile, GROUP * (N / BN));
  const int inGroup = tile - group * GROUP * (N / BN);
  const int groupRows = min(GROUP, M / BM - group * GROUP);
  const int column = quotient(inGroup, groupRows);
  tileRow = (group * GROUP + inGroup - column * groupRows) * BM;
  tileCol = column * BN;
}

__device__ void prefetchMap(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__global__ void __launch_bounds__((1 + MATH_WARPGROUPS) * 128, 1)
bf16_wgmma(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
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
    initBarrier(&shared.empty[threadIdx.x], MATH_WARPGROUPS);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // TMA sees the barriers
  __syncthreads();

  const int warpgroup = threadIdx.x / 128 - 1;
  const int tiles = (M / BM) * (N / BN);
  int use = 0;  // of stages so far
  if (warpgroup < 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x > 0) return;
    int tileRow, tileCol;
    cornerOf(blockIdx.x, M, N, tileRow, tileCol);
    asm volatile("griddepcontrol.wait;" ::: "memory");  // for the launch before
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      for (int k = 0; k < K; k += BK, ++use) {
        const int stage = use % STAGES;
        waitFor(&shared.empty[stage], use / STAGES % 2 ^ 1);  // [stage empty]
        expectBytes(&shared.full[stage], sizeof(Stage));
        copyBox2d(shared.stages[stage].As, &mapA, k, tileRow, &shared.full[stage]);           // [load A]
        copyBox3d(shared.stages[stage].Bs, &mapB, 0, k, tileCol / 64, &shared.full[stage]);   // [load B]
      }
      cornerOf(tile + gridDim.x, M, N, tileRow, tileCol);
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int thread = threadIdx.x % 128;
  const int warp = thread / 32;
  const int lane = thread % 32;
  // Of the first stage and step; the others are so many pieces of 16 bytes further on.
  const unsigned long long descA = descriptor(&shared.stages[0].As[warpgroup * 64][0], 16, 1024);
  const unsigned long long descB = descriptor(&shared.stages[0].Bs[0][0][0], BK * 128, 1024);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int tileRow, tileCol;
    cornerOf(tile, M, N, tileRow, tileCol);

    float sums[BN / 2];  // rows 16 warp + lane / 4 and + 8, columns 8 j + lane % 4 * 2 and + 1
    for (int k = 0; k < K; k += BK, ++use) {
      const int stage = use % STAGES;
      waitFor(&shared.full[stage], use / STAGES % 2);  // [stage full]
      startGroup();
#pragma unroll
      for (int step = 0; step < BK; step += 16)
        multiply(sums, descA + (stage * sizeof(Stage) + step * sizeof(bf16)) / 16,
                 descB + (stage * sizeof(Stage) + step * 128) / 16, k > 0 || step > 0);  // [multiply]
      endGroup();
      waitForGroups<1>();
      if (thread == 0 && k > 0) arrive(&shared.empty[(use - 1) % STAGES]);  // the group before has read its stage
    }
    waitForGroups<0>();
    if (thread == 0) arrive(&shared.empty[(use - 1) % STAGES]);

#pragma unroll
    for (int chunk = 0; chunk < BN / 64; ++chunk) {
      bf16(*Cs)[64] = shared.Cs[warpgroup][chunk % STORE_BUFFERS];
      if (thread == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(STORE_BUFFERS - 1) : "memory");
      asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");  // [buffer free]
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        const float *d = &sums[chunk * 32 + j * 4];
        const int row = warp * 16 + lane % 16;
        const int col = (j + lane / 16 ^ row % 8) * 8;  // the swizzle that TMA expects
        storeMatrices(&Cs[row][col], pack(d[0], d[1]), pack(d[2], d[3]), pack(d[4], d[5]), pack(d[6], d[7]));
      }
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");  // [buffer written]
      if (thread == 0) storeBox(&mapC, tileCol + chunk * 64, tileRow + warpgroup * 64, Cs);  // [store C]
    }
  }
  if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
