#include "window/languages.h"

#include <algorithm>
#include <cstdio>

namespace tilescope::window {

Languages::Languages(const std::filesystem::path& folder) {
  Diagnostics problems;
  all_ = read_languages(folder, problems);
  if (!problems.empty()) std::fprintf(stderr, "%s\n", to_string(problems).c_str());
}

std::shared_ptr<const Language> Languages::find(const std::string& language) const {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [&](const auto& words) { return words->language == language; });
  return found == all_.end() || language == "en" ? nullptr : *found;
}

void Languages::need_characters(const std::string& language, ui::FontBook& fonts) const {
  const std::shared_ptr<const Language> words = find(language);
  if (!words) return;
  for (const auto& [english, texts] : words->translations)
    for (const std::string& text : texts) fonts.need(text);
  fonts.need(words->name);
}

void Languages::set_language(const std::string& language) const { tilescope::set_language(find(language)); }

}  // namespace tilescope::window
