#include "base/message.h"

#include <fmt/args.h>

#include "base/words.h"

namespace tilescope {

Message Message::of_format(std::string english, std::vector<Argument> arguments) {
  Message message(std::move(english));
  message.arguments_ = std::move(arguments);
  return message;
}

std::string Message::text() const {
  return worded([](std::string_view english) { return tr(english); });
}

std::string Message::english() const {
  return worded([](std::string_view english) { return std::string(english); });
}

std::string Message::worded(std::string (*translate)(std::string_view english)) const {
  const std::string format = translate(format_);
  if (arguments_.empty()) return format;
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const Argument& argument : arguments_)
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<Message>>)
            store.push_back(value.front().worded(translate));
          else
            store.push_back(value);
        },
        argument);
  return fmt::vformat(format, store);
}

}  // namespace tilescope
