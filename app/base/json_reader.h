#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace tilescope {

/// Reads typed fields of a JSON object that another program wrote, and keeps a diagnostic for each missing field or
/// wrong type. Such a field reads as zero, empty or false.
class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  /// `what` names the object in messages: "the reply". Anything but an object has no fields.
  JsonReader(const Json& json, std::string what);

  std::string text(const char* key);
  double number(const char* key);
  bool flag(const char* key);
  /// A whole number from `low` to `high`.
  int64_t integer(const char* key, int64_t low = std::numeric_limits<int64_t>::min(),
                  int64_t high = std::numeric_limits<int64_t>::max());
  /// The same for a count.
  template <class T>
  T count(const char* key) {
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    constexpr auto kLimit = static_cast<int64_t>(std::min(kMost, uint64_t{std::numeric_limits<T>::max()}));
    return static_cast<T>(integer(key, 0, kLimit));
  }
  /// An array or object; an empty array if missing.
  const Json& list(const char* key);
  const Json& object(const char* key);
  bool is_null(const char* key) const;
  /// Of any type; null if missing.
  const Json& any(const char* key);

  void report(const std::string& message);
  Diagnostics& problems() { return problems_; }
  /// Adds the problems of a reader of a part.
  void take(JsonReader& part);

 private:
  const Json* find(const char* key, const char* type, bool (*is_type)(const Json&));

  const Json& json_;
  std::string what_;
  Diagnostics problems_;
};

/// The text of a file that Tilescope wrote, whose field `key` has the number of its format, up to `newest`. The error
/// is that of parse_json(), `foreign` if there is no such field, or says that a newer program wrote it.
Result<nlohmann::ordered_json> parse_versioned(std::string_view text, const char* key, int newest,
                                               const Message& foreign);

/// The text as JSON. The error says where it is invalid; nesting deeper than 64 is refused.
Result<nlohmann::ordered_json> parse_json(std::string_view text);

}  // namespace tilescope
