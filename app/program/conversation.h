#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "program/host.h"
#include "program/repeats.h"
#include "program/unordered.h"

namespace tilescope::program {

/// What `tilescope run` answers the stand-in in the program, message by message. A message that cannot be read is
/// left out.
class Conversation {
 public:
  /// `memory_file` must stay open; the references must outlive it.
  Conversation(const ProgramRequest& request, pid_t program, int memory_file, const run::Control& control,
               const Listener& listener, ProgramRun& run)
      : machine_(request.machine),
        request_(request),
        program_(program),
        memory_file_(memory_file),
        control_(control),
        listener_(listener),
        run_(run) {}

  /// The reply; empty if the kind has none.
  std::string answer(wire::Kind kind, std::string_view payload);
  /// After the program's end.
  void finish();
  /// Whether the program was only to run up to now.
  bool is_over();

 private:
  using Clock = std::chrono::steady_clock;
  std::string hello();
  std::string find_kernel(std::string_view payload);
  std::string find_variable(std::string_view payload);
  std::string occupancy(std::string_view payload);
  std::string launch_kernel(std::string_view payload);
  void note_failed(std::string_view payload);
  void note_unwritten(const wire::Range& range, std::string_view places);
  void note_early_use(std::string_view payload);
  void note_work(std::string_view payload);
  /// "line 12 of a.cu"; empty if unknown.
  const std::string& where(const std::string& places);
  void note_constants(const LoadedKernel& kernel);
  void note_call(FailedCall call);
  void note_not_freed();
  bool is_captured_kernel(const LoadedKernel& kernel) const;
  bool has_room_to_capture() const;
  Result<LaunchRecord> run_or_repeat(const std::string& payload, const LoadedKernel& kernel, const LaunchShape& shape,
                                     bool wants_accesses, bool is_captured);
  /// Sample becomes None for a launch watched often enough with the same parameters; its time is worked out once.
  Machine machine_for(const std::string& launch, bool wants_accesses, bool is_captured);
  void note(std::vector<std::string>& list, std::string_view text);
  void say_once(const std::string& sentence);

  const Machine& machine_;
  const ProgramRequest& request_;
  pid_t program_;
  size_t matching_ = 0;  ///< Launches of the captured kernel so far.
  Captor captor_;
  Clock::time_point since_ = Clock::now();  ///< The start, then the captured launch.
  int memory_file_;
  const run::Control& control_;
  const Listener& listener_;
  ProgramRun& run_;
  Checking checking_ = Checking::None;  ///< Of the launch at hand.
  std::unique_ptr<DeviceMemory> memory_;
  std::unique_ptr<Modules> modules_;
  std::unique_ptr<Repeats> repeats_;
  Unordered unordered_;
  Operation launched_;  ///< The last launch whose accesses were asked for.
  std::map<std::string, std::string> where_;
  std::set<std::string> said_;
  std::set<std::string, std::less<>> asked_;  ///< Variables that the program asked for, to copy to them or from them.
  bool result_is_seen_ = false;               ///< As in ProgramRun.
  std::map<std::string, int> watched_;        ///< Launches under all checkers, by kernel, shape and parameters.
  std::map<std::string, std::optional<predict::Predicted>> times_;  ///< By the same. The first of each counts for all.
};

}  // namespace tilescope::program
