#include "compile/hash.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.h"
#include "compile/compiler_log.h"
#include "compile/record.h"

namespace tilescope::compile {
namespace {

// Incremented when the same request would give a different output: other fixed options, other stand-in headers.
constexpr const char* kFormat = "1";

}  // namespace

std::vector<std::string> compiler_options(const Request& request) {
  std::vector<std::string> options{"--gpu-architecture=" + request.arch, "--generate-line-info", "--ptxas-options=-v"};
  std::vector<std::string> further = request.options;
  for (const Macro& macro : request.macros)
    further.push_back(fmt::format("--define-macro={}={}", macro.name, macro.value));
  std::sort(further.begin(), further.end());
  options.insert(options.end(), further.begin(), further.end());
  return options;
}

Record compiler_message(const Request& request) {
  Record message{
      {"source", request.source}, {"name", compiled_name(request)}, {"options", join_lines(compiler_options(request))}};
  if (!request.instances.empty()) message["instances"] = join_lines(request.instances);
  if (request.headers.empty()) return message;
  Record headers;
  for (const Header& header : request.headers) headers[header.name] = header.text;
  message["headers"] = encode(headers);
  return message;
}

std::string request_hash(const Request& request) {
  Record record = compiler_message(request);
  record["format"] = kFormat;
  return sha256(encode(record));
}

std::string cache_hash(const Request& request, const Toolchain& toolchain) {
  return sha256(encode({{"request", request_hash(request)},
                        {"version", toolchain.version},
                        {"identity", toolchain.identity},
                        {"include_folder", toolchain.include_folder}}));
}

}  // namespace tilescope::compile
