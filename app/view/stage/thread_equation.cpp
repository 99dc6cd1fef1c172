#include "view/stage/thread_equation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/words.h"
#include "view/stage/stage_layout.h"
#include "view/words.h"

namespace tilescope::view {
namespace {

using EquationWords = std::vector<Equation::Word>;

Equation::Line sentence(std::string words, Ink ink, bool begins_part = false) {
  return {{{std::move(words), ink}}, false, begins_part};
}

/// One line, or a line for each name and the sign after it.
void add_names(Equation& equation, const EquationWords& words, bool one_line) {
  if (one_line) return equation.lines.push_back({words, true, false});
  for (size_t i = 0; i < words.size(); i += 2) {
    equation.lines.push_back({{words[i]}, true, false});
    if (i + 1 < words.size()) equation.lines.back().words.push_back(words[i + 1]);
  }
}

std::string factor_name(const Factor& factor) {
  return factor.array ? name_of(*factor.array, factor.index) : std::string(tr("a computed value"));
}

float space_above(const Equation::Line& line, const Canvas& canvas) {
  return line.begins_part ? canvas.text * 0.7f : 0;
}

float height_of(const Equation::Line& line, float size, const Canvas& canvas) {
  return canvas.text * 1.4f * (line.names ? std::max(1.1f, size * 0.95f) : 1.1f) + space_above(line, canvas);
}

Label label_of(const Equation::Line& line, const Equation::Word& word, float size, Point at, const Canvas& canvas) {
  return {
      at, word.text, {word.ink}, line.names ? Font::Mono : Font::Text, line.names ? canvas.text * size : canvas.text};
}

}  // namespace

Equation equation_of(const ThreadWork& work, size_t values, const Writing& writing) {
  Equation equation{{}, writing.size};
  if (work.current < 0 || work.sums.empty()) {
    equation.lines.push_back(sentence(tr("No product yet."), Ink::Faint));
    return equation;
  }
  const Product& now = work.products[static_cast<size_t>(work.current)];
  equation.lines.push_back(sentence(work.at_cursor ? tr("This product") : tr("The latest product"), Ink::Faint));
  EquationWords product;
  const auto sum =
      std::find_if(work.sums.begin(), work.sums.end(), [&](const SumElement& e) { return e.sum == now.sum; });
  if (sum != work.sums.end())
    product = {{name_of(*sum->array, sum->index), Ink::ArrayC}, {" += ", Ink::Text}};
  else if (work.sums_for_others() > 0)
    product = {{tr("another thread's sum"), Ink::ArrayC}, {" += ", Ink::Text}};
  product.push_back({factor_name(now.a), Ink::ArrayA});
  product.push_back({" × ", Ink::Text});
  product.push_back({factor_name(now.b), Ink::ArrayB});
  add_names(equation, product, writing.one_line);
  if (now.a.input && now.b.input) {
    equation.lines.push_back(sentence(tr("which came from"), Ink::Faint, true));
    add_names(equation,
              {{name_of(*now.a.input, now.a.input_index), Ink::ArrayA},
               {fmt::format(" {} ", tr("and")), Ink::Text},
               {name_of(*now.b.input, now.b.input_index), Ink::ArrayB}},
              writing.one_line);
  }
  const std::string number = work.of_zeros ? tr_format("of zeros, before the first of {}", work.total)
                                           : tr_format("product {} of {}", work.number + 1, work.total);
  equation.lines.push_back(sentence(number, Ink::Text, true));
  if (values > 0)
    equation.lines.push_back(sentence(tr_format("{} for {}", plural(values, "{} value", "{} values"),
                                                plural(work.products.size(), "{} product", "{} products")),
                                      Ink::Faint));
  return equation;
}

void add_meaning_of_numbers(Equation& equation) {
  equation.lines.push_back(sentence(tr("Each cell counts its products."), Ink::Faint));
}

float width_of(const Equation& equation, const Canvas& canvas) {
  float widest = 0;
  for (const Equation::Line& line : equation.lines) {
    std::string all;
    for (const Equation::Word& word : line.words) all += word.text;
    const Label label = label_of(line, {all, Ink::Text}, equation.size, {}, canvas);
    widest = std::max(widest, canvas.measure->width(label.text, label.font, label.size));
  }
  return widest;
}

float height_of(const Equation& equation, const Canvas& canvas) {
  float height = 0;
  for (const Equation::Line& line : equation.lines) height += height_of(line, equation.size, canvas);
  return height;
}

void add_equation(const Equation& equation, Point at, float closeness, const Canvas& canvas, Picture& picture) {
  for (const Equation::Line& line : equation.lines) {
    Point word_at{at.x, at.y + space_above(line, canvas) * closeness};
    for (const Equation::Word& word : line.words) {
      const Label label = label_of(line, word, equation.size, word_at, canvas);
      picture.add(label);
      word_at.x += canvas.measure->width(label.text, label.font, label.size);
    }
    at.y += height_of(line, equation.size, canvas) * closeness;
  }
}

}  // namespace tilescope::view
