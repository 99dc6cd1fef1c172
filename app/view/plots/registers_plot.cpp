#include "view/plots/registers_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "analysis/machine_loop.h"
#include "base/words.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using analysis::MachineInstruction;
using analysis::MachineKind;
using analysis::MachineLoop;

constexpr float kLineHeight = 1.35f;             // Of a line of text, in heights of text.
constexpr float kMostSide = 26, kLeastCell = 2;  // Sides of an instruction's cell, in pixels.
constexpr float kSpotsFrom = 4;                  // Smaller cells cannot be pointed at.

/// The meaning of a cell in the picture's key.
struct CellLook {
  Colour colour;
  const char* words;
};

CellLook look_of(const MachineInstruction& instruction) {
  switch (instruction.kind) {
    case MachineKind::Fma:
      return instruction.conflict() ? CellLook{{Ink::Warning}, tr_later("FMA, two registers of one bank")}
                                    : CellLook{{Ink::Multiply}, tr_later("FMA")};
    case MachineKind::SharedLoad: return {{Ink::LoadShared}, tr_later("load shared")};
    case MachineKind::SharedStore: return {{Ink::StoreShared}, tr_later("store shared")};
    case MachineKind::AsyncCopy: return {{Ink::AsyncCopy}, tr_later("async copy")};
    case MachineKind::GlobalLoad: return {{Ink::LoadGlobal}, tr_later("load global")};
    case MachineKind::Barrier: return {{Ink::Barrier}, tr_later("barrier")};
    default: return {{Ink::OtherStep}, tr_later("other instruction")};
  }
}

/// "R89: even bank; R24: odd bank; R120: reused"
std::string operands_text(const MachineInstruction& fma) {
  std::string text;
  for (size_t i = 0; i < fma.operands.size(); ++i) {
    const uint8_t reg = fma.operands[i];
    if (reg == analysis::kNoRegister) continue;
    text += fmt::format("{}R{}: {}", text.empty() ? "" : "; ", reg,
                        fma.reused[i]  ? tr("kept from the FMA before")
                        : reg % 2 == 0 ? tr("even bank")
                                       : tr("odd bank"));
  }
  return text;
}

PlotSpot spot_of(const MachineInstruction& instruction, size_t number, size_t all, const Box& box) {
  PlotSpot spot{tr(look_of(instruction).words), {tr_format("instruction {} of {} of the loop", number + 1, all)}};
  if (!instruction.text.empty()) {
    spot.lines.insert(spot.lines.begin(), instruction.text);
    spot.lines.push_back(operands_text(instruction));
  }
  spot.box = box;
  return spot;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// The lines above the cells.
std::vector<std::string> figures(const MachineLoop& loop) {
  return {tr_format("FMAs: {} of the main loop's {} instructions, {}", grouped(loop.fmas),
                    grouped(loop.instructions.size()), percent(loop.fma_share())),
          tr_format("two registers of one bank: {} of the FMAs",
                    percent(loop.conflicts / static_cast<double>(std::max(loop.fmas, 1U)))),
          tr_format("an FMA issues in {} of the clocks, by the model", percent(loop.fma_clocks))};
}

/// As large as possible with all cells.
float cell_side(const Box& area, size_t count) {
  float side = kMostSide;
  const auto rows = [&] { return std::ceil(static_cast<float>(count) / std::floor(area.width / side)); };
  while (side > kLeastCell && rows() * side > area.height) side -= 0.25f;
  return side;
}

void add_cells(Plot& plot, const MachineLoop& loop, const Box& area) {
  const size_t count = loop.instructions.size();
  const float side = cell_side(area, count);
  const auto columns = static_cast<uint32_t>(std::min<float>(area.width / side, static_cast<float>(count)));
  const auto rows = static_cast<uint32_t>((count + columns - 1) / columns);
  Cells cells{{area.x, area.y, static_cast<float>(columns) * side, static_cast<float>(rows) * side},
              rows,
              columns,
              side > 6   ? 1.5f
              : side > 3 ? 0.75f
                         : 0,
              {}};
  for (size_t i = 0; i < size_t{rows} * columns; ++i) {
    cells.colours.push_back(i < count ? look_of(loop.instructions[i]).colour : kNoColour);
    if (i >= count || side < kSpotsFrom) continue;
    const Box box{area.x + static_cast<float>(i % columns) * side, area.y + static_cast<float>(i / columns) * side,
                  side, side};
    plot.spots.push_back(spot_of(loop.instructions[i], i, count, box));
  }
  plot.picture.add(std::move(cells));
}

/// The key of the colours that occur, as far as the lines allow. Returns its height.
float add_key(Plot& plot, const MachineLoop& loop, const Canvas& canvas, float top) {
  std::vector<CellLook> entries;
  for (const MachineInstruction& each : loop.instructions) {
    const CellLook look = look_of(each);
    if (std::none_of(entries.begin(), entries.end(), [&](const CellLook& other) { return other.words == look.words; }))
      entries.push_back(look);
  }
  const float size = canvas.text * 0.9f, side = size * 0.8f, line = size * kLineHeight;
  float x = 0, y = top;
  for (const CellLook& entry : entries) {
    const std::string words = tr(entry.words);
    const float width = side + 5 + canvas.measure->width(words, Font::Text, size);
    if (x > 0 && x + width > canvas.width) {
      x = 0;
      y += line;
    }
    plot.picture.add(Rectangle{{x, y + (line - side) / 2, side, side}, entry.colour});
    plot.picture.add(
        Label{{x + side + 5, y + line / 2}, words, {Ink::Text}, Font::Text, size, Align::Begin, Align::Centre});
    x += width + 18;
  }
  return y + line - top;
}

std::string table(const MachineLoop& loop) {
  std::string csv = "instruction,kind,text,even_bank,odd_bank\r\n";
  for (size_t i = 0; i < loop.instructions.size(); ++i) {
    const MachineInstruction& each = loop.instructions[i];
    csv += fmt::format("{},{},\"{}\",{},{}\r\n", i + 1, look_of(each).words, each.text, each.reads[0], each.reads[1]);
  }
  return csv;
}

/// Why there is no loop to show, in two lines.
std::array<std::string, 2> why_none(const run::TracedBlock& traced) {
  const auto& instructions = traced.function().instructions;
  const bool has_tensor_products = std::any_of(instructions.begin(), instructions.end(), [](const auto& instruction) {
    return ptx::class_of(instruction.op) == ptx::OpClass::MatrixMultiply;
  });
  if (has_tensor_products)
    return {tr("The tensor cores multiply in this kernel: it has no loop of FMAs."),
            tr("For other kernels this shows which registers their FMAs read.")};
  if (traced.prepared->machine()) return {tr("The machine code of this kernel has no loop with FMAs."), {}};
  return {tr("No machine code of a loop with FMAs is known of this kernel."),
          tr("With the CUDA Toolkit installed, every kernel's is.")};
}

/// A line, cut to fit; returns where the next thing may begin.
float add_words(Plot& plot, const Canvas& canvas, const std::string& words, Colour colour, float top) {
  plot.picture.add(Label{{0, top},
                         shortened(*canvas.measure, words, Font::Text, canvas.text, canvas.width),
                         colour,
                         Font::Text,
                         canvas.text});
  return top + canvas.text * kLineHeight;
}

/// Some FMAs one after another, a few of which read two registers of one bank: those of which most is kept. Empty if no
/// FMA of the loop does.
std::vector<const MachineInstruction*> fmas_to_show(const MachineLoop& loop, size_t most) {
  std::vector<const MachineInstruction*> fmas, best;
  for (const MachineInstruction& each : loop.instructions)
    if (each.kind == MachineKind::Fma && !each.text.empty()) fmas.push_back(&each);
  std::ptrdiff_t most_kept = -1;
  for (auto first = fmas.begin(); static_cast<size_t>(fmas.end() - first) >= most; ++first) {
    const auto end = first + static_cast<std::ptrdiff_t>(most);
    const auto conflicts = std::count_if(first, end, [](const auto* fma) { return fma->conflict(); });
    const auto kept =
        std::count_if(first, end, [](const auto* fma) { return std::ranges::count(fma->reused, true) > 0; });
    if (conflicts == 0 || (best.size() == most && 2 * conflicts > end - first) || kept <= most_kept) continue;
    best.assign(first, end);
    most_kept = kept;
  }
  return best;
}

/// The two banks as columns, and a third for what stayed with the multipliers: a line for each FMA.
void add_banks(Plot& plot, const std::vector<const MachineInstruction*>& fmas, const Canvas& canvas, float top) {
  const float line = canvas.text * 1.7f, height = canvas.text * 1.4f, unit = canvas.text * 3.2f;
  const float columns[] = {canvas.width * 0.46f, canvas.width * 0.68f, canvas.width * 0.9f};
  const char* const heads[] = {tr_later("even bank"), tr_later("odd bank"), tr_later("kept")};
  for (size_t i = 0; i < std::size(heads); ++i)
    plot.picture.add(Label{{columns[i], top}, tr(heads[i]), {Ink::Faint}, Font::Text, canvas.text});
  for (const MachineInstruction* fma : fmas) {
    top += line;
    const Colour colour = look_of(*fma).colour;
    plot.picture.add(
        Label{{0, top + height / 2},
              shortened(*canvas.measure, fma->text, Font::Mono, canvas.text * 0.85f, columns[0] - canvas.text),
              {fma->conflict() ? Ink::Warning : Ink::Text},
              Font::Mono,
              canvas.text * 0.85f,
              Align::Begin,
              Align::Centre});
    std::array<float, 3> taken{};
    for (size_t i = 0; i < fma->operands.size(); ++i) {
      if (fma->operands[i] == analysis::kNoRegister) continue;
      const size_t column = fma->reused[i] ? 2 : fma->operands[i] % 2;
      const Box box{columns[column] + taken[column], top, unit - 3, height};
      taken[column] += unit;
      plot.picture.add(Rectangle{box, {column == 2 ? Ink::OtherStep : colour.ink, 0.75f}, kNoColour, 0, 3});
      plot.picture.add(Label{box.centre(),
                             fmt::format("R{}", fma->operands[i]),
                             {Ink::OnDark},
                             Font::Mono,
                             canvas.text,
                             Align::Centre,
                             Align::Centre});
    }
  }
}

}  // namespace

Plot registers_plot(const run::TracedBlock& traced, const Canvas& canvas, const session::HiddenFacts& hidden) {
  Plot plot;
  plot.picture.width = canvas.width;
  plot.picture.height = canvas.height;
  const auto& loop = traced.prepared->build->loop;
  if (!loop) {
    const auto [what, further] = why_none(traced);
    const float below = add_words(plot, canvas, what, {Ink::Text}, 0);
    if (!further.empty()) add_words(plot, canvas, further, {Ink::Faint}, below);
    return plot;
  }
  float top = 0;
  if (hidden.figures()) {
    add_words(plot, canvas, covered_text(hidden.asked_in(session::Fact::Totals)), {Ink::Text}, 0);
    return plot;
  }
  constexpr float kLinesOfPicture = 7;  // Its key and the loop, of the height of text.
  for (const std::string& line : figures(*loop)) {
    if (top > 0 && top + kLinesOfPicture * canvas.text > canvas.height) break;
    top = add_words(plot, canvas, line, {top == 0 ? Ink::Strong : Ink::Text}, top);
  }
  top += add_key(plot, *loop, canvas, top + 2) + 8;
  // Where there is room the loop has half of it, and some of its FMAs the other.
  const float room = canvas.height - top, line = canvas.text * 1.7f;
  if (const size_t lines = static_cast<size_t>(std::max(0.0f, room / 2 / line)); lines > 5) {
    const auto fmas = fmas_to_show(*loop, std::min<size_t>(lines - 1, 10));
    if (!fmas.empty()) {
      add_banks(plot, fmas, canvas, top);
      top += line * (static_cast<float>(fmas.size()) + 1.5f);
    }
  }
  if (top + kLeastCell < canvas.height) add_cells(plot, *loop, {0, top, canvas.width, canvas.height - top - 2});
  plot.csv = table(*loop);
  return plot;
}

}  // namespace tilescope::view
