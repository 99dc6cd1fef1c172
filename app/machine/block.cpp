#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "machine/warp.h"

namespace tilescope::machine {

OldMemory::~OldMemory() {
  for (const auto& [page, bytes] : pages_) std::memcpy(page, bytes.data(), bytes.size());
}

void OldMemory::keep(const std::byte* at, uint64_t bytes, std::byte* host, uint64_t extent) {
  constexpr uint64_t kPage = 4096;
  const auto first = static_cast<uint64_t>(at - host);
  for (uint64_t begin = first / kPage * kPage; begin < first + bytes; begin += kPage) {
    std::byte* const page = host + begin;
    if (std::exchange(last_, page) == page) continue;
    const auto [kept, is_new] = pages_.try_emplace(page);
    if (is_new) kept->second.assign(page, page + std::min(kPage, extent - begin));
  }
}

uint32_t Launched::constant(uint32_t bank, int64_t offset, uint32_t bytes) const {
  uint32_t value = 0;
  if (bank >= banks.size() || offset < 0 || offset + bytes > static_cast<int64_t>(banks[bank].size())) return 0;
  std::memcpy(&value, banks[bank].data() + offset, bytes);
  return value;
}

namespace {

// Where the driver puts what a launch says into constant bank 0: block and grid, the generic address of a thread's
// local memory and its end, the upper and the lower word of what a cooperative launch meets at, the number of SMs, the
// generic address of the parameters.
constexpr uint32_t kExtentsAt = 0x00, kLocalAddressAt = 0x20, kLocalEndAt = 0x28, kGridWorkspaceAt = 0x44,
                   kSmsAt = 0x10c, kParametersAddressAt = 0x198;
constexpr uint32_t kFirstWithTensorCopies = 90;

std::vector<uint8_t> launch_constants(const Program::Impl& program, const emulator::Launch& launch,
                                      std::span<const uint32_t> offsets, uint32_t local_bytes,
                                      uint64_t grid_workspace) {
  constexpr size_t kLeast = kParametersAddressAt + sizeof(uint64_t);  // A kernel without parameters names no offset.
  std::vector<uint8_t> bank(std::max<size_t>(size_t{program.parameter_offset} + program.parameter_bytes, kLeast), 0);
  const auto put = [&](uint32_t at, uint32_t value) {
    if (at + 4 <= bank.size()) std::memcpy(bank.data() + at, &value, 4);
  };
  const Dim3 &block = launch.block, &grid = launch.grid;
  const uint32_t extents[] = {block.x, block.y, block.z, grid.x, grid.y, grid.z};
  for (uint32_t i = 0; i < 6; ++i) put(kExtentsAt + i * 4, extents[i]);
  put(kLocalAddressAt + 4, kLocalWindow);
  put(kLocalEndAt, local_bytes);
  put(kGridWorkspaceAt, static_cast<uint32_t>(grid_workspace >> 32));
  put(kGridWorkspaceAt + 4, static_cast<uint32_t>(grid_workspace));
  put(kSmsAt, std::max(1U, launch.sms));
  if (program.architecture >= kFirstWithTensorCopies) {
    put(kParametersAddressAt, static_cast<uint32_t>(kParameterWindow));
    put(kParametersAddressAt + 4, static_cast<uint32_t>(kParameterWindow >> 32));
  }
  for (size_t i = 0; i < program.parameters.size() && i < offsets.size(); ++i) {
    const auto [offset, bytes] = program.parameters[i];
    const size_t to = size_t{program.parameter_offset} + offset;
    if (to + bytes > bank.size() || offsets[i] + size_t{bytes} > launch.parameters.size()) continue;
    std::memcpy(bank.data() + to, launch.parameters.data() + offsets[i], bytes);
  }
  return bank;
}

/// What stands for the address of a function of the driver; 0 for all other names.
uint64_t address_in_driver(std::string_view name) {
  return name == "vprintf" ? kPrintAddress : name == "malloc" || name == "free" ? kHeapAddress : 0;
}

/// What the banks have of the module's variables, which are the last allocations.
void put_variables(const Program::Impl& program, const emulator::GlobalMemory& memory,
                   std::vector<std::vector<uint8_t>>& banks) {
  const std::vector<Allocation>& all = memory.allocations();
  for (const sass::VariableUse& use : program.variables) {
    const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Allocation& a) { return a.name == use.name; });
    const uint64_t of_driver = address_in_driver(use.name);
    if ((found == all.rend() && !of_driver) || use.bank >= banks.size()) continue;
    std::vector<uint8_t>& bank = banks[use.bank];
    if (size_t{use.offset} + use.bytes > bank.size()) continue;
    const uint64_t address = of_driver ? of_driver : found->base + use.addend;
    if (use.is_address)
      std::memcpy(bank.data() + use.offset, &address, sizeof address);
    else {
      const std::span<const std::byte> content = memory.bytes(static_cast<int>(all.rend() - found) - 1);
      std::memcpy(bank.data() + use.offset, content.data(), std::min<size_t>(use.bytes, content.size()));
    }
  }
}

}  // namespace

PreparedLaunch::PreparedLaunch(const Program& program, const emulator::Launch& launch,
                               std::span<const uint32_t> parameter_offsets, emulator::GlobalMemory& memory)
    : impl_(std::make_unique<Launched>()) {
  const Program::Impl& code = program.impl();
  Launched& l = *impl_;
  l.program = &program;
  l.launch = &launch;
  l.memory = &memory;
  l.local_bytes = (code.local + 15) / 16 * 16;
  l.banks = code.banks;
  if (l.banks.empty()) l.banks.resize(1);
  put_variables(code, memory, l.banks);
  if (launch.cooperative) l.grid_workspace = memory.make_grid_workspace();
  l.banks[0] = launch_constants(code, launch, parameter_offsets, l.local_bytes, l.grid_workspace);
  l.threads = static_cast<uint32_t>(launch.block.count());
  l.warps = (l.threads + kLanes - 1) / kLanes;
  l.shared_bytes = uint64_t{code.reserved_shared} + code.static_shared + launch.dynamic_shared_bytes;
  l.constants = Rows(code.constants.size());
  for (size_t i = 0; i < code.constants.size(); ++i) {
    const Program::Impl::Constant& constant = code.constants[i];
    const uint32_t value = constant.immediate ? constant.bits : l.constant(constant.bank, constant.offset);
    std::fill_n(l.constants.data() + i * kLanes, kLanes, value);
  }
}
PreparedLaunch::~PreparedLaunch() {
  impl_->old.reset();
  if (impl_->grid_workspace != 0) impl_->memory->heap_free(impl_->grid_workspace);
}
void PreparedLaunch::set_clock_rate(double clocks_per_nanosecond) {
  impl_->clocks_per_nanosecond = clocks_per_nanosecond;
}
void PreparedLaunch::undo_stores() { impl_->old = std::make_unique<OldMemory>(); }
const Program& PreparedLaunch::program() const { return *impl_->program; }
uint32_t PreparedLaunch::warps_per_block() const { return impl_->warps; }

Block::Block(const PreparedLaunch& launch, uint64_t index) : impl_(std::make_unique<Impl>()) {
  Impl& block = *impl_;
  const Launched& l = launch.impl();
  const Program::Impl& code = l.program->impl();
  block.launched = &l;
  block.index = index;
  block.position = position_in(l.launch->grid, index);
  block.shared.assign(l.shared_bytes, std::byte{0xff});
  block.warps.resize(l.warps);
  block.live_warps = l.warps;
  for (uint32_t w = 0; w < l.warps; ++w) {
    Warp& warp = block.warps[w];
    warp.block = &block;
    warp.launched = &l;
    warp.index = w;
    warp.storage = Rows(code.rows());
    warp.file = warp.storage.data();
    warp.bases[0] = warp.file;
    warp.bases[1] = l.constants.data();
    warp.predicates[sass::kTrue] = warp.predicates[kUniformPredicates + sass::kTrue] = ~0u;
    const uint32_t threads = std::min(kLanes, l.threads - w * kLanes);
    warp.live = threads == kLanes ? ~0u : (1u << threads) - 1;
    warp.local.assign(size_t{l.local_bytes} * kLanes, std::byte{0xff});
    warp.paths.push_back({0, warp.live, Path::State::Ready, 0});
  }
}
Block::~Block() = default;

uint32_t Block::warps() const { return static_cast<uint32_t>(impl_->warps.size()); }
WarpState Block::state(uint32_t warp) const { return impl_->warps[warp].state; }
uint32_t Block::next_pc(uint32_t warp) const {
  const Warp& w = impl_->warps[warp];
  return w.paths[w.current].pc;
}
void Block::form_cluster(std::span<Block* const> blocks) {
  const auto cluster = std::make_shared<ClusterState>();
  for (Block* block : blocks) {
    block->impl_->rank = static_cast<uint32_t>(cluster->blocks.size());
    block->impl_->cluster = cluster;
    cluster->blocks.push_back(block->impl_.get());
  }
}
void Block::follow_clock() { impl_->follows_clock = impl_->ends_polls = true; }
uint64_t Block::pass(uint32_t index, uint64_t most) {
  Warp& warp = impl_->warps[index];
  Path& path = warp.paths[warp.current];
  const std::vector<Step>& steps = impl_->launched->program->impl().steps;
  const uint64_t passed = path.pc < steps.size() ? std::min<uint64_t>(most, steps[path.pc].passable) : 0;
  path.pc += static_cast<uint32_t>(passed);
  impl_->clock += passed;
  return passed;
}
void Block::set_clock(uint64_t clock) { impl_->clock = clock; }
void Block::end_polls() { impl_->ends_polls = true; }
bool Block::done() const { return impl_->live_warps == 0; }
const std::optional<Fault>& Block::fault() const { return impl_->fault; }

void Block::Impl::fail(const Warp& warp, uint32_t lane, uint64_t address, Message what) {
  if (!fault) fault = Fault{warp.issue ? warp.issue->pc : 0, warp.index, lane, address, std::move(what)};
}

Block::Impl* Block::Impl::of_rank(uint32_t rank_wanted) {
  if (!cluster) return rank_wanted == 0 ? this : nullptr;
  return rank_wanted < cluster->blocks.size() ? cluster->blocks[rank_wanted] : nullptr;
}

namespace {

/// The warp goes on with a path that is ready; where none is, all that is left of it waits for barriers.
void choose_path(Warp& warp) {
  if (warp.paths.empty()) {
    if (warp.state != WarpState::Done) --warp.block->live_warps;
    warp.state = WarpState::Done;
    return;
  }
  const auto count = static_cast<uint32_t>(warp.paths.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = (warp.current + i) % count;
    if (warp.paths[at].state != Path::State::Ready) continue;
    warp.current = at;
    warp.state = WarpState::Ready;
    return;
  }
  warp.current = 0;
  warp.state = WarpState::AtBarrier;
}

/// Those of `lanes` that wait in that way go on behind it, together with all that wait so at the same instruction.
void join(Warp& warp, Path::State state, uint32_t waits_for, uint32_t lanes) {
  const auto waits = [&](const Path& path) { return path.state == state && path.waits_for == waits_for; };
  std::vector<Path> joined;
  for (const Path& path : warp.paths)
    if (waits(path) && (path.mask & lanes) && std::ranges::find(joined, path.pc + 1, &Path::pc) == joined.end())
      joined.push_back({path.pc + 1, 0, Path::State::Ready, 0});
  std::erase_if(warp.paths, [&](const Path& path) {
    const auto whole = waits(path) ? std::ranges::find(joined, path.pc + 1, &Path::pc) : joined.end();
    if (whole == joined.end()) return false;
    whole->mask |= path.mask;
    return true;
  });
  warp.paths.insert(warp.paths.end(), joined.begin(), joined.end());
  warp.current = static_cast<uint32_t>(warp.paths.size() - 1);
}

uint32_t waiting(const Warp& warp, Path::State state, uint32_t waits_for) {
  uint32_t lanes = 0;
  for (const Path& path : warp.paths)
    if (path.state == state && path.waits_for == waits_for) lanes |= path.mask;
  return lanes;
}

/// Lets lanes go on whose convergence barrier, or WARPSYNC, has all the lanes that are left. Lanes that a function's
/// own use of the barrier leaves out wait until it has given the barrier back.
void release_joined(Warp& warp) {
  for (bool again = true; again;) {
    again = false;
    for (const Path& path : warp.paths) {
      if (path.state != Path::State::AtSync && path.state != Path::State::AtWarpSync) continue;
      const uint32_t wanted =
          (path.state == Path::State::AtSync ? warp.syncs[path.waits_for] : path.waits_for) & warp.live;
      const uint32_t there = waiting(warp, path.state, path.waits_for);
      if (wanted == 0 || (wanted & ~there) != 0) continue;
      join(warp, path.state, path.waits_for, wanted);
      again = true;
      break;
    }
  }
}

/// Lanes at a convergence barrier do not wait for those that yield: they may be what these wait for. Whether there are
/// any.
bool release_from_yielding(Warp& warp, uint32_t yielding) {
  for (const Path& path : warp.paths) {
    if (path.state != Path::State::AtSync) continue;
    const uint32_t id = path.waits_for, there = waiting(warp, Path::State::AtSync, id);
    if ((warp.syncs[id] & warp.live & ~there & ~yielding) != 0) continue;
    warp.syncs[id] &= ~there;
    join(warp, Path::State::AtSync, id, there);
    return true;
  }
  return false;
}

/// The lanes of a barrier's threads go on once all have arrived.
void release_barrier(Block::Impl& block, uint32_t id) {
  Block::Impl::Barrier& barrier = block.barriers[id];
  for (Warp& warp : block.warps) {
    if (warp.state == WarpState::Done) continue;
    bool any = false;
    for (Path& path : warp.paths) {
      if (path.state != Path::State::AtBarrier || path.waits_for != id) continue;
      path.state = Path::State::Ready;
      ++path.pc;
      any = true;
    }
    if (!any) continue;
    warp.barrier_result = barrier.wants_all ? barrier.against == 0 : barrier.votes;
    // Paths at one instruction go on together.
    for (size_t i = 0; i < warp.paths.size(); ++i)
      for (size_t j = warp.paths.size(); j-- > i + 1;)
        if (warp.paths[i].state == Path::State::Ready && warp.paths[j].state == Path::State::Ready &&
            warp.paths[i].pc == warp.paths[j].pc) {
          warp.paths[i].mask |= warp.paths[j].mask;
          warp.paths.erase(warp.paths.begin() + static_cast<std::ptrdiff_t>(j));
        }
    choose_path(warp);
  }
  barrier = {};
}

/// Threads that a barrier without a count waits for: all that have not exited.
uint32_t live_threads(const Block::Impl& block) {
  uint32_t threads = 0;
  for (const Warp& warp : block.warps) threads += static_cast<uint32_t>(std::popcount(warp.live));
  return threads;
}
void check_barrier(Block::Impl& block, uint32_t id) {
  Block::Impl::Barrier& barrier = block.barriers[id];
  if (barrier.arrived == 0) return;
  const uint32_t expected = barrier.expected ? barrier.expected : live_threads(block);
  if (barrier.arrived >= expected) release_barrier(block, id);
}

/// A warp arrives with all its lanes that are left, as the hardware counts: by warps.
void arrive_at_barrier(Warp& warp, const Step& step, uint32_t mask, Issue& issue) {
  const sass::Instruction& in = *step.in;
  const uint32_t lane = static_cast<uint32_t>(std::countr_zero(mask));
  const uint32_t named = warp.row(step.b.row)[lane], counted = warp.row(step.c.row)[lane];
  const bool is_register = in.b.is_register();
  const uint32_t id = named & 15;
  const uint32_t count = in.c.is_register() && is_register ? counted >> 8 & 0xfff : counted;
  Block::Impl& block = *warp.block;
  Block::Impl::Barrier& barrier = block.barriers[id];
  Path& path = warp.paths[warp.current];
  const bool arrives_only = in[sass::Field::Mode] == 1;
  barrier.expected = count;
  barrier.arrived += count ? kLanes : static_cast<uint32_t>(std::popcount(mask));
  constexpr uint8_t kReduces = 2, kAnd = 1;  // Of Field::Mode, and of Field::Operation.
  if (in[sass::Field::Mode] == kReduces) {
    const uint32_t votes = (warp.predicates[step.q0] ^ step.q0_flip) & mask;
    barrier.votes += static_cast<uint32_t>(std::popcount(votes));
    barrier.against += static_cast<uint32_t>(std::popcount(mask & ~votes));
    barrier.wants_all = in[sass::Field::Operation] == kAnd;
  }
  if (arrives_only) {
    ++path.pc;
  } else {
    path.state = Path::State::AtBarrier;
    path.waits_for = id;
    issue.flow = Issue::Flow::Waits;
    issue.at_barrier = true;
    choose_path(warp);
  }
  check_barrier(block, id);
}

/// Clocks of a NANOSLEEP. Measured: it ends with a tick of the timer before the next power of two of nanoseconds, and
/// takes 86 clocks at least.
uint32_t sleep_of(const Warp& warp, const Step& step, uint32_t mask) {
  constexpr double kHalfTick = 16, kLeast = 86;
  constexpr uint32_t kMost = 1u << 20;
  const uint32_t wanted = std::min(warp.row(step.b.row)[std::countr_zero(mask)], kMost);
  return static_cast<uint32_t>(
      std::max(kLeast, (std::bit_ceil(wanted) - kHalfTick) * warp.launched->clocks_per_nanosecond));
}

/// Ends the phase of the cluster's barrier once every thread that has not exited has arrived.
void check_cluster(Block::Impl& block) {
  ClusterState& cluster = *block.cluster;
  uint32_t live = 0;
  for (const Block::Impl* each : cluster.blocks) live += live_threads(*each);
  if (cluster.arrived == 0 || cluster.arrived < live) return;
  cluster.arrived = 0;
  ++cluster.phase;
  for (Block::Impl* each : cluster.blocks)
    for (Warp& warp : each->warps) {
      bool any = false;
      for (Path& path : warp.paths) {
        if (path.state != Path::State::AtCluster) continue;
        path.state = Path::State::Ready;
        ++path.pc;
        any = true;
      }
      if (any) choose_path(warp);
    }
}

/// Tensor cores multiply for the four warps of a group together: none goes on before all have come here.
void wait_for_group(Warp& warp, Issue& issue) {
  warp.paths[warp.current].state = Path::State::AtGroup;
  choose_path(warp);
  Block::Impl& block = *warp.block;
  constexpr uint32_t kWarps = 4;
  const uint32_t first = warp.index / kWarps * kWarps;
  const uint32_t end = std::min(first + kWarps, static_cast<uint32_t>(block.warps.size()));
  const auto stands_here = [](const Path& path) { return path.state == Path::State::AtGroup; };
  for (uint32_t w = first; w < end; ++w)
    if (block.warps[w].state != WarpState::Done && std::ranges::none_of(block.warps[w].paths, stands_here)) {
      issue.flow = Issue::Flow::Waits;
      issue.at_barrier = true;
      return;
    }
  for (uint32_t w = first; w < end; ++w) {
    Warp& each = block.warps[w];
    for (Path& path : each.paths)
      if (stands_here(path)) path.state = Path::State::Ready, ++path.pc;
    choose_path(each);
  }
}

void wait_for_cluster(Warp& warp, Issue& issue) {
  Path& path = warp.paths[warp.current];
  if (!warp.block->cluster || warp.block->cluster->phase != warp.cluster_phase) {
    ++path.pc;
    return;
  }
  path.state = Path::State::AtCluster;
  issue.flow = Issue::Flow::Waits;
  issue.at_barrier = true;
  choose_path(warp);
}

/// Lanes go to `target` each, relative to what the instruction says.
void branch_indexed(Warp& warp, const Step& step, uint32_t mask, Issue& issue) {
  const uint32_t* offsets = warp.row(step.a.row);
  issue.flow = Issue::Flow::Branch;
  Path& path = warp.paths[warp.current];
  const auto target_of = [&](uint32_t lane) { return (step.in->target + offsets[lane]) / sass::kInstructionBytes; };
  const uint32_t rest = path.mask & ~mask;
  const uint32_t next = path.pc + 1;
  std::vector<Path> made;
  for (uint32_t lanes = mask; lanes;) {
    Path way{target_of(static_cast<uint32_t>(std::countr_zero(lanes))), 0, Path::State::Ready, 0};
    for (uint32_t left = lanes; left; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      if (target_of(lane) == way.pc) way.mask |= 1u << lane;
    }
    lanes &= ~way.mask;
    made.push_back(way);
  }
  if (rest) made.push_back({next, rest, Path::State::Ready, 0});
  path = made.front();
  warp.paths.insert(warp.paths.end(), made.begin() + 1, made.end());
}

void branch(Warp& warp, const Step& step, uint32_t taken, Issue& issue) {
  Path& path = warp.paths[warp.current];
  if (taken) issue.flow = Issue::Flow::Branch;
  if (taken == path.mask) {
    path.pc = step.target;
  } else if (taken == 0) {
    ++path.pc;
  } else {
    path.mask &= ~taken;
    ++path.pc;
    warp.paths.push_back({step.target, taken, Path::State::Ready, 0});
  }
}

void exit_lanes(Warp& warp, uint32_t mask, Issue& issue) {
  Path& path = warp.paths[warp.current];
  warp.live &= ~mask;
  path.mask &= ~mask;
  ++path.pc;
  if (mask && path.mask == 0) {
    warp.paths.erase(warp.paths.begin() + warp.current);
    warp.current = 0;
    release_joined(warp);
    choose_path(warp);
    issue.flow = warp.state == WarpState::Done ? Issue::Flow::Exit : Issue::Flow::Waits;
  } else if (mask) {
    release_joined(warp);
  }
  if (!mask) return;
  for (uint32_t id = 0; id < 16; ++id) check_barrier(*warp.block, id);
  if (warp.block->cluster) check_cluster(*warp.block);
}

/// The lanes that a path at a convergence barrier waits for are next. Code between, of other lanes, may use the same
/// barrier, as the branches of a conditional do.
void run_awaited_first(Warp& warp) {
  const Path& waiting = warp.paths[warp.current];
  if (waiting.state != Path::State::AtSync) return;
  const uint32_t awaited = warp.syncs[waiting.waits_for];
  const auto next = std::ranges::find_if(
      warp.paths, [&](const Path& path) { return path.state == Path::State::Ready && (path.mask & awaited) != 0; });
  if (next != warp.paths.end()) warp.current = static_cast<uint32_t>(next - warp.paths.begin());
}

void wait_for_lanes(Warp& warp, Path::State state, uint32_t waits_for, Issue& issue) {
  Path& path = warp.paths[warp.current];
  path.state = state;
  path.waits_for = waits_for;
  const uint32_t before = path.mask;
  release_joined(warp);
  run_awaited_first(warp);
  choose_path(warp);
  if (warp.state != WarpState::Ready || (warp.paths[warp.current].mask & before) != before)
    issue.flow = Issue::Flow::Waits;
}

}  // namespace

void Block::step(uint32_t index, Issue& issue) {
  Warp& warp = impl_->warps[index];
  Path& path = warp.paths[warp.current];
  const Program::Impl& program = impl_->launched->program->impl();
  if (path.pc >= program.steps.size()) {
    impl_->fail(warp, 0, path.pc, Message("a branch out of the kernel"));
    return;
  }
  const Step& step = program.steps[path.pc];
  const uint32_t mask = path.mask & (warp.predicates[step.guard] ^ step.guard_flip);
  issue.pc = path.pc;
  issue.active = path.mask;
  issue.executed = mask;
  issue.flow = Issue::Flow::Next;
  issue.at_barrier = issue.awaits_phase = issue.copies = false;
  issue.accesses = 0;
  issue.constants = issue.sleep = 0;
  warp.issue = &issue;
  ++impl_->clock;
  switch (step.flow) {
    case Flow::Next:
      if (mask && (step.needed || !step.only_computes || !impl_->follows_clock))
        step.run(warp, step, step.whole ? ~0u : mask);
      if (step.space == Space::Generic && issue.accesses > 0) name_space(warp, issue.access[0]);
      ++path.pc;
      return;
    case Flow::Branch: {
      uint32_t taken = mask & (warp.predicates[step.q0] ^ step.q0_flip);
      // .U: all go, or none: where any does, or all do.
      if ((*step.in)[sass::Field::Divergent] == 1)
        taken = ((*step.in)[sass::Field::All] ? taken != 0 : taken == path.mask) ? path.mask : 0;
      if (step.polls && impl_->ends_polls) taken = 0;
      branch(warp, step, taken, issue);
      return;
    }
    case Flow::BranchDivergent: {
      // Taken where lanes that the mask in the uniform register names are elsewhere.
      const uint32_t named = (*step.in)[sass::Field::Mode] ? ~warp.row(step.a.row)[0] : warp.row(step.a.row)[0];
      branch(warp, step, (named & warp.live & ~path.mask) ? mask : 0, issue);
      return;
    }
    case Flow::SetSync:
      warp.syncs[step.value0] = path.mask;
      ++path.pc;
      return;
    case Flow::Sync:
      // Others may have gone on and set it anew.
      if (!(mask & warp.syncs[step.value0]))
        ++path.pc;
      else
        wait_for_lanes(warp, Path::State::AtSync, step.value0, issue);
      return;
    case Flow::BreakSync:
      warp.syncs[step.value0] &= ~(mask & (warp.predicates[step.q0] ^ step.q0_flip));
      ++path.pc;
      release_joined(warp);
      return;
    case Flow::WarpSync: {
      if (!mask) {
        ++path.pc;
        return;
      }
      const uint32_t named = warp.row(step.b.row)[std::countr_zero(mask)];
      const bool all = step.in->b.kind == sass::Operand::Kind::Immediate && named == 0;
      // Lanes that name other lanes follow by themselves, as the tiles of a warp do.
      if (const uint32_t others = all ? 0 : path.mask & ~named; others != 0 && others != path.mask) {
        path.mask &= named;
        warp.paths.push_back({issue.pc, others, Path::State::Ready, 0});
      }
      wait_for_lanes(warp, Path::State::AtWarpSync, all ? ~0u : named, issue);
      return;
    }
    case Flow::Barrier:
      if (!mask)
        ++path.pc;
      else
        arrive_at_barrier(warp, step, mask, issue);
      return;
    case Flow::Exit: exit_lanes(warp, mask & (warp.predicates[step.q0] ^ step.q0_flip), issue); return;
    case Flow::Yield: {
      if (mask && step.in->opcode == sass::Opcode::NANOSLEEP) issue.sleep = sleep_of(warp, step, mask);
      ++path.pc;
      if (warp.paths.size() > 1 && !release_from_yielding(warp, path.mask)) {
        warp.current = (warp.current + 1) % static_cast<uint32_t>(warp.paths.size());
        choose_path(warp);
      }
      return;
    }
    case Flow::GroupSync: wait_for_group(warp, issue); return;
    case Flow::ClusterWait: wait_for_cluster(warp, issue); return;
    case Flow::Call: branch(warp, step, mask, issue); return;
    case Flow::Return:
    case Flow::BranchIndexed:
      if (mask)
        branch_indexed(warp, step, mask, issue);
      else
        ++path.pc;
      return;
  }
}

void Block::Impl::arrive_at_cluster(Warp& warp, uint32_t lanes) {
  if (!cluster) return;
  warp.cluster_phase = cluster->phase;
  cluster->arrived += static_cast<uint32_t>(std::popcount(lanes));
  check_cluster(*this);
}

std::vector<std::unique_ptr<Block>> blocks_of_cluster(const PreparedLaunch& launch, const ClusterShape& shape,
                                                      uint64_t number) {
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Block*> together;
  for (uint32_t rank = 0; rank < shape.cluster.count(); ++rank) {
    blocks.push_back(std::make_unique<Block>(launch, shape.block_in(number, rank)));
    together.push_back(blocks.back().get());
  }
  if (together.size() > 1) Block::form_cluster(together);
  return blocks;
}

Outcome run_blocks(std::span<Block* const> blocks, uint64_t step_budget, std::span<Counts* const> counts) {
  constexpr uint32_t kTurn = 500;  // A warp that polls lets the others go on.
  Issue issue;
  const auto take_turn = [&](Block& block, uint32_t warp, Counts* counted) {
    uint32_t taken = 0;
    for (; taken < kTurn && block.state(warp) == WarpState::Ready && !block.fault(); ++taken) {
      block.step(warp, issue);
      if (!counted) continue;
      ++counted->warp_executions[issue.pc];
      counted->thread_executions[issue.pc] += static_cast<uint64_t>(std::popcount(issue.executed));
    }
    return taken;
  };
  uint64_t steps = 0;
  for (bool all_done = false; !all_done;) {
    all_done = true;
    const uint64_t before = steps;
    for (size_t b = 0; b < blocks.size(); ++b)
      for (uint32_t w = 0; w < blocks[b]->warps(); ++w) {
        steps += take_turn(*blocks[b], w, b < counts.size() ? counts[b] : nullptr);
        if (blocks[b]->fault()) return Outcome::Faulted;
        if (steps > step_budget) return Outcome::StepBudget;
        all_done &= blocks[b]->state(w) == WarpState::Done;
      }
    if (steps == before && !all_done) return Outcome::Deadlocked;
  }
  return Outcome::Finished;
}

}  // namespace tilescope::machine
