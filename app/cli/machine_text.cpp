#include "cli/machine_text.h"

#include <fmt/format.h>

#include "base/words.h"
#include "run/machine_lines.h"
#include "sass/decode.h"

namespace tilescope::cli {
namespace {

uint32_t line_of(const sass::LineTable& lines, size_t pc) { return pc < lines.size() ? lines[pc].line : 0; }
std::string line_text(uint32_t line) { return line ? std::to_string(line) : ""; }

}  // namespace

std::string machine_text(const run::MachineBlock& block, const Style& style) {
  std::string text = style.dim(fmt::format("{:>6} {:>6} {:>9}  {:>5} {:<6}{:<6} {}", "source", "PTX", "warps", "stall",
                                           "waits", "sets", "machine code")) +
                     '\n';
  const std::vector<sass::Instruction>& code = block.code.program->code();
  for (size_t pc = 0; pc < code.size(); ++pc) {
    const run::MachineLine line = run::machine_line(code[pc]);
    text += fmt::format("{:>6} {:>6} {:>9}  {:>4}{} {:<6}{:<6} {}\n", line_text(line_of(block.code.sources, pc)),
                        line_text(line_of(block.ptx_lines, pc)), grouped(block.counts.warp_executions[pc]), line.stall,
                        line.yields ? "y" : " ", line.waits, line.sets(), line.text);
  }
  return text;
}

nlohmann::ordered_json machine_json(const run::MachineBlock& block) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const std::vector<sass::Instruction>& code = block.code.program->code();
  for (size_t pc = 0; pc < code.size(); ++pc) {
    const sass::Control& control = code[pc].control;
    nlohmann::ordered_json one = {{"offset", code[pc].offset}, {"text", sass::to_string(code[pc])}};
    if (const uint32_t line = line_of(block.code.sources, pc)) {
      one["file"] = block.code.sources[pc].file;
      one["line"] = line;
    }
    if (const uint32_t line = line_of(block.ptx_lines, pc)) one["ptx_line"] = line;
    one["warps"] = block.counts.warp_executions[pc];
    one["threads"] = block.counts.thread_executions[pc];
    one["stall"] = control.stall;
    one["yield"] = control.yield;
    one["waits_for"] = control.wait_mask;
    if (control.write_scoreboard != sass::kNoScoreboard) one["write_scoreboard"] = control.write_scoreboard;
    if (control.read_scoreboard != sass::kNoScoreboard) one["read_scoreboard"] = control.read_scoreboard;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace tilescope::cli
