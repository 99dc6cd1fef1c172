// A sweep whose agents are jobs of a real Slurm: a controller and three nodes that the test starts in its own folder,
// on its own ports, as the user of the test. Skipped where Slurm and MUNGE are not installed.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"

namespace tilescope::cli {
namespace {
namespace fs = std::filesystem;

constexpr int kNodes = 3;

bool is_installed(const char* program) {
  return run_command(fmt::format("export PATH=$PATH:/usr/sbin:/sbin; command -v {} > /dev/null", program)).status == 0;
}

/// Whether a command succeeds within some seconds, tried again and again.
bool comes_true(const std::string& command) {
  for (int i = 0; i < 100; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(100)))
    if (run_command(command).status == 0) return true;
  return false;
}

/// A cluster of this machine alone. Its daemons end with it.
class Cluster {
 public:
  explicit Cluster(fs::path folder) : folder_(std::move(folder)) {
    for (const char* part : {"run", "state", "log"}) fs::create_directories(folder_ / part);
    write_key();
    write_configuration();
  }
  ~Cluster() {
    // The process of a job ends once the nodes know of the job's end.
    comes_true(in_cluster(
        fmt::format("scancel -u root; test $(sinfo -h -t idle -o %D) = {} && ! pgrep -f ^slurmstepd", kNodes)));
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "run")) {
      if (entry.path().extension() != ".pid") continue;
      pid_t process = 0;
      if (std::ifstream(entry.path()) >> process && process > 1) ::kill(process, SIGKILL);
    }
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// False if a daemon does not start; see `problem()`.
  bool start() {
    const std::string munge = fmt::format(
        "munged --key-file={0}/key --socket={0}/run/munge.socket --pid-file={0}/run/munged.pid "
        "--log-file={0}/log/munged.log --seed-file={0}/run/munge.seed --num-threads=1",
        folder_.string());
    if (!run(munge) || !run("slurmctld -c")) return false;
    for (int i = 1; i <= kNodes; ++i)
      if (!run(fmt::format("slurmd -N gpu{}", i))) return false;
    if (comes_true(in_cluster(fmt::format("test $(sinfo -h -t idle -o %D) = {}", kNodes)))) return true;
    problem_ = "the nodes do not become idle";
    return false;
  }
  const std::string& problem() const { return problem_; }
  /// One or several commands, with the cluster's configuration.
  std::string in_cluster(const std::string& command) const {
    return fmt::format("export PATH=$PATH:/usr/sbin:/sbin SLURM_CONF={}/slurm.conf; {}", folder_.string(), command);
  }

 private:
  bool run(const std::string& command) {
    const Ran ran = run_command(in_cluster(command));
    problem_ = ran.out + ran.err;
    return ran.status == 0;
  }

  void write_key() const {
    const fs::path file = folder_ / "key";
    std::random_device random;
    std::ofstream key(file, std::ios::binary);
    for (int i = 0; i < 128; ++i) key.put(static_cast<char>(random()));
    key.close();
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  }

  void write_configuration() const {
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const int port = 20000 + 8 * (::getpid() % 5000);
    std::ofstream(folder_ / "slurm.conf") << fmt::format(
        "ClusterName=test\nSlurmctldHost={1}(127.0.0.1)\nAuthType=auth/munge\nAuthInfo=socket={0}/run/munge.socket\n"
        "CredType=cred/munge\nSlurmUser={2}\nSlurmdUser={2}\nSlurmctldPort={3}\n"
        "SlurmctldPidFile={0}/run/slurmctld.pid\nSlurmdPidFile={0}/run/slurmd-%n.pid\nStateSaveLocation={0}/state\n"
        "SlurmdSpoolDir={0}/spool-%n\nSlurmctldLogFile={0}/log/slurmctld.log\nSlurmdLogFile={0}/log/slurmd-%n.log\n"
        "ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\n"
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSchedulerType=sched/builtin\nReturnToService=2\n"
        "JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n"
        "NodeName=gpu[1-{4}] NodeHostname={1} NodeAddr=127.0.0.1 Port=[{5}-{6}] CPUs=1 State=UNKNOWN\n"
        "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
        folder_.string(), host, "root", port, kNodes, port + 1, port + kNodes);
  }

  fs::path folder_;
  std::string problem_;
};

class Slurm : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"slurmctld", "slurmd", "srun", "munged"})
      if (!is_installed(program)) GTEST_SKIP() << program << " is not installed: apt-get install slurm-wlm munge";
    if (::getuid() != 0) GTEST_SKIP() << "slurmd runs jobs for root alone here";
    fs::create_directories(folder_);
    cluster_.emplace(folder_ / "slurm");
    ASSERT_TRUE(cluster_->start()) << cluster_->problem();
  }
  ~Slurm() override {
    cluster_.reset();
    fs::remove_all(folder_);
  }

  /// A sweep over these sizes by three agents, each a job that takes a third of a second for a point.
  std::string sweep(const std::string& sizes) const {
    const std::string agent = fmt::format("--agent 'srun --quiet --unbuffered --ntasks=1 {}/tests/fake_agent slow {}'",
                                          TILESCOPE_BINARY_DIR, lines_.string());
    return cluster_->in_cluster(fmt::format(
        "export TILESCOPE_NVRTC={0}/tests/libfake_nvrtc.so XDG_CACHE_HOME={1}/cache TILESCOPE_STORE={1}/store.db "
        "TILESCOPE_DATA={2}; {0}/bin/tilescope sweep 02 --size {3} --json {4} {4} {4}",
        TILESCOPE_BINARY_DIR, folder_.string(), TILESCOPE_SOURCE_DIR, sizes, agent));
  }
  /// M of each of the agents' answers.
  std::vector<int> answered() const {
    std::ifstream file(lines_);
    return {std::istream_iterator<int>(file), {}};
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("slurm-{}", ::getpid());
  fs::path lines_ = folder_ / "answered";
  std::optional<Cluster> cluster_;
};

TEST_F(Slurm, AnAgentThatIsKilledUnderWayLosesNothingAndNothingIsMeasuredTwice) {
  std::vector<int> wanted;
  std::string sizes;
  for (int size = 64; size < 64 + 32 * 18; size += 32) {
    wanted.push_back(size);
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
  }
  int killed = 1;
  std::thread killer([&] {
    const std::string three = cluster_->in_cluster("test $(squeue -h -t running | wc -l) = 3");
    if (!comes_true(three) || !comes_true(fmt::format("test $(cat {} 2> /dev/null | wc -l) -ge 4", lines_.string())))
      return;
    killed = run_command(cluster_->in_cluster("scancel $(squeue -h -o %i | sort -n | head -1)")).status;
  });
  const Ran ran = run_command(sweep(sizes));
  killer.join();
  EXPECT_EQ(killed, 0) << "no agent was killed";
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::vector<int> measured;
  for (const nlohmann::json& each : nlohmann::json::parse(ran.out)) measured.push_back(each["m"].get<int>());
  EXPECT_EQ(measured, wanted);
  EXPECT_THAT(answered(), testing::UnorderedElementsAreArray(wanted)) << "each once";
}

}  // namespace
}  // namespace tilescope::cli
