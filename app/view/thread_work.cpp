#include "view/thread_work.h"

#include <map>

namespace tilescope::view {
namespace {
using analysis::StepRef;
using run::Side;
using run::TracedArray;
using run::TracedBlock;

/// Calls visit(step, sum) for every multiply-add of the warp that the lane is active in, in order.
template <class Visit>
void for_each_product(const TracedBlock& scene, uint32_t warp, uint32_t lane, Visit visit) {
  const analysis::DataFlow& flow = scene.accesses.data_flow();
  for (const trace::StraightLine& line : scene.log.warps()[warp]) {
    if (!(line.active >> lane & 1)) continue;
    for (uint32_t i = 0; i < line.count; ++i)
      if (const int32_t sum = flow.sum_of(line.pc + i); sum >= 0) visit(line.first_step + i, sum);
  }
}

Factor factor_of(const TracedBlock& scene, const StepRef& at, uint32_t lane, const ptx::Operand& operand) {
  const auto from = scene.accesses.data_flow().origin(at, lane, operand);
  const TracedArray* array = from ? scene.accesses.find(from->space, from->address) : nullptr;
  if (!array) return {};
  return {array, array->index_of(from->address), nullptr, 0};
}

Product product_at(const TracedBlock& scene, const StepRef& at, uint32_t lane, int32_t sum) {
  const ptx::Instruction& instruction = scene.instruction(scene.timeline.pc(at));
  Product product{at.step, sum, factor_of(scene, at, lane, instruction.operands[1]),
                  factor_of(scene, at, lane, instruction.operands[2])};
  const bool exchanged =
      (product.a.array && product.a.array->side == Side::B) || (product.b.array && product.b.array->side == Side::A);
  if (exchanged) std::swap(product.a, product.b);
  return product;
}

void find_input(const TracedBlock& scene, const StepRef& at, Factor& factor) {
  if (!factor.array || factor.array->allocation.space != Space::Shared) return;
  const auto from =
      scene.accesses.data_flow().stored_from(factor.array->address_of(factor.index), scene.timeline.slot(at));
  factor.input = from ? scene.accesses.find(from->space, from->address) : nullptr;
  if (factor.input) factor.input_index = factor.input->index_of(from->address);
}

/// The multiply-add at or before the cursor, else the first; and how many of its sum came before it.
struct Nearest {
  uint32_t step = 0;
  int32_t sum = -1;
  uint32_t number = 0;
};
Nearest nearest_product(const TracedBlock& scene, const StepRef& cursor, uint32_t lane) {
  std::map<int32_t, uint32_t> counts;
  Nearest nearest;
  for_each_product(scene, cursor.warp, lane, [&](uint32_t step, int32_t sum) {
    if (step > cursor.step && nearest.sum >= 0) return;
    nearest = {step, sum, counts[sum]++};
  });
  return nearest;
}

}  // namespace

ThreadWork thread_work(const TracedBlock& scene, const StepRef& cursor, uint32_t lane) {
  ThreadWork work;
  work.sums = sum_elements(scene, cursor.warp, lane);
  const Nearest nearest = nearest_product(scene, cursor, lane);
  if (nearest.sum < 0) return work;
  work.number = nearest.number;
  std::map<int32_t, uint32_t> counts;
  for_each_product(scene, cursor.warp, lane, [&](uint32_t step, int32_t sum) {
    if (sum == nearest.sum) ++work.total;
    if (counts[sum]++ != work.number) return;
    work.products.push_back(product_at(scene, {cursor.warp, step}, lane, sum));
    if (step <= cursor.step) work.current = static_cast<int>(work.products.size()) - 1;
  });
  if (work.current < 0) return work;
  Product& now = work.products[static_cast<size_t>(work.current)];
  work.at_cursor = now.step == cursor.step;
  find_input(scene, {cursor.warp, now.step}, now.a);
  find_input(scene, {cursor.warp, now.step}, now.b);
  return work;
}

}  // namespace tilescope::view
