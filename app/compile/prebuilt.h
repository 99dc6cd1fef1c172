#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "compile/record.h"

namespace tilescope::compile {

/// A request and what NVRTC gave for it.
struct PrebuiltEntry {
  Request request;
  Output output;
};

/// What is kept of an entry, field by field: NVRTC's reply without how long the compile took, and what a refusal names.
/// The same whenever it is made.
Record shipped_reply(const PrebuiltEntry& entry);

/// Writes FOLDER/STEM.prebuilt for entries of one file, for all architectures (their PTX is much the same): what a
/// machine without NVRTC compiles that file from. STEM is that of the requests' file name. The file is one zstd frame;
/// in it is a record of the encoded shipped_reply() of each entry by its request_hash(). One version of zstd writes the
/// same bytes for the same entries.
Result<std::monostate> write_prebuilt(const std::filesystem::path& folder, const std::vector<PrebuiltEntry>& entries);

/// The reply that ships for the request. Else an error that begins with `reason` (why nothing can be compiled here)
/// and lists what ships for its file.
Result<Record> find_prebuilt(const std::filesystem::path& folder, const Request& request, const Message& reason);

/// The macros of each entry for the request's file and architecture, of those that ship without options.
std::vector<std::vector<Macro>> shipped_macros(const std::filesystem::path& folder, const Request& request);

}  // namespace tilescope::compile
