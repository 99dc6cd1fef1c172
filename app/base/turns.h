#pragma once

#include <functional>

/// Long work on the window's own thread, where the system has no other, as in a browser.
namespace tilescope {

/// Whether run_between_turns() works here. Where it does not, there are threads.
bool works_between_turns();

/// Runs `work`, which throws nothing, between two turns of the window; several works advance side by side. Returns at
/// once.
void run_between_turns(std::function<void()> work);

/// Long work calls this every millisecond or so, not while it holds a lock or makes a static value: turns of the window
/// and other work may take place inside. So does what takes long in a turn itself: the browser answers inside, and
/// nothing of ours runs. Elsewhere, or where the browser cannot suspend work, it does nothing.
void let_turns_pass();

}  // namespace tilescope
