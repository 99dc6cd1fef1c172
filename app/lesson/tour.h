#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tilescope::lesson {

/// One thing to show, and a line to say about it.
struct TourStop {
  std::string text;
  std::string link;  ///< As link_of() writes it.
  bool operator==(const TourStop&) const = default;
};

/// A lecturer's own sequence of things on show, kept in a TOML file: a [[stop]] with text and link for each.
struct Tour {
  std::vector<TourStop> stops;
  bool operator==(const Tour&) const = default;
};

/// Whether a path names a tour: it ends in ".tour".
bool is_tour_file(std::string_view path);

/// The errors name the place in the file. A tour without a stop is one.
Result<Tour> parse_tour(std::string_view toml, const std::string& file_name);
std::string to_toml(const Tour& tour);

/// A whole tour as the part of a page's address behind '#': "tour=" and its file, packed.
std::string link_of_tour(const Tour& tour);
/// Whether a link has a tour, and which; the error says what is wrong with it.
bool is_tour_link(std::string_view link);
Result<Tour> tour_of_link(std::string_view link);

}  // namespace tilescope::lesson
