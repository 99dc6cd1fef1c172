#include "compile/prebuilt.h"

#include <zstd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "compile/compiler_log.h"
#include "compile/hash.h"

namespace tilescope::compile {
namespace fs = std::filesystem;
namespace {

constexpr const char* kExtension = ".prebuilt";
constexpr int kLevel = 19;  // Of zstd. It unpacks as fast from any; higher ones need more memory for it.

std::string stem_of(const Request& request) { return fs::path(compiled_name(request)).stem().string(); }

fs::path file_of(const fs::path& folder, const Request& request) { return folder / (stem_of(request) + kExtension); }

// "BM=64 BN=64 --use_fast_math"
std::string values_of(const Request& request) {
  std::vector<std::string> words;
  for (const Macro& macro : request.macros) words.push_back(macro.name + "=" + macro.value);
  words.insert(words.end(), request.options.begin(), request.options.end());
  return words.empty() ? "no macros" : fmt::format("{}", fmt::join(words, " "));
}

std::string compress(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel));
  return packed;
}

std::optional<std::string> decompress(std::string_view packed) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size > kMaxMessageBytes) return std::nullopt;  // Larger, too, are the values for "unknown" and "no zstd".
  std::string bytes(size, '\0');
  if (ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size()) != size) return std::nullopt;
  return bytes;
}

/// ptxas's log without how long it took, so that an entry is the same whenever it is made.
std::string without_time(std::string_view log) {
  std::string text;
  for (const std::string& line : lines_of(log.substr(0, log.find('\0'))))
    if (line.find("Compile time = ") == line.npos) text += line + '\n';
  return text;
}

// A record of entries by the requests' hashes; empty if the file is missing or damaged.
std::string read_entries(const fs::path& path) {
  const Result<std::string> content = read_file(path);
  return content ? decompress(*content).value_or("") : "";
}

/// What values_of() wrote; nullopt for options.
std::optional<std::vector<Macro>> macros_of(std::string_view values) {
  std::vector<Macro> macros;
  for (size_t begin = 0; begin < values.size();) {
    const size_t end = std::min(values.find(' ', begin), values.size());
    const std::string_view word = values.substr(begin, end - begin);
    if (word.starts_with("-")) return std::nullopt;
    if (word.find('=') != word.npos) macros.push_back(parse_macro(word));
    begin = end + 1;
  }
  return macros;
}

/// What ships for one file: the architectures of each set of values, and whether the source is the request's.
struct Offer {
  std::map<std::string, std::set<std::string>> architectures;
  bool same_source = false;
};

Offer offer_of(const std::string& entries, const Request& request) {
  Offer offer;
  for (const auto& [hash, bytes] : decode(entries).value_or(Record{})) {
    const auto entry = decode(bytes);
    if (!entry) continue;
    offer.architectures[std::string(field(*entry, "values"))].insert(std::string(field(*entry, "arch")));
    offer.same_source |= field(*entry, "source_hash") == sha256(request.source);
  }
  return offer;
}

// How many of the values are those of the request.
size_t likeness(const std::string& values, const std::string& asked) {
  std::istringstream words(values);
  size_t equal = 0;
  for (std::string word; words >> word;) equal += (" " + asked + " ").find(" " + word + " ") != std::string::npos;
  return equal;
}

// Of the nearest: "BM=64 BN=64; BM=128 BN=128 (for sm_75, sm_80); and 12 more"
std::string list_of(const Offer& offer, const Request& request) {
  constexpr size_t kMost = 3;
  std::vector<std::pair<std::string, std::set<std::string>>> nearest(offer.architectures.begin(),
                                                                     offer.architectures.end());
  const std::string asked = values_of(request);
  std::ranges::stable_sort(nearest, std::greater(), [&](const auto& each) { return likeness(each.first, asked); });
  const size_t others = nearest.size() - std::min(nearest.size(), kMost);
  nearest.resize(nearest.size() - others);
  std::map<std::set<std::string>, std::vector<std::string>> values_by_architectures;
  for (const auto& [values, architectures] : nearest) values_by_architectures[architectures].push_back(values);
  std::vector<std::string> items;
  for (const auto& [architectures, values] : values_by_architectures)
    items.push_back(fmt::format("{} (for {})", fmt::join(values, "; "), fmt::join(architectures, ", ")));
  if (others > 0) items.push_back(fmt::format("and {} more", others));
  return fmt::format("{}", fmt::join(items, "; "));
}

Message refusal(const Offer& offer, const Request& request) {
  const std::string name = compiled_name(request);
  if (offer.architectures.empty()) return Message("No PTX ships for {}.", name);
  if (!offer.same_source)
    return Message("PTX ships only for the original text of {}, which has been changed. It ships with: {}.", name,
                   list_of(offer, request));
  return Message("No PTX ships for {} with {} on {}. It ships with: {}.", name, values_of(request), request.arch,
                 list_of(offer, request));
}

}  // namespace

Record shipped_reply(const PrebuiltEntry& entry) {
  Record reply{{"ptx", entry.output.ptx},
               {"log", without_time(entry.output.log)},
               {"version", entry.output.version},
               {"result", "0"},
               {"source_hash", sha256(entry.request.source)},
               {"values", values_of(entry.request)},
               {"arch", entry.request.arch}};
  const std::vector<uint8_t>& cubin = entry.output.cubin;
  if (!cubin.empty()) reply.emplace("cubin", std::string(cubin.begin(), cubin.end()));
  return reply;
}

Result<std::monostate> write_prebuilt(const fs::path& folder, const std::vector<PrebuiltEntry>& entries) {
  Record content;
  for (const PrebuiltEntry& entry : entries) content[request_hash(entry.request)] = encode(shipped_reply(entry));
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return error(folder.string() + ": cannot be made: " + problem.message() + ".");
  return write_file(file_of(folder, entries.front().request), compress(encode(content)));
}

Result<Record> find_prebuilt(const fs::path& folder, const Request& request, const Message& reason) {
  const std::string entries = read_entries(file_of(folder, request));
  const auto found = find_field(entries, request_hash(request));
  auto reply = found ? decode(*found) : std::nullopt;
  if (reply) return std::move(*reply);
  Message why = refusal(offer_of(entries, request), request);
  return error_at({request.file_name}, reason.empty() ? std::move(why) : Message("{} {}", reason, std::move(why)));
}

std::vector<std::vector<Macro>> shipped_macros(const fs::path& folder, const Request& request) {
  std::vector<std::vector<Macro>> all;
  for (const auto& [hash, bytes] : decode(read_entries(file_of(folder, request))).value_or(Record{}))
    if (const auto entry = decode(bytes); entry && field(*entry, "arch") == request.arch)
      if (auto macros = macros_of(field(*entry, "values"))) all.push_back(std::move(*macros));
  return all;
}

}  // namespace tilescope::compile
