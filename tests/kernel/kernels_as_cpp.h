#pragma once
// The compiler's warnings are not for CUDA: it knows no #pragma unroll.
#pragma GCC system_header

#include "cuda_on_cpu.h"

// Every kernel, at its defaults or at other parameters that reach what those do not.

namespace naive_rows {
#include "../../kernels/01_naive_rows.cu"
#include "forget_parameters.h"
}  // namespace naive_rows
namespace naive_swapped {
#include "../../kernels/02_naive_swapped.cu"
#include "forget_parameters.h"
}  // namespace naive_swapped
namespace naive_flat {
#define BLOCKSIZE 8
#include "../../kernels/03_naive_flat.cu"
#include "forget_parameters.h"
}  // namespace naive_flat
namespace shared_tile {
#define TILE 16
#include "../../kernels/04_shared_tile.cu"
#include "forget_parameters.h"
}  // namespace shared_tile
namespace shared_tile_flat {
#define TILE 16
#define FLAT 1
#include "../../kernels/04_shared_tile.cu"
#include "forget_parameters.h"
}  // namespace shared_tile_flat
namespace guarded_tile {
#define TILE 16
#include "../../kernels/05_guarded_tile.cu"
#include "forget_parameters.h"
}  // namespace guarded_tile
namespace padded_tile {
#define TILE 16
#include "../../kernels/06_padded_tile.cu"
#include "forget_parameters.h"
}  // namespace padded_tile
namespace rect_tile {
#include "../../kernels/07_rect_tile.cu"
#include "forget_parameters.h"
}  // namespace rect_tile
namespace rect_tile_tall {
#define TILE_ROWS 16
#define TILE_COLS 8
#include "../../kernels/07_rect_tile.cu"
#include "forget_parameters.h"
}  // namespace rect_tile_tall
namespace thread_tile_1d {
#include "../../kernels/08_thread_tile_1d.cu"
#include "forget_parameters.h"
}  // namespace thread_tile_1d
namespace thread_tile_1d_inside {
#define BM 32
#define BN 16
#define BK 8
#define TM 4
#define DOT_OUTSIDE 0
#include "../../kernels/08_thread_tile_1d.cu"
#include "forget_parameters.h"
}  // namespace thread_tile_1d_inside
namespace thread_tile_2d {
#include "../../kernels/09_thread_tile_2d.cu"
#include "forget_parameters.h"
}  // namespace thread_tile_2d
namespace thread_tile_2d_small {
#define BM 64
#define BN 32
#define BK 16
#define TM 8
#define TN 2
#include "../../kernels/09_thread_tile_2d.cu"
#include "forget_parameters.h"
}  // namespace thread_tile_2d_small
namespace wide_loads {
#include "../../kernels/10_wide_loads.cu"
#include "forget_parameters.h"
}  // namespace wide_loads
namespace wide_loads_small {
#define BM 32
#define BN 64
#define BK 8
#define TM 8
#define TN 4
#include "../../kernels/10_wide_loads.cu"
#include "forget_parameters.h"
}  // namespace wide_loads_small
namespace warp_tile {
#include "../../kernels/11_warp_tile.cu"
#include "forget_parameters.h"
}  // namespace warp_tile
namespace warp_tile_two_by_two {
#define BM 64
#define BN 128
#define BK 8
#define WM 32
#define WN 64
#define WNITER 2
#define TM 4
#define TN 4
#include "../../kernels/11_warp_tile.cu"
#include "forget_parameters.h"
}  // namespace warp_tile_two_by_two
