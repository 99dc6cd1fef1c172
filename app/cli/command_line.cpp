#include "cli/command_line.h"
namespace tilescope::cli { int run(int, char**) { return 2; } }
