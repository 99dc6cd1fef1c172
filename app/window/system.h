#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tilescope::window {

// What the desktop or the browser gives the window, beside its graphics (gl_window.h), its fonts (font_files.h) and the
// place of its files (output_files.h). One source for each system, in native/ and web/.

/// Before all else: how the process ends when it is told to, how its memory is kept small.
void set_up_process();
/// The process was told to end.
bool end_was_asked();
/// Memory that is free goes back to the system.
void give_memory_back();

/// Calls `turn` until it is false. In a browser the page calls it from then on, as long as it is open: this returns at
/// once, and what `turn` holds lives on.
void run_turns(std::function<bool()> turn);

/// Whether all files that ship are there: a browser fetches some of them behind the first frame.
bool is_loaded();

/// Whether the process of that number is this program and still runs. Of a page, whose end no one sees, always.
bool still_runs(const std::string& process);

/// The address of the course's page, which links begin with: in a browser its own, else what $TILESCOPE_PAGE names.
std::string page_address();

/// The language of the environment, "zh" for LANG=zh_CN.UTF-8; the first set one of LC_ALL, LC_MESSAGES and LANG.
/// "en" if none is. In a browser its own.
std::string environment_language();

}  // namespace tilescope::window
