#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/configuration.h"
#include "kernel/description.h"
#include "kernel/expression.h"

namespace tilescope::kernel {

/// A description with values for M, N, K and the parameters: judges them, and becomes a Configuration when they are
/// legal. `description` must outlive it.
class Model {
 public:
  Model(const Description& description, const Limits& limits);

  /// M, N, K or a parameter.
  void set(const std::string& name, int64_t value) { scope_.set(name, value); }
  int64_t get(const std::string& name) const { return scope_.get(name); }

  /// How many rules the values break, including the hardware's limits; 0 if they are legal. `why`, if given, gets a
  /// sentence for each, with the key of the description that it is about.
  size_t broken(Diagnostics* why = nullptr);
  /// The configuration of the values; only after broken() returned 0.
  Configuration configuration() const;

 private:
  /// `reason()` makes the sentence, if wanted; `about` is Diagnostic::about.
  template <class Reason>
  void refuse(const std::string& about, Reason reason);
  /// The value, or 1 and a broken rule.
  int64_t value(const Expression& expression, const std::string& about);
  bool settle_derived();
  bool settle_arrays();
  /// "128 x 64", "0 x 64": the values of the expressions.
  std::string extents(const std::vector<Expression>& expressions);
  ArrayShape settle_array(const Array& array);
  bool check_threads();
  void check_constraints();
  void settle_launch();
  void settle_extents(Dim3& dim, const std::vector<Expression>& expressions, const std::string& what,
                      const Dim3& limit);
  void check_shared();
  std::string written_out(const Expression& expression) const;
  std::string threads_label() const;
  void settle_arguments();
  TensorMapValue settle_tensor(const std::string& name, const TensorArgument& tensor);

  const Description& description_;
  Limits limits_;
  Variables scope_;
  Configuration state_;
  size_t broken_ = 0;
  Diagnostics* why_ = nullptr;
};

/// "M = 128, N = 128 and K = 64": the items with commas, the last with "and".
Message join_with_and(const std::vector<Message>& items);
/// "12.0 GiB"; below 1024 "96 bytes".
Message human_bytes(double bytes);

}  // namespace tilescope::kernel
