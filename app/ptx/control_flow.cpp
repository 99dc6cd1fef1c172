#include "ptx/control_flow.h"

#include <algorithm>
#include <utility>

namespace tilescope::ptx {
namespace {

bool is_branch(const Instruction& instruction) { return class_of(instruction.op) == OpClass::Branch; }

/// Control does not return from these, for threads whose guard is true.
bool leaves(const Instruction& instruction) {
  return class_of(instruction.op) == OpClass::Exit || class_of(instruction.op) == OpClass::Trap;
}

bool ends_block(const Instruction& instruction) { return is_branch(instruction) || leaves(instruction); }

bool falls_through(const Instruction& instruction) { return !ends_block(instruction) || instruction.guard >= 0; }

std::vector<int32_t> labels_of(const Function& function, const Instruction& instruction) {
  if (instruction.op == Op::Bra) return {instruction.operands[0].index};
  if (instruction.op == Op::BrxIdx) return function.branch_targets[static_cast<size_t>(instruction.operands[1].index)];
  return {};
}

// A label after the last instruction is the function's end.
bool is_end(const Function& function, int32_t label) {
  return static_cast<size_t>(label) >= function.instructions.size();
}

bool targets_the_end(const Function& function, const Instruction& instruction) {
  const std::vector<int32_t> labels = labels_of(function, instruction);
  return std::any_of(labels.begin(), labels.end(), [&](int32_t label) { return is_end(function, label); });
}

std::vector<int32_t> targets_of(const Function& function, const Instruction& instruction) {
  std::vector<int32_t> targets = labels_of(function, instruction);
  std::erase_if(targets, [&](int32_t label) { return is_end(function, label); });
  return targets;
}

std::vector<bool> block_starts(const Function& function) {
  const size_t count = function.instructions.size();
  std::vector<bool> starts(count);
  if (count) starts[0] = true;
  for (size_t i = 0; i < count; ++i) {
    if (!ends_block(function.instructions[i])) continue;
    if (i + 1 < count) starts[i + 1] = true;
    for (int32_t target : targets_of(function, function.instructions[i])) starts[static_cast<size_t>(target)] = true;
  }
  return starts;
}

void make_blocks(const Function& function, ControlFlow& flow) {
  const std::vector<bool> starts = block_starts(function);
  flow.block_of.resize(starts.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    if (starts[i]) flow.blocks.push_back({static_cast<int32_t>(i), 0, {}, {}});
    flow.blocks.back().last = static_cast<int32_t>(i);
    flow.block_of[i] = static_cast<int32_t>(flow.blocks.size()) - 1;
  }
}

void link(const Function& function, ControlFlow& flow) {
  for (size_t b = 0; b < flow.blocks.size(); ++b) {
    std::vector<int32_t>& successors = flow.blocks[b].successors;
    const Instruction& last = function.instructions[static_cast<size_t>(flow.blocks[b].last)];
    if (falls_through(last) && b + 1 < flow.blocks.size()) successors.push_back(static_cast<int32_t>(b) + 1);
    for (int32_t target : targets_of(function, last)) successors.push_back(flow.block_of[static_cast<size_t>(target)]);
    std::sort(successors.begin(), successors.end());
    successors.erase(std::unique(successors.begin(), successors.end()), successors.end());
    for (int32_t s : successors) flow.blocks[static_cast<size_t>(s)].predecessors.push_back(static_cast<int32_t>(b));
  }
}

using Edges = std::vector<std::vector<int32_t>>;

std::vector<int32_t> reverse_postorder(const Edges& successors, int32_t root) {
  std::vector<int32_t> order;
  std::vector<bool> seen(successors.size());
  std::vector<std::pair<int32_t, size_t>> stack{{root, 0}};
  seen[static_cast<size_t>(root)] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const std::vector<int32_t>& edges = successors[static_cast<size_t>(node)];
    if (next == edges.size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const int32_t child = edges[next++];
    if (seen[static_cast<size_t>(child)]) continue;
    seen[static_cast<size_t>(child)] = true;
    stack.emplace_back(child, 0);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// Immediate dominators by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
/// -1 for the root and for unreachable nodes.
std::vector<int32_t> dominators(const Edges& successors, const Edges& predecessors, int32_t root) {
  const std::vector<int32_t> order = reverse_postorder(successors, root);
  std::vector<int32_t> position(successors.size(), -1), dominator(successors.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) position[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
  const auto at = [](std::vector<int32_t>& list, int32_t i) -> int32_t& { return list[static_cast<size_t>(i)]; };
  at(dominator, root) = root;
  const auto meet = [&](int32_t a, int32_t b) {
    while (a != b) {
      while (at(position, a) > at(position, b)) a = at(dominator, a);
      while (at(position, b) > at(position, a)) b = at(dominator, b);
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t node : order) {
      if (node == root) continue;
      int32_t best = -1;
      for (int32_t p : predecessors[static_cast<size_t>(node)])
        if (at(dominator, p) >= 0) best = best < 0 ? p : meet(best, p);
      changed |= std::exchange(at(dominator, node), best) != best;
    }
  }
  at(dominator, root) = -1;
  return dominator;
}

/// Marks the nodes that can reach `to`.
void mark_reaching(const Edges& predecessors, int32_t to, std::vector<bool>& reaches) {
  std::vector<int32_t> stack{to};
  reaches[static_cast<size_t>(to)] = true;
  while (!stack.empty()) {
    const int32_t node = stack.back();
    stack.pop_back();
    for (int32_t p : predecessors[static_cast<size_t>(node)]) {
      if (reaches[static_cast<size_t>(p)]) continue;
      reaches[static_cast<size_t>(p)] = true;
      stack.push_back(p);
    }
  }
}

Edges reversed(const Edges& edges) {
  Edges result(edges.size());
  for (size_t from = 0; from < edges.size(); ++from)
    for (int32_t to : edges[from]) result[static_cast<size_t>(to)].push_back(static_cast<int32_t>(from));
  return result;
}

/// An endless loop has no path to an exit. Its last block in the text gets an edge to it, so that every block has a
/// post-dominator.
void leave_endless_loops(Edges& forward, int32_t exit) {
  const Edges backward = reversed(forward);
  std::vector<bool> reaches(forward.size());
  mark_reaching(backward, exit, reaches);
  for (int32_t block = exit; block-- > 0;) {
    if (reaches[static_cast<size_t>(block)]) continue;
    forward[static_cast<size_t>(block)].push_back(exit);
    mark_reaching(backward, block, reaches);
  }
}

/// Whether control can leave the function after the last instruction of a block.
bool may_exit(const Function& function, int32_t last) {
  const Instruction& instruction = function.instructions[static_cast<size_t>(last)];
  return leaves(instruction) || (is_end(function, last + 1) && falls_through(instruction)) ||
         targets_the_end(function, instruction);
}

void find_post_dominators(ControlFlow& flow, const Function& function) {
  const auto exit = static_cast<int32_t>(flow.blocks.size());
  Edges forward(flow.blocks.size() + 1);
  for (size_t b = 0; b < flow.blocks.size(); ++b) {
    forward[b] = flow.blocks[b].successors;
    if (may_exit(function, flow.blocks[b].last)) forward[b].push_back(exit);
  }
  leave_endless_loops(forward, exit);
  flow.post_dominator = dominators(reversed(forward), forward, exit);
  flow.post_dominator.pop_back();
  for (int32_t& block : flow.post_dominator)
    if (block == exit) block = -1;
}

}  // namespace

int32_t ControlFlow::reconvergence(int32_t pc) const {
  const int32_t block = post_dominator[static_cast<size_t>(block_of[static_cast<size_t>(pc)])];
  return block < 0 ? -1 : blocks[static_cast<size_t>(block)].first;
}

ControlFlow control_flow(const Function& function) {
  ControlFlow flow;
  make_blocks(function, flow);
  if (flow.blocks.empty()) return flow;
  link(function, flow);
  Edges successors, predecessors;
  for (const BasicBlock& block : flow.blocks) {
    successors.push_back(block.successors);
    predecessors.push_back(block.predecessors);
  }
  flow.immediate_dominator = dominators(successors, predecessors, 0);
  find_post_dominators(flow, function);
  return flow;
}

}  // namespace tilescope::ptx
