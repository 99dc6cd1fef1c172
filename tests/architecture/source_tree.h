#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

inline const std::filesystem::path kRoot = TILESCOPE_SOURCE_DIR;

inline std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}
