#include "view/code/code_lines.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include <fmt/format.h>

#include "analysis/access_rules.h"
#include "base/arithmetic.h"
#include "base/text.h"
#include "base/words.h"
#include "run/prepare.h"

namespace tilescope::view {
namespace {
using session::Target;

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
const std::set<std::string_view>& keywords() {
  static const std::set<std::string_view> words{"__constant__",
                                                "__device__",
                                                "__forceinline__",
                                                "__global__",
                                                "__host__",
                                                "__launch_bounds__",
                                                "__restrict__",
                                                "__shared__",
                                                "alignas",
                                                "asm",
                                                "auto",
                                                "bool",
                                                "break",
                                                "case",
                                                "char",
                                                "class",
                                                "const",
                                                "const_cast",
                                                "constexpr",
                                                "continue",
                                                "default",
                                                "do",
                                                "double",
                                                "double2",
                                                "double4",
                                                "else",
                                                "enum",
                                                "extern",
                                                "false",
                                                "float",
                                                "float2",
                                                "float3",
                                                "float4",
                                                "for",
                                                "goto",
                                                "half",
                                                "half2",
                                                "if",
                                                "inline",
                                                "int",
                                                "int2",
                                                "int4",
                                                "int32_t",
                                                "int64_t",
                                                "long",
                                                "namespace",
                                                "nullptr",
                                                "reinterpret_cast",
                                                "return",
                                                "short",
                                                "signed",
                                                "size_t",
                                                "sizeof",
                                                "static",
                                                "static_assert",
                                                "static_cast",
                                                "struct",
                                                "switch",
                                                "template",
                                                "this",
                                                "true",
                                                "typedef",
                                                "typename",
                                                "uint32_t",
                                                "uint64_t",
                                                "uint8_t",
                                                "union",
                                                "unsigned",
                                                "using",
                                                "void",
                                                "volatile",
                                                "while",
                                                "__align__",
                                                "uint4",
                                                "uint2"};
  return words;
}

/// Splits one line after another into tokens.
class LineLexer {
 public:
  explicit LineLexer(const ArrayInks& arrays) : arrays_(arrays) {}

  std::vector<Token> cuda(const std::string& line) {
    begin(line);
    if (!in_comment_ && peek_text() == '#') return preprocessor();
    while (at_ < line_->size()) cuda_token();
    return std::move(tokens_);
  }

  std::vector<Token> ptx(const std::string& line) {
    begin(line);
    bool first = true;
    while (at_ < line_->size()) {
      if (is_space((*line_)[at_])) {
        ++at_;
        continue;
      }
      first = ptx_token(first);
    }
    return std::move(tokens_);
  }

 private:
  void begin(const std::string& line) {
    line_ = &line;
    at_ = 0;
    tokens_.clear();
  }
  char peek_text() const {
    const size_t place = line_->find_first_not_of(" \t");
    return place == std::string::npos ? '\0' : (*line_)[place];
  }
  bool starts(std::string_view text) const { return line_->compare(at_, text.size(), text) == 0; }
  void token(size_t end, Ink ink) {
    end = std::min(end, line_->size());
    tokens_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(end), ink});
    at_ = end;
  }
  template <class Predicate>
  size_t end_of(Predicate holds) const {
    size_t end = at_;
    while (end < line_->size() && holds((*line_)[end])) ++end;
    return end;
  }

  std::vector<Token> preprocessor() {
    at_ = line_->find('#');
    const size_t comment = line_->find("//");
    token(comment, Ink::Keyword);
    if (comment != std::string::npos) token(line_->size(), Ink::Faint);
    return std::move(tokens_);
  }
  void block_comment(size_t from) {
    const size_t end = line_->find("*/", from);
    in_comment_ = end == std::string::npos;
    token(in_comment_ ? line_->size() : end + 2, Ink::Faint);
  }
  void quoted(char quote) {
    size_t end = at_ + 1;
    while (end < line_->size() && (*line_)[end] != quote) end += (*line_)[end] == '\\' ? 2 : 1;
    token(end + 1, Ink::Literal);
  }
  void number() {
    token(end_of([](char c) { return is_name_part(c) || c == '.' || c == '\''; }), Ink::Literal);
  }
  void cuda_token() {
    const char c = (*line_)[at_];
    if (in_comment_) return block_comment(at_);
    if (is_space(c)) return void(++at_);
    if (starts("//")) return token(line_->size(), Ink::Faint);
    if (starts("/*")) return block_comment(at_ + 2);
    if (c == '"' || c == '\'') return quoted(c);
    if (is_digit(c)) return number();
    if (is_name_start(c)) return cuda_name();
    token(at_ + 1, Ink::Text);
  }
  void cuda_name() {
    const size_t end = end_of(is_name_part);
    const std::string name = line_->substr(at_, end - at_);
    if (const auto array = arrays_.find(name); array != arrays_.end()) return token(end, array->second);
    if (keywords().contains(name)) return token(end, Ink::Keyword);
    const bool called = name.starts_with("__") && end < line_->size() && (*line_)[end] == '(';
    token(end, called ? Ink::Literal : Ink::Text);
  }

  /// `first`: an opcode or a directive may be here. Returns that of the next token.
  bool ptx_token(bool first) {
    const char c = (*line_)[at_];
    if (starts("//") || (first && (starts(".loc") || starts(".file")))) return token(line_->size(), Ink::Faint), false;
    if (c == '.') return token(end_of([](char d) { return is_name_part(d) || d == '.'; }), Ink::Keyword), false;
    if (c == '@') return token(end_of([](char d) { return !is_space(d); }), Ink::Text), true;
    if (c == '"') return quoted('"'), false;
    if (is_digit(c)) return number(), false;
    if (is_name_start(c) || c == '$' || c == '%') return ptx_name(first);
    return token(at_ + 1, Ink::Text), first && c == '{';
  }
  bool ptx_name(bool first) {
    const size_t end = end_of([](char c) { return is_name_part(c) || c == '$' || c == '%' || c == '.'; });
    const std::string name = line_->substr(at_, end - at_);
    const std::string plain = run::source_name(name);
    if (const auto array = arrays_.find(plain); array != arrays_.end()) return token(end, array->second), false;
    if (name[0] == '$') return token(end, Ink::Literal), first;
    return token(end, first && name[0] != '%' ? Ink::Keyword : Ink::Text), false;
  }

  const ArrayInks& arrays_;
  const std::string* line_ = nullptr;
  size_t at_ = 0;
  bool in_comment_ = false;
  std::vector<Token> tokens_;
};

void add_global(std::vector<AccessCost>& costs, std::string_view what, const analysis::GlobalCounts& counts) {
  if (counts.requests == 0) return;
  const double ideal = counts.ideal_sectors_per_request();
  costs.push_back({what, Measure::Sectors, counts.requests, counts.sectors, 0, ideal, false});
}

void add_shared(std::vector<AccessCost>& costs, std::string_view what, const analysis::SharedCounts& counts,
                bool merged) {
  if (counts.requests == 0) return;
  const double ideal = counts.ideal_wavefronts_per_request();
  costs.push_back(
      {what, Measure::Wavefronts, counts.requests, counts.wavefronts, counts.bank_conflicts, ideal, merged});
}

std::string each_text(const AccessCost& cost) {
  if (cost.measure == Measure::Sectors)
    return cost.worse() ? tr_format("{:.1f} sectors per request instead of {:.1f}", cost.each(), cost.ideal)
                        : tr_format("{:.1f} sectors per request", cost.each());
  return cost.worse() ? tr_format("{:.1f} wavefronts per request instead of {:.1f}", cost.each(), cost.ideal)
                      : tr_format("{:.1f} wavefronts per request", cost.each());
}

void set_counts(LineFacts& facts, uint64_t warp_instructions, const analysis::PcCounts& memory) {
  facts.warp_instructions = warp_instructions;
  facts.costs = access_costs(memory);
  const auto worst = std::max_element(facts.costs.begin(), facts.costs.end(), [](const auto& a, const auto& b) {
    return a.each() / a.ideal < b.each() / b.ideal;
  });
  if (worst == facts.costs.end()) return;
  facts.figure = fmt::format("{:.1f}", worst->each());
  facts.measure = worst->measure;
  facts.worse = worst->worse();
}

template <class Map>
bool in_range(const Map& facts, int line) {
  return line > 0 && static_cast<size_t>(line) < facts.size();
}

void count_lines(Listing& listing, const run::RunResult& counted) {
  const run::Counts& counts = counted.report.counts;
  for (const run::LineCounts& line : counts.lines)
    if (in_range(listing.cuda.facts, line.line))
      set_counts(listing.cuda.facts[static_cast<size_t>(line.line)], line.warp_instructions, line.memory);
  std::map<int, analysis::PcCounts> of_ptx;
  for (uint32_t pc = 0; pc < counts.pcs.size(); ++pc) of_ptx[counted.instruction(pc).line].merge(counts.pcs[pc]);
  for (const auto& [line, warps] : counts.ptx_lines)
    if (in_range(listing.ptx.facts, line))
      set_counts(listing.ptx.facts[static_cast<size_t>(line)], warps, of_ptx[line]);
}

void link_lines(Listing& listing, const run::TracedBlock& traced) {
  listing.ptx_of_line.resize(listing.cuda.facts.size());
  listing.line_of_ptx.resize(listing.ptx.facts.size());
  std::vector<std::set<int>> linked(listing.cuda.facts.size());
  for (uint32_t pc = 0; pc < traced.function().instructions.size(); ++pc) {
    const int line = traced.facts.line_of(pc), ptx_line = traced.instruction(pc).line;
    if (!in_range(linked, line) || !in_range(listing.line_of_ptx, ptx_line)) continue;
    linked[static_cast<size_t>(line)].insert(ptx_line);
    listing.line_of_ptx[static_cast<size_t>(ptx_line)] = line;
  }
  for (size_t line = 0; line < linked.size(); ++line)
    listing.ptx_of_line[line].assign(linked[line].begin(), linked[line].end());
}

/// The arrays that each instruction accesses, from its first record in the trace.
void link_arrays(Listing& listing, const run::TracedBlock& traced) {
  const trace::Trace& trace = traced.trace;
  std::vector<bool> seen(traced.function().instructions.size());
  std::map<std::string, std::set<int>> found;
  uint64_t addresses[trace::kLanes];
  for (size_t i = 0; i < trace.size(); ++i) {
    const uint32_t pc = trace.step(i).pc, active = trace.active(i);
    if (trace.kind(i) != trace::RecordKind::Access || active == 0 || seen[pc]) continue;
    // The two sides of an asynchronous copy are two records of one instruction.
    seen[pc] = traced.instruction(pc).op != ptx::Op::CpAsync;
    trace.addresses(i, addresses);
    const Allocation* array = trace.header().find(trace.space(i), addresses[std::countr_zero(active)]);
    if (array) found[array->name].insert(traced.instruction(pc).line);
  }
  for (const auto& [name, lines] : found) listing.ptx_of_array[name].assign(lines.begin(), lines.end());
}

void place_findings(Listing& listing) {
  for (uint32_t i = 0; i < listing.findings.size(); ++i) {
    const analysis::Site& site = listing.findings[i].site;
    if (in_range(listing.cuda.facts, site.line))
      listing.cuda.facts[static_cast<size_t>(site.line)].findings.push_back(i);
    if (in_range(listing.ptx.facts, site.ptx_line))
      listing.ptx.facts[static_cast<size_t>(site.ptx_line)].findings.push_back(i);
  }
}

void add_machine_code(Listing& listing, const run::Build& build) {
  listing.instructions = run::machine_lines(build);
  listing.machine.text = machine_text(listing.instructions);
  listing.machine.facts.resize(listing.instructions.size() + 1);
  listing.machine_of_ptx.resize(listing.ptx.facts.size());
  for (size_t i = 0; i < listing.instructions.size(); ++i) {
    const run::MachineLine& of = listing.instructions[i];
    const int line = static_cast<int>(i) + 1;
    LineFacts& facts = listing.machine.facts[i + 1];
    facts.figure = fmt::format("{:>5} {:>5} {:>2}", of.waits, of.sets(), of.stall);
    facts.measure = Measure::None;
    listing.machine.shown.push_back(line);
    if (of.ptx_line < listing.machine_of_ptx.size()) listing.machine_of_ptx[of.ptx_line].push_back(line);
  }
}

bool is_worth_showing(const std::string& ptx_line) {
  const size_t begin = ptx_line.find_first_not_of(" \t\r");
  return begin != std::string::npos && ptx_line.compare(begin, 4, ".loc") != 0;
}

void choose_lines(Listing& listing) {
  for (int line = 1; line <= listing.cuda.lines(); ++line) listing.cuda.shown.push_back(line);
  for (int line = 1; line <= listing.ptx.lines(); ++line)
    if (is_worth_showing(listing.ptx.text.lines[static_cast<size_t>(line) - 1])) listing.ptx.shown.push_back(line);
}

std::vector<int> source_lines_of(const Listing& listing, const std::vector<int>& ptx_lines) {
  std::set<int> lines;
  for (const int ptx_line : ptx_lines) lines.insert(listing.line_of_ptx[static_cast<size_t>(ptx_line)]);
  lines.erase(0);
  return {lines.begin(), lines.end()};
}

void light_ptx(LitCode& lit, const Listing& listing, std::vector<int> ptx_lines) {
  lit.lines = source_lines_of(listing, ptx_lines);
  lit.ptx_lines = std::move(ptx_lines);
}

void light_array(LitCode& lit, const Listing& listing, const std::string& name) {
  const auto found = listing.ptx_of_array.find(name);
  if (found != listing.ptx_of_array.end()) light_ptx(lit, listing, found->second);
}

void light_name(LitCode& lit, const CodeText& text, std::string_view name) {
  for (size_t i = 0; i < text.lines.size(); ++i)
    for (const Token& token : text.tokens[i])
      if (std::string_view(text.lines[i]).substr(token.begin, token.end - token.begin) == name) {
        lit.lines.push_back(static_cast<int>(i) + 1);
        break;
      }
}

void light_step(LitCode& lit, const Listing& listing, const Focus& focus, const Target& target) {
  const analysis::Timeline& timeline = focus.traced->timeline;
  if (target.warp >= timeline.warps() || target.index >= timeline.steps(target.warp)) return;
  const uint32_t pc = timeline.pc({target.warp, static_cast<uint32_t>(target.index)});
  const int ptx_line = focus.traced->instruction(pc).line;
  if (in_range(listing.line_of_ptx, ptx_line)) light_ptx(lit, listing, {ptx_line});
}

void light(LitCode& lit, const Listing& listing, const Focus& focus, const Target& target) {
  const auto index = static_cast<int>(std::min<uint64_t>(target.index, INT32_MAX));
  switch (target.kind) {
    case Target::Kind::SourceLine:
      if (!in_range(listing.ptx_of_line, index)) return;
      lit.lines = {index};
      lit.ptx_lines = listing.ptx_of_line[static_cast<size_t>(index)];
      return;
    case Target::Kind::PtxLine:
      if (in_range(listing.line_of_ptx, index)) light_ptx(lit, listing, {index});
      return;
    case Target::Kind::Step: return light_step(lit, listing, focus, target);
    case Target::Kind::Element: return light_array(lit, listing, target.array);
    case Target::Kind::Sector:
      if (const Allocation* array = focus.traced->facts.array_at(Space::Global, target.index))
        light_array(lit, listing, array->name);
      return;
    case Target::Kind::Parameter: return light_name(lit, listing.cuda.text, target.array);
    default: return;
  }
}

}  // namespace

CodeText cuda_text(const std::vector<std::string>& lines, const ArrayInks& arrays) {
  CodeText text{lines, {}};
  LineLexer lexer(arrays);
  for (const std::string& line : text.lines) text.tokens.push_back(lexer.cuda(line));
  return text;
}

CodeText ptx_text(const std::vector<std::string>& lines, const ArrayInks& arrays) {
  CodeText text{lines, {}};
  LineLexer lexer(arrays);
  for (const std::string& line : text.lines) text.tokens.push_back(lexer.ptx(line));
  return text;
}

CodeText machine_text(const std::vector<run::MachineLine>& lines) {
  constexpr std::string_view kReuse = ".reuse";
  CodeText text;
  const ArrayInks no_arrays;
  LineLexer lexer(no_arrays);
  for (const run::MachineLine& line : lines) {
    text.lines.push_back(line.text);
    std::vector<Token>& tokens = text.tokens.emplace_back();
    for (Token token : lexer.ptx(line.text)) {
      const auto word = std::string_view(line.text).substr(token.begin, token.end - token.begin);
      if (!word.ends_with(kReuse)) {
        tokens.push_back(token);
        continue;
      }
      const uint32_t register_end = token.end - static_cast<uint32_t>(kReuse.size());
      tokens.push_back({token.begin, register_end, token.ink});
      tokens.push_back({register_end, token.end, Ink::Literal});
    }
  }
  return text;
}

std::vector<std::string> control_words(const run::MachineLine& line) {
  std::vector<std::string> words;
  if (!line.waits.empty()) words.push_back(tr_format("waits for scoreboard {}", line.waits));
  if (line.when_done) words.push_back(tr_format("holds scoreboard {} until its result is there", *line.when_done));
  if (line.when_read)
    words.push_back(tr_format("holds scoreboard {} until its registers have been read", *line.when_read));
  words.push_back(plural(line.stall, "stall count: the warp's next instruction {} clock later at the earliest",
                         "stall count: the warp's next instruction {} clocks later at the earliest"));
  if (line.text.find(".reuse") != std::string::npos)
    words.emplace_back(tr("reuse: the next instruction finds this register in its operand's slot and reads no bank"));
  return words;
}

std::vector<AccessCost> access_costs(const analysis::PcCounts& counts) {
  std::vector<AccessCost> costs;
  add_global(costs, tr_later("global load"), counts.global_load);
  add_global(costs, tr_later("global store"), counts.global_store);
  add_global(costs, tr_later("local load"), counts.local_load);
  add_global(costs, tr_later("local store"), counts.local_store);
  add_shared(costs, tr_later("shared load"), counts.shared_load_merged,
             counts.shared_load_merged != counts.shared_load);
  add_shared(costs, tr_later("shared store"), counts.shared_store_merged,
             counts.shared_store_merged != counts.shared_store);
  return costs;
}

std::string to_sentence(const AccessCost& cost) {
  std::vector<std::string> parts{
      fmt::format("{}: {}", tr(cost.what), plural(cost.requests, "{} request", "{} requests")), each_text(cost)};
  if (cost.total % cost.requests != 0) parts.emplace_back(tr("an average: they do not all cost the same"));
  if (cost.conflicts > 0) parts.push_back(plural(cost.conflicts, "{} bank conflict", "{} bank conflicts"));
  if (cost.merged) parts.emplace_back(tr("after ptxas merging"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string counted_where(const run::Report& report) {
  const run::Counts& counts = report.counts;
  if (counts.has_all_blocks())
    return counts.blocks_total == 1 ? tr("the only block")
                                    : plural(counts.blocks_total, "all {} block", "all {} blocks");
  if (counts.blocks.size() == 1)
    return tr_format("block {}", position_text(position_in(report.grid, counts.blocks.front())));
  return tr_format("{} of {}", grouped(counts.blocks_counted), plural(counts.blocks_total, "{} block", "{} blocks"));
}

analysis::Findings all_findings(const run::TracedBlock& traced, const run::GridCounts* counted,
                                const run::CheckResult* checked, analysis::Findings run::Report::*which) {
  analysis::Findings findings = traced.report.*which;
  if (checked) findings.unite(checked->report.*which);
  if (counted) findings.unite(counted->report.*which);
  return findings;
}

void fold_head(Listing& listing) {
  std::vector<int>& shown = listing.cuda.shown;
  const auto is_code = [&](int line) {
    const std::string_view text = trimmed(listing.cuda.text.lines[static_cast<size_t>(line) - 1]);
    return !text.empty() && !text.starts_with("//");
  };
  const auto first = std::find_if(shown.begin(), shown.end(), is_code);
  if (first != shown.end()) shown.erase(shown.begin(), first);
}

Listing make_listing(const run::TracedBlock& traced, const run::GridCounts* counted, const run::CheckResult* checked) {
  const ArrayInks arrays = array_inks(traced);
  const run::RunResult& with_counts = counted ? static_cast<const run::RunResult&>(*counted) : traced;
  Listing listing;
  listing.file = traced.request().kernel.file.filename().string();
  listing.counted = counted_where(with_counts.report);
  listing.cuda.text = cuda_text(traced.report.source, arrays);
  listing.ptx.text = ptx_text(lines_of(traced.report.ptx), arrays);
  listing.cuda.facts.resize(listing.cuda.text.lines.size() + 1);
  listing.ptx.facts.resize(listing.ptx.text.lines.size() + 1);
  listing.findings = all_findings(traced, counted, checked);
  add_machine_code(listing, *traced.prepared->build);
  choose_lines(listing);
  count_lines(listing, with_counts);
  link_lines(listing, traced);
  link_arrays(listing, traced);
  place_findings(listing);
  return listing;
}

std::vector<int> machine_lines_of(const Listing& listing, const std::vector<int>& ptx_lines) {
  std::set<int> found;
  for (const int line : ptx_lines)
    if (in_range(listing.machine_of_ptx, line)) {
      const std::vector<int>& of_line = listing.machine_of_ptx[static_cast<size_t>(line)];
      found.insert(of_line.begin(), of_line.end());
    }
  return {found.begin(), found.end()};
}

LitCode lit_code(const Listing& listing, const Focus& focus) {
  LitCode lit;
  const analysis::Timeline& timeline = focus.traced->timeline;
  if (timeline.steps(focus.cursor.warp) > 0) {
    const uint32_t pc = timeline.pc(focus.cursor);
    lit.line = focus.traced->facts.line_of(pc);
    lit.ptx_line = focus.traced->instruction(pc).line;
    const std::vector<int> of_line = machine_lines_of(listing, {lit.ptx_line});
    if (!of_line.empty()) lit.machine_line = of_line.front();
  }
  light(lit, listing, focus, focus.lit());
  lit.machine_lines = machine_lines_of(listing, lit.ptx_lines);
  return lit;
}

}  // namespace tilescope::view
