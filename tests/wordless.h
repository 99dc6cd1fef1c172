#pragma once

#include <cctype>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/words.h"

/// A language whose words have no letters: letters left in a text were not passed to tr().
namespace tilescope {

/// "{} of {}" becomes "{} ~~ {}".
inline std::string without_letters(std::string text) {
  bool field = false;
  for (char& c : text) {
    if (c == '{' || c == '}') field = c == '{';
    if (!field && std::isalpha(static_cast<unsigned char>(c))) c = '~';
  }
  return text;
}

inline std::shared_ptr<const Language> wordless() {
  Diagnostics problems;
  auto words = std::make_shared<Language>(read_words(TILESCOPE_SOURCE_DIR "/assets/words/en.toml", problems));
  EXPECT_EQ(to_string(problems), "");
  for (auto& [english, texts] : words->translations)
    for (std::string& text : texts) text = without_letters(text);
  return words;
}

}  // namespace tilescope
