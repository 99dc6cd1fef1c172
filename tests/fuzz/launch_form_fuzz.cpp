// Any bytes in the fields of a launch form: its description is well-formed TOML whatever they are, and is read and
// settled, or refused in sentences; what was read says the same when it is written again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernel/configuration.h"
#include "kernel/launch_form.h"
#include "kernel/propose.h"
#include "sentences.h"

namespace {

/// The bytes split into fields at each 0.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}
  std::string next() {
    const size_t end = rest_.find('\0');
    const std::string field(rest_.substr(0, end));
    rest_ = end == rest_.npos ? std::string_view{} : rest_.substr(end + 1);
    return field;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilescope::kernel;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::string_view kMalformed = "Error while parsing";  // As toml++ begins its own messages.
  if (bytes.find(kMalformed) != bytes.npos) return 0;
  Fields fields(bytes);
  LaunchForm form;
  form.guessed = data[0] & 1;
  form.square = data[0] & 2;
  form.title = fields.next();
  form.entry = fields.next();
  form.block = fields.next();
  form.grid = fields.next();
  form.shared_bytes = fields.next();
  while (!fields.empty() && form.arguments.size() < 8) {
    FormArgument argument;
    argument.name = fields.next();
    argument.element = fields.next();
    argument.is_array = fields.next().size() % 2;
    argument.role = fields.next();
    argument.shape = fields.next();
    argument.initial = fields.next();
    argument.value = fields.next();
    form.arguments.push_back(std::move(argument));
  }
  const auto description = parse_description(to_toml(form), "fuzz.toml");
  if (!description) {
    for (const tilescope::Diagnostic& problem : description.errors())
      if (problem.message.text().starts_with(kMalformed)) std::abort();
    tilescope::demand_sentences(description.errors());
    return 0;
  }
  const auto configuration = configure(*description, {}, {7, 13, 1});
  if (!configuration)
    tilescope::demand_sentences(configuration.errors());
  else if (launch_sentence(*configuration).text().empty())
    std::abort();
  return 0;
}
