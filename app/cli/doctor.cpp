#include "cli/doctor.h"

#include <nlohmann/json.hpp>

#include "cli/console.h"
#include "cli/text.h"
#include "session/doctor.h"

namespace tilescope::cli {
namespace {
using session::Fact;
using session::Health;

const char* word_for(Health health) {
  switch (health) {
    case Health::Good: return "here";
    case Health::Limited: return "limited";
    case Health::Missing: return "missing";
  }
  return "";
}

std::string text_of(const std::vector<Fact>& facts, const Style& style) {
  constexpr size_t kWidth = 100, kIndent = 24;
  std::string text;
  for (const Fact& fact : facts) {
    const std::string word = word_for(fact.health);
    const std::string coloured = fact.health == Health::Good ? style.good(word) : style.bold(word);
    text +=
        style.bold(fact.name) + std::string(15 - fact.name.size(), ' ') + coloured + std::string(9 - word.size(), ' ');
    text += wrapped(fact.found, kWidth - kIndent, kIndent) + '\n';
    text += std::string(kIndent, ' ') + style.dim(wrapped(fact.means, kWidth - kIndent, kIndent)) + '\n';
  }
  return text;
}

}  // namespace

int run_doctor(bool json) {
  compile::Compiler compiler;
  const std::vector<Fact> facts = session::examine_machine(compiler, &interrupted());
  if (interrupted()) return fail(Diagnostics{});
  if (!json) return finish(text_of(facts, terminal_style()), kFine);
  nlohmann::ordered_json object{{"facts", nlohmann::ordered_json::array()}};
  for (const Fact& fact : facts)
    object["facts"].push_back(
        {{"name", fact.name}, {"state", word_for(fact.health)}, {"found", fact.found}, {"means", fact.means}});
  return finish(to_text(object), kFine);
}

}  // namespace tilescope::cli
