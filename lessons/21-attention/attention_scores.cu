// Attention, a thread for each query: the scores of all keys go to global memory, are made weights there,
// and weigh the values.

#ifndef ROWS
#define ROWS 32
#endif
#ifndef D
#define D 16
#endif

__global__ void attention_scores(const float *keys, const float *queries, const float *values, float *scores, float *out,
                                 int count) {
  const int query = blockIdx.x * ROWS + threadIdx.x, all = gridDim.x * ROWS;
  float mine[D];
  for (int d = 0; d < D; ++d) mine[d] = queries[query * D + d] * rsqrtf(D);  // [read query]

  float most = -INFINITY;
  for (int key = 0; key < count; ++key) {
    float score = 0.0f;
    for (int d = 0; d < D; ++d) score += mine[d] * keys[key * D + d];  // [read key]
    scores[key * all + query] = score;                                 // [write score]
    most = fmaxf(most, score);
  }
  float sum = 0.0f;
  for (int key = 0; key < count; ++key) {
    const float weight = expf(scores[key * all + query] - most);  // [read score]
    scores[key * all + query] = weight;                           // [write weight]
    sum += weight;
  }

  float result[D] = {};
  for (int key = 0; key < count; ++key) {
    const float weight = scores[key * all + query];                         // [read weight]
    for (int d = 0; d < D; ++d) result[d] += weight * values[key * D + d];  // [read value]
  }
  for (int d = 0; d < D; ++d) out[query * D + d] = result[d] / sum;  // [write out]
}

// What is expected: a thread for each query, by the definition.
__global__ void naive(const float *keys, const float *queries, const float *values, float *scores, float *out,
                      int count) {
  const int query = blockIdx.x * ROWS + threadIdx.x, all = gridDim.x * ROWS;
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
      scores[key * all + query] = exp(score - most);
      sum += exp(score - most);
      for (int d = 0; d < D; ++d) result[d] += exp(score - most) * values[key * D + d];
    }
  for (int d = 0; d < D; ++d) out[query * D + d] = result[d] / sum;
}
