#include "base/turns.h"

namespace tilescope {

bool works_between_turns() { return false; }
void run_between_turns(std::function<void()>) {}
void let_turns_pass() {}

}  // namespace tilescope
