#include <cstdio>

#include "vectors/dump.h"

/// dump_vectors FOLDER: writes the instruction tests there, for a run on a GPU.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: dump_vectors FOLDER\n", stderr);
    return 2;
  }
  const auto written = tilescope::vectors::dump(argv[1]);
  if (!written) std::fprintf(stderr, "%s\n", tilescope::to_string(written.errors()).c_str());
  return written ? 0 : 1;
}
