#pragma once

#include <vector>

#include "ui/context.h"

namespace tilescope::ui {

/// The first screen of the very first start: the course, the kernels, a program of one's own.
struct DoorsState {
  bool open = false;
  int chosen = 0;  ///< By the arrow keys, from 0.
};

/// How many there are: a browser opens no program of the user's.
int door_count();

/// What goes through a door, numbered from 0, sends.
std::vector<Command> commands_of_door(int door);

/// The doors in place of everything else; a click goes through one.
void show_doors(const Context& context, DoorsState& kept);

}  // namespace tilescope::ui
