#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kernel/catalogue.h"
#include "lesson/course.h"
#include "session/state.h"

namespace tilescope::lesson {

/// What is on show as the part of a page's address behind '#': "lesson=3.7" or "kernel=9&BM=64&view=warp&warp=2&at=54".
/// It holds what a state file holds, except texts that are not on show, and is short for what is as it would be without
/// it. docs/teaching.md lists the words. A state that names no kernel is its lesson's step.
std::string link_of(const session::State& state, const Course& course, const kernel::Catalogue& kernels);

/// The state that a link names: a whole address, or what is behind its '#'. Words that it leaves out are as in a new
/// state. The error says which word means nothing.
Result<session::State> state_of_link(std::string_view link, const Course& course, const kernel::Catalogue& kernels);

/// Whether a text is meant as a link: it has a '#', or begins like what is behind one.
bool is_link(std::string_view text);

}  // namespace tilescope::lesson
