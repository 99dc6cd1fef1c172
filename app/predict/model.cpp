#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/file.h"
#include "predict/predict.h"

namespace tilescope::predict {
namespace {

constexpr std::array<std::pair<const char*, double Model::*>, 12> kConstants{{{"global_load", &Model::global_load},
                                                                              {"barrier", &Model::barrier},
                                                                              {"barrier_path", &Model::barrier_path},
                                                                              {"spill", &Model::spill},
                                                                              {"straggler", &Model::straggler},
                                                                              {"banks", &Model::banks},
                                                                              {"fetch", &Model::fetch},
                                                                              {"late", &Model::late},
                                                                              {"sharpness", &Model::sharpness},
                                                                              {"launch", &Model::launch},
                                                                              {"shortest", &Model::shortest},
                                                                              {"fewest_fmas", &Model::fewest_fmas}}};
constexpr std::array<std::pair<const char*, std::array<double, 2> Model::*>, 2> kRanges{
    {{"low", &Model::low}, {"high", &Model::high}}};

Diagnostic lacking(const std::filesystem::path& file, const char* key) {
  return error_at({file.string(), 0, 0}, fmt::format("There is no number for \"{}\".", key));
}

}  // namespace

Result<Model> load_model(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.errors();
  toml::table root;
  try {
    root = toml::parse(*text, file.string());
  } catch (const toml::parse_error& problem) {
    const toml::source_position at = problem.source().begin;
    return error_at({file.string(), static_cast<int>(at.line), static_cast<int>(at.column)},
                    std::string(problem.description()));
  }
  Model model;
  model.device = root["device"].value_or(std::string());
  model.date = root["date"].value_or(std::string());
  for (const auto& [key, member] : kConstants) {
    const std::optional<double> value = root[key].value<double>();
    if (!value) return lacking(file, key);
    model.*member = *value;
  }
  for (const auto& [key, member] : kRanges)
    for (size_t i = 0; i < (model.*member).size(); ++i) {
      const std::optional<double> value = root[key][i].value<double>();
      if (!value) return lacking(file, key);
      (model.*member)[i] = *value;
    }
  return model;
}

}  // namespace tilescope::predict
