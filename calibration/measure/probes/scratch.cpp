#include "calibration/measure/probes/scratch.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <system_error>

#include "calibration/measure/probes/machine.hpp"
#include "calibration/measure/probes/processes.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::probing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "stallcast-probe-";
constexpr std::string_view kOwner = "owner";  // the file that says whose folder it is

/// Process ids mean something within one boot of one machine and one namespace of processes only.
std::string home_of_pids() {
  std::error_code error;
  return first_line("/proc/sys/kernel/random/boot_id") + " " +
         fs::read_symlink("/proc/self/ns/pid", error).string();
}

/// This machine over its boots; "" when it has no id. The name tells clones of an image apart.
std::string machine() {
  const std::string id = first_line("/etc/machine-id");
  return id.empty() ? id : id + " " + first_line("/proc/sys/kernel/hostname");
}

/// When process `pid` began, in ticks since the boot; "" when there is none: an id is used again.
std::string began(const std::string& pid) {
  const std::string stat = first_line("/proc/" + pid + "/stat");
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string::npos) return "";
  std::istringstream fields(stat.substr(name_ends + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;  // proc(5): field 22 is starttime
  return field;
}

/// "stallcast-probe-<pid>-<16 hex digits>"
bool is_ours(const std::string& name) {
  if (!name.starts_with(kPrefix)) return false;
  const std::size_t dash = name.find('-', kPrefix.size());
  if (dash == std::string::npos || name.size() - dash - 1 != 16) return false;
  const auto all = [&](std::size_t from, std::size_t to, std::string_view of) {
    return from < to && name.substr(from, to - from).find_first_not_of(of) == std::string::npos;
  };
  return all(kPrefix.size(), dash, "0123456789") && all(dash + 1, name.size(), "0123456789abcdef");
}

enum class Owner { alive, dead, unknown };

Owner owner_of(const fs::path& folder) {
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
    return Owner::unknown;
  std::ifstream in(folder / kOwner);
  std::string host, home, pid, start;
  if (!std::getline(in, host) || !std::getline(in, home) || !(in >> pid >> start))
    return Owner::unknown;
  const std::string here = home_of_pids();
  if (home == here) return began(pid) == start ? Owner::alive : Owner::dead;
  const bool same_boot = home.substr(0, home.find(' ')) == here.substr(0, here.find(' '));
  if (same_boot || host.empty() || host != machine()) return Owner::unknown;
  return Owner::dead;  // of an earlier boot of this machine
}

/// Removes `folder`; a file that appears meanwhile is tried again.
bool remove_folder(const fs::path& folder) {
  std::error_code error;
  for (int tries = 0; tries < 100; ++tries) {
    fs::remove_all(folder, error);
    if (!error) return true;
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace

Space space_at(const fs::path& path) {
  struct statvfs info {};
  if (statvfs(path.c_str(), &info) != 0) return {};
  const auto block = static_cast<double>(info.f_frsize);
  return {Bytes::from(block * static_cast<double>(info.f_blocks), unit::B),
          Bytes::from(block * static_cast<double>(info.f_bavail), unit::B)};
}

Bytes reserve(const Space& space) {
  return std::min(space.total * 0.05, Bytes::from(1.0, unit::GiB));
}

std::optional<Failure> check_space(const Space& space, Bytes needs) {
  const Bytes left = reserve(space);
  if (needs + left <= space.free) return std::nullopt;
  const auto text = [](Bytes b) { return base::print_quantity(b.in(unit::B), Dimension::bytes); };
  return Failure{ExitCode::bad_input,
                 "the probe would write " + text(needs) + " and leave " + text(left) +
                     " free, but only " + text(space.free) + " are free",
                 "make room, or let it write less with --space BYTES"};
}

Result<std::unique_ptr<Scratch>> Scratch::make(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  const std::string quoted = "\"" + target.string() + "\"";
  if (!fs::exists(status))
    return Failure{ExitCode::bad_input, "there is no folder " + quoted,
                   "name a folder on the file system to measure"};
  if (!fs::is_directory(status))
    return Failure{ExitCode::bad_input, quoted + " is not a folder",
                   "name a folder on the file system to measure; the probe makes its own files"};
  std::unique_ptr<Scratch> out(new Scratch);
  out->remove_stale(target);
  std::random_device random;
  const std::uint64_t word = (std::uint64_t{random()} << 32U) | random();
  std::ostringstream name;
  name << kPrefix << getpid() << "-" << std::hex;
  name.width(16);
  name.fill('0');
  name << word;
  out->folder_ = fs::canonical(target, error) / name.str();
  // Before the folder exists, so that there is no moment when it would stay.
  if (const auto failure = out->start_janitor()) return *failure;
  if (mkdir(out->folder_.c_str(), 0700) != 0)
    return system_failure("write in " + quoted, errno, "name a folder that this user may write to");
  std::ofstream owner(out->folder_ / kOwner);
  owner << machine() << "\n"
        << home_of_pids() << "\n"
        << getpid() << " " << began(std::to_string(getpid())) << "\n";
  owner.close();
  if (!owner)
    return system_failure("write in " + quoted, errno != 0 ? errno : ENOSPC,
                          "is the file system full, or over the user's quota?");
  return out;
}

Scratch::~Scratch() {
  if (!folder_.empty()) remove_folder(folder_);
  if (alive_ >= 0) close(alive_);
  if (janitor_ > 0) waitpid(janitor_, nullptr, 0);
}

std::optional<Failure> Scratch::start_janitor() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("make a pipe", errno);
  janitor_ = fork();
  if (janitor_ < 0) {
    close(ends[0]);
    close(ends[1]);
    return system_failure("start a process", errno);
  }
  if (janitor_ > 0) {
    close(ends[0]);
    alive_ = ends[1];
    return std::nullopt;
  }
  setsid();  // a signal to the probe's process group does not reach it
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "stallcast-tidy");
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, fd);
  if (chdir("/") != 0) _exit(1);
  close(ends[1]);
  char byte = 0;
  while (read(ends[0], &byte, 1) != 0)  // hangs up when the probe and all its processes are gone
    if (errno != EINTR) break;
  _exit(remove_folder(folder_) ? 0 : 1);
}

void Scratch::remove_stale(const fs::path& target) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(target, error)) {
    const std::string name = entry.path().filename().string();
    if (!is_ours(name)) continue;
    const Owner owner = owner_of(entry.path());
    if (owner == Owner::dead)
      notes_.push_back(remove_folder(entry.path())
                           ? "removed " + name + ", which a dead probe had left"
                           : "could not remove " + name + ", which a dead probe has left");
    else if (owner == Owner::unknown)
      notes_.push_back("left " + name + " alone: a probe of another machine, container or user");
  }
}

Result<int> Scratch::open_nameless(int flags) const {
  int fd = open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
    const fs::path name = folder_ / "data";
    fd = open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | flags, 0600);
    const int reason = errno;
    unlink(name.c_str());
    errno = reason;
  }
  if (fd < 0) {
    if (errno == EINVAL && (flags & O_DIRECT) != 0)
      return Failure{ExitCode::bad_input, "the file system refuses O_DIRECT",
                     "the probe would measure the page cache; choose another folder"};
    return system_failure("make a file in \"" + folder_.string() + "\"", errno);
  }
  return fd;
}

}  // namespace stallcast::calibration::probing
