#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/warp.h"

namespace tilescope::machine {

uint32_t Launched::constant(uint32_t bank, int64_t offset, uint32_t bytes) const {
  uint32_t value = 0;
  if (bank >= banks.size() || offset < 0 || offset + bytes > static_cast<int64_t>(banks[bank].size())) return 0;
  std::memcpy(&value, banks[bank].data() + offset, bytes);
  return value;
}

namespace {

// Where the driver puts what a launch says into constant bank 0: block and grid, the end of a thread's local memory.
constexpr uint32_t kBlockAt = 0x00, kGridAt = 0x0c, kLocalEndAt = 0x28;

std::vector<uint8_t> launch_constants(const Program::Impl& program, const emulator::Launch& launch,
                                      uint32_t local_bytes) {
  std::vector<uint8_t> bank(
      program.parameter_offset + std::max<size_t>(program.parameter_bytes, launch.parameters.size()), 0);
  const auto put = [&](uint32_t at, uint32_t value) {
    if (at + 4 <= bank.size()) std::memcpy(bank.data() + at, &value, 4);
  };
  const uint32_t extents[] = {launch.block.x, launch.block.y, launch.block.z,
                              launch.grid.x,  launch.grid.y,  launch.grid.z};
  for (uint32_t i = 0; i < 6; ++i) put((i < 3 ? kBlockAt : kGridAt - 12) + i * 4, extents[i]);
  put(kLocalEndAt, local_bytes);
  std::memcpy(bank.data() + program.parameter_offset, launch.parameters.data(), launch.parameters.size());
  return bank;
}

}  // namespace

Launch::Launch(const Program& program, const emulator::Launch& launch, emulator::GlobalMemory& memory)
    : impl_(std::make_unique<Launched>()) {
  const Program::Impl& code = program.impl();
  Launched& l = *impl_;
  l.program = &program;
  l.launch = &launch;
  l.memory = &memory;
  l.local_bytes = (code.local + 15) / 16 * 16;
  l.banks = code.banks;
  if (l.banks.empty()) l.banks.resize(1);
  l.banks[0] = launch_constants(code, launch, l.local_bytes);
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
Launch::~Launch() = default;
const Program& Launch::program() const { return *impl_->program; }
uint32_t Launch::warps_per_block() const { return impl_->warps; }
uint64_t Launch::shared_bytes() const { return impl_->shared_bytes; }

Block::Block(const Launch& launch, uint64_t index) : impl_(std::make_unique<Impl>()) {
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
Block::Block(Block&&) noexcept = default;

uint32_t Block::warps() const { return static_cast<uint32_t>(impl_->warps.size()); }
WarpState Block::state(uint32_t warp) const { return impl_->warps[warp].state; }
uint32_t Block::next_pc(uint32_t warp) const {
  const Warp& w = impl_->warps[warp];
  return w.paths[w.current].pc;
}
bool Block::done() const { return impl_->live_warps == 0; }
const std::optional<Fault>& Block::fault() const { return impl_->fault; }

void Block::Impl::fail(const Warp& warp, uint32_t lane, uint64_t address, std::string what) {
  if (!fault) fault = Fault{warp.issue ? warp.issue->pc : 0, warp.index, lane, address, std::move(what)};
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

/// The paths that wait in that way become one, at the instruction behind.
void join(Warp& warp, Path::State state, uint32_t waits_for) {
  Path whole;
  for (size_t i = warp.paths.size(); i-- > 0;) {
    const Path& path = warp.paths[i];
    if (path.state != state || path.waits_for != waits_for) continue;
    whole.mask |= path.mask;
    whole.pc = path.pc + 1;
    warp.paths.erase(warp.paths.begin() + static_cast<std::ptrdiff_t>(i));
  }
  warp.paths.push_back(whole);
  warp.current = static_cast<uint32_t>(warp.paths.size() - 1);
}

uint32_t waiting(const Warp& warp, Path::State state, uint32_t waits_for) {
  uint32_t lanes = 0;
  for (const Path& path : warp.paths)
    if (path.state == state && path.waits_for == waits_for) lanes |= path.mask;
  return lanes;
}

/// Lets lanes go on whose convergence barrier, or WARPSYNC, has all the lanes that are left.
void release_joined(Warp& warp) {
  for (bool again = true; again;) {
    again = false;
    for (const Path& path : warp.paths) {
      if (path.state != Path::State::AtSync && path.state != Path::State::AtWarpSync) continue;
      const uint32_t wanted =
          (path.state == Path::State::AtSync ? warp.syncs[path.waits_for] : path.waits_for) & warp.live;
      const uint32_t there = waiting(warp, path.state, path.waits_for);
      if ((wanted & ~there) != 0) continue;
      join(warp, path.state, path.waits_for);
      again = true;
      break;
    }
  }
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
    warp.barrier_result = barrier.votes;
    // Paths that stand at one instruction go on together.
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
  if (in[sass::Field::Mode] == 2)
    barrier.votes += static_cast<uint32_t>(std::popcount((warp.predicates[step.q0] ^ step.q0_flip) & mask));
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
  if (mask)
    for (uint32_t id = 0; id < 16; ++id) check_barrier(*warp.block, id);
}

void wait_for_lanes(Warp& warp, Path::State state, uint32_t waits_for, Issue& issue) {
  Path& path = warp.paths[warp.current];
  path.state = state;
  path.waits_for = waits_for;
  const uint32_t before = path.mask;
  release_joined(warp);
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
    impl_->fail(warp, 0, path.pc, "a branch out of the kernel");
    return;
  }
  const Step& step = program.steps[path.pc];
  const uint32_t mask = path.mask & (warp.predicates[step.guard] ^ step.guard_flip);
  issue.pc = path.pc;
  issue.active = path.mask;
  issue.executed = mask;
  issue.flow = Issue::Flow::Next;
  issue.at_barrier = false;
  issue.accesses = 0;
  warp.issue = &issue;
  switch (step.flow) {
    case Flow::Next:
      if (mask) step.run(warp, step, mask);
      ++path.pc;
      return;
    case Flow::Branch: branch(warp, step, mask & (warp.predicates[step.q0] ^ step.q0_flip), issue); return;
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
      if (!mask)
        ++path.pc;
      else
        wait_for_lanes(warp, Path::State::AtSync, step.value0, issue);
      return;
    case Flow::BreakSync:
      warp.syncs[step.value0] &= ~(mask & (warp.predicates[step.q0] ^ step.q0_flip));
      ++path.pc;
      release_joined(warp);
      return;
    case Flow::WarpSync:
      if (!mask)
        ++path.pc;
      else
        wait_for_lanes(
            warp, Path::State::AtWarpSync,
            step.in->b.kind == sass::Operand::Kind::None ? ~0u : warp.row(step.b.row)[std::countr_zero(mask)], issue);
      return;
    case Flow::Barrier:
      if (!mask)
        ++path.pc;
      else
        arrive_at_barrier(warp, step, mask, issue);
      return;
    case Flow::Exit: exit_lanes(warp, mask & (warp.predicates[step.q0] ^ step.q0_flip), issue); return;
    case Flow::Yield: {
      ++path.pc;
      if (warp.paths.size() > 1) {
        warp.current = (warp.current + 1) % static_cast<uint32_t>(warp.paths.size());
        choose_path(warp);
      }
      return;
    }
    case Flow::Call:
    case Flow::Return:
    case Flow::BranchIndexed: step.run(warp, step, mask); return;
  }
}

Outcome run_block(Block& block, uint64_t step_budget, Counts* counts) {
  Issue issue;
  uint64_t steps = 0;
  while (!block.done()) {
    bool any = false;
    for (uint32_t w = 0; w < block.warps(); ++w) {
      while (block.state(w) == WarpState::Ready) {
        block.step(w, issue);
        if (block.fault()) return Outcome::Faulted;
        if (++steps > step_budget) return Outcome::StepBudget;
        any = true;
        if (!counts) continue;
        ++counts->warp_executions[issue.pc];
        counts->thread_executions[issue.pc] += static_cast<uint64_t>(std::popcount(issue.executed));
      }
    }
    if (!any) return Outcome::Deadlocked;
  }
  return Outcome::Finished;
}

}  // namespace tilescope::machine
