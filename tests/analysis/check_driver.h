#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/check_suite.h"

namespace tilescope::analysis {

/// "store 0.32 line 4": block 0, thread 32.
inline std::string record_of(const Site& site) {
  static const std::map<trace::AccessKind, std::string> kNames{{trace::AccessKind::Load, "load"},
                                                               {trace::AccessKind::Store, "store"},
                                                               {trace::AccessKind::Reduction, "reduction"},
                                                               {trace::AccessKind::AsyncCopyWrite, "copy"}};
  return fmt::format("{} {}.{} line {}", kNames.at(site.access), site.thread.block, site.thread.position.x, site.line);
}
/// A finding's data in one line: kind, element, sites, and the fields of its kind.
inline std::string record_of(const Finding& f) {
  std::string text = fmt::format("{} {}: {}", to_string(f.kind), f.element, record_of(f.site));
  if (f.other) text += ", " + record_of(*f.other);
  if (f.stray)
    text += fmt::format(", {} {} {}", f.stray->distance, f.stray->before ? "before" : "past", f.stray->array.name);
  if (f.threads) text += fmt::format(", {} of {}", f.threads, f.block_threads);
  if (f.exited) text += fmt::format(", {} first", f.exited->position.x);
  return f.detail.empty() ? text : text + ", " + f.detail.text();
}

/// Each lane has a float of its own.
inline uint64_t own_word(uint32_t lane) { return lane * 4; }

/// Plays events of an invented kernel to the checkers. Its instructions are on lines 1, 2, ...: pc p is line p + 1.
/// Shared memory holds the 4 x 32 floats As; global memory C, 4 x 32 floats at 0x1000, initialised, and D, as large,
/// at 0x2000, not initialised.
class CheckDriver {
 public:
  explicit CheckDriver(uint32_t threads, uint32_t blocks = 1) : facts_(make_facts(threads, blocks)) {
    checks_ = std::make_unique<CheckSuite>(facts_);
    checks_->block_begin(0);
  }

  using Address = std::function<uint64_t(uint32_t lane)>;
  using Value = std::function<uint32_t(uint32_t lane)>;

  void begin_block(uint32_t block) {
    block_ = block;
    checks_->block_begin(block);
  }
  void op(uint32_t pc, ptx::Op op, size_t operands, std::string modifiers = {}) {
    function_.instructions[pc].op = op;
    function_.instructions[pc].operands.resize(operands);
    if (modifiers.empty()) return;
    // The checkers read modifiers when they begin: they begin anew, so this comes before what is to be checked.
    function_.instructions[pc].modifiers = std::move(modifiers);
    checks_ = std::make_unique<CheckSuite>(facts_);
    checks_->block_begin(block_);
  }
  /// A volatile load at `pc`, and behind it the branch back to it that its value decides. Comes first, as op().
  void polling_load(uint32_t pc) {
    function_.registers.resize(1);
    ptx::Instruction &load = instruction(pc), &branch = instruction(pc + 1);
    load.op = ptx::Op::Ld;
    load.is_volatile = true;
    load.operands.resize(2);
    load.operands[0].kind = ptx::Operand::Kind::Register;
    load.operands[0].index = 0;
    load.operands[1].kind = ptx::Operand::Kind::Address;
    branch.op = ptx::Op::Bra;
    branch.guard = 0;
    branch.operands.resize(1);
    branch.operands[0].kind = ptx::Operand::Kind::Label;
    branch.operands[0].index = static_cast<int32_t>(pc);
    checks_ = std::make_unique<CheckSuite>(facts_);
    checks_->block_begin(block_);
  }
  ptx::Instruction& instruction(uint32_t pc) { return function_.instructions[pc]; }
  trace::Step step(uint32_t pc, uint32_t warp, uint32_t lanes) const {
    return {pc, block_, static_cast<uint16_t>(warp), 0, lanes};
  }
  void access(
      uint32_t pc, trace::AccessKind kind, Space space, uint32_t warp, uint32_t lanes, const Address& address,
      const Value& value = [](uint32_t lane) { return lane; }, uint8_t bytes = 4, bool is_volatile = false) {
    std::array<uint64_t, trace::kLanes> addresses{};
    uint8_t values[trace::kLanes][16]{};
    for (uint32_t lane = 0; lane < trace::kLanes; ++lane) {
      addresses[lane] = address(lane);
      const uint32_t v = value(lane) + warp * 1000 + block_ * 100000;
      for (int i = 0; i < 4; ++i) std::memcpy(&values[lane][4 * i], &v, 4);
    }
    trace::Access a{step(pc, warp, lanes), kind, space, bytes, is_volatile, false, addresses.data(), nullptr};
    if (kind == trace::AccessKind::Store) a.values = values;
    checks_->access(a);
  }
  void load(uint32_t pc, uint32_t warp, const Address& address, uint32_t lanes = UINT32_MAX) {
    access(pc, trace::AccessKind::Load, Space::Shared, warp, lanes, address);
  }
  void store(uint32_t pc, uint32_t warp, const Address& address, uint32_t lanes = UINT32_MAX) {
    access(pc, trace::AccessKind::Store, Space::Shared, warp, lanes, address);
  }
  void sync(uint32_t pc, trace::SyncKind kind, uint32_t id, uint32_t warp, uint32_t lanes = UINT32_MAX,
            uint32_t members = UINT32_MAX) {
    checks_->sync({step(pc, warp, lanes), kind, id, members});
  }
  /// All warps arrive at barrier 0 and pass.
  void barrier(uint32_t pc) {
    op(pc, ptx::Op::BarSync, 1);
    for (uint32_t warp = 0; warp < facts_.warps(); ++warp) sync(pc, trace::SyncKind::BarrierArrive, 0, warp);
    checks_->barrier_complete(block_, 0);
  }
  void complete(uint32_t id) { checks_->barrier_complete(block_, id); }
  void fault(trace::FaultKind kind, uint32_t pc, uint32_t lanes, Space space = Space::None, const Address& address = {},
             trace::AccessKind access_kind = trace::AccessKind::Load, uint8_t bytes = 4, std::string detail = {}) {
    std::array<uint64_t, trace::kLanes> addresses{};
    if (address)
      for (uint32_t lane = 0; lane < trace::kLanes; ++lane) addresses[lane] = address(lane);
    checks_->fault(
        {step(pc, 0, lanes), kind, space, access_kind, bytes, lanes, address ? addresses.data() : nullptr, detail});
  }

  Findings findings() const { return checks_->findings(); }
  std::vector<std::string> records() const {
    std::vector<std::string> all;
    for (const Finding& f : findings()) all.push_back(record_of(f));
    return all;
  }

 private:
  LaunchFacts make_facts(uint32_t threads, uint32_t blocks) {
    function_.instructions.resize(32);
    for (int i = 0; i < 32; ++i) function_.instructions[i].source = {0, i + 1, 1};
    LaunchFacts facts;
    facts.module = &module_;
    facts.function = &function_;
    facts.grid = {blocks, 1, 1};
    facts.block = {threads, 1, 1};
    facts.shared.push_back({"As", Space::Shared, 0, 512, Element::F32, {4, 32}});
    facts.global.push_back({{"C", Space::Global, 0x1000, 512, Element::F32, {4, 32}}, true});
    facts.global.push_back({{"D", Space::Global, 0x2000, 512, Element::F32, {4, 32}}, false});
    return facts;
  }

  ptx::Module module_;
  ptx::Function function_;
  LaunchFacts facts_;
  std::unique_ptr<CheckSuite> checks_;
  uint32_t block_ = 0;
};

}  // namespace tilescope::analysis
