#include <fcntl.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "calibration/measure/probes/machine.hpp"
#include "calibration/measure/probes/scratch.hpp"
#include "calibration/probe_support.hpp"

/// What goes wrong around a probe: a clear message, the exit code of the table, nothing left
/// behind.
namespace stallcast::calibration::probing {
namespace {

using Catch::Contains;

/// "exit: message | hint", or "measured N: notes".
std::string told_with_notes(const Result<MeasurementSet>& result) {
  if (!result.ok())
    return std::to_string(static_cast<int>(result.failure().exit)) + ": " +
           result.failure().message + " | " + result.failure().hint;
  const auto& set = result.value();
  const auto notes = set.environment.find("notes");
  return "measured " + std::to_string(set.measurements.size()) + ": " +
         (notes == set.environment.end() ? "" : notes->second);
}

std::string tiny(const std::filesystem::path& target, BufferPages pages = BufferPages::huge) {
  ProbeOptions options = options_for(target);
  options.buffers = pages;
  return told_with_notes(run_io(options, tiny_io()));
}

/// From now on this process and its children get `error` from the system call `number`, or only
/// where the third argument has one of `bits` set.
bool refuse(unsigned number, unsigned error, unsigned bits = 0) {
  std::array<sock_filter, 6> program{
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 3, number},
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args[2])},
      bits == 0 ? sock_filter{BPF_JMP | BPF_JA, 0, 0, 0}
                : sock_filter{BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog filter{program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// What the io probe says in a process that is refused that, and what it left.
std::string refused(unsigned number, unsigned error, unsigned bits, BufferPages pages) {
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return "no direct I/O in the build tree";
  const std::string said = in_child([&] {
    return refuse(number, error, bits) ? tiny(folder.path(), pages) : std::string("no seccomp");
  });
  return said + (folder.left().empty() ? "; clean" : "; dirty");
}

/// Skipped where a test cannot be made here.
bool cannot(const std::string& said) {
  const bool not_here = said.starts_with("no seccomp") || said.starts_with("no direct I/O");
  if (not_here) skipped(said);
  return not_here;
}

TEST_CASE("a target that does not exist is bad input for every probe") {
  const std::string io = tiny("/nowhere/at/all");
  CHECK_THAT(io, Contains("2: there is no folder \"/nowhere/at/all\""));
  CHECK_THAT(told_with_notes(run_metadata(options_for("/nowhere/at/all"), tiny_metadata())),
             Contains("2: there is no folder"));
}

TEST_CASE("a file is not a target, and stays as it was") {
  const TestFolder folder;
  const auto file = folder.path() / "precious";
  std::ofstream(file) << "data";
  CHECK_THAT(tiny(file), Contains("is not a folder"));
  std::string content;
  std::ifstream(file) >> content;
  CHECK(content == "data");
}

TEST_CASE("a device is refused unless that is allowed, and then never written") {
  CHECK_THAT(tiny("/dev/null"), Contains("is a device") && Contains("--allow-device"));
  ProbeOptions options = options_for("/dev/null");
  options.allow_device = true;
  CHECK_THAT(told_with_notes(run_io(options, tiny_io())), Contains("2: "));
  CHECK_THAT(told_with_notes(run_metadata(options, tiny_metadata())), Contains("is not a folder"));
}

TEST_CASE("a folder that may not be written to is bad input with a hint") {
  const TestFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const auto as_nobody = [&](auto probe) {
    return in_child([&] {
      if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return std::string("cannot become nobody");
      return told_with_notes(probe());
    });
  };
  const auto options = options_for(folder.path());
  CHECK_THAT(as_nobody([&] { return run_io(options, tiny_io()); }),
             Contains("2: cannot write in") && Contains("name a folder that this user"));
  CHECK_THAT(as_nobody([&] { return run_metadata(options, tiny_metadata()); }),
             Contains("2: cannot write in"));
  CHECK(folder.left().empty());
}

TEST_CASE("too little space is said before anything is written") {
  const TestFolder folder;
  ProbeOptions options = options_for(folder.path());
  options.space = Bytes::from(1e18, unit::B);
  CHECK_THAT(told_with_notes(run_io(options, tiny_io())),
             Contains("2: the probe would write 1") && Contains("--space"));
  options.space = Bytes::from(1.0, unit::MiB);
  CHECK_THAT(told_with_notes(run_io(options, tiny_io())), Contains("2: the probe needs a file of"));
  CHECK_THAT(told_with_notes(run_metadata(options, tiny_metadata())),
             Contains("more space than --space"));
  CHECK(folder.left().empty());
}

TEST_CASE("5 % of a small file system or 1 GiB of a large one stays free") {
  const auto gib = [](double n) { return Bytes::from(n, unit::GiB); };
  CHECK(reserve({gib(10), gib(10)}) == gib(0.5));
  CHECK(reserve({gib(1000), gib(10)}) == gib(1));
  CHECK_FALSE(check_space({gib(1000), gib(10)}, gib(9)));
  CHECK(check_space({gib(1000), gib(10)}, gib(9.1)));
}

TEST_CASE("a write that fails for want of space says so and leaves nothing") {
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return skipped("no direct I/O in the build tree");
  const std::string said = in_child([&] {
    const rlimit limit{16 << 20, 16 << 20};  // bytes of a file
    setrlimit(RLIMIT_FSIZE, &limit);
    return tiny(folder.path());
  });
  CHECK_THAT(said, Contains("2: cannot write the probe's file of 64 MiB") &&
                       Contains("File too large") && Contains("--space"));
  CHECK(folder.left().empty());
}

TEST_CASE("a disk that fills up under the probe says so and is left as it was") {
  const auto pages = GENERATE(BufferPages::huge, BufferPages::small);
  const std::string said = refused(SYS_pwrite64, ENOSPC, 0, pages);
  if (cannot(said)) return;
  CHECK_THAT(said,
             Contains("2: cannot write the probe's file of 64 MiB: No space left on device") &&
                 Contains("make room") && Contains("; clean"));
}

TEST_CASE("a file system that is mounted read-only is bad input") {
  const TestFolder folder;
  const std::string said = in_child([&] {
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", folder.path().c_str(), "tmpfs", MS_RDONLY, "size=1m") != 0)
      return std::string("no mount");
    return tiny(folder.path()) +
           told_with_notes(run_metadata(options_for(folder.path()), tiny_metadata()));
  });
  if (said == "no mount") return skipped("this user may not mount a small file system");
  const std::string first = said.substr(0, said.find("2: ", 1)), second = said.substr(first.size());
  CHECK_THAT(first, Contains("2: cannot write in") && Contains("Read-only file system"));
  CHECK_THAT(second, Contains("2: cannot write in") && Contains("Read-only file system"));
}

// The ladder's 96 MiB do not fit where the probe's 64 MiB did: an hour's runs are kept.
TEST_CASE("a ladder that finds no room is a note, and the rest is measured") {
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return skipped("no direct I/O in the build tree");
  const std::string said = in_child([&] {
    const rlimit limit{80 << 20, 80 << 20};  // bytes of a file
    setrlimit(RLIMIT_FSIZE, &limit);
    IoEffort effort = brief_io();
    effort.ladder = {96.0 * 1048576.0 / memory_bytes()};
    ProbeOptions options = options_for(folder.path());
    options.space = Bytes{};
    return told_with_notes(run_io(options, effort));
  });
  CHECK_THAT(said, Contains("measured") && Contains("no working sets were read") &&
                       Contains("File too large"));
  CHECK(folder.left().empty());
}

// 100 inodes: the check of space passes, and the 100th file fails, as on a full disk.
TEST_CASE("a file system without inodes left is said to be full") {
  const TestFolder folder;
  const std::string said = in_child([&] {
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64m,nr_inodes=100") != 0)
      return std::string("no mount");
    const std::string out =
        told_with_notes(run_metadata(options_for(folder.path()), tiny_metadata()));
    return out + (folder.left().empty() ? "; clean" : "; dirty");
  });
  if (said == "no mount") return skipped("this user may not mount a small file system");
  CHECK_THAT(said, Contains("2: cannot create a file of the probe: No space left on device") &&
                       Contains("out of inodes") && Contains("; clean"));
}

TEST_CASE("memory is not a disk: O_DIRECT on tmpfs is refused") {
  struct statfs info {};
  if (statfs("/dev/shm", &info) != 0 || info.f_type != TMPFS_MAGIC)
    return skipped("/dev/shm is not a tmpfs here");
  const auto target =
      std::filesystem::path("/dev/shm") / ("stallcast-test-" + std::to_string(getpid()));
  std::filesystem::create_directory(target);
  const std::string said = tiny(target);
  CHECK_THAT(said, (Contains("2: ") && (Contains("tmpfs") || Contains("O_DIRECT")) &&
                    Contains("page cache")) ||
                       Contains("memory"));
  CHECK(std::filesystem::is_empty(target));
  std::filesystem::remove_all(target);
}

TEST_CASE("a file system that refuses O_DIRECT is refused, and no page cache measured") {
  const auto pages = GENERATE(BufferPages::huge, BufferPages::small);
  const std::string said = refused(SYS_openat, EINVAL, O_DIRECT, pages);
  if (cannot(said)) return;
  CHECK_THAT(said, Contains("2: the file system refuses O_DIRECT") && Contains("page cache") &&
                       Contains("; clean"));
}

// EPERM, as in most containers.
TEST_CASE("where io_uring is refused, threads measure and the notes say so") {
  // The refusal comes before any buffer, so each of either is enough, and runs after rests in one
  // of them: a probe takes 20 s on a slow disk.
  const bool switched_off = GENERATE(false, true);
  const auto pages = switched_off ? BufferPages::small : BufferPages::huge;
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return skipped("no direct I/O in the build tree");
  const std::string said = in_child([&] {
    if (switched_off)
      setenv("STALLCAST_PROBE_IO_URING", "off", 1);
    else if (!refuse(SYS_io_uring_setup, EPERM))
      return std::string("no seccomp");
    ProbeOptions options = options_for(folder.path());
    options.buffers = pages;
    IoEffort effort = switched_off ? tiny_io() : brief_io();
    effort.repeats = 1;
    const auto result = run_io(options, effort);
    if (!result.ok()) return told_with_notes(result);
    for (const Measurement& m : result.value().measurements) {
      if (m.options.at("engine") != "psync") return "measured with " + m.options.at("engine");
      if (pages == BufferPages::small && m.options.at("buffers") != "pages")
        return "buffers of " + m.options.at("buffers");
    }
    return told_with_notes(result);
  });
  if (cannot(said)) return;
  CHECK_THAT(said, Contains("measured") && Contains("threads that pread and pwrite"));
  CHECK_THAT(said, Contains(switched_off ? "STALLCAST_PROBE_IO_URING"
                                         : "io_uring is refused here (Operation not"));
  CHECK(folder.left().empty());
}

TEST_CASE("a probe that is killed leaves nothing behind, whatever the signal") {
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return skipped("no direct I/O in the build tree");
  const int signal = GENERATE(SIGKILL, SIGTERM, SIGINT);
  const auto pages = GENERATE(BufferPages::huge, BufferPages::small);
  for (const bool metadata : {false, true}) {
    signal_child(
        [&](int ready) {
          ProbeOptions options = options_for(folder.path());
          options.buffers = pages;
          int runs =
              0;  // under way once one is told_with_notes of; the io probe tells of its file too
          options.progress = [&](double, std::string_view what) {
            if (what.find("writing the file") != std::string_view::npos) return;
            if (++runs == 1 && write(ready, "x", 1) < 0) _exit(1);
          };
          IoEffort io = tiny_io();
          io.shortest_s = 60.0;  // longer than any test waits
          io.longest_s = 60.0;
          MetadataEffort files = tiny_metadata();
          files.phase_s = 60.0;
          if (metadata)
            (void)run_metadata(options, files);
          else
            (void)run_io(options, io);
        },
        signal);
    CHECK(folder.left().empty());
  }
}

TEST_CASE("an interrupted probe is inconclusive and leaves nothing behind") {
  const TestFolder folder;
  ProbeOptions options = options_for(folder.path());
  int asked = 0;
  options.interrupted = [&] { return ++asked > 2; };
  CHECK_THAT(told_with_notes(run_metadata(options, tiny_metadata())),
             Contains("3: the probe was interrupted"));
  CHECK(folder.left().empty());
}

TEST_CASE("what a dead probe left is removed with a note, what others have is not") {
  const TestFolder folder;
  // A probe whose janitor was killed too: its folder is made by hand, with the owner it would have.
  std::string owner;
  const std::string name = in_child([&] {
    const auto scratch = Scratch::make(folder.path());
    const auto& path = scratch.value()->folder();
    const auto copy = folder.path() / "copy";
    std::filesystem::copy(path, copy, std::filesystem::copy_options::recursive);
    return path.filename().string();
  });
  std::filesystem::rename(folder.path() / "copy", folder.path() / name);
  const auto foreign = folder.path() / "stallcast-probe-1-0123456789abcdef";
  const auto similar = folder.path() / "stallcast-probe-results";
  std::filesystem::create_directory(foreign);
  std::filesystem::create_directory(similar);
  const auto scratch = Scratch::make(folder.path());
  REQUIRE(scratch.ok());
  const auto& notes = scratch.value()->notes();
  REQUIRE(notes.size() == 2);
  const std::string all = notes[0] + notes[1];
  CHECK_THAT(all, Contains("removed " + name));
  CHECK_THAT(all, Contains("left " + foreign.filename().string() + " alone"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / name));
  CHECK(std::filesystem::exists(foreign));
  CHECK(std::filesystem::exists(similar));
}

TEST_CASE("a folder in use by another probe stays") {
  const TestFolder folder;
  const auto first = Scratch::make(folder.path());
  const auto second = Scratch::make(folder.path());
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(std::filesystem::exists(first.value()->folder()));
  CHECK(second.value()->notes().empty());
}

}  // namespace
}  // namespace stallcast::calibration::probing
