#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <string>

#include "base/result.h"

namespace tilescope::agent {

#define TILESCOPE_CUBLAS_FUNCTIONS(X)                          \
  X(create, "cublasCreate_v2", cublasCreate_v2)                \
  X(set_stream, "cublasSetStream_v2", cublasSetStream_v2)      \
  X(set_workspace, "cublasSetWorkspace_v2", cublasSetWorkspace_v2) \
  X(property, "cublasGetProperty", cublasGetProperty)

#define TILESCOPE_CUBLASLT_FUNCTIONS(X)                                              \
  X(lt_create, "cublasLtCreate", cublasLtCreate)                                     \
  X(lt_matmul, "cublasLtMatmul", cublasLtMatmul)                                     \
  X(lt_heuristic, "cublasLtMatmulAlgoGetHeuristic", cublasLtMatmulAlgoGetHeuristic)  \
  X(lt_desc_create, "cublasLtMatmulDescCreate", cublasLtMatmulDescCreate)            \
  X(lt_desc_destroy, "cublasLtMatmulDescDestroy", cublasLtMatmulDescDestroy)         \
  X(lt_layout_create, "cublasLtMatrixLayoutCreate", cublasLtMatrixLayoutCreate)      \
  X(lt_layout_destroy, "cublasLtMatrixLayoutDestroy", cublasLtMatrixLayoutDestroy)   \
  X(lt_preference_create, "cublasLtMatmulPreferenceCreate", cublasLtMatmulPreferenceCreate)    \
  X(lt_preference_destroy, "cublasLtMatmulPreferenceDestroy", cublasLtMatmulPreferenceDestroy) \
  X(lt_preference_set, "cublasLtMatmulPreferenceSetAttribute", cublasLtMatmulPreferenceSetAttribute)

/// cublasGemmEx's type; the header overloads its name.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                  const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                  cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);

/// cuBLAS and cuBLASLt, opened when the agent runs.
struct Cublas {
#define TILESCOPE_MEMBER(member, symbol, declaration) decltype(&::declaration) member = nullptr;
  TILESCOPE_CUBLAS_FUNCTIONS(TILESCOPE_MEMBER)
  TILESCOPE_CUBLASLT_FUNCTIONS(TILESCOPE_MEMBER)
#undef TILESCOPE_MEMBER
  GemmEx gemm = nullptr;
  std::string version_text;  ///< "13.0.0"
};

/// Opens those of the major version that the agent was built for: in $TILESCOPE_CUBLAS (a folder), on the loader's
/// path, in the usual CUDA folders. The error lists the places.
Result<Cublas> load_cublas();

}  // namespace tilescope::agent
