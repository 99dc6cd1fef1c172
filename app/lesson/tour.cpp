#include "lesson/tour.h"

#include <sstream>
#include <utility>

#include "kernel/toml_reader.h"

namespace tilescope::lesson {

bool is_tour_file(std::string_view path) { return path.ends_with(".tour"); }

Result<Tour> parse_tour(std::string_view text, const std::string& file_name) {
  kernel::TomlReader reader(text, file_name);
  Tour tour;
  if (reader.problems().empty()) {
    reader.refuse_other_keys(reader.root(), "the tour", {"stop"});
    for (const toml::table* table : reader.tables(reader.root(), "stop")) {
      reader.refuse_other_keys(*table, "[[stop]]", {"text", "link"});
      if (reader.require(*table, "[[stop]]", "text") && reader.require(*table, "[[stop]]", "link"))
        tour.stops.push_back({reader.text(*table, "text"), reader.text(*table, "link")});
    }
    if (tour.stops.empty() && reader.problems().empty())
      reader.report(reader.root(), Message("A tour needs a [[stop]] with text and link."));
  }
  if (!reader.problems().empty()) return std::move(reader.problems());
  return tour;
}

std::string to_toml(const Tour& tour) {
  toml::array stops;
  for (const TourStop& stop : tour.stops) stops.push_back(toml::table{{"link", stop.link}, {"text", stop.text}});
  std::ostringstream text;
  text << toml::table{{"stop", std::move(stops)}} << '\n';
  return text.str();
}

}  // namespace tilescope::lesson
