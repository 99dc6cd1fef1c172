// The same product on one core of a CPU: three loops, and three loops in a better order.
//   cc -O3 -march=native cpu.c -o cpu && ./cpu 1024
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void row_by_column(const float *A, const float *B, float *C, int n) {
  for (int row = 0; row < n; ++row)
    for (int col = 0; col < n; ++col) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];  // down a column of B
      C[row * n + col] = sum;
    }
}

static void row_by_row(const float *A, const float *B, float *C, int n) {
  for (int i = 0; i < n * n; ++i) C[i] = 0.0f;
  for (int row = 0; row < n; ++row)
    for (int k = 0; k < n; ++k)
      for (int col = 0; col < n; ++col) C[row * n + col] += A[row * n + k] * B[k * n + col];  // along a row of B
}

static double seconds(void (*product)(const float *, const float *, float *, int), const float *A, const float *B,
                      float *C, int n) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  product(A, B, C, n);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

int main(int count, char **words) {
  const int n = count > 1 ? atoi(words[1]) : 1024;
  const size_t elements = (size_t)n * (size_t)n;
  if (n < 1 || n > 8192) return fprintf(stderr, "Give a size from 1 to 8192.\n"), 2;
  float *A = malloc(3 * elements * sizeof *A);
  if (!A) return fprintf(stderr, "There is not enough memory.\n"), 1;
  float *B = A + elements, *C = B + elements;
  for (size_t i = 0; i < 2 * elements; ++i) A[i] = (float)(i % 13) - 6.0f;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double column = seconds(row_by_column, A, B, C, n), before = C[elements - 1];
    const double row = seconds(row_by_row, A, B, C, n);
    printf("%d: down columns of B %.0f ms, along rows of B %.0f ms%s\n", n, 1e3 * column, 1e3 * row,
           before == C[elements - 1] ? "" : ", and the results differ");
  }
  free(A);
  return 0;
}
