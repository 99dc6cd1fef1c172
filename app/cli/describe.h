#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tilescope::cli {

struct DescribeOptions {
  std::string file, entry;
  std::vector<std::string> include;
  bool save = false;
};
void add_describe_options(CLI::App& command, DescribeOptions& options);

/// Prints the description that is proposed for a .cu file, or writes it beside the file. Returns the exit status.
int run_describe(const DescribeOptions& options);

}  // namespace tilescope::cli
