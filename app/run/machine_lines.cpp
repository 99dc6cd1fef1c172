#include "run/machine_lines.h"

#include <fmt/format.h>

#include "sass/cubin.h"
#include "sass/decode.h"
#include "sass/lines.h"

namespace tilescope::run {
namespace {

std::optional<uint32_t> scoreboard(uint8_t number) {
  return number == sass::kNoScoreboard ? std::nullopt : std::optional<uint32_t>(number);
}

}  // namespace

std::string MachineLine::sets() const {
  std::string both;
  if (when_done) both = fmt::format("w{}", *when_done);
  if (when_read) both += fmt::format("{}r{}", both.empty() ? "" : " ", *when_read);
  return both;
}

MachineLine machine_line(const sass::Instruction& instruction) {
  const sass::Control& control = instruction.control;
  MachineLine line;
  line.text = sass::to_string(instruction);
  line.offset = instruction.offset;
  line.stall = control.stall;
  line.yields = control.yield;
  line.when_done = scoreboard(control.write_scoreboard);
  line.when_read = scoreboard(control.read_scoreboard);
  for (int i = 0; i < 6; ++i)
    if (control.wait_mask >> i & 1) line.waits += (line.waits.empty() ? "" : ",") + std::to_string(i);
  return line;
}

std::vector<MachineLine> machine_lines(const Build& build) {
  const std::vector<uint8_t>& cubin = build.compiled.cubin;
  if (cubin.empty()) return {};
  const std::string& entry = build.program->function().name;
  const auto code = sass::decode_kernel(sass::kernel_code(cubin, entry), sass::architecture_of(cubin));
  if (!code) return {};
  const sass::LineTable ptx = sass::ptx_lines(cubin, entry, code->size());
  std::vector<MachineLine> lines;
  for (size_t i = 0; i < code->size(); ++i) {
    lines.push_back(machine_line((*code)[i]));
    if (i < ptx.size()) lines.back().ptx_line = ptx[i].line;
  }
  return lines;
}

}  // namespace tilescope::run
