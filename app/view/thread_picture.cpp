#include "view/thread_picture.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "view/stage_layout.h"

namespace tilescope::view {
namespace {
using analysis::Moment;
using session::ArrayStory;
using session::Scene;
using session::Side;
using session::Target;

/// Calls visit(step, sum) for every multiply-add of the warp that the lane is active in, in order.
template <class Visit>
void for_each_product(const Scene& scene, uint32_t warp, uint32_t lane, Visit visit) {
  const analysis::DataFlow& flow = scene.story->data_flow();
  for (const trace::StraightLine& line : scene.log.warps()[warp]) {
    if (!(line.active >> lane & 1)) continue;
    for (uint32_t i = 0; i < line.count; ++i)
      if (const int32_t sum = flow.sum_of(line.pc + i); sum >= 0) visit(line.first_step + i, sum);
  }
}

Factor factor_of(const Scene& scene, const Moment& at, uint32_t lane, const ptx::Operand& operand) {
  const auto from = scene.story->data_flow().origin(at, lane, operand);
  const ArrayStory* array = from ? scene.story->find(from->space, from->address) : nullptr;
  if (!array) return {};
  return {array, array->index_of(from->address), nullptr, 0};
}

Product product_at(const Scene& scene, const Moment& at, uint32_t lane, int32_t sum) {
  const ptx::Instruction& instruction = scene.instruction(scene.timeline->pc(at));
  Product product{at.step, sum, factor_of(scene, at, lane, instruction.operands[1]),
                  factor_of(scene, at, lane, instruction.operands[2])};
  const bool exchanged = (product.a.array && product.a.array->side == Side::B) ||
                         (product.b.array && product.b.array->side == Side::A);
  if (exchanged) std::swap(product.a, product.b);
  return product;
}

void find_input(const Scene& scene, const Moment& at, Factor& factor) {
  if (!factor.array || factor.array->allocation.space != Space::Shared) return;
  const auto from = scene.story->data_flow().stored_from(factor.array->address_of(factor.index), scene.timeline->column(at));
  factor.input = from ? scene.story->find(from->space, from->address) : nullptr;
  if (factor.input) factor.input_index = factor.input->index_of(from->address);
}

/// The multiply-add at or before the cursor, else the first; and how many of its sum came before it.
struct Nearest {
  uint32_t step = 0;
  int32_t sum = -1;
  uint32_t number = 0;
};
Nearest nearest_product(const Scene& scene, const Moment& cursor, uint32_t lane) {
  std::map<int32_t, uint32_t> counts;
  Nearest nearest;
  for_each_product(scene, cursor.warp, lane, [&](uint32_t step, int32_t sum) {
    if (step > cursor.step && nearest.sum >= 0) return;
    nearest = {step, sum, counts[sum]++};
  });
  return nearest;
}

std::string name_of(const ArrayStory& array, uint64_t index) {
  return element_name(array.allocation, array.address_of(index));
}

Target target_of(const ArrayStory& array, uint64_t index) {
  return {Target::Kind::Element, array.allocation.space, array.allocation.name, index, 0};
}

/// Draws one frame of the thread.
class ThreadStage {
 public:
  ThreadStage(const Focus& focus, const Canvas& canvas)
      : focus_(focus), scene_(*focus.scene), canvas_(canvas), line_(canvas.text * 1.4f),
        work_(thread_work(scene_, focus.cursor, focus.lane)) {
    picture_.width = canvas.width;
    picture_.height = canvas.height;
  }

  Picture draw() {
    if (focus_.cover.accesses) {
      text({canvas_.text * 2, line_ * 3.4f}, "What this thread accesses will be here once you have answered.", Ink::Text);
      return std::move(picture_);
    }
    for (const SumElement& element : work_.sums) {
      rows_.insert(element.index / element.array->columns);
      columns_.insert(element.index % element.array->columns);
    }
    if (rows_.empty()) {
      text({canvas_.text * 2, line_ * 3.4f}, "This thread stores nothing to C.", Ink::Faint);
      return std::move(picture_);
    }
    lay_out();
    for (const SumElement& element : work_.sums) draw_sum(element);
    draw_factors();
    draw_names();
    draw_equation();
    return std::move(picture_);
  }

 private:
  void lay_out() {
    const float left = canvas_.text * 9, top = line_ * 3.2f, right = canvas_.text * 21, bottom = line_ * 1.8f;
    const auto rows = static_cast<float>(rows_.size()), columns = static_cast<float>(columns_.size());
    const float most = canvas_.text * 5;
    cell_ = std::min({(canvas_.width - left - right) / columns, (canvas_.height - top - bottom) / (rows + 1), most});
    const float width = cell_ * columns, height = cell_ * rows;
    const float x = left + std::max(0.0f, (canvas_.width - left - right - width) / 2);
    tile_ = {x, top + cell_ + std::max(0.0f, (canvas_.height - top - bottom - cell_ - height) / 2), width, height};
  }

  static float place(const std::set<uint64_t>& all, uint64_t value) {
    return static_cast<float>(std::distance(all.begin(), all.find(value)));
  }

  Box sum_box(const SumElement& element) const {
    const uint64_t columns = element.array->columns;
    return inset({tile_.x + place(columns_, element.index % columns) * cell_,
                  tile_.y + place(rows_, element.index / columns) * cell_, cell_, cell_});
  }

  Box inset(Box box) const {
    const float gap = std::max(0.5f, cell_ * 0.035f);
    return {box.x + gap, box.y + gap, box.width - 2 * gap, box.height - 2 * gap};
  }

  void draw_sum(const SumElement& element) {
    const auto product = std::find_if(work_.products.begin(), work_.products.end(),
                                      [&](const Product& p) { return p.sum == element.sum; });
    const bool done = product != work_.products.end() && product->step <= focus_.cursor.step;
    const bool now = work_.current >= 0 && work_.at_cursor && work_.products[static_cast<size_t>(work_.current)].sum == element.sum;
    const Box box = sum_box(element);
    const Colour fill{Ink::ArrayC, done ? 0.8f : 0.22f};
    picture_.add(Rectangle{box, fill, {now ? Ink::Accent : Ink::ArrayC, now ? 1.0f : 0.35f}, now ? 3.0f : 1.0f, 2});
    if (focus_.lit() == target_of(*element.array, element.index))
      picture_.add(Rectangle{box, kNoColour, {Ink::Hover}, 2, 2});
    const uint32_t products = work_.number + (done ? 1 : 0);
    const std::string count = std::to_string(products);
    if (cell_ > canvas_.text * 1.7f)
      picture_.add(Label{box.centre(), count, {done ? Ink::OnDark : Ink::Text}, Font::Mono,
                         std::min(canvas_.text, cell_ * 0.4f), Align::Centre, Align::Centre});
    picture_.add(box, target_of(*element.array, element.index));
  }

  /// The factor of the current products for each row, and for each column.
  void draw_factors() {
    std::map<uint64_t, Factor> of_row, of_column;
    for (const SumElement& element : work_.sums)
      for (const Product& product : work_.products)
        if (product.sum == element.sum) {
          of_row.try_emplace(element.index / element.array->columns, product.a);
          of_column.try_emplace(element.index % element.array->columns, product.b);
        }
    const float gap = canvas_.text * 0.9f;
    const Product* now = work_.current >= 0 ? &work_.products[static_cast<size_t>(work_.current)] : nullptr;
    for (const auto& [row, factor] : of_row)
      draw_factor(factor, inset({tile_.x - gap - cell_, tile_.y + place(rows_, row) * cell_, cell_, cell_}),
                  now && work_.at_cursor && same(now->a, factor), true);
    for (const auto& [column, factor] : of_column)
      draw_factor(factor, inset({tile_.x + place(columns_, column) * cell_, tile_.y - gap - cell_, cell_, cell_}),
                  now && work_.at_cursor && same(now->b, factor), false);
  }

  static bool same(const Factor& a, const Factor& b) { return a.array == b.array && a.index == b.index; }

  void draw_factor(const Factor& factor, const Box& box, bool now, bool left) {
    if (!factor.array) return;
    const Ink ink = ink_of(factor.array->side);
    picture_.add(Rectangle{box, {ink, 0.75f}, {now ? Ink::Accent : ink, 1}, now ? 3.0f : 1.0f, 2});
    if (focus_.lit() == target_of(*factor.array, factor.index)) picture_.add(Rectangle{box, kNoColour, {Ink::Hover}, 2, 2});
    picture_.add(box, target_of(*factor.array, factor.index));
    const float size = std::min(canvas_.text * 0.9f, cell_ * 0.55f);
    if (left && size >= canvas_.text * 0.6f)
      picture_.add(Label{{box.x - canvas_.text * 0.5f, box.centre().y}, name_of(*factor.array, factor.index), {ink}, Font::Mono,
                         size, Align::End, Align::Centre});
  }

  void draw_names() {
    const Product* any = work_.products.empty() ? nullptr : &work_.products.front();
    const std::string b = any && any->b.array ? any->b.array->allocation.name : "";
    if (!b.empty())
      text({tile_.x, tile_.y - cell_ - canvas_.text * 0.9f - line_ * 1.1f},
           fmt::format("{}, a value for each column", name_with_row(*any)), Ink::ArrayB);
    const Dim3 thread = scene_.facts.thread_at(scene_.block, focus_.cursor.warp, focus_.lane).position;
    std::string words = "thread " + to_string(thread);
    if (!focus_.cover.resources) words += fmt::format(": {} × {} of C in its registers", rows_.size(), columns_.size());
    text({tile_.x, tile_.bottom() + canvas_.text * 0.5f}, words, Ink::ArrayC);
  }

  static std::string name_with_row(const Product& product) {
    const ArrayStory& array = *product.b.array;
    return fmt::format("{}[{}]", array.allocation.name, product.b.index / std::max<uint64_t>(1, array.columns));
  }

  void draw_equation() {
    Point at{tile_.right() + canvas_.text * 2, tile_.y};
    if (work_.current < 0 || work_.sums.empty()) return text(at, "No product yet.", Ink::Faint);
    const Product& now = work_.products[static_cast<size_t>(work_.current)];
    const auto sum = std::find_if(work_.sums.begin(), work_.sums.end(), [&](const SumElement& e) { return e.sum == now.sum; });
    text(at, work_.at_cursor ? "This product" : "The last product", Ink::Faint);
    at.y += line_ * 1.2f;
    if (sum != work_.sums.end()) equation_line(at, name_of(*sum->array, sum->index), Ink::ArrayC, "+=");
    equation_line(at, factor_name(now.a), Ink::ArrayA, "×");
    equation_line(at, factor_name(now.b), Ink::ArrayB, "");
    at.y += line_ * 0.5f;
    if (now.a.input && now.b.input) {
      text(at, "which came from", Ink::Faint);
      at.y += line_ * 1.1f;
      equation_line(at, name_of(*now.a.input, now.a.input_index), Ink::ArrayA, "and");
      equation_line(at, name_of(*now.b.input, now.b.input_index), Ink::ArrayB, "");
      at.y += line_ * 0.5f;
    }
    text(at, fmt::format("product {} of {} for this element", work_.number + 1, work_.total), Ink::Text);
    at.y += line_;
    if (!focus_.cover.counts)
      text(at, fmt::format("{} values serve {} products", rows_.size() + columns_.size(), work_.products.size()), Ink::Faint);
  }

  static std::string factor_name(const Factor& factor) {
    return factor.array ? name_of(*factor.array, factor.index) : std::string("a computed value");
  }

  void equation_line(Point& at, const std::string& name, Ink ink, const std::string& after) {
    const float size = canvas_.text * 1.15f;
    picture_.add(Label{at, name, {ink}, Font::Mono, size});
    const float width = canvas_.measure->width(name + " ", Font::Mono, size);
    if (!after.empty()) picture_.add(Label{{at.x + width, at.y}, after, {Ink::Text}, Font::Mono, size});
    at.y += line_ * 1.15f;
  }

  void text(const Point& at, const std::string& words, Ink ink) {
    picture_.add(Label{at, words, {ink}, Font::Text, canvas_.text});
  }

  const Focus& focus_;
  const Scene& scene_;
  const Canvas& canvas_;
  float line_;
  ThreadWork work_;
  std::set<uint64_t> rows_, columns_;
  float cell_ = 0;
  Box tile_;
  Picture picture_;
};

}  // namespace

ThreadWork thread_work(const Scene& scene, const Moment& cursor, uint32_t lane) {
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

Picture thread_picture(const Focus& focus, const Canvas& canvas) { return ThreadStage(focus, canvas).draw(); }

}  // namespace tilescope::view
