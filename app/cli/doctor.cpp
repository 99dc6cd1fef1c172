#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/text.h"
#include "measure/measurer.h"
#include "session/doctor.h"

namespace tilescope::cli {
namespace {
using session::Health;
using session::Requirement;

const char* word_for(Health health) {
  switch (health) {
    case Health::Good: return "here";
    case Health::Limited: return "limited";
    case Health::Missing: return "missing";
  }
  return "";
}

std::string text_of(const std::vector<Requirement>& facts, const Style& style) {
  constexpr size_t kIndent = 24;
  std::string text;
  for (const Requirement& fact : facts) {
    const std::string word = word_for(fact.health);
    const std::string coloured = fact.health == Health::Good ? style.good(word) : style.bold(word);
    text +=
        style.bold(fact.name) + std::string(15 - fact.name.size(), ' ') + coloured + std::string(9 - word.size(), ' ');
    text += wrapped(fact.found, kWidth - kIndent, kIndent) + '\n';
    text += std::string(kIndent, ' ') + style.dim(wrapped(fact.means, kWidth - kIndent, kIndent)) + '\n';
  }
  return text;
}

Requirement without_agent(Health health, std::string found) {
  return {"Agent", health, std::move(found),
          "Nothing can be measured; recorded and published times are shown all the same."};
}

/// Whether kernels can be measured, here or through $TILESCOPE_AGENT.
Requirement examine_agent(compile::Compiler& compiler) {
  measure::Settings settings;
  settings.start_limit = std::chrono::seconds(5);
  run::RunCache runs(compiler);
  measure::Measurer measurer(settings, runs);
  const Result<protocol::AgentFacts> facts = measurer.connect(&interrupted());
  if (!facts) return without_agent(Health::Missing, text_of(facts.errors().front()));
  if (!facts->problem.empty()) return without_agent(Health::Limited, facts->problem);
  std::string found = fmt::format("CUDA {}, cuBLAS {}, driver {}", facts->cuda, facts->cublas, facts->driver);
  for (const protocol::DeviceFacts& device : facts->devices)
    fmt::format_to(std::back_inserter(found), ", {}", device.name);
  return {"Agent", Health::Good, std::move(found), "tilescope measure times kernels beside cuBLAS."};
}

void add_doctor_options(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "One JSON object instead of text");
}

/// `tilescope doctor`: what is on this machine, what is missing, and what that means.
int run_doctor(const bool& json) {
  compile::Compiler compiler;
  std::vector<Requirement> facts = session::examine_machine(compiler, &interrupted());
  if (!interrupted()) facts.push_back(examine_agent(compiler));
  if (interrupted()) return fail(Diagnostics{});
  if (!json) return finish(text_of(facts, terminal_style()), kFine);
  nlohmann::ordered_json object{{"facts", nlohmann::ordered_json::array()}};
  for (const Requirement& fact : facts)
    object["facts"].push_back(
        {{"name", fact.name}, {"state", word_for(fact.health)}, {"found", fact.found}, {"means", fact.means}});
  return finish(to_text(object), kFine);
}

}  // namespace

void add_doctor(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "doctor", "What is on this machine and what is not, and what that means", add_doctor_options,
              run_doctor);
}

}  // namespace tilescope::cli
