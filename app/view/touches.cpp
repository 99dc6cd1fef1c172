#include "view/touches.h"

#include <algorithm>
#include <bit>

namespace tilescope::view {
namespace {
using analysis::Moment;
using analysis::StepKind;
using session::ArrayStory;
using session::Scene;
using trace::kLanes;

void add_elements(const Scene& scene, uint32_t record, std::vector<Touch>& result) {
  const trace::Trace& trace = *scene.trace;
  uint64_t addresses[kLanes];
  trace.addresses(record, addresses);
  const Touch::How how = trace::is_write(trace.access_kind(record)) ? Touch::How::Writes : Touch::How::Reads;
  for (uint32_t rest = trace.active(record); rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const ArrayStory* array = scene.story->find(trace.space(record), addresses[lane]);
    if (!array) continue;
    const uint32_t size = std::max(1u, size_of(array->allocation.element));
    for (uint64_t byte = 0; byte < std::max(size, trace.bytes(record)); byte += size)
      if (array->allocation.contains(addresses[lane] + byte))
        result.push_back({array, array->index_of(addresses[lane] + byte), lane, how});
  }
}

void add_factors(const Scene& scene, const Moment& at, std::vector<Touch>& result) {
  const ptx::Instruction& instruction = scene.instruction(scene.timeline->pc(at));
  for (uint32_t rest = scene.timeline->active(at); rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    for (const size_t operand : {1, 2}) {
      const auto from = scene.story->data_flow().origin(at, lane, instruction.operands[operand]);
      const ArrayStory* array = from ? scene.story->find(from->space, from->address) : nullptr;
      if (array) result.push_back({array, array->index_of(from->address), lane, Touch::How::Uses});
    }
  }
}

/// Calls visit(array, element index, lane) for the elements that one store writes.
template <class Visit>
void for_each_stored(const Scene& scene, const session::OutputStore& store, uint32_t lanes, Visit visit) {
  uint64_t addresses[kLanes];
  scene.trace->addresses(store.record, addresses);
  const ArrayStory* array = scene.story->output();
  const uint64_t offset = uint64_t{store.part} * size_of(array->allocation.element);
  for (uint32_t rest = scene.trace->active(store.record) & lanes; rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (array->allocation.contains(addresses[lane] + offset))
      visit(*array, array->index_of(addresses[lane] + offset), lane);
  }
}

void add_sums(const Scene& scene, const Moment& at, std::vector<Touch>& result) {
  const int32_t sum = scene.story->data_flow().sum_of(scene.timeline->pc(at));
  if (sum < 0) return;
  for (const session::OutputStore& store : scene.story->output_stores(at.warp))
    if (store.sum == sum)
      for_each_stored(scene, store, scene.timeline->active(at), [&](const ArrayStory& array, uint64_t index, uint32_t lane) {
        result.push_back({&array, index, lane, Touch::How::Adds});
      });
}

}  // namespace

std::vector<Touch> touches(const Scene& scene, const Moment& at) {
  std::vector<Touch> result;
  const auto [first, last] = scene.timeline->records(at);
  for (const uint32_t* record = first; record != last; ++record)
    if (scene.trace->kind(*record) == trace::RecordKind::Access) add_elements(scene, *record, result);
  if (scene.timeline->kind(at) == StepKind::Multiply) {
    add_factors(scene, at, result);
    add_sums(scene, at, result);
  }
  return result;
}

std::vector<SumElement> sum_elements(const Scene& scene, uint32_t warp, uint32_t lane) {
  std::vector<SumElement> result;
  for (const session::OutputStore& store : scene.story->output_stores(warp))
    for_each_stored(scene, store, 1u << lane, [&](const ArrayStory& array, uint64_t index, uint32_t) {
      result.push_back({store.sum, &array, index});
    });
  return result;
}

}  // namespace tilescope::view
