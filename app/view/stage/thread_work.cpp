#include "view/stage/thread_work.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "view/input_values.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using run::Side;
using run::TracedArray;
using run::TracedBlock;

/// The steps at which each sum of a warp's threads is stored anywhere.
using SumStores = std::map<int32_t, std::vector<uint32_t>>;
SumStores stores_of_sums(const TracedBlock& traced, uint32_t warp) {
  SumStores stores;
  for (const uint32_t record : traced.trace.warp_records(0, warp)) {
    if (traced.trace.kind(record) != trace::RecordKind::Access || !trace::is_write(traced.trace.access_kind(record)))
      continue;
    const StepRef at{warp, traced.trace.step(record).warp_step};
    if (traced.timeline.phase(at).kind != analysis::PhaseKind::Store) continue;
    const uint32_t bytes = std::max(1u, size_of(traced.instruction(traced.timeline.pc(at)).type));
    for (uint32_t part = 0; part < traced.trace.bytes(record) / bytes; ++part)
      if (const int32_t sum = traced.accesses.data_flow().sum_stored(at, part); sum >= 0)
        stores[sum].push_back(at.step);
  }
  return stores;
}

/// How often a sum is stored before a step: this identifies its tile of C.
size_t times_stored(const SumStores& stores, int32_t sum, uint32_t step) {
  const auto found = stores.find(sum);
  if (found == stores.end()) return 0;
  return static_cast<size_t>(std::lower_bound(found->second.begin(), found->second.end(), step) -
                             found->second.begin());
}

/// A multiply-add of the thread.
struct Added {
  uint32_t step = 0;
  int32_t sum = -1;
  uint32_t series = 0;  ///< How often it continued after the sum was stored.
  uint32_t round = 0;   ///< How many the sum has had before since then.
};

/// Calls visit(Added) for every multiply-add of the warp that the lane is active in and that is no part of a store, in
/// order.
template <class Visit>
void for_each_product(const TracedBlock& traced, uint32_t warp, uint32_t lane, const SumStores& stores, Visit visit) {
  struct State {
    size_t stored = 0;
    uint32_t series = 0, round = 0;
  };
  const analysis::DataFlow& flow = traced.accesses.data_flow();
  const std::vector<analysis::Phase>& phases = traced.timeline.phases(warp);
  size_t phase = 0;
  std::map<int32_t, State> states;
  for (const trace::StraightLine& line : traced.log.warps()[warp]) {
    if (!(line.active >> lane & 1)) continue;
    for (uint32_t i = 0; i < line.count; ++i) {
      const int32_t sum = flow.sum_of(line.pc + i);
      if (sum < 0) continue;
      const uint32_t step = line.first_step + i;
      while (phases[phase].end <= step) ++phase;
      if (phases[phase].kind == analysis::PhaseKind::Store) continue;
      State& state = states[sum];
      const size_t before = std::exchange(state.stored, times_stored(stores, sum, step));
      if (before != state.stored && state.round > 0) ++state.series, state.round = 0;
      visit(Added{step, sum, state.series, state.round++});
    }
  }
}

Factor factor_of(const TracedBlock& traced, const StepRef& at, uint32_t lane, const ptx::Operand& operand) {
  const auto from = traced.accesses.data_flow().origin(at, lane, operand);
  const TracedArray* array = from ? traced.accesses.find(from->space, from->address) : nullptr;
  if (!array) return {};
  return {array, array->index_of(from->address), nullptr, 0};
}

Product product_at(const TracedBlock& traced, const StepRef& at, uint32_t lane, int32_t sum) {
  const ptx::Instruction& instruction = traced.instruction(traced.timeline.pc(at));
  Product product{at.step, sum, factor_of(traced, at, lane, instruction.operands[1]),
                  factor_of(traced, at, lane, instruction.operands[2])};
  const bool exchanged =
      (product.a.array && product.a.array->side == Side::B) || (product.b.array && product.b.array->side == Side::A);
  if (exchanged) std::swap(product.a, product.b);
  return product;
}

void find_input(const TracedBlock& traced, const StepRef& at, Factor& factor) {
  if (!factor.array || factor.array->allocation.space != Space::Shared) return;
  const auto from =
      traced.accesses.data_flow().stored_from(factor.array->address_of(factor.index), traced.timeline.slot(at));
  factor.input = from ? traced.accesses.find(from->space, from->address) : nullptr;
  if (factor.input) factor.input_index = factor.input->index_of(from->address);
}

/// The multiply-add at or before the cursor, else the first; its sum is -1 where there is none.
Added nearest_product(const TracedBlock& traced, const StepRef& cursor, uint32_t lane, const SumStores& stores) {
  Added nearest;
  for_each_product(traced, cursor.warp, lane, stores, [&](const Added& added) {
    if (added.step <= cursor.step || nearest.sum < 0) nearest = added;
  });
  return nearest;
}

bool is_of_loaded(const Product& product) { return product.a.array || product.b.array; }

/// How many products at the start of a sum are not of loaded values: 1 if a pipeline adds a product of zeros first.
uint32_t products_of_zeros(const TracedBlock& traced, uint32_t warp, uint32_t lane, const std::vector<Added>& of_sum) {
  const auto is_loaded = [&](const Added& added) {
    return is_of_loaded(product_at(traced, {warp, added.step}, lane, added.sum));
  };
  return of_sum.size() > 1 && !is_loaded(of_sum[0]) && is_loaded(of_sum[1]) ? 1 : 0;
}

bool stores_sums_to_shared(const TracedBlock& traced, uint32_t warp) {
  for (const analysis::Phase& phase : traced.timeline.phases(warp))
    for (uint32_t step = phase.begin; phase.kind == analysis::PhaseKind::Store && step < phase.end; ++step)
      if (traced.timeline.kind({warp, step}) == analysis::StepKind::StoreShared) return true;
  return false;
}

/// Sums that tensor cores add to, in each thread of the warp.
size_t tensor_sums_of(const TracedBlock& traced, uint32_t warp) {
  const auto& instructions = traced.function().instructions;
  const std::vector<int32_t>& sums = traced.accesses.data_flow().sums();
  std::vector<bool> seen(instructions.size());
  std::set<int32_t> found;
  for (const trace::StraightLine& line : traced.log.warps()[warp])
    for (uint32_t pc = line.pc; pc < line.pc + line.count; ++pc) {
      if (seen[pc] || ptx::class_of(instructions[pc].op) != ptx::OpClass::MatrixMultiply) continue;
      seen[pc] = true;
      for (const ptx::Operand& each : instructions[pc].operands[0].elements)
        if (each.kind == ptx::Operand::Kind::Register) found.insert(sums[static_cast<size_t>(each.index)]);
    }
  return found.size();
}

/// What the lane has loaded from global memory until the cursor and stores to shared memory later, in that order.
std::vector<Factor> waiting_values(const TracedBlock& traced, const StepRef& cursor, uint32_t lane) {
  std::vector<Factor> waiting;
  const trace::Trace& trace = traced.trace;
  for (const uint32_t record : trace.warp_records(0, cursor.warp)) {
    const StepRef at{cursor.warp, trace.step(record).warp_step};
    if (at.step <= cursor.step || traced.timeline.kind(at) != analysis::StepKind::StoreShared) continue;
    if (!(trace.active(record) >> lane & 1)) continue;
    uint64_t addresses[trace::kLanes];
    trace.addresses(record, addresses);
    for (uint32_t byte = 0; byte < trace.bytes(record); byte += arch::kBankBytes) {
      const auto from = traced.accesses.data_flow().source_of_store(at, lane, addresses[lane] + byte);
      if (!from || from->space != Space::Global) continue;
      if (from->at.step > cursor.step) return waiting;
      if (const TracedArray* array = traced.accesses.find(Space::Global, from->address))
        waiting.push_back({array, array->index_of(from->address), nullptr, 0});
    }
  }
  return waiting;
}

}  // namespace

size_t ThreadWork::sums_for_others() const {
  std::set<int32_t> own;
  for (const SumElement& element : sums) own.insert(element.sum);
  if (own.contains(-1) || !gives_away) return 0;
  return static_cast<size_t>(std::count_if(products.begin(), products.end(),
                                           [&](const Product& product) { return !own.contains(product.sum); }));
}

size_t ThreadWork::values() const {
  std::set<std::pair<const TracedArray*, uint64_t>> elements;
  for (const Product& product : products)
    for (const Factor* factor : {&product.a, &product.b}) elements.emplace(factor->array, factor->index);
  return elements.contains({nullptr, 0}) ? 0 : elements.size();
}

ThreadWork thread_work(const TracedBlock& traced, const StepRef& cursor, uint32_t lane) {
  ThreadWork work;
  work.sums = sum_elements(traced, cursor.warp, lane);
  work.tensor_sums = tensor_sums_of(traced, cursor.warp);
  work.waiting = waiting_values(traced, cursor, lane);
  const SumStores stores = stores_of_sums(traced, cursor.warp);
  const Added nearest = nearest_product(traced, cursor, lane, stores);
  if (nearest.sum < 0) return work;
  std::vector<Added> series, of_sum;
  std::map<int32_t, std::vector<uint32_t>> begins;  // Of each sum's series.
  for_each_product(traced, cursor.warp, lane, stores, [&](const Added& added) {
    if (added.round == 0) begins[added.sum].push_back(added.step);
    if (added.series != nearest.series) return;
    series.push_back(added);
    if (added.sum == nearest.sum) of_sum.push_back(added);
  });
  std::erase_if(work.sums, [&](const SumElement& element) {
    const auto found = begins.find(element.sum);
    if (found == begins.end()) return false;
    const auto after = std::lower_bound(found->second.begin(), found->second.end(), element.step);
    return after - found->second.begin() != static_cast<std::ptrdiff_t>(nearest.series) + 1;
  });
  const uint32_t zeros = products_of_zeros(traced, cursor.warp, lane, of_sum);
  // Before the first product of all, the first of loaded values is shown.
  const uint32_t round = nearest.step > cursor.step ? zeros : nearest.round;
  work.of_zeros = round < zeros;
  work.number = work.of_zeros ? 0 : round - zeros;
  work.total = static_cast<uint32_t>(of_sum.size()) - zeros;
  work.gives_away = stores_sums_to_shared(traced, cursor.warp);
  for (const Added& added : series) {
    if (added.round != round) continue;
    work.products.push_back(product_at(traced, {cursor.warp, added.step}, lane, added.sum));
    if (added.step <= cursor.step) work.current = static_cast<int>(work.products.size()) - 1;
  }
  if (work.current < 0) return work;
  Product& now = work.products[static_cast<size_t>(work.current)];
  work.at_cursor = now.step == cursor.step;
  find_input(traced, {cursor.warp, now.step}, now.a);
  find_input(traced, {cursor.warp, now.step}, now.b);
  return work;
}

std::optional<float> value_of(const TracedBlock& traced, const StepRef& at, Factor factor) {
  find_input(traced, at, factor);
  const TracedArray* array = factor.input ? factor.input : factor.array;
  if (!array) return std::nullopt;
  const auto value = input_value_of(traced, *array, factor.input ? factor.input_index : factor.index);
  return value ? std::optional(value->value) : std::nullopt;
}

}  // namespace tilescope::view
