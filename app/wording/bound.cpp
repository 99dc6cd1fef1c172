#include "wording/bound.h"

#include <array>

#include "arch/arch.h"
#include "base/words.h"

namespace tilescope::wording {
namespace {

const char* name_of(analysis::Rate rate) {
  constexpr std::array names{tr_later("number of SMs"),
                             tr_later("clock"),
                             tr_later("FMA rate"),
                             tr_later("FMA rate of the tensor cores"),
                             tr_later("shared-memory bandwidth"),
                             tr_later("L2 bandwidth"),
                             tr_later("DRAM bandwidth")};
  return tr(names[static_cast<size_t>(rate)]);
}

/// One type after another.
std::string tensor_formula(const analysis::ResourceTime& time) {
  std::string text;
  for (size_t i = 0; i < arch::kTensorTypes; ++i)
    if (time.of_type[i] > 0)
      text += (text.empty() ? "" : " + ") + tr_format("{} FMAs of {} / ({} SMs * {} per clock * {} GHz)",
                                                      time.of_type[i], to_string(static_cast<arch::TensorType>(i)),
                                                      time.sms, time.type_per_clock[i], time.clock_hz / 1e9);
  return text.empty() ? tr("no instruction of the tensor cores") : text;
}

}  // namespace

std::string formula(const analysis::Bound& bound, analysis::Resource resource) {
  const analysis::ResourceTime& t = bound.time(resource);
  if (!t.seconds) return tr_format("the {} of {} is not known", name_of(t.missing), bound.device);
  const double ghz = t.clock_hz / 1e9, gb_per_s = t.bytes_per_s / 1e9;
  switch (resource) {
    case analysis::Resource::Fma:
      return tr_format("{} FMAs / ({} SMs * {} lanes * {} GHz)", t.amount, t.sms, t.per_clock, ghz);
    case analysis::Resource::TensorCores: return tensor_formula(t);
    case analysis::Resource::L1AndShared:
      return t.of_tags
                 ? tr_format("tags of {} lines / ({} SMs * {} per clock * {} GHz)", t.amount, t.sms, t.per_clock, ghz)
                 : tr_format("({} wavefronts of L1 + {} of shared memory at {} per clock) / ({} SMs * {} GHz)",
                             t.amount, t.shared_amount, t.shared_per_clock, t.sms, ghz);
    case analysis::Resource::L2:
      return tr_format("{} sectors * {} bytes / {} GB/s", t.amount, arch::kSectorBytes, gb_per_s);
    case analysis::Resource::Dram: return tr_format("{} bytes / {} GB/s", t.amount, gb_per_s);
  }
  return {};
}

}  // namespace tilescope::wording
