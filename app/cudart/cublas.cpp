/// A stand-in for libcublas: a handle and the matrix products in their usual forms, computed on the CPU. Matrices are
/// column-major. Other functions fail by their names.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cudart/libraries.h"

#define CUBLAS_API extern "C" __attribute__((visibility("default"))) int

namespace {

enum Status : int { kSuccess = 0, kNotInitialised = 1, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15 };
enum DataType : int { kF32 = 0, kF64 = 1, kF16 = 2, kBf16 = 14 };  // cudaDataType_t
constexpr int kCompute16F = 64, kCompute16FPedantic = 65, kCompute64F = 70, kCompute64FPedantic = 71;

/// cublasHandle_t
struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;  ///< 0: alpha and beta are on the host.
  int math_mode = 0;
};

struct Matrix {
  const void* data;
  int type;
  int64_t leading;
  bool transposed;  ///< Conjugating real numbers changes nothing.
};

float half_to_float(uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<float>(value);
}

double element(const void* data, int type, int64_t index) {
  const auto* bytes = static_cast<const char*>(data);
  if (type == kF64) {
    double value;
    std::memcpy(&value, bytes + index * 8, sizeof value);
    return value;
  }
  if (type == kF32) {
    float value;
    std::memcpy(&value, bytes + index * 4, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, bytes + index * 2, sizeof bits);
  if (type == kF16) return half_to_float(bits);
  const uint32_t wide = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

void store(void* data, int type, int64_t index, double value) {
  auto* bytes = static_cast<char*>(data);
  const auto single = static_cast<float>(value);
  if (type == kF64) {
    std::memcpy(bytes + index * 8, &value, sizeof value);
  } else if (type == kF32) {
    std::memcpy(bytes + index * 4, &single, sizeof single);
  } else if (type == kF16) {
    const auto half = static_cast<_Float16>(single);
    std::memcpy(bytes + index * 2, &half, sizeof half);
  } else {
    uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    if (single == single) bits += 0x7fff + (bits >> 16 & 1);  // To nearest, ties to even.
    const auto upper = static_cast<uint16_t>(bits >> 16);
    std::memcpy(bytes + index * 2, &upper, sizeof upper);
  }
}

int64_t size_of(int type) { return type == kF64 ? 8 : type == kF32 ? 4 : 2; }
bool is_known(int type) { return type == kF32 || type == kF64 || type == kF16 || type == kBf16; }

/// op(M), rows x columns, column after column.
template <class T>
std::vector<T> unpacked(const Matrix& matrix, int64_t rows, int64_t columns) {
  std::vector<T> values(static_cast<size_t>(rows * columns));
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r)
      values[static_cast<size_t>(c * rows + r)] = static_cast<T>(
          element(matrix.data, matrix.type, matrix.transposed ? r * matrix.leading + c : c * matrix.leading + r));
  return values;
}

struct Product {
  int64_t m, n, k;
  double alpha, beta;
};

/// C = alpha op(A) op(B) + beta C with sums in T.
template <class T>
void multiply(const Product& product, const Matrix& a, const Matrix& b, void* c, int c_type, int64_t c_leading) {
  const std::vector<T> left = unpacked<T>(a, product.m, product.k), right = unpacked<T>(b, product.k, product.n);
  std::vector<T> sums(static_cast<size_t>(product.m));
  for (int64_t column = 0; column < product.n; ++column) {
    std::fill(sums.begin(), sums.end(), T{0});
    for (int64_t k = 0; k < product.k; ++k) {
      const T factor = right[static_cast<size_t>(column * product.k + k)];
      const T* values = left.data() + k * product.m;
      for (int64_t row = 0; row < product.m; ++row) sums[static_cast<size_t>(row)] += values[row] * factor;
    }
    for (int64_t row = 0; row < product.m; ++row) {
      const int64_t index = column * c_leading + row;
      const double before = product.beta == 0 ? 0 : product.beta * element(c, c_type, index);
      store(c, c_type, index, product.alpha * static_cast<double>(sums[static_cast<size_t>(row)]) + before);
    }
  }
}

/// One call of any form, with addresses of the device.
struct Call {
  const char* name;
  Handle* handle;
  int a_transposed, b_transposed;
  int m, n, k;
  const void *alpha, *beta;
  int scalar_type;
  int a_type, b_type, c_type;
  int64_t a_leading, b_leading, c_leading;
};

bool read_scalar(const Call& call, const void* scalar, double& value) {
  if (call.handle->pointer_mode != 0) scalar = tilescopeHostAddress(scalar, size_of(call.scalar_type), 0);
  if (!scalar) return false;
  value = element(scalar, call.scalar_type, 0);
  return true;
}

/// Bytes from the first element of a matrix to the end of the last.
int64_t extent(int64_t rows, int64_t columns, int64_t leading, int type) {
  return rows > 0 && columns > 0 ? ((columns - 1) * leading + rows) * size_of(type) : 0;
}

/// Column by column: another stream may work on the rows between.
void note_use(const void* data, int64_t rows, int64_t columns, int64_t leading, int type, bool writes) {
  const bool whole = rows == leading;
  const auto bytes = static_cast<size_t>(whole ? extent(rows, columns, leading, type) : rows * size_of(type));
  for (int64_t column = 0; column < (whole ? 1 : columns) && bytes > 0; ++column)
    tilescopeUses(static_cast<const char*>(data) + column * leading * size_of(type), bytes, writes);
}

int run(const Call& call, const void* a, const void* b, void* c) {
  if (!call.handle) return kNotInitialised;
  if (!is_known(call.a_type) || !is_known(call.b_type) || !is_known(call.c_type)) return kNotSupported;
  const int64_t a_rows = call.a_transposed ? call.k : call.m, a_columns = call.a_transposed ? call.m : call.k;
  const int64_t b_rows = call.b_transposed ? call.n : call.k, b_columns = call.b_transposed ? call.k : call.n;
  if (call.m < 0 || call.n < 0 || call.k < 0 || call.a_leading < a_rows || call.b_leading < b_rows ||
      call.c_leading < call.m)
    return kInvalidValue;
  if (call.m == 0 || call.n == 0) return kSuccess;
  Product product{call.m, call.n, call.k, 0, 0};
  const void* left =
      tilescopeHostAddress(a, static_cast<size_t>(extent(a_rows, a_columns, call.a_leading, call.a_type)), 0);
  const void* right =
      tilescopeHostAddress(b, static_cast<size_t>(extent(b_rows, b_columns, call.b_leading, call.b_type)), 0);
  void* result = tilescopeHostAddress(c, static_cast<size_t>(extent(call.m, call.n, call.c_leading, call.c_type)), 1);
  if (!left || !right || !result || !read_scalar(call, call.alpha, product.alpha) ||
      !read_scalar(call, call.beta, product.beta))
    return kExecutionFailed;
  note_use(a, a_rows, a_columns, call.a_leading, call.a_type, false);
  note_use(b, b_rows, b_columns, call.b_leading, call.b_type, false);
  note_use(c, call.m, call.n, call.c_leading, call.c_type, true);
  tilescopeUntraced(call.name, call.handle->stream);
  const Matrix first{left, call.a_type, call.a_leading, call.a_transposed != 0};
  const Matrix second{right, call.b_type, call.b_leading, call.b_transposed != 0};
  if (call.a_type == kF64)
    multiply<double>(product, first, second, result, call.c_type, call.c_leading);
  else
    multiply<float>(product, first, second, result, call.c_type, call.c_leading);
  return kSuccess;
}

int run_strided(const Call& call, const void* a, int64_t a_stride, const void* b, int64_t b_stride, void* c,
                int64_t c_stride, int count) {
  for (int i = 0; i < count; ++i)
    if (const int problem = run(call, static_cast<const char*>(a) + i * a_stride * size_of(call.a_type),
                                static_cast<const char*>(b) + i * b_stride * size_of(call.b_type),
                                static_cast<char*>(c) + i * c_stride * size_of(call.c_type)))
      return problem;
  return kSuccess;
}

/// The arrays of addresses are on the device.
int run_batched(const Call& call, const void* const* a, const void* const* b, void* const* c, int count) {
  const size_t bytes = static_cast<size_t>(count) * sizeof(void*);
  const auto* as = static_cast<const void* const*>(tilescopeHostAddress(a, bytes, 0));
  const auto* bs = static_cast<const void* const*>(tilescopeHostAddress(b, bytes, 0));
  auto* const* cs = static_cast<void* const*>(tilescopeHostAddress(c, bytes, 0));
  if (!as || !bs || !cs) return kExecutionFailed;
  for (int i = 0; i < count; ++i)
    if (const int problem = run(call, as[i], bs[i], cs[i])) return problem;
  return kSuccess;
}

int scalar_type(int compute) {
  if (compute == kCompute16F || compute == kCompute16FPedantic) return kF16;
  return compute == kCompute64F || compute == kCompute64FPedantic ? kF64 : kF32;
}

}  // namespace

CUBLAS_API cublasCreate_v2(void** handle) {
  *handle = new Handle;
  return kSuccess;
}
CUBLAS_API cublasDestroy_v2(void* handle) {
  delete static_cast<Handle*>(handle);
  return kSuccess;
}
CUBLAS_API cublasGetVersion_v2(void*, int* version) {
  *version = 130000;
  return kSuccess;
}
CUBLAS_API cublasSetStream_v2(void* handle, void* stream) {
  static_cast<Handle*>(handle)->stream = stream;
  return kSuccess;
}
CUBLAS_API cublasGetStream_v2(void* handle, void** stream) {
  *stream = static_cast<Handle*>(handle)->stream;
  return kSuccess;
}
CUBLAS_API cublasSetPointerMode_v2(void* handle, int mode) {
  static_cast<Handle*>(handle)->pointer_mode = mode;
  return kSuccess;
}
CUBLAS_API cublasGetPointerMode_v2(void* handle, int* mode) {
  *mode = static_cast<Handle*>(handle)->pointer_mode;
  return kSuccess;
}
CUBLAS_API cublasSetMathMode(void* handle, int mode) {
  static_cast<Handle*>(handle)->math_mode = mode;
  return kSuccess;
}
CUBLAS_API cublasGetMathMode(void* handle, int* mode) {
  *mode = static_cast<Handle*>(handle)->math_mode;
  return kSuccess;
}
CUBLAS_API cublasSetWorkspace_v2(void*, void*, size_t) { return kSuccess; }

extern "C" __attribute__((visibility("default"))) const char* cublasGetStatusString(int status) {
  switch (status) {
    case kSuccess: return "success";
    case kNotInitialised: return "the library was not initialized";
    case kInvalidValue: return "an invalid value was passed";
    case kExecutionFailed: return "the function failed to execute";
    case kNotSupported: return "the functionality is not supported";
    default: return "unknown error";
  }
}
extern "C" __attribute__((visibility("default"))) const char* cublasGetStatusName(int status) {
  switch (status) {
    case kSuccess: return "CUBLAS_STATUS_SUCCESS";
    case kNotInitialised: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case kInvalidValue: return "CUBLAS_STATUS_INVALID_VALUE";
    case kExecutionFailed: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case kNotSupported: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_UNKNOWN";
  }
}

// The three forms of products whose name gives the type.
#define CUBLAS_GEMM(letter, Type, code)                                                                                \
  CUBLAS_API cublas##letter##gemm_v2(void* handle, int ta, int tb, int m, int n, int k, const Type* alpha,             \
                                     const Type* a, int lda, const Type* b, int ldb, const Type* beta, Type* c,        \
                                     int ldc) {                                                                        \
    return run({"cublas" #letter "gemm", static_cast<Handle*>(handle), ta, tb, m, n, k, alpha, beta, code, code, code, \
                code, lda, ldb, ldc},                                                                                  \
               a, b, c);                                                                                               \
  }                                                                                                                    \
  CUBLAS_API cublas##letter##gemmStridedBatched(                                                                       \
      void* handle, int ta, int tb, int m, int n, int k, const Type* alpha, const Type* a, int lda, long long sa,      \
      const Type* b, int ldb, long long sb, const Type* beta, Type* c, int ldc, long long sc, int count) {             \
    return run_strided({"cublas" #letter "gemmStridedBatched", static_cast<Handle*>(handle), ta, tb, m, n, k, alpha,   \
                        beta, code, code, code, code, lda, ldb, ldc},                                                  \
                       a, sa, b, sb, c, sc, count);                                                                    \
  }                                                                                                                    \
  CUBLAS_API cublas##letter##gemmBatched(void* handle, int ta, int tb, int m, int n, int k, const Type* alpha,         \
                                         const void* const* a, int lda, const void* const* b, int ldb,                 \
                                         const Type* beta, void* const* c, int ldc, int count) {                       \
    return run_batched({"cublas" #letter "gemmBatched", static_cast<Handle*>(handle), ta, tb, m, n, k, alpha, beta,    \
                        code, code, code, code, lda, ldb, ldc},                                                        \
                       a, b, c, count);                                                                                \
  }
CUBLAS_GEMM(S, float, kF32)
CUBLAS_GEMM(D, double, kF64)
CUBLAS_GEMM(H, uint16_t, kF16)
#undef CUBLAS_GEMM

CUBLAS_API cublasGemmEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, int a_type,
                        int lda, const void* b, int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
                        int compute, int) {
  return run({"cublasGemmEx", static_cast<Handle*>(handle), ta, tb, m, n, k, alpha, beta, scalar_type(compute), a_type,
              b_type, c_type, lda, ldb, ldc},
             a, b, c);
}

CUBLAS_API cublasGemmStridedBatchedEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha,
                                      const void* a, int a_type, int lda, long long sa, const void* b, int b_type,
                                      int ldb, long long sb, const void* beta, void* c, int c_type, int ldc,
                                      long long sc, int count, int compute, int) {
  return run_strided({"cublasGemmStridedBatchedEx", static_cast<Handle*>(handle), ta, tb, m, n, k, alpha, beta,
                      scalar_type(compute), a_type, b_type, c_type, lda, ldb, ldc},
                     a, sa, b, sb, c, sc, count);
}

CUBLAS_API cublasGemmBatchedEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha,
                               const void* const* a, int a_type, int lda, const void* const* b, int b_type, int ldb,
                               const void* beta, void* const* c, int c_type, int ldc, int count, int compute, int) {
  return run_batched({"cublasGemmBatchedEx", static_cast<Handle*>(handle), ta, tb, m, n, k, alpha, beta,
                      scalar_type(compute), a_type, b_type, c_type, lda, ldb, ldc},
                     a, b, c, count);
}

#define CUBLAS_UNKNOWN(name) \
  CUBLAS_API name() {        \
    tilescopeUnknown(#name); \
    return kNotSupported;    \
  }
#include "cudart/cublas_unknown.def"
#undef CUBLAS_UNKNOWN
