// Attention in tiles. Something was forgotten.

#ifndef ROWS
#define ROWS 32
#endif
#ifndef D
#define D 16
#endif
#ifndef TILE
#define TILE 8
#endif

__global__ void flash(const float *queries, const float *keys, const float *values, float *out, int count) {
  __shared__ float key_tile[TILE][D];
  __shared__ float value_tile[TILE][D];
  const int query = blockIdx.x * ROWS + threadIdx.x;
  float mine[D], result[D] = {}, most = -INFINITY, sum = 0.0f;
  for (int d = 0; d < D; ++d) mine[d] = queries[query * D + d] * rsqrtf(D);  // [read query]

  for (int first = 0; first < count; first += TILE) {
    for (int i = threadIdx.x; i < TILE * D; i += ROWS) {
      key_tile[i / D][i % D] = keys[first * D + i];      // [copy keys]
      value_tile[i / D][i % D] = values[first * D + i];  // [copy values]
    }
    __syncthreads();  // [tiles ready]

    float scores[TILE], larger = most;
    for (int key = 0; key < TILE; ++key) {
      scores[key] = 0.0f;
      for (int d = 0; d < D; ++d) scores[key] += mine[d] * key_tile[key][d];  // [score]
      larger = fmaxf(larger, scores[key]);
    }
    const float shrink = expf(most - larger);  // [shrink]
    most = larger;
    sum *= shrink;
    for (int key = 0; key < TILE; ++key) {
      const float weight = expf(scores[key] - most);
      sum += weight;
      for (int d = 0; d < D; ++d) result[d] += weight * value_tile[key][d];  // [weigh]
    }
    __syncthreads();  // [tiles used]
  }
  for (int d = 0; d < D; ++d) out[query * D + d] = result[d] / sum;  // [write out]
}

// What is expected: a thread for each query, by the definition.
__global__ void naive(const float *queries, const float *keys, const float *values, float *out, int count) {
  const int query = blockIdx.x * ROWS + threadIdx.x;
  double most = -INFINITY, sum = 0, result[D] = {};
  for (int pass = 0; pass < 2; ++pass)
    for (int key = 0; key < count; ++key) {
      double score = 0;
      for (int d = 0; d < D; ++d) score += static_cast<double>(queries[query * D + d]) * keys[key * D + d];
      score /= sqrt(static_cast<double>(D));
      if (pass == 0) {
        most = fmax(most, score);
        continue;
      }
      sum += exp(score - most);
      for (int d = 0; d < D; ++d) result[d] += exp(score - most) * values[key * D + d];
    }
  for (int d = 0; d < D; ++d) out[query * D + d] = result[d] / sum;
}
