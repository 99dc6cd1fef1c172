#include "view/stage/thread_accesses.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/words.h"
#include "view/input_values.h"
#include "view/stage/stage_layout.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using run::TracedArray;
using session::Target;

/// One access of the thread.
struct Access {
  uint32_t step = 0;
  const TracedArray* array = nullptr;
  uint64_t index = 0;  ///< Of the first element.
  uint64_t count = 1;  ///< Elements.
  trace::AccessKind kind = trace::AccessKind::Load;
};

std::vector<Access> accesses_of(const Focus& focus) {
  const run::TracedBlock& traced = *focus.traced;
  std::vector<Access> accesses;
  for (const uint32_t record : traced.trace.warp_records(0, focus.cursor.warp)) {
    if (traced.trace.kind(record) != trace::RecordKind::Access || !(traced.trace.active(record) >> focus.lane & 1))
      continue;
    uint64_t addresses[trace::kLanes];
    traced.trace.addresses(record, addresses);
    const uint64_t address = addresses[focus.lane];
    const TracedArray* array = traced.accesses.find(traced.trace.space(record), address);
    if (!array) continue;
    const uint64_t count = std::max<uint64_t>(1, traced.trace.bytes(record) / size_of(array->allocation.element));
    accesses.push_back({traced.trace.step(record).warp_step, array, array->index_of(address), count,
                        traced.trace.access_kind(record)});
  }
  return accesses;
}

const char* verb_of(const Access& access) {
  return trace::is_atomic(access.kind) ? tr("updates") : trace::is_write(access.kind) ? tr("writes") : tr("reads");
}

/// "in[0][0…3]"
std::string elements_of(const Access& access) {
  return access.array->allocation.name + elements_text(*access.array, {access.index, access.index + access.count - 1});
}

std::string value_after(const Focus& focus, const Access& access) {
  const auto value = access.count == 1 && !trace::is_write(access.kind)
                         ? input_value_of(*focus.traced, *access.array, access.index)
                         : std::nullopt;
  return value ? fmt::format(" = {:.6g}", value->value) : std::string();
}

/// A list in columns, each as wide as the widest line.
struct List {
  const Canvas& canvas;
  float verb = 0, width = 0;
  size_t rows = 1, columns = 1;

  float row() const { return canvas.text * 1.6f; }
  Box box_of(size_t place, float top) const {
    return {canvas.text * 1.5f + static_cast<float>(place / rows) * width,
            top + static_cast<float>(place % rows) * row(), width - canvas.text * 2, row()};
  }
};

List list_of(const Focus& focus, const Canvas& canvas, const std::vector<Access>& accesses, float top) {
  List list{canvas};
  for (const char* verb : {tr("reads"), tr("writes"), tr("updates")})
    list.verb = std::max(list.verb, canvas.measure->width(verb, Font::Text, canvas.text) + canvas.text);
  float widest = 0;
  for (const Access& access : accesses)
    widest = std::max(widest,
                      canvas.measure->width(elements_of(access) + value_after(focus, access), Font::Mono, canvas.text));
  list.width = list.verb + widest + canvas.text * 3.5f;
  list.rows = static_cast<size_t>(std::max(1.0f, (canvas.height - top - canvas.text) / list.row()));
  list.columns = static_cast<size_t>(std::max(1.0f, (canvas.width - canvas.text) / list.width));
  return list;
}

void add_access(const Focus& focus, const List& list, const Access& access, const Box& box, Picture& picture) {
  const float text = list.canvas.text, y = box.centre().y;
  const float strength = access.step <= focus.cursor.step ? 1 : 0.45f;
  if (access.step == focus.cursor.step) picture.add(Rectangle{box, kNoColour, {Ink::Accent}, 2, 3});
  Point at{box.x + text * 0.5f, y};
  picture.add(Label{at, verb_of(access), {Ink::Faint, strength}, Font::Text, text, Align::Begin, Align::Centre});
  at.x += list.verb;
  const std::string elements = elements_of(access);
  picture.add(Label{at, elements, {array_ink(*access.array), strength}, Font::Mono, text, Align::Begin, Align::Centre});
  const float end = at.x + list.canvas.measure->width(elements, Font::Mono, text);
  if (const std::string value = value_after(focus, access); !value.empty())
    picture.add(Label{{end, y}, value, {Ink::Text, strength}, Font::Mono, text, Align::Begin, Align::Centre});
  const Target target{Target::Kind::Element, access.array->allocation.space, access.array->allocation.name,
                      access.index, 0};
  if (focus.lit() == target) picture.add(Rectangle{box, kNoColour, {Ink::Hover}, 2, 3});
  picture.add(box, target);
}

}  // namespace

Picture thread_accesses_picture(const Focus& focus, const Canvas& canvas) {
  Picture picture;
  picture.width = canvas.width;
  picture.height = canvas.height;
  const run::TracedBlock& traced = *focus.traced;
  const std::vector<Access> accesses = accesses_of(focus);
  const Dim3 position = traced.facts.thread_at(traced.block, focus.cursor.warp, focus.lane).position;
  std::string head = tr_format("thread {}", to_string(position));
  if (!focus.hidden.has(session::Fact::Counts))
    head += ": " + plural(accesses.size(), "{} access to memory", "{} accesses to memory");
  picture.add(Label{{canvas.text * 2, canvas.text * 0.5f}, head, {Ink::Text}, Font::Text, canvas.text});
  if (accesses.empty()) return picture;
  const float top = canvas.text * 2.6f;
  const List list = list_of(focus, canvas, accesses, top);
  const auto after = std::ranges::upper_bound(accesses, focus.cursor.step, {}, &Access::step);
  const size_t room = list.rows * list.columns, now = static_cast<size_t>(after - accesses.begin());
  const size_t first = accesses.size() <= room ? 0 : std::min(accesses.size() - room, now - std::min(now, room / 2));
  for (size_t i = first; i < std::min(accesses.size(), first + room); ++i)
    add_access(focus, list, accesses[i], list.box_of(i - first, top), picture);
  return picture;
}

}  // namespace tilescope::view
