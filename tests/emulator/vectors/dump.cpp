#include "vectors/dump.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "vectors/case.h"

namespace tilescope::vectors {
namespace {

using nlohmann::json;

std::string_view to_string(Tolerance::Kind kind) {
  switch (kind) {
    case Tolerance::Kind::Bits: return "bits";
    case Tolerance::Kind::BitsOrNan: return "bits_or_nan";
    case Tolerance::Kind::Ulps: return "ulps";
    case Tolerance::Kind::Absolute: return "absolute";
    case Tolerance::Kind::Relative: return "relative";
    case Tolerance::Kind::Nothing: return "nothing";
  }
  return "";
}

/// Appends the elements in little-endian order and says where they are.
json append(std::string& data, Type type, const std::vector<uint64_t>& values) {
  data.resize((data.size() + 15) / 16 * 16);
  const size_t offset = data.size();
  for (const uint64_t value : values) {
    for (int byte = 0; byte < width(type) / 8; ++byte) data += static_cast<char>(value >> (8 * byte));
  }
  return {{"type", name_of(type)}, {"count", values.size()}, {"offset", offset}};
}

json describe(const Case& test, std::string& data) {
  const Vectors vectors = generate(test);
  json inputs = json::array();
  for (size_t i = 0; i < test.inputs.size(); ++i)
    inputs.push_back(append(data, test.inputs[i].type, vectors.inputs[i]));
  return {{"module", test.module + ".ptx"},
          {"entry", test.entry},
          {"instruction", test.instruction},
          {"grid", {test.grid.x, test.grid.y, test.grid.z}},
          {"block", {test.block.x, test.block.y, test.block.z}},
          {"inputs", inputs},
          {"guard", append(data, Type::U32, vectors.guard)},
          {"output", append(data, test.output, expected(test, vectors))},
          {"tolerance", {{"kind", to_string(test.tolerance.kind)}, {"amount", test.tolerance.amount}}}};
}

}  // namespace

Result<std::monostate> dump(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  for (const std::string& module : all_modules()) {
    if (auto written = write_file(folder / (module + ".ptx"), module_text(module)); !written) return written;
  }
  std::string data;
  json list = json::array();
  for (const Case& test : all_cases()) list.push_back(describe(test, data));
  if (auto written = write_file(folder / "vectors.bin", data); !written) return written;
  return write_file(folder / "vectors.json", list.dump(1));
}

}  // namespace tilescope::vectors
