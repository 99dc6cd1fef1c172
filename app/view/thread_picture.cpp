#include "view/thread_picture.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/words.h"
#include "view/stage_layout.h"
#include "view/words.h"

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
      text({canvas_.text * 2, line_ * 3.4f}, tr("What this thread accesses will be here once you have answered."),
           Ink::Text);
      return std::move(picture_);
    }
    for (const SumElement& element : work_.sums) {
      rows_.insert(element.index / element.array->columns);
      columns_.insert(element.index % element.array->columns);
    }
    if (rows_.empty()) {
      text({canvas_.text * 2, line_ * 3.4f}, tr("This thread stores nothing to C."), Ink::Faint);
      return std::move(picture_);
    }
    above_ = name_above(false);
    lay_out();
    for (const SumElement& element : work_.sums) draw_sum(element);
    draw_factors();
    draw_names();
    draw_equation();
    return std::move(picture_);
  }

 private:
  /// A line of the equation: a sentence, or names of elements and the signs between them.
  using Words = std::vector<std::pair<std::string, Ink>>;
  struct Line {
    Words words;
    bool names = false;
    bool begins_part = false;
  };
  /// How the equation is written: names on one line or below one another, and how large.
  struct Writing {
    bool one_line = false;
    float size = 1;
  };

  float pitch(const Line& line) const {
    return line_ * (line.names ? std::max(1.1f, writing_.size * 0.95f) : 1.1f) + (line.begins_part ? line_ * 0.5f : 0);
  }
  float width_of(const std::string& words) const { return canvas_.measure->width(words, Font::Text, canvas_.text); }
  float width_of(const Line& line) const {
    if (!line.names) return width_of(line.words.front().first);
    std::string all;
    for (const auto& [words, ink] : line.words) all += words;
    return canvas_.measure->width(all, Font::Mono, name_size());
  }
  float name_size() const { return canvas_.text * writing_.size; }

  float names_width() const {
    float width = width_of(above_);
    for (const std::string& words : below_) width = std::max(width, width_of(words));
    return width;
  }

  float row_names_width() const {
    float width = 0;
    for (const Product& product : work_.products)
      if (product.a.array)
        width = std::max(width, canvas_.measure->width(name_of(*product.a.array, product.a.index), Font::Mono, canvas_.text * 0.9f));
    return width;
  }

  /// The equation on one line, and large, where the tile loses nothing by it.
  void lay_out() {
    constexpr Writing kNarrow{false, 1.15f};
    lay_out(kNarrow);
    const float most = cell_;
    for (const Writing writing : {Writing{true, 1.5f}, Writing{true, 1.15f}, kNarrow}) {
      lay_out(writing);
      if (cell_ >= most && equation_at_.x + equation_width() < canvas_.width) return;
    }
    // In very little room beside the tile alone, from the top: its names below are wider.
    const float right = canvas_.width - equation_width() - canvas_.text / 2;
    if (equation_at_.x <= right) return;
    equation_at_ = {std::max(tile_.right() + canvas_.text, right), canvas_.text / 2};
    if (tile_.x + width_of(above_) > equation_at_.x - canvas_.text) above_ = name_above(true);
  }

  float equation_width() const {
    float width = 0;
    for (const Line& line : equation_) width = std::max(width, width_of(line));
    return width;
  }

  /// The tile in the middle, as large as its names and the equation leave room for.
  void lay_out(Writing writing) {
    writing_ = writing;
    equation_ = equation();
    const float left = row_names_width() + canvas_.text * 2.2f, gap = canvas_.text * 2, right = equation_width() + 1.5f * gap;
    const float across = canvas_.width - left - right;
    below_ = names_below(across);
    const float top = line_ * 2.2f, bottom = line_ * (static_cast<float>(below_.size()) + 0.6f);
    const auto rows = static_cast<float>(rows_.size()), columns = static_cast<float>(columns_.size());
    const float down = canvas_.height - top - bottom;
    cell_ = std::min({across / (columns + 1), down / (rows + 1), canvas_.text * 5});
    const float width = cell_ * columns, taken = std::max(width, names_width());
    const float x = left + cell_ + std::max(0.0f, (across - cell_ - taken) / 2);
    tile_ = {x, top + cell_ + (down - cell_ * (rows + 1)) / 2, width, cell_ * rows};
    place_equation(x + taken + gap);
  }

  /// Beside the tile's top, higher where it would not end on the canvas, and closer where even that is too little.
  void place_equation(float x) {
    float height = 0;
    for (const Line& line : equation_) height += pitch(line);
    const float margin = canvas_.text / 2, room = canvas_.height - 2 * margin;
    equation_pitch_ = std::min(1.0f, room / std::max(1.0f, height));
    equation_at_ = {x, std::min(tile_.y, canvas_.height - margin - height * equation_pitch_)};
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
      draw_row_factor(factor, inset({tile_.x - gap - cell_, tile_.y + place(rows_, row) * cell_, cell_, cell_}),
                      now && work_.at_cursor && same(now->a, factor), place(rows_, row));
    for (const auto& [column, factor] : of_column)
      draw_factor(factor, inset({tile_.x + place(columns_, column) * cell_, tile_.y - gap - cell_, cell_, cell_}),
                  now && work_.at_cursor && same(now->b, factor));
  }

  static bool same(const Factor& a, const Factor& b) { return a.array == b.array && a.index == b.index; }

  void draw_factor(const Factor& factor, const Box& box, bool now) {
    if (!factor.array) return;
    const Ink ink = ink_of(factor.array->side);
    picture_.add(Rectangle{box, {ink, 0.75f}, {now ? Ink::Accent : ink, 1}, now ? 3.0f : 1.0f, 2});
    if (focus_.lit() == target_of(*factor.array, factor.index)) picture_.add(Rectangle{box, kNoColour, {Ink::Hover}, 2, 2});
    picture_.add(box, target_of(*factor.array, factor.index));
  }

  /// With its name at the left; where rows are low at every second, fourth, ... only.
  void draw_row_factor(const Factor& factor, const Box& box, bool now, float row) {
    draw_factor(factor, box, now);
    const float size = std::clamp(cell_ * 0.55f, canvas_.text * 0.75f, canvas_.text * 0.9f);
    int every = 1;
    while (static_cast<float>(every) * cell_ < size * 1.25f) every *= 2;
    if (factor.array && static_cast<int>(row) % every == 0)
      picture_.add(Label{{box.x - canvas_.text * 0.5f, box.centre().y}, name_of(*factor.array, factor.index),
                         {ink_of(factor.array->side)}, Font::Mono, size, Align::End, Align::Centre});
  }

  /// What stands above the columns: the one value's name, or the row that they come from.
  std::string name_above(bool brief) const {
    if (work_.products.empty() || !work_.products.front().b.array) return {};
    const Factor& factor = work_.products.front().b;
    if (columns_.size() == 1) return name_of(*factor.array, factor.index);
    const uint64_t row = factor.index / std::max<uint64_t>(1, factor.array->columns);
    const std::string name = fmt::format("{}[{}]", factor.array->allocation.name, row);
    return brief ? name : tr_format("{}, a value for each column", name);
  }

  /// What stands below the tile, in two lines where it or the room across is narrow.
  std::vector<std::string> names_below(float across) const {
    const Dim3 position = scene_.facts.thread_at(scene_.block, focus_.cursor.warp, focus_.lane).position;
    const std::string thread = tr_format("thread {}", to_string(position));
    if (focus_.cover.resources) return {thread};
    const std::string tile = tr_format("{} × {} of C in its registers", rows_.size(), columns_.size());
    const std::string all = thread + ": " + tile;
    if (columns_.size() < 4 || width_of(all) > across * 0.8f) return {thread, tile};
    return {all};
  }

  void draw_names() {
    text({tile_.x, tile_.y - cell_ - canvas_.text * 0.9f - line_ * 1.1f}, above_, Ink::ArrayB);
    Point at{tile_.x, tile_.bottom() + canvas_.text * 0.5f};
    for (const std::string& words : below_) {
      text(at, words, Ink::ArrayC);
      at.y += line_;
    }
  }

  std::vector<Line> equation() const {
    if (work_.current < 0 || work_.sums.empty()) return {sentence(tr("No product yet."), Ink::Faint)};
    const Product& now = work_.products[static_cast<size_t>(work_.current)];
    std::vector<Line> lines{sentence(tr(work_.at_cursor ? "This product" : "The last product"), Ink::Faint)};
    const auto sum = std::find_if(work_.sums.begin(), work_.sums.end(), [&](const SumElement& e) { return e.sum == now.sum; });
    Words product;
    if (sum != work_.sums.end()) product = {{name_of(*sum->array, sum->index), Ink::ArrayC}, {" += ", Ink::Text}};
    const Words factors{{factor_name(now.a), Ink::ArrayA}, {" × ", Ink::Text}, {factor_name(now.b), Ink::ArrayB}};
    product.insert(product.end(), factors.begin(), factors.end());
    add_names(lines, product);
    if (now.a.input && now.b.input) {
      lines.push_back(sentence(tr("which came from"), Ink::Faint, true));
      add_names(lines, {{name_of(*now.a.input, now.a.input_index), Ink::ArrayA},
                        {fmt::format(" {} ", tr("and")), Ink::Text},
                        {name_of(*now.b.input, now.b.input_index), Ink::ArrayB}});
    }
    lines.push_back(sentence(tr_format("product {} of {}", work_.number + 1, work_.total), Ink::Text, true));
    if (!focus_.cover.counts)
      lines.push_back(sentence(tr_format("{} values serve {}", rows_.size() + columns_.size(),
                                         counted(work_.products.size(), "{} product", "{} products")),
                               Ink::Faint));
    return lines;
  }

  static Line sentence(std::string words, Ink ink, bool begins_part = false) {
    return {{{std::move(words), ink}}, false, begins_part};
  }

  /// Names and the signs between them: one line, or a line for each name and the sign behind it.
  void add_names(std::vector<Line>& lines, const Words& words) const {
    if (writing_.one_line) return lines.push_back({words, true, false});
    for (size_t i = 0; i < words.size(); i += 2) {
      lines.push_back({{words[i]}, true, false});
      if (i + 1 < words.size()) lines.back().words.push_back(words[i + 1]);
    }
  }

  static std::string factor_name(const Factor& factor) {
    return factor.array ? name_of(*factor.array, factor.index) : std::string(tr("a computed value"));
  }

  void draw_equation() {
    Point at = equation_at_;
    for (const Line& line : equation_) {
      const float space = line.begins_part ? line_ * 0.5f * equation_pitch_ : 0;
      draw_line({at.x, at.y + space}, line);
      at.y += pitch(line) * equation_pitch_;
    }
  }

  void draw_line(Point at, const Line& line) {
    if (!line.names) return text(at, line.words.front().first, line.words.front().second);
    for (const auto& [words, ink] : line.words) {
      picture_.add(Label{at, words, {ink}, Font::Mono, name_size()});
      at.x += canvas_.measure->width(words, Font::Mono, name_size());
    }
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
  std::string above_;
  std::vector<std::string> below_;
  std::vector<Line> equation_;
  Writing writing_;
  float cell_ = 0, equation_pitch_ = 1;
  Box tile_;
  Point equation_at_;
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
