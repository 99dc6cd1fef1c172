#include "lesson/tour.h"

#include <optional>
#include <sstream>
#include <utility>

#include "kernel/toml_reader.h"
#include "lesson/packed_text.h"

namespace tilescope::lesson {
namespace {
constexpr std::string_view kTour = "tour=";
constexpr size_t kMostBytes = 1 << 20;

std::string_view behind_address(std::string_view link) { return link.substr(link.find('#') + 1); }  // npos + 1 is 0.
}  // namespace

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

std::string link_of_tour(const Tour& tour) { return std::string(kTour) + packed_text(to_toml(tour)); }

bool is_tour_link(std::string_view link) { return behind_address(link).starts_with(kTour); }

Result<Tour> tour_of_link(std::string_view link) {
  const std::optional<std::string> text = unpacked_text(behind_address(link).substr(kTour.size()), kMostBytes);
  if (!text) return error("The link's tour is not whole: copy all of the link.");
  return parse_tour(*text, "tour");
}

}  // namespace tilescope::lesson
