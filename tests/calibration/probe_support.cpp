#include "calibration/probe_support.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <csignal>

#include "calibration/measure/probes/data_file.hpp"

namespace stallcast::calibration::probing {
namespace {

namespace fs = std::filesystem;

/// A pipe that tells when the last process that holds it has ended.
class Holders {
 public:
  Holders() {
    if (pipe(ends_.data()) != 0) throw std::bad_alloc();
  }
  ~Holders() {
    for (const int fd : ends_)
      if (fd >= 0) close(fd);
  }
  Holders(const Holders&) = delete;
  Holders& operator=(const Holders&) = delete;
  [[nodiscard]] int writer() const { return ends_[1]; }
  /// One byte, or none when everybody is gone.
  bool wait_for_byte() {
    close(std::exchange(ends_[1], -1));
    char byte = 0;
    return read(ends_[0], &byte, 1) == 1;
  }
  /// All that was written, until everybody is gone.
  std::string drain() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
    std::string out;
    std::array<char, 512> part{};
    for (ssize_t n = 0; (n = read(ends_[0], part.data(), part.size())) > 0;)
      out.append(part.data(), static_cast<std::size_t>(n));
    return out;
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

TestFolder::TestFolder() {
  std::string name = std::string(STALLCAST_TEST_DIR) + "/probe-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::bad_alloc();
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code error;
  fs::permissions(path_, fs::perms::owner_all, error);
  fs::remove_all(path_, error);
}

std::vector<std::string> TestFolder::left() const {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(path_))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

IoEffort tiny_io() {
  return {.sizes = {4096, 131072},
          .depths = {1, 4},
          .repeats = 2,
          .shortest_s = 0.01,
          .longest_s = 5.0,
          .file = std::uint64_t{64} << 20U};
}

IoEffort brief_io() {
  IoEffort effort = tiny_io();
  effort.repeats = 1;
  effort.longest_s = 0.3;
  effort.rested = false;
  return effort;
}

MetadataEffort tiny_metadata() {
  return {.clients = {1, 2}, .repeats = 2, .phase_s = 0.005, .most = 250};
}

ProbeOptions options_for(const fs::path& target) {
  ProbeOptions options;
  options.target = target;
  options.space = Bytes::from(64.0, unit::MiB);
  return options;
}

std::string in_child(const std::function<std::string()>& work) {
  Holders holders;
  const pid_t pid = fork();
  if (pid == 0) {
    const std::string out = work();
    _exit(write(holders.writer(), out.data(), out.size()) < 0 ? 1 : 0);
  }
  std::string said = holders.drain();
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : said;
}

void signal_child(const std::function<void(int)>& work, int signal) {
  Holders holders;
  const pid_t pid = fork();
  if (pid == 0) {
    std::signal(signal, SIG_DFL);  // not what the test program does with it
    work(holders.writer());
    _exit(0);
  }
  const bool under_way = holders.wait_for_byte();
  CHECK(under_way);
  if (under_way) kill(pid, signal);
  holders.drain();
  waitpid(pid, nullptr, 0);
}

void skipped(const std::string& why) { WARN(why); }

bool has_direct_io(const fs::path& folder) {
  auto scratch = Scratch::make(folder);
  if (!scratch.ok()) return false;
  const auto file = write_data_file(*scratch.value(), std::uint64_t{1} << 20U, 1, {}, {});
  if (file.ok()) close(file.value().fd);
  return file.ok();
}

}  // namespace stallcast::calibration::probing
