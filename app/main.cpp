#include "cli/command_line.h"

int main(int argc, char** argv) { return tilescope::cli::run(argc, argv); }
