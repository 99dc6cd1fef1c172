// Products of doubles by tensor cores, in every shape and rounding, by mma and by wmma.
#include <mma.h>
using namespace nvcuda;

template <class A, class B>
__device__ void by_wmma(const double *a, const double *b, double *c, int stride) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, A> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, B> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
  wmma::load_matrix_sync(fa, a, stride);
  wmma::load_matrix_sync(fb, b, stride);
  wmma::load_matrix_sync(fc, c, stride, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, stride, wmma::mem_col_major);
}

__global__ void double_matrices(const double *x, double *y, double *z, int n) {
  const int t = threadIdx.x;
  double a[8], b[4], d[4];
  for (int i = 0; i < 8; ++i) a[i] = x[32 * i + t];
  for (int i = 0; i < 4; ++i) b[i] = x[5 * t + i], d[i] = x[n % 2 + 5 * i + 3 * t];
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1]) : "d"(a[0]), "d"(b[0]));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1]) : "d"(-a[0]), "d"(b[1]));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rp {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[2]), "+d"(d[3]) : "d"(a[2]), "d"(fabs(b[1])));
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rm {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#endif
  for (int i = 0; i < 4; ++i) y[4 * t + i] = d[i];
  by_wmma<wmma::row_major, wmma::row_major>(x, x + 64, z, 8);
  __syncwarp();
  by_wmma<wmma::col_major, wmma::col_major>(x + 128, x + 8, z, 8);
  by_wmma<wmma::row_major, wmma::col_major>(x + 16, x + 128, z + 64, 8);
}
