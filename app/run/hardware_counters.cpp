#include "run/hardware_counters.h"

#include <cmath>

#include "base/words.h"

namespace tilescope::run {
namespace {

constexpr double kSame = 1e-3;  // Counts of short launches are carried on; so near, nobody sees a difference.

const char* const kPtxas =
    tr_later("The emulator issues the instructions of the PTX; ptxas makes machine instructions of them, often fewer.");
const char* const kUnknown = tr_later("What the GPU counts here besides the accesses of the PTX is not known.");
const char* const kMerged = tr_later(
    "ptxas joins and drops accesses, and the GPU counts one whose lanes are all off. What cp.async stores it does not "
    "count here.");
const char* const kMeet = tr_later(
    "Wavefronts of different warps that meet in the data path are counted as conflicts, and spilled registers pass "
    "through it, too.");

#define STALL(reason, meaning) \
  { "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio", meaning, nullptr, nullptr }

}  // namespace

const std::vector<HardwareCounter>& hardware_counters() {
  static const std::vector<HardwareCounter> all{
      {"smsp__inst_executed.sum", tr_later("instructions of warps"),
       [](const Counts& c) { return c.warp_instructions; }, kPtxas},
      {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", tr_later("FMAs of threads"),
       [](const Counts& c) { return c.fma; }, kPtxas},
      // Without tensor cores in the kernel: HFMA2.MMA, with which ptxas makes constants.
      {"sm__inst_executed_pipe_tensor.sum", tr_later("tensor core instructions of warps"),
       [](const Counts& c) { return c.tensor_instructions; }, kUnknown, true},
      {"smsp__inst_executed_op_ldsm.sum", tr_later("ldmatrix requests"),
       [](const Counts& c) { return c.memory.matrix_loads; }, kMerged},
      {"smsp__inst_executed_op_shared_stsm.sum", tr_later("stmatrix requests"),
       [](const Counts& c) { return c.memory.matrix_stores; }, kMerged},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum", tr_later("wavefronts of wgmma"),
       [](const Counts& c) { return c.memory.product_wavefronts; }, kUnknown},
      {"smsp__inst_executed_op_tma_ld.sum", tr_later("TMA loads"),
       [](const Counts& c) { return c.memory.bulk_load.copies; }, kUnknown},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", tr_later("TMA load sectors"),
       [](const Counts& c) { return c.memory.bulk_load.sectors; }, kUnknown},
      {"smsp__inst_executed_op_tma_st.sum", tr_later("TMA stores"),
       [](const Counts& c) { return c.memory.bulk_store.copies; }, kUnknown},
      {"l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum", tr_later("TMA store sectors"),
       [](const Counts& c) { return c.memory.bulk_store.sectors; }, kUnknown},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", tr_later("global load requests"),
       [](const Counts& c) { return c.memory.global_load.requests; }, kUnknown},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", tr_later("global load sectors"),
       [](const Counts& c) { return c.memory.global_load.sectors; }, kUnknown},
      {"l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", tr_later("global load tags"),
       [](const Counts& c) { return c.memory.global_load.lines; }, kUnknown},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", tr_later("global store requests"),
       [](const Counts& c) { return c.memory.global_store.requests; }, kUnknown},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", tr_later("global store sectors"),
       [](const Counts& c) { return c.memory.global_store.sectors; }, kUnknown},
      {"smsp__inst_executed_op_shared_ld.sum", tr_later("shared load requests"),
       [](const Counts& c) { return c.memory.shared_load_merged.requests - c.memory.matrix_loads; }, kMerged},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", tr_later("shared load wavefronts"),
       [](const Counts& c) { return c.memory.shared_load_merged.wavefronts; }, kMeet},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", tr_later("shared load bank conflicts"),
       [](const Counts& c) { return c.memory.shared_load_merged.bank_conflicts; }, kMeet},
      {"smsp__inst_executed_op_shared_st.sum", tr_later("shared store requests"),
       [](const Counts& c) { return c.memory.shared_store_merged.requests - c.memory.matrix_stores; }, kMerged},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", tr_later("shared store wavefronts"),
       [](const Counts& c) { return c.memory.shared_store_merged.wavefronts; }, kMeet},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", tr_later("shared store bank conflicts"),
       [](const Counts& c) { return c.memory.shared_store_merged.bank_conflicts; }, kMeet},
      {"l1tex__data_pipe_lsu_wavefronts.sum", tr_later("wavefronts of L1 and shared memory"),
       [](const Counts& c) {
         const analysis::PcCounts& m = c.memory;
         return m.shared_load_merged.wavefronts + m.shared_store_merged.wavefronts + m.global_load.wavefronts +
                m.global_store.wavefronts + m.local_load.wavefronts + m.local_store.wavefronts + m.product_wavefronts;
       },
       kMeet},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", tr_later("tensor pipe in use, percent"),
       nullptr, nullptr},
      {"lts__t_sectors_srcunit_tex.sum", tr_later("L2 sectors"), nullptr, nullptr},
      {"dram__bytes_read.sum", tr_later("DRAM bytes read"), nullptr, nullptr},
      {"dram__bytes_write.sum", tr_later("DRAM bytes written"), nullptr, nullptr},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", tr_later("achieved occupancy, percent"), nullptr, nullptr},
      STALL("selected", tr_later("warps that issue")),
      STALL("not_selected", tr_later("stalled: another warp issues")),
      STALL("long_scoreboard", tr_later("stalled: global memory")),
      STALL("short_scoreboard", tr_later("stalled: shared memory")),
      STALL("mio_throttle", tr_later("stalled: queue of shared memory is full")),
      STALL("lg_throttle", tr_later("stalled: queue of global memory is full")),
      STALL("barrier", tr_later("stalled: barrier")),
      STALL("wait", tr_later("stalled: result of a fixed latency")),
      STALL("math_pipe_throttle", tr_later("stalled: arithmetic pipe is busy")),
      STALL("dispatch_stall", tr_later("stalled: dispatch, including register banks")),
      STALL("no_instruction", tr_later("stalled: instruction cache")),
      STALL("branch_resolving", tr_later("stalled: branch")),
      STALL("imc_miss", tr_later("stalled: constant cache")),
      STALL("drain", tr_later("stalled: stores at the end")),
  };
  return all;
}

#undef STALL

std::vector<std::string> hardware_counter_names() {
  std::vector<std::string> names;
  for (const HardwareCounter& counter : hardware_counters()) names.emplace_back(counter.name);
  return names;
}

bool differs(double hardware, double counted) { return std::abs(hardware - counted) > kSame * std::abs(counted); }

}  // namespace tilescope::run
