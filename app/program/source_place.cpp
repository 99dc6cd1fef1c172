#include "program/source_place.h"

#include <charconv>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

namespace tilescope::program {
namespace {

std::string output_of(const std::string& program, const std::vector<std::string>& arguments) {
  constexpr auto kLongest = std::chrono::seconds(5);
  const Patience patience{std::chrono::steady_clock::now() + kLongest};
  auto child = ChildProcess::start(program, arguments, {});
  std::string output;
  char part[4096];
  size_t got = 0;
  while (child && output.size() < (size_t{1} << 20) &&
         child->receive_some(part, sizeof part, got, patience) == Transfer::Done)
    output.append(part, got);
  return output;
}

/// "/home/a/program.cu:12 (discriminator 3)"
SourcePlace place_in(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {};
  SourcePlace place;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), place.line);
  const std::string path = text.substr(0, colon);
  const bool is_own = place.line > 0 && !path.starts_with("?") && path.find("/include/") == std::string::npos &&
                      path.find(".stub.c") == std::string::npos && path.find(".cudafe") == std::string::npos &&
                      path.find("/sysdeps/") == std::string::npos;
  if (is_own) place.file = std::filesystem::path(path).filename().string();
  return place;
}

}  // namespace

SourcePlace own_place(const std::vector<std::string>& places) {
  constexpr const char* kAddr2line = "/usr/bin/addr2line";
  if (::access(kAddr2line, X_OK) != 0) return {};
  for (const std::string& each : places) {
    const size_t tab = each.find('\t');
    if (tab == std::string::npos) continue;
    uint64_t offset = 0;
    std::from_chars(each.data() + tab + 1, each.data() + each.size(), offset);
    const std::string text = output_of(kAddr2line, {"-i", "-e", each.substr(0, tab), fmt::format("0x{:x}", offset)});
    for (const std::string& line : lines_of(text))
      if (const SourcePlace place = place_in(line); !place.file.empty()) return place;
  }
  return {};
}

}  // namespace tilescope::program
