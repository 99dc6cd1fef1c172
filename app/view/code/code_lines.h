#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counter.h"
#include "analysis/findings.h"
#include "run/machine_lines.h"
#include "run/traced_block.h"
#include "view/array_ink.h"
#include "view/focus.h"
#include "view/picture.h"

namespace tilescope::view {

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Bytes [begin, end) of a line, in one ink.
struct Token {
  uint32_t begin = 0, end = 0;
  Ink ink = Ink::Text;
  bool operator==(const Token&) const = default;
};

/// Lines of a program split by colour. Between tokens is space.
struct CodeText {
  std::vector<std::string> lines;
  std::vector<std::vector<Token>> tokens;  ///< By line.
};
/// CUDA C++, lexed line by line. The names in `arrays` have their inks.
CodeText cuda_text(const std::vector<std::string>& lines, const ArrayInks& arrays);
/// PTX. The names of `arrays`, also mangled ones, have their inks.
CodeText ptx_text(const std::vector<std::string>& lines, const ArrayInks& arrays);
/// Machine code. What is kept for reuse has an ink of its own.
CodeText machine_text(const std::vector<run::MachineLine>& lines);

enum class Measure : uint8_t { Sectors, Wavefronts, None };

/// The cost of one kind of access of a line. Shared memory: as merged by ptxas.
struct AccessCost {
  std::string_view what;  ///< "global load"
  Measure measure = Measure::Sectors;
  uint64_t requests = 0;
  uint64_t total = 0;      ///< Sectors or wavefronts.
  uint64_t conflicts = 0;  ///< Wavefronts beyond those of the same lanes without conflict.
  double ideal = 0;        ///< Per request: sectors if the same words were contiguous; wavefronts without conflict.
  bool merged = false;     ///< ptxas merges some of the accesses in the PTX.
  double each() const { return static_cast<double>(total) / static_cast<double>(requests); }
  bool worse() const { return each() > ideal + 0.05; }
};
/// Those that happened; global memory first.
std::vector<AccessCost> access_costs(const analysis::PcCounts& counts);
/// "global load: 4 096 requests, 32.0 sectors each where 4.0 would do"
std::string to_sentence(const AccessCost& cost);

/// ptxas's control bits of a machine instruction for the scheduler, a sentence each.
std::vector<std::string> control_words(const run::MachineLine& line);

/// The facts of one line.
struct LineFacts {
  uint64_t warp_instructions = 0;
  std::vector<AccessCost> costs;
  /// "2.0": sectors or wavefronts per request, of the access furthest from its ideal; else empty. Of machine code
  /// "0,1 w2 4": the scoreboards that it waits for and sets, and its stall count, in columns.
  std::string figure;
  Measure measure = Measure::Sectors;  ///< Of `figure`.
  bool worse = false;                  ///< `figure` is above its ideal.
  std::vector<uint32_t> findings;      ///< Indices into Listing::findings.
};

/// A text with the facts of its lines. Line numbers count from 1; `facts[0]` is unused.
struct CodeSide {
  CodeText text;
  std::vector<LineFacts> facts;
  std::vector<int> shown;  ///< Line numbers, ascending. Without PTX lines that only name the next CUDA line.
  int lines() const { return static_cast<int>(text.lines.size()); }
  const LineFacts& of(int line) const { return facts[static_cast<size_t>(line)]; }
};

/// The CUDA text, the PTX and the machine code of one run, and how they correspond. Made once per traced block.
struct Listing {
  std::string file;                              ///< "09_thread_tile_2d.cu"
  std::string counted;                           ///< The blocks counted: "all 4 blocks", "block (1, 0)".
  CodeSide cuda, ptx, machine;                   ///< The last without lines where there is no machine code.
  std::vector<run::MachineLine> instructions;    ///< Of the machine code: that of line 1 first.
  std::vector<std::vector<int>> ptx_of_line;     ///< By CUDA line: PTX lines, ascending.
  std::vector<int> line_of_ptx;                  ///< By PTX line; 0 for none.
  std::vector<std::vector<int>> machine_of_ptx;  ///< By PTX line: lines of machine code, ascending.
  int ptx_of_machine(int line) const { return static_cast<int>(instructions[static_cast<size_t>(line) - 1].ptx_line); }
  analysis::Findings findings;
  std::map<std::string, std::vector<int>> ptx_of_array;  ///< PTX lines that access an array in the traced block.
};
/// `traced` has a trace. `counted` and `checked` are other runs of the same request, or null: with the whole grid's
/// counts and with all checkers' findings.
Listing make_listing(const run::TracedBlock& traced, const run::GridCounts* counted, const run::CheckResult* checked);

/// Leaves out the comments at the start of the source: they may answer a lesson's question.
void fold_head(Listing& listing);

/// The findings of all three, or what depends on a guess in all three: `which` are `findings` or `unproved`. The last
/// two reports may be null.
analysis::Findings all_findings(const run::TracedBlock& traced, const run::GridCounts* counted,
                                const run::CheckResult* checked,
                                analysis::Findings run::Report::*which = &run::Report::findings);
/// "all 4 blocks", "16 of 4 096 blocks", "block (1, 0)"
std::string counted_where(const run::Report& report);

/// Which lines matter now.
struct LitCode {
  int line = 0, ptx_line = 0, machine_line = 0;      ///< The cursor's; 0 for none.
  std::vector<int> lines, ptx_lines, machine_lines;  ///< Of the highlighted target; ascending.
};
/// The machine code of those lines of PTX, ascending.
std::vector<int> machine_lines_of(const Listing& listing, const std::vector<int>& ptx_lines);
LitCode lit_code(const Listing& listing, const Focus& focus);

}  // namespace tilescope::view
