#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>
#include <optional>

#include "base/arithmetic.h"
#include "base/turns.h"
#include "emulator/block.h"
#include "emulator/emulator.h"

namespace tilescope::emulator {
namespace {

using trace::FaultKind;
using trace::kLanes;

// A warp yields to the others after this many instructions, so that one that waits for another in a loop sees it move.
constexpr uint32_t kQuantum = 20'000;
// The same where blocks take turns: most blocks that do not end soon wait for another block.
constexpr uint32_t kQuantumTogether = 500;
// The warps are stuck once this many consecutive turns of each were in vain.
constexpr uint32_t kIdleTurns = 1000;
// A warp that issued so many instructions of a loop which waits for other blocks, and nothing else, does wait.
constexpr uint32_t kWaitingSteps = 200;
constexpr uint64_t kFileAlignment = 64;

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{kFileAlignment}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;
AlignedBytes aligned_bytes(uint64_t count) {
  return AlignedBytes(
      static_cast<std::byte*>(::operator new[](std::max<uint64_t>(count, 1), std::align_val_t{kFileAlignment})));
}

uint32_t component_of(const Dim3& dim, uint8_t component) {
  return component == 0 ? dim.x : component == 1 ? dim.y : dim.z;
}

/// Blocks of a cluster in each direction.
Dim3 cluster_of(const Block& block) {
  const auto [x, y, z] = block.program.function.cluster;
  return {std::max(x, 1u), std::max(y, 1u), std::max(z, 1u)};
}

uint64_t special_value(const Block& block, const Warp& warp, const ConstantRow& row, uint32_t lane) {
  const uint32_t thread = warp.index * kLanes + lane;
  switch (row.special) {
    case ptx::Special::Tid: return component_of(position_in(block.launch.block, thread), row.component);
    case ptx::Special::Ntid: return component_of(block.launch.block, row.component);
    case ptx::Special::Ctaid: return component_of(block.position, row.component);
    case ptx::Special::Nctaid: return component_of(block.launch.grid, row.component);
    case ptx::Special::ClusterCtaid:
      return component_of(block.position, row.component) % component_of(cluster_of(block), row.component);
    case ptx::Special::ClusterNctaid: return component_of(cluster_of(block), row.component);
    case ptx::Special::Clusterid:
      return component_of(block.position, row.component) / component_of(cluster_of(block), row.component);
    case ptx::Special::Nclusterid:
      return component_of(block.launch.grid, row.component) / component_of(cluster_of(block), row.component);
    case ptx::Special::ClusterCtarank: return block.rank;
    case ptx::Special::ClusterNctarank: return cluster_of(block).count();
    case ptx::Special::IsExplicitCluster: return block.program.function.cluster[0] != 0;
    case ptx::Special::Laneid: return lane;
    case ptx::Special::Warpid: return warp.index;
    case ptx::Special::Nwarpid: return block.warps.size();
    case ptx::Special::Smid: return block.number % std::max(1U, block.launch.sms);
    case ptx::Special::Nsmid: return std::max(1U, block.launch.sms);
    case ptx::Special::LanemaskEq: return uint64_t{1} << lane;
    case ptx::Special::LanemaskLt: return (uint64_t{1} << lane) - 1;
    case ptx::Special::LanemaskLe: return (uint64_t{2} << lane) - 1;
    case ptx::Special::LanemaskGt: return ~((uint64_t{2} << lane) - 1) & 0xffffffffu;
    case ptx::Special::LanemaskGe: return ~((uint64_t{1} << lane) - 1) & 0xffffffffu;
    case ptx::Special::DynamicSmemSize: return block.launch.dynamic_shared_bytes;
    case ptx::Special::TotalSmemSize: return block.shared_bytes;
    case ptx::Special::ReservedSmemOffset1: return block.reserved_shared;
    case ptx::Special::Envreg1: return block.grid_workspace >> 32;
    case ptx::Special::Envreg2: return block.grid_workspace & 0xffffffffu;
    default: return 0;  // One grid; the clocks have a handler of their own.
  }
}

uint64_t parameter_value(const Block& block, const ConstantRow& row) {
  uint64_t value = 0;
  std::memcpy(&value, block.launch.parameters.data() + row.parameter_offset, row.parameter_bytes);
  const uint32_t unused = 64 - 8u * row.parameter_bytes;
  return row.sign_extend ? static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused) : value;
}

uint64_t row_value(const Block& block, const Warp& warp, const ConstantRow& row, uint32_t lane) {
  switch (row.kind) {
    case ConstantRow::Kind::Bits: return row.bits;
    case ConstantRow::Kind::Special: return special_value(block, warp, row, lane);
    case ConstantRow::Kind::Parameter: return parameter_value(block, row);
    case ConstantRow::Kind::ModuleVariable:
      return module_variable_address(block.program.module, block.memory, row.variable) + row.bits;
  }
  return 0;
}

void fill_constant(const Block& block, Warp& warp, const ConstantRow& row) {
  const bool same_for_all = row.kind != ConstantRow::Kind::Special;
  uint64_t value = row_value(block, warp, row, 0);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!same_for_all) value = row_value(block, warp, row, lane);
    std::memcpy(warp.file + row.offset + lane * row.lane_size, &value, std::min<size_t>(row.lane_size, 8));
  }
}

bool changes_with_block(const ConstantRow& row) {
  if (row.kind != ConstantRow::Kind::Special) return false;
  return row.special == ptx::Special::Ctaid || row.special == ptx::Special::ClusterCtaid ||
         row.special == ptx::Special::Smid || row.special == ptx::Special::Clusterid ||
         row.special == ptx::Special::ClusterCtarank;
}

bool is_over(const RunOptions& options) {
  return options.watch && options.watch->issued.size() == options.watch->count;
}

uint64_t bits_of(const Warp& warp, const RegisterRow& row, uint32_t lane) {
  uint64_t bits = 0;
  const bool predicate = row.lane_size == 0;
  const std::byte* place = warp.file + row.offset + lane * row.lane_size;
  std::memcpy(&bits, place, predicate ? 4 : std::min<size_t>(row.lane_size, 8));
  return predicate ? bits >> lane & 1 : bits;
}

std::vector<Registers::Register> registers_of(const Warp& warp, const std::vector<int32_t>& registers) {
  std::vector<Registers::Register> result;
  for (const int32_t index : registers) {
    Registers::Register& values = result.emplace_back();
    values.index = index;
    const RegisterRow& row = warp.block->program.registers[static_cast<size_t>(index)];
    for (uint32_t lane = 0; lane < kLanes; ++lane) values.bits[lane] = bits_of(warp, row, lane);
  }
  return result;
}

// Runs the warp's current path until it ends, waits, or has had its turn.
class Runner {
 public:
  Runner(Block& block, Warp& warp) : block_(block), warp_(warp), code_(block.program.code.data()) {}

  void run(uint32_t quantum) {
    warp_.unfinished_wait = {};
    const uint32_t turn_ends = warp_.steps + quantum;
    while (!block_.trapped && warp_.steps < turn_ends && !is_over(*block_.options)) {
      Path& path = warp_.paths[static_cast<size_t>(warp_.current)];
      if (path.mask == 0 || path.children != 0 || path.state != Path::State::Ready) {
        const int32_t next = next_ready_path(warp_, warp_.current);
        if (next < 0) return;
        warp_.current = next;
        continue;
      }
      if (path.pc < 0 || static_cast<size_t>(path.pc) >= block_.program.code.size()) {
        exit_lanes(warp_, warp_.current, path.mask);
        continue;
      }
      run_segment(path);
      if (warp_.wants_yield) return yield();
    }
    yield();
  }

 private:
  void yield() {
    warp_.wants_yield = false;
    const int32_t next = next_ready_path(warp_, warp_.current + 1);
    if (next >= 0) warp_.current = next;
  }

  void run_segment(Path& path) {
    const int32_t number = block_.program.segment_of[static_cast<size_t>(path.pc)];
    const Segment segment = block_.program.segments[static_cast<size_t>(number)];
    const uint32_t mask = path.mask;
    warp_.active = mask;
    ++block_.segment_runs[static_cast<size_t>(number)];
    block_.segment_threads[static_cast<size_t>(number)] += static_cast<uint64_t>(std::popcount(mask));
    const auto length = static_cast<uint32_t>(segment.last - segment.first + 1);
    warp_.step_base = warp_.steps - static_cast<uint32_t>(segment.first);
    warp_.steps += length;
    block_.steps += length;
    if (!segment.waits) warp_.last_work = warp_.steps;
    if (block_.options->observer)
      block_.options->observer->straight_line(warp_.step(static_cast<uint32_t>(segment.first), mask), length);
    const DecodedInstruction* last = code_ + segment.last;
    if (is_watched(length)) return run_watched(segment, mask);
    const bool check = block_.options->check_registers;
    for (const DecodedInstruction* in = code_ + segment.first; in < last; ++in) run_one(*in, mask, check);
    run_last(*last, mask, check);
  }

  /// Whether the watch wants any of the last `length` steps.
  bool is_watched(uint32_t length) const {
    const RegisterWatch* watch = block_.options->watch;
    return watch && watch->block == block_.number && watch->warp == warp_.index && warp_.steps > watch->first &&
           warp_.steps - length < watch->first + watch->count;
  }

  void run_watched(const Segment& segment, uint32_t mask) {
    const bool check = block_.options->check_registers;
    RegisterWatch& watch = *block_.options->watch;
    for (int32_t pc = segment.first; pc <= segment.last && !is_over(*block_.options); ++pc) {
      const DecodedInstruction& in = code_[pc];
      const bool wanted = warp_.step_base + static_cast<uint32_t>(pc) >= watch.first;
      if (wanted) watch.issued.push_back({guarded(in, mask), registers_of(warp_, block_.program.use.reads[in.pc]), {}});
      if (pc < segment.last)
        run_one(in, mask, check);
      else
        run_last(in, mask, check);
      if (wanted && (in.flow == Flow::Next || in.flow == Flow::Yield))
        watch.issued.back().written = registers_of(warp_, block_.program.use.writes[in.pc]);
    }
  }

  uint32_t guarded(const DecodedInstruction& in, uint32_t mask) const {
    return mask & (*reinterpret_cast<const uint32_t*>(warp_.file + in.guard) ^ in.guard_flip);
  }

  void run_one(const DecodedInstruction& in, uint32_t mask, bool check) {
    const uint32_t lanes = guarded(in, mask);
    if (check) check_registers(in, mask, lanes);
    if (lanes != mask) block_.guarded_off[in.pc] += static_cast<uint64_t>(std::popcount(mask & ~lanes));
    if (lanes) in.run(warp_, in, lanes);
  }

  void run_last(const DecodedInstruction& in, uint32_t mask, bool check) {
    if (in.flow == Flow::Next || in.flow == Flow::Yield) {
      run_one(in, mask, check);
      return go_to(static_cast<int32_t>(in.pc) + 1);
    }
    const uint32_t lanes = guarded(in, mask);
    if (check) check_registers(in, mask, lanes);
    if (in.flow == Flow::Branch) return branch(in, mask, lanes);
    if (lanes != 0 && lanes != mask && in.flow != Flow::Exit) return split_on_guard(in, mask, lanes);
    if (lanes != mask) block_.guarded_off[in.pc] += static_cast<uint64_t>(std::popcount(mask & ~lanes));
    if (lanes == 0) return go_to(static_cast<int32_t>(in.pc) + 1);
    if (in.flow == Flow::Exit) return exit(mask, lanes, in);
    run_flow(in, lanes);
  }

  void run_flow(const DecodedInstruction& in, uint32_t lanes) {
    switch (in.flow) {
      case Flow::BranchIndexed: return branch_indexed(in, lanes);
      case Flow::Barrier: return arrive_at_barrier(block_, warp_, in, lanes, true);
      case Flow::BarrierPass: return arrive_at_barrier(block_, warp_, in, lanes, false);
      case Flow::WarpSync: return warp_sync(in, lanes);
      case Flow::ClusterWait: return cluster_wait(in, lanes);
      case Flow::Trap:
        block_.trapped = true;
        return block_.fault(warp_, FaultKind::Trap, in.pc, lanes, lanes, Message("the kernel executed trap"));
      case Flow::Call: system_call(block_, warp_, in, lanes); return go_to(static_cast<int32_t>(in.pc) + 1);
      case Flow::Next:
      case Flow::Yield:
      case Flow::Branch:
      case Flow::Exit: return;
    }
  }

  void go_to(int32_t pc) {
    warp_.paths[static_cast<size_t>(warp_.current)].pc = pc;
    finish_at_reconvergence(warp_, warp_.current);
  }

  void branch(const DecodedInstruction& in, uint32_t mask, uint32_t taken) {
    if (block_.options->observer) block_.options->observer->branch({warp_.step(in.pc, mask), taken});
    const int32_t next = static_cast<int32_t>(in.pc) + 1;
    if (in.polls && taken != 0) poll();
    if (taken == mask) return go_to(in.target);
    if (taken == 0) return go_to(next);
    ++block_.divergent_branches;
    split(in, {{next, mask & ~taken}, {in.target, taken}});
  }

  // A GPU lets no lane wait for ever for those that poll. Loops whose turns come to an end are counted as they meet.
  void poll() {
    constexpr uint32_t kMostPolls = 1000;
    uint32_t& polls = warp_.paths[static_cast<size_t>(warp_.current)].polls;
    if (++polls < kMostPolls) return;
    polls = 0;
    warp_.wants_yield = let_waiting_lanes_go_on(warp_, warp_.current, block_.program.code);
  }

  void branch_indexed(const DecodedInstruction& in, uint32_t lanes) {
    const auto* index = reinterpret_cast<const uint32_t*>(warp_.file + in.source[0]);
    const std::vector<int32_t>& targets = block_.program.function.branch_targets[static_cast<size_t>(in.target)];
    std::vector<Successor> ways;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      const int32_t pc = targets[std::min<size_t>(index[lane], targets.size() - 1)];
      const auto known = std::find_if(ways.begin(), ways.end(), [&](const Successor& way) { return way.pc == pc; });
      if (known != ways.end())
        known->lanes |= 1u << lane;
      else
        ways.push_back({pc, 1u << lane});
    }
    const uint32_t taken = ways.size() == 1 ? lanes : ways.front().lanes;
    if (block_.options->observer) block_.options->observer->branch({warp_.step(in.pc, lanes), taken});
    if (ways.size() == 1) return go_to(ways.front().pc);
    ++block_.divergent_branches;
    split(in, ways);
  }

  void split(const DecodedInstruction& in, const std::vector<Successor>& ways) {
    const int32_t path = warp_.current;
    split_path(warp_, path, ways, in.reconverge);
    finish_at_reconvergence(warp_, warp_.current);
  }

  // Groups of lanes may name different masks. If all are complete they pass together; otherwise each waits as a path.
  void warp_sync(const DecodedInstruction& in, uint32_t lanes) {
    const std::vector<SyncGroup> groups = sync_groups(warp_, in, lanes);
    if (groups.size() == 1) return arrive_at_warp_sync(block_, warp_, in, groups.front());
    if (pass_warp_sync_together(block_, warp_, in, groups)) return go_to(static_cast<int32_t>(in.pc) + 1);
    std::vector<Successor> ways;
    for (const SyncGroup& group : groups) ways.push_back({static_cast<int32_t>(in.pc), group.lanes});
    do_again(in, lanes, ways);
  }

  // The instruction is repeated until the whole cluster has arrived.
  void cluster_wait(const DecodedInstruction& in, uint32_t lanes) {
    if (cluster_has_met(warp_)) {
      if (warp_.observer)
        warp_.observer->sync({warp_.step(in.pc, lanes), trace::SyncKind::ClusterWait, warp_.cluster_phase, lanes});
      return go_to(static_cast<int32_t>(in.pc) + 1);
    }
    take_back(in, lanes);
    warp_.wants_yield = true;
    warp_.unfinished_wait = {lanes, in.pc, 0};
  }

  // Lanes with a false guard go on; the others repeat the instruction as a separate path.
  void split_on_guard(const DecodedInstruction& in, uint32_t mask, uint32_t lanes) {
    const auto here = static_cast<int32_t>(in.pc);
    do_again(in, mask, {{here, lanes}, {here + 1, mask & ~lanes}});
  }

  // The lanes split and repeat the instruction. It is its own segment, so its count can be taken back.
  void do_again(const DecodedInstruction& in, uint32_t mask, const std::vector<Successor>& ways) {
    take_back(in, mask);
    split_path(warp_, warp_.current, ways, static_cast<int32_t>(in.pc) + 1);
  }

  void take_back(const DecodedInstruction& in, uint32_t mask) {
    const auto segment = static_cast<size_t>(block_.program.segment_of[in.pc]);
    --block_.segment_runs[segment];
    block_.segment_threads[segment] -= static_cast<uint64_t>(std::popcount(mask));
    --warp_.steps;
    --block_.steps;
  }

  void exit(uint32_t mask, uint32_t lanes, const DecodedInstruction& in) {
    exit_lanes(warp_, warp_.current, lanes);
    finish_cluster_phase(*block_.cluster);
    if (lanes != mask) go_to(static_cast<int32_t>(in.pc) + 1);
    pass_complete_warp_syncs(block_, warp_);
    release_complete_barriers(block_);
  }

  // Registers of D belong to the tensor cores until the wait; another product may accumulate into them.
  void check_products(const DecodedInstruction& in, uint32_t lanes) {
    if (in.text->op == ptx::Op::WgmmaMma) return;
    for (const PendingProduct& product : warp_.products) {
      const std::vector<int32_t>& sums = block_.program.use.writes[product.in->pc];
      const auto is_sum = [&](int32_t r) { return std::find(sums.begin(), sums.end(), r) != sums.end(); };
      for (const auto* registers : {&block_.program.use.reads[in.pc], &block_.program.use.writes[in.pc]})
        if (const auto found = std::find_if(registers->begin(), registers->end(), is_sum); found != registers->end())
          return block_.fault(warp_, FaultKind::AccumulatorInFlight, in.pc, lanes, lanes,
                              block_.program.function.registers[static_cast<size_t>(*found)].name);
    }
  }

  void check_registers(const DecodedInstruction& in, uint32_t mask, uint32_t lanes) {
    if (lanes && !warp_.products.empty()) check_products(in, lanes);
    for (int32_t r : block_.program.use.reads[in.pc]) {
      const bool is_guard = r == in.text->guard;
      // Of a shuffle's value most lanes may have none: the leader's is what all get.
      if (in.text->op == ptx::Op::Shfl && r == in.text->operands[in.destination2 ? 2 : 1].index && !is_guard) continue;
      const uint32_t unwritten = (is_guard ? mask : lanes) & ~warp_.written[static_cast<size_t>(r)];
      if (!unwritten) continue;
      block_.fault(warp_, FaultKind::UninitialisedRegister, in.pc, lanes, unwritten,
                   block_.program.function.registers[static_cast<size_t>(r)].name);
      warp_.written[static_cast<size_t>(r)] |= unwritten;  // Reported once.
    }
    for (int32_t r : block_.program.use.writes[in.pc]) warp_.written[static_cast<size_t>(r)] |= lanes;
  }

  Block& block_;
  Warp& warp_;
  const DecodedInstruction* code_;
};

}  // namespace

trace::Step Warp::step(uint32_t pc, uint32_t mask) const { return {pc, block->number, index, step_base + pc, mask}; }

uint32_t lanes_of(const Launch& launch, uint16_t warp) {
  const uint64_t rest = launch.block.count() - uint64_t{warp} * kLanes;
  return rest >= kLanes ? ~0u : (1u << rest) - 1;
}

void Block::fault(const Warp& warp, FaultKind kind, uint32_t pc, uint32_t active, uint32_t lanes, Message detail) {
  if (!options->observer) return;
  trace::Fault fault;
  fault.at = warp.step(pc, active);
  fault.kind = kind;
  fault.lanes = lanes;
  fault.detail = std::move(detail);
  options->observer->fault(fault);
}

void Counts::merge(const Counts& other) {
  warp_executions.resize(std::max(warp_executions.size(), other.warp_executions.size()));
  thread_executions.resize(warp_executions.size());
  for (size_t pc = 0; pc < other.warp_executions.size(); ++pc) {
    warp_executions[pc] += other.warp_executions[pc];
    thread_executions[pc] += other.thread_executions[pc];
  }
  divergent_branches += other.divergent_branches;
}

namespace {

constexpr uint64_t kReservedAlignment = 16;

bool reads_reserved_offset(const Program::Impl& p) {
  return std::any_of(p.constants.begin(), p.constants.end(), [](const ConstantRow& row) {
    return row.kind == ConstantRow::Kind::Special && row.special == ptx::Special::ReservedSmemOffset1;
  });
}

// A block with its own memory.
struct Resident {
  Resident(const Program::Impl& p, const Launch& launch, GlobalMemory& memory, std::vector<Window>& windows,
           std::vector<AddressPattern>& patterns, std::string& printed, std::vector<uint8_t>& touched,
           uint64_t grid_workspace = 0)
      : block(p, launch, memory, printed, touched) {
    const auto warp_count = static_cast<size_t>((launch.block.count() + kLanes - 1) / kLanes);
    const uint64_t file_bytes = round_up(p.file_bytes, kFileAlignment);
    const bool parameters_whole = launch.parameters.size() >= p.parameter_bytes;
    files = aligned_bytes(file_bytes * warp_count);
    frames = aligned_bytes(uint64_t{p.local_bytes} * kLanes * warp_count);
    block.grid_workspace = grid_workspace;
    block.shared_bytes = p.static_shared_bytes + launch.dynamic_shared_bytes;
    if (reads_reserved_offset(p)) block.reserved_shared = round_up(block.shared_bytes + 1, kReservedAlignment);
    block.shared.resize(block.reserved_shared ? block.reserved_shared + kReservedSharedBytes : block.shared_bytes);
    block.segment_runs.resize(p.segments.size());
    block.segment_threads.resize(p.segments.size());
    block.guarded_off.resize(p.code.size());
    block.warps.resize(warp_count);
    for (size_t w = 0; w < warp_count; ++w) {
      Warp& warp = block.warps[w];
      warp.file = files.get() + w * file_bytes;
      warp.local = frames.get() + w * p.local_bytes * kLanes;
      warp.block = &block;
      warp.index = static_cast<uint16_t>(w);
      warp.global = windows.data();
      warp.patterns = patterns.data();
      warp.shared = {0, block.shared_bytes, block.shared.data()};
      if (parameters_whole)
        for (const ConstantRow& row : p.constants) fill_constant(block, warp, row);
    }
  }

  void start(uint32_t number, const RunOptions& options) {
    block.number = number;
    block.position = position_in(block.launch.grid, number);
    block.options = &options;
    block.steps = 0;
    block.trapped = false;
    block.barriers = {};
    block.bulk_copies.clear();
    block.pending_arrivals.clear();
    block.bulk_groups.assign(block.warps.size() * kLanes, 0);
    if (!block.cluster) block.cluster = &alone_;
    block.cluster->phase = 0;
    idle_turns_ = 0;
    const auto own_end = block.shared.begin() + static_cast<std::ptrdiff_t>(block.shared_bytes);
    std::fill(block.shared.begin(), own_end, std::byte{0xff});
    std::fill(own_end, block.shared.end(), std::byte{0});
    for (Warp& warp : block.warps) start_warp(warp, options);
  }

  void start_warp(Warp& warp, const RunOptions& options) {
    const Program::Impl& p = block.program;
    std::memset(warp.file, 0xff, p.constants_begin);
    for (const ConstantRow& row : p.constants)
      if (changes_with_block(row)) fill_constant(block, warp, row);
    std::memset(warp.local, 0xff, uint64_t{p.local_bytes} * kLanes);
    warp.observer = options.observer;
    warp.live = lanes_of(block.launch, warp.index);
    warp.steps = warp.last_work = 0;
    warp.current = 0;
    warp.wants_yield = false;
    warp.carries = 0;
    warp.free_paths.clear();
    warp.copies.clear();
    warp.products.clear();
    warp.product_groups = 0;
    warp.cluster_arrived = warp.cluster_phase = 0;
    warp.committed_groups = {};
    Path root;
    root.mask = warp.live;
    warp.paths.assign(1, root);
    if (options.check_registers) warp.written.assign(p.function.registers.size(), 0);
  }

  // Each warp that can run issues up to `quantum` instructions. Returns how the block ended, once it has.
  std::optional<Outcome> turn(uint32_t quantum) {
    const RunOptions& options = *block.options;
    bool moved = false, alive = false, idle = true;
    for (Warp& warp : block.warps) {
      if (warp.live == 0) continue;
      alive = true;
      if (next_ready_path(warp, 0) < 0) continue;
      moved = true;
      Runner(block, warp).run(quantum);
      let_turns_pass();
      idle &= warp.unfinished_wait.lanes != 0;
      if (block.trapped) return Outcome::Trapped;
      if (is_over(options)) return Outcome::Cancelled;
      if (options.step_budget && block.steps > options.step_budget) return Outcome::StepBudget;
      if (options.cancel && options.cancel->load(std::memory_order_relaxed)) return Outcome::Cancelled;
    }
    if (!alive) {
      end_bulk_copies(block);
      if (options.observer) options.observer->block_exited(block.number);
      return Outcome::Finished;
    }
    idle_turns_ = idle ? idle_turns_ + 1 : 0;
    if (moved && idle_turns_ < kIdleTurns) return std::nullopt;
    report_deadlock(block);
    return Outcome::Deadlocked;
  }

  /// Whether all that its warps did lately is wait, and some for other blocks.
  bool waits() const {
    bool any = false;
    for (const Warp& warp : block.warps) {
      if (warp.live == 0 || next_ready_path(warp, 0) < 0) continue;
      const bool for_blocks = warp.steps - warp.last_work > kWaitingSteps;
      if (!for_blocks && warp.unfinished_wait.lanes == 0) return false;
      any |= for_blocks;
    }
    return any;
  }

  AlignedBytes files, frames;
  Block block;

 private:
  Cluster alone_{{&block}};  ///< For a block without a cluster.
  uint32_t idle_turns_ = 0;  ///< Consecutive turns in which warps only waited for mbarriers in vain.
};

void add_counts(const Block& block, Counts& counts) {
  const Program::Impl& p = block.program;
  for (size_t s = 0; s < p.segments.size(); ++s)
    for (int32_t pc = p.segments[s].first; pc <= p.segments[s].last; ++pc) {
      const auto at = static_cast<size_t>(pc);
      counts.warp_executions[at] += block.segment_runs[s];
      counts.thread_executions[at] += block.segment_threads[s] - block.guarded_off[at];
    }
  counts.divergent_branches += block.divergent_branches;
}

}  // namespace

struct Machine::Impl {
  Impl(const Program& p, const Launch& l, GlobalMemory& m)
      : program(p.impl()),
        launch(l),
        memory(m),
        windows(program.code.size()),
        patterns(program.code.size()),
        touched(m.allocations().size()),
        counts(zero_counts()) {}

  Counts zero_counts() const {
    Counts zeros;
    zeros.warp_executions.assign(program.code.size(), 0);
    zeros.thread_executions.assign(program.code.size(), 0);
    return zeros;
  }

  GridEnd run_block(uint32_t number, const RunOptions& options, const Companions& companions) {
    std::vector<std::unique_ptr<Resident>> running;
    std::deque<RunOptions> options_of;
    const auto begin = [&](const Companions::Companion& companion) {
      if (idle.empty())
        idle.push_back(std::make_unique<Resident>(program, launch, memory, windows, patterns, printed, touched));
      running.push_back(std::move(idle.back()));
      idle.pop_back();
      options_of.push_back(options);
      options_of.back().observer = companion.observer;
      if (companion.observer) companion.observer->block_begin(companion.block);
      running.back()->start(companion.block, options_of.back());
    };
    const auto end = [&](size_t i) {
      const Block& block = running[i]->block;
      if (block.options->observer) block.options->observer->block_end(block.number);
      idle.push_back(std::move(running[i]));
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    };
    const auto begin_as_many_again = [&] {
      for (size_t wanted = running.size(); wanted > 0; --wanted) {
        if (companions.at_once > 0 && running.size() >= companions.at_once) return;
        const std::optional<Companions::Companion> companion = companions.next();
        if (!companion) return;
        begin(*companion);
      }
    };
    begin({number, options.observer});
    GridEnd ended;
    while (!running.empty() && ended.outcome == Outcome::Finished) {
      bool all_wait = companions.next != nullptr;
      const uint32_t quantum = running.size() == 1 ? kQuantum : kQuantumTogether;
      for (size_t i = 0; i < running.size() && ended.outcome == Outcome::Finished;) {
        const std::optional<Outcome> outcome = running[i]->turn(quantum);
        all_wait &= !outcome && running[i]->waits();
        if (outcome && *outcome != Outcome::Finished) ended = {*outcome, running[i]->block.number};
        if (outcome)
          end(i);
        else
          ++i;
      }
      if (all_wait) begin_as_many_again();
    }
    while (!running.empty()) end(0);
    counts = zero_counts();
    for (const auto& resident : idle) add_counts(resident->block, counts);
    return ended;
  }

  GridEnd run_together(const std::vector<uint32_t>& blocks, const std::vector<trace::Observer*>& observers,
                       const RunOptions& options) {
    const uint64_t workspace = memory.make_grid_workspace();
    std::vector<RunOptions> options_of(blocks.size(), options);
    std::vector<std::unique_ptr<Resident>> residents;
    for (size_t i = 0; i < blocks.size(); ++i) {
      options_of[i].observer = observers[blocks[i]];
      residents.push_back(
          std::make_unique<Resident>(program, launch, memory, windows, patterns, printed, touched, workspace));
      let_turns_pass();
    }
    const std::vector<std::unique_ptr<Cluster>> clusters = join_clusters(blocks, residents);
    for (size_t i = 0; i < blocks.size(); ++i) {
      residents[i]->start(blocks[i], options_of[i]);
      let_turns_pass();
    }
    const GridEnd end = take_turns(residents);
    for (const auto& resident : residents)
      if (resident->block.options->observer) add_counts(resident->block, counts);
    memory.heap_free(workspace);
    std::fill(windows.begin(), windows.end(), Window{});
    return end;
  }

  // Empty if blocks are not in clusters.
  std::vector<std::unique_ptr<Cluster>> join_clusters(const std::vector<uint32_t>& blocks,
                                                      const std::vector<std::unique_ptr<Resident>>& residents) const {
    std::vector<std::unique_ptr<Cluster>> clusters;
    const auto [x, y, z] = program.function.cluster;
    const ClusterShape shape{launch.grid, {std::max(x, 1u), std::max(y, 1u), std::max(z, 1u)}};
    if (shape.cluster.count() == 1) return clusters;
    std::map<uint64_t, Cluster*> by_number;
    for (size_t i = 0; i < blocks.size(); ++i) {
      Cluster*& cluster = by_number[shape.number_of(blocks[i])];
      if (!cluster) {
        clusters.push_back(std::make_unique<Cluster>());
        cluster = clusters.back().get();
        cluster->blocks.resize(shape.cluster.count());
      }
      Block& block = residents[i]->block;
      block.cluster = cluster;
      block.rank = shape.rank_of(blocks[i]);
      cluster->blocks[block.rank] = &block;
    }
    return clusters;
  }

  // Until all have ended, or the first in grid order that fails.
  static GridEnd take_turns(const std::vector<std::unique_ptr<Resident>>& residents) {
    std::vector<bool> finished(residents.size());
    for (size_t left = residents.size(); left > 0;)
      for (size_t number = 0; number < residents.size(); ++number) {
        if (finished[number]) continue;
        const std::optional<Outcome> outcome = residents[number]->turn(kQuantumTogether);
        if (!outcome) continue;
        if (*outcome != Outcome::Finished) return {*outcome, residents[number]->block.number};
        finished[number] = true;
        --left;
      }
    return {};
  }

  const Program::Impl& program;
  const Launch& launch;
  GlobalMemory& memory;
  std::vector<Window> windows;
  std::vector<AddressPattern> patterns;
  std::vector<uint8_t> touched;
  std::string printed;
  std::vector<std::unique_ptr<Resident>> idle;  // For blocks that run one at a time, or beside one.
  Counts counts;
};

Machine::Machine(const Program& program, const Launch& launch, GlobalMemory& memory)
    : impl_(std::make_unique<Impl>(program, launch, memory)) {}
Machine::~Machine() = default;

Outcome Machine::run_block(uint32_t number, const RunOptions& options) {
  return impl_->run_block(number, options, {}).outcome;
}

Machine::GridEnd Machine::run_block(uint32_t number, const RunOptions& options, const Companions& companions) {
  return impl_->run_block(number, options, companions);
}

Machine::GridEnd Machine::run_together(const std::vector<trace::Observer*>& observers, const RunOptions& options,
                                       std::vector<uint32_t> blocks) {
  if (blocks.empty()) {
    blocks.resize(observers.size());
    std::iota(blocks.begin(), blocks.end(), 0u);
  }
  for (const uint32_t block : blocks)
    if (observers[block]) observers[block]->block_begin(block);
  const GridEnd end = impl_->run_together(blocks, observers, options);
  for (const uint32_t block : blocks)
    if (observers[block]) observers[block]->block_end(block);
  return end;
}

const Counts& Machine::counts() const { return impl_->counts; }
const std::vector<uint8_t>& Machine::touched() const { return impl_->touched; }
const std::string& Machine::printed() const { return impl_->printed; }

}  // namespace tilescope::emulator
