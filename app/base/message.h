#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace tilescope {

/// A text that is translated when it is shown, not when it is made: the English format and its arguments, which may be
/// messages themselves. A text without a translation is shown in English.
class Message {
 public:
  /// A vector holds the one nested message.
  using Argument = std::variant<int64_t, uint64_t, double, std::string, std::vector<Message>>;

  Message() = default;
  /// A text without arguments; braces are literal.
  Message(std::string text) : format_(std::move(text)) {}
  Message(std::string_view text) : format_(text) {}
  Message(const char* text) : format_(text) {}
  /// `english` is a literal, checked against its arguments.
  template <class First, class... Rest>
  Message(fmt::format_string<First, Rest...> english, First&& first, Rest&&... rest)
      : Message(of_format(std::string(fmt::string_view(english).data(), fmt::string_view(english).size()),
                          {argument(first), argument(rest)...})) {}
  /// The same for a format from a file, which has as many {} as there are arguments.
  static Message of_format(std::string english, std::vector<Argument> arguments);

  /// In the reader's current language.
  std::string text() const;
  std::string english() const;
  bool empty() const { return format_.empty(); }
  bool operator==(const Message&) const = default;

 private:
  template <class T>
  static Argument argument(const T& value) {
    if constexpr (std::is_same_v<T, Message>)
      return std::vector<Message>{value};
    else if constexpr (std::is_same_v<T, char>)
      return std::string(1, value);
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(value);
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      return static_cast<int64_t>(value);
    else if constexpr (std::is_integral_v<T>)
      return static_cast<uint64_t>(value);
    else if constexpr (std::is_convertible_v<const T&, std::string_view>)
      return std::string(std::string_view(value));
    else
      return fmt::to_string(value);  // A list that fmt joins.
  }

  /// `translate` gives a format in the wanted language.
  std::string worded(std::string (*translate)(std::string_view english)) const;

  std::string format_;
  std::vector<Argument> arguments_;
};

}  // namespace tilescope

/// Lets a message be an argument of a format, in the current language.
template <>
struct fmt::formatter<tilescope::Message> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const tilescope::Message& message, Context& context) const {
    return fmt::formatter<std::string>::format(message.text(), context);
  }
};
